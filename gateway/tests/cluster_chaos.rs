//! A cluster keeps its promises whatever becomes of its gateways and of the NATS servers between them.
//!
//! These tests start NATS servers and gateways as processes of this machine, with a line that can be cut between each
//! two. They need the binary `nats-server` on the path, or where `PARLEY_NATS_SERVER` says, and the machine for
//! themselves: `cargo test -p parley-gateway --test cluster_chaos -- --ignored --nocapture --test-threads 1`.
//!
//! - `chaos`: scripted players play at `PARLEY_CHAOS_MATCHES` (200) tables at once, one match after the other, on
//!   whichever gateway answers, while for `PARLEY_CHAOS_SECONDS` (60) gateways and NATS servers are killed, as many of the
//!   one as of the other, drained, paused and cut off, as `PARLEY_CHAOS_SEED` (1) chooses. Most matches have deadlines that
//!   must not pass; a fifth has deadlines that do. Afterwards every acknowledged input is in the journals once, and every
//!   match in which no deadline could pass is the same as without trouble. The long form is `PARLEY_CHAOS_SECONDS=300`
//!   with three seeds, one after the other.
//! - `fence`: an owner that was paused for longer than its lease writes nothing, and if it did, the checks would find it.
//! - `takeover`: a gateway with its share, a third, of `PARLEY_TAKEOVER_MATCHES` (1500) matches dies, and the others serve them.
//! - `drain`: gateways are replaced one after the other under open streams.
//! - `channels`: one session has channels of matches of all gateways, and loses only those of one that dies.
//! - `status`: operators see who serves what.

#![allow(unreachable_pub, reason = "the parts of a test are seen by nobody else")]

#[path = "cluster/channels.rs"]
mod channels;
#[path = "cluster/chaos.rs"]
mod chaos;
mod common;
#[path = "cluster/drain.rs"]
mod drain;
#[path = "cluster/fence.rs"]
mod fence;
#[path = "cluster/gateways.rs"]
mod gateways;
#[path = "cluster/journal.rs"]
mod journal;
#[path = "cluster/state.rs"]
mod state;
#[path = "cluster/status.rs"]
mod status;
#[path = "cluster/takeover.rs"]
mod takeover;
#[path = "cluster/trouble.rs"]
mod trouble;
