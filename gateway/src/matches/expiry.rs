//! When a match that nobody plays any more ends by itself, and which ones make room where there is none.
//!
//! A match ends when it has *expired*: nobody joined it for a day, three turns in a row were planned to their deadline
//! without a person's input, or there was none for thirty days where what it waits for has no deadline; or, where house
//! bots play alone, they have played no turn for thirty days. It makes room for others, where the server has as many
//! matches as it may, when it is *abandoned*: first those of the address, or of the largest network of IPv6, that has the
//! most matches, and of these the one that was left first:
//!
//! - a match that has not begun, which nobody but its creator is in, and in which nothing has happened for an hour;
//! - a match that is played and whose people have let the last deadline pass; or, where it waits without a deadline,
//!   who were not heard of for a week;
//! - a match of house bots alone that no administrator asked for.
//!
//! No match that somebody follows at that moment makes room.
//!
//! The task of a match looks at both. For those that are not in memory, somebody goes through the lists from time to
//! time and wakes whatever seems to have expired.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use parley_proto::opaque::v1::MatchStage;
use tokio::time::{Instant, sleep};

use super::Matches;
use super::command::{Request, Settle};
use super::history::PastError;
use super::listing::Listed;
use super::waking::Pages;
use crate::auth::{Claims, Role};
use crate::journal::{MatchId, Stage};
use crate::limits::Limits;
use crate::match_state::{AddressKey, is_ahead};
use crate::refusal::{Reason, Refusal};

/// How often the lists are gone through.
const SWEEP_EVERY: Duration = Duration::from_secs(60);
/// How long to wait after each match that was woken, and after each page: the others have things to do as well.
const BREATH: Duration = Duration::from_millis(20);
/// After how long without anything a match that nobody has joined is abandoned.
const LOBBY_ABANDONED: Duration = Duration::from_secs(60 * 60);
/// After how long without a person's input a match without deadlines is abandoned.
const MATCH_ABANDONED: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// How many abandoned matches are remembered at a time.
const ABANDONED_REMEMBERED: usize = 1024;
/// How many of them are asked for one more match. Whoever else wants room waits meanwhile.
const ASKED_TO_GIVE_WAY: usize = 16;
/// How long to wait before abandoned matches are looked for again where there were none.
const LOOK_AGAIN: Duration = Duration::from_secs(10);

impl Listed {
    /// When the match expires, in milliseconds since 1970, if nothing happens until then. `None` where it does not
    /// expire, or only by its deadlines.
    pub fn expires_ms(&self, limits: &Limits) -> Option<u64> {
        let after = |at_ms: u64, wait: Duration| Some(at_ms.saturating_add(wait.as_millis() as u64));
        let last_ms = self.aside.last_input_ms;
        match self.shown.stage() {
            MatchStage::Open => after(last_ms, limits.lobby_expiry),
            MatchStage::Running if self.people() == 0 => after(last_ms.max(self.aside.opened_ms), limits.match_expiry),
            MatchStage::Running if self.aside.missed_deadlines >= limits.missed_deadlines => Some(last_ms),
            MatchStage::Running if self.waits_without_deadline() => after(last_ms, limits.match_expiry),
            _ => None,
        }
    }

    /// Why the match has expired; `None` where it has not.
    pub fn expired(&self, now_ms: u64, limits: &Limits) -> Option<String> {
        self.expires_ms(limits).filter(|expires_ms| *expires_ms <= now_ms)?;
        let hours = |wait: Duration| wait.as_secs() / 3600;
        Some(if self.shown.stage() == MatchStage::Open {
            format!("Nobody joined for {} hours (lobby_expiry_hours).", hours(limits.lobby_expiry))
        } else if self.people() == 0 {
            format!("No turn was played for {} days (match_expiry_days).", hours(limits.match_expiry) / 24)
        } else if self.aside.missed_deadlines >= limits.missed_deadlines {
            let missed = limits.missed_deadlines;
            format!("{missed} deadlines passed without a player's input (missed_deadlines_before_expiry).")
        } else {
            format!("No player was heard of for {} days (match_expiry_days).", hours(limits.match_expiry) / 24)
        })
    }

    /// Whether nobody is there any more, as far as the records say.
    pub fn is_abandoned(&self, now_ms: u64) -> bool {
        let quiet = |wait: Duration| now_ms.saturating_sub(self.aside.last_input_ms) >= wait.as_millis() as u64;
        match self.shown.stage() {
            MatchStage::Open => self.people() <= 1 && quiet(LOBBY_ABANDONED),
            MatchStage::Running if self.people() == 0 => self.is_unattended(),
            MatchStage::Running if self.planning_ms() > 0 && self.aside.missed_deadlines > 0 => true,
            MatchStage::Running => self.waits_without_deadline() && quiet(MATCH_ABANDONED),
            _ => false,
        }
    }

    /// Whether what the match waits for has no deadline. Where planning has none, a window is too short to count.
    fn waits_without_deadline(&self) -> bool {
        self.planning_ms() == 0 || self.aside.waits_without_deadline
    }

    /// Whether the times by which the match expires lie in the future, because a clock was wrong. The match puts them
    /// right when it is woken.
    fn is_ahead(&self, now_ms: u64) -> bool {
        is_ahead(self.aside.last_input_ms.max(self.aside.opened_ms), now_ms)
    }
}

/// A match that can make room for others.
struct AbandonedMatch {
    id: MatchId,
    /// When a person was last heard of, in milliseconds since 1970.
    left_ms: u64,
    /// The largest network, or the address, that it counts against; `None` where it counts against nobody's quota.
    creator: Option<AddressKey>,
}

/// Matches that can make room for others.
#[derive(Default)]
pub(super) struct Abandoned {
    /// The matches that were found, and when they were left.
    found: Vec<AbandonedMatch>,
    /// When abandoned matches were looked for last.
    looked: Option<Instant>,
    /// Matches that cannot be read back: nobody can end them, so they are left alone and count against nobody.
    damaged: HashSet<MatchId>,
}

impl Matches {
    /// Wakes what has expired, again and again, as long as it is polled.
    pub async fn keep_expiring(&self) {
        loop {
            sleep(SWEEP_EVERY).await;
            if let Err(refusal) = self.expire().await {
                tracing::warn!(why = refusal.message, "the list of matches cannot be read");
            }
        }
    }

    /// Goes through all matches once and wakes those that seem to have expired. They look for themselves.
    pub async fn expire(&self) -> Result<(), Refusal> {
        if self.ownership.is_some() {
            self.forget_all_ended().await;
        }
        for stage in [Stage::Open, Stage::Running] {
            let mut pages = Pages::of(stage);
            while let Some(page) = pages.next(self).await? {
                let now_ms = self.clock.now_ms();
                for (id, listing) in page {
                    let Some(listed) = Listed::read(&listing.summary) else { continue };
                    let is_due = listed.expired(now_ms, &self.limits).is_some() || listed.is_ahead(now_ms);
                    if is_due && !self.abandoned.lock().await.damaged.contains(&id) {
                        // One that is another server's is left to it.
                        if self.settle(id, Settle::Expire).await.is_err_and(|refusal| is_damaged(&refusal)) {
                            self.leave_alone(&mut *self.abandoned.lock().await, id).await?;
                        }
                        sleep(BREATH).await;
                    }
                }
                sleep(BREATH).await;
            }
        }
        Ok(())
    }

    /// Takes a match that cannot be read back out of all counts, once.
    async fn leave_alone(&self, abandoned: &mut Abandoned, id: MatchId) -> Result<(), Refusal> {
        if !abandoned.damaged.insert(id) {
            return Ok(());
        }
        tracing::error!(match_id = %id.0, "a match that is not finished cannot be read back and is left alone");
        let listing = self.journal.listing(id).await.map_err(PastError::from)?;
        let listed = listing.and_then(|listing| Listed::read(&listing.summary));
        if let Some(creator) = listed.and_then(|listed| listed.creator()) {
            self.quotas.remove(&creator, id);
        }
        // Where nobody has counted what is not finished, as in a cluster, it has no room to give back.
        if self.counted.initialized() {
            self.give_room_back();
        }
        Ok(())
    }

    /// Lets a match end that has reason to; the answer is whether it has ended.
    async fn settle(&self, id: MatchId, how: Settle) -> Result<bool, Refusal> {
        let admin = Claims { match_id: None, role: Role::Admin, expires_at: u64::MAX };
        self.ask(id, Some(admin), |reply| Request::Settle(how, reply)).await
    }

    /// Ends an abandoned match, so that there is room for another; the answer is whether there was one
    /// among those that are asked at once. Whoever comes next asks others.
    pub(super) async fn make_room(&self) -> Result<bool, Refusal> {
        let mut abandoned = self.abandoned.lock().await;
        for _ in 0..ASKED_TO_GIVE_WAY {
            let looked_lately = abandoned.looked.is_some_and(|looked| looked.elapsed() < LOOK_AGAIN);
            if abandoned.found.is_empty() && !looked_lately {
                abandoned.found = self.find_abandoned(&abandoned.damaged).await?;
                abandoned.looked = Some(Instant::now());
            }
            let next = abandoned.found.iter().enumerate().min_by_key(|(_, found)| self.makes_room_first(found));
            let Some(id) = next.map(|(place, _)| place).map(|place| abandoned.found.swap_remove(place).id) else {
                break;
            };
            match self.settle(id, Settle::GiveWay).await {
                Ok(true) => {
                    tracing::info!(match_id = %id.0, "an abandoned match was stopped: the server has no room");
                    return Ok(true);
                }
                Err(refusal) if is_damaged(&refusal) && !abandoned.damaged.contains(&id) => {
                    self.leave_alone(&mut abandoned, id).await?;
                    return Ok(true);
                }
                _ => {}
            }
        }
        Ok(false)
    }

    /// Which of two abandoned matches makes room first: the one of the network with more matches, and of those of one
    /// network the one that was left first.
    fn makes_room_first(&self, found: &AbandonedMatch) -> (Reverse<usize>, u64, MatchId) {
        (Reverse(found.creator.map_or(0, |creator| self.quotas.count(creator))), found.left_ms, found.id)
    }

    /// The matches that make room first, as many as are remembered. In a cluster only those that this server has in
    /// memory.
    async fn find_abandoned(&self, damaged: &HashSet<MatchId>) -> Result<Vec<AbandonedMatch>, Refusal> {
        let mut found = BTreeMap::new();
        for stage in [Stage::Open, Stage::Running] {
            let mut pages = Pages::of(stage);
            while let Some(page) = pages.next(self).await? {
                let now_ms = self.clock.now_ms();
                for (id, listing) in page {
                    let Some(listed) = Listed::read(&listing.summary) else { continue };
                    let here = self.ownership.is_none() || self.is_in_memory(id);
                    if here && listed.is_abandoned(now_ms) && !damaged.contains(&id) {
                        let (left_ms, creator) =
                            (listed.aside.last_input_ms, listed.creator().map(|keys| keys.widest()));
                        let abandoned = AbandonedMatch { id, left_ms, creator };
                        found.insert(self.makes_room_first(&abandoned), abandoned);
                    }
                    if found.len() > ABANDONED_REMEMBERED {
                        found.pop_last();
                    }
                }
            }
        }
        Ok(found.into_values().collect())
    }
}

/// Whether a match refused because what is in the journal of it makes no sense, or only to an older version. That does not
/// pass.
fn is_damaged(refusal: &Refusal) -> bool {
    matches!(refusal.reason, Reason::MatchDamaged | Reason::MatchOfOlderVersion)
}
