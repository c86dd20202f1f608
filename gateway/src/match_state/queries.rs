//! What can be asked about a match without changing it, as far as who asks may know (R14.2).

use parley_games::hosted::AdviceError;
use parley_proto::v1;
use prost::Message;
use tonic::Code;

use super::{MatchState, Place, Play, Sheet};
use crate::refusal::Refusal;

impl From<AdviceError> for Refusal {
    fn from(error: AdviceError) -> Self {
        match error {
            AdviceError::Field { field, text } => Self::field(field, text),
            AdviceError::NoCourse { text, fault } => {
                Self { faults: vec![fault], ..Self::new(Code::InvalidArgument, "NO_COURSE", text) }
            }
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
            Sheet::Staged(said) | Sheet::Locked(said) => v1::OrderSheet::decode(said.clone()).ok(),
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
            deadline_ms: deadline.unwrap_or(0),
            locked: sheet.is_locked(),
            sheet: said,
            prompt,
            cursor: self.released(place),
        }
    }

    /// The orders that a player's ships and shipyards could be given: all of them, or as many as one answer may tell.
    pub fn list_legal_orders(
        &self,
        seat: u8,
        request: &v1::ListLegalOrdersRequest,
    ) -> Result<v1::ListLegalOrdersResponse, Refusal> {
        self.started()?.game.legal_orders(seat, request).ok_or_else(no_seat)
    }

    /// How much effort it is to list the legal orders of a player, in tiles that are looked at.
    pub fn effort_of_orders(&self, seat: u8) -> usize {
        self.play.as_ref().map_or(0, |play| play.game.effort_of_orders(seat))
    }

    /// How much effort it is to find a way.
    pub fn effort_of_path(&self) -> usize {
        self.play.as_ref().map_or(0, |play| play.game.effort_of_path())
    }

    /// How much effort the odds of a fight are.
    pub fn effort_of_combat(&self, request: &v1::PreviewCombatRequest) -> usize {
        self.play.as_ref().map_or(0, |play| play.game.effort_of_odds(request))
    }

    /// The way of a player's ship to a hex.
    pub fn preview_path(&self, seat: u8, request: &v1::PreviewPathRequest) -> Result<v1::PreviewPathResponse, Refusal> {
        Ok(self.started()?.game.path(seat, request).ok_or_else(no_seat)??)
    }

    /// The odds of a fight between two ships in sight.
    pub fn preview_combat(
        &self,
        place: Place,
        request: &v1::PreviewCombatRequest,
    ) -> Result<v1::PreviewCombatResponse, Refusal> {
        let play = self.started()?;
        if self.is_behind(place) {
            let message = "the odds are those of now, and spectators of this match are some turns behind";
            return Err(Refusal::forbidden(message));
        }
        Ok(play.game.odds(place.viewer(), request)?)
    }

    fn started(&self) -> Result<&Play, Refusal> {
        self.play.as_ref().ok_or_else(not_started)
    }
}

fn no_seat() -> Refusal {
    Refusal::forbidden("there is no such seat")
}

fn not_started() -> Refusal {
    Refusal::moment("NOT_STARTED", "the match has not been started", 0, 0)
}
