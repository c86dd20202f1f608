//! What needs no network.

use std::path::Path;

use axum::Router;
use axum::routing::get;
use futures_util::FutureExt;
use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};
use tokio::time::Instant;
use tonic::service::Routes;

use super::*;

fn reception() -> Reception {
    DoorConfig::default().reception(Routes::default(), Router::new().route("/", get(async || "hello")))
}

/// Serves one end of a pipe and gives the other.
fn connected() -> (tokio::io::DuplexStream, tokio::task::JoinHandle<io::Result<()>>) {
    let (ours, theirs) = duplex(4096);
    let served = tokio::spawn(async move {
        serve_connection(&DoorConfig::default(), reception(), theirs, None, std::future::pending()).await
    });
    (ours, served)
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
    let door = DoorConfig::default();
    let served = serve_connection(&door, reception(), server, None, std::future::ready(()));
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
        DoorConfig::from_config(&config)
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
fn the_defaults_of_the_door_are_those_of_the_configuration() {
    let door = DoorConfig::from_config(&Config::default()).expect("it names no files");
    assert_eq!(format!("{door:?}"), format!("{:?}", DoorConfig::default()));
}

#[tokio::test]
async fn numbers_are_not_told_to_other_machines() {
    use tower::ServiceExt;
    let numbers = Numbers::new(install_metrics(), || {});
    let router =
        observability_router(|| (true, "ready".to_owned()), numbers, |headers, _| headers.contains_key("x-admin"));
    let asked = async |peer: Option<&str>, header: &'static str| {
        let request = http::Request::get("/metrics").header(header, "yes").body(axum::body::Body::empty());
        let mut request = request.expect("a request");
        let address = peer.map(|peer| peer.parse().expect("an address"));
        let from = peer::Origin { address, ..peer::Origin::default() }.of(request.headers_mut());
        if let peer::From::Connection(peer) | peer::From::Proxy(peer) = from {
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
