//! Turns of a match that is over, told again: as a player saw them, or with nothing hidden.

use bytes::Bytes;
use parley_games::hosted::{ToldTurn, Viewer};
use parley_proto::opaque::v1;
use prost::Message;

use super::Matches;
use super::history::{Past, PastError, Since};
use crate::journal::MatchId;
use crate::match_state::{Audience, MatchEvent, MatchState, Place, project_turn};
use crate::trace::trace_of;
use crate::work::Customer;

/// How many turns are told at once.
pub const MAX_TURNS: u32 = 32;
/// How many bytes of them are told at once, unless a single turn has more: clients take messages of up to 4 MiB.
const MAX_BYTES: usize = 2 << 20;

/// From whose point of view turns are told again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Perspective {
    /// As the player in a seat saw them.
    Seat(u8),
    /// As somebody saw them from whom nothing is hidden.
    All,
}

impl Perspective {
    fn viewer(self) -> Viewer {
        match self {
            Self::Seat(seat) => Place::Seat(seat).viewer(),
            Self::All => Viewer::Everything,
        }
    }

    fn view(self, match_state: &MatchState) -> Option<Bytes> {
        match self {
            Self::Seat(seat) => match_state.view(Place::Seat(seat)),
            Self::All => match_state.view_of_everything(),
        }
    }
}

/// Collects the turns from `first` to before `end`.
struct TurnCollector {
    perspective: Perspective,
    first: u32,
    end: u32,
    /// The first piece of the match was looked at.
    begun: bool,
    /// What was seen before the turn that is being played.
    before: Option<Bytes>,
    bytes: usize,
    turns: Vec<v1::TurnTold>,
}

impl Audience for TurnCollector {
    fn tell(&mut self, match_state: &MatchState, place: Place, _: u64, event: &MatchEvent<'_>) {
        let own = match self.perspective {
            Perspective::Seat(seat) => Place::Seat(seat),
            Perspective::All => Place::Spectators,
        };
        if place != own || !matches!(event, MatchEvent::Opened | MatchEvent::Resolved(_)) {
            return;
        }
        if let MatchEvent::Resolved(resolved) = event
            && (self.first..self.end).contains(&resolved.outcome.turn())
        {
            let turn = resolved.outcome.turn();
            let ToldTurn { news, changes } = project_turn(match_state, self.perspective.viewer(), event);
            let digest =
                match_state.play.as_ref().map(|play| play.digest().as_bytes().to_vec().into()).unwrap_or_default();
            let trace_id = trace_of(match_state.setup.id.0, turn).to_vec().into();
            let told = v1::TurnTold { view: self.before.take(), news, digest, trace_id, changes };
            self.bytes += told.encoded_len();
            if self.bytes > MAX_BYTES && !self.turns.is_empty() {
                // The next call begins with this turn.
                self.end = turn;
                return;
            }
            self.turns.push(told);
        }
        self.look(match_state);
    }
}

impl TurnCollector {
    /// Looks at the state that the next turn is planned in.
    fn look(&mut self, match_state: &MatchState) {
        let wanted = (self.first..=self.end).contains(&match_state.turn());
        self.before = if wanted { self.perspective.view(match_state) } else { None };
    }
}

/// Tells turns of a match that had `last` of them and is over, from `first` on and at most `count`.
pub async fn past_turns(
    matches: &Matches,
    customer: Customer,
    id: MatchId,
    perspective: Perspective,
    last: u32,
    first: u32,
    count: u32,
) -> Result<v1::GetTurnsResponse, PastError> {
    let end = first.saturating_add(count).min(last + 1);
    let collector = TurnCollector { perspective, first, end, begun: false, before: None, bytes: 0, turns: Vec::new() };
    let collect = |past: &mut Past, collector: &mut TurnCollector| {
        if !std::mem::replace(&mut collector.begun, true) {
            collector.look(&past.match_state);
        }
        past.play(collector, |collector, match_state| match_state.turn() < collector.end)
    };
    let since = Since::Turn(first);
    let told = Past::with(matches, customer, id, since, collector, collect, |_, collector| collector).await?;
    let TurnCollector { turns, before, end, .. } = told;
    let after = if end > last { before } else { None };
    Ok(v1::GetTurnsResponse { turns, last, after })
}
