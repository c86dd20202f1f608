//! A replay of the game proves itself to whoever knows the game, and to nobody else.

use parley_games::hosted::Games;
use parley_games::replay::Options;
use parley_proto::v1::replay_record::Record;
use parley_proto::v1::{ReplayRecord, ReplayTurn};
use parley_toy::wire::{Sheet, under_arm};

use crate::client::{Client, step};
use crate::common::{Running, config};
use crate::{games, rulesets};

/// Changes a turn of a replay and says what is found.
fn found(records: &[ReplayRecord], change: impl Fn(&mut ReplayTurn)) -> String {
    let mut records = records.to_vec();
    for record in &mut records {
        if let Some(Record::Turn(turn)) = &mut record.record {
            change(turn);
            break;
        }
    }
    games().verify(&records, &Options::default()).finding.map(|finding| finding.to_string()).unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replay_is_proven_by_the_game_that_its_header_names() {
    let server = Running::start_with(&config(), rulesets()).await;
    let mut client = Client::of(server.address);
    let table = client.sit_down(5, &["", ""]).await;
    let mut watching =
        [client.watch(&table, &table.tokens[0], 0).await, client.watch(&table, &table.tokens[1], 0).await];
    client.lock(&table, 0, 1, step(1)).await.expect("locked");
    client.lock(&table, 1, 1, step(-1)).await.expect("locked");
    for (seat, option) in [(0, 1), (1, 0)] {
        let prompt = watching[seat].prompt().await;
        client.answer(&table, seat, &prompt, option).await.expect("answered");
    }
    client.lock(&table, 1, 2, Sheet { step: 1, gives_up: true }).await.expect("locked");
    client.lock(&table, 0, 2, step(0)).await.expect("locked");
    watching[0].outcome().await;
    watching[0].outcome().await;
    let records = client.replay(&table).await;
    server.stop().await;

    let verdict = games().verify(&records, &Options::default());
    assert_eq!((verdict.finding, verdict.turns, verdict.receipts), (None, 2, 4));
    let account = games().account(&records, None, |_, _| [0; 16]).expect("an account").to_text();
    assert!(account.contains("Player 0 carried the lantern to tile 1."), "{account}");
    assert!(account.contains("The lantern of Player 1 went out.") && account.ends_with("Player 0 won."), "{account}");

    // Whoever does not know the game says so.
    let unknown = Games::default().verify(&records, &Options::default()).finding.expect("it is unknown");
    assert_eq!(
        unknown.to_string(),
        "header, ruleset: it is of the game \"lanterns\", and only \"plunder\" is known here"
    );

    // Whatever was changed is found.
    let orders = under_arm(&step(0));
    let changed = found(&records, |turn| turn.sheets[0].sheet = orders.clone());
    assert_eq!(changed, "turn 1, seat 0, sheet: these are not the orders that the receipt is for");
    let changed = found(&records, |turn| turn.windows[0].answers[0].options = vec![0]);
    assert_eq!(changed, "turn 1, lantern 0, tile: the turn leads to tile 0, recorded is another");
    let changed = found(&records, |turn| turn.state = turn.state.iter().map(|byte| byte ^ 1).collect());
    assert!(changed.starts_with("turn 1, "), "{changed}");
    let changed = found(&records, |turn| turn.digest = vec![0; 32].into());
    assert!(changed.starts_with("turn 1, match, digest: "), "{changed}");

    // Under the rules of a longer row all is the same; a shorter one could not hold the match.
    let under = |rules: &str| {
        let (game, _) = games().of_replay(&records).expect("a replay of lanterns");
        let rules = Some(game.rules_of_file(rules).expect("rules"));
        games().verify(&records, &Options { rules, ..Options::default() }).divergence.expect("it was asked for")
    };
    assert_eq!(under("lanterns on a row of 64"), None);
    assert!(under("lanterns on a row of 2").is_some());
}
