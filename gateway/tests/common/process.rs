//! The real binary as a process that ends with the test, whatever becomes of it.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::time::Duration;

use parley_proto::v1::archive_client::ArchiveClient;
use parley_proto::v1::lobby_client::LobbyClient;
use parley_proto::v1::play_client::PlayClient;
use tonic::transport::Endpoint;

use super::Client;

/// A process that is ended with its holder.
pub struct Held(Child);

impl Held {
    pub fn spawn(command: &mut Command) -> Self {
        Self(command.spawn().unwrap_or_else(|error| panic!("{command:?} does not run: {error}")))
    }

    /// The id of the process.
    pub fn id(&self) -> u32 {
        self.0.id()
    }

    /// Ends the process as a power failure would.
    pub fn kill(mut self) {
        self.0.kill().expect("the process runs");
        self.0.wait().expect("it was started here");
    }

    /// Sends a signal, by its name.
    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([&format!("-{name}"), &self.id().to_string()]).status();
        assert!(sent.expect("kill runs").success(), "the process runs");
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A server in a process of its own.
pub struct Process {
    process: Held,
    /// Kept open, because the process writes to it.
    _output: BufReader<ChildStdout>,
    pub address: SocketAddr,
}

impl Process {
    /// Starts the server on any free port and waits until it says where it listens.
    pub async fn start(data: &Path, flags: &[&str]) -> Self {
        Self::start_in(data, flags, &[]).await
    }

    /// The same with more variables in its environment.
    pub async fn start_in(data: &Path, flags: &[&str], environment: &[(&str, &str)]) -> Self {
        let filter = std::env::var("PARLEY_LOG_FILTER").unwrap_or_else(|_| "error".to_owned());
        let mut command = Command::new(env!("CARGO_BIN_EXE_parley"));
        command.args(["--listen", "127.0.0.1:0", "--allow-fixed-secrets", "--log-filter", &filter]);
        for limit in ["calls-per-second-per-address", "burst-per-address", "calls-per-second-per-token"] {
            command.args([&format!("--{limit}"), "1000000"]);
        }
        command.args(["--burst-per-token", "1000000"]).arg("--data").arg(data).args(flags);
        command.envs(environment.iter().copied()).stdin(Stdio::null()).stdout(Stdio::piped());
        let mut process = Held::spawn(&mut command);
        let mut output = BufReader::new(process.0.stdout.take().expect("a pipe"));
        // Who gives up waiting drops the process, which ends the reading.
        let reading = tokio::task::spawn_blocking(move || {
            let mut line = String::new();
            let read = output.read_line(&mut line);
            (output, line, read)
        });
        let (output, line, read) = reading.await.expect("no panic");
        let address = line.trim().rsplit("http://").next().and_then(|address| address.parse().ok());
        let Some(address) = address else { panic!("the server does not say where it listens: {read:?} {line:?}") };
        Self { process, _output: output, address }
    }

    /// The id of the process.
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// Ends the process as a power failure would.
    pub fn kill(self) {
        self.process.kill();
    }

    /// Sends a signal, by its name.
    pub fn signal(&self, name: &str) {
        self.process.signal(name);
    }

    /// Asks the process to end.
    pub fn terminate(&self) {
        self.signal("TERM");
    }

    /// Waits until the process has ended by itself.
    pub async fn ended(mut self, within: Duration) -> ExitStatus {
        let deadline = tokio::time::Instant::now() + within;
        loop {
            if let Some(status) = self.process.0.try_wait().expect("it was started here") {
                return status;
            }
            assert!(tokio::time::Instant::now() < deadline, "the process has not ended within {within:?}");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// How many bytes of memory the process holds.
    pub fn memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.id())).expect("the process runs");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a line of the system");
        let kib: u64 = line.trim().trim_end_matches(" kB").parse().expect("a number");
        kib * 1024
    }
}

/// A client that connects with its first call.
pub fn lazy(address: SocketAddr) -> Client {
    client(&Endpoint::from_shared(format!("http://{address}")).expect("an address"))
}

/// A client that connects with its first call, with settings of its own.
pub fn client(endpoint: &Endpoint) -> Client {
    let channel = endpoint.connect_lazy();
    Client {
        lobby: LobbyClient::new(channel.clone()),
        play: PlayClient::new(channel.clone()),
        archive: ArchiveClient::new(channel.clone()),
        channel,
    }
}
