//! Small scenes, as their players are told them.

use std::sync::Arc;

use parley_core::grid::Tile;
use parley_core::hex::Hex;
use parley_core::ids::UnitId;
use parley_core::sight::Memory;

use crate::event::{Body, Cause, EncounterKind, Site};
use crate::rules::Rules;
use crate::ruleset::Outcome;
use crate::scenario::Scenario;
use crate::stages::{Encounter, Participant};
use crate::state::State;
use crate::view::{Change, Knowledge, SeenBody, SeenEvent, SeenTurn, SightPatch, Viewer, Witness, snapshot};

use super::worlds::{player, unit_id};

/// One row of sea, ships of the players 0 and 1 on it, and what they do. Ships see two tiles far.
struct Scene {
    rules: Arc<Rules>,
    state: State,
    outcome: Outcome,
    after: State,
}

impl Scene {
    fn play(width: usize, fog: &str, units: &str, orders: &str) -> Self {
        let class = r#"{"key": "ship", "domain": "naval", "hull": 10, "speed": 3, "cannons": 0, "vision": 2,
            "build_cost": 50, "build_turns": 3}"#;
        let json = format!(
            r#"{{"rules": {{"fog": "{fog}", "classes": [{class}]}}, "seed": "{seed}", "turn": 1,
                "map": {{"width": {width}, "height": 1, "wrap": false, "tiles": ["{row}"]}},
                "players": [{{"id": 0}}, {{"id": 1}}, {{"id": 2}}], "units": [{units}], "orders": [{orders}]}}"#,
            seed = "00".repeat(32),
            row = ".".repeat(width),
        );
        let scenario = Scenario::parse(&Arc::new(Rules::plunder()), &json).expect("a sound scenario");
        let (rules, state) = (Arc::clone(&scenario.rules), scenario.state.clone());
        let resolved = scenario.resolve().expect("a turn");
        Self { rules, state, outcome: resolved.outcome, after: resolved.game.into_state() }
    }

    /// What a seat is told, without money and endings.
    fn told(&self, seat: u8) -> Vec<SeenBody> {
        self.told_with_changes(seat).into_iter().map(|(event, _)| event.body).collect()
    }

    /// The same, each event with the changes that are its own.
    fn told_with_changes(&self, seat: u8) -> Vec<(SeenEvent, Vec<Change>)> {
        let mut memory = Memory::new(self.state.map().grid());
        let mut witness = Witness::new(&self.rules, &self.state, Viewer::Seat(player(seat)));
        let SeenTurn { events, changes, .. } = witness.follow(&self.outcome.events, &mut memory);
        let mut changes = changes.into_iter();
        let with_changes = |event: SeenEvent| {
            let own = changes.by_ref().take(event.changes as usize).collect();
            (event, own)
        };
        let mut told: Vec<_> = events.into_iter().map(with_changes).collect();
        told.retain(|(event, _)| {
            !matches!(event.body, SeenBody::Gold { .. } | SeenBody::Eliminated { .. } | SeenBody::Ended { .. })
        });
        told
    }

    /// A short word for each event.
    fn words(&self, seat: u8) -> Vec<String> {
        let word = |(event, changes): &(SeenEvent, Vec<Change>)| match &event.body {
            SeenBody::Moved { unit, from, to, .. } => format!("{unit} {}-{}", from.index(), to.index()),
            SeenBody::Appeared { unit, tile, .. } => format!("{unit} appears at {}", tile.index()),
            SeenBody::Vanished { unit, from, .. } => format!("{unit} vanishes from {}", from.index()),
            SeenBody::SightChanged => {
                let [Change::Sight(SightPatch { gained, lost }), ..] = &changes[..] else { panic!("{changes:?}") };
                let gained = gained.iter().map(|(tile, _)| *tile).collect::<Vec<_>>();
                let list = |tiles: &[Tile]| tiles.iter().map(|t| t.index().to_string()).collect::<Vec<_>>().join(",");
                format!("sight +{} -{}", list(&gained), list(lost))
            }
            other => format!("{other:?}"),
        };
        self.told_with_changes(seat).iter().map(word).collect()
    }
}

fn unit(id: u64) -> UnitId {
    UnitId::new(id).expect("a small id")
}

#[test]
fn a_ship_sails_into_sight_and_out_of_it() {
    let scene = Scene::play(
        12,
        "on",
        r#"{"id": 1, "owner": 0, "q": 3, "r": 0, "hp": 10}, {"id": 2, "owner": 1, "q": 7, "r": 0, "hp": 10}"#,
        r#"{"unit": 2, "move": [[6, 0], [5, 0], [6, 0]]}"#,
    );
    assert_eq!(scene.words(0), ["2 appears at 5", "2 vanishes from 5"]);
    assert_eq!(
        scene.words(1),
        ["2 7-6", "sight +4 -9", "2 6-5", "sight +3 -8", "1 appears at 3", "2 5-6", "sight +8 -3"]
    );
}

#[test]
fn a_ship_at_rest_is_found_and_lost_by_those_who_move() {
    let scene = Scene::play(
        12,
        "on",
        r#"{"id": 1, "owner": 0, "q": 3, "r": 0, "hp": 10}, {"id": 2, "owner": 1, "q": 6, "r": 0, "hp": 10}"#,
        r#"{"unit": 1, "move": [[4, 0], [3, 0]]}"#,
    );
    let found = ["1 3-4", "sight +6 -1", "2 appears at 6", "1 4-3", "sight +1 -6"];
    assert_eq!(scene.words(0), found);
    let mut memory = Memory::new(scene.state.map().grid());
    let seat = Viewer::Seat(player(0));
    Witness::new(&scene.rules, &scene.state, seat).follow(&scene.outcome.events, &mut memory);
    let after = snapshot(&scene.rules, &scene.after, seat, &memory);
    assert_eq!(after.terrain[6], Knowledge::Remembered(1));
    assert_eq!(after.terrain[7], Knowledge::Unknown);
    assert_eq!(after.units.len(), 1, "terrain is remembered, ships are not");
}

/// The two ships part in the same tick. Each was seen where it left and is not seen where it came to, whichever
/// of them has the lower id and so is told of first.
#[test]
fn what_moves_at_once_is_judged_at_once() {
    for (own, other) in [(1, 2), (2, 1)] {
        let ships = format!(
            r#"{{"id": {own}, "owner": 0, "q": 4, "r": 0, "hp": 10}},
               {{"id": {other}, "owner": 1, "q": 6, "r": 0, "hp": 10}}"#
        );
        let orders = format!(r#"{{"unit": {own}, "move": [[3, 0]]}}, {{"unit": {other}, "move": [[7, 0]]}}"#);
        let mut words = Scene::play(12, "on", &ships, &orders).words(0);
        words.sort();
        let mut expected = [format!("{own} 4-3"), format!("{other} vanishes from 6"), "sight +1 -6".to_owned()];
        expected.sort();
        assert_eq!(words, expected);
    }
}

/// Players 1 and 2 want tile 5; player 0 sees that tile and the ship on 4, but not the one on 6.
#[test]
fn an_encounter_in_sight_names_those_in_sight() {
    let ships = r#"{"id": 1, "owner": 0, "q": 3, "r": 0, "hp": 10}, {"id": 2, "owner": 1, "q": 4, "r": 0, "hp": 10},
        {"id": 3, "owner": 2, "q": 6, "r": 0, "hp": 10}"#;
    let orders = r#"{"unit": 2, "move": [[5, 0]]}, {"unit": 3, "move": [[5, 0]]}"#;
    let scene = Scene::play(12, "on", ships, orders);
    let told = scene.told(0);
    assert!(matches!(&told[0], SeenBody::Encounter { units, .. } if *units == [(unit(2), player(1))]));
    assert!(matches!(told[1], SeenBody::Decided { unit: u, .. } if u == unit(2)));
    assert_eq!(told.len(), 2, "the other ship decides unseen");
    let everybody = [(unit(2), player(1)), (unit(3), player(2))];
    assert!(matches!(&scene.told(2)[0], SeenBody::Encounter { units, .. } if *units == everybody));
}

#[test]
fn only_the_asked_know_that_they_are_asked() {
    let ships = r#"{"id": 1, "owner": 0, "q": 3, "r": 0, "hp": 10}, {"id": 2, "owner": 1, "q": 5, "r": 0, "hp": 10}"#;
    let orders = r#"{"unit": 1, "move": [[4, 0]]}, {"unit": 2, "move": [[4, 0]]}"#;
    for fog in ["on", "off"] {
        let scene = Scene::play(12, fog, ships, orders);
        let tile = scene.state.map().grid().tile(Hex::new(4, 0)).expect("a tile");
        let participant =
            |id: u8, asked| Participant { unit: unit_id(id.into()), owner: player(id - 1), holds: false, asked };
        let awaiting = [Encounter {
            tick: 1,
            group: 1,
            kind: EncounterKind::Entry,
            site: Site::Tile(tile),
            participants: vec![participant(1, true), participant(2, false)],
        }];
        let met =
            scene.outcome.events.iter().position(|e| matches!(e.body, Body::Encounter { .. })).expect("they meet");
        let asked = |viewer| {
            let mut witness = Witness::new(&scene.rules, &scene.state, viewer);
            witness.follow(&scene.outcome.events[..=met], &mut Memory::new(scene.state.map().grid()));
            let seen = witness.encounters(&awaiting);
            seen.iter().flat_map(|e| &e.participants).map(|p| p.asked).collect::<Vec<_>>()
        };
        assert_eq!(asked(Viewer::Seat(player(0))), [Some(true), None]);
        assert_eq!(asked(Viewer::Everything), [Some(true), Some(false)]);
        let open = fog == "off";
        assert_eq!(asked(Viewer::Seat(player(1))), if open { vec![None, Some(false)] } else { vec![] });
        assert_eq!(asked(Viewer::Spectator), if open { vec![None, None] } else { vec![] });
    }
}

/// Ship 1 waits behind an enemy that collides with a third; its owner sees both tiles and learns why.
#[test]
fn reasons_are_for_the_owner() {
    let ships = r#"{"id": 1, "owner": 0, "q": 3, "r": 0, "hp": 10}, {"id": 2, "owner": 1, "q": 4, "r": 0, "hp": 10},
        {"id": 3, "owner": 2, "q": 6, "r": 0, "hp": 10}"#;
    let orders = r#"{"unit": 1, "move": [[4, 0]]}, {"unit": 2, "move": [[5, 0]]}, {"unit": 3, "move": [[5, 0]]}"#;
    let scene = Scene::play(12, "on", ships, orders);
    let waits = |event: &&SeenBody| matches!(event, SeenBody::Waited { .. });
    let told = scene.told(0);
    let cause = Some(Cause::WaitedFor { unit: unit(2) });
    assert_eq!(told.iter().find(waits), Some(&SeenBody::Waited { unit: unit(1), cause }));
    assert_eq!(scene.told(1).iter().filter(waits).count(), 0);
    for seat in 0..3 {
        let mut witness = Witness::new(&scene.rules, &scene.state, Viewer::Seat(player(seat)));
        witness.follow(&scene.outcome.events, &mut Memory::new(scene.state.map().grid()));
        let own: Vec<_> = witness.shortfalls(&scene.outcome.shortfalls);
        let subjects: Vec<_> = own.iter().map(|s| s.subject).collect();
        assert!(subjects.iter().all(|s| *s == crate::event::Subject::Unit(unit(u64::from(seat) + 1))));
        assert!(own.iter().all(|s| s.cause.is_some()));
        assert!(!own.is_empty());
    }
}
