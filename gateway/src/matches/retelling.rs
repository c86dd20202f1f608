//! Turns of a match that is over, told again: as a player lived through them, or with nothing hidden.

use parley_proto::v1;
use parley_proto::v1::news::What;

use super::Shared;
use super::history::{Past, PastError, on_a_thread_of_its_own};
use crate::journal::MatchId;
use crate::table::{Audience, Happening, Place, Table, project, retell};
use crate::trace::trace_of;

/// Turns that are told at once.
pub const RETOLD_TURNS: u32 = 32;

/// Through whose eyes turns are told again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Eyes {
    /// As the player in a seat saw them.
    Seat(u8),
    /// With nothing hidden.
    All,
}

impl Eyes {
    fn view(self, table: &Table) -> Option<v1::View> {
        match self {
            Self::Seat(seat) => table.view(Place::Seat(seat)),
            Self::All => table.view_of_everything(),
        }
    }
}

/// Collects the turns from `first` to before `end`.
struct Retelling {
    eyes: Eyes,
    first: u32,
    end: u32,
    /// What was seen before the turn that is being played.
    before: Option<v1::View>,
    turns: Vec<v1::TurnTold>,
}

impl Audience for Retelling {
    fn tell(&mut self, table: &Table, place: Place, _: u64, happening: &Happening<'_>) {
        let own = match self.eyes {
            Eyes::Seat(seat) => Place::Seat(seat),
            Eyes::All => Place::Spectators,
        };
        if place != own || !matches!(happening, Happening::Opened | Happening::Resolved { .. }) {
            return;
        }
        if let Happening::Resolved { before, .. } = happening
            && (self.first..self.end).contains(&before.turn())
        {
            let (events, shortfalls) = match self.eyes {
                Eyes::Seat(_) => match project(table, place, happening) {
                    What::Outcome(outcome) => (outcome.events, outcome.shortfalls),
                    _ => return,
                },
                Eyes::All => retell(table, happening).unwrap_or_default(),
            };
            let digest = table.game.as_ref().map(|game| game.digest.as_bytes().to_vec().into()).unwrap_or_default();
            let trace_id = trace_of(table.setup.id.0, before.turn()).to_vec().into();
            self.turns.push(v1::TurnTold { view: self.before.take(), events, shortfalls, digest, trace_id });
        }
        self.look(table);
    }
}

impl Retelling {
    /// Looks at the state that the next turn is planned in.
    fn look(&mut self, table: &Table) {
        let wanted = (self.first..=self.end).contains(&table.turn());
        self.before = if wanted { self.eyes.view(table) } else { None };
    }
}

/// Tells turns of a match that had `last` of them and is over, from `first` on and at most `count`.
pub async fn retold(
    shared: &Shared,
    id: MatchId,
    eyes: Eyes,
    last: u32,
    first: u32,
    count: u32,
) -> Result<v1::GetTurnsResponse, PastError> {
    let end = first.saturating_add(count).min(last + 1);
    let past = Past::load(shared, id, |table| table.turn() <= first).await?;
    let (sender, receiver) = tokio::sync::oneshot::channel();
    on_a_thread_of_its_own(past.rest.len(), past, move |past| {
        let mut retelling = Retelling { eyes, first, end, before: None, turns: Vec::new() };
        retelling.look(&past.table);
        past.play(&mut retelling, |table| table.turn() < end)?;
        // The receiver waits below; it cannot be gone.
        let _ = sender.send(retelling);
        Ok(())
    })
    .await?;
    let Ok(Retelling { turns, before, .. }) = receiver.await else { return Ok(v1::GetTurnsResponse::default()) };
    let after = if end > last { before } else { None };
    Ok(v1::GetTurnsResponse { turns, last, after })
}
