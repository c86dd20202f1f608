//! Following a match from a cursor on, whatever happens to the match, the connection or the server meanwhile.

use std::collections::VecDeque;

use parley_proto::v1;
use parley_proto::v1::news::What;
use tonic::Code;

use super::command::{Followed, Request};
use super::feed::Next;
use super::told::Told;
use super::{Matches, history};
use crate::auth::Claims;
use crate::journal::MatchId;
use crate::refusal::Refusal;
use crate::table::Place;

/// Somebody who follows a match.
pub struct Following {
    matches: Matches,
    id: MatchId,
    claims: Option<Claims>,
    views: bool,
    cursor: u64,
    followed: Followed,
    /// News from the journal that were not given out yet.
    backlog: VecDeque<Told>,
    ended: bool,
}

impl Following {
    /// Begins to follow after a cursor.
    pub async fn begin(
        matches: &Matches,
        id: MatchId,
        claims: Option<Claims>,
        views: bool,
        after: u64,
    ) -> Result<Self, Refusal> {
        let followed = matches.ask(id, claims, |reply| Request::Follow(views, reply)).await?;
        let newest = followed.follower.feed().newest();
        if after > newest {
            let message = format!("the newest cursor of this viewer is {newest}");
            return Err(Refusal::new(Code::InvalidArgument, "CURSOR_UNKNOWN", message));
        }
        let matches = matches.clone();
        Ok(Self { matches, id, claims, views, cursor: after, followed, backlog: VecDeque::new(), ended: false })
    }

    /// From where the match is seen.
    pub fn place(&self) -> Place {
        self.followed.place
    }

    /// The next news; nothing when the match is over and everything was told, or when the viewer has to get a view
    /// first. A future that is dropped loses nothing.
    pub async fn next(&mut self) -> Result<Option<Told>, Refusal> {
        while !self.ended {
            if let Some(news) = self.backlog.pop_front() {
                return Ok(Some(self.give(news)));
            }
            if self.followed.over && self.cursor >= self.followed.follower.feed().newest() {
                break;
            }
            match self.followed.follower.feed().next(self.cursor).await {
                Next::News(news) => return Ok(Some(self.give(news))),
                Next::Behind { newest } if newest - self.cursor > self.matches.limits.watch_backlog => {
                    self.ended = true;
                    return Ok(Some(Told::new(0, What::SnapshotRequired(v1::SnapshotRequired { newest }))));
                }
                Next::Behind { newest } => {
                    let place = self.followed.place;
                    let news = history::news(&self.matches, self.id, place, self.views, self.cursor, newest).await?;
                    self.backlog = news.into();
                    if self.backlog.is_empty() {
                        let message = "the journal does not have what the match has told";
                        return Err(Refusal::new(Code::DataLoss, "MATCH_DAMAGED", message));
                    }
                }
                Next::Gone => {
                    let views = self.views;
                    let asked = self.matches.ask(self.id, self.claims, |reply| Request::Follow(views, reply));
                    self.followed = asked.await?;
                }
            }
        }
        Ok(None)
    }

    fn give(&mut self, news: Told) -> Told {
        self.cursor = news.cursor();
        self.ended = news.is_last();
        news
    }
}
