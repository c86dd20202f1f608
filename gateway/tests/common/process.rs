//! The real binary as a process that ends with the test, whatever becomes of it.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
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

    /// What the process writes, where it was started with a pipe for it.
    pub fn output(&mut self) -> ChildStdout {
        self.0.stdout.take().expect("a pipe")
    }

    /// Waits until the process has ended by itself.
    pub fn wait(&mut self) -> ExitStatus {
        self.0.wait().expect("it was started here")
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
        let mut command = plain(data);
        for limit in ["calls-per-second-per-address", "burst-per-address", "calls-per-second-per-token"] {
            command.args([&format!("--{limit}"), "1000000"]);
        }
        command.args(["--burst-per-token", "1000000"]).args(flags).envs(environment.iter().copied());
        Self::launch(&mut command).await
    }

    /// Starts the server as a command says, and waits until it says where it listens.
    pub async fn launch(command: &mut Command) -> Self {
        let mut process = Held::spawn(command.stdin(Stdio::null()).stdout(Stdio::piped()));
        let mut output = BufReader::new(process.output());
        // Who gives up waiting drops the process, which ends the reading.
        let reading = tokio::task::spawn_blocking(move || {
            let (mut said, mut address) = (String::new(), None);
            // A program of tests that is the server says more than a server does.
            while address.is_none() && matches!(output.read_line(&mut said), Ok(1..)) {
                address = said.trim().rsplit("http://").next().and_then(|address| address.parse().ok());
            }
            (output, said, address)
        });
        let (output, said, address) = reading.await.expect("no panic");
        let Some(address) = address else { panic!("the server does not say where it listens: {said:?}") };
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
        memory_of(self.id(), "VmRSS:").expect("the process runs")
    }
}

/// How many bytes a line of `/proc/ID/status` tells of a process: `VmRSS:` what it holds, `VmHWM:` the most that it
/// ever held. Nothing if the process has ended.
pub fn memory_of(id: u32, line: &str) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let kib = status.lines().find_map(|found| found.strip_prefix(line))?;
    Some(kib.trim().trim_end_matches(" kB").parse::<u64>().expect("a number of the system") * 1024)
}

/// The binary: where `PARLEY_BINARY` says, or else the one that was built with the tests.
pub fn binary() -> PathBuf {
    if let Some(path) = std::env::var_os("PARLEY_BINARY") {
        return path.into();
    }
    // Examples are not told where it is. They stand in a folder beside it.
    let beside = || std::env::current_exe().ok()?.parent()?.parent().map(|folder| folder.join("parley"));
    option_env!("CARGO_BIN_EXE_parley").map(PathBuf::from).or_else(beside).expect("a place of the binary")
}

/// A command that serves on any free port, from a folder, with the limits that are the defaults.
pub fn plain(data: &Path) -> Command {
    let filter = std::env::var("PARLEY_LOG_FILTER").unwrap_or_else(|_| "error".to_owned());
    let mut command = Command::new(binary());
    command.args(["--listen", "127.0.0.1:0", "--allow-fixed-secrets", "--log-filter", &filter]).arg("--data").arg(data);
    command
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
