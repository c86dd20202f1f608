//! Tokens whose signature was checked before. A check costs tens of microseconds, and a token comes with every call.

use std::sync::{PoisonError, RwLock};

use super::token::{Claims, TokenError};

/// The BLAKE3 of a token: what is kept in its place. Keys are compared in the plain way, because how long that takes
/// tells nothing about a token.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct TokenKey([u8; 32]);

impl TokenKey {
    /// The key of a token.
    pub fn of(token: &str) -> Self {
        Self(blake3::hash(token.as_bytes()).into())
    }

    /// The bytes of the hash.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl std::fmt::Debug for TokenKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("TokenKey(hidden)")
    }
}

/// How many tokens share a drawer.
const DRAWER: usize = 4;

#[derive(Clone, Copy, Default)]
struct Drawer {
    tokens: [Option<(TokenKey, Claims)>; DRAWER],
    /// The place in the drawer that is overwritten next.
    next: u8,
}

/// Good tokens, a bounded number of them. A token has its drawer by its key; a full drawer forgets the oldest.
pub struct TokenCache {
    drawers: Box<[RwLock<Drawer>]>,
}

impl std::fmt::Debug for TokenCache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TokenCache").field("capacity", &self.capacity()).finish_non_exhaustive()
    }
}

impl TokenCache {
    /// Room for `tokens` tokens, rounded up to a power of two.
    pub fn new(tokens: usize) -> Self {
        let drawers = tokens.div_ceil(DRAWER).next_power_of_two();
        Self { drawers: (0..drawers).map(|_| RwLock::default()).collect() }
    }

    /// How many tokens there is room for.
    pub fn capacity(&self) -> usize {
        self.drawers.len() * DRAWER
    }

    /// What a token says, if it is remembered. A token that has expired meanwhile is an error.
    pub fn get(&self, key: &TokenKey, now: u64) -> Option<Result<Claims, TokenError>> {
        let drawer = self.drawer(key).read().unwrap_or_else(PoisonError::into_inner);
        let (_, claims) = drawer.tokens.iter().flatten().find(|(kept, _)| kept == key)?;
        Some(if claims.is_expired(now) { Err(TokenError::Expired) } else { Ok(*claims) })
    }

    /// Remembers a token whose signature was checked.
    pub fn insert(&self, key: TokenKey, claims: Claims) {
        let mut drawer = self.drawer(&key).write().unwrap_or_else(PoisonError::into_inner);
        if drawer.tokens.iter().flatten().any(|(kept, _)| *kept == key) {
            return;
        }
        let place = usize::from(drawer.next) % DRAWER;
        drawer.tokens[place] = Some((key, claims));
        drawer.next = drawer.next.wrapping_add(1);
    }

    fn drawer(&self, key: &TokenKey) -> &RwLock<Drawer> {
        let [a, b, c, d, ..] = key.0;
        &self.drawers[u32::from_le_bytes([a, b, c, d]) as usize & (self.drawers.len() - 1)]
    }
}
