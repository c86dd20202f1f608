//! What the games of a league came to: ratings, the cross table, and who beats the one before.

use std::fmt::{self, Write};

use super::rating::{Evidence, rate};
use super::{AVERAGE, GameResult, Interval, League, LeagueGame, Mode, Rating};

/// How one policy did against another. In games of more than two policies, those that somebody else won are left out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// How many games count.
    pub games: usize,
    /// How many of them the policy won.
    pub won: usize,
    /// How many it shared with the other.
    pub drawn: usize,
}

impl Pair {
    /// How many games it lost.
    pub const fn lost(&self) -> usize {
        self.games - self.won - self.drawn
    }

    /// The share of the games, draws as halves, from 0 to 1; a half where there are none.
    pub fn share(&self) -> f64 {
        if self.games == 0 { 0.5 } else { self.points() / self.games as f64 }
    }

    /// The range that the share is in, by its certainty.
    pub fn interval(&self) -> Interval {
        Interval::wilson(self.points(), self.games as f64)
    }

    fn points(&self) -> f64 {
        self.won as f64 + self.drawn as f64 / 2.0
    }
}

/// How a policy did against the one before it in the list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbours {
    /// The later one, by its place in the league.
    pub policy: usize,
    /// How it did against the one before it.
    pub pair: Pair,
    /// Whether it reached the share that was wanted.
    pub reached: bool,
}

/// What a league came to.
#[derive(Clone, Debug)]
pub struct LeagueTable<'a> {
    /// The league that was played.
    pub league: &'a League,
    /// The rating of each policy, by its place in the league.
    pub ratings: Vec<Rating>,
    /// The number of games of each policy.
    pub games: Vec<usize>,
    /// Games won by each policy; shared games count in equal parts.
    pub won: Vec<f64>,
    /// How each policy did against each other one, by both their places in the league.
    pub pairs: Vec<Vec<Pair>>,
    /// How every policy but the first did against the one before it.
    pub neighbours: Vec<Neighbours>,
    /// The percentage of games that each of them should win.
    pub bar: u32,
    /// The number of all games.
    pub played: usize,
    /// Orders and answers that were refused, and questions that nobody answered.
    pub faults: [u64; 3],
}

impl<'a> LeagueTable<'a> {
    /// Adds up games. The bar is the percentage of games that each policy should win against the one before it.
    pub fn new(league: &'a League, games: &[LeagueGame], played: &[GameResult], bar: u32) -> Self {
        let policies = league.policies.len();
        let mut pairs = vec![vec![Pair { games: 0, won: 0, drawn: 0 }; policies]; policies];
        let (mut counts, mut won, mut faults) = (vec![0; policies], vec![0.0; policies], [0; 3]);
        let mut evidence = Vec::with_capacity(games.len());
        for (game, played) in games.iter().zip(played) {
            let leaders = played.leaders(game);
            let sides = sides(policies, game);
            for &(policy, _) in &sides {
                counts[policy] += 1;
                for &(other, _) in sides.iter().filter(|side| side.0 != policy) {
                    pairs[policy][other].count(leaders.contains(&policy), leaders.contains(&other));
                }
            }
            leaders.iter().for_each(|&leader| won[leader] += 1.0 / leaders.len() as f64);
            evidence.push(Evidence { sides, leaders });
            let told = [played.refused_orders, played.refused_answers, played.defaulted_answers];
            faults.iter_mut().zip(told).for_each(|(sum, count)| *sum += count);
        }
        let neighbours = |policy: usize| {
            let pair = pairs[policy][policy - 1];
            // In whole numbers, so that exactly the bar is enough.
            let reached = pair.games > 0 && (2 * pair.won + pair.drawn) * 100 >= bar as usize * 2 * pair.games;
            Neighbours { policy, pair, reached }
        };
        Self {
            league,
            ratings: rate(policies, &evidence),
            games: counts,
            won,
            neighbours: (1..policies).map(neighbours).collect(),
            pairs,
            bar,
            played: evidence.len(),
            faults,
        }
    }

    /// Whether every policy reached the bar against the one before it.
    pub fn is_ordered(&self) -> bool {
        self.neighbours.iter().all(|neighbours| neighbours.reached)
    }

    fn name(&self, policy: usize) -> &str {
        &self.league.policies[policy]
    }

    fn write_ratings(&self, f: &mut fmt::Formatter<'_>, width: usize) -> fmt::Result {
        writeln!(
            f,
            "Elo by maximum likelihood ({}, {AVERAGE} on average, a drawn game added for every two policies);",
            if self.league.mode == Mode::Pairs { "Bradley–Terry" } else { "Bradley–Terry–Luce" },
        )?;
        writeln!(f, "95% intervals from the Fisher information; shared games count in equal parts.\n")?;
        writeln!(f, "{:width$}   Elo      95% interval   games     won", "policy")?;
        let mut order: Vec<usize> = (0..self.ratings.len()).collect();
        order.sort_by(|&a, &b| self.ratings[b].elo.total_cmp(&self.ratings[a].elo));
        for policy in order {
            let Rating { elo, interval: Interval { low, high } } = self.ratings[policy];
            let share = 100.0 * self.won[policy] / self.games[policy].max(1) as f64;
            let name = self.name(policy);
            let range = format!("{low:.0} to {high:.0}");
            writeln!(f, "{name:width$} {elo:5.0} {range:>17} {:7} {share:6.1}%", self.games[policy])?;
        }
        Ok(())
    }

    fn write_pairs(&self, f: &mut fmt::Formatter<'_>, width: usize) -> fmt::Result {
        /// The width of a cell, which has room for `100.0 (99.0–100.0)`.
        const CELL: usize = 18;
        writeln!(f, "\nWon by the row against the column, in percent, draws as halves (Wilson's 95% interval)")?;
        if self.league.mode == Mode::All {
            writeln!(f, "in the games that one of the two won")?;
        }
        write!(f, "\n{:width$}", "")?;
        self.league.policies.iter().try_for_each(|name| write!(f, "  {name:>CELL$}"))?;
        writeln!(f)?;
        for (policy, row) in self.pairs.iter().enumerate() {
            let mut line = format!("{:width$}", self.name(policy));
            for (other, pair) in row.iter().enumerate() {
                let Interval { low, high } = pair.interval();
                let cell = match pair.games {
                    _ if other == policy => "–".to_owned(),
                    0 => "no games".to_owned(),
                    _ => format!("{:.1} ({:.1}–{:.1})", 100.0 * pair.share(), 100.0 * low, 100.0 * high),
                };
                write!(line, "  {cell:>CELL$}")?;
            }
            writeln!(f, "{line}")?;
        }
        Ok(())
    }
}

impl Pair {
    fn count(&mut self, ahead: bool, other_ahead: bool) {
        self.games += usize::from(ahead || other_ahead);
        self.won += usize::from(ahead && !other_ahead);
        self.drawn += usize::from(ahead && other_ahead);
    }
}

/// The policies at the table of a game, and how many seats each of them has.
fn sides(policies: usize, game: &LeagueGame) -> Vec<(usize, usize)> {
    let seats = |policy: usize| game.seats.iter().filter(|&&seat| seat == policy).count();
    (0..policies).map(|policy| (policy, seats(policy))).filter(|side| side.1 > 0).collect()
}

impl fmt::Display for LeagueTable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let League { mode, seed, players, turns, .. } = self.league;
        let longest = self.league.policies.iter().map(String::len).max().unwrap_or(0);
        let width = longest.max("policy".len());
        let kind = if *mode == Mode::Pairs { "mirrored games of pairs" } else { "games of all" };
        let fog = if self.league.fog { ", fog" } else { "" };
        writeln!(f, "{} {kind}, {players} seats, up to {turns} turns{fog}, seed {seed}\n", self.played)?;
        self.write_ratings(f, width)?;
        self.write_pairs(f, width)?;
        writeln!(f)?;
        for Neighbours { policy, pair, reached } in &self.neighbours {
            let Interval { low, high } = pair.interval();
            writeln!(
                f,
                "{} against {}: {:.1}% of {} games ({:.1}–{:.1}), at least {}% wanted: {}",
                self.name(*policy),
                self.name(policy - 1),
                100.0 * pair.share(),
                pair.games,
                100.0 * low,
                100.0 * high,
                self.bar,
                if *reached { "reached" } else { "missed" },
            )?;
        }
        let [orders, answers, defaulted] = self.faults;
        write!(f, "\n{orders} orders refused, {answers} answers refused, {defaulted} questions left to their defaults")
    }
}
