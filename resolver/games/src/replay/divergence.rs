//! A recorded match under other rules: the first thing that would have come otherwise.

use std::sync::Arc;

use super::course::Course;
use super::opening::Opening;
use super::{Finding, Replay};
use crate::hosted::HostedRuleset;

/// Plays a match again under other rules until something is not as it was recorded.
pub(crate) fn diverges<R: HostedRuleset>(replay: &Replay<'_>, rules: &Arc<R::Rules>) -> Result<(), Finding> {
    let opening = Opening::<R>::read(replay.header)?;
    let seed = opening.seed(replay.end()?)?;
    let state = R::opening_under(rules, replay.header, opening.of_states())?;
    let mut course = Course::<R>::begin(Arc::clone(rules), state, seed);
    for turn in replay.turns() {
        let outcome = course.play(turn)?;
        R::compare(opening.of_states(), course.game.state(), &turn.state, &outcome)
            .map_err(|finding| finding.in_turn(turn.turn))?;
        course.reclaim(outcome);
    }
    Ok(())
}
