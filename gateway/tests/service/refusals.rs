//! Every misuse gets an error with a name and changes nothing, and every repetition gets the first answer.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::common::naval::{asking, recoded};
use crate::common::script::pick;
use crate::common::{Client, Running, bearer, config, id_of, reason, request_id};
use crate::sea::{duel, halfway, sail, sheet};
use bytes::{Buf, BufMut, Bytes};
use parley_bots::arms::Arms;
use parley_games::receipt::Promise;
use parley_gateway::auth::{Claims, Keyring, Role};
use parley_gateway::config::Config;
use parley_gateway::journal::MatchId;
use parley_proto::opaque::v1 as opaque;
use parley_proto::plunder::v1 as plunder;
use parley_proto::plunder::v1::query::Query;
use parley_proto::v1;
use parley_proto::v1::admin_client::AdminClient;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::{Code, Request, Response, Status};
use tonic_types::StatusExt;

/// The places of the options that attack in an entry encounter (R7.2).
const ATTACK: &[u32] = &[1];

/// Answers: questions by number, each with the places of the options that are picked.
type GivenAnswers<'a> = Vec<(u32, &'a [u32])>;

/// Two players in the first turn of a match, and everything that can be seen of it.
struct Scene {
    server: Running,
    client: Client,
    id: String,
    host: String,
    tokens: [String; 2],
}

/// What the match looks like from everywhere, and how much of it is written down.
#[derive(Debug, PartialEq)]
struct Sight(Vec<v1::GetViewResponse>, usize);

impl Scene {
    async fn open(config: &Config, settings: v1::MatchSettings) -> Self {
        let server = Running::start(config).await;
        let mut client = server.client().await;
        let created = client.create(settings, config.allow_fixed_secrets.then_some([7; 32])).await;
        let id = id_of(&created);
        let tokens = [client.join(&id, 0).await, client.join(&id, 1).await];
        Self { server, client, id, host: created.host_token, tokens }
    }

    fn match_id(&self) -> MatchId {
        MatchId(self.id.parse().expect("an id"))
    }

    async fn view(&self, token: &str) -> v1::GetViewResponse {
        let request = v1::GetViewRequest { match_id: self.id.clone() };
        self.client.play.clone().get_view(bearer(token, request)).await.expect("a view").into_inner()
    }

    async fn sight(&self) -> Sight {
        let views = [self.view(&self.tokens[0]).await, self.view(&self.tokens[1]).await, self.view("").await];
        let records = self.server.matches.journal.read(self.match_id(), 0).await.expect("readable");
        Sight(views.to_vec(), records.len())
    }

    fn locking(&self, turn: u32, sheet: plunder::Sheet) -> v1::LockInRequest {
        v1::LockInRequest {
            request_id: request_id(),
            match_id: self.id.clone(),
            turn,
            sheet: Some(v1::Sheet::of_plunder(sheet)),
        }
    }

    fn staging(&self, turn: u32, sheet: plunder::Sheet) -> v1::StageOrdersRequest {
        v1::StageOrdersRequest {
            request_id: request_id(),
            match_id: self.id.clone(),
            turn,
            sheet: Some(v1::Sheet::of_plunder(sheet)),
        }
    }

    fn answering(&self, turn: u32, window: u32, answers: &[(u32, &[u32])]) -> v1::AnswerRequest {
        let answer = |&(question, options): &(u32, &[u32])| v1::Answer { question, options: options.to_vec() };
        let answers = answers.iter().map(answer).collect();
        v1::AnswerRequest { request_id: request_id(), match_id: self.id.clone(), turn, window, answers }
    }

    async fn lock(&self, token: &str, request: v1::LockInRequest) -> Result<v1::LockInResponse, Status> {
        self.client.play.clone().lock_in(bearer(token, request)).await.map(Response::into_inner)
    }

    async fn stage(&self, token: &str, request: v1::StageOrdersRequest) -> Result<v1::StageOrdersResponse, Status> {
        self.client.play.clone().stage_orders(bearer(token, request)).await.map(Response::into_inner)
    }

    async fn answer(&self, token: &str, request: v1::AnswerRequest) -> Result<v1::AnswerResponse, Status> {
        self.client.play.clone().answer(bearer(token, request)).await.map(Response::into_inner)
    }

    /// Brings both ships to (3, 0), where both are asked in tick 3.
    async fn meet(&self) {
        for (seat, token) in self.tokens.iter().enumerate() {
            self.lock(token, self.locking(1, halfway(seat))).await.expect("locked");
        }
        assert_eq!(self.view(&self.tokens[0]).await.phase(), v1::Phase::Resolving);
    }

    fn admin(&self) -> AdminClient<tonic::transport::Channel> {
        AdminClient::new(self.client.channel.clone())
    }
}

fn named<T>(answer: Result<T, Status>) -> (Code, String) {
    let status = answer.err().expect("a refusal");
    (status.code(), reason(&status))
}

fn is(code: Code, reason: &str) -> (Code, String) {
    (code, reason.to_owned())
}

/// What a refusal says of the moment that the match is in.
fn moment(status: &Status) -> (String, String) {
    let info = status.get_details_error_info().expect("a reason");
    assert_eq!(info.domain, "parley.v1");
    (info.metadata["turn"].clone(), info.metadata["window"].clone())
}

/// The faults of a refusal: whose, and the sentence with its rule.
fn faults(status: &Status) -> Vec<(String, String)> {
    let bad = status.get_details_bad_request().expect("faults");
    bad.field_violations.into_iter().map(|fault| (fault.field, fault.description)).collect()
}

fn retry(status: &Status) -> Duration {
    status.get_details_retry_info().and_then(|info| info.retry_delay).expect("when to try again")
}

#[tokio::test]
async fn orders_for_another_turn_are_refused_with_the_current_one() {
    let scene = Scene::open(&config(), duel()).await;
    let before = scene.sight().await;
    for turn in [0, 2, u32::MAX] {
        let status = scene.lock(&scene.tokens[0], scene.locking(turn, halfway(0))).await.expect_err("another turn");
        assert_eq!((status.code(), &reason(&status)[..]), (Code::FailedPrecondition, "OTHER_TURN"));
        assert_eq!(moment(&status), ("1".to_owned(), "0".to_owned()));
        let status = scene.stage(&scene.tokens[0], scene.staging(turn, halfway(0))).await.expect_err("another turn");
        assert_eq!(moment(&status), ("1".to_owned(), "0".to_owned()));
    }
    let not_asked = is(Code::FailedPrecondition, "NOT_ASKED");
    assert_eq!(named(scene.answer(&scene.tokens[0], scene.answering(1, 1, &[(1, ATTACK)])).await), not_asked);
    assert_eq!(scene.sight().await, before);
    scene.meet().await;
    let before = scene.sight().await;
    for (turn, window) in [(0, 1), (2, 1), (1, 0), (1, 2), (1, u32::MAX)] {
        let request = scene.answering(turn, window, &[(1, ATTACK)]);
        let status = scene.answer(&scene.tokens[0], request).await.expect_err("another moment");
        assert_eq!((status.code(), &reason(&status)[..]), (Code::FailedPrecondition, "OTHER_WINDOW"));
        assert_eq!(moment(&status), ("1".to_owned(), "1".to_owned()));
    }
    let locked = is(Code::FailedPrecondition, "ALREADY_LOCKED");
    assert_eq!(named(scene.stage(&scene.tokens[0], scene.staging(1, halfway(0))).await), locked);
    assert_eq!(named(scene.lock(&scene.tokens[0], scene.locking(1, halfway(0))).await), locked);
    assert_eq!(scene.sight().await, before);
    scene.server.stop().await;
}

#[tokio::test]
async fn a_token_opens_only_what_it_is_for() {
    let mut scene = Scene::open(&config(), duel()).await;
    let other = scene.client.create(duel(), None).await;
    let stranger = scene.client.join(&id_of(&other), 0).await;
    let before = scene.sight().await;
    let id = Some(scene.match_id());
    let own = &scene.server.matches.keyring;
    let forger = Keyring::ephemeral().expect("random numbers");
    let claims = |role, expires_at| Claims { match_id: id, role, expires_at };
    let good = own.verify(&scene.tokens[0], 0).expect("our own token");
    let forged = forger.mint(&good);
    let (invalid, denied) = (is(Code::Unauthenticated, "TOKEN_INVALID"), is(Code::PermissionDenied, "NOT_ALLOWED"));
    let cases = [
        (String::new(), denied.clone(), "no token"),
        (forged, invalid.clone(), "signed by another server"),
        ("nonsense".to_owned(), invalid.clone(), "no token at all"),
        ("x".repeat(5000), invalid, "too long"),
        (own.mint(&claims(Role::Seat(0), 1)), is(Code::Unauthenticated, "TOKEN_EXPIRED"), "expired"),
        (own.mint(&claims(Role::Seat(0), good.expires_at + 1)), denied.clone(), "of an earlier player of the seat"),
        (own.mint(&claims(Role::Seat(9), good.expires_at)), denied.clone(), "of a seat that there is not"),
        (stranger, denied.clone(), "of another match"),
        (scene.host.clone(), denied.clone(), "of the host"),
        (own.mint(&claims(Role::Invite, u64::MAX)), denied.clone(), "of a guest"),
        (own.admin_token(), denied.clone(), "of the administrator"),
    ];
    for (token, refusal, what) in &cases {
        assert_eq!(&named(scene.lock(token, scene.locking(1, halfway(0))).await), refusal, "{what}");
        assert_eq!(&named(scene.stage(token, scene.staging(1, halfway(0))).await), refusal, "{what}");
        assert_eq!(&named(scene.answer(token, scene.answering(1, 1, &[(1, ATTACK)])).await), refusal, "{what}");
        let concede = v1::ConcedeRequest { request_id: request_id(), match_id: scene.id.clone() };
        assert_eq!(&named(scene.client.play.concede(bearer(token, concede)).await), refusal, "{what}");
        let options = asking(&scene.id, Query::Options(plunder::OptionsQuery::default()));
        assert_eq!(&named(scene.client.play.advise(bearer(token, options)).await), refusal, "{what}");
    }
    for token in ["", &scene.tokens[0], &scene.host] {
        assert_eq!(named(scene.admin().drain(bearer(token, v1::DrainRequest {})).await), denied);
        assert_eq!(named(scene.admin().get_stats(bearer(token, v1::GetStatsRequest {})).await), denied);
    }
    let (match_id, why) = (scene.id.clone(), "because".to_owned());
    let stop = v1::StopMatchRequest { request_id: request_id(), match_id, reason: why };
    assert_eq!(named(scene.admin().stop_match(bearer(&scene.tokens[1], stop)).await), denied);
    assert_eq!(scene.sight().await, before);
    assert!(!scene.server.matches.is_draining());
    let stats = scene.admin().get_stats(bearer(&own.admin_token(), v1::GetStatsRequest {})).await.expect("stats");
    assert_eq!(stats.into_inner().matches_in_memory, 2);
    scene.server.stop().await;
}

#[tokio::test]
async fn a_refused_sheet_lists_every_fault_with_its_rule() {
    let scene = Scene::open(&config(), duel()).await;
    let before = scene.sight().await;
    let long: Vec<(i32, i32)> = (0..65).map(|step| (1 + step % 2, 0)).collect();
    let upgrade = |number| plunder::UnitOrder {
        unit: 1,
        action: Some(plunder::unit_order::Action::Upgrade(number)),
        ..plunder::UnitOrder::default()
    };
    let engagement = |number| plunder::UnitOrder { unit: 1, engagement: number, ..plunder::UnitOrder::default() };
    let cases = [
        (vec![sail(2, &[(5, 0)])], vec![("sheet.units[2]", "R1")], "another's ship"),
        (vec![sail(77, &[(5, 0)])], vec![("sheet.units[77]", "R1")], "nobody's ship"),
        (vec![sail(u32::MAX, &[(5, 0)])], vec![("request", "R1")], "no id"),
        (vec![sail(1, &[(1, 0)]), sail(1, &[(1, 0)])], vec![("sheet.units[1]", "R5.3")], "two orders"),
        (vec![sail(1, &[(3, 0)])], vec![("sheet.units[1]", "R5.5")], "a step too far"),
        (vec![sail(1, &[])], vec![("sheet.units[1]", "R5.5")], "no step"),
        (vec![sail(1, &long)], vec![("sheet.units[1]", "R5.5")], "65 steps"),
        (vec![upgrade(99)], vec![("sheet.units[1]", "")], "an upgrade of the future"),
        (vec![upgrade(0)], vec![("sheet.units[1]", "")], "no upgrade"),
        (vec![engagement(99)], vec![("sheet.units[1]", "")], "an engagement of the future"),
        (
            vec![sail(1, &[(0, 1), (5, 5)]), sail(2, &[(5, 0)]), sail(50, &[(1, 0)])],
            vec![("sheet.units[1]", "R5.5"), ("sheet.units[2]", "R1"), ("sheet.units[50]", "R1")],
            "three at once",
        ),
    ];
    for (orders, expected, what) in cases {
        let status = scene.lock(&scene.tokens[0], scene.locking(1, sheet(&orders))).await.expect_err(what);
        assert_eq!((status.code(), &reason(&status)[..]), (Code::InvalidArgument, "ORDERS_INVALID"), "{what}");
        let found = faults(&status);
        let subjects: BTreeSet<&str> = found.iter().map(|(subject, _)| &subject[..]).collect();
        assert_eq!(subjects, expected.iter().map(|(subject, _)| *subject).collect(), "{what}: {found:?}");
        for (subject, rule) in expected {
            let fits = |(of, text): &(String, String)| of == subject && text.contains(rule);
            assert!(found.iter().any(fits), "{what}: {found:?}");
        }
    }
    let build = plunder::structure_order::Work::Build("galleon".to_owned());
    let structures = vec![plunder::StructureOrder { structure: 1, work: Some(build) }];
    let orders = plunder::Sheet { structures, ..halfway(0) };
    let status = scene.lock(&scene.tokens[0], scene.locking(1, orders)).await.expect_err("no such class");
    let found = faults(&status);
    assert!(found.len() == 1 && found[0].0 == "sheet.structures[1]" && found[0].1.contains("R4"), "{found:?}");
    assert_eq!(scene.sight().await, before);
    scene.server.stop().await;
}

/// Messages with no arm, with an arm that no game has, and such as cannot be read at all.
#[tokio::test]
async fn messages_of_other_games_are_refused_by_their_field() {
    let scene = Scene::open(&config(), duel()).await;
    let before = scene.sight().await;
    let mut play = opaque::play_client::PlayClient::new(scene.client.channel.clone());
    let mut lobby = opaque::lobby_client::LobbyClient::new(scene.client.channel.clone());
    for said in [&b""[..], b"\x12\x00", b"\x0a\x05"] {
        let said = Bytes::from_static(said);
        let lock = opaque::LockInRequest { sheet: Some(said.clone()), ..recoded(&scene.locking(1, halfway(0))) };
        let stage = opaque::StageOrdersRequest { sheet: Some(said.clone()), ..recoded(&scene.staging(1, halfway(0))) };
        let ask = opaque::AdviseRequest { match_id: scene.id.clone(), query: Some(said.clone()) };
        let token = &scene.tokens[0];
        let locked = play.lock_in(bearer(token, lock)).await.expect_err("no sheet");
        let staged = play.stage_orders(bearer(token, stage)).await.expect_err("no sheet");
        let asked = play.advise(bearer(token, ask)).await.expect_err("no question");
        let mut refused = vec![("sheet", locked), ("sheet", staged), ("query", asked)];
        // Settings without an arm are those of the naval game.
        if !said.is_empty() {
            let settings = opaque::MatchSettings { game: Some(said), ..recoded(&duel()) };
            let create =
                opaque::CreateMatchRequest { request_id: request_id(), settings: Some(settings), ..Default::default() };
            refused.push(("settings.game", lobby.create_match(create).await.expect_err("no game")));
        }
        for (field, status) in refused {
            assert_eq!((status.code(), &reason(&status)[..]), (Code::InvalidArgument, "FIELD_INVALID"), "{status}");
            assert_eq!(faults(&status)[0].0, field, "{status}");
        }
    }
    assert_eq!(scene.sight().await, before);
    scene.server.stop().await;
}

#[tokio::test]
async fn good_orders_of_a_staged_sheet_stand_and_are_locked_by_a_lock_in_without_a_sheet() {
    let scene = Scene::open(&config(), duel()).await;
    let good = halfway(0).units[0].clone();
    for bad in [sail(2, &[(5, 0)]), sail(u32::MAX, &[(5, 0)])] {
        let staged =
            scene.stage(&scene.tokens[0], scene.staging(1, sheet(&[good.clone(), bad]))).await.expect("staged");
        assert_eq!((staged.standing, staged.faults.len(), &staged.faults[0].rule[..]), (1, 1, "R1"));
        let view = scene.view(&scene.tokens[0]).await;
        assert_eq!((view.sheet, view.locked), (Some(v1::Sheet::of_plunder(halfway(0))), false));
    }
    assert_eq!(scene.view(&scene.tokens[1]).await.sheet, None, "nobody else sees it");
    assert_eq!(scene.view("").await.sheet, None);
    let request = v1::LockInRequest { sheet: None, ..scene.locking(1, plunder::Sheet::default()) };
    let receipt = scene.lock(&scene.tokens[0], request).await.expect("locked").receipt.expect("a receipt");
    let encoded = prost::Message::encode_to_vec(&v1::Sheet::of_plunder(halfway(0)));
    assert_eq!(receipt.sheet_hash.as_ref(), blake3::hash(&encoded).as_bytes());
    let view = scene.view(&scene.tokens[0]).await;
    assert_eq!((view.sheet, view.locked), (Some(v1::Sheet::of_plunder(halfway(0))), true));
    scene.server.stop().await;
}

#[tokio::test]
async fn answers_are_refused_whole_where_one_is_bad() {
    let scene = Scene::open(&config(), duel()).await;
    scene.meet().await;
    let before = scene.sight().await;
    let question = scene.view(&scene.tokens[0]).await.prompt.expect("to be asked").questions.remove(0);
    assert_eq!(v1::Answer { question: 1, options: ATTACK.to_vec() }, pick(&question, "attack"));
    let cases: [(GivenAnswers<'_>, _, _); 11] = [
        (vec![], "none", 1),
        (vec![(2, ATTACK)], "a question that nobody asked", 1),
        (vec![(0, ATTACK)], "no number of a question", 1),
        (vec![(u32::MAX, ATTACK)], "a question of the future", 1),
        (vec![(1, &[2])], "no option of an entry (R7.2)", 1),
        (vec![(1, &[u32::MAX])], "an option of the future", 1),
        (vec![(1, &[])], "no option", 1),
        (vec![(1, &[0, 1])], "two options", 1),
        (vec![(1, &[1, 1])], "an option twice", 1),
        (vec![(1, ATTACK), (1, ATTACK)], "a question twice", 1),
        (vec![(1, ATTACK), (2, ATTACK), (77, ATTACK)], "one good and two bad", 2),
    ];
    for (answers, what, count) in cases {
        let request = scene.answering(1, 1, &answers);
        let status = scene.answer(&scene.tokens[0], request).await.expect_err(what);
        assert_eq!((status.code(), &reason(&status)[..]), (Code::InvalidArgument, "ANSWERS_INVALID"), "{what}");
        assert_eq!(faults(&status).len(), count, "{what}: {:?}", faults(&status));
    }
    assert_eq!(scene.sight().await, before);
    let request = scene.answering(1, 1, &[(1, ATTACK)]);
    let answer = scene.answer(&scene.tokens[0], request.clone()).await.expect("answered");
    let before = scene.sight().await;
    let status = scene.answer(&scene.tokens[0], scene.answering(1, 1, &[(1, ATTACK)])).await.expect_err("twice");
    assert_eq!(reason(&status), "ANSWERS_INVALID");
    assert_eq!(scene.answer(&scene.tokens[0], request.clone()).await.expect("a repeat"), answer);
    let reused = is(Code::InvalidArgument, "REQUEST_ID_REUSED");
    for other in [
        v1::AnswerRequest { window: 2, ..request.clone() },
        v1::AnswerRequest { answers: Vec::new(), ..request.clone() },
        v1::AnswerRequest { answers: vec![v1::Answer { question: 1, options: vec![0] }], ..request.clone() },
    ] {
        assert_eq!(named(scene.answer(&scene.tokens[0], other).await), reused);
    }
    assert_eq!(scene.sight().await, before);
    scene.answer(&scene.tokens[1], scene.answering(1, 1, &[(1, ATTACK)])).await.expect("answered");
    assert_eq!(scene.view("").await.view.and_then(Arms::into_plunder).expect("a view").turn, 2);
    assert_eq!(scene.answer(&scene.tokens[0], request).await.expect("a repeat after the turn"), answer);
    scene.server.stop().await;
}

/// Whoever is not asked is told the same of an answer, however much it says.
#[tokio::test]
async fn answers_have_limits_with_names_whether_anything_is_asked_or_not() {
    let scene = Scene::open(&config(), duel()).await;
    let many = |answers: usize, options: usize| {
        let answers = vec![v1::Answer { question: 1, options: vec![0; options] }; answers];
        v1::AnswerRequest { answers, ..scene.answering(1, 1, &[]) }
    };
    for is_asked in [false, true] {
        let before = scene.sight().await;
        let too_many = is(Code::ResourceExhausted, "TOO_MANY_ANSWERS");
        assert_eq!(named(scene.answer(&scene.tokens[0], many(4097, 1)).await), too_many);
        let too_many = is(Code::ResourceExhausted, "TOO_MANY_OPTIONS");
        assert_eq!(named(scene.answer(&scene.tokens[0], many(1, 1025)).await), too_many);
        let within = match is_asked {
            true => is(Code::InvalidArgument, "ANSWERS_INVALID"),
            false => is(Code::FailedPrecondition, "NOT_ASKED"),
        };
        for request in [many(4096, 1), many(1, 1024)] {
            assert_eq!(named(scene.answer(&scene.tokens[0], request).await), within);
        }
        assert_eq!(scene.sight().await, before);
        if !is_asked {
            scene.meet().await;
        }
    }
    scene.server.stop().await;
}

#[tokio::test]
async fn every_repetition_gets_the_first_answer_and_no_id_serves_two_requests() {
    let server = Running::start(&config()).await;
    let mut client = server.client().await;
    let reused = is(Code::InvalidArgument, "REQUEST_ID_REUSED");
    let settings = v1::MatchSettings { visibility: v1::Visibility::Private.into(), ..duel() };
    let fixed_secret = Bytes::from_static(&[7; 32]);
    let creation = v1::CreateMatchRequest { request_id: request_id(), settings: Some(settings), fixed_secret };
    let created = client.lobby.create_match(creation.clone()).await.expect("a match").into_inner();
    let again = client.lobby.create_match(creation.clone()).await.expect("the same").into_inner();
    assert_eq!(created, again);
    let other = v1::CreateMatchRequest { settings: Some(duel()), ..creation };
    assert_eq!(named(client.lobby.create_match(other).await), reused);
    let (id, invite) = (id_of(&created), created.invite_token.clone());
    let mut tokens = Vec::new();
    for seat in 0..2 {
        let join = v1::JoinMatchRequest {
            request_id: request_id(),
            match_id: id.clone(),
            seat: Some(seat),
            ..v1::JoinMatchRequest::default()
        };
        let joined = client.lobby.join_match(bearer(&invite, join.clone())).await.expect("a seat").into_inner();
        let again = client.lobby.join_match(bearer(&invite, join.clone())).await.expect("the same").into_inner();
        assert_eq!((&joined.player_token, joined.expires_at), (&again.player_token, again.expires_at));
        let other = v1::JoinMatchRequest { name: "Somebody else".to_owned(), ..join };
        assert_eq!(named(client.lobby.join_match(bearer(&invite, other)).await), reused);
        tokens.push(joined.player_token);
    }
    let scene = Scene { server, client, id, host: created.host_token, tokens: tokens.try_into().expect("two") };
    let lock = scene.locking(1, halfway(0));
    let said = |answer: v1::LockInResponse| Promise::read(&answer.receipt.expect("a receipt")).expect("a promise");
    let receipt = said(scene.lock(&scene.tokens[0], lock.clone()).await.expect("locked"));
    let before = Sight(vec![scene.view(&scene.tokens[0]).await, scene.view(&scene.tokens[1]).await], 0);
    assert_eq!(said(scene.lock(&scene.tokens[0], lock.clone()).await.expect("the same")), receipt);
    for other in [
        v1::LockInRequest { turn: 2, ..lock.clone() },
        v1::LockInRequest { sheet: None, ..lock.clone() },
        v1::LockInRequest { sheet: Some(v1::Sheet::of_plunder(plunder::Sheet::default())), ..lock.clone() },
    ] {
        assert_eq!(named(scene.lock(&scene.tokens[0], other).await), reused);
    }
    let concede = v1::ConcedeRequest { request_id: lock.request_id.clone(), match_id: scene.id.clone() };
    let mut play = scene.client.play.clone();
    assert_eq!(named(play.concede(bearer(&scene.tokens[0], concede)).await), reused);
    let after = Sight(vec![scene.view(&scene.tokens[0]).await, scene.view(&scene.tokens[1]).await], 0);
    assert_eq!(after, before);
    // Ids of one player have nothing to do with those of another.
    let own = v1::LockInRequest { request_id: lock.request_id.clone(), ..scene.locking(1, plunder::Sheet::default()) };
    scene.lock(&scene.tokens[1], own).await.expect("locked");
    assert_eq!(said(scene.lock(&scene.tokens[0], lock).await.expect("the same in the next turn")), receipt);
    let concede = v1::ConcedeRequest { request_id: request_id(), match_id: scene.id.clone() };
    let conceded = play.concede(bearer(&scene.tokens[0], concede.clone())).await.expect("conceded").into_inner();
    assert_eq!(conceded.turn, 2);
    let again = play.concede(bearer(&scene.tokens[0], concede)).await.expect("the same").into_inner();
    assert_eq!(again, conceded);
    scene.server.stop().await;
}

#[tokio::test]
async fn request_ids_have_a_length() {
    let mut scene = Scene::open(&config(), duel()).await;
    let before = scene.sight().await;
    let invalid = is(Code::InvalidArgument, "FIELD_INVALID");
    for request_id in [String::new(), "x".repeat(65)] {
        let id = || request_id.clone();
        let lock = v1::LockInRequest { request_id: id(), ..scene.locking(1, halfway(0)) };
        assert_eq!(named(scene.lock(&scene.tokens[0], lock).await), invalid);
        let stage = v1::StageOrdersRequest { request_id: id(), ..scene.staging(1, halfway(0)) };
        assert_eq!(named(scene.stage(&scene.tokens[0], stage).await), invalid);
        let answer = v1::AnswerRequest { request_id: id(), ..scene.answering(1, 1, &[]) };
        assert_eq!(named(scene.answer(&scene.tokens[0], answer).await), invalid);
        let concede = v1::ConcedeRequest { request_id: id(), match_id: scene.id.clone() };
        assert_eq!(named(scene.client.play.concede(bearer(&scene.tokens[0], concede)).await), invalid);
        let leave = v1::LeaveMatchRequest { request_id: id(), match_id: scene.id.clone() };
        assert_eq!(named(scene.client.lobby.leave_match(bearer(&scene.tokens[0], leave)).await), invalid);
        let start = v1::StartMatchRequest { request_id: id(), match_id: scene.id.clone() };
        assert_eq!(named(scene.client.lobby.start_match(bearer(&scene.host, start)).await), invalid);
        let stop = v1::StopMatchRequest { request_id: id(), match_id: scene.id.clone(), reason: String::new() };
        assert_eq!(named(scene.admin().stop_match(bearer(&scene.host, stop)).await), invalid);
    }
    // Whoever guesses one of these would get a token.
    for request_id in ["x".repeat(15), "x".repeat(65)] {
        let settings = Some(duel());
        let create = v1::CreateMatchRequest { request_id: request_id.clone(), settings, fixed_secret: Bytes::new() };
        assert_eq!(named(scene.client.lobby.create_match(create).await), invalid);
        let match_id = scene.id.clone();
        let join = v1::JoinMatchRequest { request_id, match_id, ..v1::JoinMatchRequest::default() };
        assert_eq!(named(scene.client.lobby.join_match(join).await), invalid);
    }
    assert_eq!(scene.sight().await, before);
    scene.server.stop().await;
}

#[tokio::test]
async fn seats_are_taken_once_and_matches_have_ids() {
    let scene = Scene::open(&config(), v1::MatchSettings { start_when_full: false, ..duel() }).await;
    let records = || scene.server.matches.journal.read(scene.match_id(), 0);
    let before = records().await.expect("readable").len();
    let join = || v1::JoinMatchRequest {
        request_id: request_id(),
        match_id: scene.id.clone(),
        ..v1::JoinMatchRequest::default()
    };
    let lobby = &mut scene.client.lobby.clone();
    let taken = is(Code::FailedPrecondition, "SEAT_TAKEN");
    assert_eq!(named(lobby.join_match(join()).await), taken);
    assert_eq!(named(lobby.join_match(v1::JoinMatchRequest { seat: Some(1), ..join() }).await), taken);
    let invalid = is(Code::InvalidArgument, "FIELD_INVALID");
    assert_eq!(named(lobby.join_match(v1::JoinMatchRequest { seat: Some(2), ..join() }).await), invalid);
    let added = Bytes::from_static(&[1; 31]);
    assert_eq!(named(lobby.join_match(v1::JoinMatchRequest { added, ..join() }).await), invalid);
    let match_id = "the one from yesterday".to_owned();
    assert_eq!(named(lobby.join_match(v1::JoinMatchRequest { match_id, ..join() }).await), invalid);
    let match_id = uuid::Uuid::from_u128(7).to_string();
    let unknown = is(Code::NotFound, "MATCH_UNKNOWN");
    assert_eq!(named(lobby.join_match(v1::JoinMatchRequest { match_id, ..join() }).await), unknown);
    let early = is(Code::FailedPrecondition, "NOT_STARTED");
    assert_eq!(named(scene.lock(&scene.tokens[0], scene.locking(1, halfway(0))).await), early);
    let replay = v1::GetReplayRequest { match_id: scene.id.clone() };
    let unfinished = is(Code::FailedPrecondition, "NOT_FINISHED");
    assert_eq!(named(scene.client.archive.clone().get_replay(replay).await), unfinished);
    let receipts = v1::GetReceiptsRequest { match_id: scene.id.clone(), first_turn: 0 };
    let denied = is(Code::PermissionDenied, "NOT_ALLOWED");
    assert_eq!(named(scene.client.archive.clone().get_receipts(receipts).await), denied);
    let watch = v1::WatchRequest { match_id: scene.id.clone(), after: 1000, views: false, ..Default::default() };
    let ahead = is(Code::InvalidArgument, "CURSOR_UNKNOWN");
    assert_eq!(named(scene.client.play.clone().watch(watch).await), ahead);
    assert_eq!(records().await.expect("readable").len(), before);
    scene.server.stop().await;
}

#[tokio::test]
async fn a_secret_of_the_callers_choice_has_to_be_allowed() {
    let server = Running::start(&Config { allow_fixed_secrets: false, ..config() }).await;
    let mut client = server.client().await;
    let create = |secret: &'static [u8]| v1::CreateMatchRequest {
        request_id: request_id(),
        settings: Some(duel()),
        fixed_secret: Bytes::from_static(secret),
    };
    let off = is(Code::PermissionDenied, "FIXED_SECRETS_OFF");
    assert_eq!(named(client.lobby.create_match(create(&[7; 32])).await), off);
    let invalid = is(Code::InvalidArgument, "FIELD_INVALID");
    assert_eq!(named(client.lobby.create_match(create(&[7; 31])).await), invalid);
    let list = client.lobby.list_matches(v1::ListMatchesRequest::default()).await.expect("a list").into_inner();
    assert!(list.matches.is_empty());
    client.lobby.create_match(create(&[])).await.expect("the server's own secret");
    server.stop().await;
}

#[tokio::test]
async fn whoever_calls_too_often_waits_and_nobody_else_notices() {
    let config = Config { calls_per_second_per_token: 1, burst_per_token: 4, ..config() };
    let scene = Scene::open(&config, duel()).await;
    let mut refused = None;
    for _ in 0..50 {
        let status = scene.lock(&scene.tokens[0], scene.locking(7, halfway(0))).await.expect_err("another turn");
        refused = Some(status).filter(|status| status.code() == Code::ResourceExhausted).or(refused);
    }
    let status = refused.expect("too many");
    assert_eq!(reason(&status), "RATE_LIMITED");
    assert!(!retry(&status).is_zero() && retry(&status) <= Duration::from_secs(1));
    let view = scene.view(&scene.tokens[1]).await;
    assert_eq!(view.view.and_then(Arms::into_plunder).expect("a view").turn, 1);
    scene.lock(&scene.tokens[1], scene.locking(1, halfway(1))).await.expect("the other plays on");
    scene.server.stop().await;
}

#[tokio::test]
async fn calls_without_a_token_are_counted_by_address_and_tokens_are_not() {
    let config = Config { calls_per_second_per_address: 1, burst_per_address: 3, ..config() };
    // Creating and joining twice uses up the three; a token is known from its first call on.
    let scene = Scene::open(&config, duel()).await;
    scene.view(&scene.tokens[0]).await;
    let mut refused = None;
    for _ in 0..50 {
        let list = scene.client.lobby.clone().list_matches(v1::ListMatchesRequest::default()).await;
        refused = list.err().or(refused);
    }
    let status = refused.expect("too many");
    assert_eq!((status.code(), &reason(&status)[..]), (Code::ResourceExhausted, "RATE_LIMITED"));
    assert!(retry(&status) <= Duration::from_secs(1));
    scene.lock(&scene.tokens[0], scene.locking(1, halfway(0))).await.expect("who has a token plays on");
    scene.server.stop().await;
}

#[tokio::test]
async fn limits_of_a_match_have_names() {
    let config = Config { max_watchers_per_match: 2, max_matches: 1, max_orders_per_sheet: 3, ..config() };
    let scene = Scene::open(&config, duel()).await;
    let watch = || v1::WatchRequest { match_id: scene.id.clone(), after: 0, views: false, ..Default::default() };
    let mut play = scene.client.play.clone();
    let _streams = [play.watch(watch()).await.expect("a stream"), play.watch(watch()).await.expect("a stream")];
    let status = play.watch(watch()).await.expect_err("too many");
    assert_eq!((status.code(), &reason(&status)[..]), (Code::ResourceExhausted, "TOO_MANY_WATCHERS"));
    assert!(!retry(&status).is_zero());
    play.watch(bearer(&scene.tokens[0], watch())).await.expect("players can always watch");
    let create =
        v1::CreateMatchRequest { request_id: request_id(), settings: Some(duel()), fixed_secret: Bytes::new() };
    let status = scene.client.lobby.clone().create_match(create).await.expect_err("too many");
    assert_eq!((status.code(), &reason(&status)[..]), (Code::ResourceExhausted, "TOO_MANY_MATCHES"));
    assert!(!retry(&status).is_zero());
    let before = scene.sight().await;
    let many = sheet(&[sail(1, &[(1, 0)]), sail(2, &[]), sail(3, &[]), sail(4, &[])]);
    let refusal = is(Code::ResourceExhausted, "TOO_MANY_ORDERS");
    assert_eq!(named(scene.lock(&scene.tokens[0], scene.locking(1, many.clone())).await), refusal);
    assert_eq!(named(scene.stage(&scene.tokens[0], scene.staging(1, many)).await), refusal);
    assert_eq!(scene.sight().await, before);
    scene.server.stop().await;
}

/// A status travels in headers, of which clients take only so many bytes.
#[tokio::test]
async fn a_refusal_with_many_faults_arrives_and_says_how_many_it_does_not_list() {
    let scene = Scene::open(&config(), duel()).await;
    let orders: Vec<_> = (100..1100).map(|unit| sail(unit, &[(1, 0)])).collect();
    let status = scene.lock(&scene.tokens[0], scene.locking(1, sheet(&orders))).await.expect_err("no such ships");
    assert_eq!((status.code(), &reason(&status)[..]), (Code::InvalidArgument, "ORDERS_INVALID"));
    scene.meet().await;
    let answers: GivenAnswers<'_> = (100..1100).map(|question| (question, ATTACK)).collect();
    let answered = scene.answer(&scene.tokens[0], scene.answering(1, 1, &answers)).await;
    for status in [status, answered.expect_err("no such questions")] {
        let found = faults(&status);
        assert_eq!(found.len(), 33, "{found:?}");
        assert_eq!(found[32], ("request".to_owned(), "968 more faults are not listed".to_owned()));
    }
    scene.server.stop().await;
}

/// Messages as bytes, whatever they say.
#[derive(Clone, Copy, Default)]
struct Raw;

impl Codec for Raw {
    type Encode = Bytes;
    type Decode = Bytes;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self
    }

    fn decoder(&mut self) -> Self {
        Self
    }
}

impl Encoder for Raw {
    type Item = Bytes;
    type Error = Status;

    fn encode(&mut self, item: Bytes, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        buffer.put(item);
        Ok(())
    }
}

impl Decoder for Raw {
    type Item = Bytes;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<Bytes>, Status> {
        Ok(Some(buffer.copy_to_bytes(buffer.remaining())))
    }
}

async fn send_raw(client: &Client, token: &str, path: &'static str, message: Bytes) -> Result<Bytes, Status> {
    let mut grpc = tonic::client::Grpc::new(client.channel.clone());
    grpc.ready().await.expect("connected");
    let request: Request<Bytes> = bearer(token, message);
    let path = tonic::codegen::http::uri::PathAndQuery::from_static(path);
    grpc.unary(request, path, Raw).await.map(Response::into_inner)
}

#[tokio::test]
async fn messages_that_are_too_large_or_make_no_sense_are_refused_by_name() {
    let scene = Scene::open(&Config { max_message_bytes: 4096, ..config() }, duel()).await;
    let before = scene.sight().await;
    let far: Vec<(i32, i32)> = vec![(1000, 1000); 2000];
    let status = scene.lock(&scene.tokens[0], scene.locking(1, sheet(&[sail(1, &far)]))).await.expect_err("large");
    assert_eq!((status.code(), &reason(&status)[..]), (Code::ResourceExhausted, "MESSAGE_TOO_LARGE"));
    for path in ["/parley.v1.Play/LockIn", "/parley.v1.Lobby/CreateMatch", "/parley.v1.Admin/StopMatch"] {
        for garbage in [&[0xff; 16][..], &[0x0a, 0x7f, 0x00], &[0x0a, 0x02, 0xc3, 0x28]] {
            let answer = send_raw(&scene.client, &scene.tokens[0], path, Bytes::copy_from_slice(garbage)).await;
            let status = answer.expect_err("garbage");
            assert_eq!((status.code(), &reason(&status)[..]), (Code::InvalidArgument, "MESSAGE_MALFORMED"), "{path}");
        }
    }
    let answer = send_raw(&scene.client, &scene.tokens[0], "/parley.v1.Play/Mutiny", Bytes::new()).await;
    assert_eq!(answer.expect_err("no such call").code(), Code::Unimplemented);
    assert_eq!(scene.sight().await, before);
    scene.lock(&scene.tokens[0], scene.locking(1, halfway(0))).await.expect("the connection is still good");
    scene.server.stop().await;
}

#[tokio::test]
async fn sessions_refuse_in_the_same_words_and_go_on() {
    use v1::session_request::What as Call;
    use v1::session_response::What as Answer;
    let scene = Scene::open(&Config { max_message_bytes: 4096, ..config() }, duel()).await;
    let (calls, queue) = tokio::sync::mpsc::channel(4);
    let stream = tokio_stream::wrappers::ReceiverStream::new(queue);
    let mut play = scene.client.play.clone();
    let mut answers = play.session(bearer(&scene.tokens[0], stream)).await.expect("a session").into_inner();
    let call = |call, what| v1::SessionRequest { call, what: Some(what), ..Default::default() };
    let get_view = || Call::GetView(v1::GetViewRequest::default());
    let open = Call::Open(v1::SessionOpen { match_id: scene.id.clone(), after: 0, views: false, ..Default::default() });
    calls.send(call(1, get_view())).await.expect("open");
    calls.send(call(2, open.clone())).await.expect("open");
    calls.send(call(3, open)).await.expect("open");
    calls.send(call(4, Call::LockIn(scene.locking(7, halfway(0))))).await.expect("open");
    calls.send(call(5, Call::LockIn(scene.locking(1, sheet(&[sail(2, &[(5, 0)])]))))).await.expect("open");
    calls.send(call(6, Call::LockIn(scene.locking(1, halfway(0))))).await.expect("open");
    let mut seen = std::collections::BTreeMap::new();
    while seen.len() < 6 {
        let answer = answers.message().await.expect("no error").expect("an answer");
        if answer.call != 0 {
            seen.insert(answer.call, answer.what.expect("something"));
        }
    }
    let refused = |call: u64| match &seen[&call] {
        Answer::Refused(refusal) => refusal.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!((refused(1).code, &refused(1).reason[..]), (Code::FailedPrecondition as i32, "SESSION_NOT_OPEN"));
    assert!(matches!(&seen[&2], Answer::Opened(opened) if opened.seat == Some(0)));
    assert_eq!(refused(3).reason, "SESSION_OPEN");
    assert_eq!((&refused(4).reason[..], refused(4).turn), ("OTHER_TURN", 1));
    assert_eq!((&refused(5).reason[..], &refused(5).faults[0].rule[..]), ("ORDERS_INVALID", "R1"));
    assert!(matches!(&seen[&6], Answer::LockIn(locked) if locked.receipt.is_some()));
    let far: Vec<(i32, i32)> = vec![(1000, 1000); 2000];
    calls.send(call(7, Call::LockIn(scene.locking(1, sheet(&[sail(1, &far)]))))).await.expect("open");
    let status = loop {
        match answers.message().await {
            Ok(Some(_)) => {}
            Ok(None) => panic!("an orderly end"),
            Err(status) => break status,
        }
    };
    assert_eq!((status.code(), &reason(&status)[..]), (Code::ResourceExhausted, "MESSAGE_TOO_LARGE"));
    scene.server.stop().await;
}

#[tokio::test]
async fn reflection_and_health_answer() {
    use tonic_health::pb::health_check_response::ServingStatus;
    use tonic_health::pb::{HealthCheckRequest, health_client::HealthClient};
    let server = Running::start(&config()).await;
    let client = server.client().await;
    macro_rules! services {
        ($version:ident) => {{
            use pb::server_reflection_request::MessageRequest;
            use pb::server_reflection_response::MessageResponse;
            use tonic_reflection::pb::$version as pb;
            let mut reflection = pb::server_reflection_client::ServerReflectionClient::new(client.channel.clone());
            let message_request = Some(MessageRequest::ListServices(String::new()));
            let request = pb::ServerReflectionRequest { host: String::new(), message_request };
            let stream = tokio_stream::iter([request]);
            let mut answers = reflection.server_reflection_info(stream).await.expect("a stream").into_inner();
            let answer = answers.message().await.expect("no error").expect("an answer").message_response;
            let Some(MessageResponse::ListServicesResponse(list)) = answer else { panic!("{answer:?}") };
            list.service.into_iter().map(|service| service.name).collect::<BTreeSet<_>>()
        }};
    }
    for services in [services!(v1), services!(v1alpha)] {
        for name in ["Lobby", "Play", "Archive", "Admin"] {
            assert!(services.contains(&format!("parley.v1.{name}")), "{services:?}");
        }
    }
    let mut health = HealthClient::new(client.channel.clone());
    let answer = health.check(HealthCheckRequest::default()).await.expect("healthy").into_inner();
    assert_eq!(answer.status(), ServingStatus::Serving);
    server.stop().await;
}

#[tokio::test]
async fn a_browser_can_call_by_hand() {
    let server = Running::start(&config()).await;
    let mut client = server.client().await;
    let id = id_of(&client.create(duel(), None).await);
    let message = prost::Message::encode_to_vec(&v1::GetMatchRequest { match_id: id.clone() });
    for (message, status, known) in [(message, "0", true), (vec![0x0a, 0x01, b'x'], "3", false)] {
        let mut stream = tokio::net::TcpStream::connect(server.address).await.expect("connected");
        let length = message.len() + 5;
        let head = format!(
            "POST /parley.v1.Lobby/GetMatch HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\
             content-type: application/grpc-web+proto\r\nx-grpc-web: 1\r\ncontent-length: {length}\r\n\r\n",
            server.address
        );
        let mut bytes = head.into_bytes();
        bytes.push(0);
        bytes.extend_from_slice(&(message.len() as u32).to_be_bytes());
        bytes.extend_from_slice(&message);
        stream.write_all(&bytes).await.expect("sent");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.expect("an answer");
        let text = String::from_utf8_lossy(&answer);
        assert!(text.starts_with("HTTP/1.1 200"), "{text}");
        assert!(text.contains(&format!("grpc-status:{status}")) || text.contains(&format!("grpc-status: {status}")));
        assert_eq!(text.contains(&id), known);
    }
    server.stop().await;
}
