//! What the seats of one match share: when turns begin, and when they are over for everybody.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use super::meter::Meter;

/// When turns begin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Pace {
    /// They do not.
    Rest,
    /// As soon as the one before is over.
    Free,
    /// By a schedule.
    Scheduled(Schedule),
}

/// What everybody does from some moment on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Phase {
    /// Which phase it is; each has another number.
    pub(super) number: u32,
    /// When turns begin.
    pub(super) pace: Pace,
    /// From this turn on, a turn is the last of its match.
    pub(super) last_from: u32,
}

/// A schedule of all matches: each begins a turn once in every interval, and they are spread over it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Schedule {
    /// When the first match begins its first turn.
    pub(super) start: Instant,
    /// From one turn of a match to the next.
    pub(super) interval: Duration,
    /// How many matches there are.
    pub(super) matches: u32,
    /// No turn begins at this moment or later.
    pub(super) end: Option<Instant>,
}

impl Schedule {
    /// When a match should begin a turn, both counted from 0; nothing where that, or now, is too late.
    pub(super) fn due(&self, game: u32, turn: u32, now: Instant) -> Option<Instant> {
        let offset = self.interval.mul_f64(f64::from(game) / f64::from(self.matches.max(1)));
        let due = self.start + offset + self.interval.saturating_mul(turn);
        self.end.is_none_or(|end| due < end && now < end).then_some(due)
    }
}

/// How a turn begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Begin {
    /// When it should have begun, where there is a schedule.
    pub(super) due: Option<Instant>,
    /// It is the last.
    pub(super) last: bool,
}

/// A turn on its way.
#[derive(Clone, Copy, Debug)]
struct Course {
    turn: u32,
    begin: Begin,
    /// When the last lock-in so far was sent.
    sent: Option<Instant>,
    /// How many seats know the outcome.
    told: u32,
}

/// A match as its seats share it.
pub(super) struct Game {
    number: u32,
    seats: u32,
    meter: Rc<RefCell<Meter>>,
    inner: RefCell<Inner>,
}

struct Inner {
    /// The turns on their way: a seat can begin the next one before another seat has read the outcome of this one.
    courses: [Option<Course>; 2],
    /// The phase that turns were last begun in, and how many.
    phase: u32,
    begun: u32,
}

impl Game {
    pub(super) fn new(number: u32, seats: u32, meter: Rc<RefCell<Meter>>) -> Self {
        let inner = RefCell::new(Inner { courses: [None; 2], phase: 0, begun: 0 });
        Self { number, seats, meter, inner }
    }

    /// How a turn begins: the first seat that asks settles it for all. Nothing where it cannot begin in this phase.
    pub(super) fn begin(&self, turn: u32, phase: &Phase, now: Instant) -> Option<Begin> {
        let mut inner = self.inner.borrow_mut();
        let place = turn as usize % 2;
        if let Some(course) = inner.courses[place].filter(|course| course.turn == turn) {
            return Some(course.begin);
        }
        if inner.phase != phase.number {
            (inner.phase, inner.begun) = (phase.number, 0);
        }
        let due = match phase.pace {
            Pace::Rest => return None,
            Pace::Free => None,
            Pace::Scheduled(schedule) => Some(schedule.due(self.number, inner.begun, now)?),
        };
        let begin = Begin { due, last: turn >= phase.last_from };
        inner.begun += 1;
        self.meter.borrow_mut().begun += 1;
        inner.courses[place] = Some(Course { turn, begin, sent: None, told: 0 });
        Some(begin)
    }

    /// A seat has sent its lock-in.
    pub(super) fn sent(&self, turn: u32, now: Instant) {
        if let Some(course) = self.inner.borrow_mut().course(turn) {
            course.sent = Some(now);
        }
        self.meter.borrow_mut().saw(now);
    }

    /// A seat knows the outcome.
    pub(super) fn told(&self, turn: u32, now: Instant) {
        let mut inner = self.inner.borrow_mut();
        let Some(course) = inner.course(turn) else { return };
        course.told += 1;
        if course.told < self.seats {
            return;
        }
        let (sent, begin) = (course.sent.unwrap_or(now), course.begin);
        let mut meter = self.meter.borrow_mut();
        meter.turns += 1;
        meter.ended += u64::from(begin.last);
        meter.outcome.record(now - sent);
        if let Some(due) = begin.due {
            meter.scheduled_outcome.record(now.saturating_duration_since(due));
            meter.late.record(sent.saturating_duration_since(due));
        }
        meter.saw(now);
    }
}

impl Inner {
    fn course(&mut self, turn: u32) -> Option<&mut Course> {
        self.courses[turn as usize % 2].as_mut().filter(|course| course.turn == turn)
    }
}
