//! Matches in the arena, and what is told of them.

use parley_core::dice::Seed;
use parley_core::ids::PlayerId;
use parley_core::question::Answer;
use parley_games::plunder::wire;
use parley_plunder::map::Map;
use parley_plunder::mapgen::SizePreset;
use parley_plunder::ruleset::{Game, Step, Workspace};
use parley_plunder::state::{MatchResult, State};
use parley_proto::plunder::v1 as plunder;
use parley_proto::v1;
use prost::Message;
use serde_json::json;

use super::*;
use crate::arms::Arms;
use crate::policy::{Answerable, Hold, named};

fn setup(seed: u64, overrides: serde_json::Value, record: bool) -> Setup {
    let rules = Arc::new(Rules::plunder().with_overrides(&overrides).expect("rules"));
    Setup { rules, map: MapRequest::preset(SizePreset::Tiny, 0, seed), secret: secret(seed), turns: 200, record }
}

/// Sails into whatever is nearest to the first ship of somebody else, and fights when asked.
struct Ram(Arc<Rules>);

impl Policy for Ram {
    fn orders(&mut self, view: &plunder::View) -> plunder::Sheet {
        let sea = crate::policy::Sea::read(&self.0, view).expect("a sea");
        let enemy = view.units.iter().find(|unit| Some(unit.owner) != view.seat);
        let Some(goal) = enemy.and_then(|enemy| sea.tile(enemy.hex.as_ref()?)) else {
            return plunder::Sheet::default();
        };
        let domain = self.0.classes()[0].domain;
        let step = |unit: &plunder::Unit| {
            let here = sea.tile(unit.hex.as_ref()?)?;
            let open = sea.grid().neighbors(here).map(|(_, tile)| tile).filter(|&tile| sea.is_open(tile, domain));
            let next = open.min_by_key(|&tile| sea.grid().distance(tile, goal))?;
            let action = plunder::unit_order::Action::Move(plunder::Move { path: vec![sea.hex(next)] });
            Some(plunder::UnitOrder { unit: unit.id, action: Some(action), ..plunder::UnitOrder::default() })
        };
        let own = view.units.iter().filter(|unit| Some(unit.owner) == view.seat);
        plunder::Sheet { units: own.filter_map(step).collect(), ..plunder::Sheet::default() }
    }

    fn answers(&mut self, _: &plunder::View, prompt: &v1::Prompt) -> Vec<v1::Answer> {
        let so_far = prompt.so_far.as_ref().and_then(Arms::as_plunder).expect("news");
        assert!(!so_far.events.is_empty(), "what has happened so far is told");
        prompt.questions.iter().map(|question| question.pick("attack")).collect()
    }
}

fn rams(setup: &Setup, count: usize) -> Vec<Box<dyn Policy>> {
    (0..count).map(|_| Box::new(Ram(Arc::clone(&setup.rules))) as Box<dyn Policy>).collect()
}

/// What a recorded sheet says.
fn said(sheet: &v1::ReplaySheet) -> plunder::Sheet {
    let sheet = v1::Sheet::decode(sheet.sheet.clone()).expect("a sheet");
    sheet.into_plunder().expect("a sheet of the naval game")
}

/// Plays a recording again from what it holds alone, and gives the last digest and the result.
fn play_again(recording: &Recording) -> (Digest, Option<MatchResult>) {
    let rules = Arc::new(Rules::from_json(&recording.rules.to_json()).expect("rules"));
    let v1::ReplayMap { width, height, wrap, terrain } = &recording.map;
    let map = Map::from_terrain(&rules, *width, *height, *wrap, terrain).expect("a map");
    let state = State::decode(&rules, &Arc::new(map), &recording.initial_state).expect("a state");
    let mut game = Game::new(Arc::clone(&rules), state, Seed::derive(&recording.secret, &[]));
    assert_eq!(game.digest(), recording.genesis);
    for turn in &recording.turns {
        assert_eq!(turn.turn, game.turn());
        for sheet in &turn.sheets {
            let said = said(sheet);
            let (orders, faults) = wire::sheet(&rules, PlayerId::new(sheet.seat.into()).expect("a seat"), &said);
            assert_eq!(faults, []);
            game.lock(game.judge(&orders).whole().expect("a legal sheet")).expect("sheets of this turn");
        }
        let mut windows = turn.windows.iter();
        let mut answers = Vec::new();
        let mut workspace = Workspace::new();
        while let Step::Asked = game.advance(&mut workspace, &answers).expect("the answers fit") {
            let window = windows.next().expect("a window");
            assert_eq!(window.answers.len(), game.questions().len(), "every question has its answer");
            assert!(window.answers.is_sorted_by_key(|answer| (answer.seat, answer.question)));
            let read = |answer: &v1::ReplayAnswer| Answer {
                seat: PlayerId::new(answer.seat.into()).expect("a seat"),
                question: answer.question,
                options: answer.options.clone(),
            };
            answers = window.answers.iter().filter(|answer| !answer.defaulted).map(read).collect();
        }
        assert!(windows.next().is_none());
        let (state, digest) = (game.state().encode(), game.digest());
        assert_eq!((turn.state.as_ref(), turn.digest.as_ref()), (&state[..], &digest.as_bytes()[..]));
    }
    assert_eq!(game.digest(), recording.digest);
    (game.digest(), game.state().result().cloned())
}

#[test]
fn a_recording_is_enough_to_play_the_match_again() {
    let setup = setup(3, json!({"turn_limit": 60}), true);
    let outcome = play(&setup, rams(&setup, 4)).expect("a match");
    let counts = outcome.counts;
    assert!(counts.encounters >= 5 && counts.answers > counts.encounters, "{counts:?}");
    assert_eq!((counts.refused_orders, counts.refused_answers, counts.defaulted_answers), (0, 0, 0));
    let recording = outcome.recording.expect("a recording");
    assert_eq!(recording.turns.len(), counts.turns as usize);
    let (_, result) = play_again(&recording);
    assert_eq!(result.map(Ending::Result), Some(outcome.ending));
}

#[test]
fn the_same_setup_is_the_same_match_and_another_secret_another() {
    let digest = |setup: &Setup| {
        let outcome = play(setup, rams(setup, 3)).expect("a match");
        outcome.recording.expect("a recording").digest
    };
    let setup = setup(5, json!({"turn_limit": 30}), true);
    assert_eq!(digest(&setup), digest(&setup));
    assert_ne!(digest(&setup), digest(&Setup { secret: secret(6), ..setup.clone() }));
}

#[test]
fn standings_tell_who_fell_and_when() {
    let setup = setup(3, json!({}), false);
    let mut table = ArenaMatch::new(&setup, rams(&setup, 4)).expect("a table");
    while table.turn().expect("a turn") {}
    let fell: Vec<_> = table.standings().iter().filter_map(|standing| standing.eliminated).collect();
    assert!(fell.len() >= 3, "{:?}", table.standings());
    assert_eq!(fell.iter().max(), Some(&table.counts().turns));
    let outcome = table.finish();
    assert!(outcome.recording.is_none());
    for standing in &outcome.standings {
        assert_eq!(standing.alive, standing.ships > 0);
        assert_eq!(standing.alive, outcome.ending.ahead() == [standing.seat]);
    }
}

#[test]
fn a_match_beyond_its_last_turn_has_no_result() {
    let setup = Setup { turns: 4, ..setup(1, json!({}), false) };
    let outcome = play(&setup, vec![Box::new(Hold), Box::new(Hold)]).expect("a match");
    assert_eq!((outcome.ending.clone(), outcome.counts.turns), (Ending::OutOfTurns, 4));
    assert_eq!(outcome.ending.ahead(), []);
    assert!(outcome.standings.iter().all(|s| (s.ships, s.structures, s.gold, s.eliminated) == (3, 1, 184, None)));
}

/// Orders somebody else's ship about, and answers what cannot be answered.
struct Rude(Ram);

impl Policy for Rude {
    fn orders(&mut self, view: &plunder::View) -> plunder::Sheet {
        let mut sheet = self.0.orders(view);
        if view.turn == 1 {
            let foreign = view.units.iter().find(|unit| Some(unit.owner) != view.seat).expect("an enemy");
            sheet.units.push(plunder::UnitOrder { unit: foreign.id, ..plunder::UnitOrder::default() });
        }
        sheet
    }

    fn answers(&mut self, _: &plunder::View, prompt: &v1::Prompt) -> Vec<v1::Answer> {
        let answer = |question: &v1::Question| v1::Answer { question: question.id, options: vec![9] };
        prompt.questions.iter().map(answer).collect()
    }
}

#[test]
fn what_is_refused_is_counted_and_replaced_by_nothing() {
    let setup = setup(3, json!({"turn_limit": 40}), true);
    let rude = || Box::new(Rude(Ram(Arc::clone(&setup.rules)))) as Box<dyn Policy>;
    let outcome = play(&setup, vec![rude(), rude()]).expect("a match");
    assert_eq!(outcome.counts.refused_orders, 2);
    assert!(outcome.counts.refused_answers > 0);
    assert_eq!(outcome.counts.defaulted_answers, 0, "the defaults were answered for them");
    let recording = outcome.recording.expect("a recording");
    assert!(recording.turns[0].sheets.iter().all(|sheet| said(sheet) == plunder::Sheet::default()));
    play_again(&recording);
}

#[test]
fn what_cannot_be_played_is_said() {
    let setup = setup(1, json!({}), false);
    let alone = play(&setup, vec![Box::new(Hold)]).expect_err("nobody to play with");
    assert_eq!(alone.to_string(), "a generated map is for 2 to 16 players, not for 1");
    let rules = Rules::plunder().with_overrides(&json!({"economy": {"start_shipyards": 16}})).expect("rules");
    let crowded = Setup { rules: Arc::new(rules), ..setup };
    assert!(matches!(play(&crowded, vec![Box::new(Hold), Box::new(Hold)]), Err(ArenaError::Opening(_))));
}

#[test]
fn in_fog_seats_know_what_they_have_seen() {
    let setup = setup(9, json!({"fog": "on", "turn_limit": 40}), true);
    let seats = (0..4).map(|seat| named("wander", seat, &setup.rules).expect("a policy")).collect();
    let outcome = play(&setup, seats).expect("a match");
    assert_eq!(outcome.counts.refused_orders, 0);
    assert!(outcome.counts.orders > 100, "{:?}", outcome.counts);
}
