//! A connection that many sessions share, and that is opened again when it is lost.
//!
//! Sessions are streams of HTTP/2 without the layers that make a general client of it: a turn is a few small messages,
//! and the generator shares the machine with the server that it measures.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use h2::client::SendRequest;
use h2::{RecvStream, SendStream};
use http::{HeaderValue, Method, Request, Uri, header};
use tokio::net::TcpStream;
use tokio::sync::Mutex;
use tokio::time::timeout;
use tonic::Status;

use super::LoadError;
use super::meter::Meter;
use super::trouble::Trouble;
use super::wire::take_frame;
use crate::backoff::{Backoff, Retry};
use crate::connect::CONNECT_TIMEOUT;
use crate::refusal::Refusal;

/// The most bytes that may be on their way to one session.
const STREAM_WINDOW: u32 = 1 << 20;
/// The most bytes that may be on their way to all sessions of a connection.
const CONNECTION_WINDOW: u32 = 1 << 26;
/// How a lost connection is opened again: for about a minute.
const AGAIN: Backoff = Backoff { first: Duration::from_millis(20), longest: Duration::from_millis(500), attempts: 150 };

/// A connection to the server that streams are opened on.
pub(super) struct SharedConnection {
    host: String,
    port: u16,
    uri: Uri,
    /// How many streams it is to carry at once.
    streams: u32,
    standing: Mutex<Standing>,
    meter: Rc<RefCell<Meter>>,
}

/// How a connection stands.
struct Standing {
    requests: Option<SendRequest<Bytes>>,
    retry: Retry,
    /// Whether it has stood before, so that opening it now is a reconnection.
    stood: bool,
}

impl SharedConnection {
    /// A connection that is opened when it is first used, for one call of a service.
    pub(super) fn new(
        server: &Uri,
        call: &'static str,
        number: u32,
        streams: u32,
        meter: Rc<RefCell<Meter>>,
    ) -> Result<Self, LoadError> {
        let host = server.host().unwrap_or_default().trim_matches(['[', ']']).to_owned();
        let port = server.port_u16().unwrap_or(80);
        let mut parts = server.clone().into_parts();
        parts.path_and_query = Some(http::uri::PathAndQuery::from_static(call));
        let uri = Uri::from_parts(parts).map_err(|error| LoadError::Plan(error.to_string()))?;
        let standing = Standing { requests: None, retry: Retry::new(AGAIN, number.into()), stood: false };
        Ok(Self { host, port, uri, streams, standing: Mutex::new(standing), meter })
    }

    /// Opens a stream of calls and answers.
    pub(super) async fn open(&self, token: Option<&HeaderValue>) -> Result<Stream, Trouble> {
        let mut request = Request::new(());
        *request.method_mut() = Method::POST;
        *request.uri_mut() = self.uri.clone();
        let headers = request.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/grpc"));
        headers.insert(header::TE, HeaderValue::from_static("trailers"));
        if let Some(token) = token {
            headers.insert(header::AUTHORIZATION, token.clone());
        }
        let mut requests = self.stand().await?;
        let (response, outgoing) = requests.send_request(request, false).map_err(|error| away(&error))?;
        Ok(Stream { outgoing, coming: Coming::Response(response), rest: Bytes::new() })
    }

    /// The connection, opened anew where it has been lost.
    async fn stand(&self) -> Result<SendRequest<Bytes>, Trouble> {
        let mut standing = self.standing.lock().await;
        if let Some(requests) = standing.requests.take()
            && let Ok(requests) = requests.ready().await
        {
            return Ok(standing.requests.insert(requests).clone());
        }
        loop {
            let dialled = timeout(CONNECT_TIMEOUT, self.dial()).await;
            match dialled.unwrap_or_else(|_| Err("it takes too long".to_owned())) {
                Ok(requests) => {
                    standing.retry.succeeded();
                    self.meter.borrow_mut().reconnects += u64::from(standing.stood);
                    standing.stood = true;
                    return Ok(standing.requests.insert(requests).clone());
                }
                Err(reason) => {
                    let away = |_| Trouble::Away(format!("no connection to {}:{}: {reason}", self.host, self.port));
                    standing.retry.failed(Duration::ZERO).map_err(away)?;
                    standing.retry.wait().await;
                }
            }
        }
    }

    /// Whether the server lets the connection carry all that it is to carry; it says so with its first words.
    pub(super) fn check_room(&self) -> Result<(), Trouble> {
        let Ok(standing) = self.standing.try_lock() else { return Ok(()) };
        let room = standing.requests.as_ref().map(SendRequest::current_max_send_streams);
        match room.filter(|&room| room < self.streams as usize) {
            Some(room) => Err(Trouble::Full { room, wanted: self.streams }),
            None => Ok(()),
        }
    }

    async fn dial(&self) -> Result<SendRequest<Bytes>, String> {
        let socket = TcpStream::connect((self.host.as_str(), self.port)).await.map_err(|error| error.to_string())?;
        socket.set_nodelay(true).map_err(|error| error.to_string())?;
        let mut builder = h2::client::Builder::new();
        builder.initial_window_size(STREAM_WINDOW).initial_connection_window_size(CONNECTION_WINDOW);
        builder.initial_max_send_streams(self.streams as usize).enable_push(false);
        let (requests, connection) = builder.handshake(socket).await.map_err(|error| error.to_string())?;
        // Whoever uses the connection learns of its end.
        tokio::task::spawn_local(async move { drop(connection.await) });
        requests.ready().await.map_err(|error| error.to_string())
    }
}

fn away(error: &h2::Error) -> Refusal {
    Refusal::away(&error.to_string())
}

/// A stream of calls and answers on a connection.
pub(super) struct Stream {
    outgoing: SendStream<Bytes>,
    coming: Coming,
    rest: Bytes,
}

enum Coming {
    Response(h2::client::ResponseFuture),
    Body(RecvStream),
}

impl Stream {
    /// Sends a message with its frame.
    pub(super) fn send(&mut self, frame: Bytes) -> Result<(), Refusal> {
        self.outgoing.send_data(frame, false).map_err(|error| away(&error))
    }

    /// Sends the only message of a call, and reads the only one of its answer and the end.
    pub(super) async fn call(mut self, frame: Bytes) -> Result<Bytes, Refusal> {
        self.outgoing.send_data(frame, true).map_err(|error| away(&error))?;
        let answer = self.next().await?;
        if let Coming::Body(body) = &mut self.coming
            && self.rest.is_empty()
            && body.data().await.is_none()
            && ended(body.trailers().await).is_none()
        {
            return Ok(answer);
        }
        Err(Refusal::away("the answer did not end well"))
    }

    /// The next message. Giving up waiting for it loses nothing.
    pub(super) async fn next(&mut self) -> Result<Bytes, Refusal> {
        loop {
            match take_frame(&mut self.rest) {
                Ok(Some(message)) => return Ok(message),
                Ok(None) => {}
                Err(fault) => return Err(Status::internal(fault).into()),
            }
            match &mut self.coming {
                Coming::Response(response) => {
                    let (head, body) = response.await.map_err(|error| away(&error))?.into_parts();
                    if let Some(status) = Status::from_header_map(&head.headers) {
                        return Err(status.into());
                    }
                    if head.status != http::StatusCode::OK {
                        return Err(Status::internal(format!("the server answers {}", head.status)).into());
                    }
                    self.coming = Coming::Body(body);
                }
                Coming::Body(body) => match body.data().await {
                    Some(Ok(bytes)) => {
                        body.flow_control().release_capacity(bytes.len()).map_err(|error| away(&error))?;
                        self.rest = joined(&self.rest, bytes);
                    }
                    Some(Err(error)) => return Err(away(&error)),
                    None => {
                        let ended = ended(body.trailers().await);
                        return Err(ended.unwrap_or_else(|| Refusal::away("the server ended the session")));
                    }
                },
            }
        }
    }
}

fn joined(rest: &Bytes, more: Bytes) -> Bytes {
    if rest.is_empty() {
        return more;
    }
    let mut whole = BytesMut::with_capacity(rest.len() + more.len());
    whole.extend_from_slice(rest);
    whole.extend_from_slice(&more);
    whole.freeze()
}

/// Why the server ended a stream; `None` where it ended well.
fn ended(trailers: Result<Option<http::HeaderMap>, h2::Error>) -> Option<Refusal> {
    match trailers {
        Err(error) => Some(away(&error)),
        Ok(None) => Some(Refusal::away("the stream ended without a status")),
        Ok(Some(trailers)) => {
            Status::from_header_map(&trailers).filter(|status| status.code() != tonic::Code::Ok).map(Into::into)
        }
    }
}
