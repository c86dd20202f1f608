//! The league as it is used: games that can be played again, replays that are proven, and the same games on a server.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::service::{Running, Said, bots, config};
use parley_games::replay::file::{self, Limits};
use parley_games::replay::{Options, verify};
use parley_proto::v1::replay_record::Record;
use serde_json::Value;

/// The files of a folder by name.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let name = |path: &Path| path.file_name().expect("a name").to_string_lossy().into_owned();
    entries.map(|path| (name(&path), fs::read(&path).expect("a file"))).collect()
}

fn contents(folder: &Path) -> Value {
    serde_json::from_slice(&fs::read(folder.join("league.json")).expect("a file")).expect("JSON")
}

/// The replays of a league, every one of them proven.
fn proven(folder: &Path, games: usize) {
    let contents = contents(folder);
    let lines = contents["games"].as_array().expect("games");
    assert_eq!(lines.len(), games);
    for line in lines {
        let name = line["replay"].as_str().expect("a name");
        let bytes = fs::read(folder.join(name)).expect("a replay");
        let records = file::read(&bytes[..], &Limits::default()).expect("a replay");
        let verdict = verify(&records, &Options::default());
        assert_eq!(verdict.finding, None, "{name}");
        assert_eq!(Some(u64::from(verdict.turns)), line["turns"].as_u64(), "{name}");
        assert_eq!(verdict.digest.map(|digest| digest.to_string()).as_deref(), line["digest"].as_str(), "{name}");
        let Some(Record::Header(header)) = &records[0].record else { panic!("no header") };
        let seats: Vec<&str> = header.seats.iter().map(|seat| seat.name.as_str()).collect();
        let told: Vec<&str> = line["seats"].as_array().expect("seats").iter().filter_map(Value::as_str).collect();
        assert_eq!(seats, told, "{name}");
    }
    assert_eq!(files(folder).len(), games + 1, "nothing else is left");
}

const SMALL: [&str; 9] =
    ["league", "--policies", "hold,wander", "--games", "6", "--turns", "12", "--size", "tiny,small"];

async fn league(folder: &Path, more: &[&str]) -> Said {
    let arguments: Vec<&str> = SMALL.iter().chain(more).copied().collect();
    bots(folder, &arguments).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_same_seed_is_the_same_league_byte_for_byte() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let first = league(folder.path(), &["--seed", "5", "--out", "first", "--threads", "1"]).await;
    assert_eq!((first.status, &*first.err), (Some(0), ""));
    assert!(first.out.starts_with("6 mirrored games of pairs, 4 seats, up to 12 turns, seed 5\n"), "{}", first.out);
    assert!(first.out.contains("\nwander against hold: "), "{}", first.out);
    assert!(first.out.ends_with("\n0 orders refused, 0 answers refused, 0 questions left to their defaults\n"));
    proven(&at("first"), 6);

    let again = league(folder.path(), &["--seed", "5", "--out", "again", "--threads", "3"]).await;
    assert_eq!(first, again);
    assert!(files(&at("first")) == files(&at("again")), "every file is the same");
    let other = league(folder.path(), &["--seed", "6", "--threads", "2", "--json", "other.json"]).await;
    assert_eq!((other.status, &*other.err), (Some(0), ""));
    proven(&at("league-replays/6"), 6);
    assert_eq!(fs::read(at("other.json")).ok(), fs::read(at("league-replays/6/league.json")).ok());
    assert_ne!(
        files(&at("first"))["game-00001.parley-replay"],
        files(&at("league-replays/6"))["game-00001.parley-replay"]
    );

    // What the table of contents names as its command is the league again.
    let command = contents(&at("first"))["command"].as_str().expect("a command").to_owned();
    let arguments: Vec<&str> = command.split(' ').skip(1).chain(["--out", "third"]).collect();
    assert_eq!(bots(folder.path(), &arguments).await, first);
    assert!(files(&at("first")) == files(&at("third")), "every file is the same");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_a_server_the_same_secrets_are_the_same_games() {
    let server = Running::start(&config()).await;
    let folder = tempfile::tempdir().expect("a folder");
    for fog in [&["--seed", "8"][..], &["--seed", "9", "--fog"]] {
        let (here, there) = (format!("here-{}", fog.len()), format!("there-{}", fog.len()));
        let local = league(folder.path(), &[fog, &["--out", &here]].concat()).await;
        let addr = server.url();
        let on_server = ["--server", &addr, "--fixed-secrets", "--concurrency", "3", "--out", &there];
        let remote = league(folder.path(), &[fog, &on_server].concat()).await;
        assert_eq!(local, remote);
        assert_eq!(local.status, Some(0));
        proven(&folder.path().join(&there), 6);
        let games = |name: &str| contents(&folder.path().join(name))["games"].clone();
        assert_eq!(games(&here), games(&there));
    }

    // With the server's own dice, all that is left to tell is the table.
    let remote = league(folder.path(), &["--server", &server.url(), "--no-replays", "--json", "table.json"]).await;
    assert_eq!((remote.status, &*remote.err), (Some(0), ""));
    let table: Value =
        serde_json::from_slice(&fs::read(folder.path().join("table.json")).expect("a file")).expect("JSON");
    assert!(table["games"].as_array().is_some_and(|games| games.len() == 6 && games[0]["secret"].is_null()));
    assert!(!folder.path().join("league-replays").exists());
    server.stop().await;
}

/// A server that takes one order of a sheet refuses whoever has more ships.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn policies_whose_orders_are_refused_are_named() {
    let server = Running::start(&parley_gateway::config::Config { max_orders_per_sheet: 1, ..config() }).await;
    let folder = tempfile::tempdir().expect("a folder");
    let (url, short) = (server.url(), ["--games", "2", "--turns", "2", "--size", "tiny", "--no-replays"]);
    let arguments = ["league", "--policies", "hold,wander", "--server", &url].into_iter().chain(short);
    let said = bots(folder.path(), &arguments.collect::<Vec<_>>()).await;
    assert_eq!(said.status, Some(3), "{said:?}");
    let mut lines: Vec<&str> = said.err.lines().collect();
    let last = lines.pop().expect("a line");
    assert!(last.starts_with("orders or answers of policies were refused in "), "{said:?}");
    let refused: Option<usize> = said.out.lines().last().and_then(|line| line.split(' ').next()?.parse().ok());
    assert_eq!(refused, Some(lines.len()), "{said:?}");
    let sheet = ": sheet refused (TOO_MANY_ORDERS), nothing is ordered instead: ";
    assert!(lines.iter().all(|line| line.starts_with("game ") && line.contains(", wander on seat ")), "{said:?}");
    assert!(!lines.is_empty() && lines.iter().all(|line| line.contains(sheet)), "{said:?}");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_goes_wrong_is_one_line() {
    let server = Running::start(&parley_gateway::config::Config { allow_fixed_secrets: false, ..config() }).await;
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("full")).expect("a folder");
    fs::write(folder.path().join("full/file"), "").expect("written");
    let addr = server.url();
    let cases: &[(&[&str], i32, &str)] = &[
        (&["--policies", "hold,chaos"], 2, "there is no policy \"chaos\", there are hold, "),
        (&["--policies", "hold,wander,hold"], 2, "hold is named twice"),
        (&["--policies", "hold"], 2, "a league of pairs needs at least 2 policies"),
        (&["--policies", "hold,wander", "--mode", "all"], 2, "a league of all needs at least 3 policies"),
        (&["--players", "3"], 2, "two policies cannot have half of 3 seats each"),
        (&["--players", "17"], 2, "a game has 2 to 16 players, not 17"),
        (&["--players", "6", "--size", "small,tiny"], 2, "a tiny map has no room for 6 players"),
        (&["--games", "0"], 2, "a league has at least 1 game, "),
        (&["--games", "9999999"], 2, "a league has at most 1000000 games"),
        (&["--out", "full"], 2, "full: there is something in it already; "),
        (&["--out", "full/file"], 1, "full/file: "),
        (&["--json", "no/file.json", "--games", "2", "--no-replays", "--turns", "2"], 1, "no/file.json: "),
        (&["--server", "ftp://x"], 2, "\"ftp://x\" is not an address such as "),
        (&["--server", "http://127.0.0.1:1"], 1, "nothing answers at http://127.0.0.1:1 (connection refused); "),
        (&["--server", &addr, "--no-replays", "--fixed-secrets"], 1, "game 1: the lobby refused: "),
        (
            &["--games", "2", "--no-replays", "--turns", "1", "--require", "100"],
            1,
            "not every policy wins 100% of its games",
        ),
    ];
    for (arguments, status, text) in cases {
        let arguments: Vec<&str> = ["league"].iter().chain(*arguments).copied().collect();
        let said = bots(folder.path(), &arguments).await;
        assert_eq!(said.status, Some(*status), "{arguments:?}: {}", said.err);
        assert!(said.err.starts_with(text) && said.err.lines().count() == 1, "{arguments:?}: {}", said.err);
    }
    assert!(!folder.path().join("league-replays").exists(), "nothing is half-done");
    server.stop().await;
}
