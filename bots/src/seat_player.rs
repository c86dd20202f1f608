//! Who plays a seat of any game: bytes of views come in, bytes of sheets go out, and what they mean is the player's.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use parley_proto::common::v1 as common;
use parley_proto::opaque::v1 as opaque;
use parley_proto::v1;

use crate::policy::PlunderPolicies;

/// What everybody has to know of a view, whatever game it is of.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// The turn that is planned.
    pub turn: u32,
    /// Whether the viewer is still in the match.
    pub alive: bool,
    /// How the match ended, once it has.
    pub result: Option<common::MatchResult>,
}

/// A player of one seat of one match.
pub trait SeatPlayer: Send {
    /// Looks at the state that a turn is planned in, as the bytes of a `parley.v1.View`, and keeps it until the next. `None`
    /// where it is of a game that the player does not know.
    fn look(&mut self, view: &[u8]) -> Option<Look>;

    /// Whether the player can follow how the board changes, so that it need not look at a view with every turn.
    fn follows_changes(&self) -> bool {
        false
    }

    /// Brings what was looked at last to the next turn, by lists of changes in the order in which they are to be applied, each
    /// the bytes of a `parley.v1.Changes`. `None` where the player has to look at a view instead.
    fn follow(&mut self, _changes: &[Bytes]) -> Option<Look> {
        None
    }

    /// The orders for the turn that was looked at last, as bytes of a `parley.v1.Sheet`.
    fn orders(&mut self) -> Bytes;

    /// Orders that say nothing, as bytes of a `parley.v1.Sheet`.
    fn no_orders(&self) -> Bytes;

    /// An answer to every question of a prompt, which also tells what has happened in the turn so far.
    fn answers(&mut self, prompt: &opaque::Prompt) -> Vec<v1::Answer>;
}

/// The answer to a question that counts where none comes in time.
pub fn default_answer(question: &v1::Question) -> v1::Answer {
    v1::Answer { question: question.id, options: question.default.clone() }
}

/// The defaults of all questions of a prompt.
pub fn defaults(prompt: &opaque::Prompt) -> Vec<v1::Answer> {
    prompt.questions.iter().map(default_answer).collect()
}

/// The policies that play seats of a game.
pub trait GamePolicies: Send + Sync {
    /// The name of the game.
    fn game(&self) -> &'static str;

    /// The names of the policies.
    fn names(&self) -> &'static [&'static str];

    /// Whether a policy takes milliseconds to find its orders, so that it should not think where others wait.
    fn is_slow(&self, policy: &str) -> bool;

    /// A player with a policy, for a match with these rules as they are written down; the same seed plays the same way. A
    /// sentence where there can be none.
    fn player(&self, policy: &str, seed: u64, rules: &str) -> Result<Box<dyn SeatPlayer>, String>;
}

/// The policies of the games of the house, one line each.
const OF_THE_HOUSE: &[&dyn GamePolicies] = &[&PlunderPolicies];

/// The policies of several games.
#[derive(Clone)]
pub struct Policies(Arc<[&'static dyn GamePolicies]>);

impl Default for Policies {
    /// The policies of the games of the house.
    fn default() -> Self {
        Self(OF_THE_HOUSE.into())
    }
}

impl Policies {
    /// These policies, and those of one more game.
    pub fn with(self, game: &'static dyn GamePolicies) -> Self {
        Self(self.0.iter().copied().chain([game]).collect())
    }

    /// The policies of a game; `None` where nothing here plays it.
    pub fn of_game(&self, name: &str) -> Option<&'static dyn GamePolicies> {
        self.0.iter().copied().find(|game| game.game() == name)
    }
}

impl fmt::Debug for Policies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|game| game.game())).finish()
    }
}
