//! `parley-bots`: reads the command line and runs what it asks for.

mod command;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Clients of Parley: bots, a league of them, a load generator, and a terminal to play in.
#[derive(Parser)]
#[command(name = "parley-bots", version, after_help = command::STATUSES)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Let a policy take a seat in a match and play it to its end.
    #[command(after_help = command::STATUSES)]
    Join(command::join::Join),
    /// Play many matches at once against a server, and measure it.
    #[command(after_help = command::STATUSES)]
    Load(command::load::Load),
    /// Play a match in this terminal: a new one against house bots, or one that waits for players.
    #[command(after_help = command::STATUSES)]
    Play(command::play::Play),
    /// Watch a match in this terminal, or as lines of text.
    #[command(after_help = command::STATUSES)]
    Watch(command::watch::Watch),
    /// Let policies play each other and rate them.
    #[command(after_help = command::STATUSES)]
    League(command::league::Arguments),
}

fn main() -> ExitCode {
    match Arguments::parse().command {
        Command::Join(join) => command::run(join.run()),
        Command::Load(load) => command::run(load.run()),
        Command::Play(play) => command::run(play.run()),
        Command::Watch(watch) => command::run(watch.run()),
        Command::League(league) => command::run(league.run()),
    }
}
