//! Ways to follow a match.

use std::pin::Pin;

use futures_util::{Stream, StreamExt};
use parley_proto::v1;
use parley_proto::v1::news::What;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Code, Status};

use super::{Client, bearer};

/// A way to follow a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Way {
    pub session: bool,
    pub seat: bool,
    pub views: bool,
    /// Goes away after every message.
    pub restless: bool,
}

impl Way {
    pub fn all() -> impl Iterator<Item = Self> {
        let bit = |number: u8, place: u8| number >> place & 1 == 1;
        (0..16).map(move |n| Self { session: bit(n, 0), seat: bit(n, 1), views: bit(n, 2), restless: bit(n, 3) })
    }

    /// What all who follow like this are told, however they do it.
    pub fn viewer(self) -> (bool, bool) {
        (self.seat, self.views)
    }
}

pub type NewsStream = Pin<Box<dyn Stream<Item = Result<v1::News, Status>> + Send>>;

/// Follows a match after a cursor.
pub async fn open(client: &mut Client, id: &str, token: &str, way: Way, after: u64) -> Result<NewsStream, Status> {
    if !way.session {
        let request = v1::WatchRequest { match_id: id.to_owned(), after, views: way.views, ..Default::default() };
        let stream = client.play.watch(bearer(token, request)).await?.into_inner();
        return Ok(Box::pin(stream.map(|response| response.map(|response| response.news.expect("news")))));
    }
    use v1::session_request::What as Call;
    use v1::session_response::What as Answer;
    let open = v1::SessionOpen { match_id: id.to_owned(), after, views: way.views, ..Default::default() };
    let call = v1::SessionRequest { call: 1, what: Some(Call::Open(open)), ..Default::default() };
    // The session lasts as long as more can be called: until the sender is dropped.
    let (sender, calls) = mpsc::channel(1);
    sender.send(call).await.expect("room for one");
    let mut answers = client.play.session(bearer(token, ReceiverStream::new(calls))).await?.into_inner();
    match answers.message().await?.expect("an answer").what {
        Some(Answer::Opened(opened)) => assert_eq!(opened.seat.is_some(), way.seat),
        Some(Answer::Refused(refusal)) => return Err(Status::new(Code::from(refusal.code), refusal.reason)),
        other => panic!("nobody asked for {other:?}"),
    }
    let news = move |answer: Result<v1::SessionResponse, Status>| {
        let _kept = &sender;
        match answer?.what {
            Some(Answer::News(news)) => Ok(news),
            other => panic!("nobody asked for {other:?}"),
        }
    };
    Ok(Box::pin(answers.map(news)))
}

/// Whether nothing comes after these news.
pub fn is_last(news: &v1::News) -> bool {
    match &news.what {
        Some(What::Outcome(outcome)) => outcome.ended.is_some(),
        what => matches!(what, Some(What::MatchStopped(_))),
    }
}
