//! What a league leaves behind: a replay of every game, and a table of contents.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use parley_games::replay::file;
use parley_proto::v1::ReplayRecord;
use serde::Serialize;

use super::{GameResult, Interval, LeagueError, LeagueGame, LeagueTable, Neighbours, Pair, Rating};

/// The name of the table of contents in the folder of a league.
pub const CONTENTS: &str = "league.json";
/// The version of the table of contents.
pub const CONTENTS_FORMAT: u32 = 2;

/// The folder of a league.
#[derive(Clone, Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// Makes a folder, or takes one that is empty: nothing of an earlier league is written over.
    pub fn create(path: &Path) -> Result<Self, LeagueError> {
        fs::create_dir_all(path).map_err(|error| failed(path, &error))?;
        match fs::read_dir(path).map_err(|error| failed(path, &error))?.next() {
            None => Ok(Self(path.to_owned())),
            Some(_) => {
                let there = "there is something in it already; name an empty folder, or one that is not there yet";
                Err(LeagueError::Plan(format!("{}: {there}", path.display())))
            }
        }
    }

    /// The path of the folder.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Writes a replay and gives the name of its file.
    pub(super) fn save_replay(&self, number: usize, records: &[ReplayRecord]) -> Result<String, LeagueError> {
        let name = format!("game-{number:05}.parley-replay");
        let path = self.0.join(&name);
        let mut bytes = Vec::new();
        file::write(&mut bytes, records).map_err(|error| failed(&path, &error))?;
        save(&path, &bytes)?;
        Ok(name)
    }

    /// Writes the table of contents.
    pub fn save_contents(&self, contents: &Contents<'_>) -> Result<(), LeagueError> {
        contents.save(&self.0.join(CONTENTS))
    }
}

/// Writes a file under another name until it is complete, so that what has the name is whole.
fn save(path: &Path, bytes: &[u8]) -> Result<(), LeagueError> {
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    let saved = fs::write(&part, bytes).and_then(|()| fs::rename(&part, path));
    if saved.is_err() {
        // It is of no use; that it cannot be removed is not what went wrong.
        let _ = fs::remove_file(&part);
    }
    saved.map_err(|error| failed(path, &error))
}

fn failed(path: &Path, error: &io::Error) -> LeagueError {
    LeagueError::File { path: path.display().to_string(), reason: error.to_string() }
}

/// A league as a JSON document: how to play it again, what came of it, and where its replays are.
#[derive(Clone, Debug, Serialize)]
pub struct Contents<'a> {
    format: u32,
    /// The version of the program that played the league.
    parley: &'static str,
    command: String,
    policies: &'a [String],
    mode: &'static str,
    seed: u64,
    players: usize,
    turns: u32,
    fog: bool,
    rules_hash: String,
    ratings: Vec<RatingLine<'a>>,
    pairs: Vec<PairLine<'a>>,
    neighbours: Vec<NeighboursLine<'a>>,
    games: Vec<GameLine<'a>>,
}

#[derive(Clone, Debug, Serialize)]
struct RatingLine<'a> {
    policy: &'a str,
    elo: f64,
    low: f64,
    high: f64,
    games: usize,
    won: f64,
}

#[derive(Clone, Debug, Serialize)]
struct PairLine<'a> {
    policy: &'a str,
    against: &'a str,
    games: usize,
    won: usize,
    drawn: usize,
    lost: usize,
    percent: f64,
    low: f64,
    high: f64,
}

#[derive(Clone, Debug, Serialize)]
struct NeighboursLine<'a> {
    policy: &'a str,
    against: &'a str,
    percent: f64,
    wanted: u32,
    reached: bool,
}

#[derive(Clone, Debug, Serialize)]
struct GameLine<'a> {
    number: usize,
    size: &'static str,
    map_seed: u64,
    secret: Option<String>,
    seats: Vec<&'a str>,
    whims: &'a [u64],
    /// The seats that are ahead; one has won, several drew.
    ahead: &'a [u32],
    turns: u32,
    refused_orders: u64,
    refused_answers: u64,
    defaulted_answers: u64,
    digest: Option<&'a str>,
    replay: Option<&'a str>,
}

/// Rounds to two places behind the point, so that machines that round otherwise write the same.
fn rounded(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

impl<'a> Contents<'a> {
    /// The contents of a finished league. The command is the one that leads to the same games again; secrets are told
    /// where the league chose them.
    pub fn new(
        table: &'a LeagueTable<'a>,
        command: String,
        games: &'a [LeagueGame],
        played: &'a [GameResult],
        secrets: bool,
    ) -> Self {
        let league = table.league;
        let name = |policy: usize| league.policies[policy].as_str();
        let rating = |(policy, rating): (usize, &Rating)| {
            let Interval { low, high } = rating.interval;
            let [elo, low, high, won] = [rating.elo, low, high, table.won[policy]].map(rounded);
            RatingLine { policy: name(policy), elo, low, high, games: table.games[policy], won }
        };
        let pair = |(policy, against, pair): (usize, usize, &Pair)| {
            let Interval { low, high } = pair.interval();
            let [percent, low, high] = [pair.share(), low, high].map(|share| rounded(100.0 * share));
            let Pair { games, won, drawn } = *pair;
            let (policy, against) = (name(policy), name(against));
            PairLine { policy, against, games, won, drawn, lost: pair.lost(), percent, low, high }
        };
        let rows = table.pairs.iter().enumerate();
        let cells =
            rows.flat_map(|(policy, row)| row.iter().enumerate().map(move |(other, pair)| (policy, other, pair)));
        let neighbours = |neighbours: &Neighbours| NeighboursLine {
            policy: name(neighbours.policy),
            against: name(neighbours.policy - 1),
            percent: rounded(100.0 * neighbours.pair.share()),
            wanted: table.bar,
            reached: neighbours.reached,
        };
        let game = |(game, played): (&'a LeagueGame, &'a GameResult)| GameLine {
            number: game.number,
            size: game.size.key(),
            map_seed: game.map_seed,
            secret: secrets.then(|| game.secret.iter().map(|byte| format!("{byte:02x}")).collect()),
            seats: game.seats.iter().map(|&policy| name(policy)).collect(),
            whims: &game.whims,
            ahead: &played.ahead,
            turns: played.turns,
            refused_orders: played.refused_orders,
            refused_answers: played.refused_answers,
            defaulted_answers: played.defaulted_answers,
            digest: played.digest.as_deref(),
            replay: played.replay.as_deref(),
        };
        Self {
            format: CONTENTS_FORMAT,
            parley: env!("CARGO_PKG_VERSION"),
            command,
            policies: &league.policies,
            mode: league.mode.key(),
            seed: league.seed,
            players: league.players,
            turns: league.turns,
            fog: league.fog,
            rules_hash: league.rules().map(|rules| rules.hash().to_string()).unwrap_or_default(),
            ratings: table.ratings.iter().enumerate().map(rating).collect(),
            pairs: cells.filter(|(policy, against, _)| policy != against).map(pair).collect(),
            neighbours: table.neighbours.iter().map(neighbours).collect(),
            games: games.iter().zip(played).map(game).collect(),
        }
    }

    /// Writes the contents to a file.
    pub fn save(&self, path: &Path) -> Result<(), LeagueError> {
        let mut text = serde_json::to_string_pretty(self).map_err(|error| failed(path, &error.into()))?;
        text.push('\n');
        save(path, text.as_bytes())
    }
}
