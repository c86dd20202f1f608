//! House bots: seats that the server fills. They play through the public API over a connection in memory, with a token
//! like everybody's; no other way in exists.

use tokio::task::AbortHandle;

use crate::journal::MatchId;

/// Somebody who lets bots play.
pub trait House: Send + Sync {
    /// Lets a bot with a policy play a seat until the match ends or it is aborted.
    fn play(&self, id: MatchId, seat: u8, policy: &str, token: String) -> AbortHandle;
}
