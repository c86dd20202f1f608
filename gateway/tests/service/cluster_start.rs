//! What a server that is to be part of a cluster refuses at its start, and says why.

use std::net::SocketAddr;
use std::process::Command;

use parley_gateway::nats::{Nats, NatsError, NatsOptions};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;

/// Something that greets like a NATS server of a version, with a limit for messages.
async fn greeter(version: &str, max_payload: usize) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let greeting = format!(
        "INFO {{\"server_id\":\"x\",\"server_name\":\"x\",\"version\":\"{version}\",\"go\":\"go1\",\"host\":\"127.0.0.1\",\
         \"port\":{},\"max_payload\":{max_payload},\"proto\":1,\"headers\":true,\"jetstream\":true}}\r\n",
        address.port()
    );
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (reading, mut writing) = stream.into_split();
            let mut lines = BufReader::new(reading).lines();
            if writing.write_all(greeting.as_bytes()).await.is_err() {
                continue;
            }
            tokio::spawn(async move {
                while let Ok(Some(line)) = lines.next_line().await {
                    if line.starts_with("PING") && writing.write_all(b"PONG\r\n").await.is_err() {
                        return;
                    }
                }
            });
        }
    });
    address
}

async fn refusal(version: &str, max_payload: usize) -> NatsError {
    let address = greeter(version, max_payload).await;
    let servers = vec![address.to_string().parse().expect("an address")];
    let options = NatsOptions { servers, name: "test".to_owned(), replicas: 1, message_bytes: 5 << 20 };
    Nats::connect(&options).await.expect_err("it cannot be used")
}

#[tokio::test]
async fn a_nats_server_that_lets_two_writers_win_is_refused() {
    let refused = refusal("2.9.10", 8 << 20).await;
    assert!(matches!(&refused, NatsError::TooOld { version } if version == "2.9.10"), "{refused}");
    assert!(refused.to_string().contains("both be told that they were first"), "{refused}");
}

#[tokio::test]
async fn a_nats_server_that_a_match_does_not_fit_into_is_refused() {
    let refused = refusal("2.15.1", 1 << 20).await;
    assert_eq!(
        refused.to_string(),
        "the NATS server takes messages of 1048576 bytes, and a match may need 5308416 (four times max_message_bytes and a little \
         more); set max_payload: 8MB in its configuration, or lower max_message_bytes"
    );
}

/// Runs the binary and gives what it complains about.
fn complaint(arguments: &[&str]) -> String {
    let ended = Command::new(env!("CARGO_BIN_EXE_parley")).args(arguments).output().expect("the binary runs");
    assert!(!ended.status.success());
    String::from_utf8(ended.stderr).expect("text")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_binary_says_it_in_one_line() {
    let old = greeter("2.9.10", 8 << 20).await;
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().display().to_string();
    let cluster = format!("nats://{old}");
    let start = ["--listen", "127.0.0.1:0", "--data", &data, "--cluster", &cluster, "--log-filter", "off"];
    let said = tokio::task::block_in_place(|| complaint(&start));
    assert!(said.lines().count() == 1 && said.starts_with("the NATS server is version 2.9.10,"), "{said}");
}

#[test]
fn where_nobody_can_reach_a_server_is_refused() {
    let said = complaint(&["--listen", "0.0.0.0:0", "--insecure", "--cluster", "nats://127.0.0.1"]);
    assert!(said.contains("--cluster-advertise"), "{said}");
    let said = complaint(&["cluster", "status"]);
    assert_eq!(said.trim(), "say which cluster: --cluster nats://host1,host2,host3");
    let said = complaint(&["--cluster", "http://127.0.0.1"]);
    assert!(said.contains("nats://host1:4222,host2:4222,host3:4222"), "{said}");
}
