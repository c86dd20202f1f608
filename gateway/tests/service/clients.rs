//! The commands of `parley` that call a server: the same words name it, and the same sentences say what to do.

use std::path::Path;
use std::process::{Command, Output};

use crate::common::Running;
use crate::common::config;
use crate::common::process::Process;
use parley_gateway::config::Config;

/// A match that there is not.
const UNKNOWN: &str = "0192abcd-ef00-7000-8000-000000000001";
/// The commands that call a server, with what they say, and how they end, where there is one without any match.
const COMMANDS: [(&[&str], i32, &str); 3] = [
    (&["health"], 0, "ready"),
    (&["replay", "export", UNKNOWN], 2, "there is no such match"),
    (&["admin", "matches", "--token", "not-the-right-token"], 2, "token"),
];

/// Runs `parley` in a folder with more arguments and variables; gives its exit status and everything that it said.
fn parley(folder: &Path, arguments: &[&str], more: &[&str], variables: &[(&str, &str)]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_parley"));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("PARLEY_")) {
        command.env_remove(name);
    }
    command.args(arguments).args(more).current_dir(folder).envs(variables.iter().copied());
    let Output { status, stdout, stderr } = command.output().expect("the binary runs");
    (status.code(), String::from_utf8_lossy(&[stdout, stderr].concat()).into_owned())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_client_names_the_server_in_the_same_ways() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Process::start(folder.path(), &[]).await;
    let (bare, whole) = (server.address.to_string(), format!("http://{}", server.address));
    for (command, status, words) in COMMANDS {
        for address in [&bare, &whole] {
            for said in [
                parley(folder.path(), command, &["--server", address], &[]),
                parley(folder.path(), command, &["--addr", address], &[("PARLEY_ADDR", "http://192.0.2.1:1")]),
                parley(folder.path(), command, &[], &[("PARLEY_ADDR", address)]),
            ] {
                assert!(said.0 == Some(status) && said.1.contains(words), "{command:?} {address}: {said:?}");
            }
        }
        // A variable that is set to nothing names nothing, so that it is the usual address, whoever listens there.
        let (_, said) = parley(folder.path(), command, &[], &[("PARLEY_ADDR", "")]);
        let usual = said.contains("http://127.0.0.1:7400") || said.contains(words);
        assert!(usual && !said.contains("is not an address"), "{command:?}: {said}");
        for strange in ["ftp://x", "http://", "http://127.0.0.1:port"] {
            let said = parley(folder.path(), command, &["--server", strange], &[]);
            let sentence = format!("{strange:?} is not an address such as http://127.0.0.1:7400\n");
            assert_eq!(said, (Some(2), sentence), "{command:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_client_says_what_to_do_where_no_server_answers() {
    let folder = tempfile::tempdir().expect("a folder");
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address");
    let server = Process::start(folder.path(), &[]).await;
    // A way to the server whose name is not one of the machine's own.
    let misnamed = format!("http://0.0.0.0:{}", server.address.port());
    for (command, ..) in COMMANDS {
        let said = parley(folder.path(), command, &["--server", &nobody.to_string()], &[]);
        let sentence = format!(
            "nothing answers at {nobody} (connection refused); start the service with `cargo run --release` or name \
             another with --server or PARLEY_ADDR\n"
        );
        assert_eq!(said, (Some(1), sentence), "{command:?}");
        let said = parley(folder.path(), command, &["--server", &misnamed], &[]);
        let sentence = format!(
            "the server at {misnamed} does not serve the name 0.0.0.0; start it with --host-names 0.0.0.0, or set \
             host_names\n"
        );
        assert_eq!(said, (Some(1), sentence), "{command:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_client_trusts_the_same_authorities() {
    let folder = tempfile::tempdir().expect("a folder");
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    let (certificate, key) = (folder.path().join("certificate.pem"), folder.path().join("key.pem"));
    std::fs::write(&certificate, made.cert.pem()).expect("written");
    std::fs::write(&key, made.signing_key.serialize_pem()).expect("written");
    let tls = Config { tls_certificate: Some(certificate), tls_key: Some(key), ..config() };
    let server = Running::start(&tls).await;
    let address = format!("https://localhost:{}", server.address.port());
    let there = ["--server", &*address];
    // What the machine trusts is what this variable says, where it is set.
    let machine = |trusted| [("SSL_CERT_FILE", trusted)];
    std::fs::write(folder.path().join("other.pem"), other_certificate()).expect("written");
    for (command, status, words) in COMMANDS {
        let named = [&there[..], &["--ca", "certificate.pem"]].concat();
        for said in [
            parley(folder.path(), command, &named, &machine("other.pem")),
            parley(folder.path(), command, &there, &machine("certificate.pem")),
        ] {
            assert!(said.0 == Some(status) && said.1.contains(words), "{command:?}: {said:?}");
        }
        let (status, said) = parley(folder.path(), command, &there, &machine("other.pem"));
        assert!(status == Some(1) && said.starts_with(&format!("no connection to {address}: ")), "{command:?}: {said}");
        assert_eq!(said.lines().count(), 1, "{said}");
        let missing = [&there[..], &["--ca", "missing.pem"]].concat();
        let (status, said) = parley(folder.path(), command, &missing, &[]);
        assert!(status == Some(2) && said.starts_with("missing.pem: "), "{command:?}: {said}");
    }
    server.stop().await;
}

/// A certificate that signs nothing here.
fn other_certificate() -> String {
    rcgen::generate_simple_self_signed(["other.example".to_owned()]).expect("a certificate").cert.pem()
}
