//! A match of two, turn by turn: what is taken, what is refused, and who is told what.

use parley_proto::opaque::v1 as api;
use parley_toy::wire::{Advice, Query, Sheet, of_arm, under_arm};

use crate::client::{Client, news_of, settings, step, told};
use crate::common::{Running, bearer, config, reason, request_id};
use crate::rulesets;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_match_is_played_and_nobody_is_told_what_is_dark_for_them() {
    let server = Running::start_with(&config(), rulesets()).await;
    let mut client = Client::of(server.address);
    let table = client.sit_down(5, &["", ""]).await;
    let [one, two] = [0, 1].map(|seat| table.tokens[seat].clone());
    let mut watching = [client.watch(&table, &one, 0).await, client.watch(&table, &two, 0).await];

    // Lanterns begin two tiles apart, where they do not see each other. Spectators see none.
    let sees = |view: &parley_toy::wire::View| view.lanterns.iter().map(|lantern| lantern.seat).collect::<Vec<_>>();
    assert_eq!(sees(&client.view(&table, &one).await.1), [0]);
    assert_eq!(sees(&client.view(&table, &two).await.1), [1]);
    assert_eq!(sees(&client.view(&table, "").await.1), [] as [u32; 0]);

    // What is said makes sense to the game, or is refused.
    let query = api::AdviseRequest { match_id: table.id.clone(), query: Some(under_arm(&Query {})) };
    let advice = client.play.advise(bearer(&one, query)).await.expect("advice").into_inner().advice.expect("advice");
    assert_eq!(of_arm::<Advice>(&advice).expect("a message").expect("of lanterns").steps, [0, 1]);
    let refused = client.lock(&table, 0, 1, step(-1)).await.expect_err("off the row");
    assert_eq!(reason(&refused), "ORDERS_INVALID");
    let naval = api::LockInRequest {
        request_id: request_id(),
        match_id: table.id.clone(),
        turn: 1,
        sheet: Some(bytes::Bytes::from_static(b"\x0a\x00")),
    };
    let refused = client.play.lock_in(bearer(&one, naval)).await.expect_err("a sheet of another game");
    assert!(refused.message().contains("it is not one of lanterns"), "{refused}");
    let stage = api::StageOrdersRequest {
        request_id: request_id(),
        match_id: table.id.clone(),
        turn: 1,
        sheet: Some(under_arm(&step(7))),
    };
    let staged = client.play.stage_orders(bearer(&one, stage)).await.expect("staged").into_inner();
    assert_eq!((staged.faults.len(), &staged.faults[0].text[..]), (1, "off the row"));

    // Both go to the tile between them, and are asked. Each is told of the own way alone.
    client.lock(&table, 0, 1, step(1)).await.expect("locked");
    client.lock(&table, 1, 1, step(-1)).await.expect("locked");
    let [first, second] = [watching[0].prompt().await, watching[1].prompt().await];
    for (seat, prompt) in [(0, &first), (1, &second)] {
        let question = &prompt.questions[0];
        assert_eq!((prompt.questions.len(), &question.kind[..], question.options.len()), (1, "meeting", 2));
        assert_eq!(told(prompt.so_far.as_deref().expect("what happened")), [(seat, Some(1))]);
    }
    let refused = client.answer(&table, 0, &first, 2).await.expect_err("there is no such option");
    assert_eq!(reason(&refused), "ANSWERS_INVALID");
    client.answer(&table, 0, &first, 1).await.expect("answered");
    client.answer(&table, 1, &second, 0).await.expect("answered");
    let outcomes = [watching[0].outcome().await, watching[1].outcome().await];
    assert_eq!(news_of(&outcomes[0]), [(0, Some(1))]);
    assert_eq!(news_of(&outcomes[1]), [(1, Some(1)), (1, Some(2))], "who gave way went back");
    let mut watcher = client.watch(&table, "", 0).await;
    assert_eq!(news_of(&watcher.outcome().await), []);

    // Now they are neighbours.
    let (_, view) = client.view(&table, &one).await;
    assert_eq!((sees(&view), &view.remembered[..]), (vec![0, 1], &[0, 1][..]));

    // One gives up, and the match is over.
    client.lock(&table, 1, 2, Sheet { step: 0, gives_up: true }).await.expect("locked");
    client.lock(&table, 0, 2, step(0)).await.expect("locked");
    let outcome = watching[0].outcome().await;
    assert_eq!(news_of(&outcome), [(1, None)]);
    let result = outcome.ended.and_then(|ended| ended.result).and_then(|result| result.result);
    assert_eq!(result, Some(parley_proto::common::v1::match_result::Result::Winner(0)));

    // Whoever was away is told the same, from wherever they left off.
    let all = client.watch(&table, &one, 0).await.rest().await;
    for after in 0..all.len() {
        let rest = client.watch(&table, &one, after as u64).await.rest().await;
        assert_eq!(rest, all[after..], "after {after}");
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_match_is_of_the_game_whose_arm_its_settings_have() {
    let server = Running::start_with(&config(), rulesets()).await;
    let mut client = Client::of(server.address);
    let created = client.create(settings(9, &["", "", ""])).await.expect("a match");
    let settings_told = created.settings.clone().expect("settings");
    assert_eq!((&created.ruleset[..], &settings_told.name[..]), ("lanterns", "3 lanterns"));
    let unnamed = api::MatchSettings { game: None, ..settings(9, &["", ""]) };
    assert_eq!(client.create(unnamed.clone()).await.expect("a match").ruleset, "plunder");
    let of_nobody = api::MatchSettings { game: Some(bytes::Bytes::from_static(b"\xfa\x3f\x00")), ..unnamed };
    let refused = client.create(of_nobody.clone()).await.expect_err("no such game");
    let sentence = r#"it is of another game, and only "plunder" and "lanterns" are known here"#;
    assert!(refused.message().contains(sentence), "{refused}");
    let refused = client.create(settings(9, &[""; 9])).await.expect_err("too many seats for the game");
    assert!(refused.message().contains("1 to 8 seats"), "{refused}");
    server.stop().await;

    // A server without the game refuses it by its arm.
    let server = Running::start(&config()).await;
    let refused = Client::of(server.address).create(settings(9, &["", ""])).await.expect_err("no such game");
    assert!(refused.message().contains(r#"only "plunder" is known here"#), "{refused}");
    server.stop().await;
}
