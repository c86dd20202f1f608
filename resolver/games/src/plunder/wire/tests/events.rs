use std::collections::BTreeSet;

use parley_core::hex::Direction;
use parley_core::sight::Memory;
use parley_plunder::event::{Cause, ContestEnd, EncounterKind, Exchange, GoldReason, Shortfall, Site, Subject};
use parley_plunder::explain::explain;
use parley_plunder::order::Choice;
use parley_plunder::rules::{Rules, Upgrade};
use parley_plunder::state::MatchResult;
use parley_plunder::view::{SeenBody, SeenEncounter, SeenEvent, SeenParticipant, SeenShortfall, Viewer, Witness};
use parley_proto::common::v1 as common;
use parley_proto::plunder::v1 as plunder;
use parley_proto::plunder::v1::cause::{self, Why};
use parley_proto::plunder::v1::event::{self, What};
use prost::Message;

use super::super::{encounter, event, shortfall};
use super::{class, fogged, grid, hex, player, scenarios, structure, tile, unit};

/// An event in the third tick of movement, or in no tick.
fn seen(tick: Option<u8>, body: SeenBody) -> SeenEvent {
    SeenEvent { stage: 3, tick, group: 2, changes: 4, after: 5, body }
}

fn said_subject(subject: common::subject::Subject) -> Option<common::Subject> {
    Some(common::Subject { subject: Some(subject) })
}

fn said_site(place: plunder::site::Place) -> Option<plunder::Site> {
    Some(plunder::Site { place: Some(place) })
}

fn said_cause(why: Why) -> Option<plunder::Cause> {
    Some(plunder::Cause { why: Some(why) })
}

/// One of each event of work and money, with what is said of it.
fn at_the_yards(rules: &Rules) -> Vec<(SeenBody, What)> {
    let (class, key) = class(rules);
    let (s, u, here) = (structure(4), unit(5), tile(1, 2));
    let at = Some(hex(1, 2));
    vec![
        (
            SeenBody::Gold { player: player(1), change: -7, reason: GoldReason::Build, balance: 3 },
            What::Gold(event::Gold { player: 1, change: -7, reason: plunder::GoldReason::Build.into(), balance: 3 }),
        ),
        (
            SeenBody::Deployed { unit: u, structure: s, owner: player(1), tile: here },
            What::Deployed(event::Deployed { unit: 5, structure: 4, owner: 1, hex: at }),
        ),
        (SeenBody::Queued { structure: s, class }, What::Queued(event::Queued { structure: 4, class: key.clone() })),
        (
            SeenBody::Cancelled { structure: s, class },
            What::Cancelled(event::Cancelled { structure: 4, class: key.clone() }),
        ),
        (SeenBody::Repaired { unit: u, hp: 10 }, What::Repaired(event::Repaired { unit: 5, hp: 10 })),
        (
            SeenBody::Upgraded { unit: u, upgrade: Upgrade::Hull },
            What::Upgraded(event::Upgraded { unit: 5, upgrade: plunder::Upgrade::Hull.into() }),
        ),
        (
            SeenBody::Skipped { subject: Subject::Structure(s), cause: Some(Cause::FleetFull) },
            What::Skipped(event::Skipped {
                subject: said_subject(common::subject::Subject::Structure(4)),
                cause: said_cause(Why::FleetFull(cause::FleetFull {})),
            }),
        ),
        (
            SeenBody::Bombarded { unit: u, structure: s, damage: 6 },
            What::Bombarded(event::Bombarded { unit: 5, structure: 4, damage: 6 }),
        ),
        (
            SeenBody::Captured { structure: s, from: None, by: player(0) },
            What::Captured(event::Captured { structure: 4, from: None, by: 0 }),
        ),
        (
            SeenBody::Spawned { unit: u, owner: player(2), class, structure: Some(s), tile: here },
            What::Spawned(event::Spawned { unit: 5, structure: Some(4), owner: 2, class: key.clone(), hex: at }),
        ),
        (SeenBody::SpawnDelayed { structure: s }, What::SpawnDelayed(event::SpawnDelayed { structure: 4 })),
        (SeenBody::Removed { unit: u }, What::Removed(event::Removed { unit: 5 })),
        (
            SeenBody::Eliminated { player: player(1), conceded: true },
            What::Eliminated(event::Eliminated { player: 1, conceded: true }),
        ),
        (SeenBody::Neutralised { structure: s }, What::Neutralised(event::Neutralised { structure: 4 })),
        (
            SeenBody::Ended { result: MatchResult::Winner(player(1)) },
            What::Ended(common::MatchResult { result: Some(common::match_result::Result::Winner(1)) }),
        ),
    ]
}

/// One of each event of ships and of sight in tick 3, with what is said of it.
fn at_sea(rules: &Rules) -> Vec<(SeenBody, What)> {
    let (u, from, to) = (unit(5), tile(1, 2), tile(-1, 3));
    let (class, key) = class(rules);
    let [said_from, said_to] = [Some(hex(1, 2)), Some(hex(-1, 3))];
    vec![
        (SeenBody::Moved { unit: u, from, to }, What::Moved(event::Moved { unit: 5, from: said_from, to: said_to })),
        (
            SeenBody::GaveWay { unit: u, from, to, direction: Direction::SW },
            What::GaveWay(event::GaveWay {
                unit: 5,
                from: said_from,
                to: said_to,
                direction: common::Direction::SouthWest.into(),
            }),
        ),
        (
            SeenBody::Appeared { unit: u, owner: player(2), class, tile: to },
            What::Appeared(event::Appeared { unit: 5, owner: 2, class: key, hex: said_to }),
        ),
        (SeenBody::Vanished { unit: u, from }, What::Vanished(event::Vanished { unit: 5, from: said_from })),
        (SeenBody::SightChanged, What::SightChanged(event::SightChanged {})),
        (SeenBody::Waited { unit: u, cause: None }, What::Waited(event::Waited { unit: 5, cause: None })),
        (
            SeenBody::Blocked { unit: u, cause: Some(Cause::Contested { tile: to }) },
            What::Blocked(event::Blocked { unit: 5, cause: said_cause(Why::Contested(hex(-1, 3))) }),
        ),
        (
            SeenBody::Encounter {
                kind: EncounterKind::Entry,
                site: Site::Tile(to),
                units: vec![(u, player(1)), (unit(6), player(2))],
            },
            What::Met(event::Met {
                kind: plunder::EncounterKind::Entry.into(),
                site: said_site(plunder::site::Place::Hex(hex(-1, 3))),
                parties: vec![event::Party { unit: 5, owner: 1 }, event::Party { unit: 6, owner: 2 }],
            }),
        ),
        (
            SeenBody::Decided { unit: u, choice: Choice::Yield },
            What::Decided(event::Decided { unit: 5, choice: plunder::Choice::Yield.into() }),
        ),
        (SeenBody::Defaulted { unit: u }, What::Defaulted(event::Defaulted { unit: 5 })),
        (
            SeenBody::Exchanged {
                exchange: Exchange {
                    attacker: u,
                    defender: unit(6),
                    attacker_dice: [6, 5, 4],
                    defender_dice: [3, 2],
                    attacker_loses: 0,
                    defender_loses: 8,
                },
            },
            What::Exchanged(event::Exchanged {
                attacker: 5,
                defender: 6,
                attacker_dice: vec![6, 5, 4],
                defender_dice: vec![3, 2],
                attacker_loses: 0,
                defender_loses: 8,
            }),
        ),
        (SeenBody::Sunk { unit: u }, What::Sunk(event::Sunk { unit: 5 })),
        (
            SeenBody::ContestOpened { tile: to, contenders: vec![u, unit(6)] },
            What::ContestOpened(event::ContestOpened { hex: said_to, contenders: vec![5, 6] }),
        ),
    ]
}

/// One of each event of contests and first sights, which are in no tick.
fn between_ticks() -> Vec<(SeenBody, What)> {
    let (here, at) = (tile(1, 2), Some(hex(1, 2)));
    vec![
        (SeenBody::Withdrew { unit: unit(5), tile: here }, What::Withdrew(event::Withdrew { unit: 5, hex: at })),
        (
            SeenBody::StructureSighted { structure: structure(4), owner: Some(player(0)), tile: here },
            What::StructureSighted(event::StructureSighted { structure: 4, owner: Some(0), hex: at }),
        ),
        (
            SeenBody::ContestSighted { tile: here, since: 9, contenders: vec![unit(5)] },
            What::ContestSighted(event::ContestSighted { hex: at, since: 9, contenders: vec![5] }),
        ),
        (
            SeenBody::ContestClosed { tile: here, end: ContestEnd::Expired },
            What::ContestClosed(event::ContestClosed { hex: at, end: plunder::ContestEnd::Expired.into() }),
        ),
    ]
}

/// Every cause, with what is said of it.
fn causes() -> Vec<(Cause, Why)> {
    let halted = Cause::Halted {
        kind: EncounterKind::Passing,
        site: Site::Edge(tile(-1, 3), tile(0, 3)),
        choice: Choice::Attack,
    };
    let edge = plunder::Edge { first: Some(hex(-1, 3)), second: Some(hex(0, 3)) };
    let said_halted = cause::Halted {
        kind: plunder::EncounterKind::Passing.into(),
        site: said_site(plunder::site::Place::Edge(edge)),
        choice: plunder::Choice::Attack.into(),
    };
    vec![
        (Cause::Contested { tile: tile(1, 2) }, Why::Contested(hex(1, 2))),
        (Cause::ClosedHarbor { structure: structure(4) }, Why::ClosedHarbor(4)),
        (Cause::WaitedFor { unit: unit(5) }, Why::WaitedFor(5)),
        (Cause::WaitedForPassing { unit: unit(6) }, Why::WaitedForPassing(6)),
        (halted, Why::Halted(said_halted)),
        (Cause::NoRoomToCross { unit: unit(7) }, Why::NoRoomToCross(7)),
        (Cause::Sunk, Why::Sunk(cause::Sunk {})),
        (Cause::Contending, Why::Contending(cause::Contending {})),
        (Cause::Unpaid { cost: 8, gold: 1 }, Why::Unpaid(cause::Unpaid { cost: 8, gold: 1 })),
        (Cause::FleetFull, Why::FleetFull(cause::FleetFull {})),
        (Cause::ShipyardsFull, Why::ShipyardsFull(cause::ShipyardsFull {})),
        (Cause::HarborTaken, Why::HarborTaken(cause::HarborTaken {})),
        (Cause::OutOfReach, Why::OutOfReach(cause::OutOfReach {})),
        (Cause::NoTarget, Why::NoTarget(cause::NoTarget {})),
        (Cause::FoughtAlready, Why::FoughtAlready(cause::FoughtAlready {})),
        (Cause::BroadsidesOff, Why::BroadsidesOff(cause::BroadsidesOff {})),
    ]
}

/// The number of the only field that a message has.
fn field(message: &impl Message) -> u64 {
    let bytes = message.encode_to_vec();
    prost::encoding::decode_varint(&mut &bytes[..]).expect("a field") >> 3
}

fn what_field(event: &plunder::Event) -> u64 {
    field(&plunder::Event { what: event.what.clone(), ..Default::default() })
}

#[test]
fn every_event_has_a_field_of_its_own_and_keeps_its_values() {
    let rules = Rules::plunder();
    let sea = at_sea(&rules).into_iter().map(|(body, what)| (body, Some(3), what));
    let rest = at_the_yards(&rules).into_iter().chain(between_ticks()).map(|(body, what)| (body, None, what));
    let mut fields = BTreeSet::new();
    for (body, tick, what) in sea.chain(rest) {
        let said = event(&rules, &grid(), &seen(tick, body));
        let (tick, stage) = (tick.map(u32::from), plunder::Stage::Movement.into());
        assert_eq!(said, plunder::Event { tick, stage, group: 2, changes: 4, after: 5, what: Some(what) });
        assert!(fields.insert(what_field(&said)), "{said:?} has the field of another");
    }
    assert_eq!(fields, (2..=33).collect());
}

#[test]
fn every_stage_has_a_number_of_its_own() {
    let rules = Rules::plunder();
    let stages = (0..rules.stages().len() as u8).map(|stage| {
        let body = SeenBody::SpawnDelayed { structure: structure(4) };
        event(&rules, &grid(), &SeenEvent { stage, ..seen(None, body) }).stage
    });
    let stages: Vec<i32> = stages.collect();
    assert_eq!(stages, (1..=8).collect::<Vec<i32>>(), "in the order of the standard rules");
}

#[test]
fn every_cause_has_a_field_of_its_own_and_keeps_its_values() {
    let rules = Rules::plunder();
    let mut fields = BTreeSet::new();
    for (cause, why) in causes() {
        let said = event(&rules, &grid(), &seen(Some(1), SeenBody::Waited { unit: unit(5), cause: Some(cause) }));
        let Some(What::Waited(waited)) = said.what else { panic!("{said:?}") };
        assert_eq!(waited.cause, said_cause(why));
        assert!(fields.insert(field(&waited.cause.unwrap_or_default())), "{cause:?} has the field of another");
    }
    assert_eq!(fields, (1..=16).collect());
}

#[test]
fn what_is_not_told_is_not_said() {
    let rules = Rules::plunder();
    let say = |tick, body| event(&rules, &grid(), &seen(tick, body));
    let decided = say(Some(0), SeenBody::Decided { unit: unit(5), choice: Choice::Attack });
    assert_eq!(decided.tick, Some(0));
    let (class, owner) = (class(&rules).0, player(2));
    let spawned = say(None, SeenBody::Spawned { unit: unit(1), owner, class, structure: None, tile: tile(1, 2) });
    assert_eq!(spawned.tick, None);
    assert!(matches!(spawned.what, Some(What::Spawned(event::Spawned { structure: None, .. }))));
    let skipped = say(None, SeenBody::Skipped { subject: Subject::Unit(unit(5)), cause: None });
    let subject = said_subject(common::subject::Subject::Unit(5));
    assert_eq!(skipped.what, Some(What::Skipped(event::Skipped { subject, cause: None })));
}

#[test]
fn numbers_of_small_terms_are_all_different() {
    let rules = Rules::plunder();
    let say = |body| event(&rules, &grid(), &seen(None, body)).encode_to_vec();
    let reasons = [
        GoldReason::Income,
        GoldReason::DeployShipyard,
        GoldReason::Build,
        GoldReason::CancelBuild,
        GoldReason::Repair,
        GoldReason::Upgrade,
        GoldReason::Salvage,
    ];
    let gold = |reason| say(SeenBody::Gold { player: player(0), change: 1, reason, balance: 1 });
    assert_eq!(reasons.map(gold).into_iter().collect::<BTreeSet<_>>().len(), 7);
    let (from, to) = (tile(1, 2), tile(2, 2));
    let gave_way = |direction| say(SeenBody::GaveWay { unit: unit(5), from, to, direction });
    assert_eq!(Direction::ALL.map(gave_way).into_iter().collect::<BTreeSet<_>>().len(), 6);
    let ends = [ContestEnd::Claimed, ContestEnd::Emptied, ContestEnd::Expired];
    let closed = |end| say(SeenBody::ContestClosed { tile: from, end });
    assert_eq!(ends.map(closed).into_iter().collect::<BTreeSet<_>>().len(), 3);
    let upgraded = |upgrade| say(SeenBody::Upgraded { unit: unit(5), upgrade });
    assert_eq!(Upgrade::ALL.map(upgraded).into_iter().collect::<BTreeSet<_>>().len(), 3);
    let decided = |choice| say(SeenBody::Decided { unit: unit(5), choice });
    let choices = [Choice::Proceed, Choice::Yield, Choice::Attack];
    assert_eq!(choices.map(decided).into_iter().collect::<BTreeSet<_>>().len(), 3);
}

#[test]
fn an_encounter_keeps_its_parties() {
    let participants = vec![
        SeenParticipant { unit: unit(5), owner: player(1), holds: true, asked: Some(true) },
        SeenParticipant { unit: unit(6), owner: player(2), holds: false, asked: None },
    ];
    let seen =
        SeenEncounter { tick: 4, group: 6, kind: EncounterKind::Entry, site: Site::Tile(tile(1, 2)), participants };
    let said = encounter(&grid(), &seen);
    let participants = vec![
        plunder::encounter::Participant { unit: 5, owner: 1, holds: true, asked: Some(true) },
        plunder::encounter::Participant { unit: 6, owner: 2, holds: false, asked: None },
    ];
    let site = said_site(plunder::site::Place::Hex(hex(1, 2)));
    let kind = plunder::EncounterKind::Entry.into();
    assert_eq!(said, plunder::Encounter { tick: 4, group: 6, kind, site, participants });
}

#[test]
fn a_shortfall_says_why_or_that_it_may_not() {
    for (cause, why) in causes() {
        let (subject, tick) = (Subject::Unit(unit(5)), Some(2));
        let said = shortfall(&grid(), &SeenShortfall { subject, tick, cause: Some(cause) });
        assert_eq!((said.tick, &said.cause), (Some(2), &said_cause(why)));
        assert_eq!(said.subject, said_subject(common::subject::Subject::Unit(5)));
        assert_eq!(said.text, explain(&grid(), &Shortfall { subject, tick, cause }));
    }
    let hidden = |subject, tick| shortfall(&grid(), &SeenShortfall { subject, tick, cause: None });
    let said = hidden(Subject::Unit(unit(5)), Some(2));
    assert_eq!(said.cause, None);
    assert_eq!(said.text, "Ship 5 fell short of its order in tick 2: the cause is out of sight (R14.2).");
    let said = hidden(Subject::Structure(structure(4)), None);
    assert_eq!(said.text, "Shipyard 4 fell short of its order: the cause is out of sight (R14.2).");
}

#[test]
fn the_events_of_every_case_can_be_said_to_everybody() {
    let mut fields = BTreeSet::new();
    let mut reasons = BTreeSet::new();
    for scenario in scenarios(&fogged()) {
        let (rules, before) = (scenario.rules.clone(), scenario.state.clone());
        let Ok(resolved) = scenario.resolve() else { continue };
        let grid = before.map().grid();
        let seats = before.players().iter().map(|p| Viewer::Seat(p.id));
        for viewer in seats.chain([Viewer::Spectator, Viewer::Everything]) {
            let mut witness = Witness::new(&rules, &before, viewer);
            for seen in witness.follow(&resolved.outcome.events, &mut Memory::new(grid)).events {
                let said = event(&rules, grid, &seen);
                assert_eq!(plunder::Event::decode(&said.encode_to_vec()[..]).as_ref(), Ok(&said));
                fields.insert(what_field(&said));
            }
            for seen in witness.shortfalls(&resolved.outcome.shortfalls) {
                let said = shortfall(grid, &seen);
                assert_eq!(said.cause.is_some(), seen.cause.is_some());
                assert!(said.text.ends_with('.'), "{}", said.text);
                reasons.extend(said.cause.as_ref().map(field));
            }
        }
    }
    assert!(fields.len() >= 29, "only {fields:?} came up");
    assert!(reasons.len() >= 14, "only {reasons:?} came up");
}
