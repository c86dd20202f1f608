use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::preview::fight;
use crate::preview::worlds::player;

fn side(owner: u64, attacks: bool) -> Side {
    Side { owner: player(owner), attacks }
}

#[test]
fn who_exchanges_with_whom() {
    let pair = |first, second, attacker| Pairing { first, second, attacker };
    let holder_and_two_entrants = [side(0, false), side(1, true), side(2, true)];
    let expected = [pair(0, 1, Attacker::Second), pair(0, 2, Attacker::Second), pair(1, 2, Attacker::Coin)];
    assert_eq!(pairings(&holder_and_two_entrants), expected);
    let passing = [side(0, true), side(0, false), side(1, false)];
    assert_eq!(pairings(&passing), [pair(0, 2, Attacker::First)], "friends and the peaceful do not fight (R7.4)");
}

#[test]
fn the_limits_hold() {
    let ship = Fighter { hp: u16::MAX, hit: u16::MAX };
    let against = |enemies: usize| -> Vec<_> {
        (1..=enemies).map(|second| Pairing { first: 0, second, attacker: Attacker::Coin }).collect()
    };
    let odds = round(&[ship; 65], &against(64)).expect("the most exchanges");
    assert_eq!(odds[0].sinks_ppm, 1_000_000, "rounded: it can win all 128 comparisons");
    assert_eq!((odds[0].best_hp, odds[0].worst_hp), (u16::MAX, 0));
    let crowd = round(&[ship; 66], &against(65));
    assert_eq!(crowd, Err(OddsError::TooManyExchanges { ship: 0, exchanges: 65 }));
    assert_eq!(round(&[ship; 129], &[]), Err(OddsError::TooManyShips(129)));
    assert_eq!(round(&[ship; 2], &against(2)), Err(OddsError::NoSuchPair { first: 0, second: 2 }));
    let alone = Pairing { first: 1, second: 1, attacker: Attacker::Coin };
    assert_eq!(round(&[ship; 2], &[alone]), Err(OddsError::NoSuchPair { first: 1, second: 1 }));
}

/// Every way in which the exchanges can go: the hp afterwards, and the number of outcomes.
fn ends(ships: &[Fighter], pairings: &[Pairing]) -> Vec<(Vec<u16>, u128)> {
    let Some((pairing, rest)) = pairings.split_last() else {
        return vec![(ships.iter().map(|ship| ship.hp).collect(), 1)];
    };
    let mut all = Vec::new();
    for (hp, count) in ends(ships, rest) {
        for (lost, weight) in (0..).zip(pairing.attacker.weights()) {
            let mut hp = hp.clone();
            hp[pairing.first] = hp[pairing.first].saturating_sub(lost * ships[pairing.second].hit);
            hp[pairing.second] = hp[pairing.second].saturating_sub((2 - lost) * ships[pairing.first].hit);
            all.push((hp, count * u128::from(weight)));
        }
    }
    all
}

proptest! {
    #[test]
    fn a_round_of_two_is_an_exchange(hp in (1u16..14, 1u16..14), hit in (0u16..6, 0u16..6)) {
        let ships = [Fighter { hp: hp.0, hit: hit.0 }, Fighter { hp: hp.1, hit: hit.1 }];
        for attacker in [Attacker::First, Attacker::Second, Attacker::Coin] {
            let whole = fight(ships[0], ships[1], 1, attacker).expect("one round");
            let each = round(&ships, &[Pairing { first: 0, second: 1, attacker }]);
            prop_assert_eq!(each, Ok(vec![whole.first, whole.second]));
        }
    }

    #[test]
    fn a_round_is_the_sum_of_its_outcomes(crowd in vec((0u64..3, any::<bool>(), 1u16..20, 0u16..7), 2..5)) {
        let sides: Vec<_> = crowd.iter().map(|&(owner, attacks, _, _)| side(owner, attacks)).collect();
        let ships: Vec<_> = crowd.iter().map(|&(_, _, hp, hit)| Fighter { hp, hit }).collect();
        let pairings = pairings(&sides);
        let odds = round(&ships, &pairings).expect("a small round");
        let ends = ends(&ships, &pairings);
        let whole: u128 = ends.iter().map(|(_, count)| count).sum();
        let nearest = |part: u128| ((2 * part + whole) / (2 * whole)) as u32;
        for (place, ship) in ships.iter().enumerate() {
            let hp = || ends.iter().map(|(hp, count)| (hp[place], *count));
            let sunk: u128 = hp().filter(|end| end.0 == 0).map(|end| end.1).sum();
            let loss: u128 = hp().map(|end| u128::from(ship.hp - end.0) * end.1).sum();
            let expected = ShipOdds {
                sinks_ppm: nearest(sunk * 1_000_000),
                mean_loss_milli: nearest(loss * 1_000),
                best_hp: hp().map(|end| end.0).max().expect("an end"),
                worst_hp: hp().map(|end| end.0).min().expect("an end"),
            };
            prop_assert_eq!(odds[place], expected);
        }
    }
}
