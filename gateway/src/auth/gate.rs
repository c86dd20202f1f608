//! What every call passes: its token is read, and it is counted.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use governor::clock::{Clock, DefaultClock};
use http::HeaderMap;
use http::header::AUTHORIZATION;
use subtle::ConstantTimeEq;

use super::cache::{TokenCache, TokenKey};
use super::keyring::Keyring;
use super::limit::{Limit, LimitName, Rate, RatePerMinute};
use super::token::{Claims, MAX_TOKEN_BYTES, Role, TokenError};
use crate::refusal::Reason;
use crate::work::Customer;

/// How many good tokens are remembered.
const REMEMBERED_TOKENS: usize = 1 << 16;

/// How often callers may call.
#[derive(Clone, Copy, Debug)]
pub struct GateLimits {
    /// How many calls may come with one good token.
    pub per_token: Rate,
    /// How many calls may come from one address without a token or with a bad one.
    pub per_address: Rate,
    /// How many matches may be created from one address.
    pub creations_per_address: RatePerMinute,
}

/// Why a call was not let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The token cannot be accepted.
    #[error("{0}")]
    Token(#[from] TokenError),
    /// Too many calls have come.
    #[error("too many {}; the limit is {}", .limit.things(), .limit.setting())]
    RateLimited {
        /// Which limit was reached.
        limit: LimitName,
        /// After which time a call is allowed again.
        retry_after: Duration,
    },
}

impl Refused {
    /// The reason, as callers are told.
    pub const fn reason(&self) -> Reason {
        match self {
            Self::Token(TokenError::Expired) => Reason::TokenExpired,
            Self::Token(_) => Reason::TokenInvalid,
            Self::RateLimited { .. } => Reason::RateLimited,
        }
    }

    /// After which time a call is allowed again, where waiting helps.
    pub const fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Token(_) => None,
            Self::RateLimited { retry_after, .. } => Some(*retry_after),
        }
    }
}

/// A caller who was let in.
#[derive(Clone, Copy, Debug)]
pub struct Caller {
    /// What the token says; `None` for a call without one.
    pub claims: Option<Claims>,
    /// The customer for whom heavy work of the call is done.
    pub customer: Customer,
    /// What further messages are counted against.
    counted: Counted,
}

#[derive(Clone, Copy, Debug)]
enum Counted {
    Token(TokenKey),
    Address(IpAddr),
}

/// The gate before every call.
pub struct Gate<C: Clock = DefaultClock> {
    keyring: Arc<Keyring>,
    /// The key of the admin's token that the operator chose.
    chosen_admin: Option<TokenKey>,
    cache: TokenCache,
    tokens: Limit<TokenKey, C>,
    addresses: Limit<IpAddr, C>,
    creations: Limit<IpAddr, C>,
    /// The same for each of the larger networks that addresses are in.
    creations_of_networks: [Limit<IpAddr, C>; WIDER_NETWORKS.len()],
}

impl<C: Clock> fmt::Debug for Gate<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gate").field("cache", &self.cache).finish_non_exhaustive()
    }
}

impl Gate {
    /// A gate that knows its own tokens, and `admin_token` where the operator chose one.
    pub fn new(keyring: Arc<Keyring>, admin_token: Option<&str>, limits: GateLimits) -> Self {
        Self::with_clock(keyring, admin_token, limits, DefaultClock::default())
    }
}

impl<C: Clock + Clone> Gate<C> {
    /// A gate whose limits go by another clock.
    pub fn with_clock(keyring: Arc<Keyring>, admin_token: Option<&str>, limits: GateLimits, clock: C) -> Self {
        Self {
            keyring,
            chosen_admin: admin_token.map(TokenKey::of),
            cache: TokenCache::new(REMEMBERED_TOKENS),
            tokens: Limit::new(limits.per_token, clock.clone()),
            addresses: Limit::new(limits.per_address, clock.clone()),
            creations: Limit::new(limits.creations_per_address, clock.clone()),
            creations_of_networks: WIDER_NETWORKS
                .map(|wider| Limit::new(limits.creations_per_address.times(wider.times), clock.clone())),
        }
    }

    /// The keys that the gate knows tokens by.
    pub fn keyring(&self) -> &Arc<Keyring> {
        &self.keyring
    }

    /// The token that says `claims`, which is remembered, so that its first call needs no check of the signature.
    pub fn mint(&self, claims: &Claims) -> String {
        let token = self.keyring.mint(claims);
        self.cache.insert(TokenKey::of(&token), *claims);
        token
    }

    /// Lets a call in, or says why not. `now` is in seconds since 1970. Callers without an address share one bucket.
    pub fn admit(&self, headers: &HeaderMap, peer: Option<IpAddr>, now: u64) -> Result<Caller, Refused> {
        let Some(header) = headers.get(AUTHORIZATION) else {
            let customer = peer.map_or(Customer::Service, |peer| Customer::Address(bucket(Some(peer))));
            let address = bucket(peer);
            self.take_address(&address)?;
            return Ok(Caller { claims: None, customer, counted: Counted::Address(address) });
        };
        let token = header.to_str().map_err(|_| TokenError::Malformed).and_then(bearer);
        self.admit_token(token.map_err(|error| self.bad_token(&bucket(peer), error))?, peer, now)
    }

    /// Lets in what is called with a token, as [`Gate::admit`] does.
    pub fn admit_token(&self, token: &str, peer: Option<IpAddr>, now: u64) -> Result<Caller, Refused> {
        if token.len() > MAX_TOKEN_BYTES {
            return Err(self.bad_token(&bucket(peer), TokenError::TooLong));
        }
        let customer = peer.map_or(Customer::Service, |peer| Customer::Address(bucket(Some(peer))));
        let key = TokenKey::of(token);
        let claims = match self.cache.get(&key, now) {
            Some(remembered) => remembered.map_err(|error| self.bad_token(&bucket(peer), error))?,
            None => self.verify(token, key, &bucket(peer), now)?,
        };
        self.take_token(&key)?;
        Ok(Caller { claims: Some(claims), customer, counted: Counted::Token(key) })
    }

    /// Whether a request of plain HTTP has the admin's token. A bad token counts against the address it came from.
    pub fn is_admin(&self, headers: &HeaderMap, peer: Option<IpAddr>, now: u64) -> bool {
        let caller = self.admit(headers, peer, now);
        caller.is_ok_and(|caller| caller.claims.is_some_and(|claims| claims.role == Role::Admin))
    }

    /// Counts one more message of a long stream as if it were a call of its own.
    pub fn check_again(&self, caller: &Caller) -> Result<(), Refused> {
        match &caller.counted {
            Counted::Token(key) => self.take_token(key),
            Counted::Address(address) => self.take_address(address),
        }
    }

    /// Counts the creation of a match against the address that asks for it, whatever token it comes with, and against
    /// the larger networks that it is in. What an address is refused does not count against its networks.
    pub fn charge_creation(&self, address: IpAddr) -> Result<(), Refused> {
        let limit = LimitName::CreationsPerAddress;
        let refused = |retry_after| Refused::RateLimited { limit, retry_after };
        self.creations.take(&bucket(Some(address))).map_err(refused)?;
        for (networks, network) in self.creations_of_networks.iter().zip(wider_networks(address).iter().flatten()) {
            networks.take(network).map_err(refused)?;
        }
        Ok(())
    }

    /// Checks a token that is not remembered, and remembers it. An address that has used up its calls has to wait
    /// before any more signatures are checked for it.
    fn verify(&self, token: &str, key: TokenKey, address: &IpAddr, now: u64) -> Result<Claims, Refused> {
        if let Some(chosen) = &self.chosen_admin
            && bool::from(chosen.as_bytes().ct_eq(key.as_bytes()))
        {
            return Ok(Claims { match_id: None, role: Role::Admin, expires_at: u64::MAX });
        }
        self.addresses.wait(address).map_err(over_address)?;
        let claims = self.keyring.verify(token, now).map_err(|error| self.bad_token(address, error))?;
        self.cache.insert(key, claims);
        Ok(claims)
    }

    /// Refuses a bad token, which counts against the address it came from.
    fn bad_token(&self, address: &IpAddr, error: TokenError) -> Refused {
        match self.take_address(address) {
            Ok(()) => Refused::Token(error),
            Err(refused) => refused,
        }
    }

    fn take_token(&self, key: &TokenKey) -> Result<(), Refused> {
        let limit = LimitName::CallsPerToken;
        self.tokens.take(key).map_err(|retry_after| Refused::RateLimited { limit, retry_after })
    }

    fn take_address(&self, address: &IpAddr) -> Result<(), Refused> {
        self.addresses.take(address).map_err(over_address)
    }
}

fn over_address(retry_after: Duration) -> Refused {
    Refused::RateLimited { limit: LimitName::CallsPerAddress, retry_after }
}

/// The token in the value of an `authorization` header.
fn bearer(header: &str) -> Result<&str, TokenError> {
    let (scheme, token) = header.split_once(' ').ok_or(TokenError::Malformed)?;
    if scheme.eq_ignore_ascii_case("bearer") && !token.is_empty() { Ok(token) } else { Err(TokenError::Malformed) }
}

/// Who shares a bucket of calls: an IPv4 address, or the /64 that one IPv6 customer has at least.
pub fn bucket(peer: Option<IpAddr>) -> IpAddr {
    match peer.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED)).to_canonical() {
        IpAddr::V6(address) => IpAddr::V6(network(address, NARROWEST)),
        v4 => v4,
    }
}

/// How many bits of an IPv6 address the smallest network has in common that one customer gets.
const NARROWEST: u32 = 64;

/// A network that is larger than the one that an IPv6 address is counted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WiderNetwork {
    /// How many bits its addresses have in common.
    pub bits: u32,
    /// How many times as much as a single address it may have.
    pub times: NonZeroU32,
}

/// The larger networks that providers give to one customer. Quotas count them as well: otherwise whoever has a /48 would
/// have 65,536 times as much as others. They may have more than one address, because several people may share them.
pub const WIDER_NETWORKS: [WiderNetwork; 2] = [
    WiderNetwork { bits: 56, times: NonZeroU32::new(4).expect("not zero") },
    WiderNetwork { bits: 48, times: NonZeroU32::new(16).expect("not zero") },
];

/// The [`WIDER_NETWORKS`] that an address is in; none for IPv4, where an address is what one customer gets.
pub fn wider_networks(address: IpAddr) -> Option<[IpAddr; WIDER_NETWORKS.len()]> {
    match address.to_canonical() {
        IpAddr::V6(address) => Some(WIDER_NETWORKS.map(|wider| IpAddr::V6(network(address, wider.bits)))),
        IpAddr::V4(_) => None,
    }
}

/// An address with only its first bits.
fn network(address: Ipv6Addr, bits: u32) -> Ipv6Addr {
    (u128::from(address) & !(u128::MAX >> bits)).into()
}
