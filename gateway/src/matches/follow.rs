//! Following a match from a cursor on, whatever happens to the match, the connection or the server meanwhile.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::task::{Context, Poll, ready};

use futures_util::future::BoxFuture;
use parley_proto::v1;
use parley_proto::v1::news::What;
use tonic::Code;

use super::command::{Asker, Followed, Request};
use super::encoded_news::EncodedNews;
use super::feed::Next;
use super::{Matches, history};
use crate::http::{Reservation, too_much};
use crate::journal::MatchId;
use crate::match_state::Place;
use crate::refusal::Refusal;

/// Somebody who follows a match.
pub struct Following {
    matches: Matches,
    id: MatchId,
    asker: Asker,
    views: bool,
    cursor: u64,
    followed: Followed,
    /// News from the journal that were not given out yet.
    backlog: VecDeque<EncodedNews>,
    /// Where the bytes of these news are counted.
    room: Option<Reservation>,
    /// How many bytes are counted there for as long as the match is followed.
    kept: usize,
    /// Something that takes longer than looking into the feed.
    fetching: Option<Fetching>,
    ended: bool,
}

/// What was fetched when the feed had no more.
enum Fetched {
    Backlog(Vec<EncodedNews>),
    Followed(Followed),
}

type Fetching = BoxFuture<'static, Result<Fetched, Refusal>>;

impl Following {
    /// Begins to follow after a cursor.
    pub async fn begin(
        matches: &Matches,
        id: MatchId,
        asker: impl Into<Asker>,
        views: bool,
        after: u64,
    ) -> Result<Self, Refusal> {
        let asker = asker.into();
        let followed = matches.ask(id, asker, |reply| Request::Follow(views, reply)).await?;
        let newest = followed.follower.feed().newest();
        if after > newest {
            let message = format!("the newest cursor of this viewer is {newest}");
            return Err(Refusal::new(Code::InvalidArgument, "CURSOR_UNKNOWN", message));
        }
        let matches = matches.clone();
        Ok(Self {
            matches,
            id,
            asker,
            views,
            cursor: after,
            followed,
            backlog: VecDeque::new(),
            room: None,
            kept: 0,
            fetching: None,
            ended: false,
        })
    }

    /// Counts somewhere what waits for the viewer, and what is kept in memory for them.
    pub fn counted(mut self, room: Option<Reservation>) -> Result<Self, Refusal> {
        self.room = room;
        if let Some(room) = &mut self.room {
            room.grow(self.followed.share).map_err(too_much)?;
            self.kept = self.followed.share;
        }
        Ok(self)
    }

    /// The place from which the match is seen.
    pub fn place(&self) -> Place {
        self.followed.place
    }

    /// The next news; nothing when the match is over and everything was told, or when the viewer has to get a view
    /// first. A future that is dropped loses nothing.
    pub async fn next(&mut self) -> Result<Option<EncodedNews>, Refusal> {
        poll_fn(|cx| self.poll_next(cx)).await
    }

    /// The next news, as [`Following::next`].
    pub fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Result<Option<EncodedNews>, Refusal>> {
        while !self.ended {
            if let Some(fetching) = self.fetching.as_mut() {
                let fetched = ready!(fetching.as_mut().poll(cx));
                self.fetching = None;
                match fetched? {
                    Fetched::Backlog(news) => {
                        if let Some(room) = &mut self.room {
                            room.shrink_to(self.kept);
                            room.grow(news.iter().map(EncodedNews::encoded_len).sum()).map_err(too_much)?;
                        }
                        self.backlog = news.into();
                    }
                    Fetched::Followed(followed) => self.followed = followed,
                }
            }
            if let Some(news) = self.backlog.pop_front() {
                if let Some(room) = self.room.as_mut().filter(|_| self.backlog.is_empty()) {
                    room.shrink_to(self.kept);
                }
                return Poll::Ready(Ok(Some(self.give(news))));
            }
            if self.followed.over && self.cursor >= self.followed.follower.feed().newest() {
                break;
            }
            match ready!(self.followed.follower.poll_next(self.cursor, cx)) {
                Next::News(news) => return Poll::Ready(Ok(Some(self.give(news)))),
                Next::Behind { newest } if newest - self.cursor > self.matches.limits.watch_backlog => {
                    self.ended = true;
                    let what = What::SnapshotRequired(v1::SnapshotRequired { newest });
                    return Poll::Ready(Ok(Some(EncodedNews::new(0, what))));
                }
                Next::Behind { newest } => self.fetching = Some(self.read_journal(newest)),
                Next::Gone => self.fetching = Some(self.follow_again()),
            }
        }
        Poll::Ready(Ok(None))
    }

    /// Gets news that the feed no longer has.
    fn read_journal(&self, newest: u64) -> Fetching {
        let (matches, id, customer, cursor) = (self.matches.clone(), self.id, self.asker.customer, self.cursor);
        let viewer = (self.followed.place, self.views);
        Box::pin(async move {
            let news = history::news(&matches, customer, id, viewer, cursor, newest).await?;
            if news.is_empty() {
                let message = "the journal does not have what the match has told";
                return Err(Refusal::new(Code::DataLoss, "MATCH_DAMAGED", message));
            }
            Ok(Fetched::Backlog(news))
        })
    }

    /// Asks for the match anew.
    fn follow_again(&self) -> Fetching {
        let (matches, id, asker, views) = (self.matches.clone(), self.id, self.asker, self.views);
        Box::pin(
            async move { matches.ask(id, asker, |reply| Request::Follow(views, reply)).await.map(Fetched::Followed) },
        )
    }

    fn give(&mut self, news: EncodedNews) -> EncodedNews {
        self.cursor = news.cursor();
        self.ended = news.is_last();
        news
    }
}
