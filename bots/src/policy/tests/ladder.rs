//! Every policy of the ladder beats the one before it.

use parley_plunder::state::MatchResult;

use super::*;
use crate::arena::{self, Ending};

/// Which of two policies sits where: two seats each, every way, and each way beside its mirror image.
const SEATINGS: [[usize; 4]; 6] = [[0, 0, 1, 1], [1, 1, 0, 0], [0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 1, 0], [1, 0, 0, 1]];

/// How many half points of mirrored games the second of two policies wins. A mirrored pair of games has the same map
/// and the same dice, with the seats swapped.
fn half_points(names: [&str; 2], games: usize, make: impl Fn(&str, u64, &Arc<Rules>) -> Box<dyn Policy>) -> usize {
    let rules = Arc::new(Rules::plunder().with_overrides(&json!({"turn_limit": 60})).expect("rules"));
    let mut won = 0;
    for game in 0..games {
        let (pair, seating) = (game as u64 / 2, SEATINGS[game % SEATINGS.len()]);
        let size = [SizePreset::Tiny, SizePreset::Small][game / SEATINGS.len() % 2];
        let map = MapRequest::preset(size, 4, pair);
        let setup = Setup { rules: Arc::clone(&rules), map, secret: secret(pair), turns: 60, record: false };
        let seats = (0..).zip(seating).map(|(seat, which)| make(names[which], pair * 4 + seat, &rules)).collect();
        let outcome = arena::play(&setup, seats).expect("a match");
        assert_eq!((outcome.counts.refused_orders, outcome.counts.defaulted_answers), (0, 0));
        let policies = |ending: &Ending| match ending {
            Ending::Result(MatchResult::Winner(_) | MatchResult::Draw(_)) => {
                ending.ahead().iter().map(|player| seating[usize::from(player.get())]).collect::<Vec<_>>()
            }
            Ending::OutOfTurns => panic!("the turn limit has a result"),
        };
        let ahead = policies(&outcome.ending);
        won += usize::from(ahead.contains(&1)) + usize::from(!ahead.contains(&0));
    }
    won
}

/// Asserts that each policy of some beats the one before it in at least some percent of the games.
fn assert_ladder(names: &[&'static str], games: usize, percent: usize) {
    for pair in names.windows(2) {
        let won =
            half_points([pair[0], pair[1]], games, |name, seed, rules| named(name, seed, rules).expect("a policy"));
        assert!(
            won * 100 >= 2 * games * percent,
            "{} won {won} of {} half points against {}",
            pair[1],
            2 * games,
            pair[0]
        );
    }
}

#[test]
fn each_quick_policy_beats_the_one_before_it() {
    assert_ladder(&LADDER[..4], 24, 60);
}

#[test]
fn a_planner_that_hardly_thinks_still_beats_a_raider() {
    let won = half_points(["raider", "planner"], 4, seat);
    assert!(won >= 4, "{won} of 8 half points");
}

#[test]
#[ignore = "400 games of planners take minutes even when they are built for speed; PARLEY_LADDER_GAMES says how many"]
fn each_policy_beats_the_one_before_it_in_two_games_of_three() {
    let games = std::env::var("PARLEY_LADDER_GAMES").ok().and_then(|games| games.parse().ok()).unwrap_or(400);
    assert_ladder(LADDER, games, 65);
}
