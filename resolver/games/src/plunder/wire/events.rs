//! Converts events, encounters and shortfalls, with their causes.

use parley_core::grid::{Grid, Tile};
use parley_core::hex::Direction;
use parley_core::ids::{PlayerId, UnitId};
use parley_plunder::event::{Cause, ContestEnd, EncounterKind, Exchange, GoldReason, Shortfall, Site, Subject};
use parley_plunder::explain::explain;
use parley_plunder::ids::ClassId;
use parley_plunder::rules::{Rules, Stage};
use parley_plunder::view::{SeenBody, SeenEncounter, SeenEvent, SeenParticipant, SeenShortfall, SeenTurn};
use parley_proto::common::v1 as common;
use parley_proto::plunder::v1 as plunder;
use parley_proto::plunder::v1::cause::{self, Why};
use parley_proto::plunder::v1::event::{self, What};

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
    let stage = rules.stages().get(usize::from(event.stage)).map_or(plunder::Stage::Unspecified, |&row| stage(row));
    plunder::Event {
        tick: event.tick.map(u32::from),
        stage: stage.into(),
        group: event.group,
        changes: event.changes,
        after: event.after,
        what: Some(what(rules, grid, &event.body)),
    }
}

const fn stage(stage: Stage) -> plunder::Stage {
    match stage {
        Stage::Income => plunder::Stage::Income,
        Stage::ShipyardWork => plunder::Stage::ShipyardWork,
        Stage::Contests => plunder::Stage::Contests,
        Stage::Movement => plunder::Stage::Movement,
        Stage::Broadsides => plunder::Stage::Broadsides,
        Stage::Bombardment => plunder::Stage::Bombardment,
        Stage::Construction => plunder::Stage::Construction,
        Stage::Reckoning => plunder::Stage::Reckoning,
    }
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
        group: encounter.group,
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

/// What happened, without the envelope.
fn what(rules: &Rules, grid: &Grid, body: &SeenBody) -> What {
    let at = |tile: Tile| at(grid, tile);
    let why = |why: Option<Cause>| why.map(|why| cause(grid, why));
    let class = |class: ClassId| rules.class(class).key.clone();
    match *body {
        SeenBody::Gold { player, change, reason, balance } => {
            What::Gold(event::Gold { player: player_id(player), change, reason: gold_reason(reason).into(), balance })
        }
        SeenBody::Deployed { unit, structure, owner, tile } => What::Deployed(event::Deployed {
            unit: unit.get(),
            structure: structure.get(),
            owner: player_id(owner),
            hex: at(tile),
        }),
        SeenBody::Queued { structure, class: of } => {
            What::Queued(event::Queued { structure: structure.get(), class: class(of) })
        }
        SeenBody::Cancelled { structure, class: of } => {
            What::Cancelled(event::Cancelled { structure: structure.get(), class: class(of) })
        }
        SeenBody::Repaired { unit, hp } => What::Repaired(event::Repaired { unit: unit.get(), hp: hp.into() }),
        SeenBody::Upgraded { unit, upgrade: piece } => {
            What::Upgraded(event::Upgraded { unit: unit.get(), upgrade: upgrade(piece).into() })
        }
        SeenBody::Skipped { subject: whose, cause } => {
            What::Skipped(event::Skipped { subject: Some(subject(whose)), cause: why(cause) })
        }
        SeenBody::Withdrew { unit, tile } => What::Withdrew(event::Withdrew { unit: unit.get(), hex: at(tile) }),
        SeenBody::Moved { unit, from, to, .. } => {
            What::Moved(event::Moved { unit: unit.get(), from: at(from), to: at(to) })
        }
        SeenBody::GaveWay { unit, from, to, direction: way, .. } => What::GaveWay(event::GaveWay {
            unit: unit.get(),
            from: at(from),
            to: at(to),
            direction: direction(way).into(),
        }),
        SeenBody::Appeared { unit, owner, class: of, tile } => What::Appeared(event::Appeared {
            unit: unit.get(),
            owner: player_id(owner),
            class: class(of),
            hex: at(tile),
        }),
        SeenBody::Vanished { unit, from, .. } => What::Vanished(event::Vanished { unit: unit.get(), from: at(from) }),
        SeenBody::SightChanged => What::SightChanged(event::SightChanged {}),
        SeenBody::StructureSighted { structure, owner, tile } => What::StructureSighted(event::StructureSighted {
            structure: structure.get(),
            owner: owner.map(player_id),
            hex: at(tile),
        }),
        SeenBody::ContestSighted { tile, since, ref contenders } => {
            What::ContestSighted(event::ContestSighted { hex: at(tile), since, contenders: unit_ids(contenders) })
        }
        SeenBody::Waited { unit, cause, .. } => What::Waited(event::Waited { unit: unit.get(), cause: why(cause) }),
        SeenBody::Blocked { unit, cause, .. } => What::Blocked(event::Blocked { unit: unit.get(), cause: why(cause) }),
        SeenBody::Encounter { kind: how, site: place, ref units, .. } => What::Met(event::Met {
            kind: kind(how).into(),
            site: Some(site(grid, place)),
            parties: units.iter().map(party).collect(),
        }),
        SeenBody::Decided { unit, choice: chosen } => {
            What::Decided(event::Decided { unit: unit.get(), choice: choice(chosen).into() })
        }
        SeenBody::Defaulted { unit } => What::Defaulted(event::Defaulted { unit: unit.get() }),
        SeenBody::Exchanged { ref exchange, .. } => What::Exchanged(exchanged(exchange)),
        SeenBody::Sunk { unit, .. } => What::Sunk(event::Sunk { unit: unit.get() }),
        SeenBody::ContestOpened { tile, ref contenders, .. } => {
            What::ContestOpened(event::ContestOpened { hex: at(tile), contenders: unit_ids(contenders) })
        }
        SeenBody::ContestClosed { tile, end } => {
            What::ContestClosed(event::ContestClosed { hex: at(tile), end: contest_end(end).into() })
        }
        SeenBody::Bombarded { unit, structure, damage } => {
            What::Bombarded(event::Bombarded { unit: unit.get(), structure: structure.get(), damage: damage.into() })
        }
        SeenBody::Captured { structure, from, by } => {
            What::Captured(event::Captured { structure: structure.get(), from: from.map(player_id), by: player_id(by) })
        }
        SeenBody::Spawned { unit, owner, class: of, structure, tile } => What::Spawned(event::Spawned {
            unit: unit.get(),
            structure: structure.map(|structure| structure.get()),
            owner: player_id(owner),
            class: class(of),
            hex: at(tile),
        }),
        SeenBody::SpawnDelayed { structure } => What::SpawnDelayed(event::SpawnDelayed { structure: structure.get() }),
        SeenBody::Removed { unit } => What::Removed(event::Removed { unit: unit.get() }),
        SeenBody::Eliminated { player, conceded } => {
            What::Eliminated(event::Eliminated { player: player_id(player), conceded })
        }
        SeenBody::Neutralised { structure } => What::Neutralised(event::Neutralised { structure: structure.get() }),
        SeenBody::Ended { result: ref how } => What::Ended(result(how)),
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
