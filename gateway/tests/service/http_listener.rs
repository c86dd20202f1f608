//! The HTTP side of the service with real sockets: what each kind of client gets, and how it closes.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use hyper_util::rt::TokioIo;
use parley_gateway::config::Config;
use parley_gateway::http::{
    Budget, HttpConfig, MetricsPage, Origins, Peer, install_metrics, observability_router, serve, serve_connection,
};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};
use tonic::service::Routes;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Channel, Endpoint, Uri};
use tonic::{Code, Request, Status};
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;
use tonic_health::pb::{HealthCheckRequest, HealthCheckResponse};
use tonic_health::server::{HealthReporter, health_reporter};

/// Nothing in here takes long; whatever does has failed.
const PATIENCE: Duration = Duration::from_secs(30);

/// A service that listens, and what the test may do to it.
struct House {
    address: SocketAddr,
    health: HealthReporter,
    peers: Arc<Mutex<Vec<Option<IpAddr>>>>,
    ready: watch::Sender<bool>,
    stop: oneshot::Sender<()>,
    served: JoinHandle<std::io::Result<()>>,
}

/// The health service, which notes where calls come from.
fn health_routes() -> (HealthReporter, Arc<Mutex<Vec<Option<IpAddr>>>>, Routes) {
    let (reporter, service) = health_reporter();
    let peers = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&peers);
    let note = move |request: Request<()>| -> Result<Request<()>, Status> {
        let peer = request.extensions().get::<Peer>().map(|peer| peer.address);
        noted.lock().expect("no test panics with it").push(peer);
        Ok(request)
    };
    (reporter, peers, Routes::new(InterceptedService::new(service, note)))
}

async fn open(http_config: HttpConfig) -> House {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("there is a free port");
    let address = listener.local_addr().expect("it is bound");
    let (health, peers, routes) = health_routes();
    let (ready, is_ready) = watch::channel(false);
    let (stop, stopped) = oneshot::channel();
    let readiness = move || {
        let now = *is_ready.borrow();
        (now, if now { "ready" } else { "not ready" }.to_owned())
    };
    let budget = Budget::new(http_config.budget);
    let http = observability_router(readiness, MetricsPage::new(install_metrics(), || {}), |_, _| false);
    let served = tokio::spawn(serve(http_config, budget, listener, routes, http, async { drop(stopped.await) }));
    House { address, health, peers, ready, stop, served }
}

impl House {
    async fn channel(&self) -> Channel {
        let endpoint = Endpoint::from_shared(format!("http://{}", self.address)).expect("an address is a URI");
        endpoint.connect().await.expect("the service listens")
    }

    /// Sends text, and reads until the other side closes.
    async fn talk(&self, request: impl AsRef<[u8]>) -> String {
        let stream = TcpStream::connect(self.address).await.expect("the service listens");
        talk(stream, request.as_ref()).await
    }

    async fn get(&self, path: &str) -> String {
        self.talk(format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")).await
    }

    async fn close(self) {
        drop(self.stop);
        ended(self.served).await;
    }
}

async fn talk(mut stream: impl AsyncRead + AsyncWrite + Unpin, request: &[u8]) -> String {
    stream.write_all(request).await.expect("it is open");
    let mut answer = Vec::new();
    tokio::time::timeout(PATIENCE, stream.read_to_end(&mut answer)).await.expect("it answers").expect("it is readable");
    String::from_utf8_lossy(&answer).into_owned()
}

/// A gRPC channel over one connection that exists already.
async fn channel_over(io: impl AsyncRead + AsyncWrite + Unpin + Send + 'static) -> Channel {
    let mut once = Some(TokioIo::new(io));
    let connector = tower::service_fn(move |_: Uri| {
        let io = once.take().ok_or_else(|| std::io::Error::from(std::io::ErrorKind::NotConnected));
        std::future::ready(io)
    });
    Endpoint::from_static("http://localhost").connect_with_connector(connector).await.expect("it is connected")
}

async fn ended(served: JoinHandle<std::io::Result<()>>) {
    let ended = tokio::time::timeout(PATIENCE, served).await.expect("it ends");
    ended.expect("it does not panic").expect("it does not fail");
}

async fn check(channel: Channel) -> Result<ServingStatus, Status> {
    let answer = HealthClient::new(channel).check(HealthCheckRequest::default()).await?;
    Ok(answer.into_inner().status())
}

#[tokio::test]
async fn grpc_is_answered_without_tls_and_upgrade() {
    let house = open(HttpConfig::default()).await;
    assert_eq!(check(house.channel().await).await.expect("it answers"), ServingStatus::Serving);
    assert_eq!(*house.peers.lock().expect("it is unused"), [Some(IpAddr::V4(Ipv4Addr::LOCALHOST))]);
    house.close().await;
}

#[tokio::test]
async fn methods_that_do_not_exist_are_unimplemented() {
    let house = open(HttpConfig::default()).await;
    for path in ["/parley.v1.Nothing/Call", "/grpc.health.v1.Health/Nothing"] {
        let mut client = tonic::client::Grpc::new(house.channel().await);
        client.ready().await.expect("it is connected");
        let codec = tonic_prost::ProstCodec::<HealthCheckRequest, HealthCheckResponse>::default();
        let path = http::uri::PathAndQuery::from_static(path);
        let status = client.unary(Request::new(HealthCheckRequest::default()), path, codec).await;
        assert_eq!(status.expect_err("there is no such method").code(), Code::Unimplemented);
    }
    house.close().await;
}

fn grpc_web(extra: &str) -> Vec<u8> {
    let mut request = format!(
        "POST /grpc.health.v1.Health/Check HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{extra}\
         content-type: application/grpc-web+proto\r\ncontent-length: 5\r\n\r\n"
    )
    .into_bytes();
    // An empty message: not compressed, no bytes.
    request.extend([0; 5]);
    request
}

#[tokio::test]
async fn a_browser_is_answered_in_grpc_web() {
    let house = open(HttpConfig::default()).await;
    let answer = house.talk(grpc_web("origin: https://elsewhere.example\r\n")).await;
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert!(answer.contains("content-type: application/grpc-web+proto"), "{answer}");
    assert!(answer.contains("\0\0\0\0\u{2}\u{8}\u{1}"), "the message says SERVING: {answer:?}");
    assert!(answer.contains("grpc-status:0"), "{answer:?}");
    assert!(!answer.contains("access-control-allow-origin"), "{answer}");
    assert_eq!(*house.peers.lock().expect("it is unused"), [Some(IpAddr::V4(Ipv4Addr::LOCALHOST))]);
    house.close().await;
}

#[tokio::test]
async fn pages_of_other_origins_may_call_only_when_they_are_named() {
    let origins = Origins::parse("https://play.example").expect("it is an origin");
    let house = open(HttpConfig { origins, ..HttpConfig::default() }).await;
    let question = |origin: &str| {
        format!(
            "OPTIONS /grpc.health.v1.Health/Check HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\norigin: {origin}\r\n\
             access-control-request-method: POST\r\naccess-control-request-headers: authorization\r\n\r\n"
        )
    };
    let named = house.talk(question("https://play.example")).await;
    assert!(named.starts_with("HTTP/1.1 204"), "{named}");
    assert!(named.contains("access-control-allow-origin: https://play.example\r\n"), "{named}");
    assert!(named.contains("access-control-allow-headers: authorization, content-type"), "{named}");
    let other = house.talk(question("https://elsewhere.example")).await;
    assert!(other.starts_with("HTTP/1.1 204") && !other.contains("access-control-allow"), "{other}");
    let call = house.talk(grpc_web("origin: https://play.example\r\n")).await;
    assert!(call.contains("access-control-allow-origin: https://play.example\r\n"), "{call}");
    assert!(call.contains("access-control-expose-headers: grpc-status"), "{call}");
    house.close().await;
}

#[tokio::test]
async fn grpc_needs_http_2() {
    let house = open(HttpConfig::default()).await;
    let request = "POST /grpc.health.v1.Health/Check HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
                   content-type: application/grpc\r\ncontent-length: 0\r\n\r\n";
    let answer = house.talk(request).await;
    assert!(answer.starts_with("HTTP/1.1 505"), "{answer}");
    house.close().await;
}

#[tokio::test]
async fn operators_see_health_readiness_and_numbers() {
    let house = open(HttpConfig::default()).await;
    let health = house.get("/healthz").await;
    assert!(health.starts_with("HTTP/1.1 200 OK\r\n") && health.ends_with("\r\n\r\nok\n"), "{health}");
    for header in ["x-content-type-options: nosniff", "x-frame-options: DENY", "content-security-policy: default-src"] {
        assert!(health.contains(header), "{health}");
    }
    assert!(house.get("/readyz").await.starts_with("HTTP/1.1 503"));
    house.ready.send(true).expect("somebody looks");
    assert!(house.get("/readyz").await.starts_with("HTTP/1.1 200"));
    assert!(house.get("/nothing").await.starts_with("HTTP/1.1 404"));
    metrics::counter!("door_test_total").increment(3);
    metrics::histogram!("door_test_seconds").record(0.0007);
    let numbers = house.get("/metrics").await;
    assert!(numbers.contains("content-type: text/plain; version=0.0.4"), "{numbers}");
    for line in
        ["door_test_total 3", "door_test_seconds_bucket{le=\"0.001\"} 1", "door_test_seconds_bucket{le=\"0.0005\"} 0"]
    {
        assert!(numbers.contains(line), "{line}\n{numbers}");
    }
    assert!(numbers.contains("# TYPE parley_connections gauge"), "{numbers}");
    house.close().await;
}

/// A certificate for `localhost` in files, and a client that trusts it.
fn certified() -> (HttpConfig, Arc<ClientConfig>) {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate is made");
    let folder = tempfile::tempdir().expect("a folder for the test");
    let (certificate, key) = (folder.path().join("c.pem"), folder.path().join("k.pem"));
    std::fs::write(&certificate, made.cert.pem()).expect("the folder is ours");
    std::fs::write(&key, made.signing_key.serialize_pem()).expect("the folder is ours");
    let config = Config { tls_certificate: Some(certificate), tls_key: Some(key), ..Config::default() };
    let http_config = HttpConfig::from_config(&config).expect("they are a pair");
    let mut roots = RootCertStore::empty();
    roots.add(made.cert.der().clone()).expect("it is a certificate");
    let provider = Arc::new(tokio_rustls::rustls::crypto::ring::default_provider());
    let client = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("they are the default")
        .with_root_certificates(roots)
        .with_no_client_auth();
    (http_config, Arc::new(client))
}

async fn secure(
    address: SocketAddr,
    client: &Arc<ClientConfig>,
    protocol: &[u8],
) -> tokio_rustls::client::TlsStream<TcpStream> {
    let mut config = ClientConfig::clone(client);
    config.alpn_protocols = vec![protocol.to_vec()];
    let stream = TcpStream::connect(address).await.expect("the service listens");
    let name = ServerName::try_from("localhost").expect("it is a name");
    let stream = TlsConnector::from(Arc::new(config)).connect(name, stream).await.expect("they trust each other");
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(protocol));
    stream
}

#[tokio::test]
async fn with_a_certificate_everything_is_encrypted() {
    let (http_config, client) = certified();
    let house = open(http_config).await;
    let plain = secure(house.address, &client, b"http/1.1").await;
    let answer = talk(plain, b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").await;
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    let channel = channel_over(secure(house.address, &client, b"h2").await).await;
    assert_eq!(check(channel).await.expect("it answers"), ServingStatus::Serving);
    let unencrypted = house.get("/healthz").await;
    assert!(!unencrypted.contains("200 OK"), "{unencrypted}");
    house.close().await;
}

#[tokio::test]
async fn over_the_limit_connections_are_closed_at_once() {
    let http_config = HttpConfig { max_connections: 1, exempt_loopback: false, ..HttpConfig::default() };
    let house = open(http_config).await;
    let mut first = TcpStream::connect(house.address).await.expect("the service listens");
    first.write_all(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n").await.expect("it is open");
    let mut byte = [0];
    first.read_exact(&mut byte).await.expect("it is served");
    let mut second = TcpStream::connect(house.address).await.expect("the machine accepts it");
    // It may be closed before it can ask, but it gets no answer.
    let _ = second.write_all(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n").await;
    assert_eq!(second.read(&mut byte).await.unwrap_or(0), 0, "it is closed without a word");
    drop(first);
    let again = async {
        loop {
            let mut stream = TcpStream::connect(house.address).await.expect("the service listens");
            let asked = stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n").await;
            if asked.is_ok() && stream.read_exact(&mut byte).await.is_ok() {
                break;
            }
        }
    };
    tokio::time::timeout(PATIENCE, again).await.expect("there is room after the first has gone");
    house.close().await;
}

#[tokio::test]
async fn open_calls_go_on_while_the_door_closes() {
    let house = open(HttpConfig { drain: 2 * PATIENCE, ..HttpConfig::default() }).await;
    let silent = TcpStream::connect(house.address).await.expect("the service listens");
    let mut idle = TcpStream::connect(house.address).await.expect("the service listens");
    idle.write_all(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n").await.expect("it is open");
    idle.read_exact(&mut [0]).await.expect("it is served");
    let mut client = HealthClient::new(house.channel().await);
    let mut watching = client.watch(HealthCheckRequest::default()).await.expect("it answers").into_inner();
    let status = |message: Option<HealthCheckResponse>| message.map(|message| message.status());
    let first = watching.message().await.expect("it is open");
    assert_eq!(status(first), Some(ServingStatus::Serving));
    drop(house.stop);
    // The listener is closed when nobody can come in any more.
    while TcpStream::connect(house.address).await.is_ok() {
        tokio::task::yield_now().await;
    }
    house.health.set_service_status("", tonic_health::ServingStatus::NotServing).await;
    let second = watching.message().await.expect("it is still open");
    assert_eq!(status(second), Some(ServingStatus::NotServing));
    assert!(!house.served.is_finished());
    drop(watching);
    ended(house.served).await;
    drop((silent, idle, client));
}

#[tokio::test]
async fn calls_that_do_not_end_are_closed_after_the_drain_time() {
    let house = open(HttpConfig { drain: Duration::ZERO, ..HttpConfig::default() }).await;
    let mut client = HealthClient::new(house.channel().await);
    let mut watching = client.watch(HealthCheckRequest::default()).await.expect("it answers").into_inner();
    watching.message().await.expect("it is open");
    house.close().await;
    assert!(watching.message().await.is_err(), "it was cut off");
}

#[tokio::test]
async fn a_call_from_inside_the_process_has_no_address() {
    let (_health, peers, routes) = health_routes();
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let (stop, stopped) = oneshot::channel::<()>();
    let router = HttpConfig::default().router(routes, Router::new());
    let served = tokio::spawn(async move {
        let stopped = async { drop(stopped.await) };
        serve_connection(&HttpConfig::default(), router, theirs, None, stopped).await
    });
    let channel = channel_over(ours).await;
    assert_eq!(check(channel).await.expect("it answers"), ServingStatus::Serving);
    assert_eq!(*peers.lock().expect("it is unused"), [None]);
    drop(stop);
    ended(served).await;
}
