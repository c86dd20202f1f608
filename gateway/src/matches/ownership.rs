//! Whose a match is, where several servers share a journal.

use futures_util::future::BoxFuture;

use crate::journal::MatchId;
use crate::refusal::Refusal;

/// Knows which server a match belongs to. A server that is alone needs none of this.
pub trait Ownership: Send + Sync {
    /// Makes a match this server's before it is read back, or says where it is. Nobody else writes to it after that.
    fn hold(&self, id: MatchId) -> BoxFuture<'_, Result<(), Refusal>>;

    /// Does the same as [`Ownership::hold`] for a match that is about to be created.
    fn hold_new(&self, id: MatchId) -> BoxFuture<'_, Result<(), Refusal>>;

    /// Remembers the id of the match that a request creates. Gives back the first that was remembered for it, and
    /// whether that is this one.
    fn reserve(&self, tail: [u8; 10], id: MatchId) -> BoxFuture<'_, Result<(MatchId, bool), Refusal>>;

    /// Gives up a match that sleeps and has nothing to wake up for: whoever is asked for it next may have it. It is not
    /// held from the call on, also where nobody waits for the future.
    fn release(&self, id: MatchId) -> BoxFuture<'_, ()>;

    /// Notes that the match may not be this server's any more: it has to be held anew.
    fn lost(&self, id: MatchId);

    /// How many matches are this server's.
    fn held(&self) -> usize;

    /// Whether this server still has what it holds, so that what it knows of a match is so.
    fn is_good(&self) -> bool;
}
