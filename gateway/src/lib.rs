//! The service of Parley: lobby, matches, journal, streams.
//!
//! The gateway knows no rules. It asks the resolver what is legal and what follows, writes down what was said, and
//! sends to each viewer what the resolver says that viewer may see.

pub mod auth;
pub mod clock;
pub mod cluster;
pub mod config;
pub mod disk;
pub mod doctor;
pub mod field;
pub mod folder;
pub mod house;
pub mod http;
pub mod journal;
pub mod limits;
pub mod match_state;
pub mod matches;
pub mod memory;
pub mod nats;
pub mod refusal;
pub mod rulesets;
pub mod server;
pub mod service;
pub mod text;
pub mod trace;
pub mod work;
