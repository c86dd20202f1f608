//! Nothing that was acknowledged is lost, however often the server is killed.
//!
//! Many matches are played at once against the real binary, which is killed (SIGKILL) again and again at moments that
//! a seed chooses, counted in acknowledged calls, and started anew on the same folder. The same matches are played
//! without disturbance in memory, and everything has to be the same.
//!
//! The long form: `PARLEY_CRASH_MATCHES` (50) matches, `PARLEY_CRASH_KILLS` (20) kills, `PARLEY_CRASH_TURNS` (20) turns
//! at most in each, and `PARLEY_CRASH_SEED` (1) for other moments.

mod common;

use std::collections::BTreeMap;
use std::future::Future;
use std::net::SocketAddr;
use std::time::Duration;

use common::process::{Process, lazy};
use common::{Client, Running, bearer, config, reason, script, settings};
use ed25519_dalek::VerifyingKey;
use parley_bots::receipt::Promise;
use parley_gateway::replay;
use parley_proto::v1;
use parley_proto::v1::news::What;
use parley_proto::v1::replay_record::Record;
use prost::Message;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tonic::{Response, Status, Streaming};

/// How long the whole of it may take before something hangs.
const PATIENCE: Duration = Duration::from_secs(600);
/// Few enough that matches are read back from snapshots too.
const SNAPSHOT_EVERY: &str = "3";
/// More than a seat calls in one turn, so that its last lock-in can be repeated in the middle of it.
const REQUEST_MEMORY: &str = "64";

/// Where the server is, and the how manieth it is.
#[derive(Clone, Copy)]
struct Place {
    generation: u64,
    address: SocketAddr,
}

/// Somebody who calls until there is an answer.
#[derive(Clone)]
struct Caller {
    place: watch::Receiver<Place>,
    generation: u64,
    client: Client,
    acknowledged: watch::Sender<usize>,
}

impl Caller {
    fn new(place: &watch::Sender<Place>, acknowledged: &watch::Sender<usize>) -> Self {
        let now = *place.borrow();
        let (generation, client) = (now.generation, lazy(now.address));
        Self { place: place.subscribe(), generation, client, acknowledged: acknowledged.clone() }
    }

    /// Repeats a call until some server answers it.
    async fn repeat<T, F>(&mut self, call: impl Fn(Client) -> F) -> T
    where
        F: Future<Output = Result<Response<T>, Status>>,
    {
        loop {
            match call(self.client.clone()).await {
                Ok(response) => return response.into_inner(),
                Err(status) => self.find_the_next(&status).await,
            }
        }
    }

    /// The same, for a call whose answer counts.
    async fn call<T, F>(&mut self, call: impl Fn(Client) -> F) -> T
    where
        F: Future<Output = Result<Response<T>, Status>>,
    {
        let answer = self.repeat(call).await;
        self.acknowledged.send_modify(|count| *count += 1);
        answer
    }

    /// The connection is lost: waits for the next server. A server that answers must not refuse anything.
    async fn find_the_next(&mut self, status: &Status) {
        assert_eq!(reason(status), "", "refused: {status:?}");
        let seen = self.generation;
        let place = *self.place.wait_for(|place| place.generation > seen).await.expect("the test goes on");
        (self.generation, self.client) = (place.generation, lazy(place.address));
    }
}

/// What a seat was told and what was acknowledged to it.
#[derive(Default)]
struct Log {
    news: Vec<Vec<u8>>,
    locks: BTreeMap<u32, (Vec<u8>, v1::Receipt)>,
    decisions: BTreeMap<(u32, u32), BTreeMap<u32, i32>>,
    digest: Vec<u8>,
}

/// A seat that is played by the script.
struct Player {
    caller: Caller,
    number: u64,
    id: String,
    token: String,
    seat: u32,
    log: Log,
    turn: u32,
    last_lock: Option<(v1::LockInRequest, v1::LockInResponse)>,
    last_decision: Option<(v1::DecideRequest, v1::DecideResponse)>,
    /// The server that the last answers were compared on.
    compared: u64,
}

impl Player {
    async fn play(mut self) -> (String, Log) {
        self.compared = self.caller.generation;
        while self.log.digest.is_empty() {
            self.compare_answers().await;
            let generation = self.caller.generation;
            let mut stream = self.watch().await;
            while self.log.digest.is_empty() && generation == self.caller.generation {
                match stream.message().await {
                    Ok(Some(response)) => self.hear(response.news.expect("news")).await,
                    Ok(None) => panic!("the stream of match {} ended before the match", self.number),
                    Err(status) => self.caller.find_the_next(&status).await,
                }
            }
        }
        (self.id, self.log)
    }

    async fn watch(&mut self) -> Streaming<v1::WatchResponse> {
        let request = v1::WatchRequest { match_id: self.id.clone(), after: self.log.news.len() as u64, views: true };
        let token = &self.token;
        loop {
            match self.caller.client.play.watch(bearer(token, request.clone())).await {
                Ok(stream) => return stream.into_inner(),
                Err(status) => self.caller.find_the_next(&status).await,
            }
        }
    }

    /// On every new server, the last answers are the same.
    async fn compare_answers(&mut self) {
        while self.compared != self.caller.generation {
            self.compared = self.caller.generation;
            if let Some((request, answer)) = self.last_lock.clone() {
                let again = lock_in(&mut self.caller, &self.token, &request).await;
                let said = |answer: &v1::LockInResponse| Promise::read(answer.receipt.as_ref().expect("a receipt"));
                assert_eq!(said(&again), said(&answer), "another promise after a crash");
            }
            if let Some((request, answer)) = self.last_decision.clone() {
                assert_eq!(decide(&mut self.caller, &self.token, &request).await, answer);
            }
        }
    }

    async fn hear(&mut self, news: v1::News) {
        self.log.news.push(common::told(news.clone()));
        assert_eq!(news.cursor, self.log.news.len() as u64, "a gap or a repetition");
        match news.what.expect("something") {
            What::TurnOpened(opened) => self.open(opened).await,
            What::Prompt(prompt) => self.answer(&prompt).await,
            What::Outcome(outcome) => {
                assert_eq!(outcome.turn, self.turn, "a turn is resolved once, and after the one before");
                if let Some(ended) = outcome.ended {
                    self.log.digest = ended.digest.to_vec();
                } else {
                    self.open(outcome.next.expect("the next turn")).await;
                }
            }
            What::SeatsChanged(_) => {}
            other => panic!("nobody expects {other:?}"),
        }
    }

    async fn open(&mut self, opened: v1::TurnOpened) {
        assert_eq!(opened.turn, self.turn + 1);
        self.turn = opened.turn;
        let view = opened.view.expect("a view");
        if !script::is_alive(&view) {
            return;
        }
        let sheet = script::sheet(self.number, &view);
        let said = sheet.encode_to_vec();
        let request = v1::LockInRequest {
            request_id: format!("lock-{}", self.turn),
            match_id: self.id.clone(),
            turn: self.turn,
            sheet: Some(sheet),
        };
        let answer = lock_in(&mut self.caller, &self.token, &request).await;
        self.caller.acknowledged.send_modify(|count| *count += 1);
        self.log.locks.insert(self.turn, (said, answer.receipt.clone().expect("a receipt")));
        self.last_lock = Some((request, answer));
    }

    /// Answers what is asked: in every other match one ship after the other.
    async fn answer(&mut self, prompt: &v1::Prompt) {
        assert_eq!(prompt.turn, self.turn);
        let decisions = script::decisions(self.number, self.seat, prompt);
        assert!(!decisions.is_empty(), "who is asked has something to decide");
        let at_once = if self.number.is_multiple_of(2) { decisions.len() } else { 1 };
        for some in decisions.chunks(at_once) {
            let request = v1::DecideRequest {
                request_id: format!("decide-{}-{}-{}", prompt.turn, prompt.tick, some[0].unit),
                match_id: self.id.clone(),
                turn: prompt.turn,
                tick: prompt.tick,
                decisions: some.to_vec(),
            };
            let answer = decide(&mut self.caller, &self.token, &request).await;
            assert_eq!(answer, v1::DecideResponse { turn: prompt.turn, tick: prompt.tick });
            self.caller.acknowledged.send_modify(|count| *count += 1);
            let window = self.log.decisions.entry((prompt.turn, prompt.tick)).or_default();
            window.extend(some.iter().map(|decision| (decision.unit, decision.choice)));
            self.last_decision = Some((request, answer));
        }
    }
}

async fn lock_in(caller: &mut Caller, token: &str, request: &v1::LockInRequest) -> v1::LockInResponse {
    let call = async |mut client: Client| client.play.lock_in(bearer(token, request.clone())).await;
    caller.repeat(call).await
}

async fn decide(caller: &mut Caller, token: &str, request: &v1::DecideRequest) -> v1::DecideResponse {
    let call = async |mut client: Client| client.play.decide(bearer(token, request.clone())).await;
    caller.repeat(call).await
}

/// A match that was played, with everything that was acknowledged.
struct Played {
    created: (v1::CreateMatchRequest, v1::CreateMatchResponse),
    joined: Vec<(v1::JoinMatchRequest, v1::JoinMatchResponse)>,
    logs: Vec<Log>,
}

impl Played {
    fn id(&self) -> String {
        common::id_of(&self.created.1)
    }
}

/// Plays a match from its creation to its end.
async fn play(mut caller: Caller, number: u64, turns: u32) -> Played {
    let seats = 2 + (number % 3) as usize;
    let rules = format!(r#"{{"turn_limit": {turns}}}"#);
    let fog = Some(number % 4 == 3);
    let create = v1::CreateMatchRequest {
        request_id: format!("create-match-number-{number:08}"),
        settings: Some(v1::MatchSettings { rules, fog, ..settings(seats, number) }),
        fixed_secret: vec![number as u8; 32].into(),
    };
    let created = caller.call(async |mut client: Client| client.lobby.create_match(create.clone()).await).await;
    let id = common::id_of(&created);
    let mut joined = Vec::new();
    let mut players = JoinSet::new();
    for seat in 0..seats as u32 {
        let join = v1::JoinMatchRequest {
            request_id: format!("join-match-{number:08}-seat-{seat}"),
            match_id: id.clone(),
            seat: Some(seat),
            added: vec![seat as u8; 32].into(),
            ..v1::JoinMatchRequest::default()
        };
        let answer = caller.call(async |mut client: Client| client.lobby.join_match(join.clone()).await).await;
        joined.push((join, answer));
    }
    for (seat, (_, answer)) in (0..).zip(&joined) {
        let player = Player {
            caller: caller.clone(),
            number,
            id: id.clone(),
            token: answer.player_token.clone(),
            seat,
            log: Log::default(),
            turn: 0,
            last_lock: None,
            last_decision: None,
            compared: 0,
        };
        players.spawn(async move { (seat, player.play().await.1) });
    }
    let mut logs = players.join_all().await;
    logs.sort_by_key(|(seat, _)| *seat);
    Played { created: (create, created), joined, logs: logs.into_iter().map(|(_, log)| log).collect() }
}

/// Plays all matches at once.
async fn play_all(caller: Caller, matches: u64, turns: u32) -> Vec<Played> {
    let mut playing = JoinSet::new();
    for number in 0..matches {
        let caller = caller.clone();
        playing.spawn(async move { (number, play(caller, number, turns).await) });
    }
    let mut played = playing.join_all().await;
    played.sort_by_key(|(number, _)| *number);
    played.into_iter().map(|(_, played)| played).collect()
}

/// The whole replay of a match.
async fn replay_of(client: &mut Client, id: &str) -> Vec<v1::ReplayRecord> {
    let request = v1::GetReplayRequest { match_id: id.to_owned() };
    let mut stream = client.archive.get_replay(request).await.expect("a replay").into_inner();
    let mut records = Vec::new();
    while let Some(response) = stream.message().await.expect("no error") {
        records.push(response.record.expect("a record"));
    }
    records
}

fn turns_of(records: &[v1::ReplayRecord]) -> Vec<&v1::ReplayTurn> {
    let turn = |record: &v1::ReplayRecord| matches!(record.record, Some(Record::Turn(_)));
    let only = records.iter().filter(|record| turn(record)).filter_map(|record| record.record.as_ref());
    only.map(|record| if let Record::Turn(turn) = record { turn } else { unreachable!("only turns") }).collect()
}

/// Everything acknowledged is in the replay, and nothing else.
fn check_acknowledged(number: usize, played: &Played, turns: &[&v1::ReplayTurn]) {
    let numbers: Vec<u32> = turns.iter().map(|turn| turn.turn).collect();
    assert_eq!(numbers, (1..=turns.len() as u32).collect::<Vec<_>>(), "match {number} has every turn once");
    for turn in turns {
        let mut locked = 0;
        for (seat, log) in (0..).zip(&played.logs) {
            let Some((said, receipt)) = log.locks.get(&turn.turn) else { continue };
            locked += 1;
            let sheet = turn.sheets.iter().find(|sheet| sheet.seat == seat).expect("the sheet was acknowledged");
            assert_eq!(sheet.origin(), v1::SheetOrigin::Locked);
            assert_eq!(sheet.sheet.as_ref(), said, "match {number} turn {} seat {seat}", turn.turn);
            let said = sheet.receipt.as_ref().map(Promise::read);
            assert_eq!(said, Some(Promise::read(receipt)), "match {number} turn {} seat {seat}", turn.turn);
        }
        assert_eq!(turn.sheets.len(), locked, "match {number} turn {}: sheets that nobody sent", turn.turn);
    }
    let receipts: usize = played.logs.iter().map(|log| log.locks.len()).sum();
    assert_eq!(receipts, turns.iter().map(|turn| turn.sheets.len()).sum::<usize>());
    check_decisions(number, played, turns);
}

fn check_decisions(number: usize, played: &Played, turns: &[&v1::ReplayTurn]) {
    let mut said: BTreeMap<(u32, u32), BTreeMap<u32, i32>> = BTreeMap::new();
    for log in &played.logs {
        for (moment, decisions) in &log.decisions {
            said.entry(*moment).or_default().extend(decisions);
        }
    }
    let mut kept: BTreeMap<(u32, u32), BTreeMap<u32, i32>> = BTreeMap::new();
    for turn in turns {
        for window in &turn.windows {
            let decisions = kept.entry((turn.turn, window.tick)).or_default();
            for decision in &window.decisions {
                assert!(!decision.defaulted, "match {number}: somebody was not waited for");
                assert_eq!(decisions.insert(decision.unit, decision.choice), None, "a ship decides once");
            }
        }
    }
    assert_eq!(kept, said, "the decisions of match {number}");
}

/// The server proves with its key that it changed nothing.
async fn check_proof(client: &mut Client, played: &Played, records: &[v1::ReplayRecord]) {
    let request = v1::GetMatchRequest { match_id: played.id() };
    let answer = client.lobby.get_match(request).await.expect("the match").into_inner();
    let key: [u8; 32] = answer.receipt_key.as_ref().try_into().expect("a key");
    let key = Some(VerifyingKey::from_bytes(&key).expect("a key"));
    let verdict = replay::verify(records, &replay::Options { key, rules: None });
    assert_eq!(verdict.finding, None);
    assert_eq!(verdict.turns as usize, turns_of(records).len());
    assert_eq!(verdict.receipts as usize, played.logs.iter().map(|log| log.locks.len()).sum::<usize>());
}

/// Who created a match or took a seat gets the same answer again.
async fn check_tokens(client: &mut Client, played: &Played) {
    let (request, answer) = &played.created;
    let again = client.lobby.create_match(request.clone()).await.expect("the first answer").into_inner();
    assert_eq!(common::id_of(&again), played.id());
    assert_eq!(again.host_token, answer.host_token);
    for (request, answer) in &played.joined {
        let again = client.lobby.join_match(request.clone()).await.expect("the first answer").into_inner();
        assert_eq!((again.seat, &again.player_token), (answer.seat, &answer.player_token));
    }
}

/// Lets the matches be played while servers come and go, and kills the last one too.
async fn play_with_kills(flags: &[&str], data: &std::path::Path, kills: &[usize], plan: (u64, u32)) -> Vec<Played> {
    let mut server = Process::start(data, flags).await;
    let place = watch::Sender::new(Place { generation: 1, address: server.address });
    let acknowledged = watch::Sender::new(0);
    let mut count = acknowledged.subscribe();
    let mut playing = JoinSet::new();
    playing.spawn(play_all(Caller::new(&place, &acknowledged), plan.0, plan.1));
    for &moment in kills {
        tokio::select! {
            reached = count.wait_for(|count| *count >= moment) => drop(reached.expect("the test goes on")),
            early = playing.join_next() => panic!("over before kill {moment}: {:?}", early.and_then(Result::err)),
        }
        server.kill();
        server = Process::start(data, flags).await;
        place.send_modify(|place| *place = Place { generation: place.generation + 1, address: server.address });
    }
    let played = playing.join_next().await.expect("one task").unwrap_or_else(|error| panic!("{error}"));
    server.kill();
    played
}

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).map_or(default, |text| text.parse().expect("a number"))
}

/// Moments to kill at, seeded, spread over a number of acknowledged calls. The first comes while matches are created.
fn moments(kills: u64, calls: usize, matches: u64, seed: u64) -> Vec<usize> {
    let moment = |kill| script::mixed(&[seed, kill]) as usize % (calls * 19 / 20);
    let mut moments: Vec<usize> = (1..kills).map(moment).chain([matches as usize / 2]).collect();
    moments.sort_unstable();
    moments
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_acknowledged_is_lost_when_the_server_is_killed() {
    let (matches, turns) = (number("PARLEY_CRASH_MATCHES", 50), number("PARLEY_CRASH_TURNS", 20) as u32);
    let (kills, seed) = (number("PARLEY_CRASH_KILLS", 20), number("PARLEY_CRASH_SEED", 1));
    let test = async {
        let quiet = Running::start(&config()).await;
        let place = watch::Sender::new(Place { generation: 1, address: quiet.address });
        let acknowledged = watch::Sender::new(0);
        let undisturbed = play_all(Caller::new(&place, &acknowledged), matches, turns).await;
        let calls = *acknowledged.borrow();

        let folder = tempfile::tempdir().expect("a folder");
        let flags = ["--snapshot-every-turns", SNAPSHOT_EVERY, "--request-memory", REQUEST_MEMORY];
        let moments = moments(kills, calls, matches, seed);
        let disturbed = play_with_kills(&flags, folder.path(), &moments, (matches, turns)).await;

        let server = Process::start(folder.path(), &flags).await;
        let (mut client, mut quiet_client) = (lazy(server.address), quiet.client().await);
        let mut decided = 0;
        for (number, (played, quiet)) in disturbed.iter().zip(&undisturbed).enumerate() {
            for (seat, (log, quiet)) in played.logs.iter().zip(&quiet.logs).enumerate() {
                assert!(log.news == quiet.news, "seat {seat} of match {number} was told something else");
            }
            let records = replay_of(&mut client, &played.id()).await;
            let quiet_records = replay_of(&mut quiet_client, &quiet.id()).await;
            let (turns, quiet_turns) = (turns_of(&records), turns_of(&quiet_records));
            let digests = |turns: &[&v1::ReplayTurn]| turns.iter().map(|turn| turn.digest.clone()).collect::<Vec<_>>();
            assert_eq!(digests(&turns), digests(&quiet_turns), "the digests of match {number}");
            check_acknowledged(number, played, &turns);
            check_proof(&mut client, played, &records).await;
            check_tokens(&mut client, played).await;
            decided += played.logs.iter().map(|log| log.decisions.len()).sum::<usize>();
        }
        assert!(decided >= 2 * matches as usize, "only {decided} times somebody was asked");
        quiet.stop().await;
    };
    tokio::time::timeout(PATIENCE, test).await.expect("something hangs");
}
