//! The questions when own ships have met others, one after another.

use parley_games::plunder::sentences;
use parley_games::sentences::visible;
use parley_games::times;
use parley_proto::plunder::v1 as plunder;
use parley_proto::v1;

use super::playback::voyages;
use super::prospects::{Prospect, prospects, title};
use super::{Ask, Model, Stage, Tone};
use crate::news::Story;
use crate::policy::{Answerable, ENCOUNTER};

/// The questions of one window.
#[derive(Clone, Debug)]
pub struct Asking {
    prompt: v1::Prompt,
    /// The places of the questions about encounters, which are asked one after another.
    queue: Vec<usize>,
    /// How many of them are answered.
    answered: usize,
}

impl Asking {
    fn new(prompt: v1::Prompt) -> Self {
        let is_shown = |question: &v1::Question| shown(&prompt, question).is_some();
        let queue = (0..prompt.questions.len()).filter(|&place| is_shown(&prompt.questions[place])).collect();
        Self { prompt, queue, answered: 0 }
    }

    /// The question that waits for an answer; `None` when all are answered.
    fn question(&self) -> Option<&v1::Question> {
        self.prompt.questions.get(*self.queue.get(self.answered)?)
    }

    /// The encounter that waits for an answer, and the ship; `None` when all are answered.
    pub fn current(&self) -> Option<(&plunder::Encounter, u32)> {
        shown(&self.prompt, self.question()?)
    }

    /// The tick in which the ships have met; `None` where the window asks about no ships.
    pub fn tick(&self) -> Option<u32> {
        self.queue.first().map(|&place| self.prompt.questions[place].tick)
    }

    /// The number of the question that waits, counted from 1, and the number of all.
    pub const fn count(&self) -> (usize, usize) {
        (self.answered + 1, self.queue.len())
    }
}

/// What is shown of a question: an encounter and an own ship in it. `None` where the screen does not know its kind.
fn shown<'a>(prompt: &'a v1::Prompt, question: &v1::Question) -> Option<(&'a plunder::Encounter, u32)> {
    let met = question.encounter(prompt).zip(question.unit());
    met.filter(|_| question.kind == ENCOUNTER)
}

impl Model {
    /// Asks about own ships that have met others. Questions of other kinds are left to their defaults, which are sent so that
    /// nobody waits for them.
    pub(super) fn ask(&mut self, prompt: v1::Prompt) {
        self.board.clone_from(&self.base);
        let Story { steps, rest } = Story::of_prompt(&prompt);
        let voyages = voyages(&steps, self.told);
        self.tell_events(&steps, &voyages);
        if let Some(board) = &mut self.board {
            steps.iter().for_each(|step| board.apply(&step.changes));
            board.apply(&rest);
        }
        self.deadline_ms = prompt.deadline.as_ref().and_then(times::timestamp_ms);
        self.picked = None;
        self.notice = None;
        for question in prompt.questions.iter().filter(|question| shown(&prompt, question).is_none()) {
            let (turn, window, answer) = (prompt.turn, prompt.window, question.default_answer());
            self.asks.push_back(Ask::Answer { turn, window, answer });
            let (kind, rule) = (visible(&question.kind), visible(&question.rule));
            let line =
                format!("This screen does not know questions of the kind {kind} ({rule}); the default is answered.");
            self.log.add(Tone::Aside, line);
        }
        self.stage = Stage::Asked(Asking::new(prompt));
        self.look_at_question();
    }

    /// What the answers to the question that waits lead to.
    pub fn prospects(&self) -> Vec<Prospect> {
        let Stage::Asked(asking) = &self.stage else { return Vec::new() };
        let (Some(board), Some((encounter, unit))) = (&self.board, asking.current()) else { return Vec::new() };
        prospects(board, encounter, unit)
    }

    /// Answers the question that waits with the option that has this word.
    pub(super) fn answer(&mut self, word: &str) {
        let Stage::Asked(asking) = &mut self.stage else { return };
        let (Some(question), Some((encounter, unit))) = (asking.question(), asking.current()) else {
            self.notice = Some("Everything is answered; the others are waited for.".to_owned());
            return;
        };
        if !question.offers(word) {
            self.notice = Some(format!("{}.", title(encounter.kind())));
            return;
        }
        let (turn, window) = (asking.prompt.turn, asking.prompt.window);
        self.asks.push_back(Ask::Answer { turn, window, answer: question.pick(word) });
        let place = sentences::site(encounter.site.as_ref());
        self.log.add(Tone::Own, format!("You told ship {unit} to {} {place}.", word.to_uppercase()));
        self.notice = None;
        asking.answered += 1;
        self.look_at_question();
    }

    /// Puts the cursor where the question that waits is about.
    fn look_at_question(&mut self) {
        let (Stage::Asked(asking), Some(board)) = (&self.stage, &self.board) else { return };
        let Some((encounter, unit)) = asking.current() else { return };
        let hex = match encounter.site.as_ref().and_then(|site| site.place.as_ref()) {
            Some(plunder::site::Place::Hex(hex)) => Some(hex),
            _ => board.ship(unit).and_then(|ship| ship.hex.as_ref()),
        };
        self.cursor = board.tile(hex).or(self.cursor);
    }
}
