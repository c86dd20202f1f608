use parley_core::grid::Tile;
use parley_core::hex::Hex;
use parley_plunder::event::Subject;
use parley_plunder::legality::{Fault, Part};
use parley_plunder::options::{BuildOption, CancelOption, StructureOptions, structure_options, unit_options};
use parley_plunder::preview::{
    Attacker, Chart, Course, CourseError, Fighter, Leg, Pairing, Survey, course, fight, round,
};
use parley_plunder::rules::Rules;
use parley_proto::common::v1 as common;
use parley_proto::plunder::v1 as plunder;

use super::super::{self as wire, sheet};
use super::{class, fogged, grid, hex, scenarios, structure, tile, unit};

#[test]
fn options_can_be_staged_as_they_are() {
    let (mut possible, mut refused) = (0, 0);
    for scenario in scenarios(&fogged()) {
        let (rules, state) = (&scenario.rules, &scenario.state);
        let grid = state.map().grid();
        for known in state.units() {
            let chart = Chart::new(rules, state, known.owner);
            let options = unit_options(&chart, &mut Survey::new(), known.id).expect("an own unit");
            let said = wire::unit_options(grid, &options);
            let orders = said.actions.iter().filter_map(|option| option.order.clone()).collect();
            let (back, faults) = sheet(rules, known.owner, &plunder::Sheet { units: orders, ..Default::default() });
            assert_eq!(faults, vec![]);
            assert!(back.units.iter().all(|order| order.unit == known.id && order.engagement.is_none()));
            let actions: Vec<_> = back.units.into_iter().filter_map(|order| order.action).collect();
            assert_eq!(actions, options.actions.iter().map(|o| o.action.clone()).collect::<Vec<_>>());
            for (said, option) in said.actions.iter().zip(&options.actions) {
                let fault = option.available.as_ref().err().map(wire::fault);
                assert_eq!((said.cost, &said.fault), (option.cost, &fault));
                *if fault.is_none() { &mut possible } else { &mut refused } += 1;
            }
            assert_eq!(said.broadside_fault, options.broadside.as_ref().err().map(wire::fault));
            let at = |tile: Tile| grid.hex(tile);
            for (said, reach) in said.reach.iter().zip(&options.reach) {
                let [to, from] = [&said.hex, &said.from].map(|h| h.as_ref().map(|h| Hex::new(h.q, h.r)));
                assert_eq!((to, said.tick, from), (Some(at(reach.tile)), reach.tick.into(), Some(at(reach.from))));
            }
            assert_eq!((said.unit, said.reach.len()), (known.id.get(), options.reach.len()));
        }
    }
    assert!(possible > 100 && refused > 100, "{possible} options, {refused} refusals");
}

#[test]
fn structure_options_keep_their_numbers() {
    let rules = Rules::plunder();
    let (class, key) = class(&rules);
    let fault = Fault {
        subject: Some(Subject::Structure(structure(4))),
        rule: "R11.2",
        text: "is full".to_owned(),
        part: Part::Whole,
    };
    let options = StructureOptions {
        structure: structure(4),
        builds: vec![BuildOption { class, cost: 10, turns: 2, ready_in: 5, available: Err(fault.clone()) }],
        cancels: vec![CancelOption { index: 1, class, refund: 6, available: Ok(()) }],
    };
    let fault = Some(wire::fault(&fault));
    let said = wire::structure_options(&rules, &options);
    assert_eq!(said.structure, 4);
    assert_eq!(said.builds, [plunder::BuildOption { class: key.clone(), cost: 10, turns: 2, ready_in: 5, fault }]);
    assert_eq!(said.cancels, [plunder::CancelOption { index: 1, class: key, refund: 6, fault: None }]);
}

#[test]
fn structure_options_of_the_cases_are_all_there() {
    let mut seen = 0;
    for scenario in scenarios(&fogged()) {
        for yard in scenario.state.structures() {
            let Some(owner) = yard.owner else { continue };
            let chart = Chart::new(&scenario.rules, &scenario.state, owner);
            let options = structure_options(&chart, yard.id).expect("an own structure");
            let said = wire::structure_options(&scenario.rules, &options);
            assert_eq!(said.builds.len(), scenario.rules.classes().len());
            assert_eq!(said.cancels.len(), yard.queue.len());
            seen += 1;
        }
    }
    assert!(seen > 10, "only {seen} structures");
}

#[test]
fn a_course_keeps_its_legs() {
    let legs = vec![Leg { tile: tile(1, 0), turn: 0, tick: 1 }, Leg { tile: tile(0, 1), turn: 1, tick: 2 }];
    let said = wire::course(&grid(), &Course { legs });
    let leg = |q, r, turn, tick| plunder::Leg { hex: Some(hex(q, r)), turn, tick };
    assert_eq!((said.legs, said.turns), (vec![leg(1, 0, 0, 1), leg(0, 1, 1, 2)], 2));
}

#[test]
fn the_fault_of_a_course_says_its_rule_once() {
    let scenario = scenarios(&fogged()).into_iter().find(|s| !s.state.units().is_empty()).expect("a unit");
    let known = &scenario.state.units()[0];
    let chart = Chart::new(&scenario.rules, &scenario.state, known.owner);
    let error = course(&chart, &mut Survey::new(), known.id, Hex::new(-900, 0)).expect_err("off the map");
    let said = wire::course_fault(known.id, &error);
    assert_eq!((said.rule.as_str(), said.text.as_str()), ("R5.5", "(-900, 0) is not on the map"));
    assert_eq!(said.subject.and_then(|s| s.subject), Some(common::subject::Subject::Unit(known.id.get())));
    let closed = CourseError::Closed { hex: Hex::new(1, 2), structure: structure(3) };
    let said = wire::course_fault(unit(1), &closed);
    assert_eq!((said.rule.as_str(), said.text.as_str()), ("R3.3", "(1, 2) is closed by structure 3"));
}

#[test]
fn odds_are_given_ship_by_ship() {
    let ships = [Fighter { hp: 4, hit: 2 }, Fighter { hp: 9, hit: 1 }];
    let odds = fight(ships[0], ships[1], 2, Attacker::First).expect("few rounds");
    let said = wire::fight_odds(&odds);
    assert_eq!(said.both_sink_ppm, Some(odds.both_sink_ppm));
    for (said, odds) in said.ships.iter().zip([odds.first, odds.second]) {
        assert_eq!((said.sinks_ppm, said.mean_loss_milli), (odds.sinks_ppm, odds.mean_loss_milli));
        assert_eq!((said.best_hp, said.worst_hp), (odds.best_hp.into(), odds.worst_hp.into()));
    }
    assert_ne!(said.ships[0], said.ships[1]);
    let pairing = Pairing { first: 0, second: 1, attacker: Attacker::Coin };
    let odds = round(&ships, &[pairing]).expect("two ships");
    let said = wire::round_odds(&odds);
    assert_eq!(said.both_sink_ppm, None);
    let worst: Vec<u32> = said.ships.iter().map(|ship| ship.worst_hp).collect();
    assert_eq!(worst, odds.iter().map(|ship| ship.worst_hp.into()).collect::<Vec<u32>>());
}
