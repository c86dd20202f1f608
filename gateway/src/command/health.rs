//! `parley health`: asks a running service whether it takes calls, for those who watch over it.

use std::error::Error;
use std::future::poll_fn;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use http::{Request, StatusCode};
use http_body_util::{BodyExt, Limited};
use parley_bots::connect::{ConnectError, innermost, misdirected};
use parley_bots::server::{Server, ServerError};
use tokio::time::timeout;
use tonic::body::Body;
use tonic::transport::Channel;
use tower::Service;

use super::{FAILED, REFUSED, complain, print};

/// How long the service may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// How many bytes of the answer are read.
const ANSWER: usize = 4096;

/// Whom to ask.
#[derive(Args)]
pub(crate) struct HealthCommand {
    /// The server, before what --server says.
    #[arg(value_name = "URL")]
    url: Option<String>,
    #[command(flatten)]
    server: Server,
}

impl HealthCommand {
    pub(crate) fn run(self) -> ExitCode {
        let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
            Ok(runtime) => runtime,
            Err(error) => return complain(FAILED, error),
        };
        // The server can be named in two ways.
        let address = self.url.as_deref().unwrap_or_else(|| self.server.address.get());
        match runtime.block_on(async { timeout(PATIENCE, self.ask(address)).await }) {
            Ok(Ok((true, words))) => print(&words),
            Ok(Ok((false, words))) => complain(FAILED, format!("{address} is {words}")),
            Ok(Err(error)) => complain(if error.is_input() { REFUSED } else { FAILED }, error),
            Err(_) => complain(FAILED, format!("{address} does not answer")),
        }
    }

    /// Whether the service takes calls, and what it says of that.
    async fn ask(&self, address: &str) -> Result<(bool, String), ServerError> {
        let strange = |reason| ConnectError::NotParley { address: address.to_owned(), reason };
        let channel = self.server.authority.connect(address).await?;
        let (status, words) = readiness(channel).await.map_err(|error| strange(innermost(&*error)))?;
        match status {
            StatusCode::OK => Ok((true, words)),
            StatusCode::SERVICE_UNAVAILABLE => Ok((false, words)),
            StatusCode::MISDIRECTED_REQUEST => Err(misdirected(address).into()),
            status => Err(strange(format!("it answers {status}")).into()),
        }
    }
}

/// What `/readyz` answers with.
async fn readiness(mut channel: Channel) -> Result<(StatusCode, String), Box<dyn Error + Send + Sync>> {
    poll_fn(|context| channel.poll_ready(context)).await?;
    let answer = channel.call(Request::get("/readyz").body(Body::empty())?).await?;
    let status = answer.status();
    let words = Limited::new(answer.into_body(), ANSWER).collect().await?.to_bytes();
    Ok((status, String::from_utf8_lossy(&words).trim_end().to_owned()))
}
