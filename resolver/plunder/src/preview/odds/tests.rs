use proptest::prelude::*;

use super::*;

#[test]
fn an_exchange_has_the_known_odds() {
    let known = ExchangeOdds { attacker_wins: 2890, split: 2611, defender_wins: 2275 };
    assert_eq!(EXCHANGE, known, "three dice against two, ties to the defender");
    assert_eq!(EXCHANGE.total(), 7776);
    for attacker in [Attacker::First, Attacker::Second, Attacker::Coin] {
        assert_eq!(attacker.weights().iter().sum::<u64>(), WEIGHT);
    }
}

#[test]
fn the_table_is_what_rolling_everything_gives() {
    let mut slow = [0; 3];
    for number in 0..7776u32 {
        let mut dice = [1, 6, 36, 216, 1296].map(|place| 1 + number / place % 6);
        dice[..3].sort_by(|x, y| y.cmp(x));
        dice[3..].sort_by(|x, y| y.cmp(x));
        slow[usize::from(dice[0] > dice[3]) + usize::from(dice[1] > dice[4])] += 1;
    }
    assert_eq!(slow, [EXCHANGE.defender_wins, EXCHANGE.split, EXCHANGE.attacker_wins]);
}

#[test]
fn two_fresh_ships_meet() {
    let ship = Fighter { hp: 10, hit: 2 };
    let odds = fight(ship, ship, 1, Attacker::First).expect("one round");
    // 2 hp per comparison: (2 * 2275 + 2611) * 2 / 7776 and (2 * 2890 + 2611) * 2 / 7776.
    let first = ShipOdds { sinks_ppm: 0, mean_loss_milli: 1842, best_hp: 10, worst_hp: 6 };
    let second = ShipOdds { sinks_ppm: 0, mean_loss_milli: 2158, best_hp: 10, worst_hp: 6 };
    assert_eq!(odds, FightOdds { first, second, both_sink_ppm: 0 });
}

#[test]
fn two_wrecks_trade_a_hit_each() {
    let wreck = Fighter { hp: 2, hit: 2 };
    let odds = fight(wreck, wreck, 1, Attacker::First).expect("one round");
    assert_eq!(odds.both_sink_ppm, 335_777, "2611 of 7776 (R15.9)");
    assert_eq!(odds.first.sinks_ppm, 628_344, "4886 of 7776");
    assert_eq!(odds.second.sinks_ppm, 707_433, "5501 of 7776");
    let longer = fight(wreck, wreck, MAX_ROUNDS, Attacker::First).expect("the most rounds");
    assert_eq!(longer, odds, "after one round nobody is left to fight");
}

#[test]
fn a_fight_under_the_default_rules_ends_within_fifteen_rounds() {
    let rules = Rules::plunder();
    let toughest = Fighter { hp: 30, hit: rules.combat().damage.get() as u16 };
    let after = |rounds| fight(toughest, toughest, rounds, Attacker::Coin).expect("a fight");
    assert_eq!(after(15), after(MAX_ROUNDS));
    assert_ne!(after(14), after(15));
    let odds = after(15);
    assert_eq!(odds.first, odds.second, "a coin favours nobody");
    assert_eq!(odds.first.sinks_ppm + odds.second.sinks_ppm - odds.both_sink_ppm, 1_000_000);
}

#[test]
fn the_limits_hold() {
    let (tough, gun) = (Fighter { hp: u16::MAX, hit: 1 }, Fighter { hp: u16::MAX, hit: u16::MAX });
    assert_eq!(fight(tough, gun, MAX_ROUNDS + 1, Attacker::Coin), Err(OddsError::TooManyRounds(65)));
    let long = fight(tough, tough, MAX_ROUNDS, Attacker::Coin).expect("the most rounds");
    assert_eq!((long.first.sinks_ppm, long.first.mean_loss_milli), (0, 64_000), "a comparison a round in the mean");
    assert_eq!(fight(gun, gun, 1, Attacker::Coin).map(|odds| odds.first.worst_hp), Ok(0));
    let harmless = Fighter { hp: 5, hit: 0 };
    let peace = fight(harmless, harmless, MAX_ROUNDS, Attacker::First).expect("the most rounds");
    let unhurt = ShipOdds { sinks_ppm: 0, mean_loss_milli: 0, best_hp: 5, worst_hp: 5 };
    assert_eq!(peace, FightOdds { first: unhurt, second: unhurt, both_sink_ppm: 0 });
    let sunk = fight(Fighter { hp: 0, hit: 9 }, tough, 3, Attacker::First).expect("no fight");
    assert_eq!((sunk.first.sinks_ppm, sunk.first.mean_loss_milli, sunk.second.mean_loss_milli), (1_000_000, 0, 0));
}

/// Every end of a fight with its number of outcomes, by following each of them to its leaf.
fn ends(hp: (u16, u16), hit: (u16, u16), rounds: u32, attacker: Attacker) -> Vec<((u16, u16), u128)> {
    if rounds == 0 || hp.0 == 0 || hp.1 == 0 {
        return vec![(hp, u128::from(WEIGHT).pow(rounds))];
    }
    let mut all = Vec::new();
    for (lost, weight) in (0..).zip(attacker.weights()) {
        let next = (hp.0.saturating_sub(lost * hit.1), hp.1.saturating_sub((2 - lost) * hit.0));
        all.extend(ends(next, hit, rounds - 1, attacker).into_iter().map(|(end, n)| (end, n * u128::from(weight))));
    }
    all
}

fn nearest(part: u128, whole: u128) -> u32 {
    ((2 * part + whole) / (2 * whole)) as u32
}

proptest! {
    #[test]
    fn a_fight_is_the_sum_of_its_outcomes(
        hp in (1u16..14, 1u16..14),
        hit in (0u16..6, 0u16..6),
        rounds in 0u32..6,
        attacker in prop::sample::select(vec![Attacker::First, Attacker::Second, Attacker::Coin]),
    ) {
        let (one, other) = (Fighter { hp: hp.0, hit: hit.0 }, Fighter { hp: hp.1, hit: hit.1 });
        let odds = fight(one, other, rounds, attacker).expect("few rounds");
        let ends = ends(hp, hit, rounds, attacker);
        let whole = u128::from(WEIGHT).pow(rounds);
        let sum = |of: &dyn Fn((u16, u16)) -> u16| ends.iter().map(|&(end, n)| n * u128::from(of(end))).sum::<u128>();
        let ship = |hp: u16, of: &dyn Fn((u16, u16)) -> u16| ShipOdds {
            sinks_ppm: nearest(sum(&|end| u16::from(of(end) == 0)) * 1_000_000, whole),
            mean_loss_milli: nearest(sum(&|end| hp - of(end)) * 1_000, whole),
            best_hp: ends.iter().map(|&(end, _)| of(end)).max().expect("an end"),
            worst_hp: ends.iter().map(|&(end, _)| of(end)).min().expect("an end"),
        };
        prop_assert_eq!(odds.first, ship(hp.0, &|end| end.0));
        prop_assert_eq!(odds.second, ship(hp.1, &|end| end.1));
        prop_assert_eq!(odds.both_sink_ppm, nearest(sum(&|end| u16::from(end == (0, 0))) * 1_000_000, whole));
    }

    #[test]
    fn it_does_not_matter_who_is_named_first(hp in (1u16..60, 1u16..60), hit in (0u16..9, 0u16..9), rounds in 0u32..=64) {
        let (one, other) = (Fighter { hp: hp.0, hit: hit.0 }, Fighter { hp: hp.1, hit: hit.1 });
        let there = fight(one, other, rounds, Attacker::First).expect("few rounds");
        let back = fight(other, one, rounds, Attacker::Second).expect("few rounds");
        prop_assert_eq!((there.first, there.second, there.both_sink_ppm), (back.second, back.first, back.both_sink_ppm));
    }
}
