//! A match as a service has it, whatever game it is of.
//!
//! The service asks for everything by these names and knows no game beside them. There is one game today, and these are its
//! types; with a second one each becomes a choice between both, and the service does not notice.

pub use parley_plunder::rules::Rules;
pub use parley_plunder::state::MAX_PLAYERS;
pub use parley_plunder::view::Viewer;

pub use crate::plunder::advice::AdviceError;
pub use crate::plunder::hosted::{
    HostedGame, HostedOutcome, HostedPrompt, HostedSheet, HostedStep, HostedWorkspace, Told, drop_faulty,
};
pub use crate::plunder::setup::{HostedSetup, SetupFault, choose_rules, names};
pub use crate::plunder::tally::{Combat, Counts, TickCounts};
