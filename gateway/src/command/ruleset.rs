//! The game that a command is about.

use std::process::ExitCode;

use clap::Args;
use parley_games::hosted::{GameTools, Games};

use super::{REFUSED, complain};

/// The game that is meant.
#[derive(Args)]
pub(crate) struct Ruleset {
    /// The name of the game; without one it is the first that this program has.
    #[arg(long = "ruleset", value_name = "NAME")]
    name: Option<String>,
}

impl Ruleset {
    /// What the command line can ask of the game; otherwise it is said why there is nothing, with the exit status.
    pub(crate) fn tools(&self) -> Result<&'static dyn GameTools, ExitCode> {
        let games = Games::default();
        let game = match &self.name {
            Some(name) => games.named(name).map_err(|unknown| complain(REFUSED, unknown))?,
            None => games.first(),
        };
        game.tools().ok_or_else(|| complain(REFUSED, format!("{} has no files of rules or scenarios", game.name())))
    }
}
