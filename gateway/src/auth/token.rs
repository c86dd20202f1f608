//! What a token says, and how it is written: PASETO v4.public with a small JSON payload.

use pasetors::keys::{AsymmetricPublicKey, AsymmetricSecretKey};
use pasetors::token::UntrustedToken;
use pasetors::version4::{PublicToken, V4};
use pasetors::{Public, errors::Error};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::journal::MatchId;

/// No token is longer than this, so nothing longer is looked at.
pub const MAX_TOKEN_BYTES: usize = 512;

/// What the bearer of a token may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// The host, who created the match.
    Host,
    /// The player of this seat of the match.
    Seat(u8),
    /// Somebody who may join the match though it is not public.
    Invite,
    /// The administrator, who runs the service.
    Admin,
}

/// What a token says. The signature is over all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Claims {
    /// The match it is good for; only an admin has none.
    pub match_id: Option<MatchId>,
    /// The role that its bearer has there.
    pub role: Role,
    /// The first second, since 1970, in which it is no longer good.
    pub expires_at: u64,
}

impl Claims {
    /// Whether the token is good no more at `now`, in seconds since 1970.
    pub const fn is_expired(&self, now: u64) -> bool {
        now >= self.expires_at
    }
}

/// Why a token is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// The token is longer than any token of this service.
    #[error("the token has more than {MAX_TOKEN_BYTES} bytes")]
    TooLong,
    /// The token is not written like a token of this service.
    #[error("the authorization is not a bearer token of this service")]
    Malformed,
    /// The signature is not ours.
    #[error("the token was not signed by this service")]
    Forged,
    /// The token has expired.
    #[error("the token has expired")]
    Expired,
}

/// The payload on the wire. Its fields are written in this order, so the same claims give the same bytes.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Payload {
    #[serde(rename = "match", skip_serializing_if = "Option::is_none", default)]
    match_id: Option<String>,
    role: RoleName,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    seat: Option<u8>,
    expires: u64,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum RoleName {
    Host,
    Seat,
    Invite,
    Admin,
}

impl From<&Claims> for Payload {
    fn from(claims: &Claims) -> Self {
        let (role, seat) = match claims.role {
            Role::Host => (RoleName::Host, None),
            Role::Seat(seat) => (RoleName::Seat, Some(seat)),
            Role::Invite => (RoleName::Invite, None),
            Role::Admin => (RoleName::Admin, None),
        };
        let match_id = claims.match_id.map(|id| id.0.simple().to_string());
        Self { match_id, role, seat, expires: claims.expires_at }
    }
}

impl Payload {
    fn claims(self) -> Option<Claims> {
        let role = match (self.role, self.seat) {
            (RoleName::Host, None) => Role::Host,
            (RoleName::Seat, Some(seat)) => Role::Seat(seat),
            (RoleName::Invite, None) => Role::Invite,
            (RoleName::Admin, None) => Role::Admin,
            _ => return None,
        };
        let match_id = match self.match_id {
            Some(text) => Some(MatchId(Uuid::try_parse(&text).ok()?)),
            None => None,
        };
        if match_id.is_none() != (role == Role::Admin) {
            return None;
        }
        Some(Claims { match_id, role, expires_at: self.expires })
    }
}

/// Writes and signs a token. Ed25519 is deterministic: the same claims give the same token.
pub(super) fn sign(secret: &AsymmetricSecretKey<V4>, claims: &Claims) -> String {
    let payload = serde_json::to_vec(&Payload::from(claims)).expect("strings and numbers can always be written");
    PublicToken::sign(secret, &payload, None, None).expect("the key was checked and the payload is not empty")
}

/// Reads a token and checks its signature, but not its time.
pub(super) fn open(public: &AsymmetricPublicKey<V4>, token: &str) -> Result<Claims, TokenError> {
    if token.len() > MAX_TOKEN_BYTES {
        return Err(TokenError::TooLong);
    }
    let untrusted = UntrustedToken::<Public, V4>::try_from(token).map_err(|_| TokenError::Malformed)?;
    if !untrusted.untrusted_footer().is_empty() {
        return Err(TokenError::Malformed);
    }
    let trusted = PublicToken::verify(public, &untrusted, None, None).map_err(|error| match error {
        Error::TokenValidation => TokenError::Forged,
        _ => TokenError::Malformed,
    })?;
    let payload: Payload = serde_json::from_str(trusted.payload()).map_err(|_| TokenError::Malformed)?;
    payload.claims().ok_or(TokenError::Malformed)
}
