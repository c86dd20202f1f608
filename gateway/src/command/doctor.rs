//! `parley doctor`: what is wrong, and what to do.

use std::process::ExitCode;

use clap::Args;
use parley_gateway::config::ConfigArguments;
use parley_gateway::doctor::{Severity, examine};

use super::{FAILED, REFUSED, complain, print};

/// The settings that the service would be started with.
#[derive(Args)]
pub(crate) struct Doctor {
    #[command(flatten)]
    arguments: ConfigArguments,
}

impl Doctor {
    pub(crate) fn run(self) -> ExitCode {
        let config = match self.arguments.load() {
            Ok(loaded) => loaded.config,
            Err(error) => return complain(REFUSED, error),
        };
        let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
            Ok(runtime) => runtime,
            Err(error) => return complain(FAILED, error),
        };
        print("ok    config       every setting is allowed");
        let diagnoses = runtime.block_on(examine(&config));
        for diagnosis in &diagnoses {
            print(&diagnosis.to_string());
        }
        let wrong = diagnoses.iter().filter(|diagnosis| diagnosis.severity == Severity::Wrong).count();
        match wrong {
            0 => print("Nothing is wrong."),
            1 => complain(FAILED, "One thing is wrong."),
            _ => complain(FAILED, format!("{wrong} things are wrong.")),
        }
    }
}
