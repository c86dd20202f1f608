//! The spans of one turn.

use std::sync::Arc;
use std::time::Instant;

use parley_games::hosted::{Labels, TickCounts, TurnCounts};
use smallvec::SmallVec;
use uuid::Uuid;

use super::span::{Span, SpanKind, Spans};
use super::{SpanId, TraceContext, TraceId, Tracer, ids_of};

/// The trace of a turn that is being played.
pub struct TurnTrace {
    tracer: Arc<Tracer>,
    about: About,
    /// What things of the game are called.
    labels: &'static Labels,
    spans: Spans,
    /// The last tick that spans were added for.
    told: Option<u8>,
}

/// What every span of a turn has.
#[derive(Clone, Copy)]
struct About {
    trace: TraceId,
    root: SpanId,
    id: Uuid,
    turn: u32,
}

impl About {
    fn of(id: Uuid, turn: u32) -> Self {
        let (trace, root) = ids_of(id, turn);
        Self { trace, root, id, turn }
    }
}

/// Adds a span, with what all spans of the turn have.
fn put(spans: &mut Spans, about: About, span: &Span<'_>) {
    let mut text = [0; uuid::fmt::Hyphenated::LENGTH];
    let text = &*about.id.hyphenated().encode_lower(&mut text);
    let mut words: SmallVec<[(&'static str, &str); 4]> = SmallVec::new();
    words.push(("parley.match", text));
    words.extend_from_slice(span.words);
    let mut numbers: SmallVec<[(&'static str, i64); 8]> = SmallVec::new();
    numbers.push(("parley.turn", about.turn.into()));
    numbers.extend_from_slice(span.numbers);
    spans.add(&Span { words: &words, numbers: &numbers, ..*span });
}

/// Adds a lock-in that was answered: to the caller's trace, if it has one, and otherwise to the turn's.
pub fn lock_in(
    tracer: &Tracer,
    spans: &mut Spans,
    (id, turn): (Uuid, u32),
    caller: Option<TraceContext>,
    (from, to): (Instant, Instant),
) {
    let about = About::of(id, turn);
    let (trace, parent, link) = match caller {
        Some(caller) if !caller.sampled => return,
        Some(caller) => (caller.trace, caller.span, Some((about.trace, about.root))),
        None if !tracer.takes(&about.trace) => return,
        None => (about.trace, about.root, None),
    };
    let span = Span {
        trace,
        id: tracer.new_span(),
        parent: Some(parent),
        name: "play.lock_in",
        kind: SpanKind::Server,
        from: tracer.at(from),
        to: tracer.at(to),
        words: &[],
        numbers: &[],
        link,
    };
    put(spans, about, &span);
}

impl TurnTrace {
    /// The trace of a turn, if it is one of those that are taken.
    pub fn of(tracer: &Arc<Tracer>, labels: &'static Labels, id: Uuid, turn: u32) -> Option<Self> {
        let about = About::of(id, turn);
        let taken = tracer.takes(&about.trace);
        taken.then(|| Self { tracer: Arc::clone(tracer), about, labels, spans: Spans::default(), told: None })
    }

    fn span(
        &mut self,
        (name, id, parent): (&'static str, SpanId, Option<SpanId>),
        (from, to): (u64, u64),
        words: &[(&'static str, &str)],
        numbers: &[(&'static str, i64)],
    ) {
        let (trace, kind) = (self.about.trace, SpanKind::Internal);
        let span = Span { trace, id, parent, name, kind, from, to, words, numbers, link: None };
        put(&mut self.spans, self.about, &span);
    }

    /// Adds a span right below the root, and gives its id.
    fn stage(&mut self, name: &'static str, (from, to): (Instant, Instant), numbers: &[(&'static str, i64)]) -> SpanId {
        let id = self.tracer.new_span();
        let when = (self.tracer.at(from), self.tracer.at(to));
        self.span((name, id, Some(self.about.root)), when, &[], numbers);
        id
    }

    /// Adds the root: the turn can be planned.
    pub fn opened(&mut self, when: (Instant, Instant), units: usize) {
        let when = (self.tracer.at(when.0), self.tracer.at(when.1));
        self.span(("turn.open", self.about.root, None), when, &[], &[(self.labels.units, units as i64)]);
    }

    /// Adds that everybody has locked in, or that the time to plan is over.
    pub fn locked(&mut self, when: (Instant, Instant), units: usize) {
        self.stage("turn.locked", when, &[(self.labels.units, units as i64)]);
    }

    /// Adds that the turn went on until it was over, or until it asked something in the tick `in_tick`, which is not over
    /// then: everything that has happened in it so far.
    pub fn resolved(
        &mut self,
        (from, to): (Instant, Instant),
        units: usize,
        TurnCounts { ticks, groups }: &TurnCounts,
        in_tick: Option<u32>,
    ) {
        let resolve = self.stage("turn.resolve", (from, to), &[(self.labels.units, units as i64)]);
        let (from, to) = (self.tracer.at(from), self.tracer.at(to));
        let told = self.told;
        let is_new =
            |tick: u8| told.is_none_or(|told| tick > told) && in_tick.is_none_or(|in_tick| u32::from(tick) < in_tick);
        let new: SmallVec<[&TickCounts; 8]> = ticks.iter().filter(|counts| is_new(counts.tick)).collect();
        // The resolver knows no clock: what is known is the order of ticks within the time of all of them.
        let share = (to - from) / (new.len() as u64).max(1);
        for (place, &&TickCounts { tick, numbers: [first, second] }) in (0..).zip(&new) {
            let when = (from + place * share, from + (place + 1) * share);
            let id = self.tracer.new_span();
            let numbers = [("parley.tick", i64::from(tick)), (self.labels.units, units as i64), first, second];
            self.span(("tick", id, Some(resolve)), when, &[], &numbers);
            for group in groups.iter().filter(|group| group.tick == tick) {
                let own = self.tracer.new_span();
                let [first, second] = group.numbers;
                let numbers = [("parley.tick", i64::from(tick)), first, second];
                self.span((group.name, own, Some(id)), when, &[group.kind], &numbers);
            }
        }
        self.told = new.last().map(|counts| counts.tick).or(told);
    }

    /// Adds a window that was closed.
    pub fn window_closed(&mut self, when: (Instant, Instant), tick: u32, groups: usize) {
        self.stage("turn.decisions", when, &[("parley.tick", tick.into()), (self.labels.groups, groups as i64)]);
    }

    /// Adds that what completed the turn was made durable.
    pub fn committed(&mut self, when: (Instant, Instant)) {
        self.stage("journal.commit", when, &[]);
    }

    /// Adds that everybody was told.
    pub fn published(&mut self, when: (Instant, Instant)) {
        self.stage("turn.publish", when, &[]);
    }

    /// Takes all spans that were added since the last call.
    pub fn take_spans(&mut self) -> Spans {
        std::mem::take(&mut self.spans)
    }
}
