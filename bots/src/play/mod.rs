//! A policy in a session, to the end of the match.

#[cfg(test)]
mod tests;

use futures_util::future::BoxFuture;
use parley_proto::common::v1 as common;
use parley_proto::plunder::v1 as plunder;
use parley_proto::v1;
use parley_proto::v1::news::What;

use crate::arms::Arms;
use crate::board::LiveView;
use crate::policy::{self, Policy};
use crate::refusal::Refusal;
use crate::session::{CallError, Item, Session, SessionError};

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
    run(Player::new(session, policy, tell, None)).await
}

/// Plays a match to its end as [`play`] does, and thinks only when it is its turn in a line.
pub async fn play_in_line(
    session: Session,
    policy: Box<dyn Policy>,
    line: Box<dyn Line>,
) -> Result<MatchEnd, SessionError> {
    run(Player::new(session, policy, Box::new(|line| tracing::warn!("{line}")), Some(line))).await
}

async fn run(mut player: Player) -> Result<MatchEnd, SessionError> {
    loop {
        let over = match player.session.next().await? {
            Item::News(news) => player.news(*news).await?,
            Item::Snapshot(snapshot) => player.snapshot(*snapshot).await?,
        };
        if over {
            return Ok(player.end);
        }
    }
}

/// A line in which policies wait until they may think, so that only a few do at the same time.
pub trait Line: Send + Sync {
    /// Waits until it is a policy's turn, which lasts as long as what is given back lives.
    fn wait(&self) -> BoxFuture<'_, Box<dyn Send>>;
}

/// Takes lines about what was refused, such as `turn 3: sheet refused (ORDERS_INVALID), nothing is ordered instead:
/// unit 9: player 0 has no such unit (R1)`.
pub type Tell = Box<dyn FnMut(&str) + Send>;

/// A policy at the table.
struct Player {
    session: Session,
    policy: Box<dyn Policy>,
    tell: Tell,
    /// The line in which it waits until it may think, if there is one.
    line: Option<Box<dyn Line>>,
    /// The view of the turn that is played.
    view: LiveView,
    /// The newest turn that the server has spoken of; orders for an older one would come too late.
    newest: u32,
    /// The newest turn that is planned and locked; it is not planned again when its news come late.
    locked: u32,
    /// Whether the player is eliminated, so that there is nothing left to do but to watch.
    out: bool,
    end: MatchEnd,
}

impl Player {
    fn new(session: Session, policy: Box<dyn Policy>, tell: Tell, line: Option<Box<dyn Line>>) -> Self {
        Self {
            session,
            policy,
            tell,
            line,
            view: LiveView::default(),
            newest: 0,
            locked: 0,
            out: false,
            end: MatchEnd::default(),
        }
    }

    /// Lets the policy think about what it sees, if it sees anything, when it is its turn. It waits for nothing while it has
    /// its turn, so that nobody waits for each other.
    async fn think<T>(&mut self, thought: impl FnOnce(&mut dyn Policy, &plunder::View) -> T) -> Option<T> {
        let view = self.view.view()?;
        let _turn = match &self.line {
            Some(line) => Some(line.wait().await),
            None => None,
        };
        Some(thought(&mut *self.policy, view))
    }

    /// Acts on news; true at the end of the match.
    async fn news(&mut self, mut news: v1::News) -> Result<bool, SessionError> {
        self.view.follow(&mut news)?;
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
        self.view.see(&mut snapshot)?;
        let turn = self.view.view().map_or(0, |view| view.turn);
        self.newest = self.newest.max(turn);
        self.end.turn = self.end.turn.max(turn.saturating_sub(1));
        if phase == v1::Phase::Over {
            self.end.result = self.view.view().and_then(|view| view.result.clone());
            return Ok(true);
        }
        if phase == v1::Phase::Planning && !snapshot.locked {
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

    /// Locks the policy's orders, or none where they are refused.
    async fn plan(&mut self) -> Result<(), SessionError> {
        if self.out {
            return Ok(());
        }
        self.know_view().await?;
        if self.view.view().is_some_and(|view| !is_alive(view)) {
            self.out = true;
            self.session.stop_board();
            return Ok(());
        }
        let planned = self.think(|policy, view| (view.turn, v1::Sheet::of_plunder(policy.orders(view)))).await;
        let Some((turn, sheet)) = planned else { return Ok(()) };
        self.newest = self.newest.max(turn);
        let mut refusal = refused(self.session.lock_in(turn, sheet).await)?;
        if let Some(first) = refusal.take_if(|refusal| refusal.is_about_content()) {
            self.end.refused_sheets += 1;
            self.told(&format!("turn {turn}: sheet refused"), &first, "nothing is ordered instead");
            refusal = refused(self.session.lock_in(turn, v1::Sheet::of_plunder(plunder::Sheet::default())).await)?;
        }
        if let Some(refusal) = refusal {
            return self.untimely(refusal);
        }
        self.locked = turn;
        Ok(())
    }

    /// Answers what is asked, with the defaults where the policy's answers are refused.
    async fn answer(&mut self, prompt: &v1::Prompt) -> Result<(), SessionError> {
        if prompt.turn < self.newest || prompt.questions.is_empty() {
            return Ok(());
        }
        self.know_view().await?;
        let answers = self.think(|policy, view| policy::answers(policy, view, prompt)).await;
        let Some(answers) = answers else { return Ok(()) };
        let (turn, window) = (prompt.turn, prompt.window);
        let Some(refusal) = refused(self.session.answer(turn, window, answers).await)? else { return Ok(()) };
        if refusal.is_about_content() {
            self.end.refused_answers += 1;
            self.told(&format!("turn {turn}, window {window}: answer refused"), &refusal, "the defaults count instead");
            let second = refused(self.session.answer(turn, window, policy::defaults(prompt)).await)?;
            // Where questions had been answered already, this is refused again, and they need no answer.
            return second.filter(|refusal| !refusal.is_about_content()).map_or(Ok(()), |r| self.untimely(r));
        }
        self.untimely(refusal)
    }

    /// Asks for the view of the turn where it is not known; there is none for those who have no seat, or no match.
    async fn know_view(&mut self) -> Result<(), SessionError> {
        if self.view.view().is_some() {
            return Ok(());
        }
        match self.session.get_view().await {
            Ok(mut answer) => self.view.see(&mut answer),
            Err(CallError::Session(error)) => Err(error),
            Err(CallError::Refused(refusal)) => self.untimely(refusal),
        }
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

/// Whether the viewer is still in the match.
fn is_alive(view: &plunder::View) -> bool {
    view.seat.is_some_and(|seat| view.players.iter().any(|player| player.id == seat && player.alive))
}

/// The refusal of a call that the session survives.
fn refused<T>(answer: Result<T, CallError>) -> Result<Option<Refusal>, SessionError> {
    match answer {
        Ok(_) => Ok(None),
        Err(CallError::Refused(refusal)) => Ok(Some(refusal)),
        Err(CallError::Session(error)) => Err(error),
    }
}
