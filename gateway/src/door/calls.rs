//! What every gRPC call passes on its way in and out, so that nobody makes the server keep more than they may.
//!
//! A call is counted while it is open. The message of a call that has one is read here, within a time, before anything
//! else is made for the call: so a call that is sent by halves costs little and ends. A session is read as it goes, and
//! only a message that has begun to arrive has a time to end. Every piece of an answer is counted until the network has
//! taken it.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use bytes::{Buf, Bytes, BytesMut};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use http::{HeaderMap, Request, Response};
use http_body_util::BodyExt;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use tokio::time::{Sleep, timeout};
use tonic::{Code, Status};
use tower::{BoxError, Service};

use super::budget::{Account, BudgetLimits, Full, Reservation};
use crate::refusal::{Refusal, name_early_response};

/// What an open call costs: its headers, its task, and what waits for it.
pub const CALL_COST: usize = 24 * 1024;
/// What a piece of an answer costs beside its bytes.
const PIECE_COST: usize = 512;
/// How many times larger than its bytes a message may be once it is read: two bytes can stand for an order of over a
/// hundred.
const READ_FACTOR: usize = 64;
/// The bytes before a message of gRPC: whether it is compressed, and its length.
const PREFIX: usize = 5;
/// After which time whoever was refused may try again.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// What calls may take.
#[derive(Clone, Copy, Debug)]
pub struct CallLimits {
    /// How many bytes a message may have.
    pub message_bytes: usize,
    /// The setting that this limit comes from.
    pub message_setting: &'static str,
    /// How long a message may take to arrive.
    pub message_time: Duration,
}

impl CallLimits {
    /// Limits of messages, each of which must fit into what one connection may have in flight.
    pub fn new(message_bytes: usize, message_time: Duration, budget: &BudgetLimits) -> Self {
        let (most, full) = budget.most();
        // Its bytes are kept as they come until all are there, and then it is read.
        let fitting = (most.saturating_sub(CALL_COST) / (1 + READ_FACTOR)).saturating_sub(PREFIX);
        if fitting < message_bytes {
            Self { message_bytes: fitting, message_setting: full.setting(), message_time }
        } else {
            Self { message_bytes, message_setting: "max_message_bytes", message_time }
        }
    }
}

/// What a message of so many bytes costs while it is handled.
const fn read_cost(bytes: usize) -> usize {
    bytes.saturating_mul(READ_FACTOR)
}

/// The services behind the counting of calls.
#[derive(Clone)]
pub(super) struct Calls {
    services: Router,
    limits: CallLimits,
}

impl Calls {
    pub(super) fn new(services: Router, limits: CallLimits) -> Self {
        Self { services, limits }
    }
}

impl<B> Service<Request<B>> for Calls
where
    B: HttpBody<Data = Bytes> + Send + Unpin + 'static,
    B::Error: Into<BoxError>,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Response<Body>, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let Self { mut services, limits } = self.clone();
        // Calls from inside the process are not counted.
        let Some(account) = request.extensions().get::<Arc<Account>>().cloned() else {
            return async move { services.call(request).await.map(name_early_response) }.boxed();
        };
        async move {
            let mut call = match Counted::begin(&account) {
                Ok(call) => call,
                Err(full) => return Ok(refuse(full)),
            };
            let request = match call.read(&account, request, limits).await {
                Ok(request) => request,
                Err(refusal) => return Ok(Status::from(refusal).into_http()),
            };
            let response = name_early_response(services.call(request).await?);
            call.room.shrink_to(CALL_COST);
            Ok(response.map(|body| Body::new(CountedAnswer { body, call, account, ended: false })))
        }
        .boxed()
    }
}

/// Whether a call sends any number of messages, so that it cannot be read before it is begun.
fn is_stream(path: &str) -> bool {
    path == "/parley.v1.Play/Session" || path.starts_with("/grpc.reflection.")
}

fn refuse(full: Full) -> Response<Body> {
    Status::from(too_much(full)).into_http()
}

/// What somebody is told who has too much in flight.
pub fn too_much(full: Full) -> Refusal {
    metrics::counter!("parley_in_flight_refused_total", "limit" => full.setting()).increment(1);
    let message = format!("too many bytes are in flight; the limit is {}", full.setting());
    Refusal::limit("TOO_MUCH_IN_FLIGHT", message, RETRY_AFTER)
}

fn too_slow() -> Refusal {
    let message = "the message did not arrive in time (request_seconds)";
    Refusal::new(Code::DeadlineExceeded, "MESSAGE_TOO_SLOW", message)
}

fn too_large(CallLimits { message_bytes, message_setting, .. }: CallLimits) -> Refusal {
    let message = format!("the message has more bytes than this server takes, {message_bytes} ({message_setting})");
    Refusal::new(Code::ResourceExhausted, "MESSAGE_TOO_LARGE", message)
}

/// A call while it is open.
struct Counted {
    room: Reservation,
}

impl Counted {
    fn begin(account: &Arc<Account>) -> Result<Self, Full> {
        Ok(Self { room: account.reserve(CALL_COST)? })
    }

    /// The request, with its message read; or, for a stream, with a watch on what is read of it.
    async fn read<B>(
        &mut self,
        account: &Arc<Account>,
        request: Request<B>,
        limits: CallLimits,
    ) -> Result<Request<Body>, Refusal>
    where
        B: HttpBody<Data = Bytes> + Send + Unpin + 'static,
        B::Error: Into<BoxError>,
    {
        if is_stream(request.uri().path()) {
            let room = account.reserve_nothing();
            return Ok(request.map(|body| Body::new(CountedMessages::new(body, room, limits))));
        }
        let (parts, body) = request.into_parts();
        let read = timeout(limits.message_time, self.collect(body, limits));
        let message = read.await.map_err(|_| too_slow())??;
        self.room.grow(read_cost(message.len())).map_err(too_much)?;
        Ok(Request::from_parts(parts, Body::from(message)))
    }

    async fn collect<B>(&mut self, mut body: B, limits: CallLimits) -> Result<Bytes, Refusal>
    where
        B: HttpBody<Data = Bytes> + Unpin,
    {
        let mut first = Bytes::new();
        let mut rest = BytesMut::new();
        while let Some(frame) = body.frame().await {
            // Who breaks off is not told anything any more.
            let broken = |_| Refusal::new(Code::Cancelled, "CALL_BROKEN_OFF", "the message broke off");
            let Ok(data) = frame.map_err(broken)?.into_data() else { continue };
            if first.len().max(rest.len()) + data.len() > PREFIX + limits.message_bytes {
                return Err(too_large(limits));
            }
            self.room.grow(data.len()).map_err(too_much)?;
            if first.is_empty() {
                first = data;
            } else {
                if rest.is_empty() {
                    rest.extend_from_slice(&first);
                }
                rest.extend_from_slice(&data);
            }
        }
        Ok(if rest.is_empty() { first } else { rest.freeze() })
    }
}

/// The messages of a stream as they arrive.
struct CountedMessages<B> {
    body: B,
    /// Counts the message that is arriving, and the one before as long as nothing more is asked for.
    room: Reservation,
    limits: CallLimits,
    /// The bytes before the message, as many as have arrived.
    prefix: [u8; PREFIX],
    prefix_length: usize,
    /// How many bytes of the message have not arrived.
    missing: usize,
    /// Runs while a message is arriving, and until the first one has arrived.
    due: Option<Pin<Box<Sleep>>>,
    /// Whether a message has arrived.
    begun: bool,
}

impl<B> CountedMessages<B> {
    fn new(body: B, room: Reservation, limits: CallLimits) -> Self {
        let due = Some(Box::pin(tokio::time::sleep(limits.message_time)));
        Self { body, room, limits, prefix: [0; PREFIX], prefix_length: 0, missing: 0, due, begun: false }
    }

    fn is_within_a_message(&self) -> bool {
        self.prefix_length > 0
    }

    /// Takes note of bytes that have arrived.
    fn note(&mut self, mut data: &[u8]) -> Result<(), Refusal> {
        while !data.is_empty() {
            if self.prefix_length < PREFIX {
                let count = data.len().min(PREFIX - self.prefix_length);
                self.prefix[self.prefix_length..self.prefix_length + count].copy_from_slice(&data[..count]);
                self.prefix_length += count;
                data = &data[count..];
                if self.prefix_length == PREFIX {
                    self.missing = (&self.prefix[1..]).get_u32() as usize;
                    if self.missing > self.limits.message_bytes {
                        return Err(too_large(self.limits));
                    }
                    // Whoever reads it makes room for all of it at once.
                    self.room.grow(self.missing.saturating_mul(READ_FACTOR)).map_err(too_much)?;
                }
            } else {
                let count = data.len().min(self.missing);
                self.missing -= count;
                data = &data[count..];
            }
            if self.prefix_length == PREFIX && self.missing == 0 {
                self.prefix_length = 0;
                self.begun = true;
                self.due = None;
            }
        }
        Ok(())
    }
}

impl<B> HttpBody for CountedMessages<B>
where
    B: HttpBody<Data = Bytes> + Unpin,
    B::Error: Into<BoxError>,
{
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        if !self.is_within_a_message() {
            self.room.shrink_to(0);
        }
        match Pin::new(&mut self.body).poll_frame(cx) {
            Poll::Ready(Some(Ok(frame))) => {
                if let Some(Err(refusal)) = frame.data_ref().map(|data| self.note(data)) {
                    return Poll::Ready(Some(Err(Status::from(refusal).into())));
                }
                Poll::Ready(Some(Ok(frame)))
            }
            Poll::Ready(Some(Err(error))) => Poll::Ready(Some(Err(error.into()))),
            Poll::Ready(None) => Poll::Ready(None),
            Poll::Pending => {
                if self.begun && !self.is_within_a_message() {
                    return Poll::Pending;
                }
                let time = self.limits.message_time;
                let due = self.due.get_or_insert_with(|| Box::pin(tokio::time::sleep(time)));
                ready!(due.poll_unpin(cx));
                Poll::Ready(Some(Err(Status::from(too_slow()).into())))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }
}

/// An answer whose pieces are counted until the network has taken them.
struct CountedAnswer {
    body: Body,
    /// Counted as open until the last piece is handed over.
    call: Counted,
    account: Arc<Account>,
    ended: bool,
}

impl HttpBody for CountedAnswer {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if self.ended {
            return Poll::Ready(None);
        }
        let frame = match ready!(Pin::new(&mut self.body).poll_frame(cx)) {
            Some(Ok(frame)) => frame,
            other => return Poll::Ready(other),
        };
        let data = match frame.into_data() {
            Ok(data) => data,
            Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
        };
        Poll::Ready(Some(Ok(match self.account.hold(data, PIECE_COST) {
            Ok(held) => Frame::data(held),
            Err(full) => {
                self.ended = true;
                self.call.room.shrink_to(0);
                let mut trailers = HeaderMap::new();
                // The status fits into headers: it is one of ours.
                let _ = Status::from(too_much(full)).add_header(&mut trailers);
                Frame::trailers(trailers)
            }
        })))
    }

    fn is_end_stream(&self) -> bool {
        self.ended || self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        if self.ended { SizeHint::with_exact(0) } else { self.body.size_hint() }
    }
}
