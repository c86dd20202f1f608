//! Who sits where, and what they were answered.

use std::collections::VecDeque;

use parley_core::digest::Digest;
use parley_proto::journal::v1::Joined;
use parley_proto::opaque::v1;

/// How many lock-ins of a seat are remembered: of this turn and of the one before.
const LOCKS_REMEMBERED: usize = 2;
/// When the tokens of house bots expire, in seconds since 1970: at the end of the year 9999.
const HOUSE_EXPIRY: u64 = 253_402_300_799;

/// A seat of a match.
#[derive(Clone, Debug)]
pub struct Seat {
    /// The policy of the house bot that plays the seat; empty for a player's seat.
    pub house_bot: String,
    /// The name of its player.
    pub name: String,
    /// The record of how its player took it, if somebody has.
    pub joined: Option<Box<Joined>>,
    /// When the last token for it expires. The next one expires later, so that a token tells for whom it was made.
    pub expires_at: u64,
    /// The BLAKE3 hash of its last receipt, or the commitment to the secret before the first.
    pub receipt: Digest,
    /// Whether its player has given up, from the coming turn on.
    pub conceding: bool,
    /// The requests that were answered last, the oldest first.
    pub answered: VecDeque<Answered>,
}

/// A request that was answered, with all that is needed to answer it again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// Fingerprint of the request id.
    pub id: [u8; 16],
    /// Fingerprint of what the request asked.
    pub asked: [u8; 16],
    /// The turn that it was for.
    pub turn: u32,
    /// The window of the seat that it was for; 0 for anything but answers.
    pub window: u32,
    /// For a lock-in, the hash of the sheet and of the receipt before.
    pub receipt: Option<Box<(Digest, Digest)>>,
}

/// A short hash of some bytes, which tells them apart from others.
pub fn fingerprint(parts: &[&[u8]]) -> [u8; 16] {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    let mut short = [0; 16];
    short.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    short
}

impl Seat {
    /// A seat as a match is created with it.
    pub fn new(choice: &v1::SeatChoice, commitment: Digest) -> Self {
        Self {
            house_bot: choice.house_bot.clone(),
            name: choice.house_bot.clone(),
            joined: None,
            expires_at: if choice.house_bot.is_empty() { 0 } else { HOUSE_EXPIRY },
            receipt: commitment,
            conceding: false,
            answered: VecDeque::new(),
        }
    }

    /// Whether somebody, or a house bot, has the seat.
    pub fn is_taken(&self) -> bool {
        self.joined.is_some() || !self.house_bot.is_empty()
    }

    /// The bytes that its player added to the dice (R13.4).
    pub fn added(&self) -> Option<[u8; 32]> {
        self.joined.as_ref().and_then(|joined| joined.added.as_ref().try_into().ok())
    }

    /// The answer that a request was given, if it was.
    pub fn answer_to(&self, request_id: &str) -> Option<&Answered> {
        let id = fingerprint(&[request_id.as_bytes()]);
        self.answered.iter().rev().find(|answered| answered.id == id)
    }

    /// Remembers an answer and forgets the oldest of its kind: of lock-ins, of which there is one a turn, all but the
    /// last two, and of the others all but the last `limit`. So many answers in a turn do not push its lock-in out.
    pub fn remember(&mut self, answered: Answered, limit: usize) {
        let locks = answered.receipt.is_some();
        let limit = if locks { LOCKS_REMEMBERED } else { limit.max(1) };
        let same = |other: &Answered| other.receipt.is_some() == locks;
        if self.answered.iter().filter(|other| same(other)).count() >= limit
            && let Some(oldest) = self.answered.iter().position(same)
        {
            self.answered.remove(oldest);
        }
        self.answered.push_back(answered);
    }
}
