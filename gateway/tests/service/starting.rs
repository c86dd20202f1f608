//! How the service starts, what it says when it cannot, and a doctor who only looks.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use crate::common::process::Process;
use crate::common::{Client, Running, config, id_of, settings};

/// The binary in a folder of its own, without the variables of whoever runs the tests.
fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_parley"));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("PARLEY_")) {
        command.env_remove(name);
    }
    command.args(arguments).current_dir(folder).stdin(Stdio::null());
    command
}

fn parley(folder: &Path, arguments: &[&str]) -> Output {
    command(folder, arguments).output().expect("the binary runs")
}

/// What a start that is refused says, and its exit status.
fn refused(folder: &Path, arguments: &[&str]) -> (String, Option<i32>) {
    let output = parley(folder, arguments);
    (String::from_utf8(output.stderr).expect("text"), output.status.code())
}

/// Everything in a folder: names, lengths, times and contents.
fn everything(folder: &Path) -> BTreeMap<PathBuf, (SystemTime, Vec<u8>)> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let changed = fs::metadata(&path).and_then(|about| about.modified()).expect("it is there");
        if path.is_dir() {
            found.extend(everything(&path));
            found.insert(path, (changed, Vec::new()));
        } else {
            let content = fs::read(&path).expect("a file");
            found.insert(path, (changed, content));
        }
    }
    found
}

/// A server that is started with these arguments, and where it says that it listens.
struct Started {
    child: Child,
    address: SocketAddr,
}

impl Started {
    fn new(folder: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut command = command(folder, arguments);
        let mut child = command
            .envs(variables.iter().copied())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary runs");
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().expect("a pipe")).read_line(&mut line).expect("a line");
        let address = line.trim().rsplit("http://").next().and_then(|address| address.parse().ok());
        let address = address.unwrap_or_else(|| panic!("it does not say where it listens: {line:?}"));
        Self { child, address }
    }

    /// Ends the server and gives what it wrote to its log.
    fn end(mut self) -> String {
        self.child.kill().expect("it runs");
        let mut log = String::new();
        self.child.stderr.take().expect("a pipe").read_to_string(&mut log).expect("text");
        log
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn serve_is_the_service_and_names_are_addresses() {
    let folder = tempfile::tempdir().expect("a folder");
    for arguments in [&["serve", "--listen", "localhost:0"][..], &["--listen", "localhost:0"]] {
        let started = Started::new(folder.path(), arguments, &[]);
        assert!(started.address.ip().is_loopback() && started.address.port() > 0, "{}", started.address);
        let url = format!("http://{}", started.address);
        let health = command(folder.path(), &["health"]).env("PARLEY_ADDR", url).output().expect("the binary runs");
        assert_eq!(health.stdout, b"ready\n", "{health:?}");
        started.end();
    }
    assert!(folder.path().join("parley-data/journal").is_dir());
}

#[test]
fn variables_that_are_no_settings_are_warned_about_and_nothing_else() {
    let folder = tempfile::tempdir().expect("a folder");
    let variables = [("PARLEY_DRAIN_SECOND", "3"), ("PARLEY_ADDR", "http://elsewhere"), ("PARLEY_LOG_FILTER", "warn")];
    let log = Started::new(folder.path(), &["--listen", "127.0.0.1:0"], &variables).end();
    let lines: Vec<&str> = log.lines().collect();
    let [line] = &*lines else { panic!("one line is expected:\n{log}") };
    let said = "PARLEY_DRAIN_SECOND is no setting and does nothing; did you mean PARLEY_DRAIN_SECONDS?";
    assert!(line.contains("WARN") && line.ends_with(said), "{line}");
}

#[test]
fn a_port_that_is_taken_is_said_to_be_and_by_whom() {
    let folder = tempfile::tempdir().expect("a folder");
    let first = Started::new(folder.path(), &["--listen", "127.0.0.1:0"], &[]);
    let address = first.address.to_string();
    let other = ["--listen", &address, "--store", "memory"];
    let said = format!(
        "{address} is taken by another Parley that runs already; stop that one, or choose another port with --listen\n"
    );
    assert_eq!(refused(folder.path(), &other), (said, Some(1)));

    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("an address").to_string();
    let hang_up = std::thread::spawn(move || drop(taken.accept()));
    let (said, status) = refused(folder.path(), &["--listen", &address, "--store", "memory"]);
    assert!(said.starts_with(&format!("{address} is taken by another program; choose another port")), "{said}");
    assert_eq!((said.lines().count(), status), (1, Some(1)), "{said}");
    hang_up.join().expect("no panic");

    let same = ["--listen", "127.0.0.1:0", "--data", "parley-data"];
    let (said, status) = refused(folder.path(), &same);
    assert!(said.contains("is in use by another process") && status == Some(1), "{said}");
}

#[test]
fn a_data_folder_that_is_a_file_and_text_without_quotes_are_said_in_a_sentence() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("file"), "not a folder").expect("written");
    let (said, status) = refused(folder.path(), &["--listen", "127.0.0.1:0", "--data", "file"]);
    let expected =
        "file is a file, so it cannot be the data folder file; move it away, or choose another folder with --data\n";
    assert_eq!((said.as_str(), status), (expected, Some(1)));

    fs::write(folder.path().join("parley.toml"), "drain_seconds = 3\ndata = /var/lib/parley\n").expect("written");
    let (said, status) = refused(folder.path(), &["--listen", "127.0.0.1:0"]);
    assert_eq!((said.as_str(), status), ("parley.toml, line 2: text wants quotes, as in data = \"…\"\n", Some(2)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_doctor_only_looks() {
    let folder = tempfile::tempdir().expect("a folder");
    let look = |words: &[&str]| {
        let before = everything(folder.path());
        let doctor = parley(folder.path(), &["doctor", "--listen", "127.0.0.1:0"]);
        let said = String::from_utf8(doctor.stdout).expect("text");
        assert_eq!(doctor.status.code(), Some(0), "{said}");
        for words in words {
            assert!(said.contains(words), "{words:?} is not in:\n{said}");
        }
        assert!(everything(folder.path()) == before, "something was changed or made");
    };
    look(&["parley-data is not there yet; a start makes it", "Nothing is wrong."]);
    fs::create_dir(folder.path().join("parley-data")).expect("made");
    look(&["a start makes new keys", "journal is not there yet"]);

    let data = folder.path().join("parley-data");
    let server = Process::start(&data, &[]).await;
    let mut client = Client::connect(server.address).await;
    id_of(&client.create(settings(2, 7), None).await);
    server.kill();
    look(&["has them, and they are sound", "its log is sound; nothing was opened for writing", "Nothing is wrong."]);

    let keys = data.join("keys/tokens.key");
    let key = fs::read(&keys).expect("a key");
    fs::remove_file(&keys).expect("removed");
    look(&["tokens.key not there yet", "restore them from a copy"]);
    fs::write(&keys, key).expect("written");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o644);
    fs::set_permissions(&keys, mode).expect("ours");
    let before = everything(folder.path());
    let doctor = parley(folder.path(), &["doctor", "--listen", "127.0.0.1:0"]);
    let said = String::from_utf8_lossy(&doctor.stdout).into_owned();
    assert!(doctor.status.code() == Some(1) && said.contains("may be read by others"), "{said}");
    assert!(everything(folder.path()) == before, "something was changed or made");
}

#[test]
fn every_command_has_help_and_options_mean_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let help = |command: &str| {
        let arguments: Vec<&str> = command.split_whitespace().chain(["--help"]).collect();
        let output = parley(folder.path(), &arguments);
        assert!(output.status.success(), "{command}: {output:?}");
        String::from_utf8(output.stdout).expect("text")
    };
    for command in ["", "serve", "doctor", "config", "cluster status"] {
        let text = help(command);
        for words in ["Limits:", "Traces and the log:", "[default: 20] [env: PARLEY_DRAIN_SECONDS]"] {
            assert!(text.contains(words), "{words:?} is not in the help of {command:?}:\n{text}");
        }
    }
    for command in ["health", "replay export", "admin matches"] {
        let text = help(command);
        for words in ["--server <URL>", "[env: PARLEY_ADDR=]", "[default: http://127.0.0.1:7400]", "--ca <FILE>"] {
            assert!(text.contains(words), "{words:?} is not in the help of {command:?}:\n{text}");
        }
    }
    assert!(help("map").contains("[default: 1]"));
    for command in ["resolve", "rules check", "rules show", "verify", "replay show"] {
        assert!(help(command).contains("Usage: parley"), "{command}");
    }
}

/// What a subscriber of one test has written.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("no panic").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The time of this test stands still unless everybody waits, and then jumps, while the system's clock goes on: for the
/// server it looks as if somebody had set the system's clock back.
#[tokio::test(start_paused = true)]
async fn a_server_logs_that_the_systems_clock_was_set() {
    let lines = Lines::default();
    let writer = lines.clone();
    let subscriber = tracing_subscriber::fmt().with_ansi(false).with_writer(move || writer.clone()).finish();
    let _listening = tracing::subscriber::set_default(subscriber);
    let server = Running::start(&config()).await;
    tokio::time::sleep(Duration::from_secs(10)).await;
    server.stop().await;
    let said = String::from_utf8(lines.0.lock().expect("no panic").clone()).expect("text");
    assert!(said.contains("the system's clock was set back by"), "{said}");
}
