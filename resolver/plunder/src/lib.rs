//! The game Plunder: ships that meet at sea, in simultaneous turns that are resolved purely and deterministically.
//!
//! Everybody plans in secret, everything resolves at once, and the same inputs lead to the same outcome on every
//! machine. This crate knows the rules (`data/RULES.md`; comments cite them as R6.5) and nothing else: no IO, no
//! clock, no floats, no unordered maps, no threads. What other games need as well it has from [`parley_core`].
//!
//! # A tour
//!
//! What somebody says and what is known are two types. [`rules::RawRules`] becomes [`rules::Rules`], a drawn
//! [`map::MapText`] becomes a [`map::Map`], an [`order::OrderSheet`] becomes a [`legality::LegalSheet`] or **all** its
//! [`legality::Fault`]s, each naming its rule. Only known things reach a [`ruleset::Game`], which is the one way through a
//! turn: it asks what it needs to know, or has come to the outcome.
//!
//! Two fleets meet at sea. Blue wants to go east, Red wants to go west, and neither has been told what to do:
//!
//! ```
//! use std::sync::Arc;
//! use parley_plunder::event::Body;
//! use parley_plunder::order::Choice;
//! use parley_plunder::rules::Rules;
//! use parley_plunder::ruleset::{Step, Workspace};
//! use parley_plunder::scenario::Scenario;
//!
//! let rules = Arc::new(Rules::plunder());
//! let scenario = Scenario::parse(&rules, r#"{
//!     "seed": "0000000000000000000000000000000000000000000000000000000000000000",
//!     "turn": 1,
//!     "map": {"width": 3, "height": 1, "tiles": ["..."]},
//!     "players": [{"id": 0}, {"id": 1}],
//!     "units": [{"id": 1, "owner": 0, "q": 0, "r": 0, "hp": 10}, {"id": 2, "owner": 1, "q": 1, "r": 0, "hp": 10}],
//!     "orders": [{"unit": 1, "move": [[1, 0]]}, {"unit": 2, "move": [[0, 0]]}]
//! }"#).expect("a sound scenario");
//!
//! let (mut game, mut workspace) = (scenario.game()?, Workspace::new());
//! assert!(matches!(game.advance(&mut workspace, &[]), Ok(Step::Asked)), "both are asked");
//! let question = &game.questions()[0];
//! assert_eq!(question.options, [Choice::Proceed, Choice::Attack]);
//!
//! // Blue forces passage, Red does not answer and proceeds: one exchange, and both stay where they were.
//! let attack = question.picking(&Choice::Attack).expect("it can be chosen");
//! let Ok(Step::Resolved(outcome)) = game.advance(&mut workspace, &[attack]) else { panic!("it was asked for") };
//! assert!(outcome.events.iter().any(|event| matches!(event.body, Body::Exchanged { .. })));
//! assert_eq!(game.turn(), 2);
//! # Ok::<(), parley_core::game::LockError>(())
//! ```
//!
//! # Where to look
//!
//! - the turn as a list of stages: [`stages`] (R5.6); the game as its driver sees it: [`ruleset`]
//! - ticks on dense arrays: [`parley_core::field`] (R6)
//! - what may be ordered, and why not: [`legality`], [`options`]; what would come of it: [`preview`]
//! - what a viewer may see: [`view`] (R14); why an order fell short: [`explain`]
//! - dice and proofs: [`dice`] (R13.2), [`encode`] and [`decode`] (R13.3)
//! - maps and openings: [`map`], [`mapgen`], [`start`]; files: [`scenario`], [`scenario::journal`]

#![forbid(unsafe_code)]
#![deny(clippy::disallowed_types, clippy::disallowed_methods, clippy::float_arithmetic)]

pub mod compare;
pub mod decode;
pub mod dice;
pub mod encode;
pub mod event;
pub mod explain;
pub mod ids;
pub mod legality;
pub mod map;
pub mod mapgen;
pub mod options;
pub mod order;
pub mod preview;
pub mod rules;
pub mod ruleset;
pub mod scenario;
pub mod stages;
pub mod start;
pub mod state;
pub mod view;
