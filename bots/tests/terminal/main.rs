//! A person plays and watches in a real terminal, against a real server.
#![cfg(unix)]

mod house;
mod person;

use std::process::{Command, Stdio};

use house::House;
use person::Person;

const RIGHT: &str = "\x1b[C";
const ENTER: &str = "\r";
const CONTROL_C: &str = "\x03";

/// Plays the duel from the lobby to its end, with an encounter on the way.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_whole_match_is_played_from_the_lobby_to_the_end() {
    let house = House::open().await;
    let id = house.duel().await;
    let state = tempfile::tempdir().expect("a folder");
    let ann = ["play", "--server", &house.address, "--match", &id, "--name", "Ann", "--tick-ms", "20"];
    let ann = Person::start(state.path(), &ann);
    ann.sees(&["waiting for players", "seat 0: Ann (you)", "seat 1: open", "connected"]);

    let bea = house.bea_joins(&id).await;
    ann.sees(&["turn 1", "planning", "A Ann", "B Bea", "A⌂", "B⌂"]);
    ann.keys(&format!("\t{}{ENTER}", RIGHT.repeat(4)));
    ann.sees(&["Ship 1 sails to (4, 0): 4 tiles, 2 turns.", "orders 1, cost 0"]);
    ann.keys("L");

    ann.sees(&[
        "ENTRY ENCOUNTER — choose: YIELD or ATTACK",
        "yours:  ship 1 with 10/10 hp",
        "Bea's ship 2 with 10/10 hp",
        "they attack: (3, 0) is contested; you sink 0.0%, -2.0 hp;",
    ]);
    ann.keys("a");
    ann.sees(&["turn 2", "planning", "✖1", "(3, 0) is contested now, by your ship 1 and Bea's ship 2."]);

    ann.keys("L");
    let screen = ann.sees(&["You win the match.", "parley verify", "finished"]);
    bea.await.expect("no panic");
    let digest = house.last_digest(&id).await;
    assert!(digest.len() == 64 && screen.contains(&digest), "{digest}\n{screen}");
    ann.keys("q");
    let (status, words) = ann.ends();
    assert!(status.success());
    assert_eq!(words.replace('\n', ""), format!("You win the match. Prove it with: parley replay export {id}"));

    // Whoever was not there can watch it afterwards, on a screen or as lines.
    let watch = ["watch", "--server", &house.address, "--match", &id, "--tick-ms", "0"];
    let watcher = Person::start(state.path(), &watch);
    watcher.sees(&["Ann wins the match.", "finished", &digest]);
    watcher.keys("q");
    assert!(watcher.ends().0.success());
    let lines = Command::new(env!("CARGO_BIN_EXE_parley-bots")).args(&watch[..5]).output().expect("it runs");
    let lines = String::from_utf8(lines.stdout).expect("text");
    let told: Vec<&str> = lines.lines().collect();
    for line in ["Turn 1", "tick 3: Bea's ship 2 attacks.", "Bea gives up and is out.", &format!("Digest {digest}")] {
        assert!(told.contains(&line), "{line}\n{lines}");
    }
    house.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_seat_is_kept_through_resizing_and_control_c() {
    let house = House::open().await;
    let id = house.duel().await;
    let state = tempfile::tempdir().expect("a folder");
    let ann = ["play", "--server", &house.address, "--match", &id, "--name", "Ann", "--tick-ms", "0"];
    let ann = Person::start(state.path(), &ann);
    ann.sees(&["seat 1: open"]);
    let bea = house.bea_joins(&id).await;
    ann.sees(&["turn 1", "planning"]);
    ann.resize(10, 50);
    ann.sees(&["Too small: 64x20 is needed, this is 50x10."]);
    ann.resize(40, 120);
    ann.sees(&["turn 1", "B Bea", "Tab next ship"]);
    ann.keys(&format!("\t{RIGHT}{ENTER}"));
    ann.sees(&["Ship 1 sails to (1, 0): 1 tile, 1 turn.", "orders 1, cost 0"]);
    ann.keys(CONTROL_C);
    let (status, words) = ann.ends();
    assert!(status.success());
    let path = state.path().join("parley").join(format!("{id}.seat"));
    let command = format!("The seat is kept. Go on with: parley-bots play --seat-file {}", path.display());
    assert_eq!(words.replace('\n', ""), command);

    let path = path.to_str().expect("text").to_owned();
    let ann = Person::start(state.path(), &["play", "--seat-file", &path]);
    ann.sees(&["turn 1", "planning", "orders 1, cost 0"]);
    house.close().await;
    ann.sees(&["reconnecting", "The connection is lost"]);
    ann.keys("q");
    ann.sees(&["Your seat and orders are kept.", "Leave now?"]);
    ann.keys("y");
    let (status, words) = ann.ends();
    assert!(status.success());
    assert_eq!(words.replace('\n', ""), command);
    bea.abort();
}

/// A key and the signal of a new size that arrive at the same moment are both taken up.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_key_is_lost_while_the_window_changes_its_size() {
    let house = House::open().await;
    let id = house.duel().await;
    let state = tempfile::tempdir().expect("a folder");
    let ann = Person::start(state.path(), &["play", "--server", &house.address, "--match", &id, "--name", "Ann"]);
    ann.sees(&["seat 1: open", "connected"]);
    for round in 0..40 {
        ann.resize(30 + round % 2, 100);
        ann.keys("?");
        ann.sees(&["any key closes this"]);
        ann.resize(30 + round % 2, 101);
        ann.keys("?");
        ann.sees(&["? help  q quit"]);
    }
    ann.keys("q");
    ann.sees(&["Leave now?"]);
    ann.keys("y");
    assert!(ann.ends().0.success());
    house.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_match_against_the_house_begins_at_once() {
    let house = House::open().await;
    let state = tempfile::tempdir().expect("a folder");
    let play = ["play", "--server", &house.address, "--size", "tiny", "--house", "wander", "--seed", "7", "--fog"];
    let ann = Person::start(state.path(), &play);
    ann.sees(&["turn 1", "planning", "A Captain", "B wander", "A3⌂█", "connected"]);
    ann.keys("\t\t\t\tn");
    ann.sees(&["Shipyard 1 builds a ship for 50 gold, ready in 3 turns."]);
    ann.keys("L");
    ann.sees(&["3 ships have nothing to do."]);
    ann.keys("y");
    ann.sees(&["turn 2", "planning", "You receive"]);
    ann.keys("C");
    ann.sees(&["Give up this match"]);
    ann.keys("y");
    ann.sees(&["wander wins the match.", "finished"]);
    ann.keys("q");
    assert!(ann.ends().0.success());
    house.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn matches_can_be_picked_from_a_list() {
    let house = House::open().await;
    let state = tempfile::tempdir().expect("a folder");
    let nothing = Person::start(state.path(), &["watch", "--server", &house.address]);
    nothing.sees_the_end();
    assert!(!nothing.took_the_screen());
    let (status, words) = nothing.ends();
    assert_eq!((status.code(), words.as_str()), (Some(1), "there is no public match to watch"));
    let id = house.duel().await;
    let watcher = Person::start(state.path(), &["watch", "--server", &house.address]);
    watcher.sees(&["Which match?", &id, "open"]);
    watcher.keys(ENTER);
    watcher.sees(&["waiting for players", "seat 0: open"]);
    watcher.keys("q");
    assert!(watcher.ends().0.success());
    house.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_goes_wrong_before_the_screen_is_one_line() {
    let state = tempfile::tempdir().expect("a folder");
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let nobody = format!("http://{}", listener.local_addr().expect("an address"));
    drop(listener);
    let house = House::open().await;
    let missing = state.path().join("bad.seat");
    std::fs::write(&missing, "{}").expect("written");
    let missing = missing.to_str().expect("text");
    for (arguments, status, start) in [
        (vec!["play", "--server", &nobody], 1, "nothing answers at"),
        (vec!["watch", "--server", &nobody], 1, "nothing answers at"),
        (vec!["play", "--server", &house.address, "--match", "nothing"], 2, "the lobby refused"),
        (vec!["play", "--server", &house.address, "--size", "9x"], 2, "--size: \"9x\" is not one of"),
        (vec!["play", "--server", &house.address, "--size", "9x9999"], 2, "the lobby refused"),
        (vec!["play", "--seat-file", missing], 2, missing),
    ] {
        let person = Person::start(state.path(), &arguments);
        person.sees_the_end();
        assert!(!person.took_the_screen(), "{arguments:?}");
        let (ended, words) = person.ends();
        assert_eq!(ended.code(), Some(status), "{arguments:?}: {words}");
        assert!(words.starts_with(start), "{arguments:?}: {words}");
    }
    let piped = Command::new(env!("CARGO_BIN_EXE_parley-bots")).arg("play").stdin(Stdio::null()).output();
    let piped = piped.expect("it runs");
    let words = String::from_utf8(piped.stderr).expect("text");
    assert_eq!(piped.status.code(), Some(2));
    assert!(
        words.starts_with("`play` needs a terminal, and standard input or output is none; ")
            && words.lines().count() == 1,
        "{words}"
    );
    house.close().await;
}
