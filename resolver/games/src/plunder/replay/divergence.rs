//! A recorded match under other rules: the first thing that would have come otherwise.

use std::sync::Arc;

use parley_plunder::map::Map;
use parley_plunder::rules::Rules;
use parley_plunder::state::State;
use parley_proto::v1::{ReplayRecord, ReplayTurn};

use super::course::Course;
use crate::replay::opening::Opening;
use crate::replay::{Finding, Replay};

/// Plays a match again under other rules until something is not as it was recorded.
pub(crate) fn first_divergence(records: &[ReplayRecord], rules: &Arc<Rules>) -> Option<Finding> {
    play(records, rules).err()
}

fn play(records: &[ReplayRecord], rules: &Arc<Rules>) -> Result<(), Finding> {
    let replay = Replay::arrange(records)?;
    let opening = Opening::read(replay.header)?;
    let seed = opening.seed(replay.end()?)?;
    same_tables(&opening.rules, rules)?;
    let grid = opening.state.map().grid();
    let terrain = opening.state.map().terrain_rows();
    let map = Map::from_terrain(rules, grid.width(), grid.height(), grid.wrap(), &terrain)
        .map_err(|error| Finding::new("header", "map", error.to_string()))?;
    let state = State::decode(rules, &Arc::new(map), &replay.header.initial_state)
        .map_err(|error| Finding::new("header", "initial_state", error.to_string()))?;
    let mut course = Course::begin(Arc::clone(rules), state, seed);
    for turn in replay.turns() {
        let outcome = course.play(turn)?;
        let recorded = recorded(&opening, turn)?;
        // The two states have maps of their own, which may differ in what their terrains mean.
        let told = State::decode(&opening.rules, opening.state.map(), &course.game.state().encode());
        let told = told.map_err(|error| Finding::new("match", "state", error.to_string()).in_turn(turn.turn))?;
        if let Some(difference) = told.first_difference(&recorded) {
            return Err(Finding::of_difference(turn.turn, &difference, &outcome));
        }
        course.reclaim(outcome);
    }
    Ok(())
}

fn recorded(opening: &Opening<'_>, turn: &ReplayTurn) -> Result<State, Finding> {
    State::decode(&opening.rules, opening.state.map(), &turn.state)
        .map_err(|error| Finding::new("match", "state", error.to_string()).in_turn(turn.turn))
}

/// Checks that both rules have the same rows of terrains and classes, because they are recorded as rows of tables.
fn same_tables(old: &Rules, new: &Rules) -> Result<(), Finding> {
    let fault = |field| Err(Finding::new("header", field, "the other rules have other rows in this table"));
    if !new
        .terrains()
        .iter()
        .map(|row| &row.key)
        .take(old.terrains().len())
        .eq(old.terrains().iter().map(|row| &row.key))
    {
        return fault("terrains");
    }
    if !new.classes().iter().map(|row| &row.key).take(old.classes().len()).eq(old.classes().iter().map(|row| &row.key))
    {
        return fault("classes");
    }
    Ok(())
}
