//! A match of four players from its creation to its proof, over sockets.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::common::naval::Naval;
use crate::common::naval::{advice, asking};
use crate::common::script::{pick, unit_of};
use crate::common::{Client, Running, bearer, config, id_of, request_id};
use crate::sea::{drawn, hex, sail, sheet};
use ed25519_dalek::VerifyingKey;
use parley_bots::arms::Arms;
use parley_core::dice::Seed;
use parley_core::digest::Digest;
use parley_core::hex::Hex;
use parley_core::ids::PlayerId;
use parley_core::question::Answer;
use parley_games::plunder::game::map::{Map, MapText};
use parley_games::plunder::game::rules::Rules;
use parley_games::plunder::game::ruleset::{Game, Step, Workspace};
use parley_games::plunder::game::start;
use parley_games::receipt::{self, Promise};
use parley_games::replay::{Options, verify};
use parley_proto::plunder::v1 as plunder;
use parley_proto::plunder::v1::advice::Advice;
use parley_proto::plunder::v1::event::What as Happened;
use parley_proto::plunder::v1::query::Query;
use parley_proto::v1;
use parley_proto::v1::news::What;
use parley_proto::v1::replay_record::Record;
use tonic::Streaming;

const SECRET: [u8; 32] = [42; 32];
const ROWS: [&str; 5] = ["H.....H", ".......", ".......", ".......", "H.....H"];
const STARTS: [(i32, i32); 4] = [(0, 0), (6, 0), (-2, 4), (4, 4)];
/// Where everybody meets after the first two turns.
const CENTRE: (i32, i32) = (2, 2);
const RULES: &str = r#"{"economy": {"start_ships": 2}, "turn_limit": 60}"#;

/// A player and what was told to them.
struct Player {
    seat: usize,
    token: String,
    client: Client,
    news: Streaming<v1::WatchResponse>,
    cursor: u64,
    view: plunder::View,
    events: Vec<(u32, plunder::Event)>,
    prompts: Vec<v1::Prompt>,
    receipts: Vec<v1::Receipt>,
    ended: Option<v1::MatchEnded>,
}

/// What everybody said in a match: sheets by turn and seat, answers by turn, seat and question.
#[derive(Default)]
struct Said {
    sheets: BTreeMap<(u32, usize), plunder::Sheet>,
    answers: BTreeMap<(u32, usize, u32), v1::Answer>,
}

/// A match that was played.
struct Played {
    id: String,
    created: v1::CreateMatchResponse,
    players: Vec<Player>,
    said: Said,
    replay: Vec<v1::ReplayRecord>,
}

/// What a prompt tells of its turn.
fn so_far(prompt: &v1::Prompt) -> &plunder::TurnNews {
    prompt.so_far.as_ref().and_then(Arms::as_plunder).expect("news")
}

impl Player {
    /// Orders of the first two turns as the test needs them; from then on everybody fights for the middle.
    async fn plan(&mut self, id: &str, turn: u32) -> plunder::Sheet {
        match (turn, self.seat) {
            // The first two want the same tile in tick 3 and fight for it; the second keeps it.
            (1, 0) => sheet(&[sail(1, &[(1, 0), (2, 0), (3, 0)])]),
            (1, 1) => sheet(&[sail(3, &[(5, 0), (4, 0), (3, 0)])]),
            (2, 0) => sheet(&[sail(1, &[(1, 1)])]),
            (2, 1) => plunder::Sheet::default(),
            // The last two come to stand side by side and then want to change places.
            (1, 2) => sheet(&[sail(5, &[(-1, 4), (0, 4)])]),
            (1, _) => sheet(&[sail(7, &[(3, 4), (2, 4), (1, 4)])]),
            (2, 2) => sheet(&[sail(5, &[(1, 4)])]),
            (2, _) => sheet(&[sail(7, &[(0, 4)])]),
            _ => self.fight_for_the_middle(id).await,
        }
    }

    async fn fight_for_the_middle(&mut self, id: &str) -> plunder::Sheet {
        let mut orders = Vec::new();
        for unit in self.view.units.iter().filter(|unit| unit.owner == self.seat as u32) {
            let contends = self.view.contests.iter().any(|contest| contest.contenders.contains(&unit.id));
            let there = unit.hex == Some(hex(CENTRE.0, CENTRE.1));
            let mut order = plunder::UnitOrder { unit: unit.id, ..plunder::UnitOrder::default() };
            order.set_engagement(plunder::Engagement::Fight);
            if !contends && !there {
                let target = Some(hex(CENTRE.0, CENTRE.1));
                let ask = asking(id, Query::Path(plunder::PathQuery { unit: unit.id, target }));
                if let Ok(answer) = self.client.play.advise(bearer(&self.token, ask)).await {
                    let Advice::Path(course) = advice(answer.into_inner()) else { panic!("another advice") };
                    let path = course.legs.iter().map(|leg| leg.hex.expect("a tile")).collect();
                    order.action = Some(plunder::unit_order::Action::Move(plunder::Move { path }));
                }
            }
            orders.push(order);
        }
        sheet(&orders)
    }

    async fn lock(&mut self, id: &str, turn: u32, sheet: plunder::Sheet) {
        let request = v1::LockInRequest {
            request_id: request_id(),
            match_id: id.to_owned(),
            turn,
            sheet: Some(v1::Sheet::of_plunder(sheet)),
        };
        let answer = self.client.play.lock_in(bearer(&self.token, request)).await.expect("locked");
        self.receipts.push(answer.into_inner().receipt.expect("a receipt"));
    }

    /// Answers what is asked: in the first turn everybody attacks, in the second only the third player does.
    async fn answer(&mut self, id: &str, prompt: v1::Prompt, said: &mut Said) {
        let (turn, window, match_id) = (prompt.turn, prompt.window, id.to_owned());
        let word = |question: &v1::Question| {
            let encounter = &so_far(&prompt).encounters[question.group as usize - 1];
            let asks = |ship: &plunder::encounter::Participant| {
                Some(ship.unit) == unit_of(question) && ship.asked == Some(true)
            };
            assert!(encounter.participants.iter().any(asks), "a question belongs to the encounter of its ship");
            match (encounter.kind(), self.seat) {
                (plunder::EncounterKind::Passing, 3) => "proceed",
                _ => "attack",
            }
        };
        let answers: Vec<_> = prompt.questions.iter().map(|question| pick(question, word(question))).collect();
        said.answers.extend(answers.iter().map(|answer| ((turn, self.seat, answer.question), answer.clone())));
        let request = v1::AnswerRequest { request_id: request_id(), match_id, turn, window, answers };
        let answer = self.client.play.answer(bearer(&self.token, request)).await.expect("answered").into_inner();
        assert_eq!((answer.turn, answer.window), (turn, window));
        self.prompts.push(prompt);
    }

    async fn next(&mut self) -> What {
        let news = self.news.message().await.expect("no error").expect("more news").news.expect("news");
        self.cursor += 1;
        assert_eq!(news.cursor, self.cursor, "without gaps");
        news.what.expect("something")
    }

    /// Takes news up to the next turn, answering what is asked. Gives back whether there is one.
    async fn live(&mut self, id: &str, said: &mut Said) -> Option<bool> {
        match self.next().await {
            What::Prompt(prompt) => {
                self.answer(id, prompt, said).await;
                None
            }
            What::Outcome(outcome) => {
                let told = [outcome.shared, outcome.own].into_iter().flatten().filter_map(Arms::into_plunder);
                self.events.extend(told.flat_map(|news| news.events).map(|event| (outcome.turn, event)));
                self.ended = outcome.ended;
                if let Some(next) = outcome.next {
                    self.view = next.view.and_then(Arms::into_plunder).expect("views were asked for");
                }
                Some(self.ended.is_none())
            }
            other => panic!("{other:?} does not belong here"),
        }
    }

    fn saw(&self, what: impl Fn(u32, &Happened) -> bool) -> bool {
        self.events.iter().any(|(turn, event)| event.what.as_ref().is_some_and(|happened| what(*turn, happened)))
    }

    fn exchanges(&self) -> Vec<plunder::event::Exchanged> {
        let exchanged = |(_, event): &(u32, plunder::Event)| match &event.what {
            Some(Happened::Exchanged(exchanged)) => Some(exchanged.clone()),
            _ => None,
        };
        self.events.iter().filter_map(exchanged).collect()
    }
}

/// Plays the match to its end.
async fn play(server: &Running, fog: bool, added: [Option<[u8; 32]>; 4]) -> Played {
    let mut client = server.client().await;
    let settings = v1::MatchSettings {
        seats: vec![v1::SeatChoice::default(); 4],
        planning_ms: Some(0),
        decision_ms: Some(0),
        start_when_full: true,
        ..v1::MatchSettings::default().with_map(drawn(&ROWS, &STARTS)).with_rules(RULES).with_fog(fog)
    };
    let created = client.create(settings, Some(SECRET)).await;
    let id = id_of(&created);
    let mut players = Vec::new();
    for (seat, added) in added.into_iter().enumerate() {
        players.push(sit_down(server, &id, seat, added).await);
    }
    for player in &mut players {
        while !matches!(player.next().await, What::TurnOpened(_)) {}
        let view = v1::GetViewRequest { match_id: id.clone() };
        let seen = player.client.play.get_view(bearer(&player.token, view)).await.expect("a view").into_inner();
        assert_eq!(seen.cursor, player.cursor);
        player.view = seen.view.and_then(Arms::into_plunder).expect("a view");
    }
    let mut said = Said::default();
    let mut turn = 1;
    loop {
        for player in &mut players {
            if player.view.players[player.seat].alive {
                let orders = player.plan(&id, turn).await;
                said.sheets.insert((turn, player.seat), orders.clone());
                player.lock(&id, turn, orders).await;
            }
        }
        let asked: &[usize] = match turn {
            1 => &[0, 1],
            2 => &[2, 3],
            _ => &[],
        };
        for &seat in asked {
            assert_eq!(players[seat].live(&id, &mut said).await, None, "a question comes before the outcome");
        }
        for player in &mut players {
            assert!(player.live(&id, &mut said).await.is_some(), "nobody else is asked");
        }
        if players[0].ended.is_some() {
            break;
        }
        turn += 1;
    }
    let replay = v1::GetReplayRequest { match_id: id.clone() };
    let mut stream = client.archive.get_replay(replay).await.expect("a replay").into_inner();
    let mut replay = Vec::new();
    while let Some(piece) = stream.message().await.expect("no error") {
        replay.push(piece.record.expect("a record"));
    }
    Played { id, created, players, said, replay }
}

async fn sit_down(server: &Running, id: &str, seat: usize, added: Option<[u8; 32]>) -> Player {
    let mut client = server.client().await;
    let request = v1::JoinMatchRequest {
        request_id: request_id(),
        match_id: id.to_owned(),
        seat: Some(seat as u32),
        name: format!("Captain {seat}"),
        added: added.map(|added| added.to_vec().into()).unwrap_or_default(),
    };
    let token = client.lobby.join_match(request).await.expect("a seat").into_inner().player_token;
    let watch = v1::WatchRequest { match_id: id.to_owned(), after: 0, views: true, ..Default::default() };
    let news = client.play.watch(bearer(&token, watch)).await.expect("a stream").into_inner();
    let (view, events, prompts, receipts) = Default::default();
    Player { seat, token, client, news, cursor: 0, view, events, prompts, receipts, ended: None }
}

/// The digests that the resolver comes to alone, from what was said.
fn digests(said: &Said, fog: bool, added: &[[u8; 32]]) -> (Digest, Vec<Digest>) {
    let changes = serde_json::from_str(RULES).expect("JSON");
    let rules = Rules::plunder().with_overrides(&changes).expect("rules");
    let fog = serde_json::json!({ "fog": if fog { "on" } else { "off" } });
    let rules = Arc::new(rules.with_overrides(&fog).expect("rules"));
    let tiles = ROWS.iter().map(|row| (*row).to_owned()).collect();
    let map = Map::compile(&MapText { width: 7, height: 5, wrap: false, tiles }, &rules).expect("a map");
    let starts: Vec<_> = STARTS.iter().map(|&(q, r)| map.grid().tile(Hex::new(q, r)).expect("a tile")).collect();
    let state = start::opening(&rules, Arc::new(map), &starts).expect("an opening");
    let mut game = Game::new(Arc::clone(&rules), state, Seed::derive(&SECRET, added));
    let (genesis, mut digests, mut workspace) = (game.digest(), Vec::new(), Workspace::new());
    while game.state().result().is_none() {
        let turn = game.turn();
        for (&(_, seat), said) in said.sheets.range((turn, 0)..(turn + 1, 0)) {
            let player = PlayerId::new(seat as u64).expect("a player");
            let (orders, faults) = parley_games::plunder::wire::sheet(&rules, player, said);
            assert!(faults.is_empty());
            game.lock(game.judge(&orders).whole().expect("legal orders")).expect("a turn");
        }
        let mut answers: Vec<Answer> = Vec::new();
        while matches!(game.advance(&mut workspace, &answers).expect("good answers"), Step::Asked) {
            let given = |seat: PlayerId, question| &said.answers[&(turn, usize::from(seat.get()), question)];
            let asked = game.questions().iter().map(|asked| (asked.seat, given(asked.seat, asked.id())));
            answers = asked.map(|(seat, said)| parley_games::plunder::wire::answer(seat, said)).collect();
        }
        digests.push(game.digest());
    }
    (genesis, digests)
}

fn recorded(replay: &[v1::ReplayRecord]) -> Vec<Digest> {
    let turn = |record: &v1::ReplayRecord| match &record.record {
        Some(Record::Turn(turn)) => Some(Digest::from_bytes(turn.digest.as_ref().try_into().expect("32 bytes"))),
        _ => None,
    };
    replay.iter().filter_map(turn).collect()
}

/// The match is what the resolver makes of it, and its replay proves it.
fn check_proof(played: &Played, fog: bool, added: &[[u8; 32]]) {
    let created = played.created.r#match.as_ref().expect("a match");
    let (genesis, digests) = digests(&played.said, fog, added);
    let (Some(Record::Header(header)), Some(Record::End(end))) =
        (&played.replay[0].record, &played.replay[played.replay.len() - 1].record)
    else {
        panic!("a header and an end");
    };
    assert_eq!(header.genesis_digest.as_ref(), genesis.as_bytes());
    assert_eq!(recorded(&played.replay), digests);
    assert_eq!(end.final_digest.as_ref(), digests.last().expect("a turn").as_bytes());
    for player in &played.players {
        let ended = player.ended.as_ref().expect("an end");
        assert_eq!(ended.secret.as_ref(), SECRET);
        assert_eq!(ended.digest, end.final_digest);
        assert!(ended.result.is_some());
        assert_eq!(blake3::hash(&ended.secret).as_bytes(), created.seed_commitment.as_ref());
    }
    let verdict = verify(&played.replay, &Options::default());
    assert_eq!(verdict.finding, None);
    assert_eq!(verdict.turns as usize, digests.len());
    assert_eq!(verdict.receipts as usize, played.said.sheets.len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn four_players_meet_fight_contest_sink_and_end() {
    let server = Running::start(&config()).await;
    let played = play(&server, false, [None; 4]).await;
    let players = &played.players;
    // Who meets is asked, and nobody else.
    let prompts: Vec<Vec<_>> = players
        .iter()
        .map(|player| {
            player
                .prompts
                .iter()
                .map(|p| (p.turn, p.window, p.questions[0].tick, so_far(p).encounters[0].kind()))
                .collect()
        })
        .collect();
    let (entry, passing) = (plunder::EncounterKind::Entry, plunder::EncounterKind::Passing);
    assert_eq!(
        prompts,
        [vec![(1, 1, 3, entry)], vec![(1, 1, 3, entry)], vec![(2, 1, 1, passing)], vec![(2, 1, 1, passing)]]
    );
    // Events that led to a question come with it.
    for player in &players[..2] {
        let moved = |event: &plunder::Event| matches!(event.what, Some(Happened::Moved(_)));
        assert!(so_far(&player.prompts[0]).events.iter().any(moved));
    }
    for player in players {
        let met = |kind: plunder::EncounterKind| {
            move |_: u32, what: &Happened| match what {
                Happened::Met(met) => met.kind() == kind,
                _ => false,
            }
        };
        assert!(player.saw(met(entry)) && player.saw(met(passing)));
        let opened = |turn, what: &Happened| match what {
            Happened::ContestOpened(opened) => {
                (turn, opened.hex, &opened.contenders[..]) == (1, Some(hex(3, 0)), &[1, 3])
            }
            _ => false,
        };
        let closed = |turn, what: &Happened| match what {
            Happened::ContestClosed(closed) => {
                (turn, closed.hex, closed.end()) == (2, Some(hex(3, 0)), plunder::ContestEnd::Claimed)
            }
            _ => false,
        };
        assert!(player.saw(opened) && player.saw(closed));
        assert!(player.saw(|turn, what| turn == 2 && matches!(what, Happened::Withdrew(w) if w.unit == 1)));
        let decided = |unit: u32, choice: plunder::Choice| {
            move |turn: u32, what: &Happened| match what {
                Happened::Decided(decided) => turn == 2 && decided.unit == unit && decided.choice() == choice,
                _ => false,
            }
        };
        assert!(player.saw(decided(5, plunder::Choice::Attack)) && player.saw(decided(7, plunder::Choice::Proceed)));
        assert!(player.saw(|_, what| matches!(what, Happened::Sunk(_))));
        assert!(player.saw(|_, what| matches!(what, Happened::Eliminated(out) if !out.conceded)));
        assert!(player.saw(|_, what| matches!(what, Happened::Ended(_))));
        assert!(player.news_are_equal_to(&players[0]), "without fog everybody sees the same");
    }
    check_proof(&played, false, &[]);
    server.stop().await;
}

impl Player {
    /// Whether two players were told the same, their own defaults aside.
    fn news_are_equal_to(&self, other: &Self) -> bool {
        let plain = |player: &Self| -> Vec<(u32, plunder::Event)> {
            let mut events = player.events.clone();
            events.retain(|(_, event)| !matches!(event.what, Some(Happened::Defaulted(_))));
            events
        };
        plain(self) == plain(other)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn receipts_are_those_that_were_given_and_signed() {
    let server = Running::start(&config()).await;
    let mut played = play(&server, false, [None; 4]).await;
    let mut given: Vec<v1::Receipt> = played.players.iter().flat_map(|player| player.receipts.clone()).collect();
    given.sort_by_key(|receipt| (receipt.turn, receipt.seat));
    let request = v1::GetReceiptsRequest { match_id: played.id.clone(), first_turn: 0 };
    let client = &mut played.players[0].client;
    let answer = client.archive.get_receipts(request).await.expect("receipts").into_inner();
    let said = |receipts: &[v1::Receipt]| receipts.iter().map(Promise::read).collect::<Result<Vec<_>, _>>();
    assert_eq!(said(&answer.receipts), said(&given));
    let of_match = v1::GetMatchRequest { match_id: played.id.clone() };
    let known = client.lobby.get_match(of_match).await.expect("a match").into_inner().receipt_key;
    assert_eq!(known, answer.receipt_key);
    let key = VerifyingKey::from_bytes(known.as_ref().try_into().expect("32 bytes")).expect("a key");
    for receipt in answer.receipts.iter().chain(&given) {
        let promise = receipt::check(&key, receipt).expect("signed");
        let sheet = v1::Sheet::of_plunder(played.said.sheets[&(receipt.turn, receipt.seat as usize)].clone());
        assert_eq!(promise.sheet_hash, Digest::of(&prost::Message::encode_to_vec(&sheet)));
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_players_add_changes_the_dice() {
    let server = Running::start(&config()).await;
    let plain = play(&server, false, [None; 4]).await;
    let added = [[1; 32], [2; 32]];
    let other = play(&server, false, [Some(added[0]), None, Some(added[1]), None]).await;
    let first = |played: &Played| played.players[0].exchanges()[0].clone();
    let (one, two) = (first(&plain), first(&other));
    assert_ne!((one.attacker_dice, one.defender_dice), (two.attacker_dice, two.defender_dice));
    check_proof(&plain, false, &[]);
    check_proof(&other, false, &added);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_same_holds_in_fog() {
    let server = Running::start(&config()).await;
    let played = play(&server, true, [None; 4]).await;
    check_proof(&played, true, &[]);
    // The last two are far from the first two, who fight in turn 1.
    assert!(played.players[0].saw(|turn, what| turn == 1 && matches!(what, Happened::Exchanged(_))));
    assert!(!played.players[2].saw(|turn, what| turn == 1 && matches!(what, Happened::Exchanged(_))));
    server.stop().await;
}
