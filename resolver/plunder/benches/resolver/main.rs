//! What a turn costs: prints one table per question, all measured in one run.

#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark reads the clock and prints"
)]

mod blind;
mod fleet;
mod match_play;

use std::time::{Duration, Instant};

use blind::BlindSea;
use fleet::Fleet;
use parley_core::field::Field;

/// A row of the movement table.
struct Row {
    owners: u64,
    ships: u32,
    nanos: f64,
}

/// The sizes to measure: numbers on the command line, or all four.
fn sizes() -> Vec<u32> {
    let named: Vec<u32> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    if named.is_empty() { vec![1_000, 10_000, 100_000, 1_000_000] } else { named }
}

fn ship_ticks() {
    println!("Movement ticks: ships on 10% of the tiles, speeds 3 to 10, ten steps each, nobody asked.");
    println!("A ship-tick is one ship with an intent in one tick. blind: the same ships walk the same paths in the");
    println!("same layout (the owner of each tile kept up to date) with no conflict detection. Best of several runs.");
    println!("    ships  owners  ns/ship-tick   blind  ratio    moved  waited     met");
    let mut rows = Vec::new();
    for owners in [4, 16] {
        for ships in sizes() {
            let fleet = Fleet::new(ships, owners, 0xBEE5 + u64::from(ships));
            let rounds = (20_000_000 / ships).clamp(7, 500);
            let mut sea = Field::new(fleet.grid());
            let mut blind = BlindSea::new(fleet.grid());
            let (mut time, mut blind_time) = (Duration::MAX, Duration::MAX);
            let (mut tally, mut walked) = (fleet::Tally::default(), 0);
            // The two alternate, so that a noisy moment touches both.
            for _ in 0..rounds {
                fleet.load_blind(&mut blind);
                let start = Instant::now();
                walked = blind.walk(fleet.ticks());
                blind_time = blind_time.min(start.elapsed());
                fleet.load(&mut sea);
                let start = Instant::now();
                tally = fleet.run(&mut sea);
                time = time.min(start.elapsed());
            }
            let intents = tally.moved + tally.waited + tally.met;
            let nanos = time.as_nanos() as f64 / intents as f64;
            let blind_nanos = blind_time.as_nanos() as f64 / walked as f64;
            let percent = |part: u64| 100.0 * part as f64 / intents as f64;
            println!(
                "{ships:>9} {owners:>7} {nanos:>13.2} {blind_nanos:>7.2} {:>6.2} {:>7.1}% {:>6.1}% {:>6.1}%",
                nanos / blind_nanos,
                percent(tally.moved),
                percent(tally.waited),
                percent(tally.met),
            );
            rows.push(Row { owners, ships, nanos });
        }
    }
    for owners in [4, 16] {
        let at = |ships| rows.iter().find(|r| r.owners == owners && r.ships == ships).map(|r| r.nanos);
        if let (Some(million), Some(ten_thousand)) = (at(1_000_000), at(10_000)) {
            println!("1 M ships against 10 k, {owners} owners: {:.2}", million / ten_thousand);
        }
    }
}

fn whole_turns() {
    let recorded = match_play::SmallMatch::record(200, 7);
    let turns = recorded.len();
    let mut best = Duration::MAX;
    for _ in 0..200 {
        let start = Instant::now();
        std::hint::black_box(recorded.replay());
        best = best.min(start.elapsed());
    }
    println!("Whole turns of a match of 4 players on 20 x 14 tiles: orders checked, all stages, digest; one core.");
    println!(
        "{turns} turns, {:.1} ships on average: {:.0} turns/s",
        recorded.ships as f64 / turns as f64,
        turns as f64 / best.as_secs_f64()
    );
    println!("State at the start besides its map: {} bytes", recorded.start().size_without_map());
}

fn main() {
    whole_turns();
    println!();
    ship_ticks();
}
