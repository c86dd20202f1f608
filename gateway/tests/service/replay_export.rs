//! `parley replay export` as it is used: a match is played on a server, saved, proven and told.

use std::path::Path;
use std::process::{Command, Output};

use crate::common::naval::{Naval, recoded};
use crate::common::{Client, Running, config, id_of, settings};
use parley_gateway::config::Config;
use parley_proto::v1;

/// Runs `parley` in a folder, with a token in the environment or none.
fn parley(folder: &Path, token: &str, arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_parley"));
    command.args(arguments).current_dir(folder).env_remove("PARLEY_TOKEN");
    if !token.is_empty() {
        command.env("PARLEY_TOKEN", token);
    }
    let Output { status, stdout, stderr } = command.output().expect("the binary runs");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (status.code(), text(stdout), text(stderr))
}

fn bots(visibility: v1::Visibility) -> v1::MatchSettings {
    let seats = ["wander", "hold"].map(|policy| v1::SeatChoice { house_bot: policy.to_owned() }).to_vec();
    let rules = r#"{"turn_limit": 10}"#.to_owned();
    v1::MatchSettings { seats, visibility: visibility.into(), ..settings(2, 7).with_changes(rules) }
}

/// Lets house bots play a match to its end and gives its id and the host's token.
async fn play(client: &mut Client, visibility: v1::Visibility) -> (String, String) {
    let created = client.create(bots(visibility), None).await;
    let id = id_of(&created);
    let watch = v1::WatchRequest { match_id: id.clone(), after: 0, views: false, ..Default::default() };
    let mut news =
        client.play.watch(crate::common::bearer(&created.host_token, watch)).await.expect("a stream").into_inner();
    while news.message().await.expect("no error").is_some() {}
    (id, created.host_token)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_match_is_saved_proven_and_told() {
    let server = Running::start(&config()).await;
    let folder = tempfile::tempdir().expect("a folder");
    let (id, _) = play(&mut server.client().await, v1::Visibility::Public).await;
    let addr = format!("http://{}", server.address);
    let said = parley(folder.path(), "", &["replay", "export", &id, "--server", &addr]);
    assert_eq!(said, (Some(0), String::new(), String::new()));
    let file = format!("{id}.parley-replay");
    let files: Vec<_> = std::fs::read_dir(folder.path()).expect("a folder").flatten().map(|f| f.file_name()).collect();
    assert_eq!(files, [&*file], "nothing else is left");

    let (status, out, err) = parley(folder.path(), "", &["verify", &file]);
    assert_eq!((status, &*err), (Some(0), ""), "{out}");
    assert!(out.contains(&format!("proven: match {id}, 10 turns")), "{out}");
    let (status, told, err) = parley(folder.path(), "", &["replay", "show", &file]);
    assert_eq!((status, &*err), (Some(0), ""));
    assert!(told.contains("\nTurn 1\n") && told.contains("\nTurn 10\n"), "{told}");
    assert!(told.contains(" moves from "), "{told}");

    let piped = std::fs::read(folder.path().join(&file)).expect("the file");
    let (status, ..) = parley(folder.path(), "", &["replay", "export", &id, "--server", &addr, "-o", "again"]);
    assert_eq!((status, std::fs::read(folder.path().join("again")).expect("the file")), (Some(0), piped));
    let (status, out, _) = parley(folder.path(), "", &["replay", "export", &id, "--server", &addr, "-o", "-"]);
    assert!(status == Some(0) && out.starts_with("PARLEY-REPLAY 2\n"));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_cannot_be_saved_is_said_in_a_sentence_and_leaves_no_file() {
    let server = Running::start(&config()).await;
    let folder = tempfile::tempdir().expect("a folder");
    let mut client = server.client().await;
    let open = id_of(&client.create(settings(2, 7), None).await);
    let unknown = "0192abcd-ef00-7000-8000-000000000001";
    let here = format!("http://{}", server.address);
    let cases = [
        (&*open, &*here, 2, format!("match {open}: a replay tells everything, and the match is not over\n")),
        (unknown, &*here, 2, format!("match {unknown}: there is no such match\n")),
        ("../etc", &*here, 2, "\"../etc\" is no match id\n".to_owned()),
        (unknown, "ftp://x", 2, "\"ftp://x\" is not an address such as ".to_owned()),
        (unknown, "http://127.0.0.1:1", 1, "nothing answers at http://127.0.0.1:1 (connection refused); ".to_owned()),
    ];
    for (id, addr, status, reason) in cases {
        let (code, out, err) = parley(folder.path(), "", &["replay", "export", id, "--server", addr]);
        assert_eq!((code, &*out), (Some(status), ""), "{err}");
        assert!(err.starts_with(&reason) && err.lines().count() == 1, "{err}");
    }
    let (id, _) = play(&mut client, v1::Visibility::Public).await;
    let (code, _, err) = parley(folder.path(), "", &["replay", "export", &id, "--server", &here, "-o", "no/file"]);
    assert!(code == Some(1) && err.starts_with("no/file: "), "{err}");
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_private_match_needs_its_token_also_over_tls() {
    let folder = tempfile::tempdir().expect("a folder");
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    let (certificate, key) = (folder.path().join("certificate.pem"), folder.path().join("key.pem"));
    std::fs::write(&certificate, made.cert.pem()).expect("written");
    std::fs::write(&key, made.signing_key.serialize_pem()).expect("written");
    let tls = Config { tls_certificate: Some(certificate), tls_key: Some(key), ..config() };
    let server = Running::start(&tls).await;
    let created = server.matches.create(recoded(&request())).await.expect("a match");
    let (id, token) = (id_of(&recoded(&created)), created.host_token);
    let addr = format!("https://localhost:{}", server.address.port());
    let arguments = ["replay", "export", &id, "--server", &addr, "--ca", "certificate.pem", "-o", "match"];
    let (code, _, err) = parley(folder.path(), "", &arguments);
    assert_eq!((code, &*err), (Some(2), &*format!("match {id}: there is no such match\n")));
    let (code, _, err) = parley(folder.path(), &token, &arguments);
    assert_eq!(
        (code, &*err),
        (Some(2), &*format!("match {id}: a replay tells everything, and the match is not over\n"))
    );
    assert!(!folder.path().join("match").exists());
    server.stop().await;
}

/// A private match that waits for players.
fn request() -> v1::CreateMatchRequest {
    let settings = v1::MatchSettings { visibility: v1::Visibility::Private.into(), ..settings(2, 7) };
    v1::CreateMatchRequest {
        request_id: crate::common::request_id(),
        settings: Some(settings),
        ..v1::CreateMatchRequest::default()
    }
}
