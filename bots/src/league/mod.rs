//! A league of policies: mirrored games, ratings, and a replay of every game.
//!
//! A [`League`] says who plays what; [`League::schedule`] lists its games, the same ones for the same seed. They are
//! played in this process ([`local`]) or on a server ([`remote`]); [`LeagueTable`] says what they came to, and [`files`]
//! writes it all down.

pub mod files;
pub mod local;
mod rating;
mod record;
pub mod remote;
mod schedule;
mod table;
#[cfg(test)]
mod tests;
mod wilson;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use parley_plunder::mapgen::{MAX_SEATS, MIN_SEATS, SizePreset, TILES_PER_PLAYER};
use parley_plunder::rules::{Rules, RulesError};
use serde_json::json;

pub use rating::{AVERAGE, Rating};
pub use schedule::LeagueGame;
pub use table::{LeagueTable, Neighbours, Pair};
pub use wilson::Interval;

use crate::policy;

/// The most games of a league.
pub const MAX_GAMES: usize = 1_000_000;
/// The most turns of a game.
pub const MAX_TURNS: u32 = 100_000;

/// Who sits at one table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Two policies sit at a table, each with half of the seats.
    Pairs,
    /// As many policies sit at a table as there are seats for.
    All,
}

impl Mode {
    /// The name of the mode on the command line and in files.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Pairs => "pairs",
            Self::All => "all",
        }
    }
}

impl FromStr for Mode {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = [Self::Pairs, Self::All].into_iter().find(|mode| mode.key() == text);
        known.ok_or_else(|| "it is pairs or all".to_owned())
    }
}

/// Everything that decides the games of a league.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct League {
    /// The policies by name, the weakest first.
    pub policies: Vec<String>,
    /// Who sits at one table.
    pub mode: Mode,
    /// Games of each pair, or of all together; rounded up until every policy has sat on every seat equally often.
    pub games: usize,
    /// Where maps, dice and the whims of policies come from.
    pub seed: u64,
    /// The sizes of the maps, in turn.
    pub sizes: Vec<SizePreset>,
    /// The number of seats of a game.
    pub players: usize,
    /// The turn limit (R12.2).
    pub turns: u32,
    /// Whether players see only what is near their own (R14).
    pub fog: bool,
}

/// Why a league cannot be played.
#[derive(Debug, thiserror::Error)]
pub enum LeagueError {
    /// What was asked for makes no sense.
    #[error("{0}")]
    Plan(String),
    /// The rules with this turn limit and fog cannot be made.
    #[error("{0}")]
    Rules(#[from] RulesError),
    /// A game could not be played to its end.
    #[error("game {number}: {reason}")]
    Game {
        /// The number of the game, counted from 1.
        number: usize,
        /// What went wrong.
        reason: String,
    },
    /// Something could not be written down.
    #[error("{path}: {reason}")]
    File {
        /// The path of the file.
        path: String,
        /// What the system says.
        reason: String,
    },
}

impl LeagueError {
    /// Whether what was asked for is at fault, and not the machine or the server.
    pub const fn is_input(&self) -> bool {
        matches!(self, Self::Plan(_) | Self::Rules(_))
    }
}

impl League {
    /// Says what is wrong with the league, if something is.
    pub fn check(&self) -> Result<(), LeagueError> {
        match self.contradiction() {
            Some(reason) => Err(LeagueError::Plan(reason)),
            None => Ok(()),
        }
    }

    fn contradiction(&self) -> Option<String> {
        let Self { policies, players, .. } = self;
        if let Some(name) = policies.iter().find(|name| !policy::NAMES.contains(&name.as_str())) {
            return Some(format!("there is no policy {name:?}, there are {}", policy::NAMES.join(", ")));
        }
        let twice = |place: &usize| policies[..*place].contains(&policies[*place]);
        if let Some(place) = (0..policies.len()).find(twice) {
            return Some(format!("{} is named twice", policies[place]));
        }
        let fewest = if self.mode == Mode::All { 3 } else { 2 };
        if policies.len() < fewest {
            return Some(format!("a league of {} needs at least {fewest} policies", self.mode.key()));
        }
        if !(MIN_SEATS..=MAX_SEATS).contains(players) {
            return Some(format!("a game has {MIN_SEATS} to {MAX_SEATS} players, not {players}"));
        }
        if self.mode == Mode::Pairs && players % 2 == 1 {
            return Some(format!("two policies cannot have half of {players} seats each"));
        }
        if self.games == 0 || self.turns == 0 || self.turns > MAX_TURNS {
            return Some(format!("a league has at least 1 game, and a game 1 to {MAX_TURNS} turns"));
        }
        let tables = if self.mode == Mode::Pairs { policies.len() * (policies.len() - 1) / 2 } else { 1 };
        if self.games.saturating_mul(tables) > MAX_GAMES {
            return Some(format!("a league has at most {MAX_GAMES} games"));
        }
        if self.sizes.is_empty() {
            return Some("no size of map is named".to_owned());
        }
        let small = |size: &&SizePreset| ((size.width() * size.height() / TILES_PER_PLAYER) as usize) < *players;
        let small = self.sizes.iter().find(small)?;
        Some(format!("a {} map has no room for {players} players", small.key()))
    }

    /// The rules that all games are played under.
    pub fn rules(&self) -> Result<Arc<Rules>, LeagueError> {
        Ok(Arc::new(Rules::plunder().with_overrides(&self.overrides())?))
    }

    /// How the rules differ from the standard rules.
    fn overrides(&self) -> serde_json::Value {
        json!({ "turn_limit": self.turns, "fog": if self.fog { "on" } else { "off" } })
    }

    /// The options that lead to the same games again.
    pub fn command(&self) -> String {
        let sizes: Vec<&str> = self.sizes.iter().map(|size| size.key()).collect();
        let fog = if self.fog { " --fog" } else { "" };
        format!(
            "parley-bots league --policies {} --mode {} --games {} --seed {} --size {} --players {} --turns {}{fog}",
            self.policies.join(","),
            self.mode.key(),
            self.games,
            self.seed,
            sizes.join(","),
            self.players,
            self.turns,
        )
    }
}

/// What a game came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameResult {
    /// The seats that are ahead at its end: the winner, or those who drew.
    pub ahead: Vec<u32>,
    /// How many turns it took.
    pub turns: u32,
    /// Orders, or on a server sheets, that were refused.
    pub refused_orders: u64,
    /// Windows in which the answers of a seat were refused.
    pub refused_answers: u64,
    /// Questions that nobody answered, so that their defaults counted (R7.2). On a server they are known only from the replay.
    pub defaulted_answers: u64,
    /// The digest after its last turn (R13.3), where it is known.
    pub digest: Option<String>,
    /// The file with its replay, in the folder of the league.
    pub replay: Option<String>,
}

impl GameResult {
    /// The policies that are ahead, by number; several share the game.
    fn leaders(&self, game: &LeagueGame) -> Vec<usize> {
        let mut leaders: Vec<usize> =
            self.ahead.iter().filter_map(|&seat| game.seats.get(seat as usize).copied()).collect();
        leaders.sort_unstable();
        leaders.dedup();
        leaders
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.key())
    }
}
