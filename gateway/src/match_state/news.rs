//! What viewers are told, each as far as they may know (R14).

use parley_core::sight::Memory;
use parley_games::plunder::wire;
use parley_plunder::event::{Event, Shortfall};
use parley_plunder::state::State;
use parley_plunder::view::{self, SeenEvent, SeenShortfall, Viewer, Witness};
use parley_proto::v1;
use parley_proto::v1::news::What;

use super::{Game, MatchState, Place};
use crate::trace::trace_of;

/// A turn as a seat in fog saw it.
#[derive(Clone, Debug)]
pub struct SeenTurn {
    /// The events that it saw.
    pub events: Vec<SeenEvent>,
    /// Why its own orders fell short.
    pub shortfalls: Vec<SeenShortfall>,
}

impl SeenTurn {
    fn to_wire(&self, match_state: &MatchState) -> (Vec<v1::Event>, Vec<v1::Shortfall>) {
        let (rules, grid) = (&match_state.setup.rules, match_state.setup.map.grid());
        let events = self.events.iter().map(|event| wire::event(rules, grid, event)).collect();
        (events, self.shortfalls.iter().map(|shortfall| wire::shortfall(grid, shortfall)).collect())
    }
}

/// Something that happened to a match.
pub enum MatchEvent<'a> {
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
        /// With fog, what each seat saw.
        seen: &'a [SeenTurn],
    },
    /// The deadline has another time.
    DeadlineChanged {
        /// Whether the time to plan has another end, which everybody knows.
        planning: bool,
    },
    /// The match was stopped.
    Stopped,
}

impl MatchEvent<'_> {
    /// The turn that was resolved, where everybody is told the same of it.
    pub fn turn_alike_for_all(&self, match_state: &MatchState) -> Option<u32> {
        match self {
            Self::Resolved { before, events, shortfalls: [], .. } => {
                (!match_state.setup.rules.fog() && view::are_alike(events)).then(|| before.turn())
            }
            _ => None,
        }
    }

    /// Whether a viewer is told of it. Of a turn that waits only those learn who are asked: for the others it may wait
    /// because of what they must not know, and they are told the whole turn when it is over.
    pub fn concerns(&self, match_state: &MatchState, place: Place) -> bool {
        match self {
            Self::SeatsChanged(_) | Self::Opened | Self::Resolved { .. } | Self::Stopped => true,
            Self::LocksChanged => match_state.setup.settings.lock_disclosure() != v1::LockDisclosure::None,
            Self::Asked => match_state.is_asked(place),
            Self::DeadlineChanged { .. } if match_state.is_asked(place) => match_state.setup.decision_ms().is_some(),
            // Who is not asked is told the same whether a window is open or not.
            Self::DeadlineChanged { planning } => *planning && match_state.setup.planning_ms().is_some(),
        }
    }
}

/// What a viewer is told of an event of the match. The views of new turns are added where they are asked for.
pub fn project(match_state: &MatchState, place: Place, event: &MatchEvent<'_>) -> What {
    match event {
        MatchEvent::SeatsChanged(seat) => What::SeatsChanged(seats_changed(match_state, *seat)),
        MatchEvent::Opened => What::TurnOpened(opened(match_state)),
        MatchEvent::LocksChanged => What::LocksChanged(locks_changed(match_state)),
        MatchEvent::Asked => What::Prompt(match_state.prompt(place).unwrap_or_default()),
        MatchEvent::Resolved { before, events, shortfalls, seen } => {
            What::Outcome(outcome(match_state, place, before, events, shortfalls, seen))
        }
        MatchEvent::DeadlineChanged { .. } => {
            let (tick, deadline_ms) = match match_state.is_asked(place) {
                true => (match_state.tick(), match_state.deadline_ms()),
                false => (0, match_state.planning_deadline_ms()),
            };
            let deadline_ms = deadline_ms.unwrap_or(0);
            What::DeadlineChanged(v1::DeadlineChanged { turn: match_state.turn(), tick, deadline_ms })
        }
        MatchEvent::Stopped => {
            What::MatchStopped(v1::MatchStopped { reason: match_state.stopped.clone().unwrap_or_default() })
        }
    }
}

/// A turn with nothing hidden: only for a match that is over. `None` for what is not a turn.
pub fn project_everything(
    match_state: &MatchState,
    event: &MatchEvent<'_>,
) -> Option<(Vec<v1::Event>, Vec<v1::Shortfall>)> {
    let MatchEvent::Resolved { before, events, shortfalls, .. } = event else { return None };
    Some(witness_turn(match_state, Viewer::Everything, before, events, shortfalls).to_wire(match_state))
}

fn seats_changed(match_state: &MatchState, number: usize) -> v1::SeatsChanged {
    let seat = match_state.seats.get(number);
    let change =
        seat.map(|seat| v1::SeatChange { seat: number as u32, taken: seat.is_taken(), name: seat.name.clone() });
    v1::SeatsChanged { seats: change.into_iter().collect() }
}

fn opened(match_state: &MatchState) -> v1::TurnOpened {
    v1::TurnOpened { turn: match_state.turn(), deadline_ms: match_state.deadline_ms().unwrap_or(0), view: None }
}

fn locks_changed(match_state: &MatchState) -> v1::LocksChanged {
    let sheets = match_state.game.as_ref().map_or(&[][..], |game| &game.sheets);
    let locked = || (0..).zip(sheets).filter(|(_, sheet)| sheet.is_locked()).map(|(seat, _)| seat);
    let who = match_state.setup.settings.lock_disclosure() == v1::LockDisclosure::Who;
    v1::LocksChanged {
        turn: match_state.turn(),
        count: locked().count() as u32,
        seats: if who { locked().collect() } else { Vec::new() },
    }
}

fn outcome(
    match_state: &MatchState,
    place: Place,
    before: &State,
    events: &[Event],
    shortfalls: &[Shortfall],
    seen: &[SeenTurn],
) -> v1::Outcome {
    let witnessed;
    let seen = match place {
        Place::Seat(seat) if match_state.setup.rules.fog() => &seen[usize::from(seat)],
        _ => {
            witnessed = witness_turn(match_state, place.viewer(), before, events, shortfalls);
            &witnessed
        }
    };
    let over = match_state.is_over();
    let (events, shortfalls) = seen.to_wire(match_state);
    v1::Outcome {
        turn: before.turn(),
        events,
        shortfalls,
        next: (!over).then(|| opened(match_state)),
        ended: over.then(|| ended(match_state)),
        trace_id: trace_of(match_state.setup.id.0, before.turn()).to_vec().into(),
    }
}

/// A turn for a viewer from whom fog hides nothing, or everything.
fn witness_turn(
    match_state: &MatchState,
    viewer: Viewer,
    before: &State,
    events: &[Event],
    shortfalls: &[Shortfall],
) -> SeenTurn {
    let mut witness = Witness::new(&match_state.setup.rules, before, viewer);
    // Memory is of tiles that fog hides, and here is no fog, or nobody who could lift it.
    let events = witness.follow(events, &mut Memory::new(before.map().grid()));
    SeenTurn { events, shortfalls: witness.shortfalls(shortfalls) }
}

fn ended(match_state: &MatchState) -> v1::MatchEnded {
    let game = match_state.game.as_ref();
    v1::MatchEnded {
        result: game.and_then(|game| game.state.result()).map(wire::result),
        secret: match_state.setup.secret.0.to_vec().into(),
        digest: game.map(|game| game.digest.as_bytes().to_vec().into()).unwrap_or_default(),
    }
}

impl MatchState {
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
            events: events.iter().map(|event| wire::event(rules, grid, event)).collect(),
            encounters: encounters.iter().map(|encounter| wire::encounter(grid, encounter)).collect(),
            deadline_ms: self.deadline_ms().unwrap_or(0),
        })
    }

    /// Whether a viewer is asked something in the open window.
    fn is_asked(&self, place: Place) -> bool {
        match (place.viewer(), self.game.as_ref().and_then(|game| game.window.as_ref())) {
            (Viewer::Seat(seat), Some(window)) => window.asks(seat),
            _ => false,
        }
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
        Some(wire::view(&self.setup.rules, &view))
    }

    /// The state that the turn is planned in, with nothing hidden: only for a match that is over.
    pub fn view_of_everything(&self) -> Option<v1::View> {
        let game = self.game.as_ref()?;
        let memory = Memory::new(game.state.map().grid());
        let view = view::snapshot(&self.setup.rules, &game.state, Viewer::Everything, &memory);
        Some(wire::view(&self.setup.rules, &view))
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
