//! The same matches without a server: what the resolver alone does with the same maps, ships and sheets.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use parley_core::dice::Seed;
use parley_core::digest::Digest;
use parley_core::sight::Memory;
use parley_games::plunder::wire;
use parley_plunder::mapgen;
use parley_plunder::order::OrderSheet;
use parley_plunder::rules::Rules;
use parley_plunder::ruleset::{Game, Outcome, Step, Workspace};
use parley_plunder::start::opening;
use parley_plunder::state::State;
use parley_plunder::view::{self, Viewer};

use super::LoadError;
use super::plan::{Length, LoadPlan};
use super::shuttle::Shuttle;

/// The most matches that are played; more of them would measure the same.
const MAX_EMBEDDED: u32 = 500;
/// The turns of each match where the plan goes by time.
const TURNS: u32 = 30;

/// What the resolver did alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Embedded {
    /// Turns per second on one thread.
    pub one_thread: f64,
    /// Turns per second on all threads that the machine has processors for.
    pub all_threads: f64,
    /// How many threads the machine has processors for.
    pub threads: usize,
}

/// A match in memory, without a server.
struct Bare {
    rules: Arc<Rules>,
    start: State,
    seed: Seed,
    /// The sheets of all players in odd and in even turns.
    sheets: [Vec<OrderSheet>; 2],
}

impl Bare {
    fn new(plan: &LoadPlan, rules: &Arc<Rules>, number: u32) -> Result<Self, LoadError> {
        let fault = |text: String| LoadError::Plan(text);
        let made = mapgen::generate(rules, &plan.map(number)).map_err(|error| fault(error.to_string()))?;
        let start = opening(rules, Arc::new(made.map), &made.starts).map_err(|error| fault(error.to_string()))?;
        let mut sheets = [Vec::new(), Vec::new()];
        for player in start.players() {
            let viewer = Viewer::Seat(player.id);
            let seen = view::snapshot(rules, &start, viewer, &Memory::new(start.map().grid()));
            let shuttle = Shuttle::plan(rules, &wire::view(rules, &seen));
            let shuttle = shuttle.ok_or_else(|| fault("a view that makes no sense".to_owned()))?;
            for (turn, sheets) in (0..).zip(&mut sheets) {
                sheets.push(wire::sheet(rules, player.id, shuttle.sheet(turn)).0);
            }
        }
        let secret = *Digest::of(&plan.map_seed(number).to_le_bytes()).as_bytes();
        Ok(Self { rules: Arc::clone(rules), start, seed: Seed::derive(&secret, &[]), sheets })
    }

    /// The match at its start.
    fn begin(&self) -> Game {
        Game::new(Arc::clone(&self.rules), self.start.clone(), self.seed)
    }

    /// Plays so many turns, with orders judged and digests chained, and gives the last digest.
    fn play(&self, workspace: &mut Workspace, turns: u32) -> Result<Digest, LoadError> {
        let mut game = self.begin();
        for turn in 1..=turns {
            let outcome = self.turn(&mut game, workspace, turn)?;
            workspace.reclaim(outcome);
        }
        Ok(game.digest())
    }

    /// Plays a turn with the legal part of its sheets.
    fn turn(&self, game: &mut Game, workspace: &mut Workspace, turn: u32) -> Result<Outcome, LoadError> {
        for sheet in &self.sheets[turn as usize % 2] {
            game.lock(game.judge(sheet).legal).map_err(|error| LoadError::Machine(error.to_string()))?;
        }
        match game.advance(workspace, &[]) {
            Ok(Step::Resolved(outcome)) => Ok(*outcome),
            _ => Err(LoadError::Machine("ships met that should not".to_owned())),
        }
    }
}

/// Plays the matches of a plan on one thread, and then on all, for this long each.
pub fn embedded(plan: &LoadPlan, time: Duration) -> Result<Embedded, LoadError> {
    plan.check()?;
    let rules = plan.rules()?;
    let turns = if let Length::Turns(turns) = plan.length { turns } else { TURNS };
    let games = (0..plan.matches.min(MAX_EMBEDDED)).map(|number| Bare::new(plan, &rules, number));
    let games: Vec<Bare> = games.collect::<Result<_, _>>()?;
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let one_thread = rate(&games, turns, time, 1)?;
    let all_threads = rate(&games, turns, time, threads)?;
    Ok(Embedded { one_thread, all_threads, threads })
}

/// The turns per second on so many threads.
fn rate(games: &[Bare], turns: u32, time: Duration, threads: usize) -> Result<f64, LoadError> {
    let start = Instant::now();
    let work = |first: usize| {
        let mut workspace = Workspace::default();
        let mut played: u64 = 0;
        let mut games = games.iter().cycle().skip(first * games.len() / threads);
        while start.elapsed() < time {
            let Some(game) = games.next() else { break };
            std::hint::black_box(game.play(&mut workspace, turns)?);
            played += u64::from(turns);
        }
        Ok(played)
    };
    let played = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|first| scope.spawn(move || work(first))).collect();
        let joined = workers.into_iter().map(|worker| match worker.join() {
            Ok(played) => played,
            Err(_) => Err(LoadError::Machine("a thread panicked".to_owned())),
        });
        joined.sum::<Result<u64, LoadError>>()
    })?;
    Ok(played as f64 / start.elapsed().as_secs_f64())
}

#[cfg(test)]
mod tests {
    use parley_plunder::event::Body;

    use super::*;

    /// In every turn of every map every ship goes as far as it can, and nobody meets anybody.
    #[test]
    fn all_ships_are_always_under_way() {
        for (players, ships) in [(2, 6), (4, 6), (4, 1), (8, 12), (14, 6), (15, 6), (16, 12)] {
            let plan = LoadPlan { players, ships, ..LoadPlan::default() };
            let rules = plan.rules().expect("rules");
            for number in 0..3 {
                let game = Bare::new(&plan, &rules, number).expect("a match");
                let (mut played, mut workspace) = (game.begin(), Workspace::new());
                let mut steps = 0;
                for turn in 1..=6 {
                    for sheet in &game.sheets[turn % 2] {
                        assert_eq!(played.judge(sheet).faults, [], "legal");
                    }
                    let outcome = game.turn(&mut played, &mut workspace, turn as u32).expect("nobody meets");
                    assert!(outcome.shortfalls.is_empty(), "{:?}", outcome.shortfalls);
                    steps += outcome.events.iter().filter(|event| matches!(event.body, Body::Moved { .. })).count();
                }
                let full = (players * ships * 3 * 6) as usize;
                assert!(steps * 10 >= full * 9, "{steps} of {full} steps on map {number} of {players} players");
            }
        }
    }

    #[test]
    fn the_resolver_alone_is_measured_on_one_thread_and_on_all() {
        let plan = LoadPlan { matches: 3, length: Length::Turns(4), ..LoadPlan::default() };
        let measured = embedded(&plan, Duration::from_millis(20)).expect("measured");
        assert!(measured.one_thread > 0.0 && measured.all_threads > 0.0 && measured.threads > 0);
        let game = Bare::new(&plan, &plan.rules().expect("rules"), 1).expect("a match");
        let play = || game.play(&mut Workspace::default(), 7).expect("a digest");
        assert_eq!(play(), play());
    }
}
