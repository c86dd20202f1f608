//! About how many bytes the matches in memory take. Light and heavy ones have half of the share each, so that a few
//! matches on huge maps never keep the others out, and the heavy ones of one creator have a part of their half, so that
//! nobody keeps the heavy matches of others out either.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use dashmap::DashMap;
use dashmap::mapref::entry::Entry;

use crate::match_state::{AddressKey, MatchState};
use crate::refusal::{Reason, Refusal};

/// Into how many light matches the whole share can be divided at least. With a budget of 512 MiB or more, a match on the
/// largest map that is allowed by default is light, so that nobody shuts it out with a heavy one.
const LIGHT_MATCHES: usize = 64;
/// How large a part of the share the light matches have, and the heavy ones.
const HALF: usize = 2;
/// How large a part of the share the heavy matches of one creator have.
const CREATORS_PART: usize = 4;

/// The weight of the matches in memory.
#[derive(Debug)]
pub(super) struct Weights {
    /// How many bytes all matches together may take.
    share: usize,
    light: AtomicUsize,
    heavy: AtomicUsize,
    /// How much of the heavy ones is each creator's.
    heavy_of: DashMap<AddressKey, usize>,
}

impl Weights {
    /// Weights of no matches yet, which may have so many bytes.
    pub(super) fn new(share: usize) -> Self {
        Self { share, light: AtomicUsize::new(0), heavy: AtomicUsize::new(0), heavy_of: DashMap::new() }
    }

    /// Whether a match takes so much of the share that looking at it is heavy work.
    pub(super) const fn is_heavy(&self, weight: usize) -> bool {
        weight > self.share / LIGHT_MATCHES
    }

    /// Counts a match of a creator that has come into memory.
    pub(super) fn add(&self, weight: usize, creator: AddressKey) {
        if self.is_heavy(weight) {
            self.heavy.fetch_add(weight, Ordering::Relaxed);
            *self.heavy_of.entry(creator).or_default() += weight;
        } else {
            self.light.fetch_add(weight, Ordering::Relaxed);
        }
    }

    /// Stops counting a match of a creator that has left memory.
    pub(super) fn remove(&self, weight: usize, creator: AddressKey) {
        if !self.is_heavy(weight) {
            self.light.fetch_sub(weight, Ordering::Relaxed);
            return;
        }
        self.heavy.fetch_sub(weight, Ordering::Relaxed);
        if let Entry::Occupied(mut of_creator) = self.heavy_of.entry(creator) {
            *of_creator.get_mut() = of_creator.get().saturating_sub(weight);
            if *of_creator.get() == 0 {
                of_creator.remove();
            }
        }
    }

    /// Whether one of the halves is nearly full.
    pub(super) fn is_crowded(&self) -> bool {
        self.light.load(Ordering::Relaxed).max(self.heavy.load(Ordering::Relaxed)) > self.share / HALF / 10 * 8
    }

    /// Refuses where there is no room for a match of which nothing is known yet, but that it is likely light.
    pub(super) fn check_any(&self) -> Result<(), Refusal> {
        if self.light.load(Ordering::Relaxed) >= self.share / HALF { Err(NoRoom::InAll.into()) } else { Ok(()) }
    }

    /// Whether there is room for a match. A heavy one that is alone always has room.
    pub(super) fn check(&self, match_state: &MatchState, arriving: Arriving) -> Result<(), NoRoom> {
        self.check_weight(match_state.weight(), match_state.setup.creator(), arriving)
    }

    fn check_weight(&self, weight: usize, creator: AddressKey, arriving: Arriving) -> Result<(), NoRoom> {
        let is_over = |taken: usize, most: usize| taken > 0 && taken.saturating_add(weight) > most;
        let half = self.share / HALF;
        if !self.is_heavy(weight) {
            return if is_over(self.light.load(Ordering::Relaxed), half) { Err(NoRoom::InAll) } else { Ok(()) };
        }
        let heavy = self.heavy.load(Ordering::Relaxed);
        let of_creator = self.heavy_of.get(&creator).map_or(0, |weight| *weight);
        // A match that is played already is only kept waiting where others may need the room.
        let is_contested = arriving == Arriving::New || is_over(heavy, half / 4 * 3);
        if is_contested && is_over(of_creator, self.share / CREATORS_PART) {
            return Err(NoRoom::OfCreator);
        }
        if is_over(heavy, half) { Err(NoRoom::InAll) } else { Ok(()) }
    }
}

/// How a match comes into memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arriving {
    /// It is created.
    New,
    /// It is read back from the journal.
    Back,
}

/// The room that is missing for a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoRoom {
    /// The matches of everybody take all of it.
    InAll,
    /// The heavy matches of its creator take all of theirs.
    OfCreator,
}

impl From<NoRoom> for Refusal {
    fn from(missing: NoRoom) -> Self {
        let message = match missing {
            NoRoom::InAll => "the matches in memory take their whole share of memory_budget",
            NoRoom::OfCreator => "the heavy matches of one creator in memory take their whole part of memory_budget",
        };
        Self::limit(Reason::TooManyMatchesInMemory, message, Duration::from_secs(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHARE: usize = 1 << 20;
    const ONE: AddressKey = [1; 16];
    const OTHER: AddressKey = [2; 16];
    const NEW: Arriving = Arriving::New;

    #[test]
    fn heavy_matches_keep_no_light_ones_out() {
        let weights = Weights::new(SHARE);
        assert!(weights.check_weight(10 * SHARE, ONE, NEW).is_ok(), "one is always let in");
        weights.add(10 * SHARE, ONE);
        assert!(weights.check_weight(SHARE / 4, OTHER, NEW).is_err() && weights.is_crowded());
        assert!(weights.check_any().is_ok() && weights.check_weight(1024, ONE, NEW).is_ok());
        (0..512).for_each(|_| weights.add(1024, ONE));
        assert!(weights.check_any().is_err() && weights.check_weight(1024, OTHER, NEW).is_err());
        weights.remove(10 * SHARE, ONE);
        assert!(weights.check_any().is_err() && weights.check_weight(SHARE / 4, OTHER, NEW).is_ok());
        (0..512).for_each(|_| weights.remove(1024, ONE));
        assert!(weights.check_any().is_ok() && !weights.is_crowded());
    }

    #[test]
    fn heavy_matches_of_one_creator_keep_no_heavy_ones_of_others_out() {
        let weights = Weights::new(SHARE);
        let weight = SHARE / 10;
        let mut let_in = 0;
        while weights.check_weight(weight, ONE, NEW).is_ok() {
            weights.add(weight, ONE);
            let_in += 1;
        }
        assert_eq!(let_in, 2, "of a quarter");
        assert_eq!(weights.check_weight(weight, ONE, NEW), Err(NoRoom::OfCreator));
        weights.check_weight(weight, OTHER, NEW).expect("others have room");
        weights.check_weight(1024, ONE, NEW).expect("light ones do not count");
        weights.check_weight(weight, ONE, Arriving::Back).expect("a match that is played waits only for others");
        weights.add(weight, OTHER);
        assert_eq!(weights.check_weight(weight, ONE, Arriving::Back), Err(NoRoom::OfCreator), "who may need the room");
        weights.remove(weight, OTHER);
        (0..let_in).for_each(|_| weights.remove(weight, ONE));
        assert!(weights.heavy_of.is_empty(), "nobody is remembered who has nothing");
        weights.check_weight(weight, ONE, NEW).expect("nobody has anything");
    }
}
