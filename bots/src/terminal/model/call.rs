//! What the model asks of the server, and what it is answered.

use parley_proto::v1;

use crate::refusal::Refusal;

/// A call.
#[derive(Clone, Debug, PartialEq)]
pub enum Ask {
    /// What may be ordered.
    Options,
    /// A way for a ship to a hex.
    Course {
        /// Which ship.
        unit: u32,
        /// Where to.
        target: v1::Hex,
    },
    /// Keep orders.
    Stage {
        /// For this turn.
        turn: u32,
        /// These.
        sheet: v1::OrderSheet,
    },
    /// Freeze orders.
    Lock {
        /// For this turn.
        turn: u32,
        /// These.
        sheet: v1::OrderSheet,
    },
    /// Answer for a ship.
    Decide {
        /// In this turn.
        turn: u32,
        /// In this tick.
        tick: u32,
        /// So.
        decision: v1::Decision,
    },
    /// Give up.
    Concede,
}

/// What a call came to.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// What may be ordered.
    Options(Result<v1::ListLegalOrdersResponse, Refusal>),
    /// A way.
    Course {
        /// Which ship.
        unit: u32,
        /// Where to.
        target: v1::Hex,
        /// The way, or why there is none.
        course: Result<v1::Course, Refusal>,
    },
    /// Orders are kept.
    Staged {
        /// For which turn.
        turn: u32,
        /// Which of them stand.
        staged: Result<v1::StageOrdersResponse, Refusal>,
    },
    /// Orders are frozen.
    Locked {
        /// For which turn.
        turn: u32,
        /// Whether they are.
        locked: Result<(), Refusal>,
    },
    /// An answer is kept.
    Decided(Result<(), Refusal>),
    /// The player gave up.
    Conceded(Result<(), Refusal>),
}
