//! Converts what a turn asks, what is answered, and what a replay tells of both.

use std::collections::BTreeMap;

use parley_core::ids::PlayerId;
use parley_core::question::Answer;
use parley_plunder::event::Subject;
use parley_plunder::order::Choice;
use parley_plunder::ruleset::Question;
use parley_plunder::view::SeenEncounter;
use parley_proto::v1;

use super::{player_id, subject};

/// Converts what a player is asked, by number. A question has the group of its encounter as this player counts groups,
/// because in fog not everybody is told of all of them.
pub fn questions(asked: &[Question], player: PlayerId, told: &[SeenEncounter]) -> Vec<v1::Question> {
    let mut groups = BTreeMap::new();
    for encounter in told {
        groups.extend(encounter.participants.iter().map(|ship| (Subject::Unit(ship.unit), encounter.group)));
    }
    let question = |asked: &Question| v1::Question {
        id: asked.id(),
        kind: asked.kind.to_owned(),
        rule: asked.rule.to_owned(),
        tick: asked.tick.into(),
        group: groups.get(&asked.about).copied().unwrap_or(0),
        about: Some(subject(asked.about)),
        options: asked.options.iter().map(|&choice| option(choice)).collect(),
        min: asked.min,
        max: asked.max,
        default: asked.default.clone(),
    };
    asked.iter().filter(|asked| asked.seat == player).map(question).collect()
}

fn option(choice: Choice) -> v1::question::Option {
    let word = match choice {
        Choice::Proceed => "proceed",
        Choice::Yield => "yield",
        Choice::Attack => "attack",
    };
    v1::question::Option { choice: Some(v1::question::option::Choice::Word(word.to_owned())) }
}

/// Reads the answer of a player.
pub fn answer(player: PlayerId, said: &v1::Answer) -> Answer {
    Answer { seat: player, question: said.question, options: said.options.clone() }
}

/// What counts for each question of a window, by player and then by number, as a replay tells it: the answer that was
/// given to it, or its default.
pub fn replay_answers(asked: &[Question], answers: &[Answer]) -> Vec<v1::ReplayAnswer> {
    let given: BTreeMap<_, _> = answers.iter().map(|given| ((given.seat, given.question), &given.options)).collect();
    let replayed = |asked: &Question| {
        let given = given.get(&(asked.seat, asked.id()));
        let mut options = given.map_or(&asked.default, |options| options).clone();
        options.sort_unstable();
        v1::ReplayAnswer { seat: player_id(asked.seat), question: asked.id(), options, defaulted: given.is_none() }
    };
    let mut replayed: Vec<v1::ReplayAnswer> = asked.iter().map(replayed).collect();
    replayed.sort_by_key(|answer| (answer.seat, answer.question));
    replayed
}
