//! The promises of the generator, measured on what it drew.

use std::collections::VecDeque;

use serde_json::json;

use super::*;

/// How many seeds the promises are measured over.
const SEEDS: u64 = 1_000;

/// Every named size with every number of players it has room for.
fn every_setting() -> Vec<(SizePreset, usize)> {
    let players = |preset| (MIN_SEATS..=MapRequest::preset(preset, MIN_SEATS, 0).room()).map(move |n| (preset, n));
    SizePreset::ALL.into_iter().flat_map(players).collect()
}

/// Asserts everything that a generated map promises, with no other code of the generator than [`fairness`].
fn check(request: &MapRequest, generated: &GeneratedMap) {
    let GeneratedMap { map, starts, .. } = generated;
    let grid = map.grid();
    assert_eq!((grid.width(), grid.height(), grid.wrap()), (request.width, request.height, request.wrap));
    assert_eq!(starts.len(), request.players);
    assert!(starts.iter().enumerate().all(|(seat, start)| map.is_harbor(*start) && !starts[..seat].contains(start)));

    let fairness = fairness(map, starts);
    assert!(fairness.is_fair(), "{request:?}: {fairness:?}");
    for ways in [&fairness.rival, &fairness.harbor] {
        let ways: Vec<u32> = ways.iter().map(|way| way.expect("a way")).collect();
        let (shortest, longest) = (ways.iter().min().expect("players"), ways.iter().max().expect("players"));
        assert!(5 * longest <= 6 * shortest, "{request:?}: {ways:?}");
    }

    assert_eq!(stranded(map), [], "{request:?}");
    let sea = open_sea(map);
    let harbors: Vec<Tile> = grid.tiles().filter(|&tile| map.is_harbor(tile)).collect();
    assert!(harbors.len() >= 2 * request.players, "{request:?}: a free harbor for each player");
    for harbor in harbors {
        assert!(grid.neighbors(harbor).any(|(_, n)| sea[n.index()]), "{request:?}: the sea");
        assert!(grid.neighbors(harbor).any(|(_, n)| !map.navigable(n, Domain::Naval)), "{request:?}: the land");
    }
    let homes: Vec<Vec<Tile>> = starts.iter().map(|&start| shore_of(map, start)).collect();
    for (seat, home) in homes.iter().enumerate() {
        assert!(homes[..seat].iter().all(|other| other != home), "{request:?}: an island for each player");
    }
}

/// All land that hangs together with what a harbor is at.
fn shore_of(map: &Map, harbor: Tile) -> Vec<Tile> {
    let is_land = |tile: &Tile| !map.navigable(*tile, Domain::Naval);
    let mut island: Vec<Tile> = map.grid().neighbors(harbor).map(|(_, n)| n).filter(is_land).collect();
    let mut done = 0;
    while let Some(&tile) = island.get(done) {
        done += 1;
        for (_, n) in map.grid().neighbors(tile) {
            if is_land(&n) && !island.contains(&n) {
                island.push(n);
            }
        }
    }
    island.sort_unstable();
    island
}

#[test]
fn a_thousand_maps_are_fair() {
    let rules = Rules::plunder();
    let settings = every_setting();
    for seed in 0..SEEDS {
        let (preset, players) = settings[seed as usize % settings.len()];
        let wrap = seed as usize / settings.len() % 4 == 3;
        let request = MapRequest { wrap, ..MapRequest::preset(preset, players, seed) };
        let generated = generate(&rules, &request).expect("a map");
        check(&request, &generated);
        assert!(generated.attempt < 100, "{request:?} took {} attempts", generated.attempt);
    }
}

#[test]
fn the_named_sizes_have_room() {
    let room = SizePreset::ALL.map(|preset| MapRequest::preset(preset, 2, 0).room());
    assert_eq!(room, [4, 9, 14, 16, 16]);
    for preset in SizePreset::ALL {
        assert_eq!(preset.key().parse(), Ok(preset));
        assert_eq!(preset.key().to_uppercase().parse(), Ok(preset));
    }
    assert_eq!("vast".parse::<SizePreset>(), Err(MapRequestError::UnknownSize));
}

#[test]
fn other_sizes_are_fair_too() {
    let rules = Rules::plunder();
    let sizes = [(8, 6), (54, 6), (8, 40), (13, 13), (33, 9), (27, 12), (9, 100), (200, 6), (90, 70)];
    for (seed, (width, height)) in sizes.into_iter().enumerate() {
        for wrap in [false, true] {
            let mut request = MapRequest { seed: seed as u64, width, height, wrap, players: MIN_SEATS };
            for players in [MIN_SEATS, request.room()] {
                request.players = players;
                check(&request, &generate(&rules, &request).expect("a map"));
            }
        }
    }
}

#[test]
fn the_largest_map_is_fair() {
    let request = MapRequest { seed: 5, width: MAX_SIDE, height: MAX_SIDE, wrap: true, players: MAX_SEATS };
    let generated = generate(&Rules::plunder(), &request).expect("a map");
    check(&request, &generated);
}

#[test]
fn a_request_has_one_answer() {
    let rules = Rules::plunder();
    let request = MapRequest::preset(SizePreset::Standard, 5, 42);
    let first = generate(&rules, &request).expect("a map");
    assert_eq!(generate(&rules, &request), Ok(first.clone()));
    let other = MapRequest { seed: 43, ..request };
    assert_ne!(generate(&rules, &other).expect("a map").map, first.map);
}

#[test]
fn a_map_is_the_same_in_every_release() {
    let rules = Rules::plunder();
    let generated = generate(&rules, &MapRequest::preset(SizePreset::Tiny, 2, 1)).expect("a map");
    let drawn = generated.map.to_text(&rules).tiles;
    let known = [
        "~~~..~..~~..",
        "...#H.#.~.#.",
        ".#..#..#..#.",
        "..~..~...##.",
        "~..H~~~..H..",
        ".##....#.~~~",
        ".##..#.H#.~~",
        "...~..~..~~~",
    ];
    assert_eq!(drawn, known);
    assert_eq!(generated.starts.iter().map(|start| start.index()).collect::<Vec<_>>(), [51, 57]);
}

#[test]
fn distances_are_what_walking_finds() {
    let rules = Rules::plunder();
    for (seed, (preset, players)) in every_setting().into_iter().enumerate() {
        let request = MapRequest { wrap: seed % 2 == 1, ..MapRequest::preset(preset, players, seed as u64) };
        let GeneratedMap { map, starts, .. } = generate(&rules, &request).expect("a map");
        let measured = fairness(&map, &starts);
        for (seat, &start) in starts.iter().enumerate() {
            let mut steps = vec![None; map.grid().len()];
            steps[start.index()] = Some(0);
            let mut queue = VecDeque::from([start]);
            while let Some(here) = queue.pop_front() {
                for (_, n) in map.grid().neighbors(here) {
                    if steps[n.index()].is_none() && map.navigable(n, Domain::Naval) {
                        steps[n.index()] = steps[here.index()].map(|steps| steps + 1);
                        queue.push_back(n);
                    }
                }
            }
            let nearest = |wanted: &dyn Fn(&Tile) -> bool| {
                map.grid().tiles().filter(wanted).filter_map(|tile| steps[tile.index()]).min()
            };
            assert_eq!(measured.rival[seat], nearest(&|tile| *tile != start && starts.contains(tile)));
            assert_eq!(measured.harbor[seat], nearest(&|tile| map.is_harbor(*tile) && !starts.contains(tile)));
        }
    }
}

#[test]
fn fairness_is_twenty_percent() {
    let ways = |list: &[u32]| list.iter().map(|&way| Some(way)).collect::<Vec<_>>();
    let fair = |rival: &[u32], harbor: &[u32]| Fairness { rival: ways(rival), harbor: ways(harbor) }.is_fair();
    assert!(fair(&[5, 6, 5], &[3, 3, 3]));
    assert!(!fair(&[5, 6, 7], &[3, 3, 3]));
    assert!(!fair(&[5, 5, 5], &[3, 4, 3]));
    assert!(!Fairness { rival: vec![Some(3), Some(3)], harbor: vec![Some(3), None] }.is_fair());
    assert!(!fair(&[], &[]));
}

#[test]
fn bad_requests_are_answered_with_a_sentence() {
    let rules = Rules::plunder();
    let base = MapRequest::preset(SizePreset::Tiny, 2, 1);
    let answer = |request: MapRequest| generate(&rules, &request).expect_err("a bad request").to_string();
    for (players, text) in [
        (0, "a generated map is for 2 to 16 players, not for 0"),
        (17, "a generated map is for 2 to 16 players, not for 17"),
        (5, "a map for 5 players has at least 100 tiles, 12 x 8 are 96"),
    ] {
        assert_eq!(answer(MapRequest { players, ..base }), text);
    }
    for (width, height) in [(0, 0), (7, 8), (8, 5), (1025, 8), (8, 1025), (u32::MAX, u32::MAX)] {
        let text = format!("a generated map has 8 x 6 to 1024 x 1024 tiles, not {width} x {height}");
        assert_eq!(answer(MapRequest { width, height, ..base }), text);
    }
    let row = |key: &str, symbol: &str, domains: &[&str]| {
        json!({"key": key, "symbol": symbol, "domains": domains, "move_cost": 1, "defence": 0,
               "blocks_sight": false, "harbor": false})
    };
    let dry = json!({"terrains": [row("deep", "~", &["naval"]), row("sea", ".", &[])]});
    let dry = Rules::plunder().with_overrides(&dry).expect("rules");
    let error = generate(&dry, &base).expect_err("no sea").to_string();
    assert_eq!(error, "a generated map needs a terrain 'sea' in its rules that ships can sail and that is no harbor");
}

#[test]
fn a_picture_shows_every_harbor_and_start() {
    let rules = Rules::plunder();
    let generated = generate(&rules, &MapRequest::preset(SizePreset::Small, 3, 9)).expect("a map");
    let picture = svg(&rules, &generated.map, &generated.starts);
    let harbors = generated.map.grid().tiles().filter(|&tile| generated.map.is_harbor(tile)).count();
    assert_eq!(picture.matches("href=\"#harbor\"").count(), harbors - 3);
    assert_eq!(picture.matches("<circle class=\"seat\"").count(), 3);
    assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"));
    assert_eq!(picture.matches('<').count(), picture.matches('>').count());
}
