use parley_core::dice::Seed;
use parley_core::digest::Digest;
use proptest::prelude::*;

use super::*;
use crate::event::{Body, Cause, Event};
use crate::preview::Known;
use crate::preview::course;
use crate::preview::worlds::{World, world};
use crate::ruleset::{Game, Step, Workspace};
use crate::state::Job;

/// What a turn with one order of one player comes to, or what is wrong with the order.
fn try_out(world: &World, sheet: &OrderSheet) -> Result<Vec<Event>, &'static str> {
    let (seed, digest) = (Seed::from_bytes([7; 32]), Digest::of(b"before"));
    let mut game = Game::revealed(world.rules.clone(), world.state.clone(), seed, digest);
    game.lock(game.judge(sheet).whole().map_err(|faults| faults[0].rule)?).expect("a turn");
    match game.advance(&mut Workspace::new(), &[]).expect("no decisions") {
        Step::Resolved(outcome) => Ok(outcome.events),
        Step::Asked => panic!("nobody asks in these worlds"),
    }
}

/// An option is available exactly if its order is legal and paid, and otherwise names the rule of the refusal.
fn check(
    world: &World,
    sheet: &OrderSheet,
    subject: Subject,
    available: &Result<(), Fault>,
) -> Result<(), TestCaseError> {
    match try_out(world, sheet) {
        Err(rule) => prop_assert_eq!(available.as_ref().map_err(|fault| fault.rule), Err(rule)),
        Ok(events) => {
            let unpaid = |event: &Event| matches!(&event.body, Body::Skipped { subject: who, cause: Cause::Unpaid { .. } } if *who == subject);
            let expected = if events.iter().any(unpaid) { Err("R11.3") } else { Ok(()) };
            prop_assert_eq!(available.as_ref().map(|&()| ()).map_err(|fault| fault.rule), expected);
        }
    }
    if let Err(fault) = available {
        prop_assert_eq!(fault.subject, Some(subject));
    }
    Ok(())
}

proptest! {
    #[test]
    fn an_action_is_available_if_it_is_legal_and_paid(world in world()) {
        let mut survey = Survey::new();
        for unit in world.state.units() {
            let chart = Chart::new(&world.rules, &world.state, unit.owner);
            let options = unit_options(&chart, &mut survey, unit.id).expect("an own unit");
            for option in &options.actions {
                let order =
                    UnitOrder { unit: unit.id, action: Some(option.action.clone()), broadside: false, engagement: None };
                let sheet = OrderSheet { units: vec![order], ..OrderSheet::empty(unit.owner) };
                check(&world, &sheet, Subject::Unit(unit.id), &option.available)?;
            }
            // What is not offered is not possible, but for pressing without a contest.
            for structure in world.state.structures() {
                let offered = options.actions.iter().any(|o| o.action == Action::Bombard(structure.id));
                prop_assert!(offered || judge_action(&chart, unit.id, Action::Bombard(structure.id)).is_err());
            }
        }
    }

    #[test]
    fn work_is_available_if_it_is_legal_and_paid(world in world()) {
        for structure in world.state.structures() {
            let Some(owner) = structure.owner else { continue };
            let chart = Chart::new(&world.rules, &world.state, owner);
            let options = structure_options(&chart, structure.id).expect("an own structure");
            prop_assert_eq!(options.builds.len(), world.rules.classes().len());
            prop_assert_eq!(options.cancels.len(), structure.queue.len());
            let builds = options.builds.iter().map(|o| (Work::Build(o.class), &o.available));
            let cancels = options.cancels.iter().map(|o| (Work::CancelBuild(o.index), &o.available));
            for (work, available) in builds.chain(cancels) {
                let order = StructureOrder { structure: structure.id, work };
                let sheet = OrderSheet { structures: vec![order], ..OrderSheet::empty(owner) };
                check(&world, &sheet, Subject::Structure(structure.id), available)?;
            }
        }
    }

    #[test]
    fn what_is_in_reach_is_what_courses_reach_in_this_turn(World { rules, state } in world()) {
        let mut survey = Survey::new();
        let grid = *state.map().grid();
        for unit in state.units() {
            let chart = Chart::new(&rules, &state, unit.owner);
            let options = unit_options(&chart, &mut survey, unit.id).expect("an own unit");
            prop_assert!(state.result().is_none() || options.reach.is_empty());
            for tile in grid.tiles().filter(|_| state.result().is_none()) {
                let found = course(&chart, &mut survey, unit.id, grid.hex(tile)).ok().filter(|c| c.turns() == 1);
                let path = found.as_ref().map(|c| c.legs.iter().map(|leg| leg.tile).collect());
                prop_assert_eq!(options.path(tile), path);
                let tick = options.reach.iter().find(|reach| reach.tile == tile).map(|reach| reach.tick);
                prop_assert_eq!(tick, found.and_then(|c| c.legs.last().map(|leg| leg.tick)));
            }
        }
    }

    #[test]
    fn what_is_not_seen_changes_nothing(world in world(), dark in any::<u64>()) {
        let World { rules, state } = &world;
        let mut survey = Survey::new();
        for unit in state.units() {
            // A player sees at least the tiles of the own units and structures.
            let own = |tile: Tile| {
                state.units().iter().any(|u| u.tile == tile && u.owner == unit.owner)
                    || state.structures().iter().any(|s| s.tile == tile && s.owner == Some(unit.owner))
            };
            let sight = |tile: Tile| {
                if own(tile) || dark >> (tile.index() % 64) & 1 == 0 { Known::Seen } else { Known::Charted }
            };
            let mut other = state.clone();
            other.structures.retain(|s| sight(s.tile) == Known::Seen);
            other.contests.retain(|c| sight(c.tile) == Known::Seen || c.contenders.contains(&unit.id));
            let [here, there] = [state, &other].map(|state| {
                unit_options(&Chart::with_sight(rules, state, unit.owner, &sight), &mut survey, unit.id)
            });
            prop_assert_eq!(here, there);
        }
    }

    #[test]
    fn a_queue_takes_its_time(World { rules, mut state } in world()) {
        let Some(place) = state.structures.iter().position(|s| s.owner.is_some()) else { return Ok(()) };
        let class = rules.class_named("ship").expect("a class");
        let queue = [2, 0].map(|turns_left| Job { class, turns_left });
        state.structures[place].queue = queue.into_iter().collect();
        let (id, owner) = (state.structures[place].id, state.structures[place].owner);
        for player in state.players() {
            let options = structure_options(&Chart::new(&rules, &state, player.id), id);
            prop_assert_eq!(options.is_some(), owner == Some(player.id));
            if let Some(options) = options {
                prop_assert_eq!((options.builds[0].turns, options.builds[0].ready_in), (3, 2 + 1 + 3));
                prop_assert_eq!(options.cancels[1].refund, 37, "75% of 50, rounded down");
            }
        }
    }
}
