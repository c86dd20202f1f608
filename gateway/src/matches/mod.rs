//! All matches of a server: where each is found, how it comes into memory and how it leaves.
//!
//! A match that is in memory has a task of its own (`actor`) and a mailbox (`mailbox`). A match that is not is brought
//! in by the first who asks for it (`supervision`). A task that panics or gives up takes nothing with it that was
//! acknowledged: the next who asks starts a new one, which reads the journal.
//!
//! - Coming to be: `creation` makes a match once for each request, `quota` counts the matches of an address, `listing`
//!   is what the lobby shows of each.
//! - Being played: `command` is what a match can be asked, `actor` does it, `receipts` signs and publishes what came of
//!   it, `feed` and [`Following`] hand news to those who follow.
//! - The past: `history` reads journals, for [`Replay`], [`past_receipts()`] and [`past_turns`]; [`older_version`] knows
//!   what it cannot read.
//! - Room and time: `weight` counts memory, `waking` brings back what has deadlines, `expiry` ends what nobody plays,
//!   [`ownership`] says which server has a match.
//! - [`Shared`] is what all of them have in common.

mod actor;
pub mod command;
mod creation;
pub mod encoded_news;
mod expiry;
mod fair_line;
pub mod feed;
mod follow;
pub mod history;
pub mod listing;
mod mailbox;
mod match_metrics;
pub mod older_version;
pub mod ownership;
mod past_receipts;
pub mod past_turns;
mod quota;
mod receipts;
mod replay;
mod shared;
mod supervision;
mod waking;
mod weight;

#[cfg(test)]
mod tests;

pub use actor::block_in_place_if;
pub(crate) use fair_line::FairLine;
pub use follow::{Following, Wishes, joined};
pub use match_metrics::MatchMetrics;
pub use past_receipts::past_receipts;
pub use quota::Creator;
pub use receipts::{Publisher, SaltKeys};
pub use replay::Replay;
pub use shared::{Drained, Matches, Shared, Stats};
