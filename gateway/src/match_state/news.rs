//! What viewers are told, each as far as they may know (R14).

use std::cell::OnceCell;

use bytes::Bytes;
use parley_games::hosted::{HostedGame, HostedOutcome, ToldTurn, Viewer};
use parley_games::times;
use parley_proto::opaque::v1;
use parley_proto::opaque::v1::news::What;

use super::{MatchState, Place};
use crate::trace::trace_of;

/// Something that happened to a match.
pub enum MatchEvent<'a> {
    /// The seat with this number was taken or given back.
    SeatsChanged(usize),
    /// The first turn can be planned.
    Opened,
    /// A player has locked in.
    LocksChanged,
    /// The turn asks something, and the open window waits for answers.
    Asked,
    /// A turn is resolved.
    Resolved(&'a ResolvedTurn<'a>),
    /// The deadline has another time.
    DeadlineChanged {
        /// Whether the time to plan has another end, which everybody knows.
        planning: bool,
    },
    /// The match was stopped.
    Stopped,
}

/// A turn that is resolved, and what all viewers are told of it alike, which is made once.
pub struct ResolvedTurn<'a> {
    /// What the turn came to.
    pub outcome: &'a dyn HostedOutcome,
    shared: OnceCell<ToldTurn>,
}

impl<'a> ResolvedTurn<'a> {
    /// A turn of which nobody was told yet.
    pub const fn new(outcome: &'a dyn HostedOutcome) -> Self {
        Self { outcome, shared: OnceCell::new() }
    }

    fn shared(&self, game: &dyn HostedGame) -> &ToldTurn {
        self.shared.get_or_init(|| game.shared(self.outcome))
    }
}

impl MatchEvent<'_> {
    /// Whether a viewer is told of it. Of a turn that waits only those learn who are asked: for the others it may wait
    /// because of what they must not know, and they are told the whole turn when it is over.
    pub fn concerns(&self, match_state: &MatchState, place: Place) -> bool {
        match self {
            Self::SeatsChanged(_) | Self::Opened | Self::Resolved(_) | Self::Stopped => true,
            Self::LocksChanged => match_state.setup.settings.lock_disclosure() != v1::LockDisclosure::None,
            Self::Asked => match_state.window_of(place).is_some(),
            Self::DeadlineChanged { .. } if match_state.window_of(place).is_some() => {
                match_state.setup.decision_ms().is_some()
            }
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
        MatchEvent::Resolved(resolved) => What::Outcome(outcome(match_state, place, resolved)),
        MatchEvent::DeadlineChanged { .. } => {
            let (window, deadline_ms) = match match_state.window_of(place) {
                Some(window) => (window, match_state.deadline_ms()),
                None => (0, match_state.planning_deadline_ms()),
            };
            let deadline = deadline_ms.map(times::timestamp);
            What::DeadlineChanged(v1::DeadlineChanged { turn: match_state.turn(), window, deadline })
        }
        MatchEvent::Stopped => {
            What::MatchStopped(v1::MatchStopped { reason: match_state.stopped.clone().unwrap_or_default() })
        }
    }
}

/// A turn as one list, as a player saw it or, of a match that is over, with nothing hidden. Nothing for what is not a turn.
pub fn project_turn(match_state: &MatchState, viewer: Viewer, event: &MatchEvent<'_>) -> ToldTurn {
    match (event, &match_state.play) {
        (MatchEvent::Resolved(resolved), Some(play)) => play.game.told(resolved.outcome, viewer),
        _ => ToldTurn::default(),
    }
}

fn seats_changed(match_state: &MatchState, number: usize) -> v1::SeatsChanged {
    let seat = match_state.seats.get(number);
    let change =
        seat.map(|seat| v1::SeatChange { seat: number as u32, taken: seat.is_taken(), name: seat.name.clone() });
    v1::SeatsChanged { seats: change.into_iter().collect() }
}

fn opened(match_state: &MatchState) -> v1::TurnOpened {
    v1::TurnOpened { turn: match_state.turn(), deadline: match_state.deadline_ms().map(times::timestamp), view: None }
}

fn locks_changed(match_state: &MatchState) -> v1::LocksChanged {
    let sheets = match_state.play.as_ref().map_or(&[][..], |play| &play.sheets);
    let locked = || (0..).zip(sheets).filter(|(_, sheet)| sheet.is_locked()).map(|(seat, _)| seat);
    let who = match_state.setup.settings.lock_disclosure() == v1::LockDisclosure::Who;
    v1::LocksChanged {
        turn: match_state.turn(),
        count: locked().count() as u32,
        seats: if who { locked().collect() } else { Vec::new() },
    }
}

fn outcome(match_state: &MatchState, place: Place, resolved: &ResolvedTurn<'_>) -> v1::Outcome {
    let game = match_state.play.as_ref().map(|play| &*play.game);
    let shared = game.map(|game| resolved.shared(game).clone()).unwrap_or_default();
    let own = game.map(|game| game.own(resolved.outcome, place.viewer())).unwrap_or_default();
    let (over, turn) = (match_state.is_over(), resolved.outcome.turn());
    v1::Outcome {
        turn,
        shared: shared.news,
        own: own.news,
        shared_changes: shared.changes,
        own_changes: own.changes,
        next: (!over).then(|| opened(match_state)),
        ended: over.then(|| ended(match_state)),
        trace_id: trace_of(match_state.setup.id.0, turn).to_vec().into(),
    }
}

fn ended(match_state: &MatchState) -> v1::MatchEnded {
    let play = match_state.play.as_ref();
    v1::MatchEnded {
        result: play.and_then(|play| play.game.result()),
        secret: match_state.setup.secret.0.to_vec().into(),
        digest: play.map(|play| play.digest().as_bytes().to_vec().into()).unwrap_or_default(),
    }
}

impl MatchState {
    /// What a seat is asked in the open window.
    pub fn prompt(&self, place: Place) -> Option<v1::Prompt> {
        let (Place::Seat(seat), Some(play)) = (place, &self.play) else { return None };
        let asked = play.game.prompt(seat).filter(|_| play.window.is_some())?;
        Some(v1::Prompt { deadline: self.deadline_ms().map(times::timestamp), ..asked })
    }

    /// The number that the open window has for a viewer; `None` where the viewer is not asked in it.
    fn window_of(&self, place: Place) -> Option<u32> {
        match (place, &self.play) {
            (Place::Seat(seat), Some(play)) => play.window_of(seat),
            _ => None,
        }
    }

    /// What a viewer sees of the state that the turn is planned in.
    pub fn view(&self, place: Place) -> Option<Bytes> {
        self.play.as_ref().map(|play| play.game.view(place.viewer()))
    }

    /// The state that the turn is planned in, with nothing hidden: only for a match that is over.
    pub fn view_of_everything(&self) -> Option<Bytes> {
        self.play.as_ref().map(|play| play.game.view(Viewer::Everything))
    }
}
