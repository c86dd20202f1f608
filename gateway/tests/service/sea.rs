//! Small seas, and players who ask their matches without a socket between them, so that tests can hold the time.
#![allow(dead_code, unreachable_pub, reason = "every test uses a part of it")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::common::naval::{Naval, recoded};
use crate::common::script::{pick, unit_of};
use parley_bots::arms::Arms;
use parley_games::times;
use parley_gateway::auth::{Claims, Keyring, Role};
use parley_gateway::clock::Clock;
use parley_gateway::journal::{Journal, MatchId};
use parley_gateway::limits::Limits;
use parley_gateway::matches::command::{Request, Seen};
use parley_gateway::matches::{Following, Matches, Replay, Wishes};
use parley_gateway::refusal::Refusal;
use parley_gateway::work::Customer;
use parley_proto::common::v1 as common;
use parley_proto::journal::v1::Entry;
use parley_proto::plunder::v1 as plunder;
use parley_proto::plunder::v1::map_choice::Source;
use parley_proto::plunder::v1::unit_order::Action;
use parley_proto::v1;
use parley_proto::v1::news::What;
use prost::Message;

/// What the clocks of tests show when they begin, in milliseconds since 1970.
pub const NOON: u64 = 1_700_000_000_000;

/// A tile.
pub fn hex(q: i32, r: i32) -> common::Hex {
    common::Hex { q, r }
}

/// A map as it is drawn.
pub fn drawn(rows: &[&str], starts: &[(i32, i32)]) -> Source {
    let rows = rows.iter().map(|row| (*row).to_owned()).collect();
    let starts = starts.iter().map(|&(q, r)| hex(q, r)).collect();
    Source::Drawn(plunder::DrawnMap { rows, wrap: false, starts })
}

/// Two players with a ship each, six tiles apart: unit 1 of seat 0 at (0, 0) and unit 2 of seat 1 at (6, 0).
pub fn duel() -> v1::MatchSettings {
    v1::MatchSettings {
        seats: vec![v1::SeatChoice::default(); 2],
        planning_time: Some(times::duration(0)),
        decision_time: Some(times::duration(0)),
        start_when_full: true,
        ..v1::MatchSettings::default()
            .with_map(drawn(&["H.....H", ".......", "......."], &[(0, 0), (6, 0)]))
            .with_changes(r#"{"economy": {"start_ships": 1}}"#)
    }
}

/// An order to sail along a path.
pub fn sail(unit: u32, path: &[(i32, i32)]) -> plunder::UnitOrder {
    let path = path.iter().map(|&(q, r)| hex(q, r)).collect();
    plunder::UnitOrder { unit, action: Some(Action::Move(plunder::Move { path })), ..plunder::UnitOrder::default() }
}

/// A sheet with these orders for ships.
pub fn sheet(units: &[plunder::UnitOrder]) -> plunder::Sheet {
    plunder::Sheet { units: units.to_vec(), ..plunder::Sheet::default() }
}

/// Half of the way of [`duel`]: both ships want (3, 0) in tick 3.
pub fn halfway(seat: usize) -> plunder::Sheet {
    match seat {
        0 => sheet(&[sail(1, &[(1, 0), (2, 0), (3, 0)])]),
        _ => sheet(&[sail(2, &[(5, 0), (4, 0), (3, 0)])]),
    }
}

/// An id for a request, never the same.
pub fn request_id() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    format!("a-request-of-a-test-{:08}", NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Matches over a store, beginning at [`NOON`].
pub fn matches(store: Arc<dyn Journal>, limits: Limits) -> Matches {
    let keyring = Arc::new(Keyring::ephemeral().expect("random numbers"));
    Matches::new(store, keyring, limits, Clock::starting_at(NOON))
}

/// Limits for tests: secrets may be chosen, so that dice fall as they did before.
pub fn limits() -> Limits {
    Limits { allow_fixed_secrets: true, ..Limits::default() }
}

/// When a token expires, in seconds since 1970.
pub fn seconds(expires_at: Option<prost_types::Timestamp>) -> u64 {
    expires_at.expect("a time").seconds as u64
}

/// What is durable of a match.
pub async fn records(store: &dyn Journal, id: MatchId) -> Vec<Entry> {
    let records = store.read(id, 0).await.expect("a readable match");
    records.into_iter().map(|record| Entry::decode(record).expect("an entry")).collect()
}

/// A match and the claims of those who play it.
#[derive(Clone)]
pub struct Play {
    pub matches: Matches,
    pub id: MatchId,
    pub host: Claims,
    pub seats: Vec<Claims>,
}

impl Play {
    /// Creates a match and takes every seat.
    pub async fn begin(matches: &Matches, settings: v1::MatchSettings) -> Self {
        let seats = settings.seats.len() as u32;
        let fixed_secret = vec![7; 32].into();
        let request = v1::CreateMatchRequest { request_id: request_id(), settings: Some(settings), fixed_secret };
        let created = matches.create(recoded(&request)).await.expect("a match").r#match.expect("a match");
        let id = MatchId(created.match_id.parse().expect("an id"));
        let host = Claims { match_id: Some(id), role: Role::Host, expires_at: u64::MAX };
        let mut play = Self { matches: matches.clone(), id, host, seats: Vec::new() };
        for seat in 0..seats {
            let claims = play.join(seat).await.expect("a seat");
            play.seats.push(claims);
        }
        play
    }

    /// The same match and players at a server that was started again, over what is in a store.
    pub fn restarted(&self, store: Arc<dyn Journal>, now_ms: u64) -> Self {
        let keyring = Arc::clone(&self.matches.keyring);
        let matches = Matches::new(store, keyring, self.matches.limits.clone(), Clock::starting_at(now_ms));
        Self { matches, ..self.clone() }
    }

    pub async fn join(&self, seat: u32) -> Result<Claims, Refusal> {
        let request = v1::JoinMatchRequest {
            request_id: request_id(),
            match_id: self.id.0.to_string(),
            seat: Some(seat),
            ..v1::JoinMatchRequest::default()
        };
        let joined = self.matches.ask(self.id, None, |reply| Request::JoinMatch(request, reply)).await?;
        Ok(Claims { match_id: Some(self.id), role: Role::Seat(seat as u8), expires_at: seconds(joined.expires_at) })
    }

    pub fn lock_request(&self, turn: u32, sheet: Option<plunder::Sheet>) -> v1::LockInRequest {
        let sheet = sheet.map(v1::Sheet::of_plunder);
        v1::LockInRequest { request_id: request_id(), match_id: self.id.0.to_string(), turn, sheet }
    }

    pub async fn lock_with(&self, seat: usize, request: v1::LockInRequest) -> Result<v1::LockInResponse, Refusal> {
        self.matches.ask(self.id, Some(self.seats[seat]), |reply| Request::LockIn(recoded(&request), reply)).await
    }

    pub async fn lock(&self, seat: usize, turn: u32, sheet: plunder::Sheet) -> v1::Receipt {
        let locked = self.lock_with(seat, self.lock_request(turn, Some(sheet))).await.expect("locked");
        locked.receipt.expect("a receipt")
    }

    pub async fn stage(&self, seat: usize, turn: u32, sheet: plunder::Sheet) -> v1::StageOrdersResponse {
        let (match_id, sheet) = (self.id.0.to_string(), Some(v1::Sheet::of_plunder(sheet)));
        let request = recoded(&v1::StageOrdersRequest { request_id: request_id(), match_id, turn, sheet });
        let staged = self.matches.ask(self.id, Some(self.seats[seat]), |reply| Request::StageOrders(request, reply));
        staged.await.expect("staged")
    }

    /// Answers with a word what a seat is asked about a ship.
    pub async fn answer(&self, seat: usize, unit: u32, word: &str) {
        let request = self.answering(seat, unit, word).await;
        self.answer_with(seat, request).await.expect("answered");
    }

    /// A request that answers with a word what a seat is asked about a ship.
    pub async fn answering(&self, seat: usize, unit: u32, word: &str) -> v1::AnswerRequest {
        let v1::Prompt { turn, window, questions, .. } = self.view(seat).await.prompt.expect("to be asked");
        let question = questions.iter().find(|question| unit_of(question) == Some(unit)).expect("a question");
        let (match_id, answers) = (self.id.0.to_string(), vec![pick(question, word)]);
        v1::AnswerRequest { request_id: request_id(), match_id, turn, window, answers }
    }

    pub async fn answer_with(&self, seat: usize, request: v1::AnswerRequest) -> Result<v1::AnswerResponse, Refusal> {
        self.matches.ask(self.id, Some(self.seats[seat]), |reply| Request::Answer(request, reply)).await
    }

    pub async fn look(&self, claims: Option<Claims>) -> Result<v1::GetViewResponse, Refusal> {
        match self.matches.ask(self.id, claims, Request::GetView).await? {
            Seen::Now(view) => Ok(recoded(&*view)),
            Seen::Behind { .. } => unreachable!("nobody is held back in these tests"),
        }
    }

    pub async fn view(&self, seat: usize) -> v1::GetViewResponse {
        self.look(Some(self.seats[seat])).await.expect("a view")
    }

    pub async fn follow(&self, seat: usize, after: u64) -> Following {
        let claims = Some(self.seats[seat]);
        Following::begin(&self.matches, self.id, claims, Wishes { views: true, changes: false }, after)
            .await
            .expect("to follow")
    }

    /// The replay of the match, piece by piece.
    pub async fn replay(&self) -> Vec<Vec<v1::ReplayRecord>> {
        let mut replay = Replay::new(&self.matches, Customer::Service, self.id, None);
        let mut pieces = vec![replay.first().await.expect("the first records")];
        loop {
            let piece = replay.next().await.expect("the next records");
            if piece.is_empty() {
                return pieces;
            }
            pieces.push(piece);
        }
    }

    /// Stops the match, so that everything that was told can be read to its end.
    pub async fn stop(&self) {
        let reason = "the test is over".to_owned();
        let request = v1::StopMatchRequest { request_id: request_id(), match_id: self.id.0.to_string(), reason };
        let stopped = self.matches.ask(self.id, Some(self.host), |reply| Request::StopMatch(request, reply));
        stopped.await.expect("stopped");
    }
}

/// The next news of a kind; those before it are passed over.
pub async fn next<T>(following: &mut Following, wanted: impl Fn(What) -> Option<T>) -> T {
    loop {
        let news = following.next().await.expect("no refusal").expect("more news");
        if let Some(found) = wanted(recoded::<v1::News>(&news.message()).what.expect("something")) {
            return found;
        }
    }
}

/// The next outcome of a turn; news before it are passed over.
pub async fn next_outcome(following: &mut Following) -> v1::Outcome {
    let outcome = |what| if let What::Outcome(outcome) = what { Some(outcome) } else { None };
    next(following, outcome).await
}

/// The next prompt; news before it are passed over.
pub async fn next_prompt(following: &mut Following) -> v1::Prompt {
    next(following, |what| if let What::Prompt(prompt) = what { Some(prompt) } else { None }).await
}

/// Everything that is told to the end, encoded.
pub async fn all_bytes(mut following: Following) -> Vec<Vec<u8>> {
    let mut news = Vec::new();
    while let Some(more) = following.next().await.expect("no refusal") {
        news.push(more.message().encode_to_vec());
    }
    news
}
