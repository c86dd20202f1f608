//! What speaks against a replay.

use std::fmt;

use parley_core::grid::Grid;
use parley_plunder::compare::{Difference, Entity};
use parley_plunder::event::{Body, Event};
use parley_plunder::ruleset::Outcome;

use crate::sentences::visible;

/// The first thing that is not as it should be, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The turn that it is about, where it is about one.
    pub turn: Option<u32>,
    /// The tick that it is about, where it is about one.
    pub tick: Option<u8>,
    /// The thing that it is about: `unit 7`, `seat 2`, `header`, `end`.
    pub entity: String,
    /// The part of that thing.
    pub field: &'static str,
    /// What is wrong, in one sentence.
    pub reason: String,
}

impl Finding {
    pub(crate) fn new(entity: impl Into<String>, field: &'static str, reason: impl Into<String>) -> Self {
        Self { turn: None, tick: None, entity: entity.into(), field, reason: visible(&reason.into()) }
    }

    pub(crate) fn in_turn(self, turn: u32) -> Self {
        Self { turn: Some(turn), ..self }
    }

    pub(crate) fn in_tick(self, tick: u8) -> Self {
        Self { tick: Some(tick), ..self }
    }

    /// The finding that a state is not the one a turn leads to. The tick is that of the first event about what differs.
    pub(crate) fn of_difference(turn: u32, difference: &Difference, outcome: &Outcome) -> Self {
        let Difference { entity, field, left, right } = difference;
        let reason = format!("the turn leads to {left}, recorded is {right}");
        let tick = first_tick(*entity, outcome, outcome.before.map().grid());
        Self { tick, ..Self::new(entity.to_string(), field, reason).in_turn(turn) }
    }
}

/// The tick of the first event about an entity. Gold and what was skipped are told of a whole turn, as all verifiers have it.
fn first_tick(entity: Entity, outcome: &Outcome, grid: &Grid) -> Option<u8> {
    let in_tick = |event: &&Event| !matches!(event.body, Body::Gold { .. } | Body::Skipped { .. });
    let about = outcome.events.iter().filter(in_tick).filter(|event| event.body.entities(grid).contains(&entity));
    about.filter_map(|event| event.tick).next()
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(turn) = self.turn {
            write!(f, "turn {turn}, ")?;
        }
        if let Some(tick) = self.tick {
            write!(f, "tick {tick}, ")?;
        }
        write!(f, "{}, {}: {}", self.entity, self.field, self.reason)
    }
}
