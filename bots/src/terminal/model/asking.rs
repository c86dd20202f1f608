//! The prompts when own ships have met others, one after another.

use parley_games::plunder::sentences;
use parley_proto::v1;

use super::playback::voyages;
use super::prospects::{Prospect, peace, prospects, title, word};
use super::{Ask, Model, Stage, Tone};

/// The prompts of one decision window.
#[derive(Clone, Debug)]
pub struct Asking {
    prompt: v1::Prompt,
    /// For each prompt the place of its encounter in the list, and the own ship that is asked.
    queue: Vec<(usize, u32)>,
    /// How many of the prompts are answered.
    answered: usize,
}

impl Asking {
    fn new(prompt: v1::Prompt) -> Self {
        let asked = |(place, encounter): (usize, &v1::Encounter)| {
            let asked = encounter.participants.iter().filter(|participant| participant.asked == Some(true));
            asked.map(|participant| (place, participant.unit)).collect::<Vec<_>>()
        };
        let queue = prompt.encounters.iter().enumerate().flat_map(asked).collect();
        Self { prompt, queue, answered: 0 }
    }

    /// The encounter that waits for an answer, and the ship; `None` when all are answered.
    pub fn current(&self) -> Option<(&v1::Encounter, u32)> {
        let &(place, unit) = self.queue.get(self.answered)?;
        Some((self.prompt.encounters.get(place)?, unit))
    }

    /// The tick in which the ships have met.
    pub const fn tick(&self) -> u32 {
        self.prompt.tick
    }

    /// The number of the prompt that waits, counted from 1, and the number of all.
    pub const fn count(&self) -> (usize, usize) {
        (self.answered + 1, self.queue.len())
    }
}

impl Model {
    /// Asks about own ships that have met others.
    pub(super) fn ask(&mut self, prompt: v1::Prompt) {
        self.board.clone_from(&self.base);
        let voyages = voyages(&prompt.events, self.told);
        self.tell_events(&prompt.events, &voyages);
        if let Some(board) = &mut self.board {
            prompt.events.iter().for_each(|event| board.apply(event));
        }
        self.deadline_ms = prompt.deadline_ms;
        self.picked = None;
        self.notice = None;
        self.stage = Stage::Asked(Asking::new(prompt));
        self.look_at_prompt();
    }

    /// What the answers to the prompt that waits lead to.
    pub fn prospects(&self) -> Vec<Prospect> {
        let Stage::Asked(asking) = &self.stage else { return Vec::new() };
        let (Some(board), Some((encounter, unit))) = (&self.board, asking.current()) else { return Vec::new() };
        prospects(board, encounter, unit)
    }

    /// Answers the prompt that waits.
    pub(super) fn answer(&mut self, choice: v1::Choice) {
        let Stage::Asked(asking) = &mut self.stage else { return };
        let Some((encounter, unit)) = asking.current() else {
            self.notice = Some("Everything is answered; the others are waited for.".to_owned());
            return;
        };
        let kind = encounter.kind();
        if choice != v1::Choice::Attack && choice != peace(kind) {
            self.notice = Some(format!("{}.", title(kind)));
            return;
        }
        let (turn, tick) = (asking.prompt.turn, asking.prompt.tick);
        let place = sentences::site(encounter.site.as_ref());
        asking.answered += 1;
        let decision = v1::Decision { unit, choice: choice.into() };
        self.asks.push_back(Ask::Decide { turn, tick, decision });
        self.notice = None;
        self.log.add(Tone::Own, format!("You told ship {unit} to {} {place}.", word(choice)));
        self.look_at_prompt();
    }

    /// Puts the cursor where the next prompt is about.
    fn look_at_prompt(&mut self) {
        let (Stage::Asked(asking), Some(board)) = (&self.stage, &self.board) else { return };
        let Some((encounter, unit)) = asking.current() else { return };
        let hex = match encounter.site.as_ref().and_then(|site| site.place.as_ref()) {
            Some(v1::site::Place::Hex(hex)) => Some(hex),
            _ => board.ship(unit).and_then(|ship| ship.hex.as_ref()),
        };
        self.cursor = board.tile(hex).or(self.cursor);
    }
}
