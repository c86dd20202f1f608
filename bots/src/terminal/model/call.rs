//! What the model asks of the server, and what it is answered.

use parley_proto::common::v1 as common;
use parley_proto::plunder::v1 as plunder;
use parley_proto::v1;

use crate::refusal::Refusal;

/// A call that the model wants to be made.
#[derive(Clone, Debug, PartialEq)]
pub enum Ask {
    /// Ask what may be ordered.
    Options,
    /// Ask for a way of a ship to a hex.
    Course {
        /// The id of the ship.
        unit: u32,
        /// The hex that the way is to lead to.
        target: common::Hex,
    },
    /// Keep orders on the server without freezing them.
    Stage {
        /// The turn that the orders are for.
        turn: u32,
        /// The orders to be kept.
        sheet: plunder::Sheet,
    },
    /// Freeze orders.
    Lock {
        /// The turn that the orders are for.
        turn: u32,
        /// The orders to be frozen.
        sheet: plunder::Sheet,
    },
    /// Answer a question.
    Answer {
        /// The turn that asks.
        turn: u32,
        /// The number of the window that the question is in.
        window: u32,
        /// The answer to the question.
        answer: v1::Answer,
    },
    /// Give the match up.
    Concede,
}

/// What a call came to.
#[derive(Clone, Debug, PartialEq)]
pub enum CallResult {
    /// What may be ordered, or why this is not told.
    Options(Result<plunder::Options, Refusal>),
    /// The answer to a call for a way.
    Course {
        /// The id of the ship.
        unit: u32,
        /// The hex that the way leads to.
        target: common::Hex,
        /// The way, or why there is none.
        course: Result<plunder::Course, Refusal>,
    },
    /// The answer to a call to keep orders.
    Staged {
        /// The turn that the orders are for.
        turn: u32,
        /// Which of the orders stand, or why none are kept.
        staged: Result<v1::StageOrdersResponse, Refusal>,
    },
    /// The answer to a call to freeze orders.
    Locked {
        /// The turn that the orders are for.
        turn: u32,
        /// Whether the orders are frozen, or why not.
        locked: Result<(), Refusal>,
    },
    /// Whether the answer to a question is kept, or why not.
    Answered(Result<(), Refusal>),
    /// Whether the player has given up, or why not.
    Conceded(Result<(), Refusal>),
}
