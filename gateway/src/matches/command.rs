//! What can be asked of a match.

use parley_proto::opaque::v1;
use parley_proto::opaque::v1::session_response::What as Answer;
use prost::Message;
use tokio::sync::{mpsc, oneshot};

use super::feed::Follower;
use super::listing::Listed;
use crate::auth::{Caller, Claims};
use crate::http::{Reservation, too_much};
use crate::match_state::Place;
use crate::refusal::Refusal;
use crate::trace::TraceContext;
use crate::work::Customer;

/// How many times its bytes on the wire a message takes in memory before it is encoded, about.
const DECODED_COST: usize = 4;

/// An answer that waits in a session for its caller.
#[derive(Debug)]
pub struct SessionAnswer {
    /// The number of the call that it answers.
    pub call: u64,
    /// The answer, or why there is none.
    pub answer: Result<Answer, Refusal>,
    /// The room that it takes until it is sent, where it is counted apart from its call.
    pub room: Option<Reservation>,
}

/// Counts bytes in an account that nothing is taken from yet, where there is one, or says which limit is reached.
pub fn count(room: Option<Reservation>, bytes: usize) -> Result<Option<Reservation>, Refusal> {
    let Some(mut room) = room else { return Ok(None) };
    room.grow(bytes).map_err(too_much)?;
    Ok(Some(room))
}

/// Where the answer to a request goes. One that is dropped tells whoever waits that nobody answers.
#[derive(Debug)]
pub struct Reply<T>(Option<ReplyTo<T>>);

#[derive(Debug)]
enum ReplyTo<T> {
    /// The answer goes to somebody who waits for this one.
    Caller(oneshot::Sender<Result<T, Refusal>>),
    /// The answer goes among the answers of a session, and can be counted from the moment at which it exists.
    Session { to: SessionCall, wrap: fn(T) -> Answer, size: fn(&T) -> usize },
}

/// A call of a session that is to be answered.
#[derive(Debug)]
pub struct SessionCall {
    /// The number of the call.
    pub call: u64,
    /// Where the answers of the session go.
    pub answers: mpsc::Sender<Box<SessionAnswer>>,
    /// The account of the session, with what is counted there for the answer; `None` where it is counted elsewhere.
    pub room: Option<Reservation>,
}

impl SessionCall {
    /// Sends an answer, of which the session sees to it that there is a place for it. It may have ended meanwhile.
    fn send(self, answer: Result<Answer, Refusal>) {
        let Self { call, answers, room } = self;
        drop(answers.try_send(Box::new(SessionAnswer { call, answer, room })));
    }
}

impl<T> Reply<T> {
    /// A reply to somebody who waits for it.
    pub fn to_caller(caller: oneshot::Sender<Result<T, Refusal>>) -> Self {
        Self(Some(ReplyTo::Caller(caller)))
    }

    /// A reply among the answers of a session.
    pub fn to_session(to: SessionCall, wrap: fn(T) -> Answer) -> Self
    where
        T: Message,
    {
        Self(Some(ReplyTo::Session { to, wrap, size: T::encoded_len }))
    }

    /// Answers. Whoever asked may have gone away meanwhile.
    pub fn send(mut self, answer: Result<T, Refusal>) {
        let answer = self.count(answer);
        self.deliver(answer);
    }

    /// Counts an answer that is going to be delivered. Where there is no room for it, that is the answer.
    pub fn count(&mut self, answer: Result<T, Refusal>) -> Result<T, Refusal> {
        let Some(ReplyTo::Session { to: SessionCall { room: Some(room), .. }, size, .. }) = &mut self.0 else {
            return answer;
        };
        let answer = answer?;
        room.grow(size(&answer).saturating_mul(DECODED_COST)).map_err(too_much)?;
        Ok(answer)
    }

    /// Answers with what was counted before.
    pub fn deliver(mut self, answer: Result<T, Refusal>) {
        match self.0.take() {
            Some(ReplyTo::Caller(caller)) => drop(caller.send(answer)),
            Some(ReplyTo::Session { to, wrap, .. }) => to.send(answer.map(wrap)),
            None => {}
        }
    }
}

impl<T> Drop for Reply<T> {
    /// A session is told that nobody answered; who waits for one answer notices by itself.
    fn drop(&mut self) {
        if let Some(ReplyTo::Session { to, .. }) = self.0.take() {
            to.send(Err(Refusal::restarted()));
        }
    }
}

/// Who asks a match something.
#[derive(Clone, Copy, Debug)]
pub struct Asker {
    /// What the caller's token says.
    pub claims: Option<Claims>,
    /// For whom the match is read back where it is not in memory.
    pub customer: Customer,
}

impl From<Option<Claims>> for Asker {
    /// Somebody inside of this process.
    fn from(claims: Option<Claims>) -> Self {
        Self { claims, customer: Customer::Service }
    }
}

impl From<&Caller> for Asker {
    fn from(caller: &Caller) -> Self {
        Self { claims: caller.claims, customer: caller.customer }
    }
}

/// Something that is asked of a match, with who asks and where the answer goes.
#[derive(Debug)]
pub struct Command {
    /// What the caller's token says.
    pub claims: Option<Claims>,
    /// For whom the match is read back where it is not in memory.
    pub customer: Customer,
    /// The trace that the call belongs to.
    pub context: Option<TraceContext>,
    /// What is asked, and where the answer goes.
    pub request: Request,
}

/// What can be asked of a match.
#[derive(Debug)]
#[allow(missing_docs, reason = "each is the call of the same name in the protos")]
pub enum Request {
    StageOrders(v1::StageOrdersRequest, Reply<v1::StageOrdersResponse>),
    LockIn(v1::LockInRequest, Reply<v1::LockInResponse>),
    Answer(v1::AnswerRequest, Reply<v1::AnswerResponse>),
    Concede(v1::ConcedeRequest, Reply<v1::ConcedeResponse>),
    GetView(Reply<Seen>),
    Advise(v1::AdviseRequest, Reply<v1::AdviseResponse>),
    GetMatch(Reply<v1::GetMatchResponse>),
    JoinMatch(v1::JoinMatchRequest, Reply<v1::JoinMatchResponse>),
    LeaveMatch(v1::LeaveMatchRequest, Reply<v1::LeaveMatchResponse>),
    StartMatch(v1::StartMatchRequest, Reply<v1::StartMatchResponse>),
    StopMatch(v1::StopMatchRequest, Reply<v1::StopMatchResponse>),
    /// Follow the match, with or without views.
    Follow(bool, Reply<Followed>),
    /// Read what is over, or the caller's own past.
    Read(Reply<Reading>),
    /// End the match, where there is reason to; the answer is whether it has ended.
    Settle(Settle, Reply<bool>),
    /// Tell what is listed of the match.
    List(Reply<Listed>),
}

/// Why a match may have to end by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settle {
    /// The match has expired.
    Expire,
    /// The match is abandoned, and the server has no room for others.
    GiveWay,
}

/// What a viewer sees.
#[derive(Debug)]
pub enum Seen {
    /// The match as it is now.
    Now(Box<v1::GetViewResponse>),
    /// The match as it was for those who are behind: what the news up to this cursor show.
    Behind {
        /// The cursor of the newest news that they may see.
        newest: u64,
    },
}

/// Somebody who follows a match.
#[derive(Debug)]
pub struct Followed {
    /// The place from which they look.
    pub place: Place,
    /// Whether the match is over, so that nothing more will be told.
    pub over: bool,
    /// The end of the feed that the news come from.
    pub follower: Follower,
    /// How many bytes of the match count as kept for this follower: what is followed stays in memory.
    pub share: usize,
}

/// What may be read of a match's past.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Whether the match is over, so that nothing is secret any more.
    pub over: bool,
    /// The caller's own seat, if there is one.
    pub seat: Option<u8>,
    /// How many seats there are.
    pub seats: usize,
    /// The turn that is being planned, or would be.
    pub turn: u32,
}

impl Request {
    /// Whether the request is there to change the match, and so to be written down.
    pub const fn writes(&self) -> bool {
        match self {
            Self::LockIn(..)
            | Self::Answer(..)
            | Self::Concede(..)
            | Self::JoinMatch(..)
            | Self::LeaveMatch(..)
            | Self::StartMatch(..)
            | Self::StopMatch(..)
            | Self::Settle(..) => true,
            // Staged orders are kept in memory, and written down when the match leaves it.
            Self::StageOrders(..)
            | Self::GetView(..)
            | Self::Advise(..)
            | Self::GetMatch(..)
            | Self::Follow(..)
            | Self::Read(..)
            | Self::List(..) => false,
        }
    }
}

impl Command {
    /// Answers with a refusal, whatever was asked.
    pub fn refuse(self, refusal: Refusal) {
        match self.request {
            Request::StageOrders(_, reply) => reply.send(Err(refusal)),
            Request::LockIn(_, reply) => reply.send(Err(refusal)),
            Request::Answer(_, reply) => reply.send(Err(refusal)),
            Request::Concede(_, reply) => reply.send(Err(refusal)),
            Request::GetView(reply) => reply.send(Err(refusal)),
            Request::Advise(_, reply) => reply.send(Err(refusal)),
            Request::GetMatch(reply) => reply.send(Err(refusal)),
            Request::JoinMatch(_, reply) => reply.send(Err(refusal)),
            Request::LeaveMatch(_, reply) => reply.send(Err(refusal)),
            Request::StartMatch(_, reply) => reply.send(Err(refusal)),
            Request::StopMatch(_, reply) => reply.send(Err(refusal)),
            Request::Follow(_, reply) => reply.send(Err(refusal)),
            Request::Read(reply) => reply.send(Err(refusal)),
            Request::Settle(_, reply) => reply.send(Err(refusal)),
            Request::List(reply) => reply.send(Err(refusal)),
        }
    }
}
