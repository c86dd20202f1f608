//! Tests of the HTTP side that need no network.

use std::path::Path;

use axum::Router;
use axum::body::Body;
use axum::routing::get;
use futures_util::{FutureExt, stream};
use hyper_util::rt::TokioIo;
use prost::Message;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};
use tonic::service::Routes;
use tonic::transport::{Channel, Endpoint, Uri};
use tonic::{Code, Request};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;
use tonic_health::server::health_reporter;
use tonic_types::StatusExt;

use super::*;
use crate::config::ByteSize;

/// Longer than anything takes that has an end; on a clock that stands still while somebody works.
const LONG: Duration = Duration::from_secs(60);

fn router() -> RequestRouter {
    HttpConfig::default().router(Routes::default(), Router::new().route("/", get(async || "hello")))
}

/// Serves one end of a pipe and gives the other.
fn connected() -> (DuplexStream, JoinHandle<io::Result<()>>) {
    let (ours, theirs) = duplex(4096);
    let served = tokio::spawn(async move {
        serve_connection(&HttpConfig::default(), router(), theirs, None, std::future::pending()).await
    });
    (ours, served)
}

/// The same for a client on the network, at the address of a proxy that is trusted.
fn served_with(config: HttpConfig, grpc: Routes, http: Router) -> (DuplexStream, JoinHandle<io::Result<()>>) {
    let (ours, theirs) = duplex(4096);
    let address = [127, 0, 0, 1].into();
    let budget = Budget::new(config.budget);
    let connected = budget.connect(address, CONNECTION_COST, None).expect("there is room");
    let served = tokio::spawn(async move {
        let client = Client { address, budget, account: Arc::clone(&connected.account) };
        serve_connection(&config, config.router(grpc, http), theirs, Some(client), std::future::pending()).await
    });
    (ours, served)
}

/// A gRPC channel over a connection that exists already, and over no other.
async fn channel_over(io: DuplexStream) -> Channel {
    let mut once = Some(TokioIo::new(io));
    let connector = tower::service_fn(move |_: Uri| {
        std::future::ready(once.take().ok_or_else(|| io::Error::from(io::ErrorKind::NotConnected)))
    });
    Endpoint::from_static("http://localhost").connect_with_connector(connector).await.expect("it is connected")
}

#[tokio::test(start_paused = true)]
async fn a_connection_with_an_open_call_is_not_idle_whoever_pays_for_the_call() {
    let told: [&[(&'static str, &str)]; 4] = [
        &[],
        &[("x-forwarded-for", "203.0.113.9")],
        &[("parley-hop", "secret"), ("parley-hop-peer", "203.0.113.9")],
        &[("parley-hop", "secret")],
    ];
    for headers in told {
        let cluster_password = Some("secret".into());
        let config = HttpConfig { idle: Duration::from_secs(1), cluster_password, ..HttpConfig::default() };
        let (health, service) = health_reporter();
        let (io, served) = served_with(config, Routes::new(service), Router::new());
        let mut client = HealthClient::new(channel_over(io).await);
        let mut request = Request::new(HealthCheckRequest::default());
        for (name, value) in headers {
            request.metadata_mut().insert(*name, value.parse().expect("a value"));
        }
        let mut watching = client.watch(request).await.expect("it answers").into_inner();
        watching.message().await.expect("it is open");
        sleep(LONG).await;
        health.set_service_status("", tonic_health::ServingStatus::NotServing).await;
        let message = watching.message().await.unwrap_or_else(|status| panic!("it was cut: {headers:?}: {status}"));
        assert_eq!(message.map(|message| message.status()), Some(ServingStatus::NotServing), "{headers:?}");
        assert!(!served.is_finished());
        drop(watching);
        let ended = timeout(LONG, served).await.expect("it is let go when nothing is open any more");
        ended.expect("no panic").expect("it ended well");
    }
}

#[tokio::test]
async fn callers_whom_a_proxy_does_not_name_take_nothing_from_it() {
    const ROOM: usize = 1 << 20;
    let limits = BudgetLimits { total: 4 * ROOM, per_address: ROOM, per_connection: ROOM, unread: LONG };
    let budget = Budget::new(limits);
    let address = [127, 0, 0, 1].into();
    let connected = budget.connect(address, CONNECTION_COST, None).expect("there is room");
    let service = routing::ConnectionRouter {
        router: router(),
        origin: peer::ConnectionOrigin { address: Some(address), ..peer::ConnectionOrigin::default() },
        account: Some((Arc::clone(&budget), Arc::clone(&connected.account))),
    };
    let mut headers = http::HeaderMap::new();
    headers.insert("forwarded", http::HeaderValue::from_static("for=_hidden"));
    let payer = service.payer(service.origin.of(&mut headers)).expect("somebody pays");
    let _all = payer.reserve(ROOM).expect("they have as much as one address");
    assert_eq!(payer.reserve(1).expect_err("and no more"), Full::Address);
    assert!(connected.account.reserve(CALL_COST).is_ok());
    assert!(budget.connect(address, CONNECTION_COST, None).is_some());
}

#[tokio::test(start_paused = true)]
async fn a_connection_whose_answer_takes_long_is_not_idle() {
    let slow = async || {
        sleep(LONG).await;
        Body::from_stream(stream::once(async {
            sleep(LONG).await;
            Ok::<_, io::Error>("at last")
        }))
    };
    let config = HttpConfig { idle: Duration::from_secs(1), ..HttpConfig::default() };
    let (mut client, served) = served_with(config, Routes::default(), Router::new().route("/slow", get(slow)));
    client.write_all(b"GET /slow HTTP/1.1\r\nhost: localhost\r\n\r\n").await.expect("it is open");
    let mut answer = String::new();
    timeout(3 * LONG, client.read_to_string(&mut answer)).await.expect("it is let go after that").expect("text");
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.contains("at last"), "{answer}");
    served.await.expect("no panic").expect("it ended well");
}

#[tokio::test]
async fn a_head_that_is_too_long_is_refused() {
    for (bytes, status) in [(MAX_HEADER_BYTES as usize / 2, "200"), (2 * MAX_HEADER_BYTES as usize, "431")] {
        let (client, served) = connected();
        let (mut answers, mut requests) = tokio::io::split(client);
        let head = format!("GET / HTTP/1.1\r\nhost: here\r\nconnection: close\r\nx: {}\r\n\r\n", "x".repeat(bytes));
        // Whoever is refused may not get to say all of it.
        let asking = tokio::spawn(async move { requests.write_all(head.as_bytes()).await });
        let mut answer = String::new();
        answers.read_to_string(&mut answer).await.expect("it is closed");
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{bytes} bytes: {answer}");
        let _ = asking.await.expect("no panic");
        let _ = served.await.expect("no panic");
    }
}

/// A call for the health of a service with a name so long that the message has this many bytes.
fn message_of(bytes: usize) -> HealthCheckRequest {
    let with_name = |length| HealthCheckRequest { service: "x".repeat(length) };
    (0..=bytes).rev().map(with_name).find(|request| request.encoded_len() == bytes).expect("such a message")
}

#[tokio::test]
async fn a_message_that_never_fits_is_too_large_and_one_that_fits_is_read() {
    let room = Some(ByteSize(1 << 20));
    let config = Config { max_bytes_in_flight_per_connection: room, ..Config::default() };
    let config = HttpConfig::from_config(&config).expect("it names no files");
    let most = config.calls.message_bytes;
    let (_health, service) = health_reporter();
    let (io, _served) = served_with(config, Routes::new(service), Router::new());
    let mut client = HealthClient::new(channel_over(io).await);
    let status = client.check(message_of(100_000)).await.expect_err("there is no room");
    let details = status.get_error_details();
    let reason = details.error_info().map(|info| info.reason.clone());
    assert_eq!((status.code(), reason.as_deref()), (Code::ResourceExhausted, Some("MESSAGE_TOO_LARGE")), "{status}");
    assert!(status.message().contains("max_bytes_in_flight_per_connection"), "{status}");
    assert!(details.retry_info().is_none(), "it would be in vain: {status}");
    // No service has such a name, but the question was read.
    let status = client.check(message_of(most)).await.expect_err("there is no such service");
    assert_eq!(status.code(), Code::NotFound, "{status}");
    let status = client.check(message_of(most + 1)).await.expect_err("there is no room");
    assert_eq!(status.code(), Code::ResourceExhausted, "{status}");
}

#[tokio::test(start_paused = true)]
async fn a_client_that_says_nothing_is_not_waited_for() {
    let began = Instant::now();
    let (mut client, served) = connected();
    assert_eq!(client.read_to_end(&mut Vec::new()).await.expect("it is closed"), 0);
    let error = served.await.expect("it ended").expect_err("it was too slow");
    assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    assert!(began.elapsed() >= HANDSHAKE_TIME && began.elapsed() < 2 * HANDSHAKE_TIME);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_stops_within_its_first_words_is_not_waited_for() {
    for (words, time) in [("PRI * HTTP/2", HANDSHAKE_TIME), ("GET / HTTP/1.1\r\nhost:", HEADER_TIME)] {
        let began = Instant::now();
        let (mut client, served) = connected();
        client.write_all(words.as_bytes()).await.expect("it is open");
        client.read_to_end(&mut Vec::new()).await.expect("it is closed");
        assert!(served.await.expect("it ended").is_err(), "{words}");
        assert!(began.elapsed() >= time && began.elapsed() < 2 * time, "{words}");
    }
}

#[tokio::test]
async fn a_request_may_come_letter_by_letter() {
    let (mut client, served) = connected();
    for letter in b"GET / HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\r\n" {
        client.write_all(&[*letter]).await.expect("it is open");
    }
    let mut answer = String::new();
    client.read_to_string(&mut answer).await.expect("it is closed");
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.ends_with("hello"), "{answer}");
    assert!(served.await.expect("it ended").is_ok());
}

#[tokio::test]
async fn what_was_read_ahead_is_read_again() {
    for text in ["", "P", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nand more", "PRI * HTTP/1.1 or something longer", "GET /"] {
        let mut rewound = preface::read(text.as_bytes()).await.expect("slices can be read");
        let mut first = [0; 3];
        let got = rewound.read(&mut first).await.expect("slices can be read");
        let mut rest = Vec::new();
        rewound.read_to_end(&mut rest).await.expect("slices can be read");
        assert_eq!([&first[..got], &rest].concat(), text.as_bytes());
    }
}

#[tokio::test]
async fn a_connection_that_was_not_used_ends_with_the_service() {
    let (_client, server) = duplex(64);
    let config = HttpConfig::default();
    let served = serve_connection(&config, router(), server, None, std::future::ready(()));
    assert!(served.now_or_never().is_some_and(|ended| ended.is_ok()));
}

#[test]
fn origins_are_origins() {
    for good in ["", "https://play.example", "http://localhost:5173, https://[::1]:8443"] {
        assert!(Origins::parse(good).is_some(), "{good}");
    }
    for bad in ["*", "play.example", "https://", "https://a/b", "https://a@b", "ftp://a", "https://a b"] {
        assert!(Origins::parse(bad).is_none(), "{bad}");
    }
    let two = Origins::parse("https://a, https://b").expect("they are origins");
    assert_eq!(Origins::parse(&two.to_string()), Some(two));
}

#[test]
fn a_certificate_that_cannot_be_used_is_named() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("the folder is ours");
        path
    };
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate is made");
    let other = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate is made");
    let certificate = write("c.pem", &made.cert.pem());
    let key = write("k.pem", &made.signing_key.serialize_pem());
    let another = write("o.pem", &other.signing_key.serialize_pem());
    let empty = write("e.pem", "");
    let missing = folder.path().join("m.pem");
    let said = |certificate: &Path, key: &Path| {
        let config = Config {
            tls_certificate: Some(certificate.to_owned()),
            tls_key: Some(key.to_owned()),
            ..Config::default()
        };
        HttpConfig::from_config(&config)
            .err()
            .map(|error| error.to_string().replace(&format!("{}/", folder.path().display()), ""))
    };
    assert_eq!(said(&certificate, &key), None);
    assert_eq!(said(&empty, &key).as_deref(), Some("e.pem: there is no certificate in it, as PEM"));
    assert_eq!(said(&certificate, &empty).as_deref(), Some("e.pem: there is no private key in it, as PEM"));
    assert!(said(&missing, &key).is_some_and(|said| said.starts_with("m.pem: ")));
    let pair = said(&certificate, &another).expect("they are no pair");
    assert!(pair.starts_with("c.pem and o.pem cannot be used for TLS: "), "{pair}");
}

#[test]
fn the_default_limits_are_those_of_the_configuration() {
    let config = HttpConfig::from_config(&Config::default()).expect("it names no files");
    assert_eq!(format!("{config:?}"), format!("{:?}", HttpConfig::default()));
}

#[tokio::test]
async fn numbers_are_not_told_to_other_machines() {
    use tower::ServiceExt;
    let metrics_page = MetricsPage::new(install_metrics(), || {});
    let router =
        observability_router(|| (true, "ready".to_owned()), metrics_page, |headers, _| headers.contains_key("x-admin"));
    let asked = async |peer: Option<&str>, header: &'static str| {
        let request = http::Request::get("/metrics").header(header, "yes").body(axum::body::Body::empty());
        let mut request = request.expect("a request");
        let address = peer.map(|peer| peer.parse().expect("an address"));
        let from = peer::ConnectionOrigin { address, ..peer::ConnectionOrigin::default() }.of(request.headers_mut());
        if let peer::RequestOrigin::Connection(peer) | peer::RequestOrigin::Proxy(peer) = from {
            request.extensions_mut().insert(peer);
        }
        router.clone().oneshot(request).await.expect("an answer").status().as_u16()
    };
    for (peer, header, status) in [
        (Some("127.0.0.1"), "accept", 200),
        (Some("::1"), "accept", 200),
        (Some("::ffff:127.0.0.1"), "accept", 200),
        (Some("127.0.0.1"), "x-forwarded-for", 403),
        (Some("192.0.2.1"), "accept", 403),
        (Some("10.0.0.1"), "accept", 403),
        (None, "accept", 403),
        (Some("192.0.2.1"), "x-admin", 200),
    ] {
        assert_eq!(asked(peer, header).await, status, "{peer:?} {header}");
    }
}
