//! Which server a command line names, and whom to believe that it is the one. Every program that calls a server takes
//! this from here, so that the same words mean the same everywhere.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use clap::Args;
use tonic::transport::Channel;

use crate::connect::{ADDRESS_VARIABLE, ConnectError, DEFAULT_ADDRESS, Trust, connect_trusting, greet};

/// The longest file with a certificate that is read, in bytes.
const MAX_CERTIFICATE_BYTES: u64 = 1 << 20;

/// Where the server is.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Server")]
pub struct Address {
    /// Where the server is.
    #[arg(long, alias = "addr", value_name = "URL", env = ADDRESS_VARIABLE, default_value = DEFAULT_ADDRESS)]
    server: String,
}

impl Address {
    /// The address as it was given; a variable that is set to nothing names nothing.
    pub fn get(&self) -> &str {
        named(&self.server)
    }
}

/// The address of the server where none is given.
pub fn usual_address() -> String {
    named(&std::env::var(ADDRESS_VARIABLE).unwrap_or_default()).to_owned()
}

fn named(address: &str) -> &str {
    if address.is_empty() { DEFAULT_ADDRESS } else { address }
}

/// Whom to believe.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Server")]
pub struct Authority {
    /// For https: the PEM file with the certificate that the server's is signed with. Left out: whom the machine trusts.
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
}

impl Authority {
    /// Connects to whatever is at an address.
    pub async fn connect(&self, address: &str) -> Result<Channel, ServerError> {
        let trust = self.ca.as_deref().map_or(Ok(Trust::SYSTEM), authority)?;
        Ok(connect_trusting(address, &trust).await?)
    }

    /// Connects to a server, and makes sure that it is one.
    pub async fn reach(&self, address: &str) -> Result<Channel, ServerError> {
        let channel = self.connect(address).await?;
        greet(channel.clone(), address).await?;
        Ok(channel)
    }
}

fn authority(path: &Path) -> Result<Trust, ServerError> {
    let unusable = |reason| ServerError::Certificate { file: path.display().to_string(), reason };
    let mut pem = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MAX_CERTIFICATE_BYTES).read_to_end(&mut pem));
    read.map_err(|error| unusable(error.to_string()))?;
    Trust::authority(pem).map_err(|error| unusable(error.to_string()))
}

/// Where the server is, and whom to believe that it is the one.
#[derive(Args, Clone, Debug)]
pub struct Server {
    /// Where the server is.
    #[command(flatten)]
    pub address: Address,
    /// Whom to believe that it is the one.
    #[command(flatten)]
    pub authority: Authority,
}

impl Server {
    /// Connects to the server.
    pub async fn connect(&self) -> Result<Channel, ServerError> {
        self.authority.reach(self.address.get()).await
    }
}

/// Why the server cannot be called, and what can be done about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ServerError {
    /// The file with the certificate is of no use.
    #[error("{file}: {reason}")]
    Certificate {
        /// The file as it was given.
        file: String,
        /// What is wrong with it.
        reason: String,
    },
    /// There is no connection, or none to a Parley server.
    #[error("{error}{advice}", error = .0, advice = advice(.0))]
    Connect(#[from] ConnectError),
}

impl ServerError {
    /// Whether what was given is at fault, and not the machine or the server.
    pub const fn is_input(&self) -> bool {
        match self {
            Self::Certificate { .. } => true,
            Self::Connect(error) => error.is_input(),
        }
    }
}

/// What can be done where the error does not say it.
fn advice(error: &ConnectError) -> String {
    if error.is_input() || matches!(error, ConnectError::Misdirected { .. }) {
        return String::new();
    }
    format!("; start the service with `cargo run --release` or name another with --server or {ADDRESS_VARIABLE}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_is_nothing_is_the_usual_one() {
        for (given, meant) in [("", DEFAULT_ADDRESS), ("127.0.0.1:7501", "127.0.0.1:7501")] {
            assert_eq!(Address { server: given.to_owned() }.get(), meant);
        }
    }

    #[test]
    fn every_error_says_what_can_be_done() {
        let address = || "play.example:7400".to_owned();
        let nobody = ServerError::from(ConnectError::Nobody { address: address() });
        assert_eq!(
            nobody.to_string(),
            "nothing answers at play.example:7400 (connection refused); start the service with `cargo run --release` or \
             name another with --server or PARLEY_ADDR"
        );
        let misdirected = ConnectError::Misdirected { address: address(), host: "play.example".to_owned() };
        assert_eq!(
            ServerError::from(misdirected).to_string(),
            "the server at play.example:7400 does not serve the name play.example; start it with --host-names play.example, \
             or set host_names"
        );
        let file = "ca.pem".to_owned();
        let certificate = ServerError::Certificate { file, reason: "not there".to_owned() };
        assert!(certificate.is_input() && certificate.to_string() == "ca.pem: not there");
    }
}
