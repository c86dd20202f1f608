//! Matches before they are played: created, found, joined, left, started and stopped, over sockets.

use crate::common::naval::Naval;
use crate::common::{Client, Running, bearer, config, id_of, reason, request_id};
use crate::sea::duel;
use parley_games::plunder::changes;
use parley_games::plunder::game::rules::Rules;
use parley_games::times;
use parley_proto::plunder::v1::map_choice::Source;
use parley_proto::v1;
use parley_proto::v1::admin_client::AdminClient;
use parley_proto::v1::news::What;
use tonic::{Code, Status};

fn unstarted() -> v1::MatchSettings {
    v1::MatchSettings { start_when_full: false, ..duel() }
}

fn creation(settings: v1::MatchSettings) -> v1::CreateMatchRequest {
    v1::CreateMatchRequest { request_id: request_id(), settings: Some(settings), ..v1::CreateMatchRequest::default() }
}

fn joining(id: &str) -> v1::JoinMatchRequest {
    v1::JoinMatchRequest { request_id: request_id(), match_id: id.to_owned(), ..v1::JoinMatchRequest::default() }
}

fn named(status: &Status) -> (Code, String) {
    (status.code(), reason(status))
}

fn invalid(field: &str) -> (Code, String, Vec<String>) {
    (Code::InvalidArgument, "FIELD_INVALID".to_owned(), vec![field.to_owned()])
}

fn fields(status: &Status) -> (Code, String, Vec<String>) {
    use tonic_types::StatusExt;
    let violations = status.get_details_bad_request().map(|bad| bad.field_violations).unwrap_or_default();
    (status.code(), reason(status), violations.into_iter().map(|violation| violation.field).collect())
}

async fn find(client: &mut Client, id: &str, token: &str) -> Result<v1::GetMatchResponse, Status> {
    let request = v1::GetMatchRequest { match_id: id.to_owned() };
    client.lobby.get_match(bearer(token, request)).await.map(tonic::Response::into_inner)
}

async fn start(client: &mut Client, id: &str, token: &str) -> Result<(), Status> {
    let request = v1::StartMatchRequest { request_id: request_id(), match_id: id.to_owned() };
    client.lobby.start_match(bearer(token, request)).await.map(drop)
}

async fn stop(client: &Client, id: &str, token: &str, why: &str) -> Result<(), Status> {
    let mut admin = AdminClient::new(client.channel.clone());
    let (request_id, match_id, reason) = (request_id(), id.to_owned(), why.to_owned());
    admin.stop_match(bearer(token, v1::StopMatchRequest { request_id, match_id, reason })).await.map(drop)
}

/// The ids of a list, page by page.
async fn pages(client: &mut Client, stage: v1::MatchStage, page_size: u32) -> Vec<Vec<String>> {
    let (mut pages, mut page_token) = (Vec::new(), String::new());
    loop {
        let request = v1::ListMatchesRequest { stage: stage.into(), page_size, page_token };
        let page = client.lobby.list_matches(request).await.expect("a page").into_inner();
        pages.push(page.matches.into_iter().map(|found| found.match_id).collect());
        page_token = page.next_page_token;
        if page_token.is_empty() {
            return pages;
        }
    }
}

#[tokio::test]
async fn a_new_match_says_what_it_is_and_hides_what_is_secret() {
    let server = Running::start(&config()).await;
    let mut client = server.client().await;
    let created = client.create(unstarted(), Some([9; 32])).await;
    let found = created.r#match.clone().expect("a match");
    assert_eq!((found.stage(), found.turn, found.fixed_secret), (v1::MatchStage::Open, 0, true));
    assert_eq!(found.seed_commitment.as_ref(), blake3::hash(&[9; 32]).as_bytes());
    let changes = changes::read(duel().naval().changes.as_ref().expect("changes")).expect("changes of rules");
    let rules = Rules::plunder().with_overrides(&changes).expect("rules");
    assert_eq!(found.rules_hash.as_ref(), rules.hash().as_bytes());
    assert_eq!(found.seats.iter().map(|seat| (seat.seat, seat.taken)).collect::<Vec<_>>(), [(0, false), (1, false)]);
    let mut settings = found.settings.clone().expect("settings");
    assert_eq!(found.ruleset, "plunder");
    assert!(!settings.name.is_empty(), "a name is made up");
    assert_eq!((settings.visibility(), settings.naval().fog), (v1::Visibility::Public, Some(false)));
    assert!(created.invite_token.is_empty() && !created.host_token.is_empty());
    let answer = find(&mut client, &found.match_id, "").await.expect("a match");
    assert_eq!(answer.r#match, Some(found));
    assert_eq!(answer.rules, rules.to_json());
    assert_eq!(answer.receipt_key.as_ref(), server.matches.keyring.receipt_public_key());
    server.stop().await;
}

#[tokio::test]
async fn names_have_their_limits() {
    let server = Running::start(&config()).await;
    let mut client = server.client().await;
    for (name, good) in [("ö".repeat(80), true), ("ö".repeat(81), false), ("two\nlines".to_owned(), false)] {
        let answer = client.lobby.create_match(creation(v1::MatchSettings { name: name.clone(), ..duel() })).await;
        match answer {
            Ok(created) => {
                let found = created.into_inner().r#match.expect("a match");
                assert!(good && found.settings.expect("settings").name == name);
            }
            Err(status) => assert_eq!((fields(&status), good), (invalid("settings.name"), false)),
        }
    }
    let id = id_of(&client.create(unstarted(), None).await);
    for name in ["ö".repeat(41), "bell\u{7}".to_owned()] {
        let status = client.lobby.join_match(v1::JoinMatchRequest { name, ..joining(&id) }).await.expect_err("a name");
        assert_eq!(fields(&status), invalid("name"));
    }
    let name = "ö".repeat(40);
    let request = v1::JoinMatchRequest { name: name.clone(), ..joining(&id) };
    let joined = client.lobby.join_match(request).await.expect("a seat").into_inner();
    assert_eq!(joined.r#match.expect("a match").seats[0].name, name);
    server.stop().await;
}

#[tokio::test]
async fn settings_that_make_no_sense_are_refused_with_the_field() {
    let server = Running::start(&config()).await;
    let mut client = server.client().await;
    let house_bot = "nobody".to_owned();
    let span = |seconds, nanos| prost_types::Duration { seconds, nanos };
    let cases = [
        (v1::MatchSettings { seats: Vec::new(), ..duel() }, "settings.seats"),
        (
            v1::MatchSettings { seats: vec![v1::SeatChoice::default(), v1::SeatChoice { house_bot }], ..duel() },
            "settings.seats[1].house_bot",
        ),
        (
            v1::MatchSettings { seats: vec![v1::SeatChoice::default(); 3], ..duel() },
            "settings.game.plunder.map.drawn.starts",
        ),
        (v1::MatchSettings { planning_time: Some(times::duration(u64::MAX)), ..duel() }, "settings.planning_time"),
        (v1::MatchSettings { decision_time: Some(times::duration(u64::MAX)), ..duel() }, "settings.decision_time"),
        (v1::MatchSettings { planning_time: Some(span(-1, 0)), ..duel() }, "settings.planning_time"),
        (v1::MatchSettings { planning_time: Some(span(0, -1)), ..duel() }, "settings.planning_time"),
        (v1::MatchSettings { decision_time: Some(span(1, 1_000_000_000)), ..duel() }, "settings.decision_time"),
        (v1::MatchSettings { spectator_delay_turns: 65, ..duel() }, "settings.spectator_delay_turns"),
        (v1::MatchSettings { visibility: 9, ..duel() }, "settings.visibility"),
        (v1::MatchSettings { lock_disclosure: 9, ..duel() }, "settings.lock_disclosure"),
        (duel().with_changes(r#"{"turn_limit": "soon"}"#), "settings.game.plunder.changes"),
    ];
    for (settings, field) in cases {
        let status = client.lobby.create_match(creation(settings)).await.expect_err(field);
        assert_eq!(fields(&status), invalid(field));
    }
    let map = crate::sea::drawn(&["H..H", "..", "..?."], &[(0, 0), (3, 0)]);
    let status = client.lobby.create_match(creation(duel().with_map(map))).await.expect_err("a map");
    assert_eq!(named(&status), (Code::InvalidArgument, "MAP_INVALID".to_owned()));
    assert_eq!(pages(&mut client, v1::MatchStage::Open, 0).await, [Vec::<String>::new()], "nothing was created");
    server.stop().await;
}

#[tokio::test]
async fn lists_are_paged_by_stage_the_newest_first_and_without_private_matches() {
    let server = Running::start(&config()).await;
    let mut client = server.client().await;
    let mut open = Vec::new();
    for _ in 0..4 {
        open.push(id_of(&client.create(unstarted(), None).await));
        client.create(v1::MatchSettings { visibility: v1::Visibility::Private.into(), ..unstarted() }, None).await;
    }
    let running = id_of(&client.create(duel(), None).await);
    for seat in 0..2 {
        client.join(&running, seat).await;
    }
    let stopped = client.create(unstarted(), None).await;
    stop(&client, &id_of(&stopped), &stopped.host_token, "enough").await.expect("stopped");
    // Ids of the same millisecond sort by chance.
    open.sort();
    open.reverse();
    assert_eq!(pages(&mut client, v1::MatchStage::Open, 3).await, [open[..3].to_vec(), open[3..].to_vec()]);
    assert_eq!(pages(&mut client, v1::MatchStage::Unspecified, 2).await, [open[..2].to_vec(), open[2..].to_vec()]);
    assert_eq!(pages(&mut client, v1::MatchStage::Open, 0).await, [open]);
    assert_eq!(pages(&mut client, v1::MatchStage::Running, 1).await, [[running]]);
    assert_eq!(pages(&mut client, v1::MatchStage::Finished, 1).await, [[id_of(&stopped)]]);
    let replays = client.archive.list_replays(v1::ListReplaysRequest::default()).await.expect("a list").into_inner();
    assert_eq!(replays.matches.len(), 1);
    assert_eq!(replays.matches[0].stopped, "enough");
    let request = v1::ListMatchesRequest { page_token: "no token".to_owned(), ..v1::ListMatchesRequest::default() };
    assert_eq!(fields(&client.lobby.list_matches(request).await.expect_err("a token")), invalid("page_token"));
    let request = v1::ListMatchesRequest { stage: 9, ..v1::ListMatchesRequest::default() };
    assert_eq!(fields(&client.lobby.list_matches(request).await.expect_err("a stage")), invalid("stage"));
    server.stop().await;
}

#[tokio::test]
async fn a_seat_is_given_back_and_its_token_dies() {
    let server = Running::start(&config()).await;
    let mut client = server.client().await;
    let id = id_of(&client.create(unstarted(), None).await);
    let watch = v1::WatchRequest { match_id: id.clone(), after: 0, views: false, ..Default::default() };
    let mut news = client.play.watch(watch).await.expect("a stream").into_inner();
    let old = client.join(&id, 0).await;
    let leaving = v1::LeaveMatchRequest { request_id: request_id(), match_id: id.clone() };
    client.lobby.leave_match(bearer(&old, leaving.clone())).await.expect("left");
    client.lobby.leave_match(bearer(&old, leaving)).await.expect("a repeat gets the first answer");
    let found = find(&mut client, &id, "").await.expect("a match").r#match.expect("a match");
    assert!(!found.seats[0].taken && found.seats[0].name.is_empty());
    let forbidden = (Code::PermissionDenied, "NOT_ALLOWED".to_owned());
    assert_eq!(named(&find(&mut client, &id, &old).await.expect_err("a dead token")), forbidden);
    let new = client.join(&id, 0).await;
    assert_ne!(old, new);
    assert_eq!(named(&find(&mut client, &id, &old).await.expect_err("still dead")), forbidden);
    let again = v1::LeaveMatchRequest { request_id: request_id(), match_id: id.clone() };
    let status = client.lobby.leave_match(bearer(&old, again)).await.expect_err("it is the other's seat now");
    assert_eq!(named(&status), forbidden);
    assert!(find(&mut client, &id, &new).await.expect("a match").r#match.expect("a match").seats[0].taken);
    let mut taken = Vec::new();
    while taken.len() < 3 {
        let news = news.message().await.expect("no error").expect("news").news.expect("news");
        let Some(What::SeatsChanged(changed)) = news.what else { panic!("a seat") };
        taken.push((changed.seats[0].seat, changed.seats[0].taken));
    }
    assert_eq!(taken, [(0, true), (0, false), (0, true)]);
    server.stop().await;
}

#[tokio::test]
async fn who_gives_a_seat_back_is_not_told_what_its_next_player_is_told() {
    let server = Running::start(&config()).await;
    let mut client = server.client().await;
    let id = id_of(&client.create(duel(), None).await);
    let old = client.join(&id, 0).await;
    let watch = v1::WatchRequest { match_id: id.clone(), after: 0, views: true, ..Default::default() };
    let mut news = client.play.watch(bearer(&old, watch)).await.expect("a stream").into_inner();
    let leaving = v1::LeaveMatchRequest { request_id: request_id(), match_id: id.clone() };
    client.lobby.leave_match(bearer(&old, leaving)).await.expect("left");
    client.join(&id, 0).await;
    client.join(&id, 1).await;
    let mut told = 0;
    let status = loop {
        match news.message().await {
            Ok(Some(_)) => told += 1,
            Ok(None) => panic!("the match goes on"),
            Err(status) => break status,
        }
    };
    assert_eq!(named(&status), (Code::PermissionDenied, "NOT_ALLOWED".to_owned()));
    assert_eq!(told, 2, "that the seat was taken and given back");
    server.stop().await;
}

#[tokio::test]
async fn a_match_starts_when_its_host_says_so_and_every_seat_is_taken() {
    let server = Running::start(&config()).await;
    let mut client = server.client().await;
    let created = client.create(unstarted(), None).await;
    let id = id_of(&created);
    let token = client.join(&id, 1).await;
    let status = start(&mut client, &id, &created.host_token).await.expect_err("a free seat");
    assert_eq!(named(&status), (Code::FailedPrecondition, "SEATS_OPEN".to_owned()));
    let joined = client.lobby.join_match(joining(&id)).await.expect("the first free seat").into_inner();
    assert_eq!(joined.seat, 0);
    for other in ["", &token] {
        let status = start(&mut client, &id, other).await.expect_err("not the host");
        assert_eq!(named(&status), (Code::PermissionDenied, "NOT_ALLOWED".to_owned()));
    }
    let found = find(&mut client, &id, "").await.expect("a match").r#match.expect("a match");
    assert_eq!(found.stage(), v1::MatchStage::Open);
    start(&mut client, &id, &created.host_token).await.expect("started");
    start(&mut client, &id, &created.host_token).await.expect("it is started");
    let found = find(&mut client, &id, "").await.expect("a match").r#match.expect("a match");
    assert_eq!((found.stage(), found.turn), (v1::MatchStage::Running, 1));
    let late = (Code::FailedPrecondition, "ALREADY_STARTED".to_owned());
    assert_eq!(named(&client.lobby.join_match(joining(&id)).await.expect_err("too late")), late);
    let leaving = v1::LeaveMatchRequest { request_id: request_id(), match_id: id.clone() };
    assert_eq!(named(&client.lobby.leave_match(bearer(&token, leaving)).await.expect_err("too late")), late);
    server.stop().await;
}

#[tokio::test]
async fn a_match_that_starts_when_full_needs_no_host() {
    let server = Running::start(&config()).await;
    let mut client = server.client().await;
    let id = id_of(&client.create(duel(), None).await);
    client.join(&id, 1).await;
    let found = find(&mut client, &id, "").await.expect("a match").r#match.expect("a match");
    assert_eq!(found.stage(), v1::MatchStage::Open);
    client.join(&id, 0).await;
    let found = find(&mut client, &id, "").await.expect("a match").r#match.expect("a match");
    assert_eq!((found.stage(), found.turn), (v1::MatchStage::Running, 1));
    server.stop().await;
}

#[tokio::test]
async fn host_and_administrator_can_stop_a_match_and_everybody_is_told() {
    let server = Running::start(&config()).await;
    let mut client = server.client().await;
    let admin = server.matches.keyring.admin_token();
    for by_host in [true, false] {
        let created = client.create(duel(), Some([9; 32])).await;
        let id = id_of(&created);
        let tokens = [client.join(&id, 0).await, client.join(&id, 1).await];
        let watch = v1::WatchRequest { match_id: id.clone(), after: 0, views: false, ..Default::default() };
        let mut news = client.play.watch(bearer(&tokens[0], watch)).await.expect("a stream").into_inner();
        let status = stop(&client, &id, &tokens[0], "I am losing").await.expect_err("a player");
        assert_eq!(named(&status), (Code::PermissionDenied, "NOT_ALLOWED".to_owned()));
        let token = if by_host { &created.host_token } else { &admin };
        let status = stop(&client, &id, token, &"x".repeat(201)).await.expect_err("a long reason");
        assert_eq!(fields(&status), invalid("reason"));
        stop(&client, &id, token, "The harbor is closed.").await.expect("stopped");
        stop(&client, &id, token, "The harbor is closed.").await.expect("it is stopped");
        let mut last = None;
        while let Some(more) = news.message().await.expect("no error") {
            last = more.news.and_then(|news| news.what);
        }
        assert_eq!(last, Some(What::MatchStopped(v1::MatchStopped { reason: "The harbor is closed.".to_owned() })));
        let found = find(&mut client, &id, "").await.expect("a match").r#match.expect("a match");
        assert_eq!((found.stage(), &found.stopped[..]), (v1::MatchStage::Finished, "The harbor is closed."));
        let (request_id, match_id) = (request_id(), id.clone());
        let lock = v1::LockInRequest { request_id, match_id, turn: 1, sheet: None };
        let status = client.play.lock_in(bearer(&tokens[0], lock)).await.expect_err("over");
        assert_eq!(named(&status), (Code::FailedPrecondition, "MATCH_OVER".to_owned()));
        let replay = v1::GetReplayRequest { match_id: id.clone() };
        let mut replay = client.archive.get_replay(replay).await.expect("a replay").into_inner();
        let mut records = Vec::new();
        while let Some(record) = replay.message().await.expect("no error") {
            records.push(record.record.expect("a record"));
        }
        assert_eq!(parley_games::replay::verify(&records, &Default::default()).finding, None);
    }
    server.stop().await;
}

#[tokio::test]
async fn a_private_match_does_not_exist_for_who_is_not_invited() {
    let server = Running::start(&config()).await;
    let mut client = server.client().await;
    let settings = v1::MatchSettings { visibility: v1::Visibility::Private.into(), ..unstarted() };
    let created = client.create(settings, None).await;
    let id = id_of(&created);
    let public = client.create(unstarted(), None).await;
    let stranger = client.join(&id_of(&public), 0).await;
    let nowhere = uuid::Uuid::from_u128(7).to_string();
    // All that can be seen of an answer.
    let seen = |status: Status| (status.code(), status.message().to_owned(), status.details().to_vec());
    for token in ["", &stranger, &public.host_token] {
        let (here, there) = (find(&mut client, &id, token).await, find(&mut client, &nowhere, token).await);
        let there = seen(there.expect_err("no match"));
        assert_eq!(there.0, Code::NotFound);
        assert_eq!(seen(here.expect_err("not invited")), there);
        let join = client.lobby.join_match(bearer(token, joining(&id))).await.expect_err("not invited");
        assert_eq!(seen(join), there);
        let watch = v1::WatchRequest { match_id: id.clone(), after: 0, views: false, ..Default::default() };
        assert_eq!(seen(client.play.watch(bearer(token, watch)).await.expect_err("not invited")), there);
        let view = v1::GetViewRequest { match_id: id.clone() };
        assert_eq!(seen(client.play.get_view(bearer(token, view)).await.expect_err("not invited")), there);
        let receipts = v1::GetReceiptsRequest { match_id: id.clone(), first_turn: 0 };
        assert_eq!(seen(client.archive.get_receipts(bearer(token, receipts)).await.expect_err("no")), there);
        assert_eq!(seen(stop(&client, &id, token, "").await.expect_err("not invited")), there);
        assert_eq!(seen(start(&mut client, &id, token).await.expect_err("not invited")), there);
    }
    let joined = client.lobby.join_match(bearer(&created.invite_token, joining(&id))).await.expect("invited");
    let token = joined.into_inner().player_token;
    for token in [&token, &created.invite_token, &created.host_token] {
        assert!(find(&mut client, &id, token).await.is_ok());
    }
    server.stop().await;
}

#[tokio::test]
async fn fog_hides_the_number_that_would_draw_the_map() {
    let server = Running::start(&config()).await;
    let mut client = server.client().await;
    for (fog, shown) in [(false, Some(7)), (true, None)] {
        let settings = v1::MatchSettings { start_when_full: false, ..crate::common::settings(2, 7).with_fog(fog) };
        let created = client.create(settings, None).await;
        let listed = client.lobby.list_matches(v1::ListMatchesRequest::default()).await.expect("a list").into_inner();
        let found = find(&mut client, &id_of(&created), &created.host_token).await.expect("a match");
        let joined = client.lobby.join_match(joining(&id_of(&created))).await.expect("a seat").into_inner();
        let listed = listed.matches.into_iter().find(|found| found.match_id == id_of(&created));
        for found in [created.r#match, listed, found.r#match, joined.r#match] {
            let mut settings = found.and_then(|found| found.settings).expect("settings");
            let map = settings.naval().map.take().and_then(|map| map.source);
            let Some(Source::Generated(generated)) = map else { panic!("a generated map") };
            assert_eq!(generated.seed, shown);
        }
    }
    server.stop().await;
}
