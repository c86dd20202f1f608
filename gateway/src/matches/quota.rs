//! Where a match comes from, and how many one address may have.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use dashmap::DashMap;

use super::{Matches, Shared};
use crate::auth::bucket;
use crate::journal::{MatchId, Stage, Tail};
use crate::refusal::Refusal;
use crate::table::AddressKey;
use crate::work::Customer;

/// Where a request for a match comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The address that it counts against. Nobody's quota is touched where there is none: calls from inside the
    /// process, from this machine, and the administrator's.
    pub address: Option<IpAddr>,
    /// Whether an administrator asks.
    pub by_admin: bool,
    /// The customer for whom the heavy work of it is done.
    pub customer: Customer,
}

/// The unfinished matches of each address that this server knows of.
#[derive(Default)]
pub(super) struct Quotas(DashMap<AddressKey, Vec<MatchId>>);

impl Quotas {
    /// Counts an unfinished match of an address.
    pub(super) fn add(&self, address: AddressKey, id: MatchId) {
        let mut matches = self.0.entry(address).or_default();
        if !matches.contains(&id) {
            matches.push(id);
        }
    }

    /// Stops counting a match of an address that is finished, or never came to be.
    pub(super) fn remove(&self, address: AddressKey, id: MatchId) {
        if let Some(mut matches) = self.0.get_mut(&address) {
            matches.retain(|other| *other != id);
        }
        self.0.remove_if(&address, |_, matches| matches.is_empty());
    }

    /// Adds a match that is about to be created, if the address has fewer than a limit.
    fn claim(&self, address: AddressKey, id: MatchId, limit: usize) -> bool {
        let mut matches = self.0.entry(address).or_default();
        let free = matches.len() < limit;
        if free {
            matches.push(id);
        }
        free
    }

    fn of(&self, address: AddressKey) -> Vec<MatchId> {
        self.0.get(&address).map(|matches| matches.clone()).unwrap_or_default()
    }
}

/// Counts a match that is about to be created as long as this lives; it is counted under its own id when it is there.
pub(super) struct Claimed {
    shared: Arc<Shared>,
    address: AddressKey,
    id: MatchId,
}

impl Drop for Claimed {
    fn drop(&mut self) {
        self.shared.quotas.remove(self.address, self.id);
    }
}

impl Shared {
    /// A keyed hash that is written down in place of an address: nobody without the server's key can tell which one it
    /// is.
    pub(super) fn address_key(&self, address: IpAddr) -> AddressKey {
        let bytes = match bucket(Some(address)) {
            IpAddr::V4(address) => address.octets().to_vec(),
            IpAddr::V6(address) => address.octets().to_vec(),
        };
        let mut key = [0; 16];
        key.copy_from_slice(&blake3::keyed_hash(&self.address_secret, &bytes).as_bytes()[..16]);
        key
    }
}

impl Matches {
    /// Counts a match that is about to be created against its address. Refuses where that has as many unfinished
    /// matches as it may.
    pub(super) async fn claim(&self, address: AddressKey, tail: Tail) -> Result<Claimed, Refusal> {
        let limit = self.limits.matches_per_address;
        // No match has this id: it is of the year 1970.
        let id = MatchId::new(0, tail);
        if !self.quotas.claim(address, id, limit) {
            self.forget_ended(address).await;
            if !self.quotas.claim(address, id, limit) {
                let message = format!("{limit} matches from this address are not finished, which is the limit");
                return Err(Refusal::limit("TOO_MANY_MATCHES_FROM_ADDRESS", message, Duration::from_secs(60)));
            }
        }
        Ok(Claimed { shared: Arc::clone(&self.0), address, id })
    }

    /// Forgets the matches of an address that have ended, in a cluster perhaps on another server.
    async fn forget_ended(&self, address: AddressKey) {
        for id in self.quotas.of(address) {
            let listing = self.journal.listing(id).await;
            if matches!(listing, Ok(Some(listing)) if listing.stage == Stage::Finished) {
                self.quotas.remove(address, id);
            }
        }
    }
}
