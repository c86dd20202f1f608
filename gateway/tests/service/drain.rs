//! A server that is asked to stop ends its streams so that they can be resumed, lets calls in work finish, creates
//! nothing new, and is gone within its drain time.

use std::path::Path;
use std::time::Duration;

use crate::common::naval::recoded;
use crate::common::process::{Process, lazy};
use crate::common::{Client, Running, bearer, config, id_of, reason, request_id, settings};
use futures_util::{StreamExt, stream};
use parley_bots::arms::Arms;
use parley_games::receipt::Promise;
use parley_proto::plunder::v1 as plunder;
use parley_proto::v1;
use parley_proto::v1::Reason;
use parley_proto::v1::admin_client::AdminClient;
use parley_proto::v1::news::What;
use parley_proto::v1::session_request::What as Call;
use parley_proto::v1::session_response::What as Answer;
use prost::Message;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tonic::codegen::http::uri::PathAndQuery;
use tonic::{Code, Status, Streaming};

/// What the server is given to end, in seconds.
const DRAIN_SECONDS: &str = "10";
/// When it has to have ended: sooner than its time, because everybody behaves.
const IN_TIME: Duration = Duration::from_secs(9);

/// A call whose message is sent later than its headers: it is in work from the beginning.
struct InWork<T> {
    send: oneshot::Sender<()>,
    answer: JoinHandle<Result<T, Status>>,
}

impl<T: Message + Default + Send + 'static> InWork<T> {
    async fn begin<M: Message + 'static>(client: &Client, path: &'static str, token: &str, message: M) -> Self {
        let (send, sent) = oneshot::channel();
        let (asked, was_asked) = oneshot::channel::<()>();
        // It is asked for when the headers are on their way.
        let messages = stream::once(async move {
            drop(asked);
            sent.await.expect("it is sent");
            message
        });
        let request = bearer(token, messages);
        let mut grpc = tonic::client::Grpc::new(client.channel.clone());
        let answer = tokio::spawn(async move {
            grpc.ready().await.map_err(|error| Status::unknown(error.to_string()))?;
            let codec = tonic_prost::ProstCodec::<M, T>::default();
            let path = PathAndQuery::from_static(path);
            grpc.client_streaming(request, path, codec).await.map(tonic::Response::into_inner)
        });
        let _ = was_asked.await;
        Self { send, answer }
    }

    async fn finish(self) -> Result<T, Status> {
        self.send.send(()).expect("the call waits for it");
        self.answer.await.expect("no panic")
    }
}

/// A match of two, with a seat that follows it in both ways.
struct Scene {
    client: Client,
    id: String,
    tokens: [String; 2],
    watch: Streaming<v1::WatchResponse>,
    session: Streaming<v1::SessionResponse>,
    /// What the streams told.
    watched: Vec<v1::News>,
}

impl Scene {
    async fn set(server: &Process) -> Self {
        let mut client = lazy(server.address);
        let id = id_of(&client.create(settings(2, 9), Some([1; 32])).await);
        let tokens = [client.join(&id, 0).await, client.join(&id, 1).await];
        let request = v1::WatchRequest { match_id: id.clone(), after: 0, views: true, ..Default::default() };
        let watch = client.play.watch(bearer(&tokens[0], request)).await.expect("a stream").into_inner();
        let open = v1::SessionOpen { match_id: id.clone(), views: true, ..Default::default() };
        let calls = stream::iter([v1::SessionRequest { call: 1, what: Some(Call::Open(open)), ..Default::default() }]);
        let calls = bearer(&tokens[0], calls.chain(stream::pending()));
        let session = client.play.session(calls).await.expect("a stream").into_inner();
        Self { client, id, tokens, watch, session, watched: Vec::new() }
    }

    fn lock(&self, turn: u32) -> v1::LockInRequest {
        let sheet = Some(v1::Sheet::of_plunder(plunder::Sheet::default()));
        v1::LockInRequest { request_id: request_id(), match_id: self.id.clone(), turn, sheet }
    }

    async fn lock_in(&mut self, seat: usize, request: v1::LockInRequest) -> v1::LockInResponse {
        let request = bearer(&self.tokens[seat], request);
        self.client.play.lock_in(request).await.expect("a receipt").into_inner()
    }

    /// Plays turns and reads of them on one of the two streams.
    async fn play(&mut self, turns: u32) {
        for turn in 1..=turns {
            for seat in 0..2 {
                let lock = self.lock(turn);
                self.lock_in(seat, lock).await;
            }
        }
        while self.watched.last().is_none_or(|news| turn_of(news) != Some(turns)) {
            self.watched.push(self.watch.message().await.expect("no error").expect("news").news.expect("news"));
        }
    }

    /// Both streams end, and say why; nothing is lost that was on its way.
    async fn end_of_streams(&mut self) {
        let why = loop {
            match self.watch.message().await {
                Ok(response) => self.watched.push(response.expect("not without a reason").news.expect("news")),
                Err(status) => break status,
            }
        };
        assert_eq!((why.code(), reason(&why).as_str()), (Code::Unavailable, "DRAINING"));
        let mut in_session = Vec::new();
        let why = loop {
            match self.session.message().await {
                Ok(response) => match response.expect("not without a reason").what {
                    Some(Answer::News(news)) => in_session.push(news),
                    other => assert!(matches!(other, Some(Answer::Opened(_))), "{other:?}"),
                },
                Err(status) => break status,
            }
        };
        assert_eq!((why.code(), reason(&why).as_str()), (Code::Unavailable, "DRAINING"));
        assert_eq!(in_session, self.watched);
    }
}

fn turn_of(news: &v1::News) -> Option<u32> {
    match &news.what {
        Some(What::Outcome(outcome)) => Some(outcome.turn),
        _ => None,
    }
}

/// A server that is asked to stop while everything is going on.
async fn stops_in_order(data: &Path, ask: impl AsyncFnOnce(&Process, &Scene)) {
    let flags = ["--drain-seconds", DRAIN_SECONDS];
    let server = Process::start(data, &flags).await;
    let mut scene = Scene::set(&server).await;
    scene.play(3).await;
    let first = scene.lock(4);
    let acknowledged = scene.lock_in(1, first.clone()).await;

    let in_flight = scene.lock(4);
    let path = "/parley.v1.Play/LockIn";
    let locking: InWork<v1::LockInResponse> =
        InWork::begin(&scene.client, path, &scene.tokens[0], in_flight.clone()).await;
    let create = v1::CreateMatchRequest {
        request_id: request_id(),
        settings: Some(settings(2, 9)),
        ..v1::CreateMatchRequest::default()
    };
    let path = "/parley.v1.Lobby/CreateMatch";
    let creating: InWork<v1::CreateMatchResponse> = InWork::begin(&scene.client, path, "", create.clone()).await;
    // The connection keeps the order: when this is answered, the server has seen the beginnings of the others.
    let get = v1::GetMatchRequest { match_id: scene.id.clone() };
    scene.client.lobby.get_match(get).await.expect("the match");

    ask(&server, &scene).await;
    scene.end_of_streams().await;
    let refused = creating.finish().await.expect_err("nothing is created any more");
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::Unavailable, "DRAINING"));
    let finished = locking.finish().await.expect("a call in work is answered");
    let address = server.address;
    let ended = server.ended(IN_TIME).await;
    assert!(ended.success(), "{ended:?}");
    assert!(tokio::net::TcpStream::connect(address).await.is_err(), "nobody listens any more");

    let server = Process::start(data, &flags).await;
    scene.client = lazy(server.address);
    let again = [scene.lock_in(1, first).await, scene.lock_in(0, in_flight).await];
    let said = |answer: v1::LockInResponse| Promise::read(&answer.receipt.expect("a receipt")).expect("a promise");
    assert_eq!(again.map(said), [acknowledged, finished].map(said));
    resumes(&mut scene).await;
    let created = scene.client.lobby.create_match(create).await.expect("a new match").into_inner();
    assert_ne!(id_of(&created), scene.id);
}

/// The streams go on where they ended, and tell the same as one that begins at the beginning.
async fn resumes(scene: &mut Scene) {
    let after = scene.watched.len() as u64;
    assert_eq!(scene.watched.iter().filter_map(turn_of).collect::<Vec<_>>(), [1, 2, 3]);
    let request = |after| v1::WatchRequest { match_id: scene.id.clone(), after, views: true, ..Default::default() };
    let watch = bearer(&scene.tokens[0], request(after));
    let mut rest = scene.client.play.watch(watch).await.expect("a stream").into_inner();
    let news = rest.message().await.expect("no error").expect("news").news.expect("news");
    assert_eq!((news.cursor, turn_of(&news)), (after + 1, Some(4)));
    scene.watched.push(news);
    let watch = bearer(&scene.tokens[0], request(0));
    let mut whole = scene.client.play.watch(watch).await.expect("a stream").into_inner();
    for told in &scene.watched {
        let news = whole.message().await.expect("no error").expect("news").news.expect("news");
        assert_eq!(&news, told);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_signal_stops_the_server_in_order() {
    let folder = tempfile::tempdir().expect("a folder");
    stops_in_order(folder.path(), async |server, _| server.terminate()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_administrator_stops_the_server_in_order() {
    let folder = tempfile::tempdir().expect("a folder");
    let ask = async |_: &Process, scene: &Scene| {
        let mut admin = AdminClient::new(scene.client.channel.clone());
        for token in ["", &scene.tokens[0]] {
            let refused = admin.drain(bearer(token, v1::DrainRequest {})).await.expect_err("only administrators");
            assert_eq!((refused.code(), reason(&refused).as_str()), (Code::PermissionDenied, "NOT_ALLOWED"));
        }
        let token = std::fs::read_to_string(folder.path().join("admin.token")).expect("the token");
        admin.drain(bearer(token.trim(), v1::DrainRequest {})).await.expect("an administrator may");
    };
    stops_in_order(folder.path(), ask).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_shuts_down_creates_nothing() {
    let server = Running::start(&config()).await;
    server.matches.drain();
    let request = v1::CreateMatchRequest {
        request_id: request_id(),
        settings: Some(settings(2, 9)),
        ..v1::CreateMatchRequest::default()
    };
    let refused = server.matches.create(recoded(&request)).await.expect_err("refused");
    assert_eq!((refused.code, refused.reason), (Code::Unavailable, Reason::Draining));
    assert_eq!(server.matches.in_memory(), 0);
    server.stop().await;
}
