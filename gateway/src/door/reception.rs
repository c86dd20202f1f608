//! Sends each request where it belongs.

use std::convert::Infallible;
use std::net::IpAddr;

use axum::Router;
use axum::body::Body;
use axum::routing::future::RouteFuture;
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Either};
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::{Request, Response, StatusCode, Version};
use hyper::body::Incoming;
use hyper::service::Service;
use tonic::service::Routes;
use tonic_web::{GrpcWebLayer, GrpcWebService};
use tower::util::{MapResponse, future::MapResponseFuture};
use tower::{Layer, Service as _};

use super::origins::{self, Origins};
use crate::refusal::name_early_response;

/// The address that a request came from, among its extensions. Calls from inside the process have none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peer(pub IpAddr);

/// What browsers are told with every page.
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

/// The services, with a name for every error.
type Named = MapResponse<Router, fn(Response<Body>) -> Response<Body>>;

/// Where requests go: gRPC to the services at once, gRPC-web through its translation, the rest to the HTTP router.
#[derive(Clone)]
pub struct Reception {
    grpc: Named,
    grpc_web: GrpcWebService<Named>,
    http: Router,
    origins: Origins,
}

impl std::fmt::Debug for Reception {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reception").finish_non_exhaustive()
    }
}

impl Reception {
    /// A reception for these services and pages.
    pub fn new(grpc: Routes, http: Router, origins: Origins) -> Self {
        let name: fn(Response<Body>) -> Response<Body> = name_early_response;
        let grpc = MapResponse::new(grpc.prepare().into_axum_router(), name);
        Self { grpc_web: GrpcWebLayer::new().layer(grpc.clone()), grpc, http: http.with_state(()), origins }
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
        Either::Right(permitted.boxed())
    }

    fn http(&self, request: Request<Incoming>) -> Answer {
        if origins::is_question(&request) {
            return at_once(origins::answer(self.origins.allows(request.headers())));
        }
        let answer = self.http.clone().call(request);
        Either::Right(answer.map(|answered| answered.map(make_safe)).boxed())
    }
}

/// The answer to a request. The way of a gRPC call needs no box.
type Answer = Either<
    MapResponseFuture<RouteFuture<Infallible>, fn(Response<Body>) -> Response<Body>>,
    BoxFuture<'static, Result<Response<Body>, Infallible>>,
>;

/// A reception that knows who is calling.
pub(super) struct Visit {
    pub(super) reception: Reception,
    pub(super) peer: Option<IpAddr>,
}

impl Service<Request<Incoming>> for Visit {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Answer;

    fn call(&self, mut request: Request<Incoming>) -> Answer {
        if let Some(peer) = self.peer {
            request.extensions_mut().insert(Peer(peer));
        }
        match Speech::of(request.headers()) {
            Speech::Grpc if request.version() == Version::HTTP_2 => {
                Either::Left(self.reception.grpc.clone().call(request))
            }
            Speech::Grpc => at_once(status(StatusCode::HTTP_VERSION_NOT_SUPPORTED)),
            Speech::GrpcWeb => self.reception.grpc_web(request),
            Speech::Http => self.reception.http(request),
        }
    }
}

/// What a request speaks, by its content type.
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
    Either::Right(std::future::ready(Ok(response)).boxed())
}

fn status(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}

/// Adds what browsers are told, where the page does not say otherwise.
fn make_safe(mut response: Response<Body>) -> Response<Body> {
    for (name, value) in SAFETY {
        response.headers_mut().entry(name).or_insert(value);
    }
    response
}
