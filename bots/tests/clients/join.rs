//! `parley-bots join` as it is used: to the end of a match, and whatever goes wrong in one line.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;

use crate::service::{Running, bots, command, config, id_of, said, settings};
use parley_bots::arms::Arms;
use parley_bots::connect::Token;
use parley_bots::session::{Session, Settings};
use parley_bots::{lobby, play, policy};
use parley_gateway::config::Config;
use parley_plunder::mapgen::{self, MapRequest, SizePreset};
use parley_plunder::rules::Rules;
use parley_proto::plunder::v1 as plunder;
use parley_proto::v1;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bot_plays_to_the_end_and_says_how_it_ended() {
    let server = Running::start(&config()).await;
    let folder = tempfile::tempdir().expect("a folder");
    let id = id_of(&server.create(settings(1, &["hold"], 8), "a match to be joined 1").await);
    let said = bots(folder.path(), &["join", "--server", &server.url(), "--match", &id, "--policy", "hold"]).await;
    assert_eq!((said.status, &*said.err), (Some(0), ""));
    assert_eq!(said.out, "hold on seat 0 drew with seat 1 in turn 8\n");

    let new = ["--new", "--size", "tiny", "--seed", "3", "--house", "hold,hold", "--turns", "6", "--fog"];
    let addr = server.url();
    let arguments: Vec<&str> = ["join", "--server", &addr, "--policy", "hold"].into_iter().chain(new).collect();
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
    let web = web_server().await;
    let no_parley = format!("what answers at {web} is not a Parley server: ");
    let cases: &[(&[&str], i32, &str)] = &[
        (
            &["--server", "ftp://x", "--match", unknown],
            2,
            "\"ftp://x\" is not an address such as http://127.0.0.1:7400",
        ),
        (&["--server", "127.0.0.1:port", "--match", unknown], 2, "\"127.0.0.1:port\" is not an address such as "),
        (&["--server", "http://", "--match", unknown], 2, "\"http://\" is not an address such as "),
        (
            &["--server", nobody, "--match", unknown],
            1,
            "nothing answers at http://127.0.0.1:1 (connection refused); start the service with `cargo run --release` \
             or name another with --server or PARLEY_ADDR\n",
        ),
        (&["--server", &web, "--match", unknown], 1, &no_parley),
        (
            &["--server", "https://localhost:1", "--ca", "ca.pem", "--match", unknown],
            2,
            "ca.pem: there is no certificate",
        ),
        (&["--server", "https://localhost:1", "--ca", "none", "--match", unknown], 2, "none: No such file"),
        (&["--server", &here, "--match", unknown], 2, "the lobby refused: there is no such match ("),
        (&["--server", &here, "--match", "../etc"], 2, "the lobby refused: "),
        (&["--server", &here, "--match", &private], 2, "the lobby refused: there is no such match ("),
        (&["--server", &here, "--match", &private, "--invitation", "v4.public.nonsense"], 2, "the lobby refused: "),
        (&["--server", &here, "--match", &open, "--invitation", "two words\n"], 2, "the lobby refused: "),
        (
            &["--server", &here, "--match", &open, "--invitation", "a\u{7}b"],
            2,
            "--invitation: a token is printable ASCII text",
        ),
        (&["--server", &here, "--match", &open, "--secret", "short"], 2, "the lobby refused: "),
        (&["--server", &here, "--match", &full], 2, "the lobby refused: "),
        (&["--server", &here, "--new", "--size", "vast"], 2, "--size: \"vast\" is not one of tiny, small, "),
        (&["--server", &here, "--new", "--size", "tiny", "--open", "9"], 2, "the lobby refused: "),
    ];
    for (arguments, status, text) in cases {
        let arguments: Vec<&str> = ["join"].iter().chain(*arguments).copied().collect();
        let said = bots(folder.path(), &arguments).await;
        assert_eq!((said.status, &*said.out), (Some(*status), ""), "{arguments:?}: {}", said.err);
        assert!(said.err.starts_with(text) && said.err.lines().count() == 1, "{arguments:?}: {}", said.err);
    }
    // What is wrong with the command line itself is told by its reader, with the usage.
    for arguments in [&["join"][..], &["join", "--match", unknown, "--new"], &["join", "--match", "x", "--fog"]] {
        let said = bots(folder.path(), arguments).await;
        assert!(said.status == Some(2) && said.err.starts_with("error: "), "{said:?}");
    }
    server.stop().await;
}

/// A server of the web, which knows one page and nothing of HTTP/2.
async fn web_server() -> String {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    tokio::spawn(async move {
        while let Ok((mut web, _)) = listener.accept().await {
            let _ = web.read(&mut [0; 1024]).await;
            let _ = web.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello").await;
        }
    });
    address
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_variable_names_the_server_for_every_command_and_an_option_comes_before_it() {
    let server = Running::start(&config()).await;
    let folder = tempfile::tempdir().expect("a folder");
    let run = |addr: &str, arguments: &[&str]| {
        let mut command = command(folder.path(), arguments);
        command.env("PARLEY_ADDR", addr);
        tokio::task::spawn_blocking(move || said(command.output().expect("the binary runs")))
    };
    let here = server.url();
    let join = ["join", "--new", "--house", "hold", "--turns", "2", "--size", "tiny", "--policy", "hold"];
    let said = run(&here, &join).await.expect("no panic");
    assert_eq!((said.status, &*said.err), (Some(0), ""));
    let load = ["load", "--matches", "1", "--players", "2", "--turns", "2", "--quiet"];
    let said = run(here.trim_start_matches("http://"), &load).await.expect("no panic");
    assert_eq!((said.status, &*said.err), (Some(0), ""), "without http:// too");
    let small = ["--policies", "hold,wander", "--games", "2", "--turns", "2", "--size", "tiny", "--no-replays"];
    let league: Vec<&str> = ["league", "--server"].into_iter().chain(small).collect();
    let said = run(&here, &league).await.expect("no panic");
    assert_eq!((said.status, &*said.err), (Some(0), ""));

    let nobody = "http://127.0.0.1:1";
    let join: Vec<&str> = join.into_iter().chain(["--server", &here]).collect();
    let said = run(nobody, &join).await.expect("no panic");
    assert_eq!((said.status, &*said.err), (Some(0), ""), "the option comes first");
    let local: Vec<&str> = ["league"].into_iter().chain(small).collect();
    let said = run(nobody, &local).await.expect("no panic");
    assert_eq!((said.status, &*said.err), (Some(0), ""), "only --server takes a league to a server");
    for arguments in [&["watch"][..], &["join", "--match", "x"], &load, &league] {
        let said = run(nobody, arguments).await.expect("no panic");
        assert_eq!(said.status, Some(1), "{arguments:?}: {said:?}");
        assert!(said.err.starts_with("nothing answers at http://127.0.0.1:1 "), "{arguments:?}: {said:?}");
        assert_eq!(said.err.lines().count(), 1, "{arguments:?}: {said:?}");
    }
    server.stop().await;
}

/// The options that several commands have are described alike, below a heading, with their defaults.
#[tokio::test]
async fn help_is_grouped_and_shows_defaults() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["join", "play", "watch", "load", "league"] {
        let said = bots(folder.path(), &[name, "--help"]).await;
        assert_eq!(said.status, Some(0));
        let (head, grouped) = said.out.split_once("\nServer:\n").expect("a heading");
        assert!(!head.contains("  --server "), "{name} has --server below another heading: {head}");
        assert!(grouped.contains("--server"), "{name}: {grouped}");
        assert!(said.out.contains("http://127.0.0.1:7400"), "{name} does not say where the server is by default");
        assert!(said.out.contains("PARLEY_ADDR"), "{name} does not name the variable");
        assert!(said.out.contains("Exit status: 0 done"), "{name}");
        let (_, options) = said.out.split_once("\nOptions:\n").expect("what every command has");
        let options = options.split("\n\n").next().unwrap_or_default();
        let alone: Vec<&str> = options.lines().filter(|line| line.trim_start().starts_with('-')).collect();
        assert_eq!(alone.len(), 1, "{name} has options without a heading: {alone:?}");
        let old = ["--addr", "--map-seed", "--bots", "--create", "--sizes", "--jobs"];
        assert!(!old.iter().any(|old| said.out.contains(old)), "{name} names an option of before:\n{}", said.out);
        let defaults: &[(&str, &str)] = match name {
            "join" => &[("--size", "small"), ("--turns", "0"), ("--policy", "wander"), ("--attempts", "120")],
            "play" => &[("--size", "small"), ("--turns", "0"), ("--name", "Captain"), ("--tick-ms", "350")],
            "watch" => &[("--tick-ms", "350")],
            "load" => &[("--matches", "500"), ("--players", "4"), ("--turns", "30"), ("--seed", "1")],
            _ => &[("--games", "24"), ("--players", "4"), ("--turns", "60"), ("--seed", "1")],
        };
        for (option, default) in defaults {
            let line = said.out.lines().find(|line| line.trim_start().starts_with(&format!("{option} ")));
            let line = line.unwrap_or_else(|| panic!("{name} has no {option}"));
            assert!(
                line.ends_with(&format!("[default: {default}]")) || line.contains(&format!("[default: {default}] ")),
                "{line}"
            );
        }
    }
}

/// The seed of a new match is the seed of its map, as it is for `parley map`.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_seed_of_a_new_match_draws_its_map() {
    let server = Running::start(&config()).await;
    let folder = tempfile::tempdir().expect("a folder");
    let addr = server.url();
    let mut play = v1::play_client::PlayClient::new(server.channel().await);
    for seed in [7, 8] {
        let text = seed.to_string();
        let new = ["--new", "--size", "tiny", "--seed", &text, "--house", "hold", "--turns", "1"];
        let arguments: Vec<&str> = ["join", "--server", &addr, "--policy", "hold"].into_iter().chain(new).collect();
        let said = bots(folder.path(), &arguments).await;
        assert_eq!((said.status, &*said.err), (Some(0), ""));
        let match_id =
            said.out.lines().next().and_then(|line| line.strip_prefix("match ")).expect("a match").to_owned();
        let view = play.get_view(v1::GetViewRequest { match_id }).await.expect("a view").into_inner();
        let drawn = mapgen::generate(&Rules::plunder(), &MapRequest::preset(SizePreset::Tiny, 2, seed)).expect("a map");
        let terrain: Vec<u8> = drawn.map.grid().tiles().map(|tile| drawn.map.terrain(tile) as u8).collect();
        assert_eq!(view.view.and_then(Arms::into_plunder).expect("a view").terrain, terrain, "seed {seed}");
    }
    server.stop().await;
}

/// A server that takes one order of a sheet refuses whoever has more ships.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bot_whose_orders_are_refused_says_so_and_does_not_end_well() {
    let server = Running::start(&Config { max_orders_per_sheet: 1, ..config() }).await;
    let folder = tempfile::tempdir().expect("a folder");
    let addr = server.url();
    let new = ["--new", "--size", "tiny", "--seed", "3", "--house", "hold", "--turns", "3"];
    let arguments: Vec<&str> = ["join", "--server", &addr, "--policy", "wander"].into_iter().chain(new).collect();
    let said = bots(folder.path(), &arguments).await;
    assert_eq!(said.status, Some(3), "{said:?}");
    assert!(said.out.ends_with("; 3 of its sheets and 0 of its answers were refused\n"), "{said:?}");
    let lines: Vec<&str> = said.err.lines().collect();
    assert_eq!(lines.len(), 3, "{said:?}");
    for (turn, line) in (1..).zip(lines) {
        let start = format!("turn {turn}: sheet refused (TOO_MANY_ORDERS), nothing is ordered instead: ");
        assert!(line.starts_with(&start), "{line}");
    }
    server.stop().await;
}

/// Orders that no rule allows, and answers that are none.
struct Cheat;

impl policy::Policy for Cheat {
    fn orders(&mut self, _: &plunder::View) -> plunder::Sheet {
        let hold = Some(plunder::unit_order::Action::Hold(plunder::Hold {}));
        let unit = plunder::UnitOrder { unit: 999, action: hold, ..plunder::UnitOrder::default() };
        let work = Some(plunder::structure_order::Work::Build("ship".to_owned()));
        let structure = plunder::StructureOrder { structure: 998, work };
        plunder::Sheet { units: vec![unit], structures: vec![structure], ..plunder::Sheet::default() }
    }

    fn answers(&mut self, _: &plunder::View, prompt: &v1::Prompt) -> Vec<v1::Answer> {
        prompt.questions.iter().map(|question| v1::Answer { question: question.id, options: vec![9] }).collect()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_order_that_is_refused_is_told_with_its_rule() {
    let server = Running::start(&config()).await;
    let id = id_of(&server.create(settings(1, &["hold"], 2), "a match for a cheat").await);
    let channel = server.channel().await;
    let request = v1::JoinMatchRequest {
        request_id: "the seat of a cheat".to_owned(),
        match_id: id.clone(),
        ..v1::JoinMatchRequest::default()
    };
    let seat = lobby::join(channel.clone(), &Token::NONE, request).await.expect("a seat");
    let session = Session::new(channel, Settings::new(&id, Token::new(&seat.player_token).expect("a token")));
    let (told, heard) = std::sync::mpsc::channel();
    let tell = Box::new(move |line: &str| told.send(line.to_owned()).expect("somebody listens"));
    let end = play::play_telling(session, Box::new(Cheat), tell).await.expect("an end");
    assert_eq!((end.turn, end.refused_sheets, end.refused()), (2, 2, 2));
    let lines: Vec<String> = heard.iter().collect();
    assert_eq!(lines.len(), 4, "{lines:?}");
    for (number, line) in lines.iter().enumerate() {
        let whose = if number % 2 == 0 { "unit 999" } else { "structure 998" };
        let start =
            format!("turn {}: sheet refused (ORDERS_INVALID), nothing is ordered instead: {whose}: ", number / 2 + 1);
        assert!(line.starts_with(&start) && line.contains(" (R"), "{line}");
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_same_secret_is_the_same_seat() {
    let server = Running::start(&config()).await;
    let folder = tempfile::tempdir().expect("a folder");
    let id = id_of(&server.create(settings(2, &[], 5), "a match to be joined 5").await);
    let join = |secret: &'static str| {
        let arguments = ["join", "--server", &server.url(), "--match", &id, "--policy", "hold", "--attempts", "2"];
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
    let arguments = ["join", "--server", &addr, "--new", "--open", "1", "--policy", "hold", "--attempts", "3"];
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
    let arguments = ["join", "--server", &addr, "--new", "--house", "hold", "--turns", "4", "--policy", "hold", "--ca"];
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
