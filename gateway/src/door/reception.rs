//! Sends each request where it belongs.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::Router;
use axum::body::Body;
use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::{Request, Response, StatusCode, Version};
use hyper::body::{Body as HttpBody, Frame, Incoming, SizeHint};
use hyper::service::Service;
use tonic::service::Routes;
use tonic::{Code, Status};
use tonic_web::{GrpcWebLayer, GrpcWebService};
use tower::{Layer, Service as _};

use super::budget::{Account, Budget, Open};
use super::calls::{CallLimits, Calls};
use super::hosts::Hosts;
use super::origins::{self, Origins};
use super::peer::{From, Origin, SentOn};
use crate::refusal::Refusal;

/// The headers that browsers are sent with every page, for their safety.
const SAFETY: [(HeaderName, HeaderValue); 4] = [
    (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
    (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(
            "default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        ),
    ),
];

/// Where requests go: gRPC to the services at once, gRPC-web through its translation, the rest to the HTTP router.
#[derive(Clone)]
pub struct Reception {
    grpc: Calls,
    grpc_web: GrpcWebService<Calls>,
    http: Router,
    origins: Origins,
    hosts: Option<Hosts>,
}

impl std::fmt::Debug for Reception {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reception").finish_non_exhaustive()
    }
}

impl Reception {
    /// A reception for these services and pages.
    pub fn new(grpc: Routes, http: Router, origins: Origins, limits: CallLimits) -> Self {
        let grpc = Calls::new(grpc.prepare().into_axum_router(), limits);
        Self {
            grpc_web: GrpcWebLayer::new().layer(grpc.clone()),
            grpc,
            http: http.with_state(()),
            origins,
            hosts: None,
        }
    }

    /// The same reception, which refuses requests from the network that are meant for other hosts.
    pub fn for_hosts(self, hosts: Option<Hosts>) -> Self {
        Self { hosts, ..self }
    }

    /// Whether a request from the network is meant for somebody else.
    fn is_for_another<B>(&self, request: &Request<B>) -> bool {
        self.hosts.as_ref().is_some_and(|hosts| !hosts.allows(request))
    }

    fn grpc_web(&self, request: Request<Incoming>) -> Answer {
        let allowed = self.origins.allows(request.headers());
        let answer = self.grpc_web.clone().call(request);
        let permitted = answer.map(|answered| {
            answered.map(|response| {
                let mut response = response.map(Body::new);
                origins::permit(response.headers_mut(), allowed);
                response
            })
        });
        permitted.boxed()
    }

    fn http(&self, request: Request<Incoming>) -> Answer {
        if origins::is_question(&request) {
            return at_once(origins::answer(self.origins.allows(request.headers())));
        }
        let answer = self.http.clone().call(request);
        answer.map(|answered| answered.map(make_safe)).boxed()
    }
}

/// The answer to a request.
type Answer = BoxFuture<'static, Result<Response<Body>, Infallible>>;

/// A reception that knows who is calling.
pub(super) struct Visit {
    pub(super) reception: Reception,
    pub(super) origin: Origin,
    /// The accounts of the connection; `None` for a connection inside the process.
    pub(super) account: Option<(Arc<Budget>, Arc<Account>)>,
}

impl Visit {
    /// Says where a request comes from, and which account its call is counted in.
    fn introduce(&self, request: &mut Request<Incoming>) {
        let from = self.origin.of(request.headers_mut());
        let payer = self.payer(from);
        let extensions = request.extensions_mut();
        if let From::Connection(peer) | From::Proxy(peer) | From::Cluster(Some(peer)) = from {
            extensions.insert(peer);
        }
        if let Some(account) = payer {
            extensions.insert(account);
        }
        if matches!(from, From::Cluster(_)) {
            extensions.insert(SentOn);
        }
    }

    /// The account that a call is counted in: the connection's or, where others speak for many callers on one
    /// connection, that of the caller's address. A call from inside of this server or of another one has none.
    pub(super) fn payer(&self, from: From) -> Option<Arc<Account>> {
        let (budget, connection) = self.account.as_ref()?;
        match from {
            From::Inside | From::Cluster(None) => None,
            From::Connection(_) => Some(Arc::clone(connection)),
            // The account of a proxy's address pays for its connections, and callers without a name must not fill it.
            From::Proxy(peer) if self.origin.proxies.trusts(peer.address) => Some(budget.unnamed()),
            From::Proxy(peer) | From::Cluster(Some(peer)) => Some(budget.address(peer.address)),
        }
    }

    /// Sends a request where it belongs.
    fn receive(&self, mut request: Request<Incoming>) -> Answer {
        if self.account.is_some() && self.reception.is_for_another(&request) {
            return at_once(misdirected(&Speech::of(request.headers())));
        }
        self.introduce(&mut request);
        match Speech::of(request.headers()) {
            Speech::Grpc if request.version() == Version::HTTP_2 => self.reception.grpc.clone().call(request),
            Speech::Grpc => at_once(status(StatusCode::HTTP_VERSION_NOT_SUPPORTED)),
            Speech::GrpcWeb => self.reception.grpc_web(request),
            Speech::Http => self.reception.http(request),
        }
    }
}

impl Service<Request<Incoming>> for Visit {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Answer;

    /// Answers a request. Whoever pays for it, its connection is in use until the last piece of the answer is handed
    /// over.
    fn call(&self, request: Request<Incoming>) -> Answer {
        let Some((_, connection)) = &self.account else { return self.receive(request) };
        let open = connection.open();
        let answered = self.receive(request);
        async move { answered.await.map(|answer| answer.map(|body| Body::new(OpenAnswer { body, _open: open }))) }
            .boxed()
    }
}

/// An answer that counts as open on its connection.
struct OpenAnswer {
    body: Body,
    _open: Open,
}

impl HttpBody for OpenAnswer {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// The protocol that a request speaks, by its content type.
#[derive(Debug, PartialEq, Eq)]
enum Speech {
    Grpc,
    GrpcWeb,
    Http,
}

impl Speech {
    fn of(headers: &HeaderMap) -> Self {
        let rest = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.as_bytes().strip_prefix(b"application/grpc"));
        match rest {
            None => Self::Http,
            Some(rest) if rest.starts_with(b"-web") => Self::GrpcWeb,
            Some(_) => Self::Grpc,
        }
    }
}

fn at_once(response: Response<Body>) -> Answer {
    std::future::ready(Ok(response)).boxed()
}

/// The answer to a request that is meant for another host.
fn misdirected(speech: &Speech) -> Response<Body> {
    const SENTENCE: &str = "this service is for its own machine, and the request names another host; \
        name the host in host_names if a proxy on this machine passes it on";
    match speech {
        Speech::Grpc => Status::from(Refusal::new(Code::PermissionDenied, "HOST_UNKNOWN", SENTENCE)).into_http(),
        Speech::GrpcWeb | Speech::Http => {
            let mut response = status(StatusCode::MISDIRECTED_REQUEST);
            *response.body_mut() = Body::from(format!("{SENTENCE}\n"));
            response
        }
    }
}

fn status(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}

/// Adds the headers for safety, where the page does not set them itself.
fn make_safe(mut response: Response<Body>) -> Response<Body> {
    for (name, value) in SAFETY {
        response.headers_mut().entry(name).or_insert(value);
    }
    response
}
