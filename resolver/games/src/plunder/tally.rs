//! What happened in a turn in numbers, for those who count turns and trace them.

use std::collections::BTreeMap;

use parley_plunder::event::{Body, EncounterKind, Event};

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

/// What kind of fight there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CombatKind {
    /// Ships that wanted to pass each other.
    Passing,
    /// Ships that wanted the same tile.
    Entry,
    /// A round on a contested tile.
    Contest,
    /// An exchange of broadsides.
    Broadside,
}

impl CombatKind {
    const fn word(self) -> &'static str {
        match self {
            Self::Passing => "passing",
            Self::Entry => "entry",
            Self::Contest => "contest",
            Self::Broadside => "broadside",
        }
    }
}

/// What kinds of encounters the groups of a turn began with, by group.
#[derive(Default)]
struct Meetings(BTreeMap<u32, EncounterKind>);

impl Meetings {
    fn note(&mut self, event: &Event) {
        if let Body::Encounter { kind, .. } = event.body {
            self.0.insert(event.group, kind);
        }
    }

    /// What a fight is about: an encounter, a contested tile, or nothing but broadsides.
    fn kind_of(&self, event: &Event) -> CombatKind {
        match (event.tick, self.0.get(&event.group)) {
            (Some(CONTESTS), _) => CombatKind::Contest,
            (Some(BROADSIDES), _) => CombatKind::Broadside,
            (_, Some(EncounterKind::Passing)) => CombatKind::Passing,
            (_, _) => CombatKind::Entry,
        }
    }
}

/// Counts what happened in a turn.
fn count(events: &[Event]) -> Counts {
    let mut counts = Counts::default();
    let mut meetings = Meetings::default();
    for event in events {
        meetings.note(event);
        match event.body {
            Body::Encounter { kind: EncounterKind::Passing, .. } => counts.passings += 1,
            Body::Encounter { kind: EncounterKind::Entry, .. } => counts.entries += 1,
            Body::Decided { defaulted: true, .. } => counts.defaulted += 1,
            Body::Decided { defaulted: false, .. } => counts.answered += 1,
            Body::Exchanged { .. } => match meetings.kind_of(event) {
                CombatKind::Contest => counts.contest_combats += 1,
                CombatKind::Broadside => counts.broadside_combats += 1,
                CombatKind::Passing => counts.passing_combats += 1,
                CombatKind::Entry => counts.entry_combats += 1,
            },
            _ => {}
        }
    }
    counts
}

/// The ticks in which something happened, in order.
fn ticks(events: &[Event]) -> Vec<TickCounts> {
    let mut ticks: Vec<TickCounts> = Vec::new();
    for event in events {
        let (
            Some(tick),
            Body::Moved { .. }
            | Body::GaveWay { .. }
            | Body::Waited { .. }
            | Body::Blocked { .. }
            | Body::Encounter { .. }
            | Body::Exchanged { .. },
        ) = (event.tick, &event.body)
        else {
            continue;
        };
        let place = ticks.iter().position(|known| known.tick == tick).unwrap_or_else(|| {
            ticks.push(TickCounts { tick, numbers: [("parley.moves", 0), (ENCOUNTERS, 0)] });
            ticks.len() - 1
        });
        match event.body {
            Body::Moved { .. } => ticks[place].numbers[0].1 += 1,
            Body::Encounter { .. } => ticks[place].numbers[1].1 += 1,
            _ => {}
        }
    }
    ticks
}

/// The fights of a turn, in order. All broadsides are one, because a turn can have as many of them as ships.
fn combats(events: &[Event]) -> Vec<GroupCounts> {
    let mut combats: Vec<GroupCounts> = Vec::new();
    let mut meetings = Meetings::default();
    for event in events {
        meetings.note(event);
        let (Some(tick), Body::Exchanged { .. }) = (event.tick, &event.body) else { continue };
        let (group, kind) = (i64::from(event.group), meetings.kind_of(event));
        let goes_on =
            |combat: &&mut GroupCounts| combat.numbers[0].1 == group || tick == BROADSIDES && combat.tick == tick;
        match combats.last_mut().filter(goes_on) {
            Some(combat) => combat.numbers[1].1 += 1,
            None => combats.push(GroupCounts {
                tick,
                name: "turn.combat",
                kind: ("parley.combat", kind.word()),
                numbers: [("parley.group", group), ("parley.exchanges", 1)],
            }),
        }
    }
    combats
}
