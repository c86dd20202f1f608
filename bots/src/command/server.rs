//! Which server, and whom to believe that it is the one.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use clap::Args;
use parley_bots::connect::{Trust, connect_trusting};
use tonic::transport::Channel;

use super::Complaint;

/// The longest file with a certificate that is read, in bytes.
const MAX_CERTIFICATE_BYTES: u64 = 1 << 20;

/// Where the server is.
#[derive(Args)]
pub(crate) struct Server {
    /// Where the server is.
    #[arg(long, value_name = "URL", default_value = "http://localhost:7400")]
    addr: String,
    /// For https: the PEM file with the certificate that the server's is signed with. Left out: whom the machine trusts.
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
}

impl Server {
    /// Connects to it.
    pub(crate) async fn connect(&self) -> Result<Channel, Complaint> {
        reach(&self.addr, self.ca.as_deref()).await
    }
}

/// Connects to a server, with https perhaps by the word of an own authority.
pub(crate) async fn reach(address: &str, ca: Option<&Path>) -> Result<Channel, Complaint> {
    let trust = ca.map_or(Ok(Trust::SYSTEM), authority)?;
    connect_trusting(address, &trust).await.map_err(|error| Complaint::of(error.is_input(), error))
}

fn authority(path: &Path) -> Result<Trust, Complaint> {
    let failed = |error| Complaint::failure(format!("{}: {error}", path.display()));
    let mut pem = Vec::new();
    File::open(path).and_then(|file| file.take(MAX_CERTIFICATE_BYTES).read_to_end(&mut pem)).map_err(failed)?;
    Trust::authority(pem).map_err(|error| Complaint::input(format!("{}: {error}", path.display())))
}
