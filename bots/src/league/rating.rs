//! How strong policies are, on the scale of Elo.
//!
//! The model is the one of Bradley and Terry, for more than two sides the one of Luce: a side wins with the share that
//! its strength has of all strengths at the table, a side with several seats counting as often. Strengths are the most
//! likely ones for the games that were played. Shared games count in equal parts. One drawn game is added for every two
//! policies, so that who never lost is not infinitely strong. Intervals come from the Fisher information.

use std::collections::BTreeMap;

use super::wilson::{Interval, Z};

/// The average of all ratings.
pub const AVERAGE: f64 = 1500.0;
/// How many points of Elo are odds of e to 1.
const SCALE: f64 = 400.0 / std::f64::consts::LN_10;
/// The most steps towards the most likely strengths; a dozen are usual.
const MAX_STEPS: usize = 200;
/// A step below this many units of log strength is the last.
const CLOSE: f64 = 1e-12;
/// How much a likelihood may seem to fall because numbers are rounded.
const NOISE: f64 = 1e-9;

/// How strong a policy is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    /// The rating in points; 400 more are odds of ten to one.
    pub elo: f64,
    /// The range in which the rating is in 95 of 100 cases.
    pub interval: Interval,
}

/// What a game says of strengths.
#[derive(Clone, Debug)]
pub(super) struct Evidence {
    /// The policies at the table and how many seats each has, by policy.
    pub(super) sides: Vec<(usize, usize)>,
    /// The policies that share the victory.
    pub(super) leaders: Vec<usize>,
}

/// Games of the same sides, added up.
struct Sum {
    games: f64,
    sides: Vec<(usize, f64)>,
}

/// The likelihood of strengths, as far as the games that were played decide it.
struct Likelihood {
    won: Vec<f64>,
    sums: Vec<Sum>,
}

impl Likelihood {
    fn of(policies: usize, games: &[Evidence]) -> Self {
        let mut won = vec![0.0; policies];
        let mut counts: BTreeMap<Vec<(usize, usize)>, f64> = BTreeMap::new();
        for game in games.iter().filter(|game| !game.leaders.is_empty()) {
            let share = 1.0 / game.leaders.len() as f64;
            game.leaders.iter().for_each(|&leader| won[leader] += share);
            *counts.entry(game.sides.clone()).or_default() += 1.0;
        }
        for second in 0..policies {
            for first in 0..second {
                *counts.entry(vec![(first, 1), (second, 1)]).or_default() += 1.0;
                won[first] += 0.5;
                won[second] += 0.5;
            }
        }
        let sum = |(sides, games): (Vec<(usize, usize)>, f64)| Sum {
            games,
            sides: sides.into_iter().map(|(policy, seats)| (policy, seats as f64)).collect(),
        };
        Self { won, sums: counts.into_iter().map(sum).collect() }
    }

    /// The logarithm of how likely the games are with these strengths.
    fn logarithm(&self, strengths: &[f64]) -> f64 {
        let won: f64 = self.won.iter().zip(strengths).map(|(won, strength)| won * strength).sum();
        let total = |sum: &Sum| sum.sides.iter().map(|&(policy, seats)| seats * strengths[policy].exp()).sum::<f64>();
        won - self.sums.iter().map(|sum| sum.games * total(sum).ln()).sum::<f64>()
    }

    /// How much the likelihood gains by more strength of each policy, and the Fisher information.
    fn derivatives(&self, strengths: &[f64]) -> (Vec<f64>, Vec<Vec<f64>>) {
        let mut gain = self.won.clone();
        let mut information = vec![vec![0.0; strengths.len()]; strengths.len()];
        for Sum { games, sides } in &self.sums {
            let weights: Vec<f64> = sides.iter().map(|&(policy, seats)| seats * strengths[policy].exp()).collect();
            let total: f64 = weights.iter().sum();
            for (&(policy, _), weight) in sides.iter().zip(&weights) {
                let share = weight / total;
                gain[policy] -= games * share;
                information[policy][policy] += games * share;
                for (&(other, _), weight) in sides.iter().zip(&weights) {
                    information[policy][other] -= games * share * weight / total;
                }
            }
        }
        (gain, information)
    }
}

/// The most likely ratings of the policies.
pub(super) fn rate(policies: usize, games: &[Evidence]) -> Vec<Rating> {
    let likelihood = Likelihood::of(policies, games);
    let mut strengths = vec![0.0; policies];
    for _ in 0..MAX_STEPS {
        let (gain, information) = likelihood.derivatives(&strengths);
        let Some(inverse) = inverse_around_average(information) else { break };
        let step: Vec<f64> = inverse.iter().map(|row| row.iter().zip(&gain).map(|(a, b)| a * b).sum()).collect();
        let before = likelihood.logarithm(&strengths);
        let moved = |part: f64| strengths.iter().zip(&step).map(|(at, by)| at + part * by).collect::<Vec<f64>>();
        // Newton's step, shorter where it would lead too far.
        let parts = std::iter::successors(Some(1.0), |part| Some(part / 2.0)).take(40);
        let better = parts.map(moved).find(|moved| likelihood.logarithm(moved) > before - NOISE);
        let Some(better) = better else { break };
        strengths = better;
        if step.iter().all(|by| by.abs() < CLOSE) {
            break;
        }
    }
    let (_, information) = likelihood.derivatives(&strengths);
    let variances = inverse_around_average(information);
    let average = strengths.iter().sum::<f64>() / policies.max(1) as f64;
    let rating = |policy: usize| {
        let elo = AVERAGE + SCALE * (strengths[policy] - average);
        let variance = variances.as_ref().map_or(f64::INFINITY, |rows| rows[policy][policy].max(0.0));
        let half = Z * SCALE * variance.sqrt();
        Rating { elo, interval: Interval { low: elo - half, high: elo + half } }
    };
    (0..policies).map(rating).collect()
}

/// The inverse of an information matrix that knows only differences, for strengths that are 0 on average.
fn inverse_around_average(mut matrix: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    let size = matrix.len();
    matrix.iter_mut().flatten().for_each(|entry| *entry += 1.0);
    let mut inverse = inverse(matrix)?;
    let square = (size * size) as f64;
    inverse.iter_mut().flatten().for_each(|entry| *entry -= 1.0 / square);
    Some(inverse)
}

/// The inverse of a matrix by Gauss-Jordan elimination; `None` where there is none.
fn inverse(mut matrix: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    let size = matrix.len();
    let unit = |row: usize| (0..size).map(move |column| if row == column { 1.0 } else { 0.0 });
    (0..size).for_each(|row| matrix[row].extend(unit(row)));
    for column in 0..size {
        let pivot = (column..size).max_by(|&a, &b| matrix[a][column].abs().total_cmp(&matrix[b][column].abs()))?;
        matrix.swap(column, pivot);
        let divisor = matrix[column][column];
        if divisor.abs() < 1e-300 {
            return None;
        }
        matrix[column].iter_mut().for_each(|entry| *entry /= divisor);
        let row = matrix[column].clone();
        for other in (0..size).filter(|&other| other != column) {
            let factor = matrix[other][column];
            matrix[other].iter_mut().zip(&row).for_each(|(entry, by)| *entry -= factor * by);
        }
    }
    Some(matrix.into_iter().map(|mut row| row.split_off(size)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(sides: &[(usize, usize)], leaders: &[usize]) -> Evidence {
        Evidence { sides: sides.to_vec(), leaders: leaders.to_vec() }
    }

    /// Between two policies, the odds are those of the games with one draw more.
    #[test]
    fn two_policies_are_as_far_apart_as_their_odds() {
        let mut games = vec![game(&[(0, 2), (1, 2)], &[1]); 299];
        games.extend(vec![game(&[(0, 2), (1, 2)], &[0]); 99]);
        games.extend(vec![game(&[(0, 2), (1, 2)], &[0, 1]); 1]);
        let ratings = rate(2, &games);
        let apart = ratings[1].elo - ratings[0].elo;
        assert!((apart - 400.0 * 3_f64.log10()).abs() < 1e-6, "{apart}");
        assert!((ratings[0].elo + ratings[1].elo - 2.0 * AVERAGE).abs() < 1e-6);
        // The variance of the difference is 1 / (n p q); each of the two has a quarter of it.
        let half = Z * SCALE * (1.0 / (400.0 * 0.25 * 0.75_f64)).sqrt() / 2.0;
        let Interval { low, high } = ratings[1].interval;
        assert!((high - low - 2.0 * half).abs() < 1e-6, "{low} {high}");
    }

    #[test]
    fn who_never_lost_is_strong_and_not_infinitely_so() {
        let ratings = rate(2, &vec![game(&[(0, 1), (1, 1)], &[1]); 400]);
        let apart = ratings[1].elo - ratings[0].elo;
        assert!((apart - 400.0 * 801_f64.log10()).abs() < 1e-6, "{apart}");
        let width = ratings[1].interval.high - ratings[1].interval.low;
        assert!(width > 300.0 && width < 800.0, "{width}");
    }

    /// Luce's choice: strengths 1, 2 and 5 at one table win 1, 2 and 5 of 8 games, whoever else is there.
    #[test]
    fn more_than_two_share_a_table() {
        let mut games = Vec::new();
        for (leader, times) in [(0, 1000), (1, 2000), (2, 5000)] {
            games.extend(vec![game(&[(0, 1), (1, 1), (2, 1)], &[leader]); times]);
        }
        let apart = |ratings: &[Rating]| (ratings[1].elo - ratings[0].elo, ratings[2].elo - ratings[1].elo);
        let (first, second) = apart(&rate(3, &games));
        assert!((first - 400.0 * 2_f64.log10()).abs() < 1.0 && (second - 400.0 * 2.5_f64.log10()).abs() < 1.0);
        // With two seats, the weakest is as good as the one with twice its strength.
        let mut games = Vec::new();
        for (leader, times) in [(0, 2000), (1, 2000), (2, 5000)] {
            games.extend(vec![game(&[(0, 2), (1, 1), (2, 1)], &[leader]); times]);
        }
        let (first, second) = apart(&rate(3, &games));
        assert!((first - 400.0 * 2_f64.log10()).abs() < 1.0 && (second - 400.0 * 2.5_f64.log10()).abs() < 1.0);
    }

    #[test]
    fn nothing_played_says_nothing() {
        let ratings = rate(3, &[]);
        assert!(ratings.iter().all(|rating| (rating.elo - AVERAGE).abs() < 1e-9 && rating.interval.low < 1300.0));
    }
}
