//! A player in a session, to the end of the match, whatever game it is of.

#[cfg(test)]
mod tests;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use parley_proto::common::v1 as common;
use parley_proto::opaque::v1;
use parley_proto::opaque::v1::news::What;

use crate::policy::{Policy, PolicyPlayer};
use crate::refusal::Refusal;
use crate::seat_player::{Look, SeatPlayer, defaults};
use crate::session::{BytesItem, CallError, Item, Session, SessionError};

/// How a match ended for whoever played it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MatchEnd {
    /// Who won; not set where the match was stopped.
    pub result: Option<common::MatchResult>,
    /// Why it was stopped, where it was and this is known.
    pub stopped: Option<String>,
    /// The last turn that this player was told of.
    pub turn: u32,
    /// Sheets of the policy that the server refused; an empty one was locked instead.
    pub refused_sheets: u32,
    /// Windows in which the server refused the policy's answers; the defaults were sent instead.
    pub refused_answers: u32,
}

impl MatchEnd {
    /// How much of what the policy said was refused; 0 if it played by the rules.
    pub const fn refused(&self) -> u32 {
        self.refused_sheets + self.refused_answers
    }
}

/// Plays a match to its end. What comes too late, because the connection was lost or the turn went on, is no error: the
/// next turn is played. What the server refuses for what it says is logged as a warning, a line for each fault. Whoever
/// is eliminated keeps watching, without the board.
///
/// The policy's view is kept by changes where the session has them, and otherwise taken from the views that turns come with.
/// Changes cost least: what all viewers know is encoded once for all of them, and nobody encodes or reads all that has not
/// changed. A view is asked for at the beginning, and where changes are missing.
pub async fn play(session: Session, policy: Box<dyn Policy>) -> Result<MatchEnd, SessionError> {
    play_telling(session, policy, Box::new(|line| tracing::warn!("{line}"))).await
}

/// Plays a match to its end as [`play`] does, and hands over every line about what was refused.
pub async fn play_telling(session: Session, policy: Box<dyn Policy>, tell: Tell) -> Result<MatchEnd, SessionError> {
    run(Player::new(session, Box::new(PolicyPlayer::new(policy)), tell, None)).await
}

/// Plays a match of any game to its end as [`play`] does. Where there is a line, it thinks only when it is its turn in it.
pub async fn play_seat(
    session: Session,
    player: Box<dyn SeatPlayer>,
    line: Option<Box<dyn Line>>,
) -> Result<MatchEnd, SessionError> {
    run(Player::new(session, player, Box::new(|line| tracing::warn!("{line}")), line)).await
}

async fn run(mut player: Player) -> Result<MatchEnd, SessionError> {
    loop {
        let next: BytesItem = player.session.next_as_bytes().await?;
        let over = match next {
            Item::News(news) => player.news(*news).await?,
            Item::Snapshot(snapshot) => player.snapshot(*snapshot).await?,
        };
        if over {
            return Ok(player.end);
        }
    }
}

/// A line in which players wait until they may think, so that only a few do at the same time.
pub trait Line: Send + Sync {
    /// Waits until it is a player's turn, which lasts as long as what is given back lives.
    fn wait(&self) -> BoxFuture<'_, Box<dyn Send>>;
}

/// Takes lines about what was refused, such as `turn 3: sheet refused (ORDERS_INVALID), nothing is ordered instead:
/// unit 9: player 0 has no such unit (R1)`.
pub type Tell = Box<dyn FnMut(&str) + Send>;

/// A player at the table.
struct Player {
    session: Session,
    player: Box<dyn SeatPlayer>,
    tell: Tell,
    /// The line in which it waits until it may think, if there is one.
    line: Option<Box<dyn Line>>,
    /// What is known of the turn that is played, once the player has seen a view of it.
    look: Option<Look>,
    /// The news up to this cursor are in what is known.
    cursor: u64,
    /// The newest turn that the server has spoken of; orders for an older one would come too late.
    newest: u32,
    /// The newest turn that is planned and locked; it is not planned again when its news come late.
    locked: u32,
    /// Whether the player is eliminated, so that there is nothing left to do but to watch.
    out: bool,
    end: MatchEnd,
}

impl Player {
    fn new(session: Session, player: Box<dyn SeatPlayer>, tell: Tell, line: Option<Box<dyn Line>>) -> Self {
        let (look, end) = (None, MatchEnd::default());
        Self { session, player, tell, line, look, cursor: 0, newest: 0, locked: 0, out: false, end }
    }

    /// Shows the player a view of how things are, where there is one, unless the news that were followed are newer.
    fn see(&mut self, told: &mut v1::GetViewResponse) -> Result<(), SessionError> {
        if let Some(view) = told.view.take().filter(|_| told.cursor >= self.cursor) {
            self.cursor = told.cursor;
            self.show(&view)?;
        }
        Ok(())
    }

    fn show(&mut self, view: &[u8]) -> Result<(), SessionError> {
        self.look = Some(self.player.look(view).ok_or(SessionError::UnknownGame)?);
        Ok(())
    }

    /// Shows the player what news say of the board: a view that they bring, or how it has changed with a turn. Where changes do
    /// not lead to the next turn, as in a stream without them, nothing is known until a view is asked for.
    fn follow(&mut self, news: &mut v1::News) -> Result<(), SessionError> {
        if news.cursor <= self.cursor {
            return Ok(());
        }
        let told = match &mut news.what {
            Some(What::TurnOpened(opened)) => opened.view.take(),
            Some(What::Outcome(outcome)) => {
                let told = outcome.next.as_mut().and_then(|next| next.view.take());
                if told.is_none() && self.look.is_some() {
                    let changes: Vec<Bytes> = [&mut outcome.shared_changes, &mut outcome.own_changes]
                        .into_iter()
                        .filter_map(Option::take)
                        .collect();
                    let next = outcome.next.as_ref().map(|next| next.turn);
                    let look = self.player.follow(&changes);
                    self.look = look.filter(|look| next.is_none_or(|next| look.turn == next));
                }
                told
            }
            _ => return Ok(()),
        };
        self.cursor = news.cursor;
        told.map_or(Ok(()), |view| self.show(&view))
    }

    /// Lets the player think, when it is its turn. It waits for nothing while it has its turn, so that nobody waits for
    /// each other.
    async fn think<T>(&mut self, thought: impl FnOnce(&mut dyn SeatPlayer) -> T) -> T {
        let _turn = match &self.line {
            Some(line) => Some(line.wait().await),
            None => None,
        };
        thought(&mut *self.player)
    }

    /// Acts on news; true at the end of the match.
    async fn news(&mut self, mut news: v1::News) -> Result<bool, SessionError> {
        self.follow(&mut news)?;
        match news.what {
            Some(What::TurnOpened(opened)) => self.turn(opened.turn).await?,
            Some(What::Prompt(prompt)) => self.answer(&prompt).await?,
            Some(What::Outcome(outcome)) => {
                self.end.turn = outcome.turn;
                if let Some(ended) = outcome.ended {
                    self.end.result = ended.result;
                    return Ok(true);
                }
                let next = outcome.next.map_or(0, |next| next.turn);
                // What happened in the turn takes much more memory than the view, and the next turn may take long.
                drop((outcome.shared, outcome.shared_changes, outcome.own, outcome.own_changes));
                self.turn(next).await?;
            }
            Some(What::MatchStopped(stopped)) => {
                self.end.stopped = Some(stopped.reason);
                return Ok(true);
            }
            Some(
                What::SeatsChanged(_) | What::LocksChanged(_) | What::DeadlineChanged(_) | What::SnapshotRequired(_),
            )
            | None => {}
        }
        Ok(false)
    }

    /// Acts on a view of how things are now; true at the end of the match.
    async fn snapshot(&mut self, mut snapshot: v1::GetViewResponse) -> Result<bool, SessionError> {
        let phase = snapshot.phase();
        self.see(&mut snapshot)?;
        let turn = self.look.as_ref().map_or(0, |look| look.turn);
        self.newest = self.newest.max(turn);
        self.end.turn = self.end.turn.max(turn.saturating_sub(1));
        if phase == v1::Phase::Over {
            self.end.result = self.look.take().and_then(|look| look.result);
            return Ok(true);
        }
        if phase == v1::Phase::Planning && !snapshot.locked && turn > self.locked {
            self.plan().await?;
        }
        if let Some(prompt) = snapshot.prompt {
            self.answer(&prompt).await?;
        }
        Ok(false)
    }

    /// Plays a turn that can be planned.
    async fn turn(&mut self, opened: u32) -> Result<(), SessionError> {
        if opened < self.newest || opened <= self.locked {
            return Ok(());
        }
        self.newest = opened;
        self.plan().await
    }

    /// Locks the player's orders, or none where they are refused.
    async fn plan(&mut self) -> Result<(), SessionError> {
        if self.out {
            return Ok(());
        }
        let Some(Look { turn, alive, .. }) = self.known_look().await? else { return Ok(()) };
        if !alive {
            self.out = true;
            self.session.stop_board();
            return Ok(());
        }
        let sheet = self.think(|player| player.orders()).await;
        self.newest = self.newest.max(turn);
        let mut refusal = refused(self.session.lock_in_bytes(turn, sheet).await)?;
        if let Some(first) = refusal.take_if(|refusal| refusal.is_about_content()) {
            self.end.refused_sheets += 1;
            self.told(&format!("turn {turn}: sheet refused"), &first, "nothing is ordered instead");
            refusal = refused(self.session.lock_in_bytes(turn, self.player.no_orders()).await)?;
        }
        if let Some(refusal) = refusal {
            return self.untimely(refusal);
        }
        self.locked = turn;
        Ok(())
    }

    /// Answers what is asked, with the defaults where the player's answers are refused.
    async fn answer(&mut self, prompt: &v1::Prompt) -> Result<(), SessionError> {
        if prompt.turn < self.newest || prompt.questions.is_empty() {
            return Ok(());
        }
        if self.known_look().await?.is_none() {
            return Ok(());
        }
        let answers = self.think(|player| player.answers(prompt)).await;
        let (turn, window) = (prompt.turn, prompt.window);
        let Some(refusal) = refused(self.session.answer(turn, window, answers).await)? else { return Ok(()) };
        if refusal.is_about_content() {
            self.end.refused_answers += 1;
            self.told(&format!("turn {turn}, window {window}: answer refused"), &refusal, "the defaults count instead");
            let second = refused(self.session.answer(turn, window, defaults(prompt)).await)?;
            // Where questions had been answered already, this is refused again, and they need no answer.
            return second.filter(|refusal| !refusal.is_about_content()).map_or(Ok(()), |r| self.untimely(r));
        }
        self.untimely(refusal)
    }

    /// What is known of the turn. Its view is asked for where it is not known; there is none for those who have no seat, or no
    /// match.
    async fn known_look(&mut self) -> Result<Option<Look>, SessionError> {
        if self.look.is_none() {
            match self.session.get_view_as_bytes().await {
                Ok(mut answer) => self.see(&mut answer)?,
                Err(CallError::Session(error)) => return Err(error),
                Err(CallError::Refused(refusal)) => self.untimely(refusal)?,
            }
        }
        Ok(self.look.clone())
    }

    fn told(&mut self, what: &str, refusal: &Refusal, instead: &str) {
        refusal.lines(what, instead).iter().for_each(|line| (self.tell)(line));
    }

    /// Tells that something came too late, which is no error.
    fn untimely(&mut self, refusal: Refusal) -> Result<(), SessionError> {
        if !refusal.is_untimely() {
            return Err(SessionError::Refused(refusal));
        }
        tracing::info!("too late: {refusal}");
        self.newest = self.newest.max(refusal.turn);
        Ok(())
    }
}

/// The refusal of a call that the session survives.
fn refused<T>(answer: Result<T, CallError>) -> Result<Option<Refusal>, SessionError> {
    match answer {
        Ok(_) => Ok(None),
        Err(CallError::Refused(refusal)) => Ok(Some(refusal)),
        Err(CallError::Session(error)) => Err(error),
    }
}
