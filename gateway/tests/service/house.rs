//! House bots play through the public API, and a match of them needs nobody.

use crate::common::naval::Naval;
use crate::common::{Running, config, id_of, settings};
use parley_proto::v1;
use parley_proto::v1::news::What;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_match_of_house_bots_plays_itself_to_the_end() {
    let server = Running::start(&config()).await;
    let mut client = server.client().await;
    let seats = ["wander", "hold", "wander", "wander"];
    let seats = seats.map(|policy| v1::SeatChoice { house_bot: policy.to_owned() }).to_vec();
    let rules = r#"{"turn_limit": 40}"#.to_owned();
    let settings = v1::MatchSettings { seats, ..settings(4, 7).with_rules(rules) };
    let id = id_of(&client.create(settings, Some([7; 32])).await);
    let watch = v1::WatchRequest { match_id: id.clone(), after: 0, views: false, ..Default::default() };
    let mut news = client.play.watch(watch).await.expect("a stream").into_inner();
    let (mut cursor, mut turns, mut ended) = (0, 0, None);
    while let Some(response) = news.message().await.expect("no error") {
        let news = response.news.expect("news");
        assert_eq!(news.cursor, cursor + 1);
        cursor = news.cursor;
        if let Some(What::Outcome(outcome)) = news.what {
            turns += 1;
            assert_eq!(outcome.turn, turns);
            ended = outcome.ended;
        }
    }
    let ended = ended.expect("the match ended");
    assert_eq!(ended.secret.as_ref(), [7; 32]);
    assert!(ended.result.is_some());
    assert!(turns > 5, "only {turns} turns");
    server.stop().await;
}
