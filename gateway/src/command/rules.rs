//! `parley rules check`: is this file a set of rules?

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Subcommand;
use parley_games::hosted::MAX_RULES_BYTES;

use super::ruleset::Ruleset;
use super::{REFUSED, complain, print, read};

/// What to do with a rules file.
#[derive(Subcommand)]
pub(crate) enum RulesCommand {
    /// Check a rules file and print its name and hash.
    Check {
        /// The file, or - for standard input.
        file: PathBuf,
        #[command(flatten)]
        ruleset: Ruleset,
    },
    /// Print the rules that are built in.
    Show {
        #[command(flatten)]
        ruleset: Ruleset,
    },
}

impl RulesCommand {
    pub(crate) fn run(self) -> ExitCode {
        let (Self::Show { ruleset } | Self::Check { ruleset, .. }) = &self;
        let tools = match ruleset.tools() {
            Ok(tools) => tools,
            Err(status) => return status,
        };
        let Self::Check { file, .. } = self else { return print(tools.standard_rules().trim_end()) };
        let text = match read(&file, MAX_RULES_BYTES) {
            Ok(text) => text,
            Err(status) => return status,
        };
        match tools.check_rules(&text) {
            Ok(rules) => print(&format!("{}: rules {}, hash {}", file.display(), rules.name, rules.hash)),
            Err(fault) => {
                let place = fault.line.map(|line| format!(":{line}")).unwrap_or_default();
                complain(REFUSED, format!("{}{place}: {}", file.display(), fault.reason))
            }
        }
    }
}
