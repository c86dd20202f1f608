//! A server for tests that tells what it was told to tell, and loses connections on command.

use std::collections::{BTreeMap, VecDeque};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};

use parley_proto::v1;
use parley_proto::v1::play_server::{Play, PlayServer};
use parley_proto::v1::session_request::What as Call;
use parley_proto::v1::session_response::What as Answer;
use tokio::sync::{Notify, mpsc};
use tokio_stream::Stream;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status, Streaming};

/// How a connection ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConnectionEnd {
    /// It ends as if nothing were wrong.
    Quietly,
    /// It ends with a status that says to come back.
    Unavailable,
}

/// How a call is answered; answering may publish news.
pub(crate) type Script = Box<dyn FnMut(&mut Desk, &Call) -> Answer + Send>;

/// What the fake server holds.
#[derive(Default)]
pub(crate) struct Desk {
    /// All news, the first with cursor 1.
    pub(crate) news: Vec<v1::News>,
    /// News up to this cursor are not told any more.
    pub(crate) forgotten: u64,
    /// For the next connections, after how many messages each is lost. Later connections are not lost.
    pub(crate) cuts: VecDeque<(usize, ConnectionEnd)>,
    /// Whether it tells everything from the beginning, whatever was asked for.
    pub(crate) deaf: bool,
    /// The status that every session is refused with, if there is one.
    pub(crate) closed: Option<Status>,
    /// The answer to calls for a view outside of sessions.
    pub(crate) view: v1::GetViewResponse,
    /// The sessions that were asked for.
    pub(crate) opens: Vec<v1::SessionOpen>,
    /// The request ids of the calls that were received, in order; empty for calls without.
    pub(crate) received: Vec<String>,
    /// The `authorization` of the last session.
    pub(crate) authorization: Option<String>,
    script: Option<Script>,
    answered: BTreeMap<String, Answer>,
}

impl Desk {
    /// Adds to the news.
    pub(crate) fn publish(&mut self, what: v1::news::What) {
        let cursor = self.news.len() as u64 + 1;
        self.news.push(v1::News { cursor, what: Some(what) });
    }

    /// Answers a call; one that is repeated gets the first answer, as long as that was no refusal.
    fn answer(&mut self, call: &Call) -> Answer {
        let id = request_id(call);
        self.received.push(id.to_owned());
        if let Some(answer) = self.answered.get(id) {
            return answer.clone();
        }
        let Some(mut script) = self.script.take() else { panic!("no script for {call:?}") };
        let answer = script(self, call);
        self.script = Some(script);
        if !id.is_empty() && !matches!(answer, Answer::Refused(_)) {
            self.answered.insert(id.to_owned(), answer.clone());
        }
        answer
    }
}

fn request_id(call: &Call) -> &str {
    match call {
        Call::StageOrders(request) => &request.request_id,
        Call::LockIn(request) => &request.request_id,
        Call::Answer(request) => &request.request_id,
        Call::Concede(request) => &request.request_id,
        _ => "",
    }
}

fn without_view(news: &mut v1::News) {
    use v1::news::What;
    match &mut news.what {
        Some(What::TurnOpened(opened)) => opened.view = None,
        Some(What::Outcome(v1::Outcome { next: Some(opened), .. })) => opened.view = None,
        _ => {}
    }
}

fn without_changes(news: &mut v1::News) {
    use v1::news::What;
    match &mut news.what {
        Some(What::Prompt(prompt)) => prompt.changes = None,
        Some(What::Outcome(outcome)) => (outcome.shared_changes, outcome.own_changes) = (None, None),
        _ => {}
    }
}

/// The fake server, whose clones share one desk.
#[derive(Clone, Default)]
pub(crate) struct Fake {
    desk: Arc<Mutex<Desk>>,
    published: Arc<Notify>,
}

impl Fake {
    /// A server that answers calls like this.
    pub(crate) fn new(script: impl FnMut(&mut Desk, &Call) -> Answer + Send + 'static) -> Self {
        let fake = Self::default();
        fake.desk().script = Some(Box::new(script));
        fake
    }

    pub(crate) fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().expect("nobody panicked")
    }

    /// The service itself, which a session can use without any network.
    pub(crate) fn service(&self) -> PlayServer<Self> {
        PlayServer::new(self.clone())
    }

    /// Adds to the news and wakes the open sessions.
    pub(crate) fn publish(&self, what: v1::news::What) {
        self.desk().publish(what);
        self.published.notify_waiters();
    }

    async fn serve(
        self,
        mut line: LossyConnection,
        mut calls: Streaming<v1::SessionRequest>,
        mut told: u64,
    ) -> Option<()> {
        loop {
            let published = self.published.notified();
            self.tell(&mut line, &mut told).await?;
            let request = tokio::select! {
                request = calls.message() => request.ok()??,
                () = published => continue,
            };
            let what = request.what.expect("a call");
            let answer = self.desk().answer(&what);
            self.tell(&mut line, &mut told).await?;
            line.send(v1::SessionResponse { call: request.call, what: Some(answer), channel: 0 }).await?;
        }
    }

    /// Sends the news that have not been sent yet.
    async fn tell(&self, line: &mut LossyConnection, told: &mut u64) -> Option<()> {
        loop {
            let news = {
                let desk = self.desk();
                if *told < desk.forgotten {
                    let newest = desk.news.len() as u64;
                    let what = v1::news::What::SnapshotRequired(v1::SnapshotRequired { newest });
                    v1::News { cursor: 0, what: Some(what) }
                } else {
                    match desk.news.get(*told as usize) {
                        Some(news) => news.clone(),
                        None => return Some(()),
                    }
                }
            };
            let (cursor, mut news) = (news.cursor, news);
            if !line.views {
                without_view(&mut news);
            }
            if line.no_changes {
                without_changes(&mut news);
            }
            line.send(v1::SessionResponse { call: 0, what: Some(Answer::News(news)), channel: 0 }).await?;
            if cursor == 0 {
                return None;
            }
            *told = cursor;
        }
    }
}

/// A connection that may be lost.
struct LossyConnection {
    sender: mpsc::Sender<Result<v1::SessionResponse, Status>>,
    left: Option<(usize, ConnectionEnd)>,
    views: bool,
    no_changes: bool,
}

impl LossyConnection {
    /// Sends a message; `None` when the connection is lost instead.
    async fn send(&mut self, message: v1::SessionResponse) -> Option<()> {
        match &mut self.left {
            Some((0, ConnectionEnd::Quietly)) => return None,
            Some((0, ConnectionEnd::Unavailable)) => {
                self.sender.send(Err(Status::unavailable("cut"))).await.ok()?;
                return None;
            }
            Some((left, _)) => *left -= 1,
            None => {}
        }
        self.sender.send(Ok(message)).await.ok()
    }
}

type Answered<T> = Result<Response<T>, Status>;
type Told<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

#[tonic::async_trait]
impl Play for Fake {
    type SessionStream = Told<v1::SessionResponse>;
    type WatchStream = Told<v1::WatchResponse>;

    async fn session(&self, request: Request<Streaming<v1::SessionRequest>>) -> Answered<Self::SessionStream> {
        let authorization = request.metadata().get("authorization").and_then(|value| value.to_str().ok());
        self.desk().authorization = authorization.map(str::to_owned);
        let mut calls = request.into_inner();
        let first = calls.message().await?.ok_or_else(|| Status::invalid_argument("nothing was asked"))?;
        let Some(Call::Open(open)) = first.what else { return Err(Status::invalid_argument("not opened")) };
        let (sender, receiver) = mpsc::channel(1);
        let (left, told) = {
            let mut desk = self.desk();
            desk.opens.push(open.clone());
            if let Some(status) = &desk.closed {
                return Err(status.clone());
            }
            (desk.cuts.pop_front(), if desk.deaf { 0 } else { open.after })
        };
        let (fake, mut line) =
            (self.clone(), LossyConnection { sender, left, views: open.views, no_changes: open.no_changes });
        tokio::spawn(async move {
            let opened = Answer::Opened(v1::SessionOpened { seat: Some(0) });
            line.send(v1::SessionResponse { call: first.call, what: Some(opened), channel: 0 }).await?;
            fake.serve(line, calls, told).await
        });
        Ok(Response::new(Box::pin(ReceiverStream::new(receiver))))
    }

    async fn get_view(&self, _: Request<v1::GetViewRequest>) -> Answered<v1::GetViewResponse> {
        Ok(Response::new(self.desk().view.clone()))
    }

    async fn watch(&self, _: Request<v1::WatchRequest>) -> Answered<Self::WatchStream> {
        Err(Status::unimplemented("watch"))
    }

    async fn stage_orders(&self, _: Request<v1::StageOrdersRequest>) -> Answered<v1::StageOrdersResponse> {
        Err(Status::unimplemented("stage_orders"))
    }

    async fn lock_in(&self, _: Request<v1::LockInRequest>) -> Answered<v1::LockInResponse> {
        Err(Status::unimplemented("lock_in"))
    }

    async fn answer(&self, _: Request<v1::AnswerRequest>) -> Answered<v1::AnswerResponse> {
        Err(Status::unimplemented("answer"))
    }

    async fn advise(&self, _: Request<v1::AdviseRequest>) -> Answered<v1::AdviseResponse> {
        Err(Status::unimplemented("advise"))
    }

    async fn concede(&self, _: Request<v1::ConcedeRequest>) -> Answered<v1::ConcedeResponse> {
        Err(Status::unimplemented("concede"))
    }
}
