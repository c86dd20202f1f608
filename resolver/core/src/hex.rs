//! Axial hexes and the six directions (R3.1).

use std::fmt;

/// A hex in axial coordinates. Ordered by `q`, then `r`, as R7.3 and R9.2 want it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hex {
    /// Column axis, growing to the east.
    pub q: i32,
    /// Row axis, growing to the south-east.
    pub r: i32,
}

impl Hex {
    /// The hex at `(q, r)`.
    pub const fn new(q: i32, r: i32) -> Self {
        Self { q, r }
    }

    /// Steps between two hexes on an endless plane.
    pub const fn distance(self, other: Self) -> u32 {
        let dq = self.q as i64 - other.q as i64;
        let dr = self.r as i64 - other.r as i64;
        ((dq.abs() + dr.abs() + (dq + dr).abs()) / 2) as u32
    }

    /// The neighbour in a direction, or `None` where the coordinates end.
    pub const fn step(self, direction: Direction) -> Option<Self> {
        let (dq, dr) = direction.delta();
        match (self.q.checked_add(dq), self.r.checked_add(dr)) {
            (Some(q), Some(r)) => Some(Self { q, r }),
            _ => None,
        }
    }
}

impl fmt::Display for Hex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {})", self.q, self.r)
    }
}

/// One of the six directions, in the order that breaks ties (R3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Direction {
    /// East.
    E = 0,
    /// North-east.
    NE = 1,
    /// North-west.
    NW = 2,
    /// West.
    W = 3,
    /// South-west.
    SW = 4,
    /// South-east.
    SE = 5,
}

impl Direction {
    /// All six directions in the order that breaks ties.
    pub const ALL: [Self; 6] = [Self::E, Self::NE, Self::NW, Self::W, Self::SW, Self::SE];

    /// What the direction adds to `(q, r)`.
    pub const fn delta(self) -> (i32, i32) {
        match self {
            Self::E => (1, 0),
            Self::NE => (1, -1),
            Self::NW => (0, -1),
            Self::W => (-1, 0),
            Self::SW => (-1, 1),
            Self::SE => (0, 1),
        }
    }

    /// The direction with this number, counted modulo six.
    pub const fn from_index(index: usize) -> Self {
        Self::ALL[index % 6]
    }

    /// The opposite direction.
    pub const fn opposite(self) -> Self {
        match self {
            Self::E => Self::W,
            Self::NE => Self::SW,
            Self::NW => Self::SE,
            Self::W => Self::E,
            Self::SW => Self::NE,
            Self::SE => Self::NW,
        }
    }

    /// The direction from one hex to an adjacent one, if it is adjacent.
    pub const fn between(from: Hex, to: Hex) -> Option<Self> {
        // Indexed by the differences of q and of r, each plus one, so that the smallest difference has index zero.
        const AROUND: [[Option<Direction>; 3]; 3] = [
            [None, Some(Direction::W), Some(Direction::SW)],
            [Some(Direction::NW), None, Some(Direction::SE)],
            [Some(Direction::NE), Some(Direction::E), None],
        ];
        let dq = (to.q as i64 - from.q as i64 + 1) as u64;
        let dr = (to.r as i64 - from.r as i64 + 1) as u64;
        if dq < 3 && dr < 3 { AROUND[dq as usize][dr as usize] } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_are_their_own_way_back() {
        let here = Hex::new(3, -2);
        for d in Direction::ALL {
            let there = here.step(d).expect("in range");
            assert_eq!(there.step(d.opposite()), Some(here));
            assert_eq!(Direction::between(here, there), Some(d));
            assert_eq!(here.distance(there), 1);
        }
    }

    #[test]
    fn the_ends_of_the_numbers_do_not_overflow() {
        let far = Hex::new(i32::MAX, i32::MIN);
        assert_eq!(far.step(Direction::E), None);
        assert_eq!(Direction::between(far, Hex::new(i32::MIN, i32::MIN)), None);
        assert_eq!(Hex::new(0, 0).distance(Hex::new(3, -1)), 3);
    }
}
