//! What the field keeps of a tile, of a unit, and of a unit on the move.

use crate::hex::Direction;

/// Stands for no unit or no tile.
pub(super) const NONE: u32 = u32::MAX;
/// Stands for no owner.
pub(super) const NOBODY: u8 = 255;
/// Stands for more than one owner.
pub(super) const SEVERAL: u8 = 254;

/// Mark: the tile is contested, so that nobody may enter (R9.1).
pub(super) const CONTESTED: u8 = 1;
/// Mark: the tile is reserved for one owner, or for nobody (R3.3).
pub(super) const RESERVED: u8 = 2;
/// Mark: the tile is in an odd row.
pub(super) const ODD: u8 = 4;
/// Mark: the tile is at the border, where stepping is not a mere addition.
pub(super) const BORDER: u8 = 8;
/// Mark: a unit without an intent stands here (R6.1).
pub(super) const REST: u8 = 16;
/// Mark: a unit that wanted to leave does not (R6.5).
pub(super) const STUCK: u8 = 32;
/// Mark: a passing encounter closes the tile (R6.3).
pub(super) const CLOSED: u8 = 64;
/// Mark: a unit has entered since the tick began.
pub(super) const ENTERED: u8 = 128;

/// A tile. By R2.1 all units on it have one owner.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    /// The owner of the units on it.
    pub(super) holder: u8,
    /// The owner of the units that want to enter it.
    pub(super) entrant: u8,
    /// The directions in which units want to leave, a bit each.
    pub(super) exits: u8,
    pub(super) marks: u8,
}

impl Cell {
    /// A tile with nothing on it.
    pub(super) const fn empty(marks: u8) -> Self {
        Self { holder: NOBODY, entrant: NOBODY, exits: 0, marks: marks & (ODD | BORDER) }
    }

    /// Counts in an owner that wants to enter.
    pub(super) const fn welcome(&mut self, owner: u8) {
        self.entrant = if self.entrant == NOBODY || self.entrant == owner { owner } else { SEVERAL };
    }
}

/// What becomes of a unit in the tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Fate {
    /// It moves, or has moved (R6.6).
    Free,
    /// It is kept out by a contest, or because the tile is reserved for somebody else (R6.2).
    Blocked,
    /// It is in a passing encounter (R6.3).
    Passing,
    /// It collides with enemies that want or hold the tile (R6.4).
    Stopped,
}

/// A unit, as far as it needs to be known while it is at rest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lane {
    /// Where a unit at rest stands, `NONE` where it is gone; where a moving one started.
    pub(super) at: u32,
    /// Of a unit at rest, the next one on its tile; of a moving one, where among the movers it was seen last.
    pub(super) link: u32,
    /// The steps of its path, taken or not; those that were lost do not count.
    pub(super) path: u8,
    /// How many steps are left of the path, of a unit at rest.
    pub(super) left: u8,
    pub(super) owner: u8,
    /// Whether it has no intent any more, so that it is not among the movers.
    pub(super) rests: bool,
}

/// A unit on the move, with all that a tick asks of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mover {
    /// The next steps of the path, four bits each.
    pub(super) steps: u64,
    /// The tile where it is now; `NONE` where it was taken off the field.
    pub(super) at: u32,
    pub(super) goal: u32,
    pub(super) lane: u32,
    pub(super) owner: u8,
    pub(super) left: u8,
    /// The last tick in which it may move; 0 where it has halted.
    pub(super) speed: u8,
    pub(super) fate: Fate,
}

impl Mover {
    /// The direction of its next step, below eight.
    pub(super) const fn heading(&self) -> usize {
        (self.steps & 7) as usize
    }

    /// Takes one step off the path.
    pub(super) fn step(&mut self, lanes: &[Lane], unit: u32, refill: &impl Fn(u32, usize) -> u64) {
        self.left -= 1;
        self.steps >>= 4;
        // Sixteen steps that were taken leave a zero, but so do steps to the east that were not.
        if self.steps == 0 && self.left > 0 {
            let walked = usize::from(lanes[self.lane as usize].path - self.left);
            if walked.is_multiple_of(16) {
                self.steps = refill(unit, walked / 16);
            }
        }
    }
}

/// For each heading the exit of somebody who comes from there.
pub(super) const ONCOMING: [u8; 8] = {
    let mut bits = [0; 8];
    let mut i = 0;
    while i < Direction::ALL.len() {
        bits[i] = 1 << Direction::ALL[i].opposite() as u8;
        i += 1;
    }
    bits
};

/// What to add to a tile for each direction, in even rows and, from eight on, in odd rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Offsets([u32; 16]);

impl Offsets {
    pub(super) const fn new(width: u32) -> Self {
        let up = 0u32.wrapping_sub(width);
        let west = u32::MAX;
        let (even_nw, even_sw) = (up.wrapping_sub(1), width.wrapping_sub(1));
        let (odd_ne, odd_se) = (up.wrapping_add(1), width.wrapping_add(1));
        Self([1, up, even_nw, west, even_sw, width, 0, 0, 1, odd_ne, up, west, width, odd_se, 0, 0])
    }

    /// The neighbour of a tile that is not at the border, by the tile's marks.
    pub(super) const fn step(&self, tile: u32, marks: u8, heading: usize) -> u32 {
        let odd = ((marks & ODD) << 1) as usize;
        tile.wrapping_add(self.0[(odd | heading) & 15])
    }
}
