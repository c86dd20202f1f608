//! `parley rules check`: is this file a set of rules?

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Subcommand;
use parley_games::plunder::game::rules::{MAX_RULES_BYTES, Rules};

use super::{REFUSED, complain, print, read};

/// What to do with a rules file.
#[derive(Subcommand)]
pub(crate) enum RulesCommand {
    /// Check a rules file and print its name and hash.
    Check {
        /// The file, or - for standard input.
        file: PathBuf,
    },
    /// Print the rules that are built in.
    Show,
}

impl RulesCommand {
    pub(crate) fn run(self) -> ExitCode {
        match self {
            Self::Show => print(parley_games::plunder::game::rules::PLUNDER.trim_end()),
            Self::Check { file } => {
                let text = match read(&file, MAX_RULES_BYTES) {
                    Ok(text) => text,
                    Err(status) => return status,
                };
                match Rules::from_yaml(&text) {
                    Ok(rules) => {
                        print(&format!("{}: rules {}, hash {}", file.display(), rules.raw().name, rules.hash()))
                    }
                    Err(error) => {
                        let place = error.line.map(|line| format!(":{line}")).unwrap_or_default();
                        complain(REFUSED, format!("{}{place}: {}", file.display(), error.reason))
                    }
                }
            }
        }
    }
}
