//! A match in this process with stopped time, and everything that each viewer is sent in it.
//!
//! Two worlds with the same script have the same match id, the same tokens and the same times, so that what a viewer is
//! sent in them can be compared byte for byte.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use futures_util::StreamExt;
use parley_bots::arms::Arms;
use parley_gateway::auth::{Gate, GateLimits, Keyring, Rate, RatePerMinute};
use parley_gateway::clock::Clock;
use parley_gateway::journal::memory::Memory;
use parley_gateway::limits::Limits;
use parley_gateway::matches::Matches;
use parley_gateway::service::Service;
use parley_proto::common::v1 as common;
use parley_proto::opaque::v1 as opaque;
use parley_proto::opaque::v1::archive_server::Archive;
use parley_proto::opaque::v1::lobby_server::Lobby;
use parley_proto::opaque::v1::play_server::Play;
use parley_proto::plunder::v1 as plunder;
use parley_proto::plunder::v1::query::Query;
use parley_proto::v1;
use prost::Message;
use tokio::task::JoinHandle;
use tonic::{Request, Response, Status};
use tonic_types::StatusExt;

use crate::naval::{asking, recoded};
use crate::orders::{self, Sheet};

/// The secret of every match here.
pub const SECRET: [u8; 32] = [0xc5; 32];

static KEYS: LazyLock<Arc<Keyring>> = LazyLock::new(|| Arc::new(Keyring::ephemeral().expect("random bytes")));

/// Who is sent something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Viewer {
    Seat(u32),
    Spectator,
}

/// One thing that a viewer was sent: what it answers, and its bytes.
pub type Said = (String, Vec<u8>);

/// What somebody follows, as it comes in.
#[derive(Clone, Default)]
pub struct Stream(Arc<Mutex<Vec<Vec<u8>>>>);

impl Stream {
    pub fn said(&self) -> Vec<Vec<u8>> {
        self.0.lock().expect("no panic").clone()
    }

    /// The news in it, without what ended it.
    pub fn news(&self) -> Vec<v1::News> {
        let said = self.said();
        let news = said.iter().filter_map(|bytes| bytes.strip_prefix(b"ok"));
        news.map(|bytes| v1::WatchResponse::decode(bytes).expect("sound").news.expect("news")).collect()
    }
}

/// A match and its viewers.
pub struct World {
    pub service: Service,
    pub journal: Arc<Memory>,
    pub id: String,
    pub host: String,
    pub tokens: Vec<String>,
    pub streams: BTreeMap<(Viewer, bool), Stream>,
    pub said: BTreeMap<Viewer, Vec<Said>>,
    /// Whose calls are tried out and compared.
    pub watching: Vec<Viewer>,
    following: Vec<JoinHandle<()>>,
    calls: Vec<u64>,
}

/// Everything that the watched viewers were sent.
#[derive(Debug, PartialEq)]
pub struct Transcript(BTreeMap<Viewer, Vec<Said>>);

impl Transcript {
    /// Fails at the first difference, and says where it is.
    pub fn assert_same(&self, other: &Self) {
        assert!(!self.0.is_empty());
        assert_eq!(self.0.len(), other.0.len());
        for (viewer, one) in &self.0 {
            let two = &other.0[viewer];
            for ((label, bytes), (other_label, other_bytes)) in one.iter().zip(two) {
                assert_eq!(label, other_label, "{viewer:?} was asked something else");
                assert!(
                    bytes == other_bytes,
                    "{viewer:?} can tell the worlds apart by {label}:\n  {}\n  {}",
                    readable(bytes),
                    readable(other_bytes)
                );
            }
            assert_eq!(one.len(), two.len(), "{viewer:?} was sent more in one world");
            assert!(one.len() > 3, "{viewer:?} was sent nothing that could differ");
        }
    }
}

fn readable(bytes: &[u8]) -> String {
    let news = bytes.strip_prefix(b"ok").and_then(|bytes| v1::WatchResponse::decode(bytes).ok());
    match news {
        Some(v1::WatchResponse { news: Some(news) }) if news.what.is_some() => format!("{news:?}"),
        _ => String::from_utf8_lossy(&bytes[..bytes.len().min(600)]).into_owned(),
    }
}

/// Plays a script in a world of its own, with time that stands still, and gives what the watched viewers were sent.
pub fn play(settings: v1::MatchSettings, watching: &[Viewer], script: impl AsyncFnOnce(&mut World)) -> Transcript {
    in_stopped_time(async {
        let mut world = World::begin(settings).await;
        world.watching = watching.to_vec();
        script(&mut world).await;
        world.transcript().await
    })
}

/// Runs something where time passes only when nobody has anything to do.
pub fn in_stopped_time<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.expect("a runtime").block_on(work)
}

/// A request with a bearer token; none for spectators.
pub fn bearer<T>(token: Option<&str>, message: T) -> Request<T> {
    let mut request = Request::new(message);
    if let Some(token) = token {
        request.metadata_mut().insert("authorization", format!("Bearer {token}").parse().expect("ascii"));
    }
    request
}

/// An answer as it is on the wire. The details of a status have parts in any order, which are sorted here.
pub fn wire<T: Message>(answer: Result<Response<T>, Status>) -> Vec<u8> {
    match answer {
        Ok(answer) => [b"ok".to_vec(), answer.into_inner().encode_to_vec()].concat(),
        Err(status) => refused(&status).into_bytes(),
    }
}

/// A receipt without what is random in it; how much of that there is must be the same everywhere.
fn without_noise(receipt: &mut v1::Receipt) {
    for noise in [&mut receipt.signature, &mut receipt.salt, &mut receipt.path] {
        *noise = vec![0; noise.len()].into();
    }
    receipt.leaf = 0;
}

fn refused(status: &Status) -> String {
    let details = status.get_error_details();
    let info = details.error_info().map(|info| {
        let metadata: BTreeMap<_, _> = info.metadata.iter().collect();
        format!("{} {} {metadata:?}", info.reason, info.domain)
    });
    let (fields, retry) = (details.bad_request(), details.retry_info());
    format!("{:?} {} {info:?} {fields:?} {retry:?}", status.code(), status.message())
}

impl World {
    /// A match that has begun, with all seats taken and followed.
    pub async fn begin(settings: v1::MatchSettings) -> Self {
        let mut world = Self::found(settings).await;
        for seat in 0..world.calls.len() as u32 {
            let token = world.join(seat, "").await.expect("a seat").into_inner().player_token;
            world.tokens.push(token);
        }
        world.settle().await;
        for viewer in world.viewers() {
            world.follow(viewer, true).await;
            world.follow(viewer, false).await;
        }
        world.settle().await;
        world
    }

    /// A match with open seats.
    pub async fn found(settings: v1::MatchSettings) -> Self {
        crate::logs::listen();
        let journal = Arc::new(Memory::new());
        let limits = Limits { allow_fixed_secrets: true, snapshot_every: 3, ..Limits::default() };
        let clock = Clock::starting_at(1_800_000_000_000);
        let matches = Matches::new(journal.clone(), Arc::clone(&KEYS), limits, clock);
        let many = Rate { per_second: NonZeroU32::MAX, burst: NonZeroU32::MAX };
        let creations_per_address = RatePerMinute { per_minute: NonZeroU32::MAX, burst: NonZeroU32::MAX };
        let limits = GateLimits { per_token: many, per_address: many, creations_per_address };
        let gate = Gate::new(Arc::clone(&KEYS), None, limits);
        let service = Service::new(matches, Arc::new(gate));
        let seats = settings.seats.len();
        let request = v1::CreateMatchRequest {
            request_id: "the-same-in-every-world".to_owned(),
            settings: Some(settings),
            fixed_secret: SECRET.to_vec().into(),
        };
        let created = service.create_match(Request::new(recoded(&request))).await.expect("a match").into_inner();
        Self {
            service,
            journal,
            id: created.r#match.expect("a match").match_id,
            host: created.host_token,
            tokens: Vec::new(),
            streams: BTreeMap::new(),
            said: BTreeMap::new(),
            watching: Vec::new(),
            following: Vec::new(),
            calls: vec![0; seats],
        }
    }

    pub async fn join(&self, seat: u32, whose: &str) -> Result<Response<opaque::JoinMatchResponse>, Status> {
        let request = v1::JoinMatchRequest {
            request_id: format!("a-secret-of-seat-{seat}-{whose}"),
            match_id: self.id.clone(),
            seat: Some(seat),
            added: vec![seat as u8; 32].into(),
            ..v1::JoinMatchRequest::default()
        };
        self.service.join_match(Request::new(request)).await
    }

    /// Lets everything happen that can: with time stopped, a sleep ends only when nobody has anything to do.
    pub async fn settle(&self) {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }

    pub fn viewers(&self) -> Vec<Viewer> {
        (0..self.tokens.len() as u32).map(Viewer::Seat).chain([Viewer::Spectator]).collect()
    }

    pub fn token(&self, viewer: Viewer) -> Option<&str> {
        match viewer {
            Viewer::Seat(seat) => Some(&self.tokens[seat as usize]),
            Viewer::Spectator => None,
        }
    }

    /// Follows the match from its beginning on.
    pub async fn follow(&mut self, viewer: Viewer, views: bool) -> Stream {
        let stream = self.watch(self.token(viewer).map(str::to_owned), 0, views).await.expect("a stream");
        self.streams.insert((viewer, views), stream.clone());
        stream
    }

    /// Follows the match with a token.
    pub async fn watch(&mut self, token: Option<String>, after: u64, views: bool) -> Result<Stream, Status> {
        let request = v1::WatchRequest { match_id: self.id.clone(), after, views, ..Default::default() };
        let mut news = self.service.watch(bearer(token.as_deref(), request)).await?.into_inner();
        let stream = Stream::default();
        let said = Arc::clone(&stream.0);
        self.following.push(tokio::spawn(async move {
            while let Some(next) = news.next().await {
                said.lock().expect("no panic").push(wire(next.map(Response::new)));
            }
            said.lock().expect("no panic").push(b"the end".to_vec());
        }));
        Ok(stream)
    }

    fn call(&mut self, seat: u32) -> String {
        let calls = &mut self.calls[seat as usize];
        *calls += 1;
        format!("call-{seat}-{calls}")
    }

    pub async fn view(&self, viewer: Viewer) -> v1::GetViewResponse {
        let request = v1::GetViewRequest { match_id: self.id.clone() };
        recoded(self.service.get_view(bearer(self.token(viewer), request)).await.expect("a view").get_ref())
    }

    pub async fn turn(&self) -> u32 {
        let request = v1::GetMatchRequest { match_id: self.id.clone() };
        let answer = self.service.get_match(Request::new(request)).await.expect("a match").into_inner();
        answer.r#match.expect("a match").turn
    }

    pub async fn stage(&mut self, seat: u32, sheet: Sheet) -> v1::StageOrdersResponse {
        let (request_id, turn, match_id) = (self.call(seat), self.turn().await, self.id.clone());
        let request = v1::StageOrdersRequest { request_id, match_id, turn, sheet: Some(v1::Sheet::of_plunder(sheet)) };
        let token = self.tokens[seat as usize].clone();
        self.service.stage_orders(bearer(Some(&token), recoded(&request))).await.expect("staged").into_inner()
    }

    pub async fn lock(&mut self, seat: u32, sheet: Sheet) {
        let (request_id, turn, match_id) = (self.call(seat), self.turn().await, self.id.clone());
        let request = v1::LockInRequest { request_id, match_id, turn, sheet: Some(v1::Sheet::of_plunder(sheet)) };
        let token = self.tokens[seat as usize].clone();
        let answer = self.service.lock_in(bearer(Some(&token), recoded(&request))).await;
        let answer = answer.map_err(|status| refused(&status));
        let answer = answer.unwrap_or_else(|why| panic!("seat {seat} cannot lock in: {why}"));
        if self.watching.contains(&Viewer::Seat(seat)) {
            let mut locked = answer.into_inner();
            locked.receipt.iter_mut().for_each(without_noise);
            self.note(Viewer::Seat(seat), "its receipt".to_owned(), wire(Ok(Response::new(locked))));
        }
    }

    /// Answers for all ships of a seat that are asked; `false` where none is.
    pub async fn answer(&mut self, seat: u32, choose: impl Fn(u32) -> plunder::Choice) -> bool {
        let Some(prompt) = self.view(Viewer::Seat(seat)).await.prompt else { return false };
        let v1::Prompt { turn, window, questions, .. } = prompt;
        let answers = questions.iter().map(|question| fitting(question, &choose)).collect();
        let (request_id, match_id) = (self.call(seat), self.id.clone());
        let request = v1::AnswerRequest { request_id, match_id, turn, window, answers };
        let token = self.tokens[seat as usize].clone();
        // Who has answered already is still shown the prompt, and refused.
        self.service.answer(bearer(Some(&token), request)).await.is_ok()
    }

    /// The numbers of the window that a seat is asked in, and of the questions that it is asked.
    pub async fn asked(&self, seat: u32) -> (u32, Vec<u32>) {
        let prompt = self.view(Viewer::Seat(seat)).await.prompt.expect("to be asked");
        (prompt.window, prompt.questions.iter().map(|question| question.id).collect())
    }

    /// Locks sheets in for all living seats and answers what is asked until the turn is over.
    pub async fn play_turn(&mut self, sheets: Vec<(u32, Sheet)>, choose: impl Fn(u32) -> plunder::Choice) {
        let turn = self.turn().await;
        for (seat, sheet) in sheets {
            self.lock(seat, sheet).await;
        }
        let mut rounds = 0;
        while self.turn().await == turn && !self.is_over().await {
            for seat in 0..self.tokens.len() as u32 {
                self.answer(seat, &choose).await;
            }
            rounds += 1;
            assert!(rounds < 100, "the turn does not end");
        }
        self.settle().await;
    }

    pub async fn is_over(&self) -> bool {
        let request = v1::GetMatchRequest { match_id: self.id.clone() };
        let answer = self.service.get_match(Request::new(request)).await.expect("a match").into_inner();
        answer.r#match.expect("a match").stage() == v1::MatchStage::Finished
    }

    pub fn note(&mut self, viewer: Viewer, label: String, bytes: Vec<u8>) {
        self.said.entry(viewer).or_default().push((label, bytes));
    }

    /// Tries everything that the watched viewers could learn from now.
    pub async fn probe(&mut self, moment: &str) {
        self.settle().await;
        for viewer in self.watching.clone() {
            for (what, bytes) in self.try_everything(viewer).await {
                self.note(viewer, format!("{what} ({moment})"), bytes);
            }
            for views in [true, false] {
                let said = self.streams.get(&(viewer, views)).map(Stream::said).unwrap_or_default();
                self.note(viewer, format!("news so far ({moment})"), (said.len() as u64).to_le_bytes().to_vec());
            }
        }
    }

    async fn try_everything(&mut self, viewer: Viewer) -> Vec<Said> {
        let token = self.token(viewer).map(str::to_owned);
        let token = token.as_deref();
        let id = self.id.clone();
        let mut said = Vec::new();
        let view = self.service.get_view(bearer(token, v1::GetViewRequest { match_id: id.clone() })).await;
        let seen = view.as_ref().map(|view| recoded(view.get_ref())).unwrap_or_default();
        said.push(("GetView".to_owned(), wire(view)));
        let request = v1::GetMatchRequest { match_id: id.clone() };
        said.push(("GetMatch".to_owned(), wire(self.service.get_match(bearer(token, request)).await)));
        for stage in 1..=3 {
            let request = v1::ListMatchesRequest { stage, ..v1::ListMatchesRequest::default() };
            said.push(("ListMatches".to_owned(), wire(self.service.list_matches(bearer(token, request)).await)));
        }
        let request = v1::GetReceiptsRequest { match_id: id.clone(), first_turn: 0 };
        let receipts = self.service.get_receipts(bearer(token, request)).await.map(|mut answer| {
            answer.get_mut().receipts.iter_mut().for_each(without_noise);
            answer
        });
        said.push(("GetReceipts".to_owned(), wire(receipts)));
        let request = v1::GetReplayRequest { match_id: id.clone() };
        let replay = self.service.get_replay(bearer(token, request)).await;
        said.push(("GetReplay".to_owned(), replay.map_or_else(|why| refused(&why).into_bytes(), |_| b"ok".to_vec())));
        self.try_streams(token, &seen, &mut said).await;
        self.try_advice(token, viewer, &seen, &mut said).await;
        if let Viewer::Seat(seat) = viewer {
            self.try_orders(seat, &seen, &mut said).await;
        }
        said
    }

    /// A cursor that is too new is refused with the newest; from the beginning, the journal tells what the feed told.
    async fn try_streams(&mut self, token: Option<&str>, seen: &v1::GetViewResponse, said: &mut Vec<Said>) {
        let request =
            v1::WatchRequest { match_id: self.id.clone(), after: 1 << 40, views: false, ..Default::default() };
        let beyond = self.service.watch(bearer(token, request)).await;
        said.push(("Watch".to_owned(), beyond.map_or_else(|why| refused(&why).into_bytes(), |_| b"ok".to_vec())));
        let request = v1::WatchRequest { match_id: self.id.clone(), after: 0, views: true, ..Default::default() };
        let news = self.service.watch(bearer(token, request)).await.expect("a stream").into_inner();
        let told: Vec<_> = news.take(seen.cursor as usize).map(|news| wire(news.map(Response::new))).collect().await;
        said.push(("Watch".to_owned(), told.concat()));
    }

    async fn try_advice(&self, token: Option<&str>, viewer: Viewer, seen: &v1::GetViewResponse, said: &mut Vec<Said>) {
        let id = self.id.clone();
        for (first, second) in (1..=10).flat_map(|first| [(first, 5), (first, 8), (4, first), (first, 4000)]) {
            let query = Query::Odds(plunder::OddsQuery { first, second, rounds: 2, attacker: 1 });
            let answer = wire(self.service.advise(bearer(token, recoded(&asking(&id, query)))).await);
            said.push((format!("Advise odds {first} {second}"), answer));
        }
        let request = asking(&id, Query::Options(plunder::OptionsQuery::default()));
        said.push(("Advise options".to_owned(), wire(self.service.advise(bearer(token, recoded(&request))).await)));
        let view = seen.view.clone().and_then(Arms::into_plunder).unwrap_or_default();
        let own = view.units.iter().find(|unit| Viewer::Seat(unit.owner) == viewer);
        for unit in own.map(|unit| unit.id).into_iter().chain([1]) {
            for target in orders::hexes(&view).into_iter().step_by(11) {
                let query = Query::Path(plunder::PathQuery { unit, target: Some(target) });
                let answer = wire(self.service.advise(bearer(token, recoded(&asking(&id, query)))).await);
                said.push((format!("Advise path {unit} {target:?}"), answer));
            }
        }
    }

    /// Orders and answers, most of them bad, and none that lasts.
    async fn try_orders(&mut self, seat: u32, seen: &v1::GetViewResponse, said: &mut Vec<Said>) {
        let token = self.tokens[seat as usize].clone();
        let turn = self.turn().await;
        let view = seen.view.clone().and_then(Arms::into_plunder).unwrap_or_default();
        for sheet in orders::probes(&view, seat).into_iter().chain([Sheet::default()]) {
            let (request_id, match_id) = (self.call(seat), self.id.clone());
            let request =
                v1::StageOrdersRequest { request_id, match_id, turn, sheet: Some(v1::Sheet::of_plunder(sheet)) };
            let answer = self.service.stage_orders(bearer(Some(&token), recoded(&request))).await;
            said.push(("StageOrders".to_owned(), wire(answer)));
        }
        for turn in [turn, turn + 1] {
            let (request_id, match_id) = (self.call(seat), self.id.clone());
            let sheet = Some(v1::Sheet::of_plunder(orders::bad()));
            let request = recoded(&v1::LockInRequest { request_id, match_id, turn, sheet });
            said.push(("LockIn".to_owned(), wire(self.service.lock_in(bearer(Some(&token), request)).await)));
        }
        for (turn, window) in (0..5).map(|window| (turn, window)).chain([(turn + 1, 1)]) {
            for questions in [vec![], (1..=12).chain([4000]).collect()] {
                let (request_id, match_id) = (self.call(seat), self.id.clone());
                let answers = questions.into_iter().map(|question| v1::Answer { question, options: vec![1] }).collect();
                let request = v1::AnswerRequest { request_id, match_id, turn, window, answers };
                let answer = wire(self.service.answer(bearer(Some(&token), request)).await);
                said.push((format!("Answer {turn} {window}"), answer));
            }
        }
    }

    /// Everything that the watched viewers were sent, and what they have followed.
    pub async fn transcript(mut self) -> Transcript {
        self.settle().await;
        for ((viewer, views), stream) in std::mem::take(&mut self.streams) {
            for (number, bytes) in stream.said().into_iter().enumerate() {
                self.note(viewer, format!("news {number}, views: {views}"), bytes);
            }
        }
        self.following.iter().for_each(JoinHandle::abort);
        self.said.retain(|viewer, _| self.watching.contains(viewer));
        Transcript(std::mem::take(&mut self.said))
    }
}

/// The answer that attacks where that is chosen for the ship, and otherwise the peaceful one, which every question about an
/// encounter has for its default.
fn fitting(question: &v1::Question, choose: impl Fn(u32) -> plunder::Choice) -> v1::Answer {
    let Some(common::subject::Subject::Unit(unit)) = question.about.as_ref().and_then(|about| about.subject) else {
        panic!("a question about no ship: {question:?}");
    };
    let attack = Some(v1::question::option::Choice::Word("attack".to_owned()));
    let attack = question.options.iter().position(|option| option.choice == attack).expect("ships can attack");
    let options = if choose(unit) == plunder::Choice::Attack { vec![attack as u32] } else { question.default.clone() };
    v1::Answer { question: question.id, options }
}
