//! How far a walk over the movers of a sorted field has come along the map, and the reading ahead of it.
//!
//! Movers come in the order of the rows they started from but have drifted since, each by a row a tick at most. So each
//! of them would wait for another part of memory, although together they use all of it. Reading the rows that come
//! next in their order, a line of the caches at a time, gets them as fast as memory gives them, and what the movers
//! then need is near.

use super::Field;
use super::layout::Cell;

/// How many tiles share a line of the processor's caches.
const TILES_PER_LINE: usize = 16;

/// How many places are read at once, because the processor does not look ahead over the end of a page.
const STREAMS: usize = 4;

/// With more tiles than this for each mover, most of what is read would not be needed.
const MOST_TILES_PER_MOVER: usize = 128;

/// The front of a walk.
pub(super) struct Front {
    /// The row from which the mover at the front started.
    pub(super) row: usize,
    /// The tiles up to this one, or from it on, have been read.
    read: usize,
    /// Whether the movers are close enough together that reading tiles ahead pays.
    reads: bool,
}

impl Front {
    /// The front of a walk from the first mover to the last.
    pub(super) fn at_first(field: &Field) -> Self {
        let reads = field.movers.len().saturating_mul(MOST_TILES_PER_MOVER) >= field.cells.len();
        Self { row: 0, read: 0, reads }
    }

    /// The front of a walk from the last mover to the first.
    pub(super) fn at_last(field: &Field) -> Self {
        Self { row: field.grid.height() as usize - 1, read: field.cells.len(), ..Self::at_first(field) }
    }

    /// Goes on to a mover, having read what it and those before it touch in this tick.
    pub(super) fn advance(&mut self, field: &Field, mover: usize) {
        let lane = field.movers[mover].lane;
        while field.rows[self.row + 1] <= lane {
            self.row += 1;
        }
        let end = (self.row + usize::from(field.tick) + 1) * field.grid.width() as usize;
        let end = end.min(field.cells.len());
        if self.reads && self.read < end {
            read_ahead(&field.cells[self.read..end]);
            self.read = end;
        }
    }

    /// Goes back to a mover, having read what it and those after it touch in this tick.
    pub(super) fn retreat(&mut self, field: &Field, mover: usize) {
        let lane = field.movers[mover].lane;
        while field.rows[self.row] > lane {
            self.row -= 1;
        }
        let end = self.row.saturating_sub(field.tick.into()) * field.grid.width() as usize;
        if self.reads && end < self.read {
            read_ahead(&field.cells[end..self.read]);
            self.read = end;
        }
    }
}

/// Brings tiles into the caches. Nothing depends on what is read, so that nothing waits for it.
fn read_ahead(cells: &[Cell]) {
    let part = cells.len() / STREAMS + 1;
    let mut seen = 0;
    for i in (0..part).step_by(TILES_PER_LINE) {
        for stream in 0..STREAMS {
            seen ^= cells.get(stream * part + i).map_or(0, |cell| cell.marks);
        }
    }
    std::hint::black_box(seen);
}
