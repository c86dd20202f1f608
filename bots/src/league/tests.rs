//! Schedules are fair, and tables say what was played.

use std::collections::BTreeMap;

use super::*;

fn league(policies: &[&str], mode: Mode, games: usize, players: usize) -> League {
    League {
        policies: policies.iter().map(|&name| name.to_owned()).collect(),
        mode,
        games,
        seed: 7,
        sizes: vec![SizePreset::Tiny, SizePreset::Small],
        players,
        turns: 10,
        fog: false,
    }
}

/// How often each policy sits on each seat.
fn seated(games: &[LeagueGame]) -> BTreeMap<(usize, usize), usize> {
    let mut seated = BTreeMap::new();
    let places = games.iter().flat_map(|game| game.seats.iter().copied().enumerate());
    places.for_each(|(seat, policy)| *seated.entry((policy, seat)).or_default() += 1);
    seated
}

fn all_equal(counts: &BTreeMap<(usize, usize), usize>, entries: usize) -> bool {
    counts.len() == entries && counts.values().all(|count| Some(count) == counts.values().next())
}

#[test]
fn in_pairs_everybody_sits_everywhere_equally_often() {
    for (games, players) in [(1, 2), (6, 4), (400, 4), (7, 4), (20, 6), (3, 8)] {
        let league = league(&["a", "b", "c"], Mode::Pairs, games, players);
        let schedule = league.schedule();
        assert_eq!(schedule.len(), 3 * games.next_multiple_of(2));
        assert!(schedule.iter().map(|game| game.number).eq(1..=schedule.len()));
        for (pair, names) in schedule.chunks(games.next_multiple_of(2)).zip([[0, 1], [0, 2], [1, 2]]) {
            assert!(all_equal(&seated(pair), 2 * players), "{games} games of {players}");
            for mirrored in pair.chunks(2) {
                let [game, mirror] = mirrored else { panic!("an odd number of games") };
                assert!(game.seats.iter().zip(&mirror.seats).all(|(a, b)| a != b));
                assert_eq!((game.map(), game.secret, &game.whims), (mirror.map(), mirror.secret, &mirror.whims));
                assert!(game.seats.iter().all(|policy| names.contains(policy)));
            }
        }
    }
    // All six arrangements of four seats, then the next map.
    let schedule = league(&["a", "b"], Mode::Pairs, 12, 4).schedule();
    let mut arrangements: Vec<&Vec<usize>> = schedule[..6].iter().map(|game| &game.seats).collect();
    arrangements.sort();
    arrangements.dedup();
    assert_eq!(arrangements.len(), 6);
    assert!(schedule[..6].iter().all(|game| game.map() == schedule[0].map()));
    assert_ne!(schedule[5].map_seed, schedule[6].map_seed);
    assert_eq!((schedule[5].size, schedule[6].size), (SizePreset::Tiny, SizePreset::Small));
}

#[test]
fn where_all_play_everybody_sits_everywhere_equally_often() {
    for (names, games, players) in
        [(&["a", "b", "c"][..], 9, 4), (&["a", "b", "c", "d", "e"], 22, 4), (&["a", "b", "c"], 4, 3)]
    {
        let schedule = league(names, Mode::All, games, players).schedule();
        assert_eq!(schedule.len(), games.next_multiple_of(names.len()));
        for set in schedule.chunks(names.len()) {
            assert!(all_equal(&seated(set), names.len() * players));
            assert!(set.iter().all(|game| (game.map(), game.secret) == (set[0].map(), set[0].secret)));
        }
    }
}

#[test]
fn another_seed_is_another_league() {
    let first = league(&["a", "b"], Mode::Pairs, 4, 4);
    assert_eq!(first.schedule(), first.schedule());
    let other = League { seed: 8, ..first.clone() };
    let pairs = first.schedule().into_iter().zip(other.schedule());
    assert!(pairs.into_iter().all(|(a, b)| a.map_seed != b.map_seed && a.secret != b.secret && a.whims != b.whims));
}

fn played(ahead: &[u32]) -> GameResult {
    GameResult {
        ahead: ahead.to_vec(),
        turns: 3,
        refused_orders: 1,
        refused_answers: 0,
        defaulted_answers: 0,
        digest: None,
        replay: None,
    }
}

#[test]
fn a_draw_among_the_seats_of_one_policy_is_its_victory() {
    let league = league(&["a", "b"], Mode::Pairs, 4, 4);
    let games = league.schedule();
    let seats_of = |game: &LeagueGame, policy: usize| -> Vec<u32> {
        (0..4).filter(|&seat| game.seats[seat as usize] == policy).collect()
    };
    let ends = [
        played(&seats_of(&games[0], 1)),
        played(&seats_of(&games[1], 1)[..1]),
        played(&[0, 1, 2, 3]),
        played(&seats_of(&games[3], 0)),
    ];
    let table = LeagueTable::new(&league, &games, &ends, 62);
    assert_eq!(table.pairs[1][0], Pair { games: 4, won: 2, drawn: 1 });
    assert_eq!(table.pairs[0][1], Pair { games: 4, won: 1, drawn: 1 });
    assert_eq!((table.won.as_slice(), table.faults), (&[1.5, 2.5][..], [4, 0, 0]));
    assert!((table.pairs[1][0].share() - 0.625).abs() < 1e-12);
    assert!(table.is_ordered() && !LeagueTable::new(&league, &games, &ends, 63).is_ordered());
    let text = table.to_string();
    assert!(text.contains("\nb against a: 62.5% of 4 games ("), "{text}");
    assert!(text.contains("), at least 62% wanted: reached\n"), "{text}");
}

#[test]
fn of_more_than_two_only_games_count_that_one_of_the_two_won() {
    let league = league(&["a", "b", "c"], Mode::All, 3, 3);
    let games = league.schedule();
    let seat_of =
        |game: &LeagueGame, policy: usize| game.seats.iter().position(|&seat| seat == policy).expect("a seat") as u32;
    let ends = [
        played(&[seat_of(&games[0], 2)]),
        played(&[seat_of(&games[1], 2), seat_of(&games[1], 1)]),
        played(&[seat_of(&games[2], 0)]),
    ];
    let table = LeagueTable::new(&league, &games, &ends, 65);
    assert_eq!(table.pairs[2][1], Pair { games: 2, won: 1, drawn: 1 });
    assert_eq!(table.pairs[1][0], Pair { games: 2, won: 1, drawn: 0 });
    assert_eq!(table.games, [3, 3, 3]);
    assert!(table.ratings[2].elo > table.ratings[0].elo && table.ratings[0].elo > table.ratings[1].elo);
}

#[test]
fn games_at_one_table_with_few_policies_are_played_whole() {
    let names = [policy::NAMES[0], policy::NAMES[1]];
    let league = league(&names, Mode::Pairs, 2, 4);
    let rules = league.rules().expect("rules");
    for game in league.schedule() {
        let (quiet, none) = local::play(&league, &rules, &game, false).expect("a game");
        let (recorded, records) = local::play(&league, &rules, &game, true).expect("a game");
        assert!(none.is_empty() && quiet.digest.is_none() && !quiet.ahead.is_empty());
        assert_eq!((quiet.turns, &quiet.ahead), (recorded.turns, &recorded.ahead));
        assert_eq!(records.len(), recorded.turns as usize + 2);
    }
}
