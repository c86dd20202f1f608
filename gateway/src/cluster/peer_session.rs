//! A channel of a session whose match is on another server: a session of one channel there, whose messages are handed on as
//! the bytes that they are.

use std::convert::Infallible;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, ready};

use bytes::{Buf, BufMut, Bytes, BytesMut};
use futures_util::future::BoxFuture;
use futures_util::{FutureExt, StreamExt, stream};
use http::header::{AUTHORIZATION, CONTENT_TYPE, HeaderName, HeaderValue, TE};
use http::{Method, Request, StatusCode, Uri};
use http_body_util::StreamBody;
use hyper::body::{Body as HttpBody, Frame};
use parley_proto::journal::v1::Node;
use parley_proto::opaque::v1 as api;
use prost::Message;
use tokio::sync::mpsc;
use tonic::{Code, Status};
use tower::Service;
use uuid::Uuid;

use super::Cluster;
use super::forwarding::{LOG_TARGET, PREFIX, unreachable};
use crate::http::{Peer, Reservation, too_much};
use crate::matches::command::count;
use crate::refusal::Refusal;
use crate::trace::TRACEPARENT;

/// The path of the call that opens a session.
const PATH: &str = "/parley.v1.Play/Session";
/// How many calls there are beside those that may be in work: the one that opens the channel.
const OPENING: usize = 1;

/// Another server of the cluster, on which a channel is to be opened.
pub struct PeerServer {
    pub(super) cluster: Arc<Cluster>,
    pub(super) id: Uuid,
    pub(super) node: Node,
}

/// What the other server is told of a session that it serves a channel of.
#[derive(Clone, Debug, Default)]
pub struct SessionOrigin {
    /// What the session says of its caller.
    pub authorization: Option<HeaderValue>,
    /// The trace that the session belongs to.
    pub traceparent: Option<HeaderValue>,
    /// The address that the session comes from.
    pub peer: Option<Peer>,
}

/// A channel that another server serves.
pub struct PeerSession {
    calls: mpsc::Sender<api::SessionRequest>,
    answers: tonic::body::Body,
    /// What has come of the next message.
    read: BytesMut,
    /// Where that is counted; nowhere inside the process.
    room: Option<Reservation>,
    /// Comes back when the other server is gone.
    gone: BoxFuture<'static, Refusal>,
    /// Counts the call on the connection that it goes over.
    _open: Arc<()>,
}

/// A message from another server, which is handed on as it is.
#[derive(Debug)]
pub struct PeerMessage {
    /// What has to be known of it here.
    pub heading: Heading,
    /// An encoded `SessionResponse` of channel 0.
    pub bytes: Bytes,
    /// Where the bytes are counted until they are sent on.
    _room: Option<Reservation>,
}

/// What has to be known here of a `SessionResponse`.
#[derive(Clone, PartialEq, Message)]
pub struct Heading {
    /// The call that is answered.
    #[prost(uint64, tag = "1")]
    pub call: u64,
    #[prost(message, optional, tag = "2")]
    news: Option<Unread>,
    /// The channel is open.
    #[prost(message, optional, tag = "3")]
    pub opened: Option<Unread>,
    /// The channel is closed.
    #[prost(message, optional, tag = "12")]
    pub closed: Option<Unread>,
}

impl Heading {
    /// Whether the message tells news.
    pub const fn is_news(&self) -> bool {
        self.news.is_some()
    }
}

/// A message that only has to be there, and is not read.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct Unread {}

impl PeerServer {
    /// Opens a session on the server, over which so many calls may be on their way at a time.
    pub async fn open_session(
        self,
        origin: SessionOrigin,
        most_calls: usize,
        room: Option<Reservation>,
    ) -> Result<PeerSession, Status> {
        if self.cluster.draining.load(Ordering::Relaxed) {
            return Err(Refusal::draining().into());
        }
        metrics::counter!("parley_cluster_forwarded_total").increment(1);
        let Ok(channel) = self.cluster.peers.channel(self.id, &self.node, true) else {
            return Err(unreachable().into());
        };
        let (calls, mut called) = mpsc::channel(most_calls + OPENING);
        let frames = stream::poll_fn(move |cx| called.poll_recv(cx));
        let frames = frames.map(|call| Ok::<_, Infallible>(Frame::data(framed(&call))));
        let mut request = Request::new(tonic::body::Body::new(StreamBody::new(frames)));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = Uri::from_static(PATH);
        let headers = request.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/grpc"));
        headers.insert(TE, HeaderValue::from_static("trailers"));
        let traceparent = HeaderName::from_static(TRACEPARENT);
        for (name, value) in [(AUTHORIZATION, origin.authorization), (traceparent, origin.traceparent)] {
            headers.extend(value.map(|value| (name, value)));
        }
        self.cluster.vouch(headers, origin.peer);
        let mut gone = self.cluster.gone(channel.gone, true);
        let mut sending = channel.channel;
        let answering = async move {
            poll_fn(|cx| sending.poll_ready(cx)).await?;
            sending.call(request).await
        };
        let answer = tokio::select! {
            answer = answering => answer.map_err(|_| Status::from(unreachable()))?,
            why = &mut gone => return Err(why.into()),
        };
        if let Some(status) = Status::from_header_map(answer.headers()) {
            return Err(ended(Some(status)));
        }
        if answer.status() != StatusCode::OK {
            return Err(unreachable().into());
        }
        let answers = answer.into_body();
        Ok(PeerSession { calls, answers, read: BytesMut::new(), room, gone, _open: channel.open })
    }
}

impl PeerSession {
    /// Sends a call. No more calls are in work than there is room for here, so that one finds no room only when the server is
    /// gone, which ends the channel.
    pub fn call(&self, call: api::SessionRequest) {
        drop(self.calls.try_send(call));
    }

    /// The next message, or why there is none.
    pub async fn message(&mut self) -> Result<PeerMessage, Status> {
        poll_fn(|cx| self.poll_message(cx)).await
    }

    /// The next message, as [`PeerSession::message`].
    pub fn poll_message(&mut self, cx: &mut Context<'_>) -> Poll<Result<PeerMessage, Status>> {
        loop {
            if let Some(message) = self.take_message()? {
                return Poll::Ready(Ok(message));
            }
            match Pin::new(&mut self.answers).poll_frame(cx) {
                Poll::Ready(Some(Ok(frame))) => match frame.into_data() {
                    Ok(data) => {
                        if let Some(room) = &mut self.room {
                            room.grow(data.len()).map_err(|full| Status::from(too_much(full)))?;
                        }
                        self.read.extend_from_slice(&data);
                    }
                    Err(frame) => {
                        let status = frame.into_trailers().ok().and_then(|trailers| Status::from_header_map(&trailers));
                        return Poll::Ready(Err(ended(status)));
                    }
                },
                Poll::Ready(Some(Err(error))) => {
                    tracing::debug!(target: LOG_TARGET, %error, "a session on another server broke off");
                    return Poll::Ready(Err(unreachable().into()));
                }
                Poll::Ready(None) => return Poll::Ready(Err(ended(None))),
                Poll::Pending => return Poll::Ready(Err(ready!(self.gone.poll_unpin(cx)).into())),
            }
        }
    }

    /// Takes the next message out of what was read, if all of it has come.
    fn take_message(&mut self) -> Result<Option<PeerMessage>, Status> {
        let Some(mut length) = self.read.get(1..PREFIX) else { return Ok(None) };
        let length = length.get_u32() as usize;
        if self.read.len() < PREFIX + length {
            return Ok(None);
        }
        self.read.advance(PREFIX);
        let bytes = self.read.split_to(length).freeze();
        // What was counted goes with the message; what has come of the next one is counted anew.
        let rest = count(self.room.as_ref().map(Reservation::another), self.read.len())?;
        let room = std::mem::replace(&mut self.room, rest);
        let heading = Heading::decode(&bytes[..]).map_err(|_| Status::from(unreachable()))?;
        Ok(Some(PeerMessage { heading, bytes, _room: room }))
    }
}

/// Why a session on another server has ended.
fn ended(status: Option<Status>) -> Status {
    status.filter(|status| status.code() != Code::Ok).unwrap_or_else(|| unreachable().into())
}

/// A message as gRPC frames it.
fn framed(message: &impl Message) -> Bytes {
    let length = message.encoded_len();
    let mut bytes = BytesMut::with_capacity(PREFIX + length);
    bytes.put_u8(0);
    bytes.put_u32(length as u32);
    // The buffer grows as it has to, so that encoding cannot fail.
    let _ = message.encode(&mut bytes);
    bytes.freeze()
}
