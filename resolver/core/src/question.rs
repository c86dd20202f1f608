//! What a turn asks its players while it is resolved, and what they answer, in any game.
//!
//! A stage asks; the driver decides whom that has to be put to. A question without an option is skipped, one with a single
//! option is answered by it, and one that a standing order answers is not put either. All others form a window, and the
//! stage goes on when its questions are settled: by an answer, or by the default where none came.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::ids::PlayerId;

/// Something that a player has to choose before the turn goes on. What it is about, and what can be chosen, are types of
/// the game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question<S, C> {
    /// The number of the question among those that the turn puts to this player; 0 as long as it is not put.
    id: u32,
    /// The player who is asked.
    pub seat: PlayerId,
    /// What kind of question it is, as a word of the rules.
    pub kind: &'static str,
    /// The rule that asks it.
    pub rule: &'static str,
    /// The tick in which it is asked; 0 outside of ticks.
    pub tick: u8,
    /// The encounter, contest or exchange of the moment that it belongs to, counted from 1; 0 where it belongs to none.
    pub group: u32,
    /// What it is about.
    pub about: S,
    /// What can be chosen.
    pub options: Vec<C>,
    /// How many options an answer picks at least.
    pub min: u32,
    /// How many options an answer picks at most.
    pub max: u32,
    /// The places of the options that count where no answer comes, in ascending order.
    pub default: Vec<u32>,
    /// The places of the options that a standing order picks, in ascending order, so that nobody has to be asked.
    pub standing: Option<Vec<u32>>,
}

impl<S, C> Question<S, C> {
    /// A question that is answered by one of its options, the first of which is the default.
    pub fn new(seat: PlayerId, kind: &'static str, rule: &'static str, about: S, options: Vec<C>) -> Self {
        Self {
            id: 0,
            seat,
            kind,
            rule,
            tick: 0,
            group: 0,
            about,
            options,
            min: 1,
            max: 1,
            default: vec![0],
            standing: None,
        }
    }

    /// The same question, asked in a tick about a group of it.
    pub fn at(self, tick: u8, group: u32) -> Self {
        Self { tick, group, ..self }
    }

    /// The same question, answered by at least and at most so many of its options, with another default.
    pub fn several(self, min: u32, max: u32, default: Vec<u32>) -> Self {
        Self { min, max, default, ..self }
    }

    /// The same question, with what a standing order picks, if there is one.
    pub fn standing(self, standing: Option<Vec<u32>>) -> Self {
        Self { standing, ..self }
    }

    /// The number of the question among those that the turn puts to this player, counted from 1.
    pub const fn id(&self) -> u32 {
        self.id
    }

    /// The answer that picks one option alone; `None` where the question has no such option.
    pub fn picking(&self, choice: &C) -> Option<Answer>
    where
        C: PartialEq,
    {
        let place = self.options.iter().position(|option| option == choice)?;
        Some(Answer { seat: self.seat, question: self.id, options: vec![place as u32] })
    }

    /// What settles the question without anybody being asked.
    fn settled_alone(&self) -> Option<Settled> {
        let picked = match (self.options.len(), &self.standing) {
            (0, _) => Vec::new(),
            (1, _) => vec![0],
            (_, Some(standing)) => standing.clone(),
            (_, None) => return None,
        };
        Some(Settled { picked, defaulted: false })
    }

    /// What is wrong with picking these options.
    fn refuses(&self, picked: &[u32]) -> Option<WrongAnswer> {
        let is_missing = |place: &&u32| **place as usize >= self.options.len();
        let is_again = |(at, place): &(usize, &u32)| picked[..*at].contains(place);
        if let Some(&place) = picked.iter().find(is_missing) {
            return Some(WrongAnswer::NoSuchOption(place));
        }
        if let Some((_, &place)) = picked.iter().enumerate().find(is_again) {
            return Some(WrongAnswer::PickedTwice(place));
        }
        match picked.len() {
            few if few < self.min as usize => Some(WrongAnswer::TooFew(self.min)),
            many if many > self.max as usize => Some(WrongAnswer::TooMany(self.max)),
            _ => None,
        }
    }

    /// Whether the options that the game itself picks are such that a player could have picked them.
    fn is_sound(&self) -> bool {
        let is_right = |picked: &Vec<u32>| picked.is_sorted() && self.refuses(picked).is_none();
        self.options.len() < 2 || self.standing.as_ref().is_none_or(is_right) && is_right(&self.default)
    }
}

/// What a player answers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Answer {
    /// The player who answers.
    pub seat: PlayerId,
    /// The number of the question among those of the player.
    pub question: u32,
    /// The places of the options that are picked.
    pub options: Vec<u32>,
}

/// How a question was settled, as the stage that asked it learns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settled {
    /// The places of the options that count, in ascending order.
    pub picked: Vec<u32>,
    /// Whether the player was asked and did not answer, so that the default counts.
    pub defaulted: bool,
}

/// What is wrong with an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrongAnswer {
    /// The player is not asked that question now.
    NotAsked,
    /// The question has an answer already.
    AnsweredTwice,
    /// There is no option at this place.
    NoSuchOption(u32),
    /// The option at this place is picked more than once.
    PickedTwice(u32),
    /// At least so many options have to be picked.
    TooFew(u32),
    /// At most so many options may be picked.
    TooMany(u32),
}

impl fmt::Display for WrongAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAsked => f.write_str("is not asked"),
            Self::AnsweredTwice => f.write_str("is answered twice"),
            Self::NoSuchOption(place) => write!(f, "has no option {place}"),
            Self::PickedTwice(place) => write!(f, "has option {place} picked twice"),
            Self::TooFew(min) => write!(f, "wants at least {min} of its options picked"),
            Self::TooMany(max) => write!(f, "lets at most {max} of its options be picked"),
        }
    }
}

/// An answer that cannot be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnswerFault {
    /// The player who answered.
    pub seat: PlayerId,
    /// The number of the question that was answered.
    pub question: u32,
    /// The place of the answer among those that were checked, counted from 0.
    pub place: usize,
    /// What is wrong with the answer.
    pub wrong: WrongAnswer,
}

impl fmt::Display for AnswerFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "question {} of player {} {}", self.question, self.seat, self.wrong)
    }
}

impl std::error::Error for AnswerFault {}

/// The questions that are open at the same time, and what those before them were counted by.
#[derive(Clone, Debug)]
pub(crate) struct Window<S, C> {
    /// The questions that are put to players, in the order in which the stage asked them.
    pub(crate) questions: Vec<Question<S, C>>,
    /// The places in that list by the player and the player's number.
    places: BTreeMap<(PlayerId, u32), usize>,
    /// For every question of the stage, in its order, how it is settled; `None` where that is the next of `questions`.
    settled: Vec<Option<Settled>>,
    /// How many windows the turn has had, this one included.
    number: u32,
    /// What each player was asked in the turn.
    counts: BTreeMap<PlayerId, SeatCount>,
}

/// How often a player was asked in a turn.
#[derive(Clone, Copy, Debug, Default)]
struct SeatCount {
    questions: u32,
    windows: u32,
    /// The number of the last window in which the player was asked, among all windows of the turn.
    last: u32,
}

impl<S, C> Window<S, C> {
    /// Before the turn has asked anything.
    pub(crate) const fn none() -> Self {
        Self { questions: Vec::new(), places: BTreeMap::new(), settled: Vec::new(), number: 0, counts: BTreeMap::new() }
    }

    /// Opens the window of what a stage asks. Without anybody to be asked it is no window, and its questions are settled.
    pub(crate) fn open(&mut self, asked: Vec<Question<S, C>>) -> Option<Vec<Settled>> {
        debug_assert!(asked.iter().all(Question::is_sound), "a game picks only what a player could pick");
        self.settled = asked.iter().map(Question::settled_alone).collect();
        if self.settled.iter().all(Option::is_some) {
            return Some(self.settled.drain(..).flatten().collect());
        }
        self.number += 1;
        for (mut question, settled) in asked.into_iter().zip(&self.settled) {
            if settled.is_some() {
                continue;
            }
            let count = self.counts.entry(question.seat).or_default();
            count.questions += 1;
            count.windows += u32::from(count.last < self.number);
            count.last = self.number;
            question.id = count.questions;
            self.places.insert((question.seat, question.id), self.questions.len());
            self.questions.push(question);
        }
        None
    }

    /// The number of the window among all windows of the turn, counted from 1; 0 where it is closed.
    pub(crate) const fn number(&self) -> u32 {
        if self.questions.is_empty() { 0 } else { self.number }
    }

    /// The number of the window among those that a player is asked in; `None` where the player is not asked in it.
    pub(crate) fn number_of(&self, seat: PlayerId) -> Option<u32> {
        let is_asked = |count: &&SeatCount| count.last == self.number();
        self.counts.get(&seat).filter(is_asked).map(|count| count.windows)
    }

    /// The question that a player's number stands for.
    pub(crate) fn question(&self, seat: PlayerId, id: u32) -> Option<&Question<S, C>> {
        self.places.get(&(seat, id)).map(|&place| &self.questions[place])
    }

    /// Everything that is wrong with answers.
    pub(crate) fn check(&self, answers: &[Answer]) -> Result<(), Vec<AnswerFault>> {
        let mut answered = BTreeSet::new();
        let mut fault = |(place, &Answer { seat, question, ref options }): (usize, &Answer)| {
            let wrong = match self.question(seat, question) {
                None => Some(WrongAnswer::NotAsked),
                Some(_) if !answered.insert((seat, question)) => Some(WrongAnswer::AnsweredTwice),
                Some(asked) => asked.refuses(options),
            };
            wrong.map(|wrong| AnswerFault { seat, question, place, wrong })
        };
        let faults: Vec<AnswerFault> = answers.iter().enumerate().filter_map(&mut fault).collect();
        if faults.is_empty() { Ok(()) } else { Err(faults) }
    }

    /// Closes the window with answers that were checked, and says how each question of the stage is settled.
    pub(crate) fn close(&mut self, answers: &[Answer]) -> Vec<Settled> {
        let by_default = |question: Question<S, C>| Settled { picked: question.default, defaulted: true };
        let mut put: Vec<Settled> = self.questions.drain(..).map(by_default).collect();
        for answer in answers {
            if let Some(&place) = self.places.get(&(answer.seat, answer.question)) {
                let mut picked = answer.options.clone();
                picked.sort_unstable();
                put[place] = Settled { picked, defaulted: false };
            }
        }
        self.places.clear();
        let mut put = put.into_iter();
        self.settled.drain(..).filter_map(|settled| settled.or_else(|| put.next())).collect()
    }
}
