//! What is listed of a match: what the lobby shows, and beside it what only servers read.

use std::sync::Once;

use bytes::Bytes;
use parley_proto::journal::v1::{Aside, Shown};
use parley_proto::opaque::v1;
use prost::Message;

use crate::journal::{Listing, Stage};
use crate::match_state::{CreatorKeys, MatchState};

/// What is listed of a match.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    /// The part that the lobby shows.
    pub shown: Shown,
    /// The part that only servers read.
    pub aside: Aside,
}

impl Listed {
    /// What is listed of a match as it is now.
    pub fn of(match_state: &MatchState) -> Self {
        let keys = match_state.setup.address;
        let aside = Aside {
            address: keys.map(|keys| Bytes::copy_from_slice(&keys.address)).unwrap_or_default(),
            networks: keys.map(|keys| keys.networks_written()).unwrap_or_default(),
            by_admin: match_state.setup.by_admin,
            last_input_ms: match_state.last_input_ms,
            missed_deadlines: match_state.missed_deadlines,
            waits_without_deadline: match_state.waits_without_deadline(),
            opened_ms: match_state.play.as_ref().map_or(0, |play| play.opened_ms),
            people_out: match_state.people_out() as u32,
        };
        Self { shown: match_state.shown(), aside }
    }

    /// The listing as the store keeps it.
    pub fn write(&self) -> Listing {
        let mut summary = self.shown.encode_to_vec();
        summary.extend(self.aside.encode_to_vec());
        Listing { stage: stage_of(self.shown.stage()), summary: summary.into() }
    }

    /// What a listing says; of a version before this one only what the lobby shows.
    pub fn read(summary: &[u8]) -> Option<Self> {
        let shown = Shown::decode(summary).ok()?;
        let mut aside = Aside::decode(summary).ok()?;
        if aside.last_input_ms == 0 {
            aside.last_input_ms = shown.created_ms;
        }
        Some(Self { shown, aside })
    }

    /// Whose quotas the match counts against; `None` where it counts against nobody's.
    pub fn creator(&self) -> Option<CreatorKeys> {
        CreatorKeys::read(&self.aside.address, &self.aside.networks)
    }

    /// How many people play: those who have taken a seat, but for those who are eliminated or have given up.
    pub fn people(&self) -> usize {
        let taken = self.shown.seats.iter().filter(|seat| seat.taken && seat.house_bot.is_empty()).count();
        taken.saturating_sub(self.aside.people_out as usize)
    }

    /// Whether only house bots play, and nobody with the right to asked that they do.
    pub fn is_unattended(&self) -> bool {
        let people = self.shown.seats.iter().filter(|seat| seat.house_bot.is_empty()).count();
        !self.aside.by_admin && people <= self.aside.people_out as usize
    }

    /// How many milliseconds a turn can be planned; 0 is without end.
    pub(super) fn planning_ms(&self) -> u64 {
        self.shown.settings.as_ref().and_then(|settings| settings.planning_ms).unwrap_or(0)
    }

    /// Whether the match has something to do without being asked: deadlines, or house bots.
    pub fn has_to_wake(&self) -> bool {
        let timed = self.planning_ms() > 0
            || self.shown.settings.as_ref().is_some_and(|settings| settings.decision_ms.unwrap_or(0) > 0);
        timed || self.shown.seats.iter().any(|seat| !seat.house_bot.is_empty())
    }
}

/// Says once that there are listings which cannot be read, so that nobody misses the matches in lists without knowing why: only
/// versions before games had packages of their own have left such.
pub fn warn_of_unreadable(count: usize) {
    static SAID: Once = Once::new();
    if count > 0 {
        SAID.call_once(|| {
            tracing::warn!(count, "matches of an older version cannot be read and are left out of lists")
        });
    }
}

/// The stage that the store lists a match under.
fn stage_of(stage: v1::MatchStage) -> Stage {
    match stage {
        v1::MatchStage::Finished => Stage::Finished,
        v1::MatchStage::Running => Stage::Running,
        v1::MatchStage::Open | v1::MatchStage::Unspecified => Stage::Open,
    }
}
