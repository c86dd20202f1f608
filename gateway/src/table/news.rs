//! What viewers are told, each as far as they may know (R14).

use parley_proto::v1;
use parley_proto::v1::news::What;
use parley_resolver::event::{Event, Shortfall};
use parley_resolver::state::State;
use parley_resolver::view::{self, Memory, SeenEvent, SeenShortfall, Viewer, Witness};

use super::{Game, Place, Table};
use crate::trace::trace_of;
use parley_bots::convert;

/// A turn as a seat in fog lived through it.
#[derive(Clone, Debug)]
pub struct Told {
    /// The events that it saw.
    pub events: Vec<SeenEvent>,
    /// Why its own orders fell short.
    pub shortfalls: Vec<SeenShortfall>,
}

impl Told {
    fn in_words(&self, table: &Table) -> (Vec<v1::Event>, Vec<v1::Shortfall>) {
        let (rules, grid) = (&table.setup.rules, table.setup.map.grid());
        let events = self.events.iter().map(|event| convert::event(rules, grid, event)).collect();
        (events, self.shortfalls.iter().map(|shortfall| convert::shortfall(grid, shortfall)).collect())
    }
}

/// Something that happened to a match.
pub enum Happening<'a> {
    /// The seat with this number was taken or given back.
    SeatsChanged(usize),
    /// The first turn can be planned.
    Opened,
    /// A player has locked in.
    LocksChanged,
    /// Ships met, and the open window waits for answers.
    Asked,
    /// A turn is resolved.
    Resolved {
        /// The state that it was planned in.
        before: &'a State,
        /// What happened, in order.
        events: &'a [Event],
        /// Orders that fell short, and why.
        shortfalls: &'a [Shortfall],
        /// With fog, what each seat lived through.
        told: &'a [Told],
    },
    /// The deadline has another time.
    DeadlineChanged,
    /// The match was stopped.
    Stopped,
}

impl Happening<'_> {
    /// The turn that was resolved, where everybody is told the same of it.
    pub fn turn_alike_for_all(&self, table: &Table) -> Option<u32> {
        match self {
            Self::Resolved { before, events, shortfalls: [], .. } => {
                (!table.setup.rules.fog() && view::are_alike(events)).then(|| before.turn())
            }
            _ => None,
        }
    }

    /// Whether a viewer is told of it. Of a turn that waits only those learn who are asked: for the others it may wait
    /// because of what they must not know, and they are told the whole turn when it is over.
    pub fn concerns(&self, table: &Table, place: Place) -> bool {
        match self {
            Self::SeatsChanged(_) | Self::Opened | Self::Resolved { .. } | Self::Stopped => true,
            Self::LocksChanged => table.setup.settings.lock_disclosure() != v1::LockDisclosure::None,
            // Whoever plans knows the deadline, and whoever is asked.
            Self::DeadlineChanged if table.tick() == 0 => true,
            Self::Asked | Self::DeadlineChanged => {
                match (place.viewer(), table.game.as_ref().and_then(|game| game.window.as_ref())) {
                    (Viewer::Seat(seat), Some(window)) => window.asks(seat),
                    _ => false,
                }
            }
        }
    }
}

/// What a viewer is told of a happening. The views of new turns are added where they are asked for.
pub fn project(table: &Table, place: Place, happening: &Happening<'_>) -> What {
    match happening {
        Happening::SeatsChanged(seat) => What::SeatsChanged(seats_changed(table, *seat)),
        Happening::Opened => What::TurnOpened(opened(table)),
        Happening::LocksChanged => What::LocksChanged(locks_changed(table)),
        Happening::Asked => What::Prompt(table.prompt(place).unwrap_or_default()),
        Happening::Resolved { before, events, shortfalls, told } => {
            What::Outcome(outcome(table, place, before, events, shortfalls, told))
        }
        Happening::DeadlineChanged => What::DeadlineChanged(v1::DeadlineChanged {
            turn: table.turn(),
            tick: table.tick(),
            deadline_ms: table.deadline_ms().unwrap_or(0),
        }),
        Happening::Stopped => {
            What::MatchStopped(v1::MatchStopped { reason: table.stopped.clone().unwrap_or_default() })
        }
    }
}

/// A turn with nothing hidden: only for a match that is over. `None` for what is not a turn.
pub fn retell(table: &Table, happening: &Happening<'_>) -> Option<(Vec<v1::Event>, Vec<v1::Shortfall>)> {
    let Happening::Resolved { before, events, shortfalls, .. } = happening else { return None };
    Some(live_through(table, Viewer::Everything, before, events, shortfalls).in_words(table))
}

fn seats_changed(table: &Table, number: usize) -> v1::SeatsChanged {
    let seat = table.seats.get(number);
    let change =
        seat.map(|seat| v1::SeatChange { seat: number as u32, taken: seat.is_taken(), name: seat.name.clone() });
    v1::SeatsChanged { seats: change.into_iter().collect() }
}

fn opened(table: &Table) -> v1::TurnOpened {
    v1::TurnOpened { turn: table.turn(), deadline_ms: table.deadline_ms().unwrap_or(0), view: None }
}

fn locks_changed(table: &Table) -> v1::LocksChanged {
    let sheets = table.game.as_ref().map_or(&[][..], |game| &game.sheets);
    let locked = || (0..).zip(sheets).filter(|(_, sheet)| sheet.is_locked()).map(|(seat, _)| seat);
    let who = table.setup.settings.lock_disclosure() == v1::LockDisclosure::Who;
    v1::LocksChanged {
        turn: table.turn(),
        count: locked().count() as u32,
        seats: if who { locked().collect() } else { Vec::new() },
    }
}

fn outcome(
    table: &Table,
    place: Place,
    before: &State,
    events: &[Event],
    shortfalls: &[Shortfall],
    told: &[Told],
) -> v1::Outcome {
    let lived;
    let told = match place {
        Place::Seat(seat) if table.setup.rules.fog() => &told[usize::from(seat)],
        _ => {
            lived = live_through(table, place.viewer(), before, events, shortfalls);
            &lived
        }
    };
    let over = table.is_over();
    let (events, shortfalls) = told.in_words(table);
    v1::Outcome {
        turn: before.turn(),
        events,
        shortfalls,
        next: (!over).then(|| opened(table)),
        ended: over.then(|| ended(table)),
        trace_id: trace_of(table.setup.id.0, before.turn()).to_vec().into(),
    }
}

/// A turn for a viewer from whom fog hides nothing, or everything.
fn live_through(table: &Table, viewer: Viewer, before: &State, events: &[Event], shortfalls: &[Shortfall]) -> Told {
    let mut witness = Witness::new(&table.setup.rules, before, viewer);
    // Memory is of tiles that fog hides, and here is no fog, or nobody who could lift it.
    let events = witness.follow(events, &mut Memory::new(before.map().grid()));
    Told { events, shortfalls: witness.shortfalls(shortfalls) }
}

fn ended(table: &Table) -> v1::MatchEnded {
    let game = table.game.as_ref();
    v1::MatchEnded {
        result: game.and_then(|game| game.state.result()).map(convert::result),
        secret: table.setup.secret.0.to_vec().into(),
        digest: game.map(|game| game.digest.as_bytes().to_vec().into()).unwrap_or_default(),
    }
}

impl Table {
    /// What a seat is asked in the open window.
    pub fn prompt(&self, place: Place) -> Option<v1::Prompt> {
        let Viewer::Seat(seat) = place.viewer() else { return None };
        let game = self.game.as_ref()?;
        let window = game.window.as_ref().filter(|window| window.asks(seat))?;
        let rules = &self.setup.rules;
        let grid = game.state.map().grid();
        let mut witness = Witness::new(rules, &game.state, place.viewer());
        let mut memory = game.memory(place).cloned().unwrap_or_else(|| Memory::new(grid));
        let events = witness.follow(window.resolution.events(), &mut memory);
        let encounters = witness.encounters(&window.awaiting);
        Some(v1::Prompt {
            turn: self.turn(),
            tick: window.tick(),
            events: events.iter().map(|event| convert::event(rules, grid, event)).collect(),
            encounters: encounters.iter().map(|encounter| convert::encounter(grid, encounter)).collect(),
            deadline_ms: self.deadline_ms().unwrap_or(0),
        })
    }

    /// What a viewer sees of the state that the turn is planned in.
    pub fn view(&self, place: Place) -> Option<v1::View> {
        let game = self.game.as_ref()?;
        let blank;
        let memory = match game.memory(place) {
            Some(memory) => memory,
            None => {
                blank = Memory::new(game.state.map().grid());
                &blank
            }
        };
        let view = view::snapshot(&self.setup.rules, &game.state, place.viewer(), memory);
        Some(convert::view(&self.setup.rules, &view))
    }

    /// The state that the turn is planned in, with nothing hidden: only for a match that is over.
    pub fn view_of_everything(&self) -> Option<v1::View> {
        let game = self.game.as_ref()?;
        let memory = Memory::new(game.state.map().grid());
        let view = view::snapshot(&self.setup.rules, &game.state, Viewer::Everything, &memory);
        Some(convert::view(&self.setup.rules, &view))
    }
}

impl Game {
    /// With fog, the tiles that a seat knows.
    pub fn memory(&self, place: Place) -> Option<&Memory> {
        match place {
            Place::Seat(seat) => self.memories.get(usize::from(seat)),
            Place::Spectators => None,
        }
    }
}
