//! What can be asked about a match without changing it, as far as who asks may know (R14.2).

use parley_games::hosted::{AdviceError, SaidQuery};
use parley_games::times;
use parley_proto::opaque::v1;
use tonic::Code;

use super::{MatchState, Place, Play, Sheet};
use crate::refusal::{Reason, Refusal};

impl From<AdviceError> for Refusal {
    fn from(error: AdviceError) -> Self {
        match error {
            AdviceError::Field { field, text } => Self::field(field, text),
            AdviceError::NoCourse { text, fault } => {
                Self { faults: vec![fault], ..Self::new(Code::InvalidArgument, Reason::NoCourse, text) }
            }
            AdviceError::OnlyPlayers => Self::forbidden("only players of this match can do that"),
        }
    }
}

impl MatchState {
    /// How many units the match has.
    pub fn size(&self) -> usize {
        self.play.as_ref().map_or(0, |play| play.game.units())
    }

    /// Everything that a viewer may know now.
    pub fn view_response(&self, place: Place) -> v1::GetViewResponse {
        let sheet = match (place, self.play.as_ref()) {
            (Place::Seat(seat), Some(play)) => play.sheets.get(usize::from(seat)).unwrap_or(&Sheet::Blank),
            _ => &Sheet::Blank,
        };
        let said = match sheet {
            Sheet::Blank => None,
            Sheet::Staged(said) | Sheet::Locked(said) => Some(said.clone()),
        };
        let prompt = self.prompt(place);
        // With fog, that a turn waits for others is not to be known.
        let (phase, deadline) = match self.play.as_ref() {
            None => (v1::Phase::Lobby, None),
            Some(_) if self.is_over() => (v1::Phase::Over, None),
            Some(_) if prompt.is_some() => (v1::Phase::Resolving, self.deadline_ms()),
            Some(_) => (v1::Phase::Planning, self.planning_deadline_ms()),
        };
        v1::GetViewResponse {
            phase: phase.into(),
            view: self.view(place),
            deadline: deadline.map(times::timestamp),
            locked: sheet.is_locked(),
            sheet: said,
            prompt,
            cursor: self.released(place),
        }
    }

    /// Reads what a viewer asks about the game.
    pub fn read_query(&self, request: &v1::AdviseRequest) -> Result<SaidQuery, Refusal> {
        let play = self.started()?;
        let query = request.query.as_ref().ok_or_else(|| Refusal::field("query", "nothing is asked"))?;
        Ok(play.game.read_query(query)?)
    }

    /// How much effort it is to answer it, in tiles that are looked at.
    pub fn effort_of(&self, place: Place, query: &SaidQuery) -> usize {
        self.play.as_ref().map_or(0, |play| play.game.effort_of(place.viewer(), query))
    }

    /// Answers it, as far as the viewer may know.
    pub fn advise(&self, place: Place, query: &SaidQuery) -> Result<v1::AdviseResponse, Refusal> {
        let play = self.started()?;
        if self.is_behind(place) {
            let message = "advice is about the match as it is now, and spectators of this one are some turns behind";
            return Err(Refusal::forbidden(message));
        }
        Ok(v1::AdviseResponse { advice: Some(play.game.advise(place.viewer(), query)?) })
    }

    fn started(&self) -> Result<&Play, Refusal> {
        self.play.as_ref().ok_or_else(|| Refusal::moment(Reason::NotStarted, "the match has not been started", 0, 0))
    }
}
