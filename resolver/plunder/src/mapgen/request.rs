//! What can be asked of the generator, and what it answers to bad questions.

use std::fmt;
use std::str::FromStr;

use parley_core::grid::Grid;

/// The fewest seats of a generated map.
pub const MIN_SEATS: usize = 2;
/// The most seats of a generated map.
pub const MAX_SEATS: usize = 16;
/// The narrowest generated map.
pub const MIN_WIDTH: u32 = 8;
/// The flattest generated map.
pub const MIN_HEIGHT: u32 = 6;
/// The longest side of a generated map.
pub const MAX_SIDE: u32 = 1024;
/// The tiles that a map must have for each of its players.
pub const TILES_PER_PLAYER: u32 = 20;

/// The sizes that have a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SizePreset {
    /// 12 × 8, for 2 to 4 players.
    Tiny,
    /// 16 × 12, for 2 to 9 players.
    Small,
    /// 20 × 14, for 2 to 14 players.
    Standard,
    /// 24 × 18, for 2 to 16 players.
    Large,
    /// 32 × 24, for 2 to 16 players.
    Huge,
}

impl SizePreset {
    /// All named sizes, the smallest first.
    pub const ALL: [Self; 5] = [Self::Tiny, Self::Small, Self::Standard, Self::Large, Self::Huge];

    /// The name of the size in files and on the wire.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Tiny => "tiny",
            Self::Small => "small",
            Self::Standard => "standard",
            Self::Large => "large",
            Self::Huge => "huge",
        }
    }

    /// The number of tiles in a row.
    pub const fn width(self) -> u32 {
        match self {
            Self::Tiny => 12,
            Self::Small => 16,
            Self::Standard => 20,
            Self::Large => 24,
            Self::Huge => 32,
        }
    }

    /// The number of rows.
    pub const fn height(self) -> u32 {
        match self {
            Self::Tiny => 8,
            Self::Small => 12,
            Self::Standard => 14,
            Self::Large => 18,
            Self::Huge => 24,
        }
    }
}

impl FromStr for SizePreset {
    type Err = MapRequestError;

    /// Reads the name of a size, in capitals or not.
    fn from_str(name: &str) -> Result<Self, MapRequestError> {
        let found = Self::ALL.into_iter().find(|preset| preset.key().eq_ignore_ascii_case(name));
        found.ok_or(MapRequestError::UnknownSize)
    }
}

/// A map that somebody asks for. None of its values are checked yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MapRequest {
    /// The seed of the generator, any number; another one gives another map.
    pub seed: u64,
    /// The number of tiles in a row.
    pub width: u32,
    /// The number of rows.
    pub height: u32,
    /// Whether the east end of a row touches its west end.
    pub wrap: bool,
    /// How many players start on the map.
    pub players: usize,
}

impl MapRequest {
    /// A request for a map of a named size that does not wrap.
    pub const fn preset(preset: SizePreset, players: usize, seed: u64) -> Self {
        Self { seed, width: preset.width(), height: preset.height(), wrap: false, players }
    }

    /// How many players a map of this size has room for; 0 where the size is not allowed.
    pub const fn room(&self) -> usize {
        if self.width < MIN_WIDTH || self.height < MIN_HEIGHT || self.width > MAX_SIDE || self.height > MAX_SIDE {
            return 0;
        }
        let room = (self.width * self.height / TILES_PER_PLAYER) as usize;
        if room < MAX_SEATS { room } else { MAX_SEATS }
    }

    /// The grid of the map, or why there cannot be one.
    pub(super) fn grid(&self) -> Result<Grid, MapRequestError> {
        let size = MapRequestError::Size { width: self.width, height: self.height };
        if !(MIN_SEATS..=MAX_SEATS).contains(&self.players) {
            return Err(MapRequestError::Players { players: self.players });
        }
        match self.room() {
            0 => Err(size),
            room if room < self.players => {
                Err(MapRequestError::Crowded { width: self.width, height: self.height, players: self.players })
            }
            _ => Grid::new(self.width, self.height, self.wrap).ok_or(size),
        }
    }
}

/// Why a map cannot be generated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MapRequestError {
    /// No size has that name.
    UnknownSize,
    /// There are too few or too many players.
    Players {
        /// How many players were asked for.
        players: usize,
    },
    /// A side is too short or too long.
    Size {
        /// The number of tiles in a row that was asked for.
        width: u32,
        /// The number of rows that was asked for.
        height: u32,
    },
    /// The size is allowed, but only for fewer players.
    Crowded {
        /// The number of tiles in a row that was asked for.
        width: u32,
        /// The number of rows that was asked for.
        height: u32,
        /// How many players were asked for.
        players: usize,
    },
    /// The rules lack a terrain that maps are made of.
    Terrain {
        /// The key of the terrain.
        key: &'static str,
        /// What the terrain has to be like.
        nature: &'static str,
    },
    /// No attempt was fair.
    Exhausted {
        /// How many attempts were made.
        attempts: u32,
    },
}

impl fmt::Display for MapRequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownSize => {
                f.write_str("a map is tiny, small, standard, large or huge, or has a width and a height")
            }
            Self::Players { players } => {
                write!(f, "a generated map is for {MIN_SEATS} to {MAX_SEATS} players, not for {players}")
            }
            Self::Size { width, height } => write!(
                f,
                "a generated map has {MIN_WIDTH} x {MIN_HEIGHT} to {MAX_SIDE} x {MAX_SIDE} tiles, not {width} x {height}"
            ),
            Self::Crowded { width, height, players } => {
                let needed = *players as u64 * u64::from(TILES_PER_PLAYER);
                let tiles = u64::from(*width) * u64::from(*height);
                write!(f, "a map for {players} players has at least {needed} tiles, {width} x {height} are {tiles}")
            }
            Self::Terrain { key, nature } => {
                write!(f, "a generated map needs a terrain '{key}' in its rules that {nature}")
            }
            Self::Exhausted { attempts } => {
                write!(f, "none of {attempts} attempts at this map was fair to everyone: take another seed or size")
            }
        }
    }
}

impl std::error::Error for MapRequestError {}
