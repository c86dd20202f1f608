//! What follows from records while they are applied: news for those who follow, and what operators and traces are told.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant as StdInstant;

use parley_games::hosted::HostedOutcome;
use parley_proto::opaque::v1::news::What;

use super::super::Shared;
use super::super::encoded_news::EncodedNews;
use super::super::history::with_view;
use super::super::receipts::{OutboundItem, TurnDone};
use super::{Effect, Slot};
use crate::match_state::{Audience, MatchEvent, MatchState, Place, project};
use crate::trace::TurnTrace;

/// The audience of those who follow the match while it is played.
pub(super) struct Live<'a> {
    pub(super) slots: &'a [Slot],
    pub(super) outbox: &'a mut VecDeque<(u64, Effect)>,
    pub(super) ticket: u64,
    pub(super) shared: &'a Shared,
    /// The outcome of a turn for those who are told nothing that is not told to all, encoded once for them.
    pub(super) alike: Option<(u32, EncodedNews)>,
    /// When the request that is being applied was received.
    pub(super) received: StdInstant,
    /// The trace of the turn that is being played.
    pub(super) trace: Option<TurnTrace>,
    /// The window that is open.
    pub(super) window: Option<OpenWindow>,
}

/// A window while it is open.
#[derive(Clone, Copy)]
pub(super) struct OpenWindow {
    since: StdInstant,
    /// The number of the window among all windows of the turn.
    number: u32,
    /// The tick that is asked about, and how many groups of it.
    tick: u32,
    groups: usize,
}

impl OpenWindow {
    pub(super) fn of(match_state: &MatchState) -> Option<Self> {
        let play = match_state.play.as_ref().filter(|play| play.window.is_some())?;
        let (number, tick, groups) = (play.game.window(), play.game.tick(), play.game.groups());
        Some(Self { since: StdInstant::now(), number, tick, groups })
    }
}

impl Live<'_> {
    /// Begins the trace of a turn that can be planned.
    fn open_turn(&mut self, match_state: &MatchState, since: StdInstant) {
        let Some(tracer) = self.shared.tracing.tracer.as_ref().filter(|_| !match_state.is_over()) else { return };
        let setup = &match_state.setup;
        self.trace = TurnTrace::of(tracer, setup.ruleset.labels(), setup.id.0, match_state.turn());
        if let Some(trace) = &mut self.trace {
            trace.opened((since, StdInstant::now()), match_state.size());
        }
    }

    /// Counts and traces a turn that is resolved. What is told of it goes out before what is counted.
    fn turn_resolved(&mut self, match_state: &MatchState, outcome: &dyn HostedOutcome) {
        self.shared.stats.turns.fetch_add(1, Ordering::Relaxed);
        self.shared.metrics.resolved(match_state.setup.ruleset, &outcome.counts());
        let (turn, before) = (outcome.turn(), outcome.units_before());
        tracing::debug!(match_id = %match_state.setup.id.0, turn, events = outcome.events(), "a turn is resolved");
        let now = StdInstant::now();
        self.end_planning_or_window(before);
        let mut trace = self.trace.take();
        if let Some(trace) = &mut trace {
            trace.resolved((self.received, now), before, &outcome.course(), None);
        }
        self.open_turn(match_state, now);
        let done = TurnDone { received: self.received, handed: now, durable: now, trace };
        self.outbox.push_back((self.ticket, Effect::Out(OutboundItem::Turn(Box::new(done)))));
    }
}

impl Live<'_> {
    /// Counts and traces that everybody has locked in, or has answered.
    fn end_planning_or_window(&mut self, units: usize) {
        match self.window.take() {
            Some(OpenWindow { since, tick, groups, .. }) => {
                self.shared.metrics.window_closed(self.received.duration_since(since));
                if let Some(trace) = &mut self.trace {
                    trace.window_closed((since, self.received), tick, groups);
                }
            }
            None => {
                if let Some(trace) = &mut self.trace {
                    trace.locked((self.received, self.received), units);
                }
            }
        }
    }

    /// Takes note of a window that has been opened.
    pub(super) fn note_window(&mut self, match_state: &MatchState) {
        let number = match_state.play.as_ref().map_or(0, |play| play.game.window());
        // Most records open no window, and what a window is about takes a look at everything that meets in it.
        if self.window.is_some_and(|window| window.number == number) {
            return;
        }
        let Some(open) = OpenWindow::of(match_state) else { return };
        self.end_planning_or_window(match_state.size());
        if let (Some(trace), Some(play)) = (&mut self.trace, &match_state.play) {
            let course = play.game.course_so_far();
            trace.resolved((self.received, open.since), match_state.size(), &course, Some(open.tick));
        }
        self.window = Some(open);
    }
}

/// The turn of an outcome that holds nothing but what all are told alike.
fn turn_without_own(what: &What) -> Option<u32> {
    match what {
        What::Outcome(outcome) if outcome.own.is_none() && outcome.own_changes.is_none() => Some(outcome.turn),
        _ => None,
    }
}

impl Audience for Live<'_> {
    fn tell(&mut self, match_state: &MatchState, place: Place, cursor: u64, event: &MatchEvent<'_>) {
        for slot in self.slots.iter().filter(|slot| slot.place == place) {
            let what = project(match_state, place, event);
            let shared_turn = if slot.views { None } else { turn_without_own(&what) };
            let news = match &self.alike {
                Some((turn, news)) if shared_turn == Some(*turn) => news.under(cursor),
                _ => EncodedNews::new(cursor, with_view(match_state, place, what, slot.views)),
            };
            if let Some(turn) = shared_turn {
                self.alike = Some((turn, news.clone()));
            }
            self.outbox.push_back((self.ticket, Effect::Out(OutboundItem::News(Arc::clone(&slot.feed), news))));
        }
        // Spectators are told last.
        match event {
            MatchEvent::Resolved(resolved) if place == Place::Spectators => {
                self.turn_resolved(match_state, resolved.outcome);
            }
            MatchEvent::Opened if place == Place::Spectators => self.open_turn(match_state, self.received),
            _ => {}
        }
    }
}
