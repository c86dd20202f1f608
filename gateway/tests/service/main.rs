//! The service in this process or as the real binary, one module for each kind of promise. They are one program,
//! because every program of tests is compiled and linked with the whole service.
#![allow(unreachable_pub, reason = "the parts of a test are seen by nobody else")]

#[path = "../common/mod.rs"]
mod common;
#[path = "../../../resolver/games/tests/replay/mod.rs"]
mod replay;
mod sea;

mod boards;
mod clients;
mod clocks;
mod cluster_start;
mod command_line;
mod config_command;
mod containment;
mod creation;
mod deadlines;
mod delayed_view;
mod drain;
mod expiry;
mod full_match;
mod house;
mod http_listener;
mod idle;
mod load;
mod lobby;
mod operators;
mod outsiders;
mod pace;
mod past_turns;
mod policies;
mod reading_back;
mod refusals;
mod replay_commands;
mod replay_export;
mod resume;
mod starting;
mod traces;
mod unattended;
mod unread;
