//! `parley serve`, and `parley` without a command: the service.

use std::io;
use std::io::IsTerminal;
use std::num::NonZeroUsize;
use std::process::ExitCode;

use clap::Args;
use parley_gateway::config::{Config, ConfigArguments, LogFormat, unknown_variables};
use parley_gateway::server::Server;
use tokio::signal::unix::{SignalKind, signal};
use tracing_subscriber::EnvFilter;

use super::{FAILED, REFUSED, complain, print};

/// The settings of the service.
#[derive(Args)]
pub(crate) struct Serve {
    #[command(flatten)]
    arguments: ConfigArguments,
}

/// How many tasks run before a busy thread looks for new events. More of them share one write (see `http/gather.rs`), and
/// a thread with less to do looks at once.
const EVENT_INTERVAL: u32 = 256;
/// How many threads for each core wait for the disk at most. What is read beyond that waits its turn: hundreds of threads
/// would read no faster, and each keeps memory of its own that no budget counts.
const READERS_PER_CORE: usize = 4;

impl Serve {
    pub(crate) fn run(self) -> ExitCode {
        let config = match self.arguments.load() {
            Ok(loaded) => loaded.config,
            Err(error) => return complain(REFUSED, error),
        };
        if let Err(error) = log(&config) {
            return complain(REFUSED, error);
        }
        for sentence in unknown_variables(std::env::vars_os().filter_map(|(name, _)| name.into_string().ok())) {
            tracing::warn!("{sentence}");
        }
        use_small_pages();
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let mut runtime = tokio::runtime::Builder::new_multi_thread();
        runtime.enable_all().event_interval(EVENT_INTERVAL).max_blocking_threads(READERS_PER_CORE * cores);
        let runtime = match runtime.build() {
            Ok(runtime) => runtime,
            Err(error) => return complain(FAILED, format!("the service cannot start: {error}")),
        };
        runtime.block_on(serve(&config))
    }
}

/// Asks the system for small pages of memory only. A huge page is kept whole as long as any part of it is used, which no
/// budget counts. A system that does not know this gives pages as it likes.
fn use_small_pages() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::thread::disable_transparent_huge_pages(true) {
        tracing::debug!(%error, "memory comes in huge pages");
    }
}

async fn serve(config: &Config) -> ExitCode {
    let server = match Server::start(config).await {
        Ok(server) => server,
        Err(error) => return complain(FAILED, error),
    };
    let stop = match asked_to_stop() {
        Ok(stop) => stop,
        Err(error) => return complain(FAILED, format!("the service cannot start: {error}")),
    };
    print(&greeting(config, &server));
    match server.run(stop).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => complain(FAILED, error),
    }
}

/// A greeting that says where the service listens and how to play.
fn greeting(config: &Config, server: &Server) -> String {
    let scheme = if config.tls_certificate.is_some() { "https" } else { "http" };
    let address = server.address();
    let numbers = match config.metrics_listen {
        Some(address) => format!("http://{address}/metrics, {scheme}://{}/healthz and /readyz", server.address()),
        None => format!("{scheme}://{}/metrics (on this machine), /healthz and /readyz", server.address()),
    };
    let data = config.data.display();
    let data = match &config.cluster {
        Some(servers) => format!("{servers} (matches and keys), the administrator's token in {data}/admin.token"),
        None => format!("{data} (matches, keys, and the administrator's token in {data}/admin.token)"),
    };
    format!(
        "Parley listens on {scheme}://{address}\n\
         \n\
         Play      open {scheme}://{address} in a browser\n\
         Program   gRPC and gRPC-web, services parley.v1.Lobby and parley.v1.Play, with reflection:\n\
         \x20         buf curl --protocol grpc --http2-prior-knowledge --list-methods {scheme}://{address}\n\
         Watch     {numbers}\n\
         Data      {data}\n\
         Stop      Ctrl-C: calls in work finish, and everything acknowledged is kept"
    )
}

/// Comes back on SIGTERM or Ctrl-C. Both are listened for from the call on, not only when it is waited for.
fn asked_to_stop() -> io::Result<impl Future<Output = ()>> {
    let mut terminated = signal(SignalKind::terminate())?;
    let mut interrupted = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminated.recv() => {}
            _ = interrupted.recv() => {}
        }
    })
}

fn log(config: &Config) -> Result<(), String> {
    let filter = EnvFilter::try_new(&config.log_filter).map_err(|error| format!("log_filter: {error}"))?;
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    // Colours are for people, not for files.
    let lines = lines.with_ansi(std::io::stderr().is_terminal());
    match config.log_format {
        LogFormat::Human => lines.init(),
        LogFormat::Json => lines.json().init(),
    }
    Ok(())
}
