//! The task that sends traces to a collector.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use bytes::{BufMut, Bytes};
use http::uri::PathAndQuery;
use metrics::counter;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, timeout, timeout_at};
use tonic::client::Grpc;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::metadata::MetadataMap;
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint};
use tonic::{Request, Status};

use super::settings::{TraceError, TraceSettings};
use super::span::{put_bytes, put_word};
use super::{TRACE_QUEUE, Tracer};

/// How many bytes are sent at once.
const BATCH_BYTES: usize = 512 * 1024;
/// How long pieces wait for others to be sent with.
const LINGER: Duration = Duration::from_millis(500);
/// How long the collector may take to answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long is waited after the collector failed; what comes meanwhile waits in the queue.
const PAUSE: Duration = Duration::from_secs(2);
/// How often a batch is tried before it is dropped.
const TRIES: u32 = 3;
/// How long the last batch may take when the service stops.
const FAREWELL: Duration = Duration::from_secs(3);
/// The path of the call that takes traces.
const EXPORT: &str = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";

/// Sends what is left when it is told to, and says when that is done.
pub struct Exporter {
    stop: oneshot::Sender<()>,
    done: oneshot::Receiver<()>,
}

impl Exporter {
    /// Sends what waits, but not for long.
    pub async fn finish(self) {
        let _ = self.stop.send(());
        let _ = timeout(FAREWELL, self.done).await;
    }
}

/// Begins to send traces.
pub fn start(settings: &TraceSettings) -> Result<(Arc<Tracer>, Exporter), TraceError> {
    let channel = endpoint(settings)?.connect_lazy();
    let (queue, pieces) = mpsc::channel(TRACE_QUEUE);
    let (stop, stopped) = oneshot::channel();
    let (finished, done) = oneshot::channel();
    let mut resource = Vec::new();
    for (key, value) in &settings.resource {
        put_word(1, key, value, &mut resource);
    }
    let client = CollectorClient { grpc: Grpc::new(channel), headers: headers(settings), resource };
    tokio::spawn(async move {
        client.run(pieces, stopped).await;
        let _ = finished.send(());
    });
    Ok((Arc::new(Tracer::new(queue, settings.bound)), Exporter { stop, done }))
}

/// Sends nothing, to find out whether the collector would take it.
pub async fn try_collector(settings: &TraceSettings) -> Result<(), String> {
    let channel = endpoint(settings).map_err(|error| error.to_string())?.connect().await;
    let channel = channel.map_err(|error| innermost(&error))?;
    let mut client = CollectorClient { grpc: Grpc::new(channel), headers: headers(settings), resource: Vec::new() };
    client.export(Bytes::new()).await.map_err(|status| status.message().to_owned())
}

/// The innermost cause of an error, which is the one that says something.
fn innermost(error: &dyn std::error::Error) -> String {
    let mut error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string()
}

fn headers(settings: &TraceSettings) -> MetadataMap {
    MetadataMap::from_headers(settings.headers.iter().cloned().collect())
}

fn endpoint(settings: &TraceSettings) -> Result<Endpoint, TraceError> {
    let wrong = |name: &str, what: String| TraceError { name: name.to_owned(), what };
    let endpoint = Endpoint::from(settings.endpoint.clone()).connect_timeout(PATIENCE);
    if settings.endpoint.scheme_str() != Some("https") {
        return Ok(endpoint);
    }
    const CERTIFICATE: &str = "OTEL_EXPORTER_OTLP_CERTIFICATE";
    let Some(path) = &settings.certificate else {
        return Err(wrong(CERTIFICATE, "https needs the certificate to trust, as a PEM file".to_owned()));
    };
    let pem = fs::read(path).map_err(|error| wrong(CERTIFICATE, format!("{}: {error}", path.display())))?;
    let tls = ClientTlsConfig::new().ca_certificate(Certificate::from_pem(pem));
    endpoint.tls_config(tls).map_err(|error| wrong(CERTIFICATE, error.to_string()))
}

/// The connection to the collector, and what is sent with every call.
struct CollectorClient {
    grpc: Grpc<Channel>,
    headers: MetadataMap,
    resource: Vec<u8>,
}

impl CollectorClient {
    async fn run(mut self, mut pieces: mpsc::Receiver<Bytes>, mut stopped: oneshot::Receiver<()>) {
        let mut failing = false;
        loop {
            let first = tokio::select! {
                piece = pieces.recv() => piece,
                _ = &mut stopped => {
                    pieces.close();
                    pieces.recv().await
                }
            };
            let Some(first) = first else { return };
            let batch = gather(first, &mut pieces).await;
            let sent = self.send(self.request(&batch), pieces.is_closed()).await;
            if let Err(status) = &sent
                && !failing
            {
                let (code, message) = (status.code(), status.message());
                tracing::warn!(?code, message, "traces do not reach the collector; they are dropped until they do");
            }
            if sent.is_ok() && failing {
                tracing::info!("traces reach the collector again");
            }
            failing = sent.is_err();
        }
    }

    /// An `ExportTraceServiceRequest` with these spans.
    fn request(&self, spans: &[u8]) -> Bytes {
        let mut scope = Vec::new();
        put_bytes(1, b"parley", &mut scope);
        let mut scope_spans = Vec::with_capacity(spans.len() + 64);
        put_bytes(1, &scope, &mut scope_spans);
        scope_spans.put_slice(spans);
        let mut resource_spans = Vec::with_capacity(scope_spans.len() + self.resource.len() + 64);
        put_bytes(1, &self.resource, &mut resource_spans);
        put_bytes(2, &scope_spans, &mut resource_spans);
        let mut request = Vec::with_capacity(resource_spans.len() + 16);
        put_bytes(1, &resource_spans, &mut request);
        request.into()
    }

    async fn send(&mut self, request: Bytes, last: bool) -> Result<(), Status> {
        let mut tries = if last { 1 } else { TRIES };
        loop {
            let sent = timeout(PATIENCE, self.export(request.clone())).await;
            let error = match sent {
                Ok(Ok(())) => return Ok(()),
                Ok(Err(status)) => status,
                Err(_) => Status::deadline_exceeded("the collector does not answer"),
            };
            tries -= 1;
            if tries == 0 {
                counter!("parley_traces_lost_total", "why" => "collector").increment(1);
                return Err(error);
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    async fn export(&mut self, request: Bytes) -> Result<(), Status> {
        self.grpc.ready().await.map_err(|error| Status::unavailable(error.to_string()))?;
        let mut request = Request::new(request);
        *request.metadata_mut() = self.headers.clone();
        self.grpc.unary(request, PathAndQuery::from_static(EXPORT), Raw).await.map(drop)
    }
}

/// Gathers more pieces for a batch, as long as there are some soon.
async fn gather(first: Bytes, pieces: &mut mpsc::Receiver<Bytes>) -> Vec<u8> {
    let mut batch = Vec::with_capacity(BATCH_BYTES);
    batch.extend_from_slice(&first);
    let until = Instant::now() + LINGER;
    while batch.len() < BATCH_BYTES {
        match timeout_at(until, pieces.recv()).await {
            Ok(Some(piece)) => batch.extend_from_slice(&piece),
            Ok(None) | Err(_) => break,
        }
    }
    batch
}

/// A codec for requests that are encoded already, and for answers of which nothing matters.
struct Raw;

impl Codec for Raw {
    type Encode = Bytes;
    type Decode = ();
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self
    }

    fn decoder(&mut self) -> Self {
        Self
    }
}

impl Encoder for Raw {
    type Item = Bytes;
    type Error = Status;

    fn encode(&mut self, request: Bytes, to: &mut EncodeBuf<'_>) -> Result<(), Status> {
        to.put(request);
        Ok(())
    }
}

impl Decoder for Raw {
    type Item = ();
    type Error = Status;

    fn decode(&mut self, from: &mut DecodeBuf<'_>) -> Result<Option<()>, Status> {
        use bytes::Buf;
        from.advance(from.remaining());
        Ok(Some(()))
    }
}
