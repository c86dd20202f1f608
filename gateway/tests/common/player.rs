//! Matches that the script plays from their creation to their end, with everything that was acknowledged in them.

use std::collections::BTreeMap;

use super::naval::Naval;
use parley_bots::arms::Arms;
use parley_games::receipt::Promise;
use parley_proto::v1;
use parley_proto::v1::news::What;
use prost::Message;
use tokio::task::JoinSet;

use super::caller::Caller;
use super::{Client, bearer, id_of, script, settings, told};

/// What was answered: by turn and seat, then by question, the places of the options that were picked.
pub type Answers = BTreeMap<(u32, u32), BTreeMap<u32, Vec<u32>>>;

/// What a seat was told and what was acknowledged to it.
#[derive(Default)]
pub struct Log {
    /// The hashes of its news.
    pub news: Vec<blake3::Hash>,
    /// The sheet of each turn, and the receipt for it.
    pub locks: BTreeMap<u32, (Vec<u8>, v1::Receipt)>,
    pub answers: Answers,
    pub digest: Vec<u8>,
}

/// How much time players have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// They have as long as they like.
    Endless,
    /// More than any trouble lasts: no deadline may pass.
    Ample,
    /// So little that deadlines pass, also because players now and then say nothing.
    Short,
}

impl Pace {
    /// Whether deadlines may pass.
    pub fn may_lapse(self) -> bool {
        self == Self::Short
    }

    /// The milliseconds to plan and to answer; 0 for ever.
    fn milliseconds(self) -> (u64, u64) {
        match self {
            Self::Endless => (0, 0),
            Self::Ample => (1_800_000, 1_200_000),
            Self::Short => (1_500, 800),
        }
    }
}

/// A seat that is played by the script.
struct Player {
    caller: Caller,
    number: u64,
    pace: Pace,
    id: String,
    token: String,
    seat: u32,
    log: Log,
    turn: u32,
    last_lock: Option<(v1::LockInRequest, v1::LockInResponse)>,
    last_answer: Option<(v1::AnswerRequest, v1::AnswerResponse)>,
    /// The moves of the caller when the last answers were compared.
    compared: u64,
}

impl Player {
    async fn play(mut self) -> Log {
        self.compared = self.caller.moves;
        while self.log.digest.is_empty() {
            self.compare_answers().await;
            self.follow().await;
        }
        self.log
    }

    /// Hears news until the last ones, or until a server fails.
    async fn follow(&mut self) {
        let request = v1::WatchRequest {
            match_id: self.id.clone(),
            after: self.log.news.len() as u64,
            views: true,
            ..Default::default()
        };
        let mut picked = self.caller.pick();
        let opening = picked.client.play.watch(bearer(&self.token, request));
        let mut stream = match self.caller.answer(opening).await {
            Ok(stream) => stream.into_inner(),
            Err(status) => return self.caller.leave(&picked, &status).await,
        };
        let moves = self.caller.moves;
        while self.log.digest.is_empty() && moves == self.caller.moves {
            match self.caller.news(stream.message()).await {
                Ok(Some(response)) => self.hear(response.news.expect("news")).await,
                Ok(None) => panic!("the stream of match {} ended before the match", self.number),
                Err(status) => self.caller.leave(&picked, &status).await,
            }
        }
    }

    /// Whenever a server has failed, the last answers are still the same.
    async fn compare_answers(&mut self) {
        while self.compared != self.caller.moves {
            self.compared = self.caller.moves;
            if let Some((request, answer)) = self.last_lock.clone() {
                let again = lock_in(&mut self.caller, &self.token, &request).await;
                assert_eq!(promise(&again), promise(&answer), "another promise after a crash");
            }
            if let Some((request, answer)) = self.last_answer.clone() {
                assert_eq!(answer_again(&mut self.caller, &self.token, &request).await, answer);
            }
        }
    }

    async fn hear(&mut self, news: v1::News) {
        self.log.news.push(blake3::hash(&told(timeless(news.clone()))));
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
        let view = opened.view.and_then(Arms::into_plunder).expect("a view");
        if !script::is_alive(&view) || self.is_silent(opened.turn, SILENT_TURNS) {
            return;
        }
        self.caller.think().await;
        let sheet = v1::Sheet::of_plunder(script::sheet(self.number, &view));
        let said = sheet.encode_to_vec();
        let request = v1::LockInRequest {
            request_id: format!("lock-{}", self.turn),
            match_id: self.id.clone(),
            turn: self.turn,
            sheet: Some(sheet),
        };
        let call = async |mut client: Client| client.play.lock_in(bearer(&self.token, request.clone())).await;
        let Some(answer) = self.caller.in_time_for(self.pace, call).await else { return };
        self.caller.count();
        self.log.locks.insert(self.turn, (said, answer.receipt.clone().expect("a receipt")));
        self.last_lock = Some((request, answer));
    }

    /// Answers what is asked: in every other match one question after the other.
    async fn answer(&mut self, prompt: &v1::Prompt) {
        assert_eq!(prompt.turn, self.turn);
        let answers = script::answers(self.number, prompt);
        assert!(!answers.is_empty(), "who is asked has something to answer");
        if self.is_silent(prompt.turn, SILENT_PROMPTS) {
            return;
        }
        let at_once = if self.number.is_multiple_of(2) { answers.len() } else { 1 };
        for some in answers.chunks(at_once) {
            let request = v1::AnswerRequest {
                request_id: format!("answer-{}-{}-{}", prompt.turn, prompt.window, some[0].question),
                match_id: self.id.clone(),
                turn: prompt.turn,
                window: prompt.window,
                answers: some.to_vec(),
            };
            let call = async |mut client: Client| client.play.answer(bearer(&self.token, request.clone())).await;
            let Some(answer) = self.caller.in_time_for(self.pace, call).await else { return };
            assert_eq!(answer, v1::AnswerResponse { turn: prompt.turn, window: prompt.window });
            self.caller.count();
            let kept = self.log.answers.entry((prompt.turn, self.seat)).or_default();
            kept.extend(some.iter().map(|answer| (answer.question, answer.options.clone())));
            self.last_answer = Some((request, answer));
        }
    }
}

/// In which part of turns, one in so many, a player with little time says nothing, and in which part of prompts.
const SILENT_TURNS: u64 = 6;
const SILENT_PROMPTS: u64 = 3;

impl Player {
    /// Whether nothing is said now, where deadlines are there to pass.
    fn is_silent(&self, turn: u32, one_in: u64) -> bool {
        let roll = script::mixed(&[self.number, turn.into(), self.seat.into(), one_in, 4]);
        self.pace.may_lapse() && roll.is_multiple_of(one_in)
    }
}

/// News without the times at which deadlines pass, which are others in another match.
fn timeless(mut news: v1::News) -> v1::News {
    match &mut news.what {
        Some(What::TurnOpened(opened)) => opened.deadline_ms = 0,
        Some(What::Prompt(prompt)) => prompt.deadline_ms = 0,
        Some(What::Outcome(v1::Outcome { next: Some(next), .. })) => next.deadline_ms = 0,
        _ => {}
    }
    news
}

/// Locks in, on any server.
pub async fn lock_in(caller: &mut Caller, token: &str, request: &v1::LockInRequest) -> v1::LockInResponse {
    let call = async |mut client: Client| client.play.lock_in(bearer(token, request.clone())).await;
    caller.repeat(call).await
}

async fn answer_again(caller: &mut Caller, token: &str, request: &v1::AnswerRequest) -> v1::AnswerResponse {
    let call = async |mut client: Client| client.play.answer(bearer(token, request.clone())).await;
    caller.repeat(call).await
}

/// What a receipt promises.
pub fn promise(answer: &v1::LockInResponse) -> Promise {
    Promise::read(answer.receipt.as_ref().expect("a receipt")).expect("a promise")
}

/// A match that was created and whose seats were taken.
pub struct Seated {
    pub created: (v1::CreateMatchRequest, v1::CreateMatchResponse),
    pub joined: Vec<(v1::JoinMatchRequest, v1::JoinMatchResponse)>,
}

impl Seated {
    /// Creates a match and takes all its seats; the number makes the requests and the secret.
    pub async fn found(caller: &mut Caller, number: u64, settings: v1::MatchSettings) -> Self {
        let seats = settings.seats.len() as u32;
        let create = v1::CreateMatchRequest {
            request_id: format!("create-match-number-{number:08}"),
            settings: Some(settings),
            fixed_secret: vec![number as u8; 32].into(),
        };
        let created = caller.call(async |mut client: Client| client.lobby.create_match(create.clone()).await).await;
        let id = id_of(&created);
        let mut joined = Vec::new();
        for seat in 0..seats {
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
        Self { created: (create, created), joined }
    }

    pub fn id(&self) -> String {
        id_of(&self.created.1)
    }

    pub fn token(&self, seat: usize) -> &str {
        &self.joined[seat].1.player_token
    }
}

/// A match that was played, with everything that was acknowledged.
pub struct Played {
    pub number: u64,
    pub pace: Pace,
    pub seated: Seated,
    /// What each seat was told and what was acknowledged to it, by seat.
    pub logs: Vec<Log>,
}

impl Played {
    pub fn id(&self) -> String {
        self.seated.id()
    }

    /// How many sheets were acknowledged.
    pub fn locks(&self) -> usize {
        self.logs.iter().map(|log| log.locks.len()).sum()
    }

    /// What was acknowledged to all seats together.
    pub fn answers(&self) -> Answers {
        self.logs.iter().flat_map(|log| log.answers.clone()).collect()
    }
}

/// Plays a match from its creation to its end. The same number, with as many seats and turns, is the same match as long
/// as no deadline passes.
pub async fn play(caller: &Caller, number: u64, seats: usize, turns: u32, pace: Pace) -> Played {
    let mut caller = caller.apart(number);
    let rules = format!(r#"{{"turn_limit": {turns}}}"#);
    let (planning, decision) = pace.milliseconds();
    let settings = v1::MatchSettings {
        planning_ms: Some(planning),
        decision_ms: Some(decision),
        ..settings(seats, number).with_rules(rules).with_fog(number % 4 == 3)
    };
    let seated = Seated::found(&mut caller, number, settings).await;
    let mut players = JoinSet::new();
    for seat in 0..seats {
        let player = Player {
            caller: caller.apart(seat as u64),
            number,
            pace,
            id: seated.id(),
            token: seated.token(seat).to_owned(),
            seat: seat as u32,
            log: Log::default(),
            turn: 0,
            last_lock: None,
            last_answer: None,
            compared: 0,
        };
        players.spawn(async move { (seat, player.play().await) });
    }
    let mut logs = players.join_all().await;
    logs.sort_by_key(|(seat, _)| *seat);
    Played { number, pace, seated, logs: logs.into_iter().map(|(_, log)| log).collect() }
}
