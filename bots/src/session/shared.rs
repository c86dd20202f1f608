//! One stream that many sessions share, each on a channel of its own.
//!
//! A task of its own reads the stream and hands each message to its session. A session that does not take what it is told
//! holds up no other: its channel is closed, and it opens another one after its cursor when it is asked again.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::{BoxFuture, FutureExt};
use futures_util::stream::{self, BoxStream, SelectAll, StreamExt};
use parley_games::times;
use parley_proto::opaque::v1;
use parley_proto::opaque::v1::session_request::What as Call;
use parley_proto::opaque::v1::session_response::What as Answer;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::body::Body;
use tonic::client::GrpcService;
use tonic::codegen::{Body as HttpBody, Bytes, StdError};
use tonic::{Code, Status, Streaming};
use tonic_types::{ErrorDetails, StatusExt};

use super::wire::{Incoming, Service, Wire};
use super::{MAX_QUEUED_NEWS, OPEN_TIMEOUT, Session, Settings};
use crate::connect::Token;
use crate::refusal::PREFIX;

/// How many messages wait for a session that shares its stream.
const UNREAD: usize = 2 * MAX_QUEUED_NEWS;
/// How many calls of all sessions wait on their way to the stream.
const OUTGOING: usize = 64;

/// A stream that sessions share. Clones are the same stream. It is opened when the first of them connects, and opened again
/// when it was lost. Its sessions need a runtime, because a task reads the stream.
#[derive(Clone)]
pub struct SharedStream<S> {
    service: S,
    joining: Arc<Mutex<Option<mpsc::Sender<Joining>>>>,
}

/// A session that wants a channel.
struct Joining {
    token: String,
    calls: mpsc::Receiver<v1::SessionRequest>,
    told: mpsc::Sender<Result<v1::SessionResponse, Status>>,
}

impl<S> SharedStream<S>
where
    S: GrpcService<Body> + Clone + Send + 'static,
    S::Future: Send,
    S::ResponseBody: HttpBody<Data = Bytes> + Send + 'static,
    <S::ResponseBody as HttpBody>::Error: Into<StdError> + Send,
{
    /// A stream of a service, which is opened when it is needed.
    pub fn new(service: S) -> Self {
        Self { service, joining: Arc::default() }
    }

    /// A session on a channel of the stream.
    pub fn session(&self, settings: Settings) -> Session {
        let service = Service::new(self.service.clone(), settings.token.clone());
        let wire = Channel { stream: self.clone(), service, token: settings.token.clone() };
        Session::over(Box::new(wire), settings)
    }

    /// The way to the task that reads the stream, which is started where there is none.
    fn reader(&self) -> mpsc::Sender<Joining> {
        let mut joining = self.joining.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(running) = joining.as_ref().filter(|running| !running.is_closed()) {
            return running.clone();
        }
        let (sender, sessions) = mpsc::channel(OUTGOING);
        let mut service = Service::new(self.service.clone(), Token::NONE);
        tokio::spawn(async move {
            let (outgoing, calls) = mpsc::channel(OUTGOING);
            let opening = tokio::time::timeout(OPEN_TIMEOUT, service.open(calls)).await;
            let opened = opening.unwrap_or_else(|_| Err(Status::unavailable("the stream did not open in time")));
            Reader::new(sessions).run(opened, outgoing).await;
        });
        joining.insert(sender).clone()
    }
}

/// A channel of a shared stream, as a session uses it.
struct Channel<S> {
    stream: SharedStream<S>,
    /// What is asked outside of the stream.
    service: Service<S>,
    token: Token,
}

impl<S> Wire for Channel<S>
where
    S: GrpcService<Body> + Clone + Send + 'static,
    S::Future: Send,
    S::ResponseBody: HttpBody<Data = Bytes> + Send + 'static,
    <S::ResponseBody as HttpBody>::Error: Into<StdError> + Send,
{
    fn session(&mut self, calls: mpsc::Receiver<v1::SessionRequest>) -> BoxFuture<'_, Result<Incoming, Status>> {
        let (reader, token) = (self.stream.reader(), self.token.text().to_owned());
        async move {
            let (told, incoming) = mpsc::channel(UNREAD);
            let joined = reader.send(Joining { token, calls, told }).await;
            joined.map_err(|_| Status::unavailable("the shared stream was lost"))?;
            Ok(Incoming::Channel(incoming))
        }
        .boxed()
    }

    fn view(&mut self, match_id: String) -> BoxFuture<'_, Result<v1::GetViewResponse, Status>> {
        self.service.view(match_id)
    }
}

/// What a session says: a call, or nothing more.
type Said = (u32, Option<v1::SessionRequest>);

/// The task that reads the stream, and hands its messages to the sessions.
struct Reader {
    joining: mpsc::Receiver<Joining>,
    /// Whether nobody can join any more.
    is_left: bool,
    /// What all sessions say.
    said: SelectAll<BoxStream<'static, Said>>,
    /// Where each session hears.
    sessions: BTreeMap<u32, mpsc::Sender<Result<v1::SessionResponse, Status>>>,
    /// The number that the next channel gets. None is given out twice, so that nothing is mistaken for another channel's.
    next_channel: u32,
    /// What is sent next.
    next: Option<v1::SessionRequest>,
}

impl Reader {
    fn new(joining: mpsc::Receiver<Joining>) -> Self {
        let (said, sessions) = (SelectAll::new(), BTreeMap::new());
        Self { joining, is_left: false, said, sessions, next_channel: 0, next: None }
    }

    /// Reads until the stream ends, or nobody needs it any more.
    async fn run(
        mut self,
        opened: Result<Streaming<v1::SessionResponse>, Status>,
        outgoing: mpsc::Sender<v1::SessionRequest>,
    ) {
        let why = match opened {
            Ok(mut incoming) => loop {
                let is_free = self.next.is_none();
                if is_free && self.is_left && self.said.is_empty() {
                    return;
                }
                tokio::select! {
                    room = outgoing.reserve(), if !is_free => match (room, self.next.take()) {
                        (Ok(room), Some(request)) => room.send(request),
                        _ => break Status::unavailable("the shared stream was lost"),
                    },
                    said = self.said.next(), if is_free && !self.said.is_empty() => {
                        if let Some((channel, said)) = said {
                            self.say(channel, said);
                        }
                    }
                    joining = self.joining.recv(), if is_free && !self.is_left => match joining {
                        Some(joining) => self.join(joining),
                        None => self.is_left = true,
                    },
                    message = incoming.message() => match message {
                        Ok(Some(message)) => self.tell(message),
                        Ok(None) => break Status::unavailable("the server ended the shared stream"),
                        Err(status) => break status,
                    },
                }
            },
            Err(status) => status,
        };
        self.joining.close();
        while let Some(joining) = self.joining.recv().await {
            self.join(joining);
        }
        // What one session has sent, or its match, is no fault of the others: they come again on another stream.
        let is_shared = self.sessions.len() > 1;
        let why = if is_shared { Status::unavailable(why.message()) } else { why };
        for told in self.sessions.values() {
            // One whose queue is full learns from its end that the stream was lost.
            let _ = told.try_send(Err(why.clone()));
        }
    }

    fn join(&mut self, joining: Joining) {
        let (channel, Joining { token, calls, told }) = (self.next_channel, joining);
        self.next_channel += 1;
        let calls = ReceiverStream::new(calls).map(move |mut request| {
            if let Some(Call::Open(open)) = &mut request.what {
                open.player_token.clone_from(&token);
            }
            Some(v1::SessionRequest { channel, ..request })
        });
        self.said.push(calls.chain(stream::iter([None])).map(move |said| (channel, said)).boxed());
        self.sessions.insert(channel, told);
    }

    /// Sends a call on. The channel of a session that is gone is closed.
    fn say(&mut self, channel: u32, said: Option<v1::SessionRequest>) {
        if said.is_none() {
            self.sessions.remove(&channel);
        }
        let close =
            || v1::SessionRequest { channel, what: Some(Call::Close(v1::SessionClose {})), ..Default::default() };
        self.next = Some(said.unwrap_or_else(close));
    }

    /// Hands a message to its session. One that does not read is let go, and comes again when it is asked.
    fn tell(&mut self, message: v1::SessionResponse) {
        let channel = message.channel;
        let Some(told) = self.sessions.get(&channel) else { return };
        let message = match message.what {
            Some(Answer::Closed(v1::SessionClosed { interruption: Some(why), .. })) => Err(status(&why)),
            _ => Ok(v1::SessionResponse { channel: 0, ..message }),
        };
        let is_lost = message.is_err();
        if told.try_send(message).is_err() || is_lost {
            self.sessions.remove(&channel);
        }
    }
}

/// The status that a refusal is to a session with a stream of its own.
fn status(refusal: &v1::Refusal) -> Status {
    let mut details = ErrorDetails::new();
    let name = refusal.reason().as_str_name();
    details.set_error_info(name.strip_prefix(PREFIX).unwrap_or(name), String::new(), HashMap::new());
    details.set_retry_info(refusal.retry_after.as_ref().and_then(times::duration_ms).map(Duration::from_millis));
    Status::with_error_details(Code::from_i32(refusal.code), refusal.message.clone(), details)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refusal::Refusal;

    #[test]
    fn what_interrupts_a_channel_is_what_would_refuse_a_stream() {
        let refusal = v1::Refusal {
            code: Code::ResourceExhausted.into(),
            reason: v1::Reason::TooMuchInFlight.into(),
            message: "too much is on its way".to_owned(),
            retry_after: Some(times::duration(250)),
            ..v1::Refusal::default()
        };
        let told = Refusal::from(status(&refusal));
        assert_eq!(told, Refusal::from(refusal));
        assert!(told.is_passing(), "the session waits, and goes on");
    }
}
