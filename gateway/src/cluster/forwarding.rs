//! Forwards calls to the server of their match, once, with everything that they carry: token, deadline and trace.

use std::future::ready;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::middleware::{self, Next};
use axum::response::Response;
use bytes::{Buf, Bytes, BytesMut};
use futures_util::future::BoxFuture;
use futures_util::{FutureExt, StreamExt, stream};
use http::header::{HeaderMap, HeaderValue};
use http_body_util::{BodyExt, BodyStream, StreamBody};
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use parley_proto::journal::v1::Node;
use tokio::sync::watch;
use tonic::{Code, Status};
use tower::Service;
use uuid::Uuid;

use super::Cluster;
use super::address::Call;
use super::directory::Whereabouts;
use super::peer_session::PeerServer;
use crate::http::{ForwardedCall, HOP, HOP_PEER, Peer};
use crate::journal::MatchId;
use crate::matches::Matches;
use crate::refusal::{Reason, Refusal};

/// How many bytes come before a message of gRPC: whether it is compressed, and its length.
pub(super) const PREFIX: usize = 5;
/// The target of the lines that are logged here. Operators filter by it, so it stays what it was when the module had
/// another name.
pub(super) const LOG_TARGET: &str = "parley_gateway::cluster::crossing";

/// What forwarding a call needs to know.
#[derive(Clone)]
struct Forwarding {
    cluster: Arc<Cluster>,
    max_message_bytes: usize,
}

/// Adds a layer to services that forwards calls to the servers that they belong to.
pub fn forward_calls(services: Router, cluster: Arc<Cluster>, max_message_bytes: usize) -> Router {
    services.layer(middleware::from_fn_with_state(Forwarding { cluster, max_message_bytes }, forward))
}

async fn forward(State(forwarding): State<Forwarding>, request: Request, next: Next) -> Response {
    if request.extensions().get::<ForwardedCall>().is_some() {
        return if forwarding.cluster.is_good() { next.run(request).await } else { refuse(Refusal::moved()) };
    }
    let path = request.uri().path();
    if forwarding.cluster.draining.load(Ordering::Relaxed) && is_long(path) {
        // It would end in a moment. Whoever asks another server at once is interrupted once, not twice.
        return refuse(Refusal::draining());
    }
    let call = Call::of(path);
    let (request, place) = match call {
        Call::Anybody => return next.run(request).await,
        Call::Create => (request, forwarding.cluster.place_new()),
        Call::About(_) => {
            let (parts, body) = request.into_parts();
            let (first, body) = match first_message(body, forwarding.max_message_bytes).await {
                Ok(read) => read,
                Err(error) => return refuse_broken(error),
            };
            let place = match call.address(&first) {
                Some(id) => forwarding.cluster.place(id),
                None => Whereabouts::Here,
            };
            (Request::from_parts(parts, body), place)
        }
    };
    match place {
        Whereabouts::There(node, about) => forwarding.send(request, node, &about).await,
        Whereabouts::Here | Whereabouts::Nowhere if forwarding.cluster.is_good() => next.run(request).await,
        Whereabouts::Here | Whereabouts::Nowhere => refuse(Refusal::moved()),
    }
}

impl Cluster {
    /// The server that a new match goes to.
    fn place_new(&self) -> Whereabouts {
        self.directory.least_loaded(if self.leaves() { u64::MAX } else { self.held.len() as u64 })
    }

    /// The server that a match is on. One that is nowhere may come here, unless this server leaves.
    fn place(&self, id: MatchId) -> Whereabouts {
        match self.directory.whereabouts(id) {
            Whereabouts::Nowhere if self.leaves() => self.place_new(),
            place => place,
        }
    }

    fn leaves(&self) -> bool {
        self.draining.load(Ordering::Relaxed) || !self.is_good()
    }

    /// The other server on which a channel of a session has to be opened; none where that is this one.
    pub fn place_channel(self: &Arc<Self>, id: MatchId) -> Result<Option<PeerServer>, Refusal> {
        match self.place(id) {
            Whereabouts::There(id, node) => Ok(Some(PeerServer { cluster: Arc::clone(self), id, node })),
            Whereabouts::Here | Whereabouts::Nowhere if self.is_good() => Ok(None),
            Whereabouts::Here | Whereabouts::Nowhere => Err(Refusal::moved()),
        }
    }

    /// Adds to a request that it comes from a server of the cluster, and where it came from before.
    pub(super) fn vouch(&self, headers: &mut HeaderMap, peer: Option<Peer>) {
        if let Ok(password) = HeaderValue::from_str(&self.password) {
            headers.insert(HOP, password);
        }
        if let Some(peer) = peer.and_then(|peer| peer.write()) {
            headers.insert(HOP_PEER, peer);
        }
    }

    /// Comes back with what the caller is told when the other server is gone, or this one goes, which short calls are
    /// waited for.
    pub(super) fn gone(&self, mut gone: watch::Receiver<bool>, long: bool) -> BoxFuture<'static, Refusal> {
        let drained = self.matches.get().filter(|_| long).map(Matches::drained);
        async move {
            let drained = async move {
                match drained {
                    Some(drained) => drained.await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                // If the sender of this signal was dropped, the other server is gone as well.
                _ = gone.wait_for(|gone| *gone) => unreachable(),
                () = drained => Refusal::draining(),
            }
        }
        .boxed()
    }
}

impl Forwarding {
    async fn send(&self, mut request: Request, node: Uuid, about: &Node) -> Response {
        metrics::counter!("parley_cluster_forwarded_total").increment(1);
        let long = is_long(request.uri().path());
        let Ok(channel) = self.cluster.peers.channel(node, about, long) else { return refuse(unreachable()) };
        let peer = request.extensions_mut().remove::<Peer>();
        self.cluster.vouch(request.headers_mut(), peer);
        let mut gone = self.cluster.gone(channel.gone, long);
        let mut sending = channel.channel;
        let answering = async move {
            std::future::poll_fn(|cx| sending.poll_ready(cx)).await?;
            sending.call(request.map(tonic::body::Body::new)).await
        };
        let answer = tokio::select! {
            answer = answering => answer,
            why = &mut gone => return refuse(why),
        };
        match answer {
            Ok(answer) => answer.map(|body| Body::new(ForwardedBody { body, gone, _open: channel.open, ended: false })),
            Err(_) => refuse(unreachable()),
        }
    }
}

/// Whether a call is a stream without an end.
fn is_long(path: &str) -> bool {
    matches!(path, "/parley.v1.Play/Watch" | "/parley.v1.Play/Session")
}

/// The first message of a call, and the body as if nothing had been read; or why the body ended early.
async fn first_message(mut body: Body, limit: usize) -> Result<(Bytes, Body), axum::Error> {
    let mut read = BytesMut::new();
    let mut end = None;
    while missing(&read, limit) {
        match body.frame().await {
            Some(Ok(frame)) => match frame.into_data() {
                Ok(data) => read.extend_from_slice(&data),
                Err(trailers) => {
                    end = Some(trailers);
                    break;
                }
            },
            Some(Err(error)) => return Err(error),
            None => break,
        }
    }
    let read = read.freeze();
    let message = read.get(PREFIX..).unwrap_or_default();
    let length = read.get(1..PREFIX).map_or(0, |mut length| length.get_u32() as usize);
    let first = read.slice_ref(&message[..length.min(message.len())]);
    let frames = stream::iter([Some(Frame::data(read)), end].into_iter().flatten().map(Ok));
    let frames = frames.chain(BodyStream::new(body)).filter(|frame| ready(!frame.as_ref().is_ok_and(is_empty)));
    Ok((first, Body::new(StreamBody::new(frames))))
}

/// The answer to a call whose first message did not arrive: the refusal of whoever counts it, where there is one.
fn refuse_broken(error: axum::Error) -> Response {
    match error.into_inner().downcast::<Status>() {
        Ok(status) => status.into_http(),
        Err(_) => refuse(Refusal::new(Code::Cancelled, Reason::CallBrokenOff, "the message broke off")),
    }
}

/// Whether a frame says nothing. The end of a body arrives as one, and whoever is sent too many ends the connection.
fn is_empty(frame: &Frame<Bytes>) -> bool {
    frame.data_ref().is_some_and(Bytes::is_empty)
}

/// Whether more has to be read before the first message is there. One that is too long is refused by whoever serves it.
fn missing(read: &[u8], limit: usize) -> bool {
    match read.get(1..PREFIX) {
        Some(mut length) => {
            let length = length.get_u32() as usize;
            length <= limit && read.len() < PREFIX + length
        }
        None => true,
    }
}

/// An answer that another server gives. If that server goes away, the caller is told to come again.
struct ForwardedBody {
    body: tonic::body::Body,
    gone: BoxFuture<'static, Refusal>,
    _open: Arc<()>,
    ended: bool,
}

impl HttpBody for ForwardedBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        if self.ended {
            return Poll::Ready(None);
        }
        let why = loop {
            match Pin::new(&mut self.body).poll_frame(cx) {
                Poll::Ready(Some(Ok(frame))) if is_empty(&frame) => {}
                Poll::Ready(Some(Ok(frame))) => return Poll::Ready(Some(Ok(frame))),
                Poll::Ready(None) => return Poll::Ready(None),
                Poll::Ready(Some(Err(error))) => {
                    tracing::debug!(target: LOG_TARGET, %error, "the answer of another server broke off");
                    break unreachable();
                }
                Poll::Pending => break std::task::ready!(self.gone.poll_unpin(cx)),
            }
        };
        self.ended = true;
        let mut trailers = HeaderMap::new();
        // The status fits into headers: it is one of ours.
        let _ = Status::from(why).add_header(&mut trailers);
        Poll::Ready(Some(Ok(Frame::trailers(trailers))))
    }

    fn is_end_stream(&self) -> bool {
        self.ended || self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

pub(super) fn unreachable() -> Refusal {
    let message = "the server of the match does not answer; repeat the call with the same request id";
    Refusal::new(Code::Unavailable, Reason::OwnerUnreachable, message)
}

fn refuse(refusal: Refusal) -> Response {
    Status::from(refusal).into_http()
}
