//! The canonical encoding and its way back, on states that play leads to and on bytes that nobody wrote.

#![allow(unreachable_pub, reason = "the generator is a folder of its own and does not know who uses it")]
#![allow(clippy::disallowed_methods, reason = "the golden journals are read from files")]

#[path = "second_opinion/generate/mod.rs"]
mod generate;
#[path = "second_opinion/oracle/mod.rs"]
#[allow(dead_code, reason = "only the generator uses it here")]
mod oracle;

use std::sync::{Arc, OnceLock};

use parley_core::dice::Seed;
use parley_core::game::AdvanceError;
use parley_plunder::rules::Rules;
use parley_plunder::ruleset::{Game, Step, Workspace};
use parley_plunder::scenario::{Scenario, journal};
use parley_plunder::state::State;
use proptest::prelude::*;

fn rules() -> &'static Arc<Rules> {
    static RULES: OnceLock<Arc<Rules>> = OnceLock::new();
    RULES.get_or_init(|| Arc::new(Rules::plunder()))
}

/// A random board, and what one turn makes of it.
fn played(seed: u64, movement: bool) -> (Arc<Rules>, State, State) {
    let value = if movement { generate::movement_scenario(seed) } else { generate::scenario(seed) };
    let scenario = Scenario::parse(rules(), &value.to_string()).expect("the generator writes sound scenarios");
    let (rules, before) = (Arc::clone(&scenario.rules), scenario.state.clone());
    let after = scenario.resolve().expect("it resolves").game.into_state();
    (rules, before, after)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Every state that play leads to comes back from its bytes.
    #[test]
    fn decoding_undoes_encoding(seed in any::<u64>(), movement in any::<bool>()) {
        let (rules, before, after) = played(seed, movement);
        for state in [before, after] {
            let bytes = state.encode();
            let decoded = State::decode(&rules, state.map(), &bytes).map_err(|e| TestCaseError::fail(e.to_string()))?;
            prop_assert_eq!(decoded.encode(), bytes);
            prop_assert_eq!(decoded, state);
        }
    }

    /// Changed bytes are refused, or they are the encoding of another state.
    #[test]
    fn changed_bytes_are_refused_or_mean_another_state(
        seed in any::<u64>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in prop::option::weighted(0.2, any::<prop::sample::Index>()),
    ) {
        let (rules, _, state) = played(seed, false);
        let mut bytes = state.encode();
        for (place, value) in changes {
            let place = place.index(bytes.len());
            bytes[place] = value;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        match State::decode(&rules, state.map(), &bytes) {
            Ok(other) => prop_assert_eq!(other.encode(), bytes),
            Err(error) => prop_assert!(error.offset <= bytes.len() && !error.reason.is_empty()),
        }
    }

    /// A match can go on from every state that is accepted, whoever wrote its bytes.
    #[test]
    fn accepted_states_can_be_played(
        seed in any::<u64>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..3),
    ) {
        let (rules, _, state) = played(seed, false);
        let mut bytes = state.encode();
        for (place, value) in changes {
            let place = place.index(bytes.len());
            bytes[place] = value;
        }
        let Ok(state) = State::decode(&rules, state.map(), &bytes) else { return Ok(()) };
        let (mut game, mut workspace) = (Game::new(rules, state, Seed::from_bytes([7; 32])), Workspace::new());
        for _ in 0..3 {
            loop {
                match game.advance(&mut workspace, &[]) {
                    Ok(Step::Asked) => {}
                    Ok(Step::Resolved(_)) => break,
                    Err(AdvanceError::Over) => return Ok(()),
                    Err(faults) => return Err(TestCaseError::fail(format!("{faults:?}"))),
                }
            }
            let state = game.state();
            prop_assert_eq!(&State::decode(game.rules(), state.map(), &state.encode()).expect("sound"), state);
        }
    }

    /// Bytes that nobody wrote are refused without a panic.
    #[test]
    fn noise_is_refused(mut bytes in prop::collection::vec(any::<u8>(), 0..400), version in any::<bool>(), seed in 0u64..50) {
        let (rules, _, state) = played(seed, true);
        if let Some(first) = bytes.first_mut().filter(|_| version) {
            *first = 1;
        }
        if let Ok(other) = State::decode(&rules, state.map(), &bytes) {
            prop_assert_eq!(other.encode(), bytes);
        }
    }
}

#[test]
fn whole_matches_end_in_states_that_come_back() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/golden");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).expect("the journals are part of the repository") {
        let text = std::fs::read_to_string(entry.expect("a readable folder").path()).expect("a journal");
        let opening = Scenario::parse(rules(), text.lines().next().expect("a line")).expect("an opening");
        let state = journal::replay(rules(), &text).expect("it replays").state;
        assert_eq!(State::decode(&opening.rules, state.map(), &state.encode()).as_ref(), Ok(&state));
        let again = Rules::from_json(&opening.rules.to_json()).expect("rules come back from their JSON");
        assert_eq!(again, *opening.rules);
        assert_eq!(again.hash(), opening.rules.hash());
        count += 1;
    }
    assert_eq!(count, 10);
}
