//! House bots play the game with policies of its own.

use parley_proto::opaque::v1 as api;

use crate::client::{Client, news_of, settings, step, told};
use crate::common::{Running, config};
use crate::rulesets;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_house_bot_plays_a_seat_by_a_policy_of_its_game() {
    let server = Running::start_with(&config(), rulesets()).await;
    let mut client = Client::of(server.address);
    let named = |ruleset: &str| api::ListHouseBotsRequest { ruleset: ruleset.to_owned() };
    let policies = client.lobby.list_house_bots(named("lanterns")).await.expect("names").into_inner().policies;
    assert_eq!(policies, ["leftward"]);
    let first = client.lobby.list_house_bots(named("")).await.expect("names").into_inner().policies;
    assert!(first.contains(&"raider".to_owned()), "{first:?}");
    client.lobby.list_house_bots(named("chess")).await.expect_err("there is no such game");
    let refused = client.create(settings(9, &["", "raider"])).await.expect_err("a policy of another game");
    assert!(refused.message().contains("there are leftward"), "{refused}");

    // The bot begins on tile 2 and goes to tile 1, where it meets the player and insists.
    let table = client.sit_down(9, &["", "leftward"]).await;
    let mut watching = client.watch(&table, &table.tokens[0], 0).await;
    client.lock(&table, 0, 1, step(1)).await.expect("locked");
    let prompt = watching.prompt().await;
    client.answer(&table, 0, &prompt, 1).await.expect("answered");
    let outcome = watching.outcome().await;
    assert_eq!(news_of(&outcome), [(0, Some(1)), (0, None)]);
    assert!(outcome.ended.is_some(), "both lanterns went out");

    let turns = api::GetTurnsRequest { match_id: table.id.clone(), first: 1, ..Default::default() };
    let turns = client.archive.get_turns(turns).await.expect("turns").into_inner().turns;
    let everything = told(turns[0].news.as_deref().expect("news"));
    assert_eq!(everything, [(0, Some(1)), (1, Some(1)), (0, None), (1, None)]);
    server.stop().await;
}
