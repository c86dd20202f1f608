//! Who is calling, and how often they may.
//!
//! A [`Keyring`] holds the two keys of the service: one signs bearer tokens, the other receipts. A [`Gate`] stands
//! before every call: it reads the token, remembers the good ones in a [`TokenCache`], and counts calls against
//! limits. Nothing in here prints a token or a key.

mod cache;
mod gate;
mod keyfile;
mod keyring;
mod limit;
mod token;

#[cfg(test)]
mod tests;

pub use cache::{TokenCache, TokenKey};
pub use gate::{Caller, Gate, GateLimits, Refused, WIDER_NETWORKS, WiderNetwork, bucket, wider_networks};
pub use keyring::{ADMIN_TOKEN_FILE, KEYS_FOLDER, KeyError, Keyring};
pub use limit::{LimitName, Rate, RatePerMinute};
pub use token::{Claims, MAX_TOKEN_BYTES, Role, TokenError};
