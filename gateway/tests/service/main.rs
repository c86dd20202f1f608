//! The service in this process or as the real binary, one module for each kind of promise. They are one program,
//! because every program of tests is compiled and linked with the whole service.
#![allow(unreachable_pub, reason = "the parts of a test are seen by nobody else")]

#[path = "../common/mod.rs"]
mod common;
mod replay;
mod sea;

mod cluster_start;
mod command_line;
mod containment;
mod creation;
mod deadlines;
mod door_config;
mod door_listener;
mod drain;
mod expiry;
mod full_match;
mod house;
mod idle;
mod load;
mod lobby;
mod operators;
mod outsiders;
mod policies;
mod reading_back;
mod refusals;
mod replay_commands;
mod replay_export;
mod replay_proof;
mod resume;
mod retelling;
mod starting;
mod traces;
mod unattended;
