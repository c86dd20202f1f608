//! How a match ended, and what happened on the way.

use parley_core::ids::PlayerId;
use parley_plunder::state::{MatchResult, State};

use super::Recording;

/// A match that is over.
#[derive(Clone, Debug)]
pub struct FinishedMatch {
    /// How the match ended.
    pub ending: Ending,
    /// What each seat had at the end, in seat order.
    pub standings: Vec<Standing>,
    /// What happened on the way.
    pub counts: Counts,
    /// Everything that was said, where it was to be written down.
    pub recording: Option<Recording>,
}

/// How a match ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// With a result: one seat is left, none is, or the rules' turn limit was reached (R12.2).
    Result(MatchResult),
    /// It was given up after the last turn that was to be played.
    OutOfTurns,
}

impl Ending {
    /// The seats that are ahead: the winner, those who drew, or nobody.
    pub fn ahead(&self) -> &[PlayerId] {
        match self {
            Self::Result(MatchResult::Winner(winner)) => std::slice::from_ref(winner),
            Self::Result(MatchResult::Draw(players)) => players,
            Self::OutOfTurns => &[],
        }
    }
}

/// What a seat has at some moment of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The seat that has all this.
    pub seat: PlayerId,
    /// Whether the seat has not been eliminated.
    pub alive: bool,
    /// How many ships it has afloat.
    pub ships: u32,
    /// How many shipyards it has.
    pub structures: u32,
    /// How much gold it has.
    pub gold: i64,
    /// The turn in which it was eliminated, if it was.
    pub eliminated: Option<u32>,
}

impl Standing {
    /// The standings of all seats in a state.
    pub(super) fn all(state: &State, eliminated: &[Option<u32>]) -> Vec<Self> {
        let standing = |(player, &eliminated): (&parley_plunder::state::Player, &Option<u32>)| Self {
            seat: player.id,
            alive: player.alive,
            ships: state.units().iter().filter(|unit| unit.owner == player.id).count() as u32,
            structures: state.shipyards(player.id) as u32,
            gold: player.gold,
            eliminated,
        };
        state.players().iter().zip(eliminated).map(standing).collect()
    }
}

/// How often things happened in a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Turns that were resolved.
    pub turns: u32,
    /// Orders that were given, to ships and to shipyards.
    pub orders: u64,
    /// Orders that were refused. Each of them cost its seat the whole sheet.
    pub refused_orders: u64,
    /// Encounters in which somebody was asked.
    pub encounters: u64,
    /// Answers that counted, with the defaults that stood in for what policies left out or had refused.
    pub answers: u64,
    /// Windows in which the answers of a seat were refused. The defaults of all its questions counted instead.
    pub refused_answers: u64,
    /// Questions that nobody answered (R7.2).
    pub defaulted_answers: u64,
}
