//! `parley-bots join` as it is used: to the end of a match, and whatever goes wrong in one line.

mod service;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;

use parley_gateway::config::Config;
use parley_proto::v1;
use service::{Running, bots, command, config, id_of, said, settings};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bot_plays_to_the_end_and_says_how_it_ended() {
    let server = Running::start(&config()).await;
    let folder = tempfile::tempdir().expect("a folder");
    let id = id_of(&server.create(settings(1, &["hold"], 8), "a match to be joined 1").await);
    let said = bots(folder.path(), &["join", "--addr", &server.url(), "--match", &id, "--policy", "hold"]).await;
    assert_eq!((said.status, &*said.err), (Some(0), ""));
    assert_eq!(said.out, "hold on seat 0 drew with seat 1 in turn 8\n");

    let create = ["--create", "--size", "tiny", "--map-seed", "3", "--house", "hold,hold", "--turns", "6", "--fog"];
    let addr = server.url();
    let arguments: Vec<&str> = ["join", "--addr", &addr, "--policy", "hold"].into_iter().chain(create).collect();
    let said = bots(folder.path(), &arguments).await;
    assert_eq!((said.status, &*said.err), (Some(0), ""));
    let mut lines = said.out.lines();
    assert!(lines.next().is_some_and(|line| line.starts_with("match ") && line.len() == 42), "{}", said.out);
    assert_eq!(lines.next(), Some("hold on seat 0 drew with seat 1 and seat 2 in turn 6"));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_goes_wrong_is_one_line() {
    let server = Running::start(&config()).await;
    let folder = tempfile::tempdir().expect("a folder");
    let private = v1::MatchSettings { visibility: v1::Visibility::Private.into(), ..settings(2, &[], 8) };
    let private = id_of(&server.create(private, "a match to be joined 2").await);
    let full = id_of(&server.create(settings(0, &["hold", "hold"], 1), "a match to be joined 3").await);
    let open = id_of(&server.create(settings(1, &["hold"], 8), "a match to be joined 4").await);
    let unknown = "0192abcd-ef00-7000-8000-000000000001";
    std::fs::write(folder.path().join("ca.pem"), "no certificate").expect("written");
    let (here, nobody) = (server.url(), "http://127.0.0.1:1");
    let cases: &[(&[&str], i32, &str)] = &[
        (&["--addr", "ftp://x", "--match", unknown], 2, "\"ftp://x\" is not an address such as http://localhost:7400"),
        (&["--addr", "http://", "--match", unknown], 2, "\"http://\" is not an address such as "),
        (&["--addr", nobody, "--match", unknown], 1, "no connection to http://127.0.0.1:1: Connection refused"),
        (
            &["--addr", "https://localhost:1", "--ca", "ca.pem", "--match", unknown],
            2,
            "ca.pem: there is no certificate",
        ),
        (&["--addr", "https://localhost:1", "--ca", "none", "--match", unknown], 1, "none: No such file"),
        (&["--addr", &here, "--match", unknown], 2, "the lobby refused: there is no such match ("),
        (&["--addr", &here, "--match", "../etc"], 2, "the lobby refused: "),
        (&["--addr", &here, "--match", &private], 2, "the lobby refused: there is no such match ("),
        (&["--addr", &here, "--match", &private, "--token", "v4.public.nonsense"], 2, "the lobby refused: "),
        (&["--addr", &here, "--match", &open, "--token", "two words\n"], 2, "the lobby refused: "),
        (&["--addr", &here, "--match", &open, "--token", "a\u{7}b"], 2, "--token: a token is printable ASCII text"),
        (&["--addr", &here, "--match", &open, "--secret", "short"], 2, "the lobby refused: "),
        (&["--addr", &here, "--match", &full], 2, "the lobby refused: "),
        (&["--addr", &here, "--create"], 2, "nobody else would play in the match: "),
        (&["--addr", &here, "--create", "--open", "9"], 2, "the lobby refused: "),
    ];
    for (arguments, status, text) in cases {
        let arguments: Vec<&str> = ["join"].iter().chain(*arguments).copied().collect();
        let said = bots(folder.path(), &arguments).await;
        assert_eq!((said.status, &*said.out), (Some(*status), ""), "{arguments:?}: {}", said.err);
        assert!(said.err.starts_with(text) && said.err.lines().count() == 1, "{arguments:?}: {}", said.err);
    }
    // What is wrong with the command line itself is told by its reader, with the usage.
    for arguments in [&["join"][..], &["join", "--match", unknown, "--create"], &["join", "--match", "x", "--fog"]] {
        let said = bots(folder.path(), arguments).await;
        assert!(said.status == Some(2) && said.err.starts_with("error: "), "{said:?}");
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_same_secret_is_the_same_seat() {
    let server = Running::start(&config()).await;
    let folder = tempfile::tempdir().expect("a folder");
    let id = id_of(&server.create(settings(2, &[], 5), "a match to be joined 5").await);
    let join = |secret: &'static str| {
        let arguments = ["join", "--addr", &server.url(), "--match", &id, "--policy", "hold", "--attempts", "2"];
        let mut command = command(folder.path(), &arguments);
        command.env("PARLEY_SECRET", secret).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("the binary runs")
    };
    let mut first = join("the secret of seat zero");
    joined(&server, &id).await;
    first.kill().expect("it can be ended");
    first.wait().expect("it was started here");
    let (again, other) = (join("the secret of seat zero"), join("the secret of seat one"));
    let ends = tokio::task::spawn_blocking(|| [again, other].map(|bot| said(bot.wait_with_output().expect("it ends"))));
    let mut seats = ends.await.expect("no panic").map(|said| {
        assert_eq!((said.status, &*said.err), (Some(0), ""));
        said.out
    });
    seats.sort();
    assert_eq!(seats[0], "hold on seat 0 drew with seat 1 in turn 5\n");
    assert_eq!(seats[1], "hold on seat 1 drew with seat 0 in turn 5\n");
    server.stop().await;
}

/// A server in a process of its own would take a second program; a listener that goes away is as good.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_vanishes_is_told_in_one_line() {
    let server = Running::start(&config()).await;
    let folder = tempfile::tempdir().expect("a folder");
    let addr = server.url();
    let arguments = ["join", "--addr", &addr, "--create", "--open", "1", "--policy", "hold", "--attempts", "3"];
    let mut command = command(folder.path(), &arguments);
    let mut bot = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary runs");
    let mut out = BufReader::new(bot.stdout.take().expect("a pipe"));
    let waiting = tokio::task::spawn_blocking(move || {
        let mut line = String::new();
        out.read_line(&mut line).map(|_| line)
    });
    let line = waiting.await.expect("no panic").expect("a line");
    assert!(line.starts_with("match "), "{line}");
    joined(&server, line.trim_start_matches("match ").trim()).await;
    server.stop().await;
    let ended = tokio::task::spawn_blocking(|| said(bot.wait_with_output().expect("it ends")));
    let said = ended.await.expect("no panic");
    assert_eq!(said.status, Some(1), "{said:?}");
    assert!(said.err.starts_with("the server could not be reached 4 times in a row: "), "{said:?}");
    assert!(said.err.contains("refused") && said.err.lines().count() == 1, "{said:?}");
}

/// Waits until the bot has its seat.
async fn joined(server: &Running, match_id: &str) {
    use parley_proto::v1::lobby_client::LobbyClient;
    let mut lobby = LobbyClient::new(server.channel().await);
    loop {
        let request = v1::GetMatchRequest { match_id: match_id.to_owned() };
        let found = lobby.get_match(request).await.expect("a match").into_inner().r#match.expect("a match");
        if found.seats[0].taken {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
}

fn certificate(folder: &Path) -> Config {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    let (certificate, key) = (folder.join("certificate.pem"), folder.join("key.pem"));
    std::fs::write(&certificate, made.cert.pem()).expect("written");
    std::fs::write(&key, made.signing_key.serialize_pem()).expect("written");
    Config { tls_certificate: Some(certificate), tls_key: Some(key), ..config() }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bot_plays_over_tls_with_an_authority_that_it_trusts() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Running::start(&certificate(folder.path())).await;
    let addr = format!("https://localhost:{}", server.port());
    let arguments =
        ["join", "--addr", &addr, "--create", "--house", "hold", "--turns", "4", "--policy", "hold", "--ca"];
    let trusting: Vec<&str> = arguments.iter().copied().chain(["certificate.pem"]).collect();
    let said = bots(folder.path(), &trusting).await;
    assert_eq!((said.status, &*said.err), (Some(0), ""));
    assert!(said.out.ends_with("hold on seat 0 drew with seat 1 in turn 4\n"), "{}", said.out);

    // Another authority, and the machine's own, have not signed it.
    let other = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    std::fs::write(folder.path().join("other.pem"), other.cert.pem()).expect("written");
    let mistrusting: Vec<&str> = arguments.iter().copied().chain(["other.pem"]).collect();
    let said = bots(folder.path(), &mistrusting).await;
    assert_eq!((said.status, &*said.out), (Some(1), ""));
    let reason = format!("no connection to {addr}: invalid peer certificate");
    assert!(said.err.starts_with(&reason) && said.err.lines().count() == 1, "{}", said.err);
    let said = bots(folder.path(), &arguments[..arguments.len() - 1]).await;
    assert!(said.status.is_some_and(|status| status > 0) && said.out.is_empty(), "{said:?}");
    assert!(said.err.starts_with("no ") && said.err.lines().count() == 1, "{}", said.err);
    server.stop().await;
}
