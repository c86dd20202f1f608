//! `parley`: reads the command line and runs what it asks for.

mod command;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// A simultaneous-turn resolution service: everybody plans in secret, everything resolves at once.
#[derive(Parser)]
#[command(name = "parley", version, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Resolve one turn from a scenario file and print the result as JSON.
    Resolve(command::resolve::Resolve),
    /// Generate a fair map and print it as text.
    Map(command::map::MapArguments),
    /// Work with rules files.
    #[command(subcommand)]
    Rules(command::rules::RulesCommand),
    /// Print the configuration in effect and where each value came from.
    Config(command::config::ConfigCommand),
    /// Prove that nobody's order, decision or die was changed in these replays.
    Verify(command::verify::Verify),
    /// Look into replay files.
    #[command(subcommand)]
    Replay(command::replay::ReplayCommand),
}

fn main() -> ExitCode {
    match Arguments::parse().command {
        Command::Resolve(resolve) => resolve.run(),
        Command::Map(map) => map.run(),
        Command::Rules(rules) => rules.run(),
        Command::Config(config) => config.run(),
        Command::Verify(verify) => verify.run(),
        Command::Replay(replay) => replay.run(),
    }
}
