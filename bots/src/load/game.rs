//! What the seats of one match share: when turns begin, and when they are over for everybody.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use super::meter::Meter;

/// When turns begin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Pace {
    /// No turn begins.
    Rest,
    /// A turn begins as soon as the one before it is over.
    Free,
    /// Turns begin by a schedule.
    Scheduled(Schedule),
}

/// What everybody does from some moment on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Phase {
    /// The number of the phase; each has another one.
    pub(super) number: u32,
    /// When turns begin in this phase.
    pub(super) pace: Pace,
    /// From this turn on, a turn is the last of its match.
    pub(super) last_from: u32,
}

/// A schedule of all matches: each begins a turn once in every interval, and they are spread over it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Schedule {
    /// When the first match begins its first turn.
    pub(super) start: Instant,
    /// The time from the beginning of one turn of a match to that of the next.
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

    /// How many turns should begin before the end, over all matches; nothing where there is no end.
    pub(super) fn wanted(&self) -> Option<u64> {
        let time = self.end?.saturating_duration_since(self.start).as_secs_f64() / self.interval.as_secs_f64();
        let of_match = |game: u32| (time - f64::from(game) / f64::from(self.matches)).max(0.0).ceil() as u64;
        Some((0..self.matches).map(of_match).sum())
    }
}

/// How a turn begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Begin {
    /// When it should have begun, where there is a schedule.
    pub(super) due: Option<Instant>,
    /// Whether it is the last turn of the match.
    pub(super) last: bool,
}

/// A turn that has begun and is not over for everybody.
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
pub(super) struct SharedMatch {
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

impl SharedMatch {
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

    /// Notes that a seat has sent its lock-in.
    pub(super) fn sent(&self, turn: u32, now: Instant) {
        if let Some(course) = self.inner.borrow_mut().course(turn) {
            course.sent = Some(now);
        }
        self.meter.borrow_mut().saw(now);
    }

    /// Notes that a seat knows the outcome.
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

#[cfg(test)]
mod tests {
    use super::*;

    const MILLI: Duration = Duration::from_millis(1);

    fn game(number: u32, seats: u32) -> (SharedMatch, Rc<RefCell<Meter>>) {
        let meter = Rc::new(RefCell::new(Meter::default()));
        (SharedMatch::new(number, seats, Rc::clone(&meter)), meter)
    }

    fn scheduled(start: Instant, matches: u32, end: Option<Instant>) -> Phase {
        let schedule = Schedule { start, interval: 10 * MILLI, matches, end };
        Phase { number: 1, pace: Pace::Scheduled(schedule), last_from: u32::MAX }
    }

    /// A server that answers within a millisecond, and once not for a tenth of a second. One match, a turn every ten
    /// milliseconds: nine further turns should have begun while it did not answer.
    #[test]
    fn turns_that_a_stalled_server_delays_are_late_by_the_schedule_and_quick_without_it() {
        let (game, meter) = game(0, 1);
        let start = Instant::now();
        let phase = scheduled(start, 1, None);
        let mut now = start;
        for turn in 1..=100 {
            let begin = game.begin(turn, &phase, now).expect("a turn");
            now = now.max(begin.due.expect("a schedule"));
            game.sent(turn, now);
            now += if turn == 50 { 100 * MILLI } else { MILLI };
            game.told(turn, now);
        }
        let meter = meter.borrow();
        assert_eq!((meter.begun, meter.turns), (100, 100));
        // As sent: only the one turn was slow.
        assert_eq!((meter.outcome.between(0.0, 2.0), meter.outcome.between(90.0, 110.0)), (99, 1));
        // By the schedule: it, and 91, 82, 73 ... milliseconds for those that waited behind it.
        let late = meter.scheduled_outcome.between(5.0, 110.0);
        assert_eq!(late, 11, "from 100 down to 10 in steps of 9");
        for millis in [100.0, 91.0, 82.0, 73.0, 64.0, 55.0, 46.0] {
            assert_eq!(meter.scheduled_outcome.between(millis - 0.5, millis + 0.5), 1, "{millis} ms");
        }
        assert!(meter.outcome.at(0.95) < 2 * MILLI && meter.scheduled_outcome.at(0.95) > 40 * MILLI);
        assert!(meter.late.max() > 85 * MILLI && meter.late.at(0.5) <= MILLI);
    }

    #[test]
    fn matches_are_spread_over_the_interval_and_none_begins_too_late() {
        let start = Instant::now();
        let end = Some(start + 25 * MILLI);
        let Pace::Scheduled(schedule) = scheduled(start, 4, end).pace else { panic!("a schedule") };
        let due = |game, turn| schedule.due(game, turn, start).map(|due| (due - start).as_micros());
        assert_eq!([due(0, 0), due(1, 0), due(2, 0), due(3, 0)], [Some(0), Some(2500), Some(5000), Some(7500)]);
        assert_eq!([due(0, 2), due(1, 2), due(2, 2)], [Some(20_000), Some(22_500), None]);
        assert_eq!(schedule.wanted(), Some(3 + 3 + 2 + 2));
        assert_eq!(Schedule { end: None, ..schedule }.wanted(), None);
        assert_eq!(schedule.due(0, 0, start + 25 * MILLI), None, "what has waited until the end does not begin");
    }

    #[test]
    fn the_first_seat_settles_how_a_turn_begins_and_the_last_ends_it() {
        let (game, meter) = game(0, 3);
        let now = Instant::now();
        let free = Phase { number: 1, pace: Pace::Free, last_from: 2 };
        let rest = Phase { number: 2, pace: Pace::Rest, last_from: 0 };
        assert_eq!(game.begin(1, &rest, now), None);
        let begin = Begin { due: None, last: false };
        assert_eq!(game.begin(1, &free, now), Some(begin));
        // The others follow, whatever has been said since.
        assert_eq!(game.begin(1, &rest, now), Some(begin));
        for seat in 0..3 {
            game.sent(1, now + seat * MILLI);
        }
        game.told(1, now + 5 * MILLI);
        // One seat is already in the last turn before the others have read the outcome.
        assert_eq!(game.begin(2, &free, now), Some(Begin { due: None, last: true }));
        game.told(1, now + 6 * MILLI);
        assert_eq!(meter.borrow().turns, 0);
        game.told(1, now + 9 * MILLI);
        assert_eq!((meter.borrow().turns, meter.borrow().ended), (1, 0));
        assert_eq!(meter.borrow().outcome.max().as_millis(), 7, "from the last lock-in to the last seat");
        for _ in 0..3 {
            game.sent(2, now);
        }
        (0..3).for_each(|_| game.told(2, now));
        assert_eq!((meter.borrow().turns, meter.borrow().ended), (2, 1));
    }

    #[test]
    fn each_phase_counts_its_turns_from_the_start() {
        let (game, _) = game(0, 1);
        let start = Instant::now();
        let first = scheduled(start, 1, None);
        for turn in 1..=5 {
            game.begin(turn, &first, start);
        }
        let later = start + 1000 * MILLI;
        let second = Phase { number: 2, ..scheduled(later, 1, None) };
        assert_eq!(game.begin(6, &second, later).and_then(|begin| begin.due), Some(later));
        assert_eq!(game.begin(7, &second, later).and_then(|begin| begin.due), Some(later + 10 * MILLI));
    }
}
