//! One request creates one match, however often, by how many at once, and after how many others it is made.

use std::collections::HashSet;
use std::sync::Arc;

use crate::common::naval::{Naval, recoded};
use crate::common::process::Process;
use crate::common::{Client, Running, bearer, config, id_of, reason, settings};
use crate::sea::{duel, limits, matches, request_id};
use futures_util::future::join_all;
use parley_gateway::journal::memory::Memory;
use parley_gateway::journal::{Journal, MatchId, Stage};
use parley_gateway::limits::Limits;
use parley_proto::common::v1 as common;
use parley_proto::plunder::v1 as plunder;
use parley_proto::plunder::v1::map_choice::Source;
use parley_proto::v1;
use parley_proto::v1::Reason;
use parley_proto::v1::admin_client::AdminClient;
use tonic::Code;

fn creation(request_id: &str) -> v1::CreateMatchRequest {
    let request_id = request_id.to_owned();
    v1::CreateMatchRequest { request_id, settings: Some(duel()), ..v1::CreateMatchRequest::default() }
}

fn match_of(created: &v1::CreateMatchResponse) -> MatchId {
    MatchId(id_of(created).parse().expect("an id"))
}

/// The matches that a store lists in a stage.
async fn listed(store: &dyn Journal, stage: Stage) -> Vec<MatchId> {
    store.list(stage, None, usize::MAX).await.expect("a list").into_iter().map(|(id, _)| id).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn six_who_make_the_same_request_at_once_get_the_same_match() {
    const TRIES: usize = 600;
    let server = Running::start(&config()).await;
    let clients: Vec<Client> = join_all((0..6).map(|_| server.client())).await;
    let mut ids = HashSet::new();
    for _ in 0..TRIES {
        let request = creation(&request_id());
        let calls = clients.iter().map(|client| {
            let (mut lobby, request) = (client.lobby.clone(), request.clone());
            tokio::spawn(async move { lobby.create_match(request).await })
        });
        let answers: Vec<v1::CreateMatchResponse> = join_all(calls)
            .await
            .into_iter()
            .map(|call| call.expect("no panic").expect("a match").into_inner())
            .collect();
        assert!(answers.iter().all(|answer| *answer == answers[0]), "all six are told the same");
        ids.insert(match_of(&answers[0]));
    }
    assert_eq!(ids.len(), TRIES);
    let listed = listed(&*server.matches.journal, Stage::Open).await;
    assert_eq!(listed.len(), TRIES, "no request made two matches");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_requests_with_one_id_that_differ_one_is_refused() {
    let all = matches(Arc::new(Memory::new()), limits());
    for _ in 0..50 {
        let (one, id) = (creation(&request_id()), all.clone());
        let other = v1::CreateMatchRequest { settings: Some(settings(2, 7)), ..one.clone() };
        let (first, second) = tokio::join!(
            tokio::spawn({
                let (all, one) = (id.clone(), one.clone());
                async move { all.create(recoded(&one)).await }
            }),
            tokio::spawn(async move { id.create(recoded(&other)).await }),
        );
        let answers = [first.expect("no panic"), second.expect("no panic")];
        let refused: Vec<_> = answers.iter().filter_map(|answer| answer.as_ref().err()).collect();
        assert_eq!(refused.len(), 1, "{answers:?}");
        assert_eq!((refused[0].code, refused[0].reason), (Code::InvalidArgument, Reason::RequestIdReused));
    }
}

#[tokio::test(start_paused = true)]
async fn a_caller_who_goes_away_leaves_one_match_behind() {
    let store = Arc::new(Memory::new());
    let all = matches(store.clone(), limits());
    let request = creation(&request_id());
    store.hold();
    let impatient = tokio::spawn({
        let (all, request) = (all.clone(), request.clone());
        async move { all.create(recoded(&request)).await }
    });
    store.held(1).await;
    impatient.abort();
    let patient = tokio::spawn({
        let (all, request) = (all.clone(), request.clone());
        async move { all.create(recoded(&request)).await }
    });
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    store.release();
    let created = patient.await.expect("no panic").expect("a match");
    assert_eq!(listed(&*store, Stage::Open).await, [match_of(&recoded(&created))]);
}

/// As many as were remembered once, and one more.
#[tokio::test(start_paused = true)]
async fn ten_thousand_creations_of_others_do_not_make_a_request_forgotten() {
    let store = Arc::new(Memory::new());
    let all = matches(store.clone(), Limits { matches_in_memory: 1_000_000, ..limits() });
    let request = creation(&request_id());
    let created = all.create(recoded(&request)).await.expect("a match");
    for _ in 0..10_001 {
        all.create(recoded(&creation(&request_id()))).await.expect("a match of somebody else");
    }
    assert_eq!(all.create(recoded(&request)).await.expect("the same match"), created);
    assert_eq!(listed(&*store, Stage::Open).await.len(), 10_002);
}

#[tokio::test]
async fn a_repeat_finds_a_match_that_is_over_also_after_a_crash() {
    let folder = tempfile::tempdir().expect("a folder");
    let request = creation(&request_id());
    let server = Process::start(folder.path(), &[]).await;
    let mut client = Client::connect(server.address).await;
    let created = client.lobby.create_match(request.clone()).await.expect("a match").into_inner();
    let (request_id, match_id, reason) = (request_id(), id_of(&created), "enough".to_owned());
    let stop = bearer(&created.host_token, v1::StopMatchRequest { request_id, match_id, reason });
    AdminClient::new(client.channel.clone()).stop_match(stop).await.expect("stopped");
    server.kill();
    let server = Process::start(folder.path(), &[]).await;
    let mut client = Client::connect(server.address).await;
    let again = client.lobby.create_match(request).await.expect("the same match").into_inner();
    assert_eq!((id_of(&again), again.host_token), (id_of(&created), created.host_token));
}

#[tokio::test]
async fn by_default_larger_maps_than_a_game_needs_are_refused_by_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Process::start(folder.path(), &[]).await;
    let mut client = Client::connect(server.address).await;
    for (width, height, allowed) in [(128, 128, true), (129, 128, false), (128, 129, false), (1024, 1024, false)] {
        let generated = plunder::GeneratedMap { seed: Some(7), width, height, ..plunder::GeneratedMap::default() };
        let mut row = ".".repeat(width as usize);
        row.replace_range(0..1, "H");
        row.replace_range(5..6, "H");
        let rows = vec![row; height as usize];
        let starts = vec![common::Hex { q: 0, r: 0 }, common::Hex { q: 5, r: 0 }];
        let drawn = plunder::DrawnMap { rows, wrap: false, starts };
        let sources = [("generated", Source::Generated(generated)), ("drawn.rows", Source::Drawn(drawn))];
        for (field, source) in sources {
            // A message as long as the largest drawing is refused before anybody looks at the map.
            if width == 1024 && field == "drawn.rows" {
                continue;
            }
            let settings = Some(settings(2, 7).with_map(source));
            let request = v1::CreateMatchRequest { request_id: request_id(), settings, ..Default::default() };
            match client.lobby.create_match(request).await {
                Ok(_) => assert!(allowed, "{field} of {width}x{height} was created"),
                Err(refused) => {
                    assert!(!allowed, "{field} of {width}x{height}: {refused}");
                    assert_eq!((refused.code(), &*reason(&refused)), (Code::InvalidArgument, "FIELD_INVALID"));
                    let said = "a map has at most 16384 tiles on this server (max_map_tiles)";
                    assert_eq!(refused.message(), format!("settings.game.plunder.map.{field}: {said}"));
                }
            }
        }
    }
}
