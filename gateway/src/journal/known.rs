//! A bounded memory of facts about the matches that a writer dealt with lately.

use std::collections::HashMap;

use super::MatchId;

/// A bounded memory of facts. It forgets those that were not asked for lately.
#[derive(Debug)]
pub(super) struct Known<F> {
    recent: HashMap<MatchId, F>,
    older: HashMap<MatchId, F>,
    half: usize,
}

impl<F: Copy> Known<F> {
    /// A memory of at most `limit` matches.
    pub(super) fn new(limit: usize) -> Self {
        Self { recent: HashMap::new(), older: HashMap::new(), half: (limit / 2).max(1) }
    }

    pub(super) fn get(&mut self, id: MatchId) -> Option<F> {
        if let Some(facts) = self.recent.get(&id) {
            return Some(*facts);
        }
        let facts = self.older.remove(&id)?;
        self.set(id, facts);
        Some(facts)
    }

    pub(super) fn set(&mut self, id: MatchId, facts: F) {
        if self.recent.len() >= self.half && !self.recent.contains_key(&id) {
            self.older = std::mem::take(&mut self.recent);
        }
        self.recent.insert(id, facts);
    }

    pub(super) fn forget_all(&mut self) {
        self.recent.clear();
        self.older.clear();
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    const fn id(number: u128) -> MatchId {
        MatchId(Uuid::from_u128(number))
    }

    #[test]
    fn it_stays_within_its_limit_and_keeps_what_is_used() {
        let mut known = Known::new(8);
        for number in 0..100 {
            known.set(id(number), 1);
            known.set(id(1000), number);
            assert!(known.recent.len() + known.older.len() <= 8);
        }
        assert_eq!(known.get(id(1000)), Some(99));
        assert_eq!(known.get(id(3)), None);
    }

    #[test]
    fn what_is_forgotten_is_gone_from_both_halves() {
        let mut known = Known::new(2);
        known.set(id(1), 1);
        known.set(id(2), 2);
        known.forget_all();
        assert_eq!((known.get(id(1)), known.get(id(2))), (None, None));
    }

    #[test]
    fn an_old_entry_never_hides_a_new_one() {
        let mut known = Known::new(2);
        known.set(id(1), 1);
        known.set(id(2), 2);
        known.set(id(1), 7);
        known.set(id(3), 3);
        assert_eq!(known.get(id(1)), Some(7));
    }
}
