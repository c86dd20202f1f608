//! Traces that were really received: the real binary plays a turn with an encounter, and a collector made of
//! OpenTelemetry's own service has its spans.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::common::process::Process;
use crate::common::script::pick;
use crate::common::{Client, bearer, id_of, request_id};
use crate::sea::{duel, halfway};
use opentelemetry_proto::tonic::collector::trace::v1::trace_service_server::{TraceService, TraceServiceServer};
use opentelemetry_proto::tonic::collector::trace::v1::{ExportTraceServiceRequest, ExportTraceServiceResponse};
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::trace::v1::Span;
use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use parley_bots::arms::Arms;
use parley_gateway::http::{Budget, HttpConfig, serve};
use parley_proto::plunder::v1 as plunder;
use parley_proto::v1;
use parley_proto::v1::news::What;
use tonic::service::Routes;
use tonic::{Request, Response, Status};

const CALLER: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const IGNORED: &str = "00-5bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00";

/// A collector.
#[derive(Clone, Default)]
struct Collector(Arc<Mutex<Vec<ExportTraceServiceRequest>>>);

#[tonic::async_trait]
impl TraceService for Collector {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(request.into_inner());
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}

impl Collector {
    async fn listen() -> (Self, SocketAddr) {
        let collector = Self::default();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let routes = Routes::new(TraceServiceServer::new(collector.clone()));
        let http_config = HttpConfig::default();
        let budget = Budget::new(http_config.budget);
        tokio::spawn(serve(http_config, budget, listener, routes, axum::Router::new(), std::future::pending()));
        (collector, address)
    }

    fn spans(&self) -> Vec<Span> {
        let received = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let resources = received.iter().flat_map(|request| &request.resource_spans);
        resources.flat_map(|resource| &resource.scope_spans).flat_map(|scope| scope.spans.clone()).collect()
    }

    fn services(&self) -> Vec<String> {
        let received = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let resources = received.iter().flat_map(|request| &request.resource_spans).filter_map(|r| r.resource.as_ref());
        resources.filter_map(|resource| word(&resource.attributes, "service.name")).collect()
    }
}

type Attributes = [opentelemetry_proto::tonic::common::v1::KeyValue];

fn value<'a>(attributes: &'a Attributes, key: &str) -> Option<&'a Value> {
    attributes.iter().find(|pair| pair.key == key)?.value.as_ref()?.value.as_ref()
}

fn word(attributes: &Attributes, key: &str) -> Option<String> {
    match value(attributes, key)? {
        Value::StringValue(word) => Some(word.clone()),
        _ => None,
    }
}

fn number(span: &Span, key: &str) -> Option<i64> {
    match value(&span.attributes, key)? {
        Value::IntValue(number) => Some(*number),
        _ => None,
    }
}

/// Two players, what they are told, and their tokens.
struct Duel {
    id: String,
    client: Client,
    tokens: [String; 2],
}

impl Duel {
    async fn begin(mut client: Client) -> Self {
        let id = id_of(&client.create(duel(), Some([7; 32])).await);
        let tokens = [client.join(&id, 0).await, client.join(&id, 1).await];
        Self { id, client, tokens }
    }

    async fn lock(&mut self, seat: usize, turn: u32, sheet: plunder::Sheet, traceparent: Option<&str>) {
        let lock = v1::LockInRequest {
            request_id: request_id(),
            match_id: self.id.clone(),
            turn,
            sheet: Some(v1::Sheet::of_plunder(sheet)),
        };
        let mut request = bearer(&self.tokens[seat], lock);
        if let Some(traceparent) = traceparent {
            request.metadata_mut().insert("traceparent", traceparent.parse().expect("a header"));
        }
        self.client.play.lock_in(request).await.expect("locked");
    }

    /// Both attack whatever they are asked about.
    async fn attack(&mut self, turn: u32) {
        for token in self.tokens.clone() {
            let look = v1::GetViewRequest { match_id: self.id.clone() };
            let view = self.client.play.get_view(bearer(&token, look)).await.expect("a view").into_inner();
            let v1::Prompt { window, questions, .. } = view.prompt.expect("to be asked");
            let answers = questions.iter().map(|question| pick(question, "attack")).collect();
            let match_id = self.id.clone();
            let answer = v1::AnswerRequest { request_id: request_id(), match_id, turn, window, answers };
            self.client.play.answer(bearer(&token, answer)).await.expect("answered");
        }
    }

    /// The trace of a turn, as its outcome tells it.
    async fn trace_of(&mut self, turn: u32) -> Vec<u8> {
        let watch = v1::WatchRequest { match_id: self.id.clone(), after: 0, views: false, ..Default::default() };
        let mut news = self.client.play.watch(bearer(&self.tokens[0], watch)).await.expect("a stream").into_inner();
        loop {
            let news = news.message().await.expect("no error").expect("more news").news.expect("news");
            match news.what {
                Some(What::Outcome(outcome)) if outcome.turn == turn => return outcome.trace_id.to_vec(),
                _ => {}
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_turn_is_one_trace_and_nothing_secret_is_in_it() {
    let (collector, address) = Collector::listen().await;
    let folder = tempfile::tempdir().expect("a folder");
    let flags = ["--otlp", &format!("http://{address}"), "--jaeger-ui", "http://jaeger.example/"];
    let server = Process::start(folder.path(), &flags).await;
    let mut duel = Duel::begin(Client::connect(server.address).await).await;
    duel.lock(0, 1, halfway(0), Some(CALLER)).await;
    duel.lock(1, 1, halfway(1), None).await;
    duel.attack(1).await;
    let trace = duel.trace_of(1).await;
    duel.lock(0, 2, plunder::Sheet::default(), Some(IGNORED)).await;
    let found = v1::GetMatchRequest { match_id: duel.id.clone() };
    let found = duel.client.lobby.get_match(found).await.expect("a match").into_inner();
    assert!(found.traced);
    assert_eq!(found.trace_url, "http://jaeger.example/trace/");
    let replayed = parley_gateway::trace::trace_of(duel.id.parse().expect("an id"), 1);
    assert_eq!(replayed.as_slice(), trace, "whoever knows a turn knows its trace");

    server.terminate();
    assert!(server.ended(Duration::from_secs(20)).await.success());
    assert!(collector.services().iter().all(|name| name == "parley") && !collector.services().is_empty());
    let all = collector.spans();
    let spans: Vec<&Span> = all.iter().filter(|span| span.trace_id == trace).collect();
    let mut names: BTreeMap<&str, usize> = BTreeMap::new();
    spans.iter().for_each(|span| *names.entry(&span.name).or_default() += 1);
    let expected = [
        ("journal.commit", 1),
        ("play.lock_in", 1),
        ("tick", 3),
        ("turn.combat", 1),
        ("turn.decisions", 1),
        ("turn.locked", 1),
        ("turn.open", 1),
        ("turn.publish", 1),
        // Until the ships met, and after their owners had answered.
        ("turn.resolve", 2),
    ];
    assert_eq!(names, BTreeMap::from(expected));

    let one = |name: &str| *spans.iter().find(|span| span.name == name).expect("a span");
    let root = one("turn.open");
    assert!(root.parent_span_id.is_empty());
    for span in &spans {
        assert!(span.start_time_unix_nano <= span.end_time_unix_nano && span.start_time_unix_nano > 0);
        assert_eq!(word(&span.attributes, "parley.match").as_deref(), Some(duel.id.as_str()));
        assert_eq!(number(span, "parley.turn"), Some(1));
        let parent = match span.name.as_str() {
            "turn.open" => continue,
            "tick" => "turn.resolve",
            "turn.combat" => "tick",
            _ => "turn.open",
        };
        let above = spans.iter().find(|above| above.span_id == span.parent_span_id).expect("a parent in the trace");
        assert_eq!(above.name, parent, "above {}", span.name);
    }
    assert_eq!(
        spans.iter().filter(|span| span.name == "tick").map(|span| number(span, "parley.tick")).collect::<Vec<_>>(),
        [Some(1), Some(2), Some(3)]
    );
    assert_eq!(number(one("turn.decisions"), "parley.tick"), Some(3));
    let combat = one("turn.combat");
    assert_eq!((number(combat, "parley.group"), number(combat, "parley.exchanges")), (Some(1), Some(1)));
    assert_eq!(word(&combat.attributes, "parley.combat").as_deref(), Some("entry"));

    // Who brought a trace along finds the lock-in there, with a link to the turn.
    let called: Vec<&Span> = all.iter().filter(|span| span.trace_id[0] == 0x4b).collect();
    assert_eq!(called.len(), 1);
    assert_eq!((called[0].name.as_str(), called[0].kind()), ("play.lock_in", SpanKind::Server));
    assert_eq!(called[0].parent_span_id, [0x00, 0xf0, 0x67, 0xaa, 0x0b, 0xa9, 0x02, 0xb7]);
    assert_eq!((&called[0].links[0].trace_id, &called[0].links[0].span_id), (&trace, &root.span_id));
    assert!(all.iter().all(|span| span.trace_id[0] != 0x5b), "a trace that its owner does not keep");

    let known = [
        "parley.match",
        "parley.turn",
        "parley.tick",
        "parley.group",
        "parley.encounters",
        "parley.ships",
        "parley.moves",
        "parley.exchanges",
        "parley.combat",
    ];
    for span in &all {
        assert!(span.attributes.iter().all(|pair| known.contains(&pair.key.as_str())), "{span:?}");
        assert!(span.events.is_empty() && span.trace_state.is_empty());
    }
    let text = format!("{all:?}");
    assert!(duel.tokens.iter().all(|token| !text.contains(token.as_str())), "a token");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn turns_that_are_not_sampled_and_collectors_that_are_away_cost_nobody_anything() {
    let (collector, address) = Collector::listen().await;
    let folder = tempfile::tempdir().expect("a folder");
    let flags = ["--otlp", &format!("http://{address}"), "--trace-ratio", "0"];
    let server = Process::start(folder.path(), &flags).await;
    let mut duel = Duel::begin(Client::connect(server.address).await).await;
    duel.lock(0, 1, plunder::Sheet::default(), None).await;
    duel.lock(1, 1, plunder::Sheet::default(), None).await;
    assert_eq!(duel.trace_of(1).await.len(), 16);
    server.terminate();
    assert!(server.ended(Duration::from_secs(20)).await.success());
    assert!(collector.spans().is_empty());

    let nobody = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = nobody.local_addr().expect("an address");
    drop(nobody);
    let folder = tempfile::tempdir().expect("a folder");
    let server = Process::start(folder.path(), &["--otlp", &format!("http://{address}")]).await;
    let mut duel = Duel::begin(Client::connect(server.address).await).await;
    for turn in 1..=50 {
        duel.lock(0, turn, plunder::Sheet::default(), None).await;
        duel.lock(1, turn, plunder::Sheet::default(), None).await;
    }
    assert_eq!(duel.trace_of(50).await.len(), 16);
    server.terminate();
    assert!(server.ended(Duration::from_secs(20)).await.success());
}
