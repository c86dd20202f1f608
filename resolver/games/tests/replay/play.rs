//! Whole matches of players that try everything now and then.

use std::sync::Arc;

use parley_core::hex::Hex;
use parley_games::plunder::game::event::Subject;
use parley_games::plunder::game::mapgen::{MapRequest, SizePreset, generate};
use parley_games::plunder::game::options::unit_options;
use parley_games::plunder::game::order::{Action, Choice, OrderSheet, StructureOrder, UnitOrder, Work};
use parley_games::plunder::game::preview::{Chart, Survey, course};
use parley_games::plunder::game::rules::Rules;
use parley_games::plunder::game::start::opening;
use parley_games::plunder::game::state::Engagement;
use serde_json::Value;

use super::recorder::{Given, Recorder};

/// Splitmix64.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// The legal orders of one player, most of them to sail at an enemy.
fn sheet(recorder: &Recorder, seat: usize, random: &mut Random, survey: &mut Survey) -> OrderSheet {
    let (rules, state) = (recorder.game.rules(), recorder.game.state());
    let player = state.players()[seat].id;
    let chart = Chart::new(rules, state, player);
    let mut sheet = OrderSheet::empty(player);
    for unit in state.units().iter().filter(|unit| unit.owner == player) {
        let mut possible: Vec<Action> = unit_options(&chart, survey, unit.id)
            .map(|options| options.actions.into_iter().filter(|o| o.available.is_ok()).map(|o| o.action).collect())
            .unwrap_or_default();
        let action = if !possible.is_empty() && random.chance(15) {
            Some(possible.swap_remove(random.below(possible.len()))).filter(|a| *a != Action::DeployShipyard)
        } else if unit.route.is_empty() || random.chance(20) {
            let enemies: Vec<_> = state.units().iter().filter(|u| u.owner != player).map(|u| u.tile).collect();
            // Harbors are closed, so that beside an enemy is a better aim than its tile.
            let grid = state.map().grid();
            let beside = |&tile: &_| grid.neighbors(tile).map(|(_, tile)| tile);
            let aims: Vec<_> = enemies.iter().flat_map(beside).chain(enemies.iter().copied()).collect();
            let aim = (!aims.is_empty()).then(|| state.hex(aims[random.below(aims.len())]));
            aim.and_then(|aim| course(&chart, survey, unit.id, aim).ok()).map(|course| Action::Move(course.hexes(grid)))
        } else {
            None
        };
        let engagement = random.chance(10).then(|| [Engagement::Ask, Engagement::Fight][random.below(2)]);
        sheet.units.push(UnitOrder { unit: unit.id, action, broadside: random.chance(20), engagement });
    }
    for structure in state.structures().iter().filter(|s| s.owner == Some(player)) {
        if random.chance(50) {
            let class = rules.class_ids().next().expect("a class");
            sheet.structures.push(StructureOrder { structure: structure.id, work: Work::Build(class) });
        }
    }
    let faults = recorder.judge(&sheet).faults;
    let refused = |subject| faults.iter().any(|fault| fault.subject == Some(subject));
    sheet.units.retain(|order| !refused(Subject::Unit(order.unit)));
    sheet.structures.retain(|order| !refused(Subject::Structure(order.structure)));
    sheet
}

/// Plays until there is a result or this many turns are over.
pub fn play(overrides: &Value, wrap: bool, players: usize, turns: usize, number: u64) -> Recorder {
    let rules = Arc::new(Rules::plunder().with_overrides(overrides).expect("sound overrides"));
    let (width, height) = (SizePreset::Tiny.width(), SizePreset::Tiny.height());
    let request = MapRequest { seed: number, width, height, wrap, players };
    let generated = generate(&rules, &request).expect("a fair map");
    let state = opening(&rules, Arc::new(generated.map), &generated.starts).expect("an opening");
    let mut recorder = Recorder::begin(rules, state, players > 2);
    let (mut random, mut survey) = (Random(number), Survey::new());
    for _ in 0..turns {
        if recorder.game.state().result().is_some() {
            break;
        }
        let mut sheets = Vec::new();
        for seat in 0..players {
            if !recorder.game.state().players()[seat].alive {
                continue;
            }
            let mut orders = sheet(&recorder, seat, &mut random, &mut survey);
            let given = match random.below(10) {
                _ if players > 2 && seat + 1 == players => Given::House,
                0 => Given::Absent,
                1 | 2 => {
                    if let Some(order) = orders.units.first_mut() {
                        order.action = Some(Action::Move(vec![Hex::new(99, 99)]));
                    }
                    Given::AtDeadline
                }
                _ => Given::Locked,
            };
            sheets.push((orders, given));
        }
        recorder.turn(&sheets, |question| match random.below(10) {
            0..5 => Some(Choice::Attack),
            5..8 => Some(question.options[0]),
            _ => None,
        });
    }
    recorder
}
