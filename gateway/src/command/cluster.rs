//! `parley cluster`: what a cluster of servers looks like.

use std::process::ExitCode;

use clap::Subcommand;
use parley_gateway::cluster::status::ClusterStatus;
use parley_gateway::config::ConfigArguments;
use parley_gateway::server;

use super::{FAILED, REFUSED, complain, print};

/// What can be asked of a cluster.
#[derive(Subcommand)]
pub(crate) enum ClusterCommand {
    /// Print the servers of a cluster, their matches and leases, and how far behind the journal's keepers are.
    Status(ConfigArguments),
}

impl ClusterCommand {
    pub(crate) fn run(self) -> ExitCode {
        let Self::Status(arguments) = self;
        let config = match arguments.load() {
            Ok(loaded) => loaded.config,
            Err(error) => return complain(REFUSED, error),
        };
        let Some(servers) = &config.cluster else {
            return complain(REFUSED, "say which cluster: --cluster nats://host1,host2,host3");
        };
        let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
            Ok(runtime) => runtime,
            Err(error) => return complain(FAILED, error),
        };
        match runtime.block_on(ClusterStatus::ask(&server::nats(&config, servers))) {
            Ok(status) => print(&status.to_string()),
            Err(error) => complain(FAILED, error),
        }
    }
}
