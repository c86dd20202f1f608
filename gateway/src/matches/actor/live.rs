//! What follows from records while they happen: news for those who follow, and what operators and traces are told.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant as StdInstant;

use super::super::Shared;
use super::super::history::with_view;
use super::super::seal::{Out, TurnDone};
use super::super::told::Told;
use super::{Effect, Slot};
use crate::table::{Audience, Happening, Place, Table, project};
use crate::trace::TurnTrace;

/// The audience of those who follow the match while it happens.
pub(super) struct Live<'a> {
    pub(super) slots: &'a [Slot],
    pub(super) outbox: &'a mut VecDeque<(u64, Effect)>,
    pub(super) ticket: u64,
    pub(super) shared: &'a Shared,
    /// The outcome of a turn of which everybody is told the same, encoded once for all.
    pub(super) alike: Option<(u32, Told)>,
    /// When the request that is being applied was received.
    pub(super) asked: StdInstant,
    /// The trace of the turn that is being played.
    pub(super) trace: Option<TurnTrace>,
    /// The decision window that is open.
    pub(super) window: Option<OpenWindow>,
}

/// A decision window while it is open.
#[derive(Clone, Copy)]
pub(super) struct OpenWindow {
    since: StdInstant,
    tick: u32,
    encounters: usize,
}

impl OpenWindow {
    pub(super) fn of(table: &Table) -> Option<Self> {
        let window = table.game.as_ref()?.window.as_ref()?;
        Some(Self { since: StdInstant::now(), tick: window.tick(), encounters: window.awaiting.len() })
    }
}

impl Live<'_> {
    /// Begins the trace of a turn that can be planned.
    fn open_turn(&mut self, table: &Table, since: StdInstant) {
        let Some(tracer) = self.shared.tracing.tracer.as_ref().filter(|_| !table.is_over()) else { return };
        self.trace = TurnTrace::of(tracer, table.setup.id.0, table.turn());
        if let Some(trace) = &mut self.trace {
            trace.opened((since, StdInstant::now()), table.size());
        }
    }

    /// Counts and traces a turn that is resolved. What is told of it goes out before what is counted.
    fn turn_resolved(&mut self, table: &Table, before: usize, events: &[parley_resolver::event::Event]) {
        self.shared.stats.turns.fetch_add(1, Ordering::Relaxed);
        self.shared.numbers.resolved(events);
        let turn = table.turn().saturating_sub(1);
        tracing::debug!(match_id = %table.setup.id.0, turn, events = events.len(), "a turn is resolved");
        let now = StdInstant::now();
        self.end_planning_or_window(before);
        let mut trace = self.trace.take();
        if let Some(trace) = &mut trace {
            trace.resolved((self.asked, now), before, events, None);
        }
        self.open_turn(table, now);
        let done = TurnDone { asked: self.asked, handed: now, durable: now, trace };
        self.outbox.push_back((self.ticket, Effect::Out(Out::Turn(Box::new(done)))));
    }
}

impl Live<'_> {
    /// Counts and traces that everybody has locked in, or has decided.
    fn end_planning_or_window(&mut self, ships: usize) {
        match self.window.take() {
            Some(OpenWindow { since, tick, encounters }) => {
                self.shared.numbers.window_closed(self.asked.duration_since(since));
                if let Some(trace) = &mut self.trace {
                    trace.decided((since, self.asked), tick, encounters);
                }
            }
            None => {
                if let Some(trace) = &mut self.trace {
                    trace.locked((self.asked, self.asked), ships);
                }
            }
        }
    }

    /// Takes note of a decision window that has been opened.
    pub(super) fn note_window(&mut self, table: &Table) {
        let Some(open) = OpenWindow::of(table) else { return };
        if self.window.is_some_and(|window| window.tick == open.tick) {
            return;
        }
        self.end_planning_or_window(table.size());
        if let (Some(trace), Some(window)) =
            (&mut self.trace, table.game.as_ref().and_then(|game| game.window.as_ref()))
        {
            trace.resolved((self.asked, open.since), table.size(), window.events(), Some(open.tick));
        }
        self.window = Some(open);
    }
}

impl Audience for Live<'_> {
    fn tell(&mut self, table: &Table, place: Place, cursor: u64, happening: &Happening<'_>) {
        let shared_turn = happening.turn_alike_for_all(table);
        for slot in self.slots.iter().filter(|slot| slot.place == place) {
            let shared_turn = shared_turn.filter(|_| !slot.views);
            let news = match &self.alike {
                Some((turn, news)) if shared_turn == Some(*turn) => news.under(cursor),
                _ => Told::new(cursor, with_view(table, place, project(table, place, happening), slot.views)),
            };
            if let Some(turn) = shared_turn {
                self.alike = Some((turn, news.clone()));
            }
            self.outbox.push_back((self.ticket, Effect::Out(Out::News(Arc::clone(&slot.feed), news))));
        }
        // Spectators are told last.
        match happening {
            Happening::Resolved { before, events, .. } if place == Place::Spectators => {
                self.turn_resolved(table, before.units().len(), events);
            }
            Happening::Opened if place == Place::Spectators => self.open_turn(table, self.asked),
            _ => {}
        }
    }
}
