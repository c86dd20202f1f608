//! A model, a screen, a keyboard and a session, joined until somebody leaves.

use std::io;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crossterm::event::Event;
use futures_util::StreamExt;
use parley_proto::v1;
use ratatui::Terminal;
use ratatui::backend::Backend;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{MissedTickBehavior, interval, timeout};
use tokio_stream::Stream;

use super::draw::draw;
use super::draw::look::Look;
use super::model::{Ask, CallResult, Model};
use super::pick::Picker;
use crate::arms::Arms;
use crate::session::{CallError, Item, Session, SessionError};

/// How many calls may wait on their way to the session.
const OUTGOING: usize = 16;
/// How many news may wait to be shown.
const INCOMING: usize = 4;
/// How often the time is looked at.
const TICK: Duration = Duration::from_millis(100);
/// How long calls that were made just before leaving may take.
const FAREWELL: Duration = Duration::from_secs(2);

/// Why a screen cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The keyboard or the screen failed.
    #[error("the terminal failed: {0}")]
    Terminal(#[from] io::Error),
    /// The session cannot go on.
    #[error(transparent)]
    Session(#[from] SessionError),
}

/// The time in milliseconds since 1970.
pub fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis() as u64)
}

/// Ends when the process is asked to stop.
async fn told_to_stop() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let signals = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()].map(signal);
        if let [Ok(mut interrupt), Ok(mut terminate), Ok(mut hangup)] = signals {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
                _ = hangup.recv() => {}
            }
            return;
        }
    }
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// Shows a match until the person at the keyboard leaves, and gives the model as it was then.
pub async fn run<B>(
    mut model: Model,
    look: Look,
    session: Session,
    screen: &mut Terminal<B>,
    mut keys: impl Stream<Item = io::Result<Event>> + Unpin,
) -> Result<Model, RunError>
where
    B: Backend,
    B::Error: Into<io::Error>,
{
    let mut link = session.link();
    let (asks, asked) = mpsc::channel(OUTGOING);
    let (answering, mut answers) = mpsc::channel(OUTGOING);
    let (telling, mut items) = mpsc::channel(INCOMING);
    let mut talk = Talk(tokio::spawn(converse(session, asked, answering, telling)));
    let mut talking = true;
    let mut ticks = interval(TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let stop = told_to_stop();
    tokio::pin!(stop);
    model.on_time(now_ms());
    model.on_link(link.borrow_and_update().clone());
    let mut stale = true;
    loop {
        if std::mem::take(&mut stale) {
            screen.draw(|frame| draw(&model, look, frame)).map_err(Into::into)?;
        }
        tokio::select! {
            key = keys.next() => {
                match key {
                    Some(Ok(Event::Key(key))) => model.on_key(key),
                    Some(Ok(_)) => {}
                    Some(Err(error)) => return Err(error.into()),
                    None => return Err(io::Error::other("the keyboard is gone").into()),
                }
                stale = true;
            }
            Some(answer) = answers.recv() => {
                model.on_answer(answer);
                stale = true;
            }
            Some(item) = items.recv(), if model.is_ready() => {
                model.on_time(now_ms());
                model.on_item(item);
                stale = true;
            }
            Ok(()) = link.changed() => {
                model.on_link(link.borrow_and_update().clone());
                stale = true;
            }
            _ = ticks.tick() => stale |= model.on_time(now_ms()),
            ended = &mut talk.0, if talking => {
                talking = false;
                match ended {
                    Ok(SessionError::Over) => {}
                    Ok(error) => return Err(error.into()),
                    Err(error) => return Err(io::Error::other(error).into()),
                }
            }
            () = &mut stop => return Ok(model),
        }
        // What finds no room stays with the model until there is some.
        while asks.capacity() > 0 {
            let Some(ask) = model.next_ask() else { break };
            if asks.try_send(ask).is_err() {
                break;
            }
        }
        if model.is_leaving() {
            drop((asks, items));
            if talking {
                // A lock-in that was made just now is worth a moment.
                let _ = timeout(FAREWELL, &mut talk.0).await;
            }
            return Ok(model);
        }
    }
}

/// A task that ends with the screen.
struct Talk(JoinHandle<SessionError>);

impl Drop for Talk {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Carries calls and news between a model and the server, until the session ends or nobody listens any more.
async fn converse(
    mut session: Session,
    mut asks: mpsc::Receiver<Ask>,
    answers: mpsc::Sender<CallResult>,
    items: mpsc::Sender<Item>,
) -> SessionError {
    loop {
        let news = async {
            match items.reserve().await {
                Ok(room) => (room, session.next().await),
                Err(_) => std::future::pending().await,
            }
        };
        let ask = tokio::select! {
            biased;
            ask = asks.recv() => ask,
            (room, item) = news => {
                match item {
                    Ok(item) => room.send(item),
                    Err(error) => return error,
                }
                continue;
            }
        };
        let Some(ask) = ask else { return SessionError::Over };
        match call(&mut session, ask).await {
            Ok(answer) => drop(answers.send(answer).await),
            Err(error) => return error,
        }
    }
}

/// Makes a call. What is refused is an answer; only a session that cannot go on is an error.
async fn call(session: &mut Session, ask: Ask) -> Result<CallResult, SessionError> {
    Ok(match ask {
        Ask::Options => CallResult::Options(settle(session.options().await)?),
        Ask::Course { unit, target } => {
            CallResult::Course { unit, target, course: settle(session.path(unit, target).await)? }
        }
        Ask::Stage { turn, sheet } => {
            let sheet = v1::Sheet::of_plunder(sheet);
            CallResult::Staged { turn, staged: settle(session.stage(turn, sheet).await)? }
        }
        Ask::Lock { turn, sheet } => {
            let locked = settle(session.lock_in(turn, v1::Sheet::of_plunder(sheet)).await)?;
            CallResult::Locked { turn, locked: locked.map(drop) }
        }
        Ask::Answer { turn, window, answer } => {
            CallResult::Answered(settle(session.answer(turn, window, vec![answer]).await)?)
        }
        Ask::Concede => CallResult::Conceded(settle(session.concede().await)?.map(drop)),
    })
}

/// Parts refusals from the end of the session.
fn settle<T>(answer: Result<T, CallError>) -> Result<Result<T, crate::refusal::Refusal>, SessionError> {
    match answer {
        Ok(answer) => Ok(Ok(answer)),
        Err(CallError::Refused(refusal)) => Ok(Err(refusal)),
        Err(CallError::Session(error)) => Err(error),
    }
}

/// Lets somebody pick a match; `None` where they would rather leave.
pub async fn pick<B>(
    mut picker: Picker,
    screen: &mut Terminal<B>,
    mut keys: impl Stream<Item = io::Result<Event>> + Unpin,
) -> Result<Option<String>, RunError>
where
    B: Backend,
    B::Error: Into<io::Error>,
{
    let stop = told_to_stop();
    tokio::pin!(stop);
    while !picker.is_done() {
        screen.draw(|frame| picker.draw(frame)).map_err(Into::into)?;
        tokio::select! {
            key = keys.next() => match key {
                Some(Ok(Event::Key(key))) => picker.on_key(key),
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(error.into()),
                None => return Ok(None),
            },
            () = &mut stop => return Ok(None),
        }
    }
    Ok(picker.into_match_id())
}
