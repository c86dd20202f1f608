//! The header of a replay, checked: everything that was fixed before the first turn.

use std::sync::Arc;

use ed25519_dalek::VerifyingKey;
use parley_core::dice::Seed;
use parley_core::digest::Digest;
use parley_core::ids::PlayerId;
use parley_proto::v1::{ReplayEnd, ReplayHeader, ReplaySeat};
use uuid::Uuid;

use super::file::{FORMAT, FileError};
use super::{Finding, RecordedRuleset, hash, match_id};
use crate::sentences::visible;

/// What a match began with, as a replay's header says.
pub(crate) struct Opening<'a, R: RecordedRuleset> {
    pub(crate) match_id: Uuid,
    pub(crate) rules: Arc<R::Rules>,
    pub(crate) state: R::State,
    pub(crate) genesis: Digest,
    pub(crate) commitment: Digest,
    pub(crate) key: VerifyingKey,
    pub(crate) seats: &'a [ReplaySeat],
}

fn fault(field: &'static str, reason: impl Into<String>) -> Finding {
    Finding::new("header", field, reason)
}

impl<'a, R: RecordedRuleset> Opening<'a, R> {
    /// Checks a header against itself.
    pub(crate) fn read(header: &'a ReplayHeader) -> Result<Self, Finding> {
        match header.format {
            FORMAT => {}
            1 => return Err(fault("format", FileError::Earlier.to_string())),
            other => return Err(fault("format", format!("format {other} is not known, {FORMAT} is"))),
        }
        let match_id = match_id(&header.match_id).ok_or_else(|| fault("match_id", "it is no UUID"))?;
        let (rules, state) = R::opening(header)?;
        let genesis = Digest::genesis(&rules, &state);
        if header.genesis_digest != genesis.as_bytes()[..] {
            return Err(fault("genesis_digest", format!("rules, map and state have the digest {genesis}")));
        }
        let commitment = hash(&header.seed_commitment).map(Digest::from_bytes);
        let commitment = commitment.ok_or_else(|| fault("seed_commitment", "it does not have 32 bytes"))?;
        let key = hash(&header.receipt_key).and_then(|bytes| VerifyingKey::from_bytes(&bytes).ok());
        let key = key.ok_or_else(|| fault("receipt_key", "it is no Ed25519 public key"))?;
        check_seats(&header.seats, &R::players(&state))?;
        Ok(Self { match_id, rules, state, genesis, commitment, key, seats: &header.seats })
    }

    /// The seed, once the secret has been found to be the one that was committed to (R13.4).
    pub(crate) fn seed(&self, end: &ReplayEnd) -> Result<Seed, Finding> {
        let fault = |reason: &str| Finding::new("end", "secret", reason);
        let secret = hash(&end.secret).ok_or_else(|| fault("it does not have 32 bytes"))?;
        if Seed::commitment(&secret) != self.commitment {
            return Err(fault("its hash is not the commitment that was published before the match (R13.4)"));
        }
        Ok(super::seed(&secret, self.seats.iter().map(|seat| hash(&seat.added))))
    }

    /// What states of the match are compared by.
    pub(crate) const fn of_states(&self) -> (&Arc<R::Rules>, &R::State) {
        (&self.rules, &self.state)
    }

    /// Whether a house bot sits on a seat.
    pub(crate) fn is_house(&self, seat: u8) -> bool {
        self.seats.iter().any(|s| s.seat == u32::from(seat) && !s.policy.is_empty())
    }
}

fn check_seats(seats: &[ReplaySeat], players: &[PlayerId]) -> Result<(), Finding> {
    if !seats.iter().map(|seat| seat.seat).eq(players.iter().map(|player| u32::from(player.get()))) {
        return Err(fault("seats", "they are not the players of the first state, by number"));
    }
    match seats.iter().find(|seat| !matches!(seat.added.len(), 0 | 32)) {
        Some(seat) => Err(Finding::new(
            format!("seat {}", seat.seat),
            "added",
            format!("{} added {} bytes, 32 or none are allowed (R13.4)", visible(&seat.name), seat.added.len()),
        )),
        None => Ok(()),
    }
}
