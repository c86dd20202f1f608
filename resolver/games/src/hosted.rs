//! A match as a service has it, whatever game it is of.
//!
//! The service asks for everything by these names and knows no game beside them. What only a game understands goes in and
//! comes out as bytes of messages: sheets, views, news of turns, settings, questions about the game and their answers. There
//! is one game today, and these are its types; with a second one each becomes a choice between both, and the service does
//! not notice.

pub use parley_plunder::rules::Rules;
pub use parley_plunder::state::MAX_PLAYERS;
pub use parley_plunder::view::Viewer;

pub use crate::plunder::advice::{AdviceError, SaidQuery};
pub use crate::plunder::hosted::{
    HostedGame, HostedOutcome, HostedSheet, HostedStep, HostedWorkspace, SaidSheet, ToldTurn,
};
pub use crate::plunder::setup::{HostedSetup, SetupFault};
pub use crate::plunder::tally::{Combat, Counts, TickCounts};
