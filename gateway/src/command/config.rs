//! `parley config`: what the service would run with, and where that came from.

use std::process::ExitCode;

use clap::Args;
use parley_gateway::config::{ConfigArguments, table_markdown};

use super::{REFUSED, complain, print};

/// What to print.
#[derive(Args)]
pub(crate) struct ConfigCommand {
    /// Print the table of all settings as Markdown instead.
    #[arg(long)]
    table: bool,
    #[command(flatten)]
    arguments: ConfigArguments,
}

impl ConfigCommand {
    pub(crate) fn run(self) -> ExitCode {
        if self.table {
            return print(table_markdown().trim_end());
        }
        match self.arguments.load() {
            Ok(loaded) => print(loaded.to_toml().trim_end()),
            Err(error) => complain(REFUSED, error),
        }
    }
}
