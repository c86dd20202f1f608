//! Who asks for a match, and how many unfinished ones an address may have.

use std::collections::HashSet;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use dashmap::DashMap;

use super::{Matches, Shared};
use crate::auth::{WIDER_NETWORKS, WiderNetwork, bucket, wider_networks};
use crate::journal::{MatchId, Stage, Tail};
use crate::match_state::{AddressKey, CreatorKeys};
use crate::refusal::{Reason, Refusal};
use crate::work::Customer;

/// Who asks for a match, as far as quotas and heavy work are concerned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Creator {
    /// The address that it counts against. Nobody's quota is touched where there is none: calls from inside the
    /// process, from this machine, and the administrator's.
    pub address: Option<IpAddr>,
    /// Whether an administrator asks.
    pub by_admin: bool,
    /// The customer for whom the heavy work of it is done.
    pub customer: Customer,
}

/// The unfinished matches of each address, and of each of the larger networks that addresses are in, that this server
/// knows of.
#[derive(Default)]
pub(super) struct Quotas(DashMap<AddressKey, HashSet<MatchId>>);

/// A quota that is used up: how many matches may count against it, and whose it is.
struct UsedUp {
    limit: usize,
    whose: String,
    key: AddressKey,
}

impl Quotas {
    /// Counts an unfinished match of a creator.
    pub(super) fn add(&self, creator: &CreatorKeys, id: MatchId) {
        for (key, _) in quotas_of(creator) {
            self.0.entry(key).or_default().insert(id);
        }
    }

    /// Stops counting a match of a creator that is finished, or never came to be.
    pub(super) fn remove(&self, creator: &CreatorKeys, id: MatchId) {
        quotas_of(creator).for_each(|(key, _)| self.remove_from(key, id));
    }

    fn remove_from(&self, key: AddressKey, id: MatchId) {
        if let Some(mut matches) = self.0.get_mut(&key) {
            matches.remove(&id);
        }
        self.0.remove_if(&key, |_, matches| matches.is_empty());
    }

    /// Adds a match that is about to be created, if the creator's address has fewer than a limit, and each larger network
    /// fewer than as many times that as it may have.
    fn claim(&self, creator: &CreatorKeys, id: MatchId, limit: usize) -> Result<(), UsedUp> {
        for (key, wider) in quotas_of(creator) {
            let limit = wider.map_or(limit, |wider| limit.saturating_mul(wider.times.get() as usize));
            let mut matches = self.0.entry(key).or_default();
            if matches.len() >= limit {
                drop(matches);
                self.remove(creator, id);
                let whose = wider.map_or("this address".to_owned(), |wider| format!("this network (/{})", wider.bits));
                return Err(UsedUp { limit, whose, key });
            }
            matches.insert(id);
        }
        Ok(())
    }

    /// How many unfinished matches count against an address or a network.
    pub(super) fn count(&self, key: AddressKey) -> usize {
        self.0.get(&key).map_or(0, |matches| matches.len())
    }

    fn of(&self, key: AddressKey) -> Vec<MatchId> {
        self.0.get(&key).map(|matches| matches.iter().copied().collect()).unwrap_or_default()
    }
}

/// The quotas that a creator's matches count against: that of the address, and of each larger network.
fn quotas_of(creator: &CreatorKeys) -> impl Iterator<Item = (AddressKey, Option<WiderNetwork>)> {
    let networks = creator.networks.into_iter().flatten().zip(WIDER_NETWORKS.map(Some));
    std::iter::once((creator.address, None)).chain(networks)
}

/// Counts a match that is about to be created as long as this lives; it is counted under its own id when it is there.
pub(super) struct Claimed {
    shared: Arc<Shared>,
    creator: CreatorKeys,
    id: MatchId,
}

impl Drop for Claimed {
    fn drop(&mut self) {
        self.shared.quotas.remove(&self.creator, self.id);
    }
}

impl Shared {
    /// Keyed hashes that are written down in place of an address and its networks: nobody without the server's key can
    /// tell which they are.
    pub(super) fn creator_keys(&self, address: IpAddr) -> CreatorKeys {
        let networks = wider_networks(address).map(|networks| {
            let mut keys = [AddressKey::default(); WIDER_NETWORKS.len()];
            for ((key, network), wider) in keys.iter_mut().zip(networks).zip(WIDER_NETWORKS) {
                // A network and a smaller one in it can begin with the same address.
                *key = self.address_key(network, &wider.bits.to_le_bytes());
            }
            keys
        });
        CreatorKeys { address: self.address_key(bucket(Some(address)), &[]), networks }
    }

    fn address_key(&self, address: IpAddr, kind: &[u8]) -> AddressKey {
        let mut bytes = match address {
            IpAddr::V4(address) => address.octets().to_vec(),
            IpAddr::V6(address) => address.octets().to_vec(),
        };
        bytes.extend(kind);
        let mut key = [0; 16];
        key.copy_from_slice(&blake3::keyed_hash(&self.address_secret, &bytes).as_bytes()[..16]);
        key
    }
}

impl Matches {
    /// Counts a match that is about to be created against its address, and the networks that this is in. Refuses where
    /// one of them has as many unfinished matches as it may.
    pub(super) async fn claim(&self, creator: CreatorKeys, tail: Tail) -> Result<Claimed, Refusal> {
        let limit = self.limits.matches_per_address;
        // No match has this id: it is of the year 1970.
        let id = MatchId::new(0, tail);
        let mut claimed = self.quotas.claim(&creator, id, limit);
        // Each of the quotas may be used up by matches that have ended meanwhile.
        for _ in 0..=WIDER_NETWORKS.len() {
            let Err(UsedUp { key, .. }) = claimed else { break };
            self.forget_ended(key).await;
            claimed = self.quotas.claim(&creator, id, limit);
        }
        match claimed {
            Ok(()) => Ok(Claimed { shared: Arc::clone(&self.0), creator, id }),
            Err(UsedUp { limit, whose, .. }) => {
                let message = format!("{limit} matches from {whose} are not finished, which is the limit");
                Err(Refusal::limit(Reason::TooManyMatchesFromAddress, message, Duration::from_secs(60)))
            }
        }
    }

    /// Forgets the matches of an address or a network that have ended, in a cluster perhaps on another server.
    async fn forget_ended(&self, key: AddressKey) {
        for id in self.quotas.of(key) {
            let listing = self.journal.listing(id).await;
            if matches!(listing, Ok(Some(listing)) if listing.stage == Stage::Finished) {
                self.quotas.remove_from(key, id);
            }
        }
    }

    /// Forgets all matches that have ended on other servers of a cluster: nobody here is told when they do.
    pub(super) async fn forget_all_ended(&self) {
        let keys: Vec<AddressKey> = self.quotas.0.iter().map(|quota| *quota.key()).collect();
        for key in keys {
            self.forget_ended(key).await;
        }
    }
}
