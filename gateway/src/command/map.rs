//! `parley map`.
use clap::Args;
use std::process::ExitCode;
/// Placeholder until the generator is merged.
#[derive(Args)]
pub(crate) struct MapArguments {}
impl MapArguments {
    pub(crate) fn run(self) -> ExitCode {
        ExitCode::SUCCESS
    }
}
