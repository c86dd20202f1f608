//! Which server, and whom to believe that it is the one.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use clap::Args;
use parley_bots::connect::{ADDRESS_VARIABLE, ConnectError, DEFAULT_ADDRESS, Trust, connect_trusting, greet};
use tonic::transport::Channel;

use super::Complaint;

/// The longest file with a certificate that is read, in bytes.
const MAX_CERTIFICATE_BYTES: u64 = 1 << 20;

/// Where the server is.
#[derive(Args)]
#[command(next_help_heading = "Server")]
pub(crate) struct Address {
    /// Where the server is.
    #[arg(long, alias = "addr", value_name = "URL", env = ADDRESS_VARIABLE, default_value = DEFAULT_ADDRESS)]
    server: String,
}

impl Address {
    /// The address as it was given; a variable that is set to nothing names nothing.
    pub(crate) fn get(&self) -> &str {
        if self.server.is_empty() { DEFAULT_ADDRESS } else { &self.server }
    }
}

/// The address of the server where none is given.
pub(crate) fn usual_address() -> String {
    let named = std::env::var(ADDRESS_VARIABLE).ok().filter(|address| !address.is_empty());
    named.unwrap_or_else(|| DEFAULT_ADDRESS.to_owned())
}

/// Whom to believe.
#[derive(Args)]
#[command(next_help_heading = "Server")]
pub(crate) struct Authority {
    /// For https: the PEM file with the certificate that the server's is signed with. Left out: whom the machine trusts.
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
}

impl Authority {
    /// Connects to a server.
    pub(crate) async fn reach(&self, address: &str) -> Result<Channel, Complaint> {
        let trust = self.ca.as_deref().map_or(Ok(Trust::SYSTEM), authority)?;
        let channel = connect_trusting(address, &trust).await.map_err(unreachable)?;
        greet(channel.clone(), address).await.map_err(unreachable)?;
        Ok(channel)
    }
}

/// Where the server is, and whom to believe that it is the one.
#[derive(Args)]
pub(crate) struct Server {
    #[command(flatten)]
    pub(crate) address: Address,
    #[command(flatten)]
    pub(crate) authority: Authority,
}

impl Server {
    /// Connects to the server.
    pub(crate) async fn connect(&self) -> Result<Channel, Complaint> {
        self.authority.reach(self.address.get()).await
    }
}

/// Why there is no connection, and what can be done about it.
pub(crate) fn unreachable(error: ConnectError) -> Complaint {
    if error.is_input() {
        return Complaint::input(error);
    }
    let advice = "start the service with `cargo run --release` or name another with --server or";
    Complaint::failure(format!("{error}; {advice} {ADDRESS_VARIABLE}"))
}

fn authority(path: &Path) -> Result<Trust, Complaint> {
    let unreadable = |error| Complaint::input(format!("{}: {error}", path.display()));
    let mut pem = Vec::new();
    File::open(path).and_then(|file| file.take(MAX_CERTIFICATE_BYTES).read_to_end(&mut pem)).map_err(unreadable)?;
    Trust::authority(pem).map_err(|error| Complaint::input(format!("{}: {error}", path.display())))
}
