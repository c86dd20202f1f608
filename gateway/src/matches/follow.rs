//! Following a match from a cursor on, whatever happens to the match, the connection or the server meanwhile.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::panic::resume_unwind;
use std::task::{Context, Poll, ready};

use parley_proto::opaque::v1;
use parley_proto::opaque::v1::news::What;
use tokio::task::{JoinError, JoinSet};
use tonic::Code;

use super::command::{Asker, Followed, Request, count};
use super::encoded_news::EncodedNews;
use super::feed::Next;
use super::{Matches, history};
use crate::http::{Reservation, too_much};
use crate::journal::MatchId;
use crate::match_state::Place;
use crate::refusal::{Reason, Refusal};

/// What somebody who follows a match wants beside the news.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wishes {
    /// Whether each new turn comes with a view.
    pub views: bool,
    /// Whether outcomes and prompts come with how the board changes.
    pub changes: bool,
}

/// Somebody who follows a match.
pub struct Following {
    matches: Matches,
    id: MatchId,
    asker: Asker,
    wishes: Wishes,
    cursor: u64,
    followed: Followed,
    /// News from the journal that were not given out yet.
    backlog: VecDeque<EncodedNews>,
    /// Where the bytes of these news are counted, until the last of them is given out.
    backlog_room: Option<Reservation>,
    /// Where is counted what is kept for the viewer as long as the match is followed.
    room: Option<Reservation>,
    /// Something that takes longer than looking into the feed, one at a time and as a task of its own: whatever it waits
    /// for in a line with others it also gives back while the viewer reads nothing and nobody asks for the next news.
    fetching: JoinSet<Result<Fetched, Refusal>>,
    ended: bool,
}

/// What was fetched when the feed had no more.
enum Fetched {
    /// News from the journal, and where they are counted.
    Backlog(Vec<EncodedNews>, Option<Reservation>),
    Followed(Followed),
}

impl Following {
    /// Begins to follow after a cursor.
    pub async fn begin(
        matches: &Matches,
        id: MatchId,
        asker: impl Into<Asker>,
        wishes: Wishes,
        after: u64,
    ) -> Result<Self, Refusal> {
        let asker = asker.into();
        let followed = matches.ask(id, asker, |reply| Request::Follow(wishes.views, reply)).await?;
        let newest = followed.follower.feed().newest();
        if after > newest {
            let message = format!("the newest cursor of this viewer is {newest}");
            return Err(Refusal::new(Code::InvalidArgument, Reason::CursorUnknown, message));
        }
        let matches = matches.clone();
        Ok(Self {
            matches,
            id,
            asker,
            wishes,
            cursor: after,
            followed,
            backlog: VecDeque::new(),
            backlog_room: None,
            room: None,
            fetching: JoinSet::new(),
            ended: false,
        })
    }

    /// Counts somewhere what waits for the viewer, and what is kept in memory for them.
    pub fn counted(mut self, room: Option<Reservation>) -> Result<Self, Refusal> {
        self.room = room;
        if let Some(room) = &mut self.room {
            room.grow(self.followed.share).map_err(too_much)?;
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
            if let Some(fetched) = ready!(self.fetching.poll_join_next(cx)) {
                match joined(fetched)?? {
                    Fetched::Backlog(news, room) => (self.backlog, self.backlog_room) = (news.into(), room),
                    Fetched::Followed(followed) => self.followed = followed,
                }
            }
            if let Some(news) = self.backlog.pop_front() {
                if self.backlog.is_empty() {
                    self.backlog_room = None;
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
                Next::Behind { newest } => self.read_journal(newest),
                Next::Gone => self.follow_again(),
            }
        }
        Poll::Ready(Ok(None))
    }

    /// Begins to get news that the feed no longer has. They are counted as soon as they are there, and not when they are
    /// asked for; while they are read, they are among the few matches that are read back at the same time.
    fn read_journal(&mut self, newest: u64) {
        let (matches, id, customer, cursor) = (self.matches.clone(), self.id, self.asker.customer, self.cursor);
        let (viewer, changes) = ((self.followed.place, self.wishes.views), self.wishes.changes);
        let room = self.room.as_ref().map(Reservation::another);
        self.fetching.spawn(async move {
            let news = history::news(&matches, customer, id, viewer, cursor, newest).await?;
            if news.is_empty() {
                let message = "the journal does not have what the match has told";
                return Err(Refusal::new(Code::DataLoss, Reason::MatchDamaged, message));
            }
            // What is not wanted is not counted either.
            let news: Vec<EncodedNews> =
                if changes { news } else { news.into_iter().map(EncodedNews::without_changes).collect() };
            let room = count(room, news.iter().map(EncodedNews::encoded_len).sum())?;
            Ok(Fetched::Backlog(news, room))
        });
    }

    /// Begins to ask for the match anew.
    fn follow_again(&mut self) {
        let (matches, id, asker, views) = (self.matches.clone(), self.id, self.asker, self.wishes.views);
        self.fetching.spawn(async move {
            matches.ask(id, asker, |reply| Request::Follow(views, reply)).await.map(Fetched::Followed)
        });
    }

    fn give(&mut self, news: EncodedNews) -> EncodedNews {
        self.cursor = news.cursor();
        self.ended = news.is_last();
        if self.wishes.changes { news } else { news.without_changes() }
    }
}

/// What a task came to that somebody waits for. Its panic is theirs; it is cancelled only where the server ends.
pub fn joined<T>(task: Result<T, JoinError>) -> Result<T, Refusal> {
    task.map_err(|error| match error.try_into_panic() {
        Ok(panic) => resume_unwind(panic),
        Err(_) => Refusal::draining(),
    })
}
