//! What strangers send: bytes that are no messages, text that nobody can see, requests for other hosts, and questions
//! that are for operators.

use std::net::SocketAddr;

use crate::common::naval::Naval;
use crate::common::process::{Process, client, lazy, plain};
use crate::common::{Client, Running, bearer, config, id_of, reason, request_id};
use crate::sea::duel;
use parley_gateway::config::Config;
use parley_proto::v1;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tonic::Code;
use tonic::transport::Endpoint;

/// The answer to a request of HTTP/1.1 with these lines in its head, and these bytes after it.
async fn ask(address: SocketAddr, head: &str, body: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    let request = format!("{head}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", body.len());
    stream.write_all(&[request.as_bytes(), body].concat()).await.expect("sent");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.expect("an answer");
    String::from_utf8_lossy(&answer).into_owned()
}

fn is_status(answer: &str, status: u16) -> bool {
    answer.starts_with(&format!("HTTP/1.1 {status} "))
}

#[tokio::test]
async fn bytes_that_are_no_message_are_the_callers_fault_in_every_kind_of_call() {
    let server = Running::start(&config()).await;
    let garbage: [&[u8]; 4] = [&[0xff; 16], &[0x0a, 0x7f, 0x00], &[0x0a, 0x02, 0xc3, 0x28], &[0x08]];
    for body in garbage {
        // As gRPC-web, plain and as a stream that carries many calls.
        for path in ["Lobby/CreateMatch", "Lobby/GetMatch", "Play/LockIn", "Play/Watch", "Play/Session"] {
            let framed = [&[0][..], &(body.len() as u32).to_be_bytes(), body].concat();
            let head = format!(
                "POST /parley.v1.{path} HTTP/1.1\r\nhost: {}\r\ncontent-type: application/grpc-web+proto\r\nx-grpc-web: 1",
                server.address
            );
            let answer = ask(server.address, &head, &framed).await.replace(": ", ":");
            assert!(answer.contains("grpc-status:3") && !answer.contains("grpc-status:13"), "{path}: {answer}");
            assert!(answer.contains("grpc-status-details-bin:"), "{path}: {answer}");
        }
    }
    // A frame that ends too early is no message either.
    let head = format!(
        "POST /parley.v1.Lobby/GetMatch HTTP/1.1\r\nhost: {}\r\ncontent-type: application/grpc-web+proto\r\nx-grpc-web: 1",
        server.address
    );
    let answer = ask(server.address, &head, &[0, 0, 0, 1, 0, 7]).await.replace(": ", ":");
    assert!(answer.contains("grpc-status:3"), "{answer}");
    server.stop().await;
}

#[tokio::test]
async fn text_that_nobody_can_see_is_refused_wherever_others_would_read_it() {
    let server = Running::start(&config()).await;
    let mut client = server.client().await;
    let created = client.create(duel(), None).await;
    let match_id = id_of(&created);
    for hidden in ["An\u{202e}na", "\u{200b}", "Anna\u{2066}", "An\u{ad}na"] {
        let join = v1::JoinMatchRequest {
            request_id: request_id(),
            match_id: match_id.clone(),
            name: hidden.to_owned(),
            ..Default::default()
        };
        let joined = client.lobby.join_match(join).await.expect_err("a hidden name");
        let named = v1::MatchSettings { name: hidden.to_owned(), ..duel() };
        let ruled = duel().with_changes(format!("{{\"name\": \"{hidden}\"}}"));
        let mut refused = vec![("name", joined)];
        for (field, settings) in [("settings.name", named), ("settings.game.plunder", ruled)] {
            let request_id = request_id();
            let create = v1::CreateMatchRequest { request_id, settings: Some(settings), ..Default::default() };
            refused.push((field, client.lobby.create_match(create).await.expect_err("a hidden name")));
        }
        let mut admin = v1::admin_client::AdminClient::new(client.channel.clone());
        let stop =
            v1::StopMatchRequest { request_id: request_id(), match_id: match_id.clone(), reason: hidden.to_owned() };
        refused.push(("reason", admin.stop_match(bearer(&created.host_token, stop)).await.expect_err("hidden")));
        for (field, status) in refused {
            assert_eq!((status.code(), &*reason(&status)), (Code::InvalidArgument, "FIELD_INVALID"), "{field}");
            let said = status.message();
            assert!(said.starts_with(&format!("{field}: U+")) && said.contains("is an invisible character"), "{said}");
        }
    }
    client.join(&match_id, 0).await;
    server.stop().await;
}

#[tokio::test]
async fn a_service_for_its_own_machine_answers_only_for_its_names() {
    let names = parley_gateway::config::HostNames(vec!["play.example".to_owned()]);
    let server = Running::start(&Config { host_names: names, ..config() }).await;
    let port = server.address.port();
    for host in
        [format!("localhost:{port}"), format!("127.0.0.1:{port}"), "[::1]".to_owned(), "play.example".to_owned()]
    {
        for path in ["/", "/healthz", "/metrics"] {
            let answer = ask(server.address, &format!("GET {path} HTTP/1.1\r\nhost: {host}"), b"").await;
            assert!(is_status(&answer, 200), "{host}{path}: {answer}");
        }
    }
    for kind in ["text/plain", "application/grpc-web+proto", "application/json"] {
        for request in ["GET /", "GET /metrics", "OPTIONS /parley.v1.Lobby/GetMatch", "POST /parley.v1.Lobby/GetMatch"]
        {
            let head = format!("{request} HTTP/1.1\r\nhost: evil.example:{port}\r\ncontent-type: {kind}");
            let answer = ask(server.address, &head, &[0, 0, 0, 0, 0]).await;
            assert!(is_status(&answer, 421) && answer.contains("names another host"), "{request}: {answer}");
            assert!(!answer.to_ascii_lowercase().contains("access-control-allow"), "{answer}");
        }
    }
    // Over gRPC: the name of the machine is good, and a foreign one is refused with a reason.
    let calling = |authority: String| {
        let endpoint = tonic::transport::Endpoint::from_shared(format!("http://{}", server.address)).expect("one");
        let origin = format!("http://{authority}").parse().expect("an address");
        crate::common::process::client(&endpoint.origin(origin))
    };
    let list = v1::ListMatchesRequest::default;
    let mut local: Client = calling(format!("localhost:{port}"));
    local.lobby.list_matches(list()).await.expect("its own name");
    let status = calling("evil.example".to_owned()).lobby.list_matches(list()).await.expect_err("a foreign name");
    assert_eq!((status.code(), &*reason(&status)), (Code::PermissionDenied, "HOST_UNKNOWN"), "{status}");

    // House bots call inside the process, under a name that is none.
    let bots = v1::MatchSettings {
        seats: vec![v1::SeatChoice { house_bot: "hold".to_owned() }; 2],
        ..crate::common::settings(2, 7).with_changes(r#"{"turn_limit": 2}"#)
    };
    let id = id_of(&local.create(bots, None).await);
    let watch = v1::WatchRequest { match_id: id, ..Default::default() };
    let mut news = local.play.watch(watch).await.expect("news").into_inner();
    let playing = async { while news.message().await.expect("news").is_some() {} };
    tokio::time::timeout(std::time::Duration::from_secs(30), playing).await.expect("the bots played to the end");
    server.stop().await;
}

#[tokio::test]
async fn numbers_are_for_this_machine_for_the_administrator_and_for_an_address_of_their_own() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address");
    let server = Running::start(&Config { metrics_listen: Some(free), ..config() }).await;
    let metrics = |lines: &str| format!("GET /metrics HTTP/1.1\r\nhost: localhost{lines}");
    let here = ask(server.address, &metrics(""), b"").await;
    assert!(is_status(&here, 200) && here.contains("parley_build_info"), "{here}");

    let admin = server.matches.keyring.admin_token();
    let host = server.client().await.create(duel(), None).await.host_token;
    for header in ["forwarded: for=192.0.2.1", "x-forwarded-for: 192.0.2.1", "X-Forwarded-For: 127.0.0.1"] {
        let passed_on = ask(server.address, &metrics(&format!("\r\n{header}")), b"").await;
        assert!(is_status(&passed_on, 403) && passed_on.contains("metrics_listen"), "{header}: {passed_on}");
        assert!(!passed_on.contains("parley_build_info"), "{passed_on}");
        for (token, status) in [(&admin, 200), (&host, 403), (&"nonsense".to_owned(), 403)] {
            let lines = format!("\r\n{header}\r\nauthorization: Bearer {token}");
            let answer = ask(server.address, &metrics(&lines), b"").await;
            assert!(is_status(&answer, status), "{header}: {answer}");
        }
    }
    let own = ask(free, "GET /metrics HTTP/1.1\r\nhost: gateway:7401\r\nx-forwarded-for: 192.0.2.1", b"").await;
    assert!(is_status(&own, 200) && own.contains("parley_build_info"), "{own}");
    let page = ask(free, "GET / HTTP/1.1\r\nhost: gateway:7401", b"").await;
    assert!(is_status(&page, 404), "nothing else is told there: {page}");
    server.stop().await;
}

/// Creates a match from an address of this machine, with a header of a proxy or none; gives why it was refused, or
/// nothing.
async fn created_through(client: &mut Client, header: Option<(&'static str, &'static str)>) -> String {
    let settings = Some(duel());
    let mut request =
        tonic::Request::new(v1::CreateMatchRequest { request_id: request_id(), settings, ..Default::default() });
    if let Some((name, value)) = header {
        request.metadata_mut().insert(name, value.parse().expect("ascii"));
    }
    client.lobby.create_match(request).await.err().map(|refused| reason(&refused)).unwrap_or_default()
}

#[tokio::test]
async fn creations_count_against_the_address_that_a_trusted_proxy_names() {
    let folder = tempfile::tempdir().expect("a folder");
    let flags = [
        "--trusted-proxies",
        "127.0.0.1",
        "--creation-burst-per-address",
        "3",
        "--creations-per-minute-per-address",
        "1",
        "--exempt-loopback=false",
    ];
    let server = Process::start(folder.path(), &flags).await;
    let from = |source: [u8; 4]| {
        let endpoint = Endpoint::from_shared(format!("http://{}", server.address)).expect("an address");
        client(&endpoint.local_address(Some(source.into())))
    };
    let mut proxy = from([127, 0, 0, 1]);
    let (anna, bert) = (("x-forwarded-for", "203.0.113.1"), ("forwarded", "for=203.0.113.2;proto=https"));
    for header in [anna, bert] {
        for _ in 0..3 {
            assert_eq!(created_through(&mut proxy, Some(header)).await, "", "{header:?}");
        }
        assert_eq!(created_through(&mut proxy, Some(header)).await, "RATE_LIMITED", "{header:?}");
    }
    // Whichever header names it, and whatever a caller has put before it, it is the same address.
    for header in [("forwarded", "for=203.0.113.1"), ("x-forwarded-for", "8.8.8.8, 203.0.113.2")] {
        assert_eq!(created_through(&mut proxy, Some(header)).await, "RATE_LIMITED", "{header:?}");
    }
    assert_eq!(created_through(&mut proxy, Some(("x-forwarded-for", "203.0.113.3"))).await, "", "others do not notice");

    // Who is no proxy can say what it likes.
    let mut stranger = from([127, 0, 0, 2]);
    for header in [("x-forwarded-for", "203.0.113.4"), ("forwarded", "for=203.0.113.5"), anna] {
        assert_eq!(created_through(&mut stranger, Some(header)).await, "", "{header:?}");
    }
    assert_eq!(created_through(&mut stranger, Some(("x-forwarded-for", "203.0.113.6"))).await, "RATE_LIMITED");
}

/// More than one address may create at once, and more than it may have unfinished, by default.
const CREATIONS: usize = 110;
/// More connections than one address may have by default.
const CONNECTIONS: usize = 300;

/// Leagues, load runs and tests on the server's own machine need no settings, and neither do administrators.
#[tokio::test]
async fn quotas_bind_neither_callers_on_the_same_machine_nor_administrators() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Process::launch(&mut plain(folder.path())).await;
    let mut local = lazy(server.address);
    for number in 0..CREATIONS {
        assert_eq!(created_through(&mut local, None).await, "", "creation {number}");
    }
    let mut open = Vec::new();
    for _ in 0..CONNECTIONS {
        open.push(TcpStream::connect(server.address).await.expect("a connection"));
    }
    for stream in [0, CONNECTIONS - 1] {
        let request = format!("GET /healthz HTTP/1.1\r\nhost: {}\r\n\r\n", server.address);
        open[stream].write_all(request.as_bytes()).await.expect("sent");
        let mut answer = [0; 12];
        open[stream].read_exact(&mut answer).await.expect("an answer");
        assert_eq!(&answer, b"HTTP/1.1 200", "connection {stream}");
    }
    server.kill();

    let server = Process::launch(plain(folder.path()).arg("--exempt-loopback=false")).await;
    let mut local = lazy(server.address);
    let mut refusal = String::new();
    let mut created = 0;
    while refusal.is_empty() && created < CREATIONS {
        refusal = created_through(&mut local, None).await;
        created += usize::from(refusal.is_empty());
    }
    assert_eq!(refusal, "RATE_LIMITED", "after {created} creations");
    let token = std::fs::read_to_string(folder.path().join("admin.token")).expect("the administrator's token");
    for number in 0..CREATIONS {
        let request = v1::CreateMatchRequest { request_id: request_id(), settings: Some(duel()), ..Default::default() };
        let answer = local.lobby.create_match(bearer(token.trim(), request)).await;
        assert!(answer.is_ok(), "creation {number} of the administrator: {answer:?}");
    }
    server.kill();
}
