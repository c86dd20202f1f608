//! The games that there are, and how the game of a match is found.

use std::fmt;
use std::sync::Arc;

use prost::encoding::{DecodeContext, WireType, decode_key, skip_field};

use super::{AnyGame, Hosted};
use crate::plunder::game::ruleset::Plunder;

/// The games of the house, one line each. The first is the one that is played where nobody says which.
const OF_THE_HOUSE: &[&dyn AnyGame] = &[&Hosted::<Plunder>::NEW];

/// The games that are known to a service or a program: those of the house, and whatever it adds to them.
#[derive(Clone, Debug)]
pub struct Games(Arc<[&'static dyn AnyGame]>);

/// A game that is asked for and not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownGame {
    /// The name that was asked for, where the game was asked for by name.
    name: Option<String>,
    /// The names of the games that are known.
    known: Vec<String>,
}

impl Default for Games {
    /// The games of the house.
    fn default() -> Self {
        Self(OF_THE_HOUSE.into())
    }
}

impl Games {
    /// These games and one more.
    ///
    /// # Panics
    ///
    /// Where the name or the arm of the game is taken, so that nobody could tell two games apart.
    pub fn with(self, game: &'static dyn AnyGame) -> Self {
        let is_taken = |other: &&dyn AnyGame| other.name() == game.name() || other.arm() == game.arm();
        assert!(!self.0.iter().any(is_taken), "the name or the arm of {} is taken", game.name());
        Self(self.0.iter().copied().chain([game]).collect())
    }

    /// All games, the one first that is played where nobody says which.
    pub fn iter(&self) -> impl Iterator<Item = &'static dyn AnyGame> {
        self.0.iter().copied()
    }

    /// The game that is meant where nobody says which.
    pub fn first(&self) -> &'static dyn AnyGame {
        self.0[0]
    }

    /// The game with a name.
    pub fn named(&self, name: &str) -> Result<&'static dyn AnyGame, UnknownGame> {
        let found = self.iter().find(|game| game.name() == name);
        found.ok_or_else(|| UnknownGame { name: Some(name.to_owned()), known: self.names() })
    }

    /// The game whose arm is set in the bytes of a message that all games share, such as `parley.v1.GameSettings`: the last
    /// one, as for every reader of a `oneof`. Where there are no bytes it is the first game. Of the message of the game
    /// nothing is read.
    pub fn of_message(&self, message: &[u8]) -> Result<&'static dyn AnyGame, UnknownGame> {
        if message.is_empty() {
            return Ok(self.first());
        }
        let of_arm = |arm: u32| self.iter().find(|game| game.arm() == arm);
        let found = arms(message).into_iter().flatten().rev().find_map(of_arm);
        found.ok_or_else(|| UnknownGame { name: None, known: self.names() })
    }

    fn names(&self) -> Vec<String> {
        self.iter().map(|game| format!("{:?}", game.name())).collect()
    }
}

/// The numbers of all fields of a message that hold other messages; `None` where the bytes are no message.
fn arms(mut message: &[u8]) -> Option<Vec<u32>> {
    let mut found = Vec::new();
    while !message.is_empty() {
        let (number, kind) = decode_key(&mut message).ok()?;
        if kind == WireType::LengthDelimited {
            found.push(number);
        }
        skip_field(kind, number, &mut message, DecodeContext::default()).ok()?;
    }
    Some(found)
}

impl fmt::Display for UnknownGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name.as_deref() {
            Some("") => f.write_str("it names no game")?,
            Some(name) => write!(f, "it is of the game {name:?}")?,
            None => f.write_str("it is of another game")?,
        }
        let are = if self.known.len() == 1 { "is" } else { "are" };
        write!(f, ", and only {} {are} known here", crate::sentences::list(&self.known))
    }
}

impl std::error::Error for UnknownGame {}
