//! HTTP/2 as attackers speak it: calls over a connection whose windows they choose, and frames that are written by
//! hand.

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::{BufMut, Bytes, BytesMut};
use h2::SendStream;
use h2::client::{Builder, ResponseFuture, SendRequest};
use http::{HeaderMap, Request};
use prost::Message;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{Instant, timeout, timeout_at};
use tonic::Status;

use crate::common::{fresh, reason};

/// The window of streams that HTTP/2 begins with.
pub const USUAL_WINDOW: u32 = 65_535;
/// How long an attacker waits for a connection, or for the answer to a call that an honest caller would get at once.
pub const ANSWER_WITHIN: Duration = Duration::from_secs(30);
/// How many bytes of an answer an attacker reads.
const READ_AT_MOST: usize = 64 << 20;

/// How the name of whatever the server must never do begins.
pub const FAULT: &str = "fault: ";
/// What is counted of connections and calls that the server keeps when it is time.
pub const OPEN: &str = "still open";
/// What is counted of calls that are not answered in time, as happens to attackers while others attack.
pub const LATE: &str = "late";
/// What is counted of those that it has ended.
pub const LET_GO: &str = "let go";
/// What is counted of connections on which the server has said something: it did not close them at once.
pub const LET_IN: &str = "let in";
/// What is counted of connections and calls that the server has kept for a moment.
pub const HELD: &str = "held";
/// What is counted of answers whose first headers have come.
pub const BEGUN: &str = "answers begun";
/// How long something is kept before it counts as held.
const MOMENT: Duration = Duration::from_millis(1500);

/// How often what came of calls or connections, by its name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally(BTreeMap<String, u64>);

impl Tally {
    /// One more of these.
    pub fn count(&mut self, what: impl Into<String>) {
        *self.0.entry(what.into()).or_default() += 1;
    }

    /// So many more of these.
    pub fn count_all(&mut self, what: &str, number: u64) {
        if number > 0 {
            *self.0.entry(what.to_owned()).or_default() += number;
        }
    }

    /// How many of these there were.
    pub fn of(&self, what: &str) -> u64 {
        self.0.get(what).copied().unwrap_or(0)
    }

    /// What the server did that it must not do, with how often it did so.
    pub fn faults(&self) -> Vec<String> {
        let faults = self.0.iter().filter(|(what, _)| what.starts_with(FAULT));
        faults.map(|(what, count)| format!("{count} times {what}")).collect()
    }

    /// How many there were of all.
    pub fn all(&self) -> u64 {
        self.0.values().sum()
    }

    /// What all of these counted together.
    pub async fn sum(mut counting: JoinSet<Self>) -> Self {
        let mut sum = Self::default();
        while let Some(more) = counting.join_next().await {
            sum.add(more.expect("no panic"));
        }
        sum
    }

    /// Counts what comes of these until it is time, and then how many are still open.
    pub async fn count_until<T: Into<String> + 'static>(&mut self, until: Instant, mut open: JoinSet<T>) {
        while let Ok(Some(ended)) = timeout_at(until, open.join_next()).await {
            self.count(ended.expect("no panic"));
        }
        self.count_all(OPEN, open.len() as u64);
    }

    /// Adds what somebody else counted.
    pub fn add(&mut self, other: Self) {
        for (what, count) in other.0 {
            *self.0.entry(what).or_default() += count;
        }
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let parts: Vec<String> = self.0.iter().map(|(what, count)| format!("{count} {what}")).collect();
        formatter.write_str(&parts.join(", "))
    }
}

/// Counts something from several tasks at a time.
#[derive(Clone, Default)]
pub struct Counter(Arc<AtomicU64>);

impl Counter {
    /// One more.
    pub fn count(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// How many there were.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Waits for something, and counts it if the server has kept it for a moment.
    pub async fn held<T>(&self, held: impl Future<Output = T>) -> T {
        let mut held = pin!(held);
        if let Ok(ended) = timeout(MOMENT, &mut held).await {
            return ended;
        }
        self.count();
        held.await
    }
}

/// Connects from an address of this machine.
pub async fn dial(server: SocketAddr, source: Ipv4Addr) -> io::Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.bind((source, 0).into())?;
    let stream = timeout(ANSWER_WITHIN, socket.connect(server)).await??;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// A message as gRPC frames it.
pub fn framed(message: &impl Message) -> Bytes {
    frame(&message.encode_to_vec())
}

/// Bytes as gRPC frames a message.
pub fn frame(bytes: &[u8]) -> Bytes {
    let mut framed = BytesMut::with_capacity(bytes.len() + 5);
    framed.put_u8(0);
    framed.put_u32(bytes.len() as u32);
    framed.put_slice(bytes);
    framed.freeze()
}

/// What came of a call.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The number of the gRPC status; nothing if there was none, which no honest server does.
    pub status: Option<i32>,
    /// The reason that the details of the status name; empty if they name none.
    pub reason: String,
    /// All bytes that were sent, framed.
    pub body: Bytes,
}

impl Answer {
    /// The name of the status.
    pub fn name(&self) -> String {
        self.status.map_or("NO_STATUS".to_owned(), |status| format!("{:?}", tonic::Code::from(status)))
    }

    /// The first message of an answer that is well.
    pub fn message<T: Message + Default>(&self) -> Option<T> {
        (self.status == Some(0)).then(|| T::decode(self.body.get(5..)?).ok())?
    }
}

/// The number of the status that headers or trailers carry, and the reason that its details name.
fn status_in(headers: &HeaderMap) -> Option<(i32, String)> {
    let status = headers.get("grpc-status")?.to_str().ok()?.parse().ok()?;
    Some((status, Status::from_header_map(headers).map(|status| reason(&status)).unwrap_or_default()))
}

/// Reads an answer to its end.
pub async fn read(response: ResponseFuture) -> Result<Answer, h2::Error> {
    read_counting(response, &Counter::default()).await
}

/// Reads an answer to its end, and counts it as soon as it has begun and is no refusal.
pub async fn read_counting(response: ResponseFuture, begun: &Counter) -> Result<Answer, h2::Error> {
    let (head, mut body) = response.await?.into_parts();
    if let Some((status, reason)) = status_in(&head.headers) {
        return Ok(Answer { status: Some(status), reason, body: Bytes::new() });
    }
    begun.count();
    let mut collected = BytesMut::new();
    while let Some(chunk) = body.data().await {
        let chunk = chunk?;
        body.flow_control().release_capacity(chunk.len())?;
        if collected.len() < READ_AT_MOST {
            collected.put_slice(&chunk);
        }
    }
    let (status, reason) = body.trailers().await?.as_ref().and_then(status_in).unzip();
    Ok(Answer { status, reason: reason.unwrap_or_default(), body: collected.freeze() })
}

/// A connection for calls.
pub struct RawConnection {
    requests: SendRequest<Bytes>,
    authority: String,
    driving: JoinHandle<()>,
}

impl Drop for RawConnection {
    fn drop(&mut self) {
        self.driving.abort();
    }
}

impl RawConnection {
    /// Connects with the usual windows.
    pub async fn open(server: SocketAddr, source: Ipv4Addr) -> io::Result<Self> {
        Self::with_window(server, source, USUAL_WINDOW).await
    }

    /// Connects with a window of its own for each stream: with 0 the server may not send a byte of any answer.
    pub async fn with_window(server: SocketAddr, source: Ipv4Addr, window: u32) -> io::Result<Self> {
        let stream = dial(server, source).await?;
        let mut builder = Builder::new();
        builder.initial_window_size(window).initial_max_send_streams(USUAL_WINDOW as usize).enable_push(false);
        let handshake = timeout(ANSWER_WITHIN, builder.handshake(stream)).await?;
        let (requests, connection) = handshake.map_err(io::Error::other)?;
        let driving = tokio::spawn(async move {
            let _ = connection.await;
        });
        Ok(Self { requests, authority: server.to_string(), driving })
    }

    /// Whether the server has ended the connection.
    pub fn is_over(&self) -> bool {
        self.driving.is_finished()
    }

    /// Begins a call, and says nothing of its body yet.
    pub async fn begin(&self, method: &str, token: &str) -> Result<(ResponseFuture, SendStream<Bytes>), h2::Error> {
        let request = self.post(method).header("content-type", "application/grpc").header("te", "trailers");
        self.begin_request(match token {
            "" => request,
            token => request.header("authorization", format!("Bearer {token}")),
        })
        .await
    }

    /// A request that calls a method in a way that is still to be said.
    pub fn post(&self, method: &str) -> http::request::Builder {
        Request::post(format!("http://{}/parley.v1.{method}", self.authority))
    }

    /// A request for a page.
    pub fn get(&self, path: &str) -> http::request::Builder {
        Request::get(format!("http://{}{path}", self.authority))
    }

    /// Begins any request, and says nothing of its body yet.
    pub async fn begin_request(
        &self,
        request: http::request::Builder,
    ) -> Result<(ResponseFuture, SendStream<Bytes>), h2::Error> {
        let mut ready = timeout(ANSWER_WITHIN, self.requests.clone().ready()).await.map_err(|_| late())??;
        ready.send_request(request.body(()).expect("a request"), false)
    }

    /// Calls, and leaves the answer where it is.
    pub async fn send(&self, method: &str, token: &str, body: Bytes) -> Result<ResponseFuture, h2::Error> {
        let (response, mut stream) = self.begin(method, token).await?;
        stream.send_data(body, true)?;
        Ok(response)
    }

    /// Calls, and reads the answer.
    pub async fn call(&self, method: &str, token: &str, body: Bytes) -> Result<Answer, h2::Error> {
        let answer = async { read(self.send(method, token, body).await?).await };
        timeout(ANSWER_WITHIN, answer).await.unwrap_or_else(|_| Err(late()))
    }
}

fn late() -> h2::Error {
    h2::Error::from(h2::Reason::CANCEL)
}

/// Waits until the server has reset a call whose body is not ended.
pub async fn given_up(stream: &mut SendStream<Bytes>) {
    let _ = poll_fn(|context| stream.poll_reset(context)).await;
}

/// Frames that are written by hand, over a connection that nothing else minds.
pub struct Frames {
    pub stream: TcpStream,
    out: BytesMut,
    authority: String,
}

/// The kinds of frames (RFC 9113, section 6).
pub mod kind {
    pub const DATA: u8 = 0;
    pub const HEADERS: u8 = 1;
    pub const RST_STREAM: u8 = 3;
    pub const SETTINGS: u8 = 4;
    pub const PING: u8 = 6;
    pub const WINDOW_UPDATE: u8 = 8;
    pub const CONTINUATION: u8 = 9;
}

/// The flag that ends a stream, and the one that acknowledges settings and pings.
pub const END_STREAM: u8 = 1;
/// The flag that ends a block of headers.
pub const END_HEADERS: u8 = 4;

impl Frames {
    /// Connects, and says what HTTP/2 wants to hear first: settings are numbers and values.
    pub async fn open(server: SocketAddr, source: Ipv4Addr, settings: &[(u16, u32)]) -> io::Result<Self> {
        let stream = dial(server, source).await?;
        let mut frames = Self { stream, out: BytesMut::new(), authority: server.to_string() };
        frames.out.put_slice(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
        let mut payload = BytesMut::new();
        for (number, value) in settings {
            payload.put_u16(*number);
            payload.put_u32(*value);
        }
        frames.push(kind::SETTINGS, 0, 0, &payload);
        frames.push(kind::SETTINGS, END_STREAM, 0, &[]);
        frames.flush().await?;
        Ok(frames)
    }

    /// Adds a frame to those that the next flush sends.
    pub fn push(&mut self, kind: u8, flags: u8, stream: u32, payload: &[u8]) {
        self.out.put_uint(payload.len() as u64, 3);
        self.out.put_u8(kind);
        self.out.put_u8(flags);
        self.out.put_u32(stream);
        self.out.put_slice(payload);
    }

    /// The headers of a call, without compression.
    pub fn block(&self, method: &str) -> Vec<u8> {
        let mut block = vec![0x83, 0x86];
        let mut literal = |name: &[u8], value: &str| {
            block.extend_from_slice(name);
            block.push(u8::try_from(value.len()).expect("a short value"));
            block.extend_from_slice(value.as_bytes());
        };
        literal(&[0x04], &format!("/parley.v1.{method}"));
        literal(&[0x01], &self.authority);
        literal(&[0x0f, 0x10], "application/grpc");
        literal(b"\x00\x02te", "trailers");
        block
    }

    /// Begins a call, and does not end it.
    pub fn push_headers(&mut self, stream: u32, method: &str) {
        let block = self.block(method);
        self.push(kind::HEADERS, END_HEADERS, stream, &block);
    }

    /// Sends what was added. A server that does not read may keep this waiting for a while, and no longer.
    pub async fn flush(&mut self) -> io::Result<()> {
        let out = self.out.split();
        timeout(ANSWER_WITHIN, self.stream.write_all(&out)).await?
    }

    /// Throws away what has come. Fails if the server has ended the connection.
    pub fn discard(&mut self) -> io::Result<()> {
        let mut said = [0; 16 << 10];
        loop {
            match self.stream.try_read(&mut said) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error),
            }
        }
    }

    /// Reads a frame: its kind, its flags, its stream and what it says.
    pub async fn read(&mut self) -> io::Result<(u8, u8, u32, Vec<u8>)> {
        let mut head = [0; 9];
        self.stream.read_exact(&mut head).await?;
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize;
        let mut payload = vec![0; length];
        self.stream.read_exact(&mut payload).await?;
        Ok((head[3], head[4], u32::from_be_bytes([head[5], head[6], head[7], head[8]]) & 0x7fff_ffff, payload))
    }
}

/// A text that nobody can guess before it is made up, for requests.
pub fn request_id() -> String {
    format!("attack-{:08x}-{:016x}", std::process::id(), fresh())
}
