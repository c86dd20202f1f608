//! What happened in a turn in numbers, for those who count turns and trace them.

use parley_core::ids::UnitId;
use parley_plunder::event::{EncounterKind, Event};

use crate::hosted::{Counter, GroupCounts, Labels, TickCounts, TurnCounts};

/// The tick of contests, which comes before all others.
const CONTESTS: u8 = 0;
/// The tick of broadsides, which comes after all others.
const BROADSIDES: u8 = 255;

/// The attribute of a span that says how many encounters something has.
const ENCOUNTERS: &str = "parley.encounters";

/// What things of the game are called where turns are counted and traced. The counters are in the order of [`counts`].
pub(super) const LABELS: Labels = Labels {
    units: "parley.ships",
    groups: ENCOUNTERS,
    counters: &[
        Counter { name: "parley_encounters_total", label: ("kind", "passing") },
        Counter { name: "parley_encounters_total", label: ("kind", "entry") },
        Counter { name: "parley_decisions_total", label: ("how", "answered") },
        Counter { name: "parley_decisions_total", label: ("how", "defaulted") },
        Counter { name: "parley_combats_total", label: ("kind", "passing") },
        Counter { name: "parley_combats_total", label: ("kind", "entry") },
        Counter { name: "parley_combats_total", label: ("kind", "contest") },
        Counter { name: "parley_combats_total", label: ("kind", "broadside") },
    ],
};

/// How often things happened in a turn, each with the name of its counter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    passings: u64,
    entries: u64,
    answered: u64,
    defaulted: u64,
    passing_combats: u64,
    entry_combats: u64,
    contest_combats: u64,
    broadside_combats: u64,
}

/// Counts what happened in a turn, in the order of the counters of [`LABELS`].
pub(super) fn counts(events: &[Event]) -> Vec<u64> {
    let Counts {
        passings,
        entries,
        answered,
        defaulted,
        passing_combats,
        entry_combats,
        contest_combats,
        broadside_combats,
    } = count(events);
    let combats = [passing_combats, entry_combats, contest_combats, broadside_combats];
    [&[passings, entries, answered, defaulted], &combats[..]].concat()
}

/// The ticks and the fights of a turn, or of a part of it.
pub(super) fn course(events: &[Event]) -> TurnCounts {
    TurnCounts { ticks: ticks(events), groups: combats(events) }
}

/// Counts what happened in a turn.
fn count(events: &[Event]) -> Counts {
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
fn ticks(events: &[Event]) -> Vec<TickCounts> {
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
            ticks.push(TickCounts { tick, numbers: [("parley.moves", 0), (ENCOUNTERS, 0)] });
            ticks.len() - 1
        });
        match event {
            Event::Moved { .. } => ticks[place].numbers[0].1 += 1,
            Event::Encounter { .. } => ticks[place].numbers[1].1 += 1,
            _ => {}
        }
    }
    ticks
}

/// The fights of a turn, in order.
fn combats(events: &[Event]) -> Vec<GroupCounts> {
    let mut combats: Vec<GroupCounts> = Vec::new();
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
                let is_it = |combat: &&mut GroupCounts| combat.tick == *tick && combat.numbers[0].1 == encounter;
                match combats.iter_mut().find(is_it) {
                    Some(combat) => combat.numbers[1].1 = combat.numbers[1].1.map(|exchanges| exchanges + 1),
                    None => combats.push(GroupCounts {
                        tick: *tick,
                        name: "turn.combat",
                        kind: ("parley.combat", kind),
                        numbers: [("parley.encounter", encounter), ("parley.exchanges", Some(1))],
                    }),
                }
            }
            _ => {}
        }
    }
    combats
}
