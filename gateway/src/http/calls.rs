//! What every gRPC call passes on its way in, so that nobody makes the server keep or do more than they may.
//!
//! A call is let in, or not, before anything of its message is read, so that messages that cannot be read count as calls
//! too. It is counted while it is open. The message of a call that has one is read here, within a time, before anything
//! else is made for the call: so a call that is sent by halves costs little and ends. A session is read as it goes, and
//! only a message that has begun to arrive has a time to end; one that finds no room waits for it.

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
use http::{Extensions, HeaderMap, Request, Response};
use http_body_util::BodyExt;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use tokio::time::{Instant, Sleep, sleep, timeout};
use tonic::{Code, Status};
use tower::{BoxError, Service};

use super::CONNECTION_COST;
use super::budget::{BudgetAccount, BudgetLimits, Full, OpenStream, Reservation};
use crate::refusal::{Reason, Refusal, name_early_response};

/// How many bytes an open call is counted with: its headers, its task, and what waits for it.
pub const CALL_COST: usize = 24 * 1024;
/// The smallest value that `max_message_bytes` can have.
const LEAST_MESSAGE: usize = 4096;
/// How many bytes in flight one connection with one call and the smallest message needs that may be the limit.
pub const LEAST_IN_FLIGHT: usize = CONNECTION_COST + CALL_COST + (LEAST_MESSAGE + PREFIX) * (1 + READ_FACTOR);
/// How many times larger than its bytes a message may be once it is read: two bytes can stand for an order of over a
/// hundred.
const READ_FACTOR: usize = 64;
/// How many bytes come before a message of gRPC: whether it is compressed, and its length.
const PREFIX: usize = 5;
/// The first byte of a message that is compressed.
const COMPRESSED: u8 = 1;
/// After which time a message of a stream that has no room looks for it again.
const LOOK_AGAIN: Duration = Duration::from_millis(50);
/// After which time whoever was refused may try again.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// The limits of every call.
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
pub const fn read_cost(bytes: usize) -> usize {
    bytes.saturating_mul(READ_FACTOR)
}

/// What lets a call from the network in, or says why not, by its headers and what is known of where it comes from. What it
/// finds out about the caller it leaves for the service.
#[derive(Clone)]
pub struct Admission(Arc<AdmissionCheck>);

type AdmissionCheck = dyn Fn(&HeaderMap, &mut Extensions) -> Result<(), Refusal> + Send + Sync;

impl Admission {
    /// An admission that asks `check`.
    pub fn new(check: impl Fn(&HeaderMap, &mut Extensions) -> Result<(), Refusal> + Send + Sync + 'static) -> Self {
        Self(Arc::new(check))
    }

    fn admit<B>(&self, request: &mut Request<B>) -> Result<(), Refusal> {
        let mut extensions = std::mem::take(request.extensions_mut());
        let admitted = (self.0)(request.headers(), &mut extensions);
        *request.extensions_mut() = extensions;
        admitted
    }
}

impl std::fmt::Debug for Admission {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Admission")
    }
}

/// The services behind the counting of calls.
#[derive(Clone)]
pub(super) struct Calls {
    services: Router,
    limits: CallLimits,
    admission: Option<Admission>,
    /// Whether answers are translated to gRPC-web before they are counted.
    translated: bool,
}

impl Calls {
    pub(super) fn new(services: Router, limits: CallLimits, admission: Option<Admission>) -> Self {
        Self { services, limits, admission, translated: false }
    }

    /// The same, before a translation of the answers.
    pub(super) fn translated(&self) -> Self {
        Self { translated: true, ..self.clone() }
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

    fn call(&mut self, mut request: Request<B>) -> Self::Future {
        let Self { mut services, limits, admission, translated } = self.clone();
        // Calls from inside the process are not counted.
        let Some(account) = request.extensions().get::<Arc<BudgetAccount>>().cloned() else {
            return async move { services.call(request).await.map(name_early_response) }.boxed();
        };
        async move {
            if let Some(Err(refusal)) = admission.map(|admission| admission.admit(&mut request)) {
                return Ok(Status::from(refusal).into_http());
            }
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
            Ok(response.map(|body| Body::new(OpenCall::new(body, call, translated))))
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

/// The refusal for somebody who has too much in flight.
pub fn too_much(full: Full) -> Refusal {
    metrics::counter!("parley_in_flight_refused_total", "limit" => full.setting()).increment(1);
    let message = format!("too many bytes are in flight; the limit is {}", full.setting());
    Refusal::limit(Reason::TooMuchInFlight, message, RETRY_AFTER)
}

fn too_slow() -> Refusal {
    let message = "the message did not arrive in time (request_seconds)";
    Refusal::new(Code::DeadlineExceeded, Reason::MessageTooSlow, message)
}

fn too_large(CallLimits { message_bytes, message_setting, .. }: CallLimits) -> Refusal {
    let message = format!("the message has more bytes than this server takes, {message_bytes} ({message_setting})");
    Refusal::new(Code::ResourceExhausted, Reason::MessageTooLarge, message)
}

fn malformed(message: &str) -> Refusal {
    Refusal::new(Code::InvalidArgument, Reason::MessageMalformed, message)
}

/// The refusal of a message whose bytes end with an error. What the translation from gRPC-web cannot read is malformed;
/// whoever breaks off is not told anything any more.
fn broken(error: impl Into<BoxError>) -> Refusal {
    match error.into().downcast_ref::<Status>() {
        Some(status) => malformed(status.message()),
        None => Refusal::new(Code::Cancelled, Reason::CallBrokenOff, "the message broke off"),
    }
}

/// A call while it is open.
struct Counted {
    room: Reservation,
    /// The stream of its messages, if it has one.
    _stream: Option<OpenStream>,
}

impl Counted {
    fn begin(account: &Arc<BudgetAccount>) -> Result<Self, Full> {
        Ok(Self { room: account.reserve(CALL_COST)?, _stream: None })
    }

    /// The request, with its message read; or, for a stream, with a watch on what is read of it.
    async fn read<B>(
        &mut self,
        account: &Arc<BudgetAccount>,
        request: Request<B>,
        limits: CallLimits,
    ) -> Result<Request<Body>, Refusal>
    where
        B: HttpBody<Data = Bytes> + Send + Unpin + 'static,
        B::Error: Into<BoxError>,
    {
        if is_stream(request.uri().path()) {
            self._stream = Some(account.open_stream().map_err(too_much)?);
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
        B::Error: Into<BoxError>,
    {
        let mut first = Bytes::new();
        let mut rest = BytesMut::new();
        while let Some(frame) = body.frame().await {
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

/// The messages of a stream, counted as they arrive.
struct CountedMessages<B> {
    body: B,
    /// Counts the message that is arriving and, as long as nothing more is asked for, those that came before with it.
    room: Reservation,
    limits: CallLimits,
    /// The bytes before the message, as many as have arrived.
    prefix: [u8; PREFIX],
    prefix_length: usize,
    /// What the message that is arriving costs, once its length is known.
    cost: usize,
    /// How many bytes of the message have not arrived.
    missing: usize,
    /// When the message that is arriving has to be there; also runs until the first message has arrived.
    due: Option<Pin<Box<Sleep>>>,
    /// Whether a message has arrived.
    begun: bool,
    /// What has arrived and waits for room.
    unpaid: Option<Unpaid>,
    /// Whether the stream was refused, so that nothing more of it is read.
    refused: bool,
}

/// A frame for which there is no room yet. Meanwhile nothing more is read, and nobody is refused: the calls of a session
/// that are in work take room as well, and give it back.
struct Unpaid {
    frame: Frame<Bytes>,
    cost: usize,
    /// When it has waited for too long.
    until: Instant,
    again: Pin<Box<Sleep>>,
}

impl<B> CountedMessages<B> {
    fn new(body: B, room: Reservation, limits: CallLimits) -> Self {
        let due = Some(Box::pin(sleep(limits.message_time)));
        Self {
            body,
            room,
            limits,
            prefix: [0; PREFIX],
            prefix_length: 0,
            cost: 0,
            missing: 0,
            due,
            begun: false,
            unpaid: None,
            refused: false,
        }
    }

    fn is_within_a_message(&self) -> bool {
        self.prefix_length > 0
    }

    /// Takes note of bytes that have arrived, and says what the messages cost that begin in them.
    fn note(&mut self, mut data: &[u8]) -> Result<usize, Refusal> {
        let mut cost = 0_usize;
        while !data.is_empty() {
            if self.prefix_length < PREFIX {
                let count = data.len().min(PREFIX - self.prefix_length);
                self.prefix[self.prefix_length..self.prefix_length + count].copy_from_slice(&data[..count]);
                self.prefix_length += count;
                data = &data[count..];
                if self.prefix_length == PREFIX {
                    if self.prefix[0] > COMPRESSED {
                        return Err(malformed("the first byte of a message says whether it is compressed: 0 or 1"));
                    }
                    self.missing = (&self.prefix[1..]).get_u32() as usize;
                    if self.missing > self.limits.message_bytes {
                        return Err(too_large(self.limits));
                    }
                    // Whoever reads it makes room for all of it at once.
                    self.cost = read_cost(self.missing);
                    cost = cost.saturating_add(self.cost);
                }
            } else {
                let count = data.len().min(self.missing);
                self.missing -= count;
                data = &data[count..];
            }
            if self.prefix_length == PREFIX && self.missing == 0 {
                (self.prefix_length, self.cost) = (0, 0);
                self.begun = true;
                self.due = None;
            }
        }
        Ok(cost)
    }

    /// Gives out a frame when there is room for what it costs.
    fn poll_room(&mut self, mut unpaid: Unpaid, cx: &mut Context<'_>) -> Poll<Result<Frame<Bytes>, Refusal>> {
        loop {
            match self.room.grow(unpaid.cost) {
                Ok(()) => {
                    // The peer did not make it wait.
                    self.due = None;
                    return Poll::Ready(Ok(unpaid.frame));
                }
                Err(full) if Instant::now() >= unpaid.until => return Poll::Ready(Err(too_much(full))),
                Err(_) => {}
            }
            if unpaid.again.poll_unpin(cx).is_pending() {
                self.unpaid = Some(unpaid);
                return Poll::Pending;
            }
            unpaid.again = Box::pin(sleep(LOOK_AGAIN));
        }
    }

    /// Takes a frame that has arrived, which waits where there is no room for it.
    fn poll_arrived(&mut self, frame: Frame<Bytes>, cx: &mut Context<'_>) -> Poll<Result<Frame<Bytes>, Refusal>> {
        let cost = frame.data_ref().map_or(Ok(0), |data| self.note(data))?;
        if self.room.grow(cost).is_ok() {
            return Poll::Ready(Ok(frame));
        }
        let (until, again) = (Instant::now() + self.limits.message_time, Box::pin(sleep(LOOK_AGAIN)));
        self.poll_room(Unpaid { frame, cost, until, again }, cx)
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
        if self.refused {
            return Poll::Ready(None);
        }
        let polled = self.poll_counted(cx);
        if let Poll::Ready(Some(Err(_))) = polled {
            self.refused = true;
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.refused || (self.unpaid.is_none() && self.body.is_end_stream())
    }
}

impl<B> CountedMessages<B>
where
    B: HttpBody<Data = Bytes> + Unpin,
    B::Error: Into<BoxError>,
{
    /// The next frame, or why there is none.
    fn poll_counted(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let refuse = |refusal: Refusal| Some(Err(Status::from(refusal).into()));
        if let Some(unpaid) = self.unpaid.take() {
            return Poll::Ready(ready!(self.poll_room(unpaid, cx)).map_or_else(refuse, |frame| Some(Ok(frame))));
        }
        // Whoever asks for more has taken all messages that have arrived.
        let cost = self.cost;
        self.room.shrink_to(cost);
        match Pin::new(&mut self.body).poll_frame(cx) {
            Poll::Ready(Some(Ok(frame))) => {
                Poll::Ready(ready!(self.poll_arrived(frame, cx)).map_or_else(refuse, |frame| Some(Ok(frame))))
            }
            Poll::Ready(Some(Err(error))) => Poll::Ready(Some(Err(error.into()))),
            Poll::Ready(None) => Poll::Ready(None),
            Poll::Pending => {
                if self.begun && !self.is_within_a_message() {
                    return Poll::Pending;
                }
                let time = self.limits.message_time;
                let due = self.due.get_or_insert_with(|| Box::pin(sleep(time)));
                ready!(due.poll_unpin(cx));
                Poll::Ready(refuse(too_slow()))
            }
        }
    }
}

/// How many bytes of an answer are translated to gRPC-web at once, so that nobody else waits for the translation of a
/// large message. Three bytes become four characters: only where this is a multiple of three there is no padding in the
/// middle of a message.
const TRANSLATED_AT_ONCE: usize = 48 * 1024;

/// The answer to a call, which is counted as open until the last piece is handed over.
struct OpenCall {
    body: Body,
    call: Counted,
    /// What is done for the translation of the messages, where they are translated.
    translation: Option<Translation>,
    ended: bool,
}

/// The message that is being translated. The translated pieces are counted on their way out, and the message here. Only
/// here the caller can be told in trailers that there is no room.
#[derive(Default)]
struct Translation {
    /// What is left of the message.
    rest: Bytes,
    /// The room of the message, which is taken until the next one takes its place in the buffer that messages are
    /// written to, and until the network has what was handed on without being copied.
    room: Option<Arc<Reservation>>,
}

impl Translation {
    /// Takes the next message from the service.
    fn begin(&mut self, message: Bytes, call: &Counted) -> Result<(), Full> {
        self.room = None;
        let mut room = call.room.another();
        room.grow(message.len())?;
        (self.rest, self.room) = (message, Some(Arc::new(room)));
        Ok(())
    }

    /// The next piece of the message.
    fn next_piece(&mut self) -> Option<Bytes> {
        let room = self.room.as_ref().filter(|_| !self.rest.is_empty())?;
        Some(room.hold_piece(self.rest.split_to(TRANSLATED_AT_ONCE.min(self.rest.len()))))
    }
}

impl OpenCall {
    fn new(body: Body, call: Counted, translated: bool) -> Self {
        Self { body, call, translation: translated.then(Translation::default), ended: false }
    }

    /// The end of an answer for which there is no room.
    fn end(&mut self, full: Full) -> Frame<Bytes> {
        self.ended = true;
        self.call.room.shrink_to(0);
        let mut trailers = HeaderMap::new();
        // The status fits into headers: it is one of ours.
        let _ = Status::from(too_much(full)).add_header(&mut trailers);
        Frame::trailers(trailers)
    }
}

impl HttpBody for OpenCall {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let this = &mut *self;
        if this.ended {
            return Poll::Ready(None);
        }
        let Some(translation) = &mut this.translation else { return Pin::new(&mut this.body).poll_frame(cx) };
        if let Some(piece) = translation.next_piece() {
            return Poll::Ready(Some(Ok(Frame::data(piece))));
        }
        let frame = match ready!(Pin::new(&mut this.body).poll_frame(cx)) {
            Some(Ok(frame)) => frame,
            other => return Poll::Ready(other),
        };
        let begun = match frame.into_data() {
            Ok(message) => translation.begin(message, &this.call),
            Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
        };
        let frame = match begun {
            Ok(()) => Frame::data(translation.next_piece().unwrap_or_default()),
            Err(full) => this.end(full),
        };
        Poll::Ready(Some(Ok(frame)))
    }

    fn is_end_stream(&self) -> bool {
        let is_translated = self.translation.as_ref().is_none_or(|translation| translation.rest.is_empty());
        self.ended || is_translated && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        match (self.ended, &self.translation) {
            (true, _) => SizeHint::with_exact(0),
            (false, None) => self.body.size_hint(),
            // Nobody knows how long what is translated becomes.
            (false, Some(_)) => SizeHint::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::{StreamExt, stream};
    use http_body_util::StreamBody;
    use tower::Layer;

    use super::super::HttpConfig;
    use super::super::budget::Budget;
    use super::*;

    /// How many bytes each message of a test has.
    const MESSAGE: usize = 1000;
    /// How many bytes of the next message come with the end of one.
    const OVERLAP: usize = 10;

    /// An account in which there is room for so many messages and no more.
    fn room_for(messages: usize) -> (Arc<Budget>, Arc<BudgetAccount>) {
        let (room, unread) = (read_cost(messages * MESSAGE), Duration::from_secs(60));
        let budget = Budget::new(BudgetLimits { total: room, per_address: room, per_connection: room, unread });
        let account = budget.connection(&budget.address([1, 1, 1, 1].into()));
        (budget, account)
    }

    /// A message as gRPC frames it.
    fn message() -> Vec<u8> {
        [&[0][..], &(MESSAGE as u32).to_be_bytes(), &[7; MESSAGE]].concat()
    }

    /// A stream that arrives in these frames.
    fn arriving(
        frames: Vec<Bytes>,
        account: &Arc<BudgetAccount>,
    ) -> CountedMessages<impl HttpBody<Data = Bytes, Error = Infallible> + Unpin> {
        let frames = stream::iter(frames).map(|data| Ok::<_, Infallible>(Frame::data(data)));
        CountedMessages::new(StreamBody::new(frames), account.reserve_nothing(), HttpConfig::default().calls)
    }

    #[tokio::test]
    async fn only_messages_that_were_not_taken_count_wherever_frames_end() {
        let (budget, account) = room_for(4);
        let length = message().len();
        let mut bytes = Bytes::from(message().repeat(100));
        let mut frames = vec![bytes.split_to(length + OVERLAP)];
        while bytes.len() > length {
            frames.push(bytes.split_to(length));
        }
        frames.push(bytes);
        let mut messages = arriving(frames, &account);
        let mut read = 0;
        while let Some(frame) = messages.frame().await {
            read += frame.expect("there is room for two messages").into_data().map_or(0, |data| data.len());
            // What was read last may not have been taken yet.
            assert!(budget.in_flight() >= read_cost(MESSAGE));
        }
        assert_eq!(read, 100 * length);
        assert_eq!(budget.in_flight(), 0);
    }

    #[tokio::test]
    async fn a_message_is_translated_in_pieces_that_need_no_padding() {
        let (budget, account) = room_for(10);
        let message: Bytes = (0..3 * TRANSLATED_AT_ONCE + 100).map(|at| at as u8).collect::<Vec<u8>>().into();
        let body = || {
            let frames = [Frame::data(message.clone()), Frame::data(Bytes::from_static(b"short"))];
            Body::new(StreamBody::new(stream::iter(frames.map(Ok::<_, Infallible>))))
        };
        let mut call = OpenCall::new(body(), Counted::begin(&account).expect("there is room"), true);
        let mut pieces = Vec::new();
        while let Some(frame) = call.frame().await {
            pieces.push(frame.expect("no error").into_data().expect("there is room"));
        }
        let lengths: Vec<usize> = pieces.iter().map(Bytes::len).collect();
        assert_eq!(lengths, [TRANSLATED_AT_ONCE, TRANSLATED_AT_ONCE, TRANSLATED_AT_ONCE, 100, 5]);
        assert_eq!(TRANSLATED_AT_ONCE % 3, 0);
        assert_eq!(pieces.concat(), [&message[..], b"short"].concat());
        drop(call);
        assert!(budget.in_flight() >= message.len(), "a piece that nobody has read keeps its message");
        drop(pieces);
        assert_eq!(budget.in_flight(), 0);
        // Where there is no room the caller is told, and not in the middle of a message.
        let _others = account.reserve(read_cost(10 * MESSAGE) - CALL_COST - 1000).expect("there is room");
        let mut call = OpenCall::new(body(), Counted::begin(&account).expect("there is room"), true);
        assert!(call.frame().await.expect("more").expect("no error").is_trailers());
        assert!(call.frame().await.is_none());
    }

    #[tokio::test]
    async fn a_large_answer_is_one_text_for_grpc_web() {
        let (_budget, account) = room_for(1000);
        let message = Bytes::from(vec![7; 3 * TRANSLATED_AT_ONCE + 100]);
        let length = message.len().div_ceil(3) * 4;
        let answer = async move || ([("content-type", "application/grpc")], message);
        let services = Router::new().route("/call", axum::routing::any(answer));
        let calls = Calls::new(services, HttpConfig::default().calls, None);
        let kind = "application/grpc-web-text+proto";
        let request = Request::post("/call").header("content-type", kind).header("accept", kind);
        // An empty message: not compressed, no bytes.
        let request = request.extension(account).body(Body::from("AAAAAAA=")).expect("a request");
        let mut translating = tonic_web::GrpcWebLayer::new().layer(calls.translated());
        let mut body = translating.call(request).await.expect("an answer").into_body();
        let mut text = Vec::new();
        while let Some(frame) = body.frame().await {
            let piece = frame.expect("no error").into_data().expect("there is room");
            assert!(piece.len() <= TRANSLATED_AT_ONCE / 3 * 4, "{} bytes at once", piece.len());
            text.extend(piece);
        }
        let padding = text.iter().position(|character| *character == b'=');
        assert_eq!((text.len(), padding), (length, Some(length - 2)), "{}", String::from_utf8_lossy(&text[..80]));
    }

    #[tokio::test(start_paused = true)]
    async fn a_message_of_a_stream_waits_for_room() {
        let (budget, account) = room_for(1);
        let mut messages = arriving(vec![message().into()], &account);
        let others = account.reserve(1).expect("there is room");
        assert!(timeout(Duration::from_secs(1), messages.frame()).await.is_err(), "there is no room");
        drop(others);
        let frame = messages.frame().await.expect("more").expect("there is room");
        assert_eq!(frame.into_data().map_or(0, |data| data.len()), message().len());
        assert!(budget.in_flight() >= read_cost(MESSAGE));
        assert!(messages.frame().await.is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn a_message_of_a_stream_does_not_wait_for_room_for_ever() {
        let (_budget, account) = room_for(1);
        let mut messages = arriving(vec![message().into()], &account);
        let _others = account.reserve(1).expect("there is room");
        let began = Instant::now();
        let error = messages.frame().await.expect("more").expect_err("there is no room");
        assert!(error.to_string().contains(Full::Connection.setting()), "{error}");
        assert!(began.elapsed() >= HttpConfig::default().calls.message_time);
    }
}
