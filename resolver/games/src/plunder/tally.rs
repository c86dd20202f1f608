//! What happened in a turn in numbers, for those who count turns and trace them.

use std::collections::BTreeMap;

use parley_plunder::event::{Body, EncounterKind, Event};

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

/// A fight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Combat {
    /// The tick of the fight.
    pub tick: u8,
    /// The number of its group among those of the turn: an encounter, the round of a contest, or the first broadside.
    pub group: i64,
    /// What kind of fight it was.
    pub kind: &'static str,
    /// How many exchanges it had.
    pub exchanges: i64,
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
pub fn counts(events: &[Event]) -> Counts {
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
pub fn ticks(events: &[Event]) -> Vec<TickCounts> {
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
            ticks.push(TickCounts { tick, moves: 0, encounters: 0 });
            ticks.len() - 1
        });
        match event.body {
            Body::Moved { .. } => ticks[place].moves += 1,
            Body::Encounter { .. } => ticks[place].encounters += 1,
            _ => {}
        }
    }
    ticks
}

/// The fights of a turn, in order. All broadsides are one, because a turn can have as many of them as ships.
pub fn combats(events: &[Event]) -> Vec<Combat> {
    let mut combats: Vec<Combat> = Vec::new();
    let mut meetings = Meetings::default();
    for event in events {
        meetings.note(event);
        let (Some(tick), Body::Exchanged { .. }) = (event.tick, &event.body) else { continue };
        let (group, kind) = (i64::from(event.group), meetings.kind_of(event));
        let goes_on = |combat: &&mut Combat| combat.group == group || tick == BROADSIDES && combat.tick == tick;
        match combats.last_mut().filter(goes_on) {
            Some(combat) => combat.exchanges += 1,
            None => combats.push(Combat { tick, group, kind: kind.word(), exchanges: 1 }),
        }
    }
    combats
}
