//! What one player knows of the sea: the only way in which previews and options read it (R14.2).

use parley_core::grid::Tile;
use parley_core::ids::{PlayerId, UnitId};

use crate::ids::StructureId;
use crate::rules::{Domain, Rules};
use crate::state::{State, Unit};

/// How well a player knows a tile (R14.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Known {
    /// Never seen: not even its terrain is known.
    Dark,
    /// Seen once: its terrain is known, and nothing that may be on it.
    Charted,
    /// In sight: what stands on it is known too.
    Seen,
}

/// What keeps a ship from entering a tile that it could otherwise enter (R6.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bar {
    /// The tile is contested (R9.1).
    Contest,
    /// It carries a structure of somebody else (R3.3).
    Structure(StructureId),
}

/// A state as one player knows it.
pub struct Chart<'a> {
    rules: &'a Rules,
    state: &'a State,
    player: PlayerId,
    sight: Option<&'a dyn Fn(Tile) -> Known>,
    /// Every barred tile that the player knows of, in tile order. A far course asks for thousands of tiles, and the
    /// state would search its lists for each of them.
    barred: Vec<(Tile, Bar)>,
}

impl<'a> Chart<'a> {
    /// The chart of a player who sees everything, as without fog.
    pub fn new(rules: &'a Rules, state: &'a State, player: PlayerId) -> Self {
        Self::draw(rules, state, player, None)
    }

    /// The chart of a player in fog. Contests and structures that are not in sight do not exist on it.
    pub fn with_sight(rules: &'a Rules, state: &'a State, player: PlayerId, sight: &'a dyn Fn(Tile) -> Known) -> Self {
        Self::draw(rules, state, player, Some(sight))
    }

    fn draw(rules: &'a Rules, state: &'a State, player: PlayerId, sight: Option<&'a dyn Fn(Tile) -> Known>) -> Self {
        let mut chart = Self { rules, state, player, sight, barred: Vec::new() };
        let contests = state.contests().iter().map(|c| (c.tile, Bar::Contest));
        let foreign = state.structures().iter().filter(|s| s.owner != Some(player));
        let structures = foreign.map(|s| (s.tile, Bar::Structure(s.id)));
        let mut barred: Vec<_> = contests.chain(structures).filter(|&(tile, _)| chart.sees(tile)).collect();
        barred.sort_unstable();
        barred.dedup_by_key(|&mut (tile, _)| tile);
        chart.barred = barred;
        chart
    }

    /// The rules that the match is played under.
    pub const fn rules(&self) -> &'a Rules {
        self.rules
    }

    /// The player whose chart it is.
    pub const fn player(&self) -> PlayerId {
        self.player
    }

    /// How well the player knows a tile of the map.
    pub fn sight(&self, tile: Tile) -> Known {
        self.sight.map_or(Known::Seen, |sight| sight(tile))
    }

    /// Whether a tile is in sight.
    pub fn sees(&self, tile: Tile) -> bool {
        self.sight(tile) == Known::Seen
    }

    /// What is known to bar a tile to the player.
    pub fn bar(&self, tile: Tile) -> Option<Bar> {
        self.barred.binary_search_by_key(&tile, |&(t, _)| t).ok().map(|place| self.barred[place].1)
    }

    /// Whether the player's units of a domain can enter a tile, as far as the player knows. What is dark is never
    /// open, so that a way over open tiles is always legal (R5.5).
    pub fn is_open(&self, tile: Tile, domain: Domain) -> bool {
        self.sight(tile) != Known::Dark && self.state.map().navigable(tile, domain) && self.bar(tile).is_none()
    }

    /// One of the player's own units.
    pub fn unit(&self, id: UnitId) -> Option<&'a Unit> {
        self.state.unit(id).filter(|unit| unit.owner == self.player)
    }

    /// The whole state; whoever reads it must ask the chart which part of it the player knows.
    pub(crate) const fn state(&self) -> &'a State {
        self.state
    }
}
