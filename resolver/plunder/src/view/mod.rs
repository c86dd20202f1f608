//! What one seat, or a spectator, may see of a state and of a turn (R14).
//!
//! Everything that leaves the server for a player goes through here: [`snapshot`] for a state, [`Passage`] for a
//! turn, [`Witness`] for a turn that is still being resolved. The types of this module cannot hold what is secret
//! from their viewer: it is `None`, or it is not in the list.
//!
//! The property that all of it has (R14.2): two worlds that differ only in what a viewer may not see look the
//! same to that viewer. Three things follow for whoever sends views. Digests are for those who see everything,
//! because they commit to the whole state; so are seeds; and a [`Memory`](parley_core::sight::Memory) is one viewer's, never shared.

mod changes;
mod noting;
mod scene;
mod seen;
mod sight;
mod snapshot;
mod telling;
#[cfg(test)]
mod tests;
mod told;
mod witness;

pub use changes::{Change, ContestPatch, PlayerPatch, RoutePatch, SightPatch, StructurePatch, UnitPatch};
use parley_core::ids::PlayerId;
pub use seen::{SeenBody, SeenEncounter, SeenEvent, SeenParticipant, SeenShortfall, SeenTurn};
pub use sight::sight_of;
pub use snapshot::{ContestView, Knowledge, PlayerView, StructureView, UnitView, View, snapshot};
pub use told::Passage;
pub use witness::Witness;

use crate::rules::Rules;

/// Who is looking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Viewer {
    /// A player. One who is not in the match sees what a spectator sees.
    Seat(PlayerId),
    /// Somebody without a seat: what everybody sees, which under fog is no tile at all.
    Spectator,
    /// Replays and administrators: no fog and no secrets.
    Everything,
}

impl Viewer {
    /// Whether this viewer knows what only a player knows: engagements, routes, answers that are still open.
    pub fn shares_secrets_of(self, owner: PlayerId) -> bool {
        self == Self::Everything || self == Self::Seat(owner)
    }

    /// Whether no fog lies between this viewer and the map (R14.1).
    pub fn is_unfogged(self, rules: &Rules) -> bool {
        self == Self::Everything || !rules.fog()
    }

    fn owns(self, owner: PlayerId) -> bool {
        self == Self::Seat(owner)
    }
}
