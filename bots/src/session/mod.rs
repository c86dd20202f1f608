//! A session that outlives its connections.
//!
//! News come in the order of their cursors, each exactly once, however often the connection is lost between them.
//! A call that was not answered when the connection was lost is repeated with its request id, which is made of what
//! it says: so it takes effect once, even if the process that made it was started anew in between.
//!
//! A session is one stream, or a channel of a [`SharedStream`], and a few small buffers. It spawns nothing, and all its
//! waiting can be given up and taken up again: dropping the future of [`Session::next`] loses no news.
//!
//! Messages of games are bytes on their way through a session. Whoever plays a game that has no messages here takes them as
//! they are ([`Session::next_as_bytes`]); everybody else gets them read.

mod advice;
mod calls;
mod shared;
#[cfg(test)]
mod tests;
mod wire;

use std::collections::VecDeque;
use std::time::Duration;

use parley_proto::opaque::v1 as opaque;
use parley_proto::opaque::v1::session_request::What as Call;
use parley_proto::opaque::v1::session_response::What as Answer;
use parley_proto::v1;
use prost::Message;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, timeout};
use tonic::Status;
use tonic::body::Body;
use tonic::client::GrpcService;
use tonic::codegen::{Body as HttpBody, Bytes, StdError};

use crate::backoff::{Backoff, Retry};
use crate::connect::{Token, TokenError};
use crate::refusal::Refusal;
pub use shared::SharedStream;
use wire::{Incoming, Service, Wire};

/// The longest message that is taken, in bytes: a view of the largest map fits.
pub const MAX_MESSAGE_BYTES: usize = 64 << 20;
/// News that are kept while a call is waited for. The server is asked again for those beyond.
pub const MAX_QUEUED_NEWS: usize = 32;
/// How long a session may take to open.
pub const OPEN_TIMEOUT: Duration = Duration::from_secs(20);
/// How many calls may wait on their way to the connection.
const OUTGOING: usize = 2;

/// Where a session begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// It begins with the news after this cursor; 0 is the beginning of the match.
    After(u64),
    /// It begins with a view of how things are. What was before is not told.
    Now,
}

/// Which turns come with a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Views {
    /// Every turn does.
    Every,
    /// Every turn does until there has been a view, for whoever goes on from there by changes.
    First,
    /// No turn does.
    None,
}

/// What a session is about.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The id of the match.
    pub match_id: String,
    /// The token of the player or spectator whose session it is.
    pub token: Token,
    /// Which turns come with a view.
    pub views: Views,
    /// Whether news say how the board changes; a [`LiveView`](crate::board::LiveView) follows them.
    pub changes: bool,
    /// Where the session begins.
    pub start: Start,
    /// How often and how patiently a lost connection is tried again.
    pub backoff: Backoff,
    /// The span that its calls belong to, as in the header `traceparent` of W3C Trace Context; empty for none.
    pub traceparent: String,
}

impl Settings {
    /// A player's session, with changes and without views, that begins now.
    pub fn new(match_id: impl Into<String>, token: Token) -> Self {
        Self {
            match_id: match_id.into(),
            token,
            views: Views::None,
            changes: true,
            start: Start::Now,
            backoff: Backoff::default(),
            traceparent: String::new(),
        }
    }
}

/// What a session tells.
#[derive(Clone, Debug, PartialEq)]
pub enum Item<N = v1::News, V = v1::GetViewResponse> {
    /// The next news of the match.
    News(Box<N>),
    /// A view of how things are, in place of news that the server no longer tells one by one; the next news follow from
    /// here.
    Snapshot(Box<V>),
}

/// What a session tells, with messages of games as the bytes that were said.
pub type BytesItem = Item<opaque::News, opaque::GetViewResponse>;

/// The same message as another type, which has messages of games read, or as the bytes that they are.
fn recoded<T: Message + Default>(message: &impl Message) -> Result<T, SessionError> {
    read(&message.encode_to_vec())
}

/// Reads a message.
fn read<T: Message + Default>(bytes: &[u8]) -> Result<T, SessionError> {
    T::decode(bytes).map_err(|error| SessionError::Refused(Status::internal(error.to_string()).into()))
}

/// Why a session cannot go on.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SessionError {
    /// The server refused, and trying again would not help.
    #[error("the server refused: {0}")]
    Refused(Refusal),
    /// The server could not be reached, often enough.
    #[error("the server could not be reached {attempts} times in a row: {last}")]
    Lost {
        /// How many attempts failed in a row.
        attempts: u32,
        /// Why the last attempt failed.
        last: Refusal,
    },
    /// The last news of the match were told already.
    #[error("the match is over")]
    Over,
    /// The server answered a call with the answer of another kind of call.
    #[error("the server answered {asked} with something else")]
    UnexpectedAnswer {
        /// What the server had been asked for.
        asked: &'static str,
    },
    /// The server told something of a game that is not known here.
    #[error("the match is of a game that this client does not know")]
    UnknownGame,
    /// The token is not printable ASCII text.
    #[error(transparent)]
    Token(#[from] TokenError),
}

/// Why a call did nothing.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CallError {
    /// The call was refused, and the session goes on.
    #[error("{0}")]
    Refused(Refusal),
    /// The session cannot go on.
    #[error(transparent)]
    Session(#[from] SessionError),
}

/// Whether a session has a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Link {
    /// There is no connection; it is tried again, and again.
    Down {
        /// Why the last one ended, or did not come about; empty before the first attempt.
        why: String,
    },
    /// There is a connection.
    Up,
}

/// A connection while it stands.
struct OpenConnection {
    /// The call that opened it, which no other line has.
    number: u64,
    outgoing: mpsc::Sender<opaque::SessionRequest>,
    incoming: Incoming,
    since: Instant,
}

/// What came over a line; `Ok(None)` is its end.
type Heard = Result<Option<opaque::SessionResponse>, Status>;

impl OpenConnection {
    /// Hands in a call, or hears something while there is no room for it.
    async fn hand_in(&mut self, request: opaque::SessionRequest) -> Option<Heard> {
        tokio::select! {
            biased;
            room = self.outgoing.reserve() => match room {
                Ok(room) => {
                    room.send(request);
                    None
                }
                Err(_) => Some(Ok(None)),
            },
            message = self.incoming.message() => Some(message),
        }
    }
}

/// A player's, or a spectator's, way through one match.
pub struct Session {
    wire: Box<dyn Wire>,
    match_id: String,
    views: Views,
    changes: bool,
    line: Option<OpenConnection>,
    /// The newest news that were taken in, given to the caller or not.
    cursor: u64,
    queue: VecDeque<BytesItem>,
    /// Whether news came while the queue was full, so that the line has run ahead of the cursor.
    ahead: bool,
    /// Whether the news after the cursor cannot be had any more, so that a view is needed.
    behind: bool,
    over: bool,
    seat: Option<u32>,
    retry: Retry,
    calls: u64,
    identity: [u8; 32],
    traceparent: String,
    link: watch::Sender<Link>,
}

impl Session {
    /// Opens a session at the beginning of a match.
    pub async fn open<S>(service: S, token: &str, match_id: &str, views: Views) -> Result<Self, SessionError>
    where
        S: GrpcService<Body> + Send + 'static,
        S::Future: Send,
        S::ResponseBody: HttpBody<Data = Bytes> + Send + 'static,
        <S::ResponseBody as HttpBody>::Error: Into<StdError> + Send,
    {
        let settings = Settings { views, start: Start::After(0), ..Settings::new(match_id, Token::new(token)?) };
        let mut session = Self::new(service, settings);
        session.connect().await?;
        Ok(session)
    }

    /// A session that connects when it is first used.
    pub fn new<S>(service: S, settings: Settings) -> Self
    where
        S: GrpcService<Body> + Send + 'static,
        S::Future: Send,
        S::ResponseBody: HttpBody<Data = Bytes> + Send + 'static,
        <S::ResponseBody as HttpBody>::Error: Into<StdError> + Send,
    {
        let wire = Service::new(service, settings.token.clone());
        Self::over(Box::new(wire), settings)
    }

    /// A session over whatever carries its calls.
    fn over(wire: Box<dyn Wire>, settings: Settings) -> Self {
        let Settings { match_id, token, views, changes, start, backoff, traceparent } = settings;
        let mut identity = blake3::Hasher::new_derive_key("parley.v1 request ids of a session");
        identity.update(token.as_bytes()).update(match_id.as_bytes());
        let identity: [u8; 32] = identity.finalize().into();
        let seed = u64::from_le_bytes(std::array::from_fn(|byte| identity[byte]));
        Self {
            wire,
            match_id,
            views,
            changes,
            line: None,
            cursor: if let Start::After(cursor) = start { cursor } else { 0 },
            queue: VecDeque::new(),
            ahead: false,
            behind: start == Start::Now,
            over: false,
            seat: None,
            retry: Retry::new(backoff, seed),
            calls: 0,
            identity,
            traceparent,
            link: watch::Sender::new(Link::Down { why: String::new() }),
        }
    }

    /// Tells, at any time and beside everything else, whether there is a connection.
    pub fn link(&self) -> watch::Receiver<Link> {
        self.link.subscribe()
    }

    /// The seat that the session speaks for, once it is known.
    pub const fn seat(&self) -> Option<u32> {
        self.seat
    }

    /// The cursor of the newest news that were received.
    pub const fn cursor(&self) -> u64 {
        self.cursor
    }

    /// Asks for news to come without views and without changes from now on, for whoever only waits for the end.
    pub fn stop_board(&mut self) {
        if self.changes || self.views != Views::None {
            (self.views, self.changes) = (Views::None, false);
            self.line = None;
        }
    }

    /// The next thing that is told. It is waited for as long as it takes; giving up waiting loses nothing.
    pub async fn next(&mut self) -> Result<Item, SessionError> {
        Ok(match self.next_as_bytes().await? {
            Item::News(news) => Item::News(Box::new(recoded(&*news)?)),
            Item::Snapshot(view) => Item::Snapshot(Box::new(recoded(&*view)?)),
        })
    }

    /// The next thing that is told, with messages of games as the bytes that they are.
    pub async fn next_as_bytes(&mut self) -> Result<BytesItem, SessionError> {
        loop {
            if let Some(item) = self.queue.pop_front() {
                return Ok(item);
            }
            if self.over {
                return Err(SessionError::Over);
            }
            if self.ahead {
                self.line = None;
            }
            self.connect().await?;
            if let Some(line) = self.line.as_mut().filter(|_| self.queue.is_empty()) {
                let message = line.incoming.message().await;
                self.hear(message)?;
            }
        }
    }

    /// Sees to it that there is a line, unless what was told on the way makes one needless.
    async fn connect(&mut self) -> Result<(), SessionError> {
        while self.line.is_none() {
            self.retry.wait().await;
            let opened = timeout(OPEN_TIMEOUT, self.dial()).await;
            if let Err(refusal) = opened.unwrap_or_else(|_| Err(Refusal::away("the session did not open in time"))) {
                self.lost(refusal)?;
            }
            if !self.queue.is_empty() {
                break;
            }
        }
        Ok(())
    }

    /// One attempt at a line.
    async fn dial(&mut self) -> Result<(), Refusal> {
        if self.behind {
            let view = self.wire.view(self.match_id.clone()).await?;
            self.take_view(view);
            if self.over {
                return Ok(());
            }
        }
        let (outgoing, calls) = mpsc::channel(OUTGOING);
        let open = v1::SessionOpen {
            match_id: self.match_id.clone(),
            after: self.cursor,
            views: self.views != Views::None,
            no_changes: !self.changes,
            ..v1::SessionOpen::default()
        };
        self.calls += 1;
        let (what, traceparent) = (Some(Call::Open(open)), self.traceparent.clone());
        let open = opaque::SessionRequest { call: self.calls, what, traceparent, ..opaque::SessionRequest::default() };
        outgoing.try_send(open).map_err(|_| Refusal::away("the session cannot be opened"))?;
        let mut incoming = self.wire.session(calls).await?;
        match incoming.message().await?.and_then(|response| response.what) {
            Some(Answer::Opened(opened)) => self.seat = opened.seat,
            Some(Answer::Refused(refusal)) => return Err(refusal.into()),
            Some(_) => return Err(Status::internal("the session did not open with an answer").into()),
            None => return Err(Refusal::away("the server ended the session at once")),
        }
        self.ahead = false;
        self.line = Some(OpenConnection { number: self.calls, outgoing, incoming, since: Instant::now() });
        self.link.send_replace(Link::Up);
        Ok(())
    }

    /// Takes in a message of the line; what is returned is an answer to a call.
    fn hear(&mut self, message: Heard) -> Result<Option<(u64, Answer)>, SessionError> {
        match message {
            Ok(Some(opaque::SessionResponse { what: Some(Answer::News(news)), .. })) => self.take_news(news)?,
            // Everything was told. Calls are answered on another line.
            Ok(Some(opaque::SessionResponse { what: Some(Answer::Closed(_)), .. })) => self.line = None,
            Ok(Some(opaque::SessionResponse { call, what: Some(answer), .. })) => return Ok(Some((call, answer))),
            Ok(Some(opaque::SessionResponse { what: None, .. })) => {}
            Ok(None) => self.lost(Refusal::away("the server ended the session"))?,
            Err(status) => self.lost(status.into())?,
        }
        Ok(None)
    }

    fn take_news(&mut self, news: opaque::News) -> Result<(), SessionError> {
        use opaque::news::What;
        if matches!(news.what, Some(What::SnapshotRequired(_))) {
            self.behind = true;
            return self.lost(Refusal::away("the cursor is too old"));
        }
        if news.cursor <= self.cursor {
            return Ok(());
        }
        if self.queue.len() >= MAX_QUEUED_NEWS {
            self.ahead = true;
        }
        if self.ahead {
            return Ok(());
        }
        if news.cursor > self.cursor + 1 {
            return self.lost(Refusal::away("the server left out news"));
        }
        self.cursor = news.cursor;
        self.over = match &news.what {
            Some(What::Outcome(outcome)) => outcome.ended.is_some(),
            Some(What::MatchStopped(_)) => true,
            _ => false,
        };
        let opened = match &news.what {
            Some(What::TurnOpened(opened)) => Some(opened),
            Some(What::Outcome(outcome)) => outcome.next.as_ref(),
            _ => None,
        };
        let has_view = opened.is_some_and(|opened| opened.view.is_some());
        self.queue.push_back(Item::News(Box::new(news)));
        self.retry.succeeded();
        if has_view && self.views == Views::First {
            self.views = Views::None;
            // The rest comes again without views.
            self.line = None;
        }
        Ok(())
    }

    fn take_view(&mut self, view: opaque::GetViewResponse) {
        self.behind = false;
        self.cursor = view.cursor;
        self.over = view.phase() == v1::Phase::Over;
        if view.view.is_some() && self.views == Views::First {
            self.views = Views::None;
        }
        self.queue.push_back(Item::Snapshot(Box::new(view)));
    }

    /// Gives up the line; an error where trying again would not help.
    fn lost(&mut self, refusal: Refusal) -> Result<(), SessionError> {
        if let Some(line) = self.line.take() {
            self.retry.stood(line.since.elapsed());
        }
        if !refusal.is_passing() {
            return Err(SessionError::Refused(refusal));
        }
        self.link.send_replace(Link::Down { why: refusal.message.clone() });
        tracing::debug!(match_id = self.match_id, cursor = self.cursor, reason = %refusal, "connection lost");
        let wait = refusal.retry_after.unwrap_or_default();
        self.retry.failed(wait).map_err(|attempts| SessionError::Lost { attempts, last: refusal })
    }
}
