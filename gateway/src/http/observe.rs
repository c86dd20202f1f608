//! What operators look at: whether the service lives, whether it is ready, and its numbers.

use std::net::IpAddr;
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::{HeaderMap, StatusCode, header};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};

use super::Peer;
use super::peer::is_passed_on;

/// The upper ends of the buckets of every histogram whose name ends in `_seconds`.
const SECONDS: [f64; 19] = [
    0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0,
    10.0, 30.0, 60.0,
];
/// The upper ends of the buckets of histograms that count things.
const POWERS: [f64; 11] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0];
/// The upper ends of the buckets of histograms of sizes in bytes.
const BYTES: [f64; 9] = [256.0, 1024.0, 4096.0, 16_384.0, 65_536.0, 262_144.0, 1_048_576.0, 4_194_304.0, 16_777_216.0];
/// How often samples are gathered into their buckets, so that they do not pile up when nobody looks.
const GATHER_EVERY: Duration = Duration::from_secs(5);
/// The target of the lines that are logged here. Operators filter by it, so it stays what it was when the module had
/// another name.
const LOG_TARGET: &str = "parley_gateway::door::observe";

/// Begins to count. Calling it again gives the same handle.
pub fn install_metrics() -> PrometheusHandle {
    static INSTALLED: OnceLock<PrometheusHandle> = OnceLock::new();
    INSTALLED.get_or_init(install).clone()
}

fn install() -> PrometheusHandle {
    let recorder = PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Suffix("_seconds".to_owned()), &SECONDS)
        .and_then(|builder| builder.set_buckets_for_metric(Matcher::Suffix("_records".to_owned()), &POWERS))
        .and_then(|builder| builder.set_buckets_for_metric(Matcher::Suffix("_bytes".to_owned()), &BYTES))
        .expect("there is at least one bucket")
        .build_recorder();
    let handle = recorder.handle();
    if metrics::set_global_recorder(recorder).is_err() {
        tracing::warn!(target: LOG_TARGET, "somebody else counts already; /metrics will be empty");
    }
    metrics::gauge!("parley_build_info", "version" => env!("CARGO_PKG_VERSION")).set(1.0);
    let gathered = handle.clone();
    let gather = move || loop {
        thread::sleep(GATHER_EVERY);
        gathered.run_upkeep();
    };
    if let Err(error) = thread::Builder::new().name("metrics".to_owned()).spawn(gather) {
        tracing::warn!(target: LOG_TARGET, %error, "samples are gathered only when /metrics is read");
    }
    handle
}

/// The metrics of the service as the text that `/metrics` answers with.
#[derive(Clone)]
pub struct MetricsPage {
    metrics: PrometheusHandle,
    gather: Arc<dyn Fn() + Send + Sync>,
}

impl MetricsPage {
    /// Shows these metrics; before each time, `gather` sets those that are not counted as they happen.
    pub fn new(metrics: PrometheusHandle, gather: impl Fn() + Send + Sync + 'static) -> Self {
        Self { metrics, gather: Arc::new(gather) }
    }

    fn render(&self) -> Response {
        (self.gather)();
        ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], self.metrics.render()).into_response()
    }
}

/// Serves `/metrics` to everybody who can reach it.
pub fn metrics_router(page: MetricsPage) -> Router {
    Router::new().route("/metrics", get(async move || page.render()))
}

/// Serves `/healthz` (the process answers), `/readyz` (whether it takes calls, with what `ready` says of that), and
/// `/metrics` for callers on this machine and for those whom `is_admin` knows by their headers and their address.
pub fn observability_router(
    ready: impl Fn() -> (bool, String) + Clone + Send + Sync + 'static,
    page: MetricsPage,
    is_admin: impl Fn(&HeaderMap, Option<IpAddr>) -> bool + Clone + Send + Sync + 'static,
) -> Router {
    let readiness = async move || {
        let (now, words) = ready();
        (if now { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE }, format!("{words}\n"))
    };
    let numbers = async move |request: Request| {
        let peer = request.extensions().get::<Peer>();
        // Whether such a caller is exempt from quotas (`exempt_loopback`) has nothing to do with it.
        let on_loopback = peer.is_some_and(|peer| peer.address.to_canonical().is_loopback());
        let here = on_loopback && !is_passed_on(request.headers());
        if here || is_admin(request.headers(), peer.map(|peer| peer.address)) {
            return page.render();
        }
        let sentence = "these numbers are for operators: ask from the same machine without a proxy in between, send the \
            administrator's token as a bearer token, or give them an address of their own with metrics_listen\n";
        (StatusCode::FORBIDDEN, sentence).into_response()
    };
    Router::new()
        .route("/healthz", get(async || "ok\n"))
        .route("/readyz", get(readiness))
        .route("/metrics", get(numbers))
}
