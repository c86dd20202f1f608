//! A match of the game outlives the process that serves it.
//!
//! No binary of the product knows the game. So the program of these tests is the server too: started with a folder in its
//! environment, one of its tests serves from there until it is killed.

use std::path::Path;
use std::process::Command;

use parley_games::replay::Options;
use parley_gateway::config::{Config, Store};
use parley_gateway::server::Server;
use parley_proto::opaque::v1::News;
use parley_proto::opaque::v1::news::What;

use crate::client::{Client, news_of, step};
use crate::common::config;
use crate::common::process::Process;
use crate::{games, rulesets};

/// Where the folder of the server stands in the environment.
const FOLDER: &str = "PARLEY_TEST_FOLDER_OF_ANY_GAME";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[allow(clippy::print_stdout, reason = "the test that started it reads where it listens")]
#[ignore = "it is the server that the other test kills, and does nothing without a folder"]
async fn the_server_that_is_killed() {
    let Some(data) = std::env::var_os(FOLDER) else { return };
    let config = Config { data: data.into(), store: Store::Embedded, snapshot_every_turns: 2, ..config() };
    let server = Server::start_with(&config, rulesets()).await.expect("the server starts");
    println!("\nlistening on http://{}", server.address());
    server.run(std::future::pending()).await.expect("it is killed");
}

/// News without the view of a turn, which is told only while the turn is planned.
fn without_view(mut news: News) -> News {
    if let Some(What::TurnOpened(opened)) = &mut news.what {
        opened.view = None;
    }
    news
}

async fn server(folder: &Path) -> Process {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["--exact", "crash::the_server_that_is_killed", "--ignored", "--nocapture"]).env(FOLDER, folder);
    Process::launch(&mut command).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_match_goes_on_wherever_its_server_was_killed() {
    let folder = tempfile::tempdir().expect("a folder");
    let running = server(folder.path()).await;
    let mut client = Client::of(running.address);
    let table = client.sit_down(12, &["", "", ""]).await;
    let receipt = client.lock(&table, 0, 1, step(1)).await.expect("locked");
    running.kill();

    // Between two lock-ins. Who repeats a request gets the same promise.
    let running = server(folder.path()).await;
    let mut client = Client::of(running.address);
    let again = client.lock(&table, 0, 1, step(1)).await.expect("locked");
    assert_eq!((again.sheet_hash, again.previous), (receipt.sheet_hash, receipt.previous));
    client.lock(&table, 1, 1, step(-1)).await.expect("locked");
    client.lock(&table, 2, 1, step(1)).await.expect("locked");
    let mut watching = client.watch(&table, &table.tokens[0], 0).await;
    let prompt = watching.prompt().await;
    client.answer(&table, 0, &prompt, 1).await.expect("answered");
    running.kill();

    // In the middle of a window: the answer that was given is not asked for again.
    let running = server(folder.path()).await;
    let mut client = Client::of(running.address);
    let mut watching =
        [client.watch(&table, &table.tokens[0], 0).await, client.watch(&table, &table.tokens[1], 0).await];
    let mut before = Vec::new();
    let prompt_again = loop {
        let news = watching[0].next().await;
        before.push(without_view(news.clone()));
        if let Some(What::Prompt(prompt)) = news.what {
            break prompt;
        }
    };
    assert_eq!(prompt_again.questions, prompt.questions);
    client.answer(&table, 0, &prompt_again, 1).await.expect("the same answer again");
    let prompt = watching[1].prompt().await;
    client.answer(&table, 1, &prompt, 0).await.expect("answered");
    assert_eq!(news_of(&watching[0].outcome().await), [(0, Some(1))]);
    for turn in 2..6 {
        for seat in 0..3 {
            client.lock(&table, seat, turn, step(i32::from(seat == 2 && turn < 4))).await.expect("locked");
        }
        watching[0].outcome().await;
    }
    let (view, _) = client.view(&table, &table.tokens[2]).await;
    running.kill();

    // After turns that a snapshot holds: the match is what it was, and so is what is told of it.
    let running = server(folder.path()).await;
    let mut client = Client::of(running.address);
    assert_eq!(client.view(&table, &table.tokens[2]).await.0, view);
    let mut watching = client.watch(&table, &table.tokens[0], 0).await;
    for known in before {
        assert_eq!(without_view(watching.next().await), known);
    }
    for seat in [0, 1] {
        let sheet = parley_toy::wire::Sheet { step: 0, gives_up: true };
        client.lock(&table, seat, 6, sheet).await.expect("locked");
    }
    client.lock(&table, 2, 6, step(0)).await.expect("locked");
    let outcome = loop {
        let outcome = watching.outcome().await;
        if outcome.turn == 6 {
            break outcome;
        }
    };
    assert!(outcome.ended.is_some());
    let records = client.replay(&table).await;
    let verdict = games().verify(&records, &Options::default());
    assert_eq!((verdict.finding, verdict.turns, verdict.receipts), (None, 6, 18));
    running.kill();
}
