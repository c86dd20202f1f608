//! `parley`: reads the command line and runs what it asks for.

mod command;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Messages are made on one thread and dropped on another, which this allocator is good at.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A simultaneous-turn resolution service: everybody plans in secret, everything resolves at once.
#[derive(Parser)]
#[command(name = "parley", version, args_conflicts_with_subcommands = true)]
struct Arguments {
    #[command(flatten)]
    serve: command::serve::Serve,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Run the service; the same as `parley` without a command.
    Serve(command::serve::Serve),
    /// Resolve one turn from a scenario file and print the result as JSON.
    Resolve(command::resolve::Resolve),
    /// Generate a fair map and print it as text.
    Map(command::map::MapArguments),
    /// Work with rules files.
    #[command(subcommand)]
    Rules(command::rules::RulesCommand),
    /// Print the configuration in effect and where each value came from.
    Config(command::config::ConfigCommand),
    /// Look at everything that the service needs, and say what is wrong and what to do.
    Doctor(command::doctor::Doctor),
    /// Look at the servers of a cluster.
    #[command(subcommand)]
    Cluster(command::cluster::ClusterCommand),
    /// Ask a running service what only the administrator may know.
    #[command(subcommand)]
    Admin(command::admin::AdminCommand),
    /// Ask a running service whether it takes calls; 0 if it does.
    Health(command::health::HealthCommand),
    /// Prove that nobody's order, answer or die was changed in these replays.
    Verify(command::verify::Verify),
    /// Save replay files and look into them.
    #[command(subcommand)]
    Replay(command::replay::ReplayCommand),
}

fn main() -> ExitCode {
    let Arguments { serve, command } = Arguments::parse();
    match command {
        None => serve.run(),
        Some(Command::Serve(serve)) => serve.run(),
        Some(Command::Resolve(resolve)) => resolve.run(),
        Some(Command::Map(map)) => map.run(),
        Some(Command::Rules(rules)) => rules.run(),
        Some(Command::Config(config)) => config.run(),
        Some(Command::Doctor(doctor)) => doctor.run(),
        Some(Command::Cluster(cluster)) => cluster.run(),
        Some(Command::Admin(admin)) => admin.run(),
        Some(Command::Health(health)) => health.run(),
        Some(Command::Verify(verify)) => verify.run(),
        Some(Command::Replay(replay)) => replay.run(),
    }
}
