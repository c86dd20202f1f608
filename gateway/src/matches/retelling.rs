//! Turns of a match that is over, told again: as a player lived through them, or with nothing hidden.

use parley_proto::v1;
use parley_proto::v1::news::What;
use prost::Message;

use super::Matches;
use super::history::{Past, PastError, Since};
use crate::journal::MatchId;
use crate::table::{Audience, Happening, Place, Table, project, retell};
use crate::trace::trace_of;
use crate::work::Customer;

/// How many turns are told at once.
pub const RETOLD_TURNS: u32 = 32;
/// How many bytes of them are told at once, unless a single turn has more: clients take messages of up to 4 MiB.
const RETOLD_BYTES: usize = 2 << 20;

/// Through whose eyes turns are told again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Eyes {
    /// As the player in a seat saw them.
    Seat(u8),
    /// As somebody saw them from whom nothing is hidden.
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
    /// The first piece of the match was looked at.
    begun: bool,
    /// What was seen before the turn that is being played.
    before: Option<v1::View>,
    bytes: usize,
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
            let turn = v1::TurnTold { view: self.before.take(), events, shortfalls, digest, trace_id };
            self.bytes += turn.encoded_len();
            if self.bytes > RETOLD_BYTES && !self.turns.is_empty() {
                // The next call begins with it.
                self.end = before.turn();
                return;
            }
            self.turns.push(turn);
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
    matches: &Matches,
    customer: Customer,
    id: MatchId,
    eyes: Eyes,
    last: u32,
    first: u32,
    count: u32,
) -> Result<v1::GetTurnsResponse, PastError> {
    let end = first.saturating_add(count).min(last + 1);
    let retelling = Retelling { eyes, first, end, begun: false, before: None, bytes: 0, turns: Vec::new() };
    let retell = |past: &mut Past, retelling: &mut Retelling| {
        if !std::mem::replace(&mut retelling.begun, true) {
            retelling.look(&past.table);
        }
        past.play(retelling, |retelling, table| table.turn() < retelling.end)
    };
    let told = Past::with(matches, customer, id, Since::Turn(first), retelling, retell).await?;
    let (_, Retelling { turns, before, end, .. }) = told;
    let after = if end > last { before } else { None };
    Ok(v1::GetTurnsResponse { turns, last, after })
}
