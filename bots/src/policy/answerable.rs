//! Questions, and how a policy answers them.

use std::collections::BTreeSet;

use parley_proto::common::v1::subject::Subject;
use parley_proto::plunder::v1 as plunder;
use parley_proto::v1;
use parley_proto::v1::question::option::Choice;

use super::Policy;
use crate::arms::Arms;
use crate::seat_player;

/// The kind of the question that is asked for a ship that met others (R7.2).
pub const ENCOUNTER: &str = "encounter";

/// A question with the ways to answer it.
pub trait Answerable {
    /// The answer that picks the option with this word: `question.pick("attack")`. Where the question has no such option, or
    /// wants more than one of them, this is the default, so that it is right for every kind of question.
    fn pick(&self, word: &str) -> v1::Answer;

    /// The answer that counts where none comes in time; in an encounter it is the peaceful one.
    fn default_answer(&self) -> v1::Answer;

    /// Whether the question can be answered with the option that has this word.
    fn offers(&self, word: &str) -> bool;

    /// The unit that the question is about, where it is about one.
    fn unit(&self) -> Option<u32>;

    /// The encounter of the prompt that the question belongs to, where it belongs to one.
    fn encounter<'a>(&self, prompt: &'a v1::Prompt) -> Option<&'a plunder::Encounter>;
}

impl Answerable for v1::Question {
    fn pick(&self, word: &str) -> v1::Answer {
        match place(self, word) {
            Some(place) => v1::Answer { question: self.id, options: vec![place] },
            None => self.default_answer(),
        }
    }

    fn default_answer(&self) -> v1::Answer {
        seat_player::default_answer(self)
    }

    fn offers(&self, word: &str) -> bool {
        place(self, word).is_some()
    }

    fn unit(&self) -> Option<u32> {
        match self.about.as_ref()?.subject {
            Some(Subject::Unit(unit)) => Some(unit),
            _ => None,
        }
    }

    fn encounter<'a>(&self, prompt: &'a v1::Prompt) -> Option<&'a plunder::Encounter> {
        let so_far = prompt.so_far.as_ref()?.as_plunder()?;
        so_far.encounters.iter().find(|encounter| self.group > 0 && encounter.group == self.group)
    }
}

/// The place of the option with a word, where that option alone is an answer.
fn place(question: &v1::Question, word: &str) -> Option<u32> {
    let is_it = |option: &v1::question::Option| matches!(&option.choice, Some(Choice::Word(other)) if other == word);
    let place = question.options.iter().position(is_it)?;
    (question.min..=question.max).contains(&1).then_some(place as u32)
}

/// Everything that a policy answers to a prompt. Questions that it leaves out are answered with their defaults, because the
/// turn would wait for an answer until its deadline, which it need not have.
pub fn answers(policy: &mut dyn Policy, view: &plunder::View, prompt: &v1::Prompt) -> Vec<v1::Answer> {
    let mut answers = policy.answers(view, prompt);
    let answered: BTreeSet<u32> = answers.iter().map(|answer| answer.question).collect();
    let left_out = prompt.questions.iter().filter(|question| !answered.contains(&question.id));
    answers.extend(left_out.map(Answerable::default_answer));
    answers
}

/// The defaults of all questions of a prompt.
pub fn defaults(prompt: &v1::Prompt) -> Vec<v1::Answer> {
    prompt.questions.iter().map(Answerable::default_answer).collect()
}

/// Lets those ships attack that a policy wants to, by their ids and encounters. All else is left to the defaults: other ships,
/// and questions of other kinds, which the policies here do not know.
pub(super) fn attack_where(
    prompt: &v1::Prompt,
    mut wants: impl FnMut(u32, &plunder::Encounter) -> bool,
) -> Vec<v1::Answer> {
    let mut attacks = Vec::new();
    for question in prompt.questions.iter().filter(|question| question.kind == ENCOUNTER) {
        let met = question.unit().zip(question.encounter(prompt));
        if met.is_some_and(|(unit, encounter)| wants(unit, encounter)) {
            attacks.push(question.pick("attack"));
        }
    }
    attacks
}
