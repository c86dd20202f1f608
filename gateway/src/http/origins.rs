//! Whose web pages may call. A browser lets a page of the same origin call without asking, and asks for all others.

use std::fmt;
use std::sync::Arc;

use axum::body::Body;
use http::header::{self, HeaderMap, HeaderValue};
use http::{Method, Request, Response, StatusCode, Uri};

/// The headers that a page of another origin may send.
const ALLOWED_HEADERS: HeaderValue =
    HeaderValue::from_static("authorization, content-type, grpc-timeout, traceparent, x-grpc-web, x-user-agent");
/// The headers of an answer that a page of another origin may read.
const EXPOSED_HEADERS: HeaderValue = HeaderValue::from_static("grpc-status, grpc-message, grpc-status-details-bin");

/// Origins whose pages may call beside the service's own; none at first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origins(Arc<[String]>);

impl Origins {
    /// Origins from text, separated by commas, such as `https://play.example, http://localhost:5173`.
    pub fn parse(text: &str) -> Option<Self> {
        let origins = text.split(',').map(str::trim).filter(|origin| !origin.is_empty());
        origins.map(|origin| is_origin(origin).then(|| origin.to_owned())).collect::<Option<_>>().map(Self)
    }

    /// The hosts of these origins.
    pub(super) fn hosts(&self) -> impl Iterator<Item = String> {
        self.0.iter().filter_map(|origin| origin.parse::<Uri>().ok()?.host().map(str::to_owned))
    }

    /// The origin of a request, if it is one of these.
    pub(super) fn allows(&self, headers: &HeaderMap) -> Option<HeaderValue> {
        let origin = headers.get(header::ORIGIN)?;
        self.0.iter().any(|allowed| allowed.as_bytes() == origin.as_bytes()).then(|| origin.clone())
    }
}

impl fmt::Display for Origins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(","))
    }
}

/// Whether a text is a scheme and a host, perhaps with a port, and nothing more.
fn is_origin(text: &str) -> bool {
    let Some(authority) = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://")) else { return false };
    !authority.contains(['/', '?', '#', '@']) && text.parse::<Uri>().is_ok()
}

/// Whether a request is a browser's question whether a page may call.
pub(super) fn is_question<B>(request: &Request<B>) -> bool {
    request.method() == Method::OPTIONS && request.headers().contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}

/// The answer to that question. Without an allowed origin it says nothing, which means no.
pub(super) fn answer(allowed: Option<HeaderValue>) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    let yes = allowed.is_some();
    permit(response.headers_mut(), allowed);
    if yes {
        let headers = response.headers_mut();
        headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("POST"));
        headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, ALLOWED_HEADERS);
        headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("7200"));
    }
    response
}

/// Lets the page that called read the answer.
pub(super) fn permit(headers: &mut HeaderMap, allowed: Option<HeaderValue>) {
    headers.append(header::VARY, HeaderValue::from_static("origin"));
    if let Some(origin) = allowed {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED_HEADERS);
    }
}
