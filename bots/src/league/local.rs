//! Games in this process, on several threads, with the same outcome whichever thread plays which game.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use parley_plunder::rules::Rules;
use parley_proto::v1;

use super::files::Folder;
use super::record::records;
use super::{GameResult, League, LeagueError, LeagueGame};
use crate::arena::{self, Setup};
use crate::policy;

/// The most threads that play at a time.
pub const MAX_JOBS: usize = 256;

/// Plays games on a number of threads. Replays go into the folder, if there is one; `done` hears of every game that has
/// ended. What is returned is in the order of the games.
pub fn run(
    league: &League,
    games: &[LeagueGame],
    jobs: usize,
    folder: Option<&Folder>,
    done: &(dyn Fn() + Sync),
) -> Result<Vec<GameResult>, LeagueError> {
    let rules = league.rules()?;
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let results: Vec<Mutex<Option<Result<GameResult, LeagueError>>>> = games.iter().map(|_| Mutex::new(None)).collect();
    let work = || {
        while !failed.load(Ordering::Relaxed) {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(game) = games.get(place) else { break };
            let result = play_and_save(league, &rules, game, folder);
            if result.is_err() {
                failed.store(true, Ordering::Relaxed);
            }
            *results[place].lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
            done();
        }
    };
    thread::scope(|scope| {
        let threads = jobs.clamp(1, MAX_JOBS).min(games.len());
        (0..threads).for_each(|_| drop(scope.spawn(work)));
    });
    let results = results.into_iter().map(|result| result.into_inner().unwrap_or_else(PoisonError::into_inner));
    // After a failure some games have no result, but those are later ones: the first failure is found before them.
    results.map_while(|result| result).collect()
}

fn play_and_save(
    league: &League,
    rules: &Arc<Rules>,
    game: &LeagueGame,
    folder: Option<&Folder>,
) -> Result<GameResult, LeagueError> {
    let (mut played, records) = play(league, rules, game, folder.is_some())?;
    if let Some(folder) = folder {
        played.replay = Some(folder.save_replay(game.number, &records)?);
    }
    Ok(played)
}

/// Plays one game, and gives the records of its replay if they are wanted.
pub fn play(
    league: &League,
    rules: &Arc<Rules>,
    game: &LeagueGame,
    record: bool,
) -> Result<(GameResult, Vec<v1::ReplayRecord>), LeagueError> {
    let failed = |reason: String| LeagueError::Game { number: game.number, reason };
    let mut seats = Vec::with_capacity(game.seats.len());
    for (&seat, &whim) in game.seats.iter().zip(&game.whims) {
        let name = &league.policies[seat];
        let policy = policy::named(name, whim, rules);
        seats.push(policy.ok_or_else(|| failed(format!("there is no policy {name:?}")))?);
    }
    let setup = Setup { rules: Arc::clone(rules), map: game.map(), secret: game.secret, turns: league.turns, record };
    let outcome = arena::play(&setup, seats).map_err(|error| failed(error.to_string()))?;
    let played = GameResult {
        ahead: outcome.ending.ahead().iter().map(|player| player.get().into()).collect(),
        turns: outcome.counts.turns,
        refused_orders: outcome.counts.refused_orders,
        refused_answers: outcome.counts.refused_answers,
        defaulted_answers: outcome.counts.defaulted_answers,
        digest: outcome.recording.as_ref().map(|recording| recording.digest.to_string()),
        replay: None,
    };
    let records = outcome.recording.map(|recording| records(league, game, &outcome.ending, recording));
    Ok((played, records.unwrap_or_default()))
}
