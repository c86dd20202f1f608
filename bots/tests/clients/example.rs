//! The example of the README is the example that is built, and it plays.

#[path = "../../examples/simplest.rs"]
#[allow(dead_code, reason = "its main is for the command line")]
mod simplest;

use crate::service::{Running, config, id_of, settings};

#[test]
fn the_readme_shows_the_whole_example() {
    let (readme, example) = (include_str!("../../README.md"), include_str!("../../examples/simplest.rs"));
    assert!(example.lines().count() < 40, "it is no longer simple");
    assert!(readme.contains(&format!("```rust\n{example}```\n")), "the README shows another example");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_plays_a_match_to_its_end() {
    let server = Running::start(&config()).await;
    let created = server.create(settings(1, &["hold"], 15), "example's match, created").await;
    let arguments = [server.url(), id_of(&created), "a secret of the example's".to_owned()];
    let end = simplest::sail(arguments).await.expect("it plays to the end");
    assert_eq!((end.refused_sheets, end.refused_answers), (0, 0));
    assert!(end.result.is_some() && end.turn == 15, "{end:?}");
    assert!(sailed(&server, &id_of(&created)).await > 20, "it moves its ships");
    server.stop().await;
}

/// How many moves seat 0 ordered, as the replay tells.
async fn sailed(server: &Running, match_id: &str) -> usize {
    use parley_bots::arms::Arms;
    use parley_proto::v1::archive_client::ArchiveClient;
    use parley_proto::v1::replay_record::Record;
    use parley_proto::v1::{GetReplayRequest, Sheet};
    use prost::Message;
    let mut archive = ArchiveClient::new(server.channel().await);
    let request = GetReplayRequest { match_id: match_id.to_owned() };
    let mut records = archive.get_replay(request).await.expect("a replay").into_inner();
    let mut moves = 0;
    while let Some(response) = records.message().await.expect("a record") {
        let Some(Record::Turn(turn)) = response.record.and_then(|record| record.record) else { continue };
        let sheet = turn.sheets.iter().find(|sheet| sheet.seat == 0);
        let sheet = sheet.map(|sheet| Sheet::decode(sheet.sheet.clone()).expect("a sheet"));
        moves += sheet.and_then(Arms::into_plunder).map_or(0, |sheet| sheet.units.len());
    }
    moves
}
