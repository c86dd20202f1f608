//! How a run went over time, in a bounded number of pieces.

use std::time::Duration;

use super::meter::{Meter, Timing};

/// The most pieces that are told apart; where there would be more, each becomes twice as long.
const MAX_PIECES: usize = 480;
/// How long a piece is at first.
const FIRST_WIDTH: Duration = Duration::from_secs(1);

/// What was measured in one piece of time.
#[derive(Clone, Debug)]
pub struct Piece {
    /// How many turns ended.
    pub turns: u64,
    /// How many errors there were.
    pub errors: u64,
    /// The time from sending a lock-in to its receipt, per seat.
    pub lock_in: Timing,
    /// The time from the last lock-in, or the schedule where there is one, until every seat knows the outcome, per
    /// match.
    pub outcome: Timing,
}

impl Piece {
    fn new() -> Self {
        Self { turns: 0, errors: 0, lock_in: Timing::coarse(), outcome: Timing::coarse() }
    }

    fn add(&mut self, other: &Self) {
        self.turns += other.turns;
        self.errors += other.errors;
        self.lock_in.add(&other.lock_in);
        self.outcome.add(&other.outcome);
    }
}

/// What was measured in a run, piece by piece.
#[derive(Clone, Debug)]
pub struct Series {
    /// How long each piece is.
    pub width: Duration,
    /// The pieces in order; the first begins with the run.
    pub pieces: Vec<Piece>,
}

impl Default for Series {
    fn default() -> Self {
        Self { width: FIRST_WIDTH, pieces: Vec::new() }
    }
}

impl Series {
    /// Takes in what was measured up to a moment of the run.
    pub fn add(&mut self, moment: Duration, sample: &Meter) {
        let mut place = self.place(moment);
        while place >= MAX_PIECES {
            self.fold();
            place = self.place(moment);
        }
        while self.pieces.len() <= place {
            self.pieces.push(Piece::new());
        }
        let piece = &mut self.pieces[place];
        piece.turns += sample.turns;
        piece.errors += sample.errors.total();
        piece.lock_in.add(&sample.lock_in);
        piece.outcome.add(sample.told_outcome());
    }

    fn place(&self, moment: Duration) -> usize {
        // A sample tells of the time before it.
        (moment.as_nanos().saturating_sub(1) / self.width.as_nanos()) as usize
    }

    fn fold(&mut self) {
        self.width *= 2;
        let folded = self.pieces.chunks(2).map(|pair| {
            let mut piece = pair[0].clone();
            pair[1..].iter().for_each(|other| piece.add(other));
            piece
        });
        self.pieces = folded.collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn however_long_a_run_is_it_has_a_bounded_number_of_pieces_and_loses_nothing() {
        let mut series = Series::default();
        let mut sample = Meter { turns: 3, ..Meter::default() };
        sample.outcome.record(Duration::from_millis(7));
        for second in 1..=3600 {
            series.add(Duration::from_secs(second), &sample);
        }
        assert!(series.pieces.len() <= MAX_PIECES && series.pieces.len() > MAX_PIECES / 3);
        assert_eq!(series.pieces.iter().map(|piece| piece.turns).sum::<u64>(), 3 * 3600);
        assert_eq!(series.pieces.iter().map(|piece| piece.outcome.count()).sum::<u64>(), 3600);
        let covered = series.width * series.pieces.len() as u32;
        assert!(covered >= Duration::from_secs(3600) && covered < Duration::from_secs(3700), "{covered:?}");
    }

    #[test]
    fn what_is_measured_at_the_end_of_a_piece_belongs_to_it() {
        let mut series = Series::default();
        for moment in [250, 1000, 1001, 2000] {
            series.add(Duration::from_millis(moment), &Meter { turns: 1, ..Meter::default() });
        }
        assert_eq!(series.pieces.iter().map(|piece| piece.turns).collect::<Vec<_>>(), [2, 2]);
    }
}
