//! About how many bytes a match takes in memory, with the house bots that play it.

use super::MatchState;

/// What a match takes beside its map and its ships.
const MATCH: usize = 24 * 1024;
/// What a tile takes, and what each seat remembers of it.
const TILE: usize = 64;
const REMEMBERED_TILE: usize = 8;
/// A ship is in the state of the match, in what is resolved, and in the orders of its owner.
const SHIP: usize = 512;

/// What a house bot takes beside its map and the ships that it sees: its task, its session, its rules, and the end of the
/// session that is served. It is a guess: 40 bots with few ships differ by less than the allocator keeps.
const BOT: usize = 64 * 1024;
/// What a house bot keeps of a tile: the terrain in its view.
const BOT_TILE: usize = 8;
/// What a house bot takes for a ship that it sees: the news of it that wait for the bot, encoded and on their way through
/// the connection, and the view that it thinks about, read. One watched match of 40 bots with 64 ships each held 346 MiB
/// more than the server at rest, which is 3.5 KiB for each ship and each bot that sees it. Several at once take less for
/// each, because their turns do not all come in the same moment.
const BOT_SHIP: usize = 3584;
/// What the map of a bot that thinks takes for each tile, beside the distances.
const CHART_TILE: usize = 64;
/// The most tiles of a map whose distances a bot measures, one byte from each tile to each.
const MEASURED_TILES: usize = 1024;

impl MatchState {
    /// About how many bytes the match takes in memory: mostly its map, what each seat remembers of it, its ships, and its
    /// house bots. Before the start the ships count that it will begin with, so that a match that is let in has room
    /// when it is played.
    pub fn weight(&self) -> usize {
        let (tiles, ships) = (self.tiles(), self.ships());
        let board = MATCH + tiles * (TILE + REMEMBERED_TILE * self.seats.len()) + ships * SHIP;
        if self.is_over() { board } else { board + self.house_weight() }
    }

    /// How many tiles the map has.
    pub(super) fn tiles(&self) -> usize {
        self.setup.game.tiles()
    }

    /// How many ships the match has, or will begin with.
    fn ships(&self) -> usize {
        if self.play.is_some() { self.size() } else { self.setup.game.first_units() }
    }

    /// About how many bytes the house bots of the match take. With fog each bot that thinks has a map of its own,
    /// otherwise they share one.
    pub fn house_weight(&self) -> usize {
        if !self.has_house_bots {
            return 0;
        }
        let (tiles, ships) = (self.tiles(), self.ships());
        let bots = self.seats.iter().filter(|seat| !seat.house_bot.is_empty());
        let is_slow = |policy: &str| self.setup.policies.is_some_and(|policies| policies.is_slow(policy));
        let (bots, thinking) =
            bots.fold((0, 0), |(bots, thinking), seat| (bots + 1, thinking + usize::from(is_slow(&seat.house_bot))));
        let charts = if self.setup.game.has_fog() { thinking } else { thinking.min(1) };
        let measured = if tiles <= MEASURED_TILES { tiles * tiles } else { 0 };
        bots * (BOT + tiles * BOT_TILE + ships * BOT_SHIP) + charts * (tiles * CHART_TILE + measured)
    }
}
