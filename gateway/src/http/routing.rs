//! Sends each request where it belongs.

use std::convert::Infallible;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::{Request, Response, StatusCode, Version};
use hyper::body::Incoming;
use hyper::service::Service;
use tonic::service::Routes;
use tonic::{Code, Status};
use tonic_web::{GrpcWebLayer, GrpcWebService};
use tower::{Layer, Service as _};

use super::answers::CountedAnswer;
use super::budget::{Budget, BudgetAccount};
use super::calls::{Admission, CALL_COST, CallLimits, Calls};
use super::hosts::Hosts;
use super::origins::{self, Origins};
use super::peer::{ConnectionOrigin, ForwardedCall, RequestOrigin};
use crate::refusal::{Reason, Refusal};

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
pub struct RequestRouter {
    grpc: Calls,
    grpc_web: GrpcWebService<Calls>,
    http: Router,
    origins: Origins,
    hosts: Option<Hosts>,
}

impl std::fmt::Debug for RequestRouter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RequestRouter").finish_non_exhaustive()
    }
}

impl RequestRouter {
    /// A router for these services and pages.
    pub fn new(grpc: Routes, http: Router, origins: Origins, limits: CallLimits, admission: Option<Admission>) -> Self {
        let grpc = Calls::new(grpc.prepare().into_axum_router(), limits, admission);
        Self {
            grpc_web: GrpcWebLayer::new().layer(grpc.translated()),
            grpc,
            http: http.with_state(()),
            origins,
            hosts: None,
        }
    }

    /// The same router, which refuses requests from the network that are meant for other hosts.
    pub fn for_hosts(self, hosts: Option<Hosts>) -> Self {
        Self { hosts, ..self }
    }

    /// Whether a request from the network is meant for somebody else.
    fn is_for_another<B>(&self, request: &Request<B>) -> bool {
        self.hosts.as_ref().is_some_and(|hosts| !hosts.allows(request))
    }

    fn grpc_web(&self, request: Request<Incoming>) -> ResponseFuture {
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

    fn http(&self, request: Request<Incoming>) -> ResponseFuture {
        if origins::is_question(&request) {
            return at_once(origins::answer(self.origins.allows(request.headers())));
        }
        let answer = self.http.clone().call(request);
        answer.map(|answered| answered.map(make_safe)).boxed()
    }
}

/// The answer to a request.
type ResponseFuture = BoxFuture<'static, Result<Response<Body>, Infallible>>;

/// The router of one connection, which knows who is calling.
pub(super) struct ConnectionRouter {
    pub(super) router: RequestRouter,
    pub(super) origin: ConnectionOrigin,
    /// The accounts of the connection; `None` for a connection inside the process.
    pub(super) account: Option<(Arc<Budget>, Arc<BudgetAccount>)>,
}

impl ConnectionRouter {
    /// Notes with a request where it comes from, and which account it is counted in.
    fn identify(&self, request: &mut Request<Incoming>) -> Option<Arc<BudgetAccount>> {
        let from = self.origin.of(request.headers_mut());
        let payer = self.payer(from);
        let extensions = request.extensions_mut();
        if let RequestOrigin::Connection(peer) | RequestOrigin::Proxy(peer) | RequestOrigin::Cluster(Some(peer)) = from
        {
            extensions.insert(peer);
        }
        if let Some(account) = &payer {
            extensions.insert(Arc::clone(account));
        }
        if matches!(from, RequestOrigin::Cluster(_)) {
            extensions.insert(ForwardedCall);
        }
        payer
    }

    /// The account that a call is counted in: the connection's or, where others speak for many callers on one
    /// connection, that of the caller's address. A call from inside of this server or of another one has none.
    pub(super) fn payer(&self, from: RequestOrigin) -> Option<Arc<BudgetAccount>> {
        let (budget, connection) = self.account.as_ref()?;
        match from {
            RequestOrigin::Inside | RequestOrigin::Cluster(None) => None,
            RequestOrigin::Connection(_) => Some(Arc::clone(connection)),
            // The account of a proxy's address pays for its connections, and callers without a name must not fill it.
            RequestOrigin::Proxy(peer) if self.origin.proxies.trusts(peer.address) => Some(budget.unnamed()),
            RequestOrigin::Proxy(peer) | RequestOrigin::Cluster(Some(peer)) => Some(budget.address(peer.address)),
        }
    }

    /// Sends a request where it belongs.
    fn receive(&self, request: Request<Incoming>, protocol: Protocol) -> ResponseFuture {
        match protocol {
            Protocol::Grpc if request.version() == Version::HTTP_2 => self.router.grpc.clone().call(request),
            Protocol::Grpc => at_once(status(StatusCode::HTTP_VERSION_NOT_SUPPORTED)),
            Protocol::GrpcWeb => self.router.grpc_web(request),
            Protocol::Http => self.router.http(request),
        }
    }
}

impl Service<Request<Incoming>> for ConnectionRouter {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = ResponseFuture;

    /// Answers a request. Whoever pays for it, its connection is in use until the last piece of the answer is handed
    /// over. A gRPC call reserves what it takes itself (`calls.rs`), so that it can be refused with a status.
    fn call(&self, mut request: Request<Incoming>) -> ResponseFuture {
        let protocol = Protocol::of(request.headers());
        let is_for_another = self.account.is_some() && self.router.is_for_another(&request);
        let payer = self.identify(&mut request);
        let Some((_, connection)) = &self.account else { return self.receive(request, protocol) };
        let reserved = payer.as_ref().filter(|_| protocol == Protocol::Http).map(|payer| payer.reserve(CALL_COST));
        let Ok(call) = reserved.transpose() else { return at_once(status(StatusCode::SERVICE_UNAVAILABLE)) };
        let open = connection.open();
        let answered = if is_for_another { at_once(misdirected(&protocol)) } else { self.receive(request, protocol) };
        let counted = move |body| Body::new(CountedAnswer::new(body, protocol == Protocol::Grpc, payer, open, call));
        async move { answered.await.map(|answer| answer.map(counted)) }.boxed()
    }
}

/// The protocol that a request speaks, by its content type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Protocol {
    Grpc,
    GrpcWeb,
    Http,
}

impl Protocol {
    fn of(headers: &HeaderMap) -> Self {
        let rest = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.as_bytes().strip_prefix(b"application/grpc"));
        match rest {
            None => Self::Http,
            Some(rest) if rest.starts_with(b"-web") => Self::GrpcWeb,
            Some(_) => Self::Grpc,
        }
    }
}

fn at_once(response: Response<Body>) -> ResponseFuture {
    std::future::ready(Ok(response)).boxed()
}

/// The answer to a request that is meant for another host.
fn misdirected(protocol: &Protocol) -> Response<Body> {
    const SENTENCE: &str = "this service is for its own machine, and the request names another host; \
        name the host in host_names if a proxy on this machine passes it on";
    match protocol {
        Protocol::Grpc => Status::from(Refusal::new(Code::PermissionDenied, Reason::HostUnknown, SENTENCE)).into_http(),
        Protocol::GrpcWeb | Protocol::Http => {
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
