//! Matches as a service has them, whatever games they are of.
//!
//! The service asks for everything by the names of this module and knows no game beside them. What only a game understands
//! goes in and comes out as bytes of messages: sheets, views, news of turns, settings, questions about the game and their
//! answers. [`Games`] is the registry: it finds the game of settings by their arm, and that of a recorded match by its name.
//!
//! A game is [hosted](HostedRuleset) by what it says of itself: its messages, and plain facts about its states. Everything
//! else is written once, for the driver of turns of any ruleset: that is what the service holds as [`HostedGame`]. Each call
//! of the service is one virtual call; inside of it nothing is chosen any more.

mod any;
mod fault;
mod registry;
mod ruleset;
mod tally;
mod tools;
mod workspace;

use parley_core::ids::PlayerId;

pub use any::{
    AnyGame, HostedGame, HostedOutcome, HostedSetup, HostedSheet, HostedStep, SaidQuery, SaidSheet, ToldTurn,
};
pub use fault::{AdviceError, SetupFault};
pub use registry::{Games, UnknownGame};
pub use ruleset::{Hosted, HostedRuleset};
pub use tally::{Counter, GroupCounts, Labels, TickCounts, TurnCounts};
pub use tools::{DrawnMap, GameTools, MAX_SCENARIO_BYTES, MapWish, RulesFileFault, RulesSummary, Scenarios};
pub use workspace::HostedWorkspace;

/// The longest file of rules that is read, in bytes, of whatever game.
pub const MAX_RULES_BYTES: usize = crate::plunder::game::rules::MAX_RULES_BYTES;

/// Rules of a game that matches share. Only the game itself knows what they are.
pub type SharedRules = std::sync::Arc<dyn std::any::Any + Send + Sync>;

/// Who looks at a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Viewer {
    /// A player.
    Seat(PlayerId),
    /// Somebody without a seat.
    Spectator,
    /// Replays and administrators, from whom nothing is hidden.
    Everything,
}
