//! Converts events, encounters and shortfalls, with their causes.

use parley_core::grid::{Grid, Tile};
use parley_core::hex::Direction;
use parley_core::ids::{PlayerId, UnitId};
use parley_plunder::event::{Cause, ContestEnd, EncounterKind, Exchange, GoldReason, Shortfall, Site, Subject};
use parley_plunder::explain::explain;
use parley_plunder::ids::ClassId;
use parley_plunder::rules::Rules;
use parley_plunder::ruleset::SeenTurn;
use parley_plunder::view::{SeenEncounter, SeenEvent, SeenParticipant, SeenShortfall};
use parley_proto::common::v1 as common;
use parley_proto::plunder::v1 as plunder;
use parley_proto::plunder::v1::cause::{self, Why};
use parley_proto::plunder::v1::event::{self, What};

use super::view::unit;
use super::{at, choice, hex, player_id, result, subject, unit_ids, upgrade};

/// Converts what a viewer saw of a turn.
pub fn news(rules: &Rules, grid: &Grid, seen: &SeenTurn) -> plunder::TurnNews {
    plunder::TurnNews {
        events: seen.events.iter().map(|seen| event(rules, grid, seen)).collect(),
        shortfalls: seen.shortfalls.iter().map(|seen| shortfall(grid, seen)).collect(),
        encounters: Vec::new(),
    }
}

/// Converts an event.
pub fn event(rules: &Rules, grid: &Grid, event: &SeenEvent) -> plunder::Event {
    plunder::Event { tick: tick(event).map(u32::from), what: Some(what(rules, grid, event)) }
}

/// Converts an encounter in a tick in which the viewer is asked.
pub fn encounter(grid: &Grid, encounter: &SeenEncounter) -> plunder::Encounter {
    let participant = |p: &SeenParticipant| plunder::encounter::Participant {
        unit: p.unit.get(),
        owner: player_id(p.owner),
        holds: p.holds,
        asked: p.asked,
    };
    plunder::Encounter {
        tick: encounter.tick.into(),
        kind: kind(encounter.kind).into(),
        site: Some(site(grid, encounter.site)),
        participants: encounter.participants.iter().map(participant).collect(),
    }
}

/// Converts an order or route of the viewer that did not do all it asked, with a sentence that says so.
pub fn shortfall(grid: &Grid, shortfall: &SeenShortfall) -> plunder::Shortfall {
    let SeenShortfall { subject: whose, tick, cause: why } = *shortfall;
    let text = match why {
        Some(cause) => explain(grid, &Shortfall { subject: whose, tick, cause }),
        None => unexplained(whose, tick),
    };
    plunder::Shortfall {
        subject: Some(subject(whose)),
        tick: tick.map(u32::from),
        cause: why.map(|why| cause(grid, why)),
        text,
    }
}

/// The sentence where the cause itself is out of sight.
fn unexplained(whose: Subject, tick: Option<u8>) -> String {
    let when = tick.map(|tick| format!(" in tick {tick}")).unwrap_or_default();
    match whose {
        Subject::Unit(unit) => format!("Ship {unit} fell short of its order{when}: the cause is out of sight (R14.2)."),
        Subject::Structure(structure) => {
            format!("Shipyard {structure} fell short of its order{when}: the cause is out of sight (R14.2).")
        }
    }
}

fn tick(event: &SeenEvent) -> Option<u8> {
    match *event {
        SeenEvent::Moved { tick, .. }
        | SeenEvent::GaveWay { tick, .. }
        | SeenEvent::Vanished { tick, .. }
        | SeenEvent::Waited { tick, .. }
        | SeenEvent::Blocked { tick, .. }
        | SeenEvent::Encounter { tick, .. }
        | SeenEvent::Decided { tick, .. }
        | SeenEvent::Exchanged { tick, .. }
        | SeenEvent::Sunk { tick, .. }
        | SeenEvent::ContestOpened { tick, .. } => Some(tick),
        SeenEvent::Appeared { tick, .. } | SeenEvent::SightChanged { tick, .. } => tick,
        SeenEvent::Gold { .. }
        | SeenEvent::Deployed { .. }
        | SeenEvent::Queued { .. }
        | SeenEvent::Cancelled { .. }
        | SeenEvent::Repaired { .. }
        | SeenEvent::Upgraded { .. }
        | SeenEvent::Skipped { .. }
        | SeenEvent::Withdrew { .. }
        | SeenEvent::StructureSighted { .. }
        | SeenEvent::ContestSighted { .. }
        | SeenEvent::ContestClosed { .. }
        | SeenEvent::Bombarded { .. }
        | SeenEvent::Captured { .. }
        | SeenEvent::Spawned { .. }
        | SeenEvent::SpawnDelayed { .. }
        | SeenEvent::Removed { .. }
        | SeenEvent::Eliminated { .. }
        | SeenEvent::Neutralised { .. }
        | SeenEvent::Ended { .. } => None,
    }
}

/// Everything of an event but its tick.
fn what(rules: &Rules, grid: &Grid, event: &SeenEvent) -> What {
    let at = |tile: Tile| at(grid, tile);
    let why = |why: Option<Cause>| why.map(|why| cause(grid, why));
    let class = |class: ClassId| rules.class(class).key.clone();
    match *event {
        SeenEvent::Gold { player, change, reason, balance } => {
            What::Gold(event::Gold { player: player_id(player), change, reason: gold_reason(reason).into(), balance })
        }
        SeenEvent::Deployed { unit, structure, owner, tile } => What::Deployed(event::Deployed {
            unit: unit.get(),
            structure: structure.get(),
            owner: player_id(owner),
            hex: at(tile),
        }),
        SeenEvent::Queued { structure, class: of } => {
            What::Queued(event::Queued { structure: structure.get(), class: class(of) })
        }
        SeenEvent::Cancelled { structure, class: of } => {
            What::Cancelled(event::Cancelled { structure: structure.get(), class: class(of) })
        }
        SeenEvent::Repaired { unit, hp } => What::Repaired(event::Repaired { unit: unit.get(), hp: hp.into() }),
        SeenEvent::Upgraded { unit, upgrade: piece } => {
            What::Upgraded(event::Upgraded { unit: unit.get(), upgrade: upgrade(piece).into() })
        }
        SeenEvent::Skipped { subject: whose, cause } => {
            What::Skipped(event::Skipped { subject: Some(subject(whose)), cause: why(cause) })
        }
        SeenEvent::Withdrew { unit, tile } => What::Withdrew(event::Withdrew { unit: unit.get(), hex: at(tile) }),
        SeenEvent::Moved { unit, from, to, .. } => {
            What::Moved(event::Moved { unit: unit.get(), from: at(from), to: at(to) })
        }
        SeenEvent::GaveWay { unit, from, to, direction: way, .. } => What::GaveWay(event::GaveWay {
            unit: unit.get(),
            from: at(from),
            to: at(to),
            direction: direction(way).into(),
        }),
        SeenEvent::Appeared { unit: ref seen, .. } => {
            What::Appeared(event::Appeared { unit: Some(unit(rules, grid, seen)) })
        }
        SeenEvent::Vanished { unit, from, .. } => What::Vanished(event::Vanished { unit: unit.get(), from: at(from) }),
        SeenEvent::SightChanged { ref gained, ref lost, .. } => What::SightChanged(sight_changed(grid, gained, lost)),
        SeenEvent::StructureSighted { structure, owner, tile } => What::StructureSighted(event::StructureSighted {
            structure: structure.get(),
            owner: owner.map(player_id),
            hex: at(tile),
        }),
        SeenEvent::ContestSighted { tile, since, ref contenders } => {
            What::ContestSighted(event::ContestSighted { hex: at(tile), since, contenders: unit_ids(contenders) })
        }
        SeenEvent::Waited { unit, cause, .. } => What::Waited(event::Waited { unit: unit.get(), cause: why(cause) }),
        SeenEvent::Blocked { unit, cause, .. } => What::Blocked(event::Blocked { unit: unit.get(), cause: why(cause) }),
        SeenEvent::Encounter { kind: how, site: place, ref units, .. } => What::Met(event::Met {
            kind: kind(how).into(),
            site: Some(site(grid, place)),
            parties: units.iter().map(party).collect(),
        }),
        SeenEvent::Decided { unit, choice: chosen, defaulted, .. } => {
            What::Decided(event::Decided { unit: unit.get(), choice: choice(chosen).into(), defaulted })
        }
        SeenEvent::Exchanged { ref exchange, .. } => What::Exchanged(exchanged(exchange)),
        SeenEvent::Sunk { unit, .. } => What::Sunk(event::Sunk { unit: unit.get() }),
        SeenEvent::ContestOpened { tile, ref contenders, .. } => {
            What::ContestOpened(event::ContestOpened { hex: at(tile), contenders: unit_ids(contenders) })
        }
        SeenEvent::ContestClosed { tile, end } => {
            What::ContestClosed(event::ContestClosed { hex: at(tile), end: contest_end(end).into() })
        }
        SeenEvent::Bombarded { unit, structure, damage } => {
            What::Bombarded(event::Bombarded { unit: unit.get(), structure: structure.get(), damage: damage.into() })
        }
        SeenEvent::Captured { structure, from, by } => {
            What::Captured(event::Captured { structure: structure.get(), from: from.map(player_id), by: player_id(by) })
        }
        SeenEvent::Spawned { unit: ref seen, structure } => What::Spawned(event::Spawned {
            unit: Some(unit(rules, grid, seen)),
            structure: structure.map(|structure| structure.get()),
        }),
        SeenEvent::SpawnDelayed { structure } => What::SpawnDelayed(event::SpawnDelayed { structure: structure.get() }),
        SeenEvent::Removed { unit } => What::Removed(event::Removed { unit: unit.get() }),
        SeenEvent::Eliminated { player, conceded } => {
            What::Eliminated(event::Eliminated { player: player_id(player), conceded })
        }
        SeenEvent::Neutralised { structure } => What::Neutralised(event::Neutralised { structure: structure.get() }),
        SeenEvent::Ended { result: ref how } => What::Ended(result(how)),
    }
}

fn sight_changed(grid: &Grid, gained: &[(Tile, u8)], lost: &[Tile]) -> event::SightChanged {
    let sighting = |&(tile, terrain): &(Tile, u8)| event::Sighting { hex: at(grid, tile), terrain: terrain.into() };
    event::SightChanged {
        gained: gained.iter().map(sighting).collect(),
        lost: lost.iter().map(|&tile| hex(grid.hex(tile))).collect(),
    }
}

fn party(&(unit, owner): &(UnitId, PlayerId)) -> event::Party {
    event::Party { unit: unit.get(), owner: player_id(owner) }
}

fn exchanged(exchange: &Exchange) -> event::Exchanged {
    event::Exchanged {
        attacker: exchange.attacker.get(),
        defender: exchange.defender.get(),
        attacker_dice: exchange.attacker_dice.map(u32::from).to_vec(),
        defender_dice: exchange.defender_dice.map(u32::from).to_vec(),
        attacker_loses: exchange.attacker_loses.into(),
        defender_loses: exchange.defender_loses.into(),
    }
}

fn cause(grid: &Grid, cause: Cause) -> plunder::Cause {
    let why = match cause {
        Cause::Contested { tile } => Why::Contested(hex(grid.hex(tile))),
        Cause::ClosedHarbor { structure } => Why::ClosedHarbor(structure.get()),
        Cause::WaitedFor { unit } => Why::WaitedFor(unit.get()),
        Cause::WaitedForPassing { unit } => Why::WaitedForPassing(unit.get()),
        Cause::Halted { kind: how, site: place, choice: chosen } => Why::Halted(cause::Halted {
            kind: kind(how).into(),
            site: Some(site(grid, place)),
            choice: choice(chosen).into(),
        }),
        Cause::NoRoomToCross { unit } => Why::NoRoomToCross(unit.get()),
        Cause::Sunk => Why::Sunk(cause::Sunk {}),
        Cause::Contending => Why::Contending(cause::Contending {}),
        Cause::Unpaid { cost, gold } => Why::Unpaid(cause::Unpaid { cost, gold }),
        Cause::FleetFull => Why::FleetFull(cause::FleetFull {}),
        Cause::ShipyardsFull => Why::ShipyardsFull(cause::ShipyardsFull {}),
        Cause::HarborTaken => Why::HarborTaken(cause::HarborTaken {}),
        Cause::OutOfReach => Why::OutOfReach(cause::OutOfReach {}),
        Cause::NoTarget => Why::NoTarget(cause::NoTarget {}),
        Cause::FoughtAlready => Why::FoughtAlready(cause::FoughtAlready {}),
        Cause::BroadsidesOff => Why::BroadsidesOff(cause::BroadsidesOff {}),
    };
    plunder::Cause { why: Some(why) }
}

fn site(grid: &Grid, site: Site) -> plunder::Site {
    let place = match site {
        Site::Tile(tile) => plunder::site::Place::Hex(hex(grid.hex(tile))),
        Site::Edge(a, b) => plunder::site::Place::Edge(plunder::Edge { first: at(grid, a), second: at(grid, b) }),
    };
    plunder::Site { place: Some(place) }
}

fn kind(kind: EncounterKind) -> plunder::EncounterKind {
    match kind {
        EncounterKind::Passing => plunder::EncounterKind::Passing,
        EncounterKind::Entry => plunder::EncounterKind::Entry,
    }
}

fn direction(direction: Direction) -> common::Direction {
    match direction {
        Direction::E => common::Direction::East,
        Direction::NE => common::Direction::NorthEast,
        Direction::NW => common::Direction::NorthWest,
        Direction::W => common::Direction::West,
        Direction::SW => common::Direction::SouthWest,
        Direction::SE => common::Direction::SouthEast,
    }
}

fn gold_reason(reason: GoldReason) -> plunder::GoldReason {
    match reason {
        GoldReason::Income => plunder::GoldReason::Income,
        GoldReason::DeployShipyard => plunder::GoldReason::DeployShipyard,
        GoldReason::Build => plunder::GoldReason::Build,
        GoldReason::CancelBuild => plunder::GoldReason::CancelBuild,
        GoldReason::Repair => plunder::GoldReason::Repair,
        GoldReason::Upgrade => plunder::GoldReason::Upgrade,
        GoldReason::Salvage => plunder::GoldReason::Salvage,
    }
}

fn contest_end(end: ContestEnd) -> plunder::ContestEnd {
    match end {
        ContestEnd::Claimed => plunder::ContestEnd::Claimed,
        ContestEnd::Emptied => plunder::ContestEnd::Emptied,
        ContestEnd::Expired => plunder::ContestEnd::Expired,
    }
}
