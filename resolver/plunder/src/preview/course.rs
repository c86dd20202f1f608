//! The path that a click on a far tile means, and when its steps are taken.

use std::fmt;

use parley_core::grid::{Grid, Tile};
use parley_core::hex::Hex;
use parley_core::ids::UnitId;
use parley_core::path::MAX_PATH;

use crate::ids::StructureId;

use super::chart::{Bar, Chart, Known};
use super::survey::{Answer, Survey};

/// One step of a course.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leg {
    /// The tile that the step leads to.
    pub tile: Tile,
    /// How many turns from now it is taken; 0 is the turn being planned.
    pub turn: u32,
    /// The tick of that turn in which the ship arrives, if nothing delays it.
    pub tick: u8,
}

/// A way to a tile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Course {
    /// The steps, 1 to [`MAX_PATH`] of them.
    pub legs: Vec<Leg>,
}

impl Course {
    /// How many turns it takes, the turn being planned included.
    pub fn turns(&self) -> u32 {
        self.legs.last().map_or(0, |leg| leg.turn + 1)
    }

    /// The path as an order to move says it (R5.4).
    pub fn hexes(&self, grid: &Grid) -> Vec<Hex> {
        self.legs.iter().map(|leg| grid.hex(leg.tile)).collect()
    }
}

/// Why there is no course to a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CourseError {
    /// The player has no such unit.
    NoSuchUnit(UnitId),
    /// The target is not on the map.
    OffMap(Hex),
    /// The unit is there already.
    Here,
    /// The unit has no speed.
    Becalmed,
    /// The player has never seen the target.
    Uncharted(Hex),
    /// Units of this domain cannot enter the terrain of the target.
    Land(Hex),
    /// The target is contested.
    Contested(Hex),
    /// The target carries a structure of somebody else.
    Closed {
        /// The hex of the target.
        hex: Hex,
        /// The structure that closes it.
        structure: StructureId,
    },
    /// No way leads there, however long.
    Unreachable(Hex),
    /// Every way there, if there is one, has more than [`MAX_PATH`] steps.
    TooFar(Hex),
}

impl CourseError {
    /// The rule that stands in the way.
    pub const fn rule(&self) -> &'static str {
        match self {
            Self::NoSuchUnit(_) => "R1",
            Self::OffMap(_) | Self::Here | Self::Land(_) | Self::Unreachable(_) | Self::TooFar(_) => "R5.5",
            Self::Becalmed => "R4",
            Self::Uncharted(_) => "R14.1",
            Self::Contested(_) => "R9.1",
            Self::Closed { .. } => "R3.3",
        }
    }
}

impl fmt::Display for CourseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchUnit(unit) => write!(f, "the player has no unit {unit}")?,
            Self::OffMap(hex) => write!(f, "{hex} is not on the map")?,
            Self::Here => f.write_str("the unit is there already")?,
            Self::Becalmed => f.write_str("the unit has no speed")?,
            Self::Uncharted(hex) => write!(f, "{hex} is not charted")?,
            Self::Land(hex) => write!(f, "{hex} is on land")?,
            Self::Contested(hex) => write!(f, "{hex} is contested")?,
            Self::Closed { hex, structure } => write!(f, "{hex} is closed by structure {structure}")?,
            Self::Unreachable(hex) => write!(f, "no way leads to {hex}")?,
            Self::TooFar(hex) => write!(f, "no way of at most {MAX_PATH} steps leads to {hex}")?,
        }
        write!(f, " ({})", self.rule())
    }
}

impl std::error::Error for CourseError {}

/// The shortest way of a unit to a hex over tiles that are open as far as its owner knows: no land, no contest, no
/// foreign structure, nothing dark. Of several the one whose directions come first, compared step by step (R3.1).
///
/// Other ships are not in the way, because nobody knows where they will be. A course is always a legal path (R5.5).
pub fn course(chart: &Chart<'_>, survey: &mut Survey, unit: UnitId, target: Hex) -> Result<Course, CourseError> {
    let state = chart.state();
    let grid = state.map().grid();
    let ship = chart.unit(unit).ok_or(CourseError::NoSuchUnit(unit))?;
    let domain = chart.rules().class(ship.class).domain;
    let goal = grid.tile(target).ok_or(CourseError::OffMap(target))?;
    if goal == ship.tile {
        return Err(CourseError::Here);
    }
    let speed = u32::from(ship.speed(chart.rules()));
    if speed == 0 {
        return Err(CourseError::Becalmed);
    }
    if chart.sight(goal) == Known::Dark {
        return Err(CourseError::Uncharted(target));
    }
    if !state.map().navigable(goal, domain) {
        return Err(CourseError::Land(target));
    }
    match chart.bar(goal) {
        Some(Bar::Contest) => return Err(CourseError::Contested(target)),
        Some(Bar::Structure(structure)) => return Err(CourseError::Closed { hex: target, structure }),
        None => {}
    }
    let most = MAX_PATH as u32;
    let cut = survey.search(grid, ship.tile, Some(goal), most, |tile, steps| {
        if !chart.is_open(tile, domain) {
            Answer::Barred
        } else if steps + grid.distance(tile, goal) > most {
            // A tile from which even the straight line is too long cannot be on any course.
            Answer::Beyond
        } else {
            Answer::Open
        }
    });
    let last = survey.finds().len() - 1;
    if survey.finds()[last].tile != goal {
        return Err(if cut { CourseError::TooFar(target) } else { CourseError::Unreachable(target) });
    }
    let leg = |tile, steps: u32| Leg { tile, turn: (steps - 1) / speed, tick: ((steps - 1) % speed + 1) as u8 };
    Ok(Course { legs: survey.way(last).iter().map(|find| leg(find.tile, find.steps)).collect() })
}

#[cfg(test)]
mod tests;
