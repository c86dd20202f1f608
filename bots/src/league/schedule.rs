//! Who sits where, on which map, with which dice.
//!
//! Games come in sets on one map with the same dice. In a set, everybody sits on every seat equally often, so that
//! neither a good start nor lucky dice favour anybody.

use parley_plunder::mapgen::{MapRequest, SizePreset};

use super::{League, Mode};
use crate::random::Random;

/// A game of a league.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeagueGame {
    /// The number of the game, counted from 1.
    pub number: usize,
    /// The policy on each seat, by its place in the league.
    pub seats: Vec<usize>,
    /// The size of the map.
    pub size: SizePreset,
    /// The seed that the map is drawn from.
    pub map_seed: u64,
    /// The secret that the dice come from (R13.4).
    pub secret: [u8; 32],
    /// The seed of the policy on each seat, for its random choices.
    pub whims: Vec<u64>,
}

impl LeagueGame {
    /// The request for the map of the game.
    pub fn map(&self) -> MapRequest {
        MapRequest::preset(self.size, self.seats.len(), self.map_seed)
    }
}

impl League {
    /// All games, in order.
    pub fn schedule(&self) -> Vec<LeagueGame> {
        let mut games = Vec::new();
        match self.mode {
            Mode::Pairs => {
                let arrangements = arrangements(self.players);
                for second in 1..self.policies.len() {
                    for first in 0..second {
                        let named = |seats: &Vec<bool>| seats.iter().map(|&b| if b { second } else { first }).collect();
                        // Mirrored games stand beside each other, so an even number of them is fair.
                        let count = self.games.next_multiple_of(2);
                        let sets = (0..).flat_map(|map| arrangements.iter().map(move |seats| (map, seats)));
                        games.extend(sets.take(count).map(|(map, seats)| self.game(map, named(seats))));
                    }
                }
            }
            Mode::All => {
                let all = self.policies.len();
                for map in 0..self.games.div_ceil(all) {
                    let order = self.order(map);
                    let seats = |shift: usize| (0..self.players).map(|seat| order[(seat + shift) % all]).collect();
                    games.extend((0..all).map(|shift| self.game(map, seats(shift))));
                }
            }
        }
        (1..).zip(&mut games).for_each(|(number, game)| game.number = number);
        games
    }

    /// A game on one of the league's maps.
    fn game(&self, map: usize, seats: Vec<usize>) -> LeagueGame {
        let mut hasher = blake3::Hasher::new_derive_key("parley league: the secret of a map");
        hasher.update(&self.seed.to_le_bytes()).update(&(map as u64).to_le_bytes());
        let whim = |seat: usize| Random::mixed(&[self.seed, map as u64, 1 + seat as u64]).draw();
        LeagueGame {
            number: 0,
            size: self.sizes[map % self.sizes.len()],
            map_seed: Random::mixed(&[self.seed, map as u64, 0]).draw(),
            secret: *hasher.finalize().as_bytes(),
            whims: (0..seats.len()).map(whim).collect(),
            seats,
        }
    }

    /// The order in which all policies go round a map.
    fn order(&self, map: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.policies.len()).collect();
        let mut random = Random::mixed(&[self.seed, map as u64, u64::MAX]);
        for last in (1..order.len()).rev() {
            order.swap(last, random.below(last + 1));
        }
        order
    }
}

/// Every way to give half of the seats to the second of two policies, each followed by its mirror image.
fn arrangements(seats: usize) -> Vec<Vec<bool>> {
    let half = (0..1_u32 << seats).filter(|mask| mask.count_ones() as usize * 2 == seats);
    // Of each two that mirror each other, the one that gives seat 0 to the first policy leads.
    let leading = half.filter(|mask| mask & 1 == 0);
    let spread = |mask: u32| (0..seats).map(|seat| mask >> seat & 1 == 1).collect::<Vec<bool>>();
    leading.flat_map(|mask| [spread(mask), spread(!mask)]).collect()
}
