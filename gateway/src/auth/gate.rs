//! What every call passes: its token is read, and it is counted.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;

use governor::clock::{Clock, DefaultClock};
use http::HeaderMap;
use http::header::AUTHORIZATION;
use subtle::ConstantTimeEq;
use tonic::metadata::MetadataMap;

use super::cache::{TokenCache, TokenKey};
use super::keyring::Keyring;
use super::limit::{Limit, LimitName, Rate, RatePerMinute};
use super::token::{Claims, MAX_TOKEN_BYTES, Role, TokenError};
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
    /// The stable name of the reason, for `google.rpc.ErrorInfo`.
    pub const fn reason(&self) -> &'static str {
        match self {
            Self::Token(TokenError::Expired) => "TOKEN_EXPIRED",
            Self::Token(_) => "TOKEN_INVALID",
            Self::RateLimited { .. } => "RATE_LIMITED",
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
            creations: Limit::new(limits.creations_per_address, clock),
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
    pub fn admit(&self, metadata: &MetadataMap, peer: Option<IpAddr>, now: u64) -> Result<Caller, Refused> {
        let customer = peer.map_or(Customer::Service, |peer| Customer::Address(bucket(Some(peer))));
        let Some(header) = metadata.get("authorization") else {
            let address = bucket(peer);
            self.take_address(&address)?;
            return Ok(Caller { claims: None, customer, counted: Counted::Address(address) });
        };
        let known = header.to_str().map_err(|_| TokenError::Malformed).and_then(bearer).map(|t| (t, TokenKey::of(t)));
        let (token, key) = known.map_err(|error| self.bad_token(&bucket(peer), error))?;
        let claims = match self.cache.get(&key, now) {
            Some(remembered) => remembered.map_err(|error| self.bad_token(&bucket(peer), error))?,
            None => self.verify(token, key, &bucket(peer), now)?,
        };
        self.take_token(&key)?;
        Ok(Caller { claims: Some(claims), customer, counted: Counted::Token(key) })
    }

    /// Whether a request of plain HTTP has the admin's token. A bad token counts against the address it came from.
    pub fn is_admin(&self, headers: &HeaderMap, peer: Option<IpAddr>, now: u64) -> bool {
        let token = headers.get(AUTHORIZATION).cloned();
        let metadata = MetadataMap::from_headers(token.into_iter().map(|token| (AUTHORIZATION, token)).collect());
        let caller = self.admit(&metadata, peer, now);
        caller.is_ok_and(|caller| caller.claims.is_some_and(|claims| claims.role == Role::Admin))
    }

    /// Counts one more message of a long stream as if it were a call of its own.
    pub fn check_again(&self, caller: &Caller) -> Result<(), Refused> {
        match &caller.counted {
            Counted::Token(key) => self.take_token(key),
            Counted::Address(address) => self.take_address(address),
        }
    }

    /// Counts the creation of a match against the address that asks for it, whatever token it comes with.
    pub fn charge_creation(&self, address: IpAddr) -> Result<(), Refused> {
        let limit = LimitName::CreationsPerAddress;
        let charged = self.creations.take(&bucket(Some(address)));
        charged.map_err(|retry_after| Refused::RateLimited { limit, retry_after })
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
    if !scheme.eq_ignore_ascii_case("bearer") || token.is_empty() {
        return Err(TokenError::Malformed);
    }
    if token.len() > MAX_TOKEN_BYTES { Err(TokenError::TooLong) } else { Ok(token) }
}

/// Who shares a bucket of calls: an IPv4 address, or the /64 that one IPv6 customer has at least.
pub fn bucket(peer: Option<IpAddr>) -> IpAddr {
    match peer.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED)).to_canonical() {
        IpAddr::V6(address) => IpAddr::V6((u128::from(address) & !u128::from(u64::MAX)).into()),
        v4 => v4,
    }
}
