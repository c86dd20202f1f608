//! What operators have: numbers with the names that are promised, a doctor, and somebody who asks whether it is well.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

use crate::common::process::Process;
use crate::common::script::pick;
use crate::common::{Client, bearer, id_of, reason, request_id};
use crate::sea::{duel, halfway};
use parley_bots::arms::Arms;
use parley_gateway::journal::embedded::{Embedded, EmbeddedOptions};
use parley_gateway::journal::{Append, Journal, MatchId};
use parley_proto::plunder::v1 as plunder;
use parley_proto::v1;

fn get(address: SocketAddr, path: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("a connection");
    write!(stream, "GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer.split_once("\r\n\r\n").expect("a body").1.to_owned()
}

fn parley(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_parley")).args(arguments).output().expect("the binary runs")
}

/// The metrics that `deploy/metrics.txt` promises, with their labels.
fn promised() -> BTreeMap<String, BTreeSet<String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy/metrics.txt");
    let text = std::fs::read_to_string(path).expect("the list");
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim()).filter(|l| !l.is_empty());
    let line = |line: &str| {
        let mut words = line.split_whitespace();
        let name = words.next().expect("a name").to_owned();
        (name, words.skip(1).map(|label| label.split('=').next().unwrap_or_default().to_owned()).collect())
    };
    lines.map(line).collect()
}

/// The metrics of a text in the form of Prometheus, with their labels.
fn exported(text: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
        let name = line.split(['{', ' ']).next().expect("a name");
        let histogram = ["_bucket", "_sum", "_count"].iter().find_map(|end| name.strip_suffix(end));
        let name = histogram.filter(|base| text.contains(&format!("# TYPE {base} histogram"))).unwrap_or(name);
        let labels = line.split_once('{').map(|(_, rest)| rest.split('}').next().unwrap_or_default()).unwrap_or("");
        let labels = labels.split("\",").filter_map(|label| label.split_once('=')).map(|(label, _)| label.to_owned());
        found.entry(name.to_owned()).or_default().extend(labels.filter(|label| label != "le"));
    }
    found
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_number_that_is_promised_is_counted_and_no_other() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Process::start(folder.path(), &[]).await;
    let mut client = Client::connect(server.address).await;
    let id = id_of(&client.create(duel(), Some([7; 32])).await);
    let tokens = [client.join(&id, 0).await, client.join(&id, 1).await];
    for (seat, token) in tokens.iter().enumerate() {
        let sheet = Some(v1::Sheet::of_plunder(halfway(seat)));
        let lock = v1::LockInRequest { request_id: request_id(), match_id: id.clone(), turn: 1, sheet };
        client.play.lock_in(bearer(token, lock)).await.expect("locked");
    }
    for token in &tokens {
        let look = v1::GetViewRequest { match_id: id.clone() };
        let view = client.play.get_view(bearer(token, look)).await.expect("a view").into_inner();
        let v1::Prompt { turn, window, questions, .. } = view.prompt.expect("to be asked");
        let answers = questions.iter().map(|question| pick(question, "attack")).collect();
        let answer = v1::AnswerRequest { request_id: request_id(), match_id: id.clone(), turn, window, answers };
        client.play.answer(bearer(token, answer)).await.expect("answered");
    }
    let unknown = v1::GetMatchRequest { match_id: "nothing".to_owned() };
    client.lobby.get_match(unknown).await.expect_err("no match");
    let concede = v1::ConcedeRequest { request_id: request_id(), match_id: id.clone() };
    client.play.concede(bearer(&tokens[0], concede)).await.expect("conceded");
    let lock = v1::LockInRequest { request_id: request_id(), match_id: id.clone(), turn: 2, ..Default::default() };
    let lock = v1::LockInRequest { sheet: Some(v1::Sheet::of_plunder(plunder::Sheet::default())), ..lock };
    client.play.lock_in(bearer(&tokens[1], lock)).await.expect("locked");

    let text = get(server.address, "/metrics");
    let (promised, exported) = (promised(), exported(&text));
    for (name, labels) in &exported {
        let known = promised.get(name).unwrap_or_else(|| panic!("{name} is not in deploy/metrics.txt"));
        assert!(labels.is_subset(known), "{name} has {labels:?}, and {known:?} are promised");
    }
    // Those of a cluster are looked for where there is one.
    for name in promised.keys().filter(|name| !name.starts_with("parley_cluster_")) {
        assert!(exported.contains_key(name), "{name} is promised and not there:\n{text}");
    }
    for line in [
        "parley_turns_resolved_total 2",
        "parley_encounters_total{kind=\"entry\"} 1",
        "parley_combats_total{kind=\"entry\"} 1",
        "parley_decisions_total{how=\"answered\"} 2",
        "parley_matches{state=\"running\"} 0",
        "parley_matches_finished_total{how=\"won\"} 1",
        "parley_lock_in_seconds_count 3",
        "parley_lock_to_outcome_seconds_count 2",
        "parley_decision_window_seconds_count 1",
    ] {
        assert!(text.contains(line), "{line} is not in:\n{text}");
    }
    assert!(!text.contains(&id), "a number has the name of a match");
    server.terminate();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_asks_for_its_health_gets_an_answer_and_a_status() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Process::start(folder.path(), &[]).await;
    let url = format!("http://{}", server.address);
    let well = tokio::task::block_in_place(|| parley(&["health", &url]));
    assert!(well.status.success() && well.stdout == b"ready\n", "{well:?}");

    let settings = ["--listen", &server.address.to_string(), "--data", folder.path().to_str().expect("text")];
    let doctor = tokio::task::block_in_place(|| parley(&[&["doctor"][..], &settings].concat()));
    let said = String::from_utf8_lossy(&doctor.stdout);
    assert!(doctor.status.success(), "{said}");
    for words in ["a Parley answers on", "is in use by the service that runs", "Nothing is wrong."] {
        assert!(said.contains(words), "{words:?} is not in:\n{said}");
    }
    server.kill();
    let gone = parley(&["health", &url]);
    assert_eq!(gone.status.code(), Some(1));
    let said = String::from_utf8_lossy(&gone.stderr);
    assert!(said.contains("refused") && said.lines().count() == 1, "{said}");
}

/// A match that a version before questions has recorded: the service that is started on it goes on with all others.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_doctor_and_the_service_name_a_match_that_this_version_cannot_read() {
    /// The time of a record, and the decision of a ship under tag 8.
    const DECIDED: &[u8] = b"\x08\x05\x42\x0d\x10\x01\x18\x03\x22\x04\x08\x01\x10\x03\x2a\x01r";
    let sentence = "the match was recorded by a version before questions and cannot be read by this one";
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().to_str().expect("text");
    let server = Process::start(folder.path(), &[]).await;
    let mut client = Client::connect(server.address).await;
    let ids = [id_of(&client.create(duel(), None).await), id_of(&client.create(duel(), None).await)];
    server.terminate();
    assert!(server.ended(Duration::from_secs(20)).await.success());
    let doctor = parley(&["doctor", "--listen", "127.0.0.1:0", "--data", data]);
    assert!(!String::from_utf8_lossy(&doctor.stdout).contains(sentence));

    let id = MatchId(ids[0].parse().expect("an id"));
    let store = Embedded::open(&folder.path().join("journal"), EmbeddedOptions::default()).expect("a store");
    let after = store.read(id, 0).await.expect("readable").len() as u64;
    let (done, told) = tokio::sync::oneshot::channel();
    let records = [bytes::Bytes::from_static(DECIDED)].into_iter().collect();
    store.appends().send(Append { id, after, records, snapshot: None, listing: None, done }).await.expect("sent");
    told.await.expect("told").expect("durable");
    store.close().await;
    drop(store);

    let doctor = parley(&["doctor", "--listen", "127.0.0.1:0", "--data", data]);
    let said = String::from_utf8_lossy(&doctor.stdout);
    assert!(doctor.status.success(), "the service can be started: {said}");
    assert!(said.contains(&format!("{sentence} (match {})", ids[0])), "{said}");
    let server = Process::start(folder.path(), &[]).await;
    let mut client = Client::connect(server.address).await;
    let asked = client.lobby.get_match(v1::GetMatchRequest { match_id: ids[0].clone() }).await;
    let status = asked.expect_err("it cannot be read");
    assert_eq!((&reason(&status)[..], status.message()), ("MATCH_OF_OLDER_VERSION", sentence));
    client.join(&ids[1], 0).await;
    server.terminate();
}

#[test]
fn a_doctor_names_what_is_wrong_and_what_to_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let nobody = TcpListener::bind("127.0.0.1:0").expect("a port");
    let (taken_at, nobody_at) = (taken.local_addr().expect("one"), nobody.local_addr().expect("one"));
    drop(nobody);
    let file = folder.path().join("file");
    std::fs::write(&file, "not a folder").expect("written");
    let certificate = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    let (chain, key) = (folder.path().join("chain.pem"), folder.path().join("key.pem"));
    std::fs::write(&chain, certificate.cert.pem()).expect("written");
    std::fs::write(&key, "no key").expect("written");
    let text = |path: &Path| path.to_str().expect("text").to_owned();
    let listen = taken_at.to_string();
    let (data, chain, key) = (text(&file.join("data")), text(&chain), text(&key));
    let otlp = format!("http://{nobody_at}");
    let arguments = [
        "doctor",
        "--listen",
        &listen,
        "--data",
        &data,
        "--otlp",
        &otlp,
        "--tls-certificate",
        &chain,
        "--tls-key",
        &key,
    ];
    let taker = std::thread::spawn(move || {
        // Somebody else's service: it takes connections and says something else.
        for stream in taken.incoming().take(1) {
            let _ = stream.and_then(|mut stream| stream.write_all(b"hello\r\n"));
        }
        taken
    });
    let doctor = parley(&arguments);
    let said = format!("{}{}", String::from_utf8_lossy(&doctor.stdout), String::from_utf8_lossy(&doctor.stderr));
    assert_eq!(doctor.status.code(), Some(1), "{said}");
    for words in [
        "is taken, and not by a Parley",
        "is a file, so it cannot be the data folder",
        "there is no private key in it",
        "does not take them",
        "4 things are wrong.",
        "-> ",
    ] {
        assert!(said.contains(words), "{words:?} is not in:\n{said}");
    }
    drop(taker.join().expect("no panic"));
}
