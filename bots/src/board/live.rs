//! The view of a match that follows what a session tells.

use parley_proto::plunder::v1 as plunder;
use parley_proto::v1;
use parley_proto::v1::news::What;

use super::{apply, changes};
use crate::arms::Arms;
use crate::session::SessionError;

/// What a viewer sees of a match, from one view on by changes. There is none before the first view, and after an outcome
/// whose changes were not told; then one can be asked for.
#[derive(Clone, Debug, Default)]
pub struct LiveView {
    view: Option<plunder::View>,
    /// The news up to this cursor are in the view.
    cursor: u64,
}

impl LiveView {
    /// The view of the turn that the last news were of, or of a newer one that was asked for.
    pub const fn view(&self) -> Option<&plunder::View> {
        self.view.as_ref()
    }

    /// Takes a view over from an answer, unless the news that were followed are newer. It is an error where it is not of a
    /// game that is known here.
    pub fn see(&mut self, told: &mut v1::GetViewResponse) -> Result<(), SessionError> {
        if let Some(view) = told.view.take().filter(|_| told.cursor >= self.cursor) {
            self.take_over(view)?;
            self.cursor = told.cursor;
        }
        Ok(())
    }

    /// Brings the view to where the news are, and takes over the view that they may bring. It is an error where that is not
    /// of a game that is known here.
    pub fn follow(&mut self, news: &mut v1::News) -> Result<(), SessionError> {
        if news.cursor <= self.cursor {
            return Ok(());
        }
        let told = match &mut news.what {
            Some(What::TurnOpened(opened)) => opened.view.take(),
            Some(What::Outcome(outcome)) => {
                let told = outcome.next.as_mut().and_then(|next| next.view.take());
                if told.is_none() {
                    self.advance(outcome);
                }
                told
            }
            _ => return Ok(()),
        };
        self.cursor = news.cursor;
        told.map_or(Ok(()), |view| self.take_over(view))
    }

    /// Takes a view over. It is an error where it is not of a game that is known here.
    pub(crate) fn take_over(&mut self, view: v1::View) -> Result<(), SessionError> {
        self.view = Some(view.into_plunder().ok_or(SessionError::UnknownGame)?);
        Ok(())
    }

    /// Applies changes to the view, where there is one.
    pub(crate) fn change<'a>(&mut self, changes: impl IntoIterator<Item = &'a plunder::Change>) {
        if let Some(view) = &mut self.view {
            changes.into_iter().for_each(|change| apply(view, change));
        }
    }

    /// Applies the changes of a turn. Where they do not lead to the next one, as in a stream without them, no view is left.
    fn advance(&mut self, outcome: &v1::Outcome) {
        self.change(changes(outcome));
        if let Some(next) = &outcome.next {
            self.view.take_if(|view| view.turn != next.turn);
        }
    }
}
