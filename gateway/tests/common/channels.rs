//! A session with channels, whose messages are sorted by channel as they come.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use parley_bots::arms::Arms;
use parley_proto::plunder::v1 as plunder;
use parley_proto::v1;
use parley_proto::v1::session_request::What as Call;
use parley_proto::v1::session_response::What as Answer;
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Status, Streaming};

use super::{Client, bearer, request_id};

/// How long a message may take that has to come.
const PATIENCE: Duration = Duration::from_secs(60);

/// A session with channels.
pub struct Channels {
    calls: mpsc::Sender<v1::SessionRequest>,
    answers: Streaming<v1::SessionResponse>,
    next_call: u64,
    /// What was heard and not asked for yet.
    heard: VecDeque<v1::SessionResponse>,
    /// The cursor of the newest news of each channel, all of which were told.
    pub cursors: BTreeMap<u32, u64>,
}

impl Channels {
    /// A session without channels, whose calls are those of a token.
    pub async fn begin(client: &Client, token: &str) -> Self {
        let (calls, called) = mpsc::channel(64);
        let request = bearer(token, ReceiverStream::new(called));
        let answers = client.play.clone().session(request).await.expect("a session").into_inner();
        Self { calls, answers, next_call: 1, heard: VecDeque::new(), cursors: BTreeMap::new() }
    }

    /// Sends a call and says its number.
    pub async fn send(&mut self, channel: u32, what: Call) -> u64 {
        let call = self.next_call;
        self.next_call += 1;
        let request = v1::SessionRequest { call, channel, what: Some(what), ..v1::SessionRequest::default() };
        self.calls.send(request).await.expect("the session is open");
        call
    }

    /// Says that there are no more calls.
    pub async fn hang_up(mut self) -> Result<(), Status> {
        drop(self.calls);
        while self.answers.message().await?.is_some() {}
        Ok(())
    }

    /// The first message that is wanted, of those that were heard and those that come.
    async fn wait(&mut self, wanted: impl Fn(&v1::SessionResponse) -> bool) -> Result<v1::SessionResponse, Status> {
        if let Some(place) = self.heard.iter().position(&wanted) {
            return Ok(self.heard.remove(place).expect("it is there"));
        }
        loop {
            let message = timeout(PATIENCE, self.answers.message()).await.expect("a message in time")?;
            let message = message.expect("the session goes on");
            if wanted(&message) {
                return Ok(message);
            }
            self.heard.push_back(message);
        }
    }

    /// The answer to a call.
    pub async fn answer(&mut self, call: u64) -> Result<Answer, Status> {
        Ok(self.wait(|message| message.call == call).await?.what.expect("an answer"))
    }

    /// Calls and waits for the answer.
    pub async fn call(&mut self, channel: u32, what: Call) -> Answer {
        let call = self.send(channel, what).await;
        self.answer(call).await.expect("the session goes on")
    }

    /// The name of the refusal of a call.
    pub async fn refused(&mut self, channel: u32, what: Call) -> v1::Reason {
        match self.call(channel, what).await {
            Answer::Refused(refusal) => refusal.reason(),
            other => panic!("not refused: {other:?}"),
        }
    }

    /// Opens a channel after a cursor, and says for which seat.
    pub async fn open(&mut self, channel: u32, open: v1::SessionOpen) -> Result<Option<u32>, v1::Refusal> {
        self.cursors.insert(channel, open.after);
        match self.call(channel, Call::Open(open)).await {
            Answer::Opened(opened) => Ok(opened.seat),
            Answer::Refused(refusal) => Err(refusal),
            other => panic!("neither open nor refused: {other:?}"),
        }
    }

    /// The next news of a channel.
    pub async fn news(&mut self, channel: u32) -> Result<v1::News, Status> {
        let is_news = |message: &v1::SessionResponse| matches!(message.what, Some(Answer::News(_)));
        let message = self.wait(|message| message.channel == channel && is_news(message)).await?;
        let Some(Answer::News(news)) = message.what else { panic!("{message:?}") };
        let cursor = self.cursors.entry(channel).or_default();
        assert_eq!(news.cursor, *cursor + 1, "a gap or a repetition on channel {channel}");
        *cursor = news.cursor;
        Ok(news)
    }

    /// Why a channel was closed by itself.
    pub async fn closed(&mut self, channel: u32) -> v1::SessionClosed {
        let is_end = |message: &v1::SessionResponse| matches!(message.what, Some(Answer::Closed(_)));
        let message = self.wait(|message| message.channel == channel && is_end(message)).await;
        match message.expect("the session goes on") {
            v1::SessionResponse { call: 0, what: Some(Answer::Closed(closed)), .. } => closed,
            other => panic!("{other:?}"),
        }
    }
}

/// What opens a channel of a match from its beginning.
pub fn opening(match_id: &str, token: &str) -> v1::SessionOpen {
    let (match_id, player_token) = (match_id.to_owned(), token.to_owned());
    v1::SessionOpen { match_id, player_token, ..v1::SessionOpen::default() }
}

/// A lock-in of nothing, as a session calls it.
pub fn locking(turn: u32) -> Call {
    let sheet = Some(v1::Sheet::of_plunder(plunder::Sheet::default()));
    Call::LockIn(v1::LockInRequest { request_id: request_id(), turn, sheet, ..v1::LockInRequest::default() })
}
