//! What happened in a turn in numbers, for those who count turns and trace them.

use parley_core::ids::UnitId;
use parley_plunder::event::{EncounterKind, Event};

/// The tick of contests, which comes before all others.
const CONTESTS: u8 = 0;
/// The tick of broadsides, which comes after all others.
const BROADSIDES: u8 = 255;

/// How often things happened in a turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Encounters of ships that wanted to pass each other.
    pub passings: u64,
    /// Encounters of ships that wanted the same tile.
    pub entries: u64,
    /// Decisions that somebody gave.
    pub answered: u64,
    /// Decisions that nobody gave.
    pub defaulted: u64,
    /// Exchanges of ships that wanted to pass each other.
    pub passing_combats: u64,
    /// Exchanges of ships that wanted the same tile.
    pub entry_combats: u64,
    /// Exchanges on contested tiles.
    pub contest_combats: u64,
    /// Exchanges of broadsides.
    pub broadside_combats: u64,
}

/// What happened in a tick, in numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TickCounts {
    /// The number of the tick.
    pub tick: u8,
    /// How many ships moved.
    pub moves: i64,
    /// How many encounters there were.
    pub encounters: i64,
}

/// A fight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Combat {
    /// The tick of the fight.
    pub tick: u8,
    /// The encounter that it was about, counted from 1 in its turn.
    pub encounter: Option<i64>,
    /// What kind of fight it was.
    pub kind: &'static str,
    /// How many exchanges it had.
    pub exchanges: i64,
}

/// Counts what happened in a turn.
pub fn counts(events: &[Event]) -> Counts {
    let mut counts = Counts::default();
    let mut met: Vec<(u8, UnitId, EncounterKind)> = Vec::new();
    for event in events {
        match event {
            Event::Encounter { tick, kind, units, .. } => {
                met.extend(units.iter().map(|unit| (*tick, *unit, *kind)));
                match kind {
                    EncounterKind::Passing => counts.passings += 1,
                    EncounterKind::Entry => counts.entries += 1,
                }
            }
            Event::Decided { defaulted: true, .. } => counts.defaulted += 1,
            Event::Decided { defaulted: false, .. } => counts.answered += 1,
            Event::Exchanged { tick: CONTESTS, .. } => counts.contest_combats += 1,
            Event::Exchanged { tick: BROADSIDES, .. } => counts.broadside_combats += 1,
            Event::Exchanged { tick, exchange } => {
                let of = met.iter().rev().find(|(at, unit, _)| at == tick && *unit == exchange.attacker);
                match of.map(|(.., kind)| kind) {
                    Some(EncounterKind::Passing) => counts.passing_combats += 1,
                    _ => counts.entry_combats += 1,
                }
            }
            _ => {}
        }
    }
    counts
}

/// The ticks in which something happened, in order.
pub fn ticks(events: &[Event]) -> Vec<TickCounts> {
    let mut ticks: Vec<TickCounts> = Vec::new();
    for event in events {
        let (Event::Moved { tick, .. }
        | Event::GaveWay { tick, .. }
        | Event::Waited { tick, .. }
        | Event::Blocked { tick, .. }
        | Event::Encounter { tick, .. }
        | Event::Exchanged { tick, .. }) = *event
        else {
            continue;
        };
        let place = ticks.iter().position(|known| known.tick == tick).unwrap_or_else(|| {
            ticks.push(TickCounts { tick, moves: 0, encounters: 0 });
            ticks.len() - 1
        });
        match event {
            Event::Moved { .. } => ticks[place].moves += 1,
            Event::Encounter { .. } => ticks[place].encounters += 1,
            _ => {}
        }
    }
    ticks
}

/// The fights of a turn, in order.
pub fn combats(events: &[Event]) -> Vec<Combat> {
    let mut combats: Vec<Combat> = Vec::new();
    let mut met: Vec<(u8, UnitId, i64, EncounterKind)> = Vec::new();
    let mut encounters = 0;
    for event in events {
        match event {
            Event::Encounter { tick, kind, units, .. } => {
                encounters += 1;
                met.extend(units.iter().map(|unit| (*tick, *unit, encounters, *kind)));
            }
            Event::Exchanged { tick, exchange } => {
                let of = met.iter().rev().find(|(at, unit, ..)| at == tick && *unit == exchange.attacker);
                let encounter = of.map(|(_, _, number, _)| *number);
                let kind = match (*tick, of.map(|(.., kind)| kind)) {
                    (CONTESTS, _) => "contest",
                    (BROADSIDES, _) => "broadside",
                    (_, Some(EncounterKind::Passing)) => "passing",
                    (_, _) => "entry",
                };
                match combats.iter_mut().find(|combat| combat.tick == *tick && combat.encounter == encounter) {
                    Some(combat) => combat.exchanges += 1,
                    None => combats.push(Combat { tick: *tick, encounter, kind, exchanges: 1 }),
                }
            }
            _ => {}
        }
    }
    combats
}
