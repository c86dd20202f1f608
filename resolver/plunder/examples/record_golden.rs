//! Records the golden journals anew: `cargo run --release -p parley-plunder --example record_golden -- data/golden`.
//!
//! Needed only when the rules or the encoding of the digest change on purpose. Ten matches on generated maps, each of
//! at least a hundred turns, played by players that try everything the rules allow.

#![allow(clippy::disallowed_methods, clippy::print_stdout, reason = "a program that writes files")]

use std::path::PathBuf;
use std::sync::Arc;

use parley_core::question::Answer;
use parley_plunder::event::Subject;
use parley_plunder::legality::judge;
use parley_plunder::map::Map;
use parley_plunder::mapgen::{MapRequest, SizePreset, generate};
use parley_plunder::options::unit_options;
use parley_plunder::order::{Action, Choice, OrderSheet, StructureOrder, UnitOrder, Work};
use parley_plunder::preview::{Chart, Survey, course};

use parley_plunder::rules::Rules;
use parley_plunder::ruleset::{Step, Workspace};
use parley_plunder::scenario::{Scenario, journal};
use parley_plunder::start::opening;
use parley_plunder::state::{Engagement, State};
use serde_json::{Value, json};

const TURNS: usize = 120;
const LEAST: usize = 100;

/// What makes a match different from the others.
struct Setting {
    name: &'static str,
    preset: SizePreset,
    wrap: bool,
    players: usize,
    rules: Value,
}

fn settings() -> Vec<Setting> {
    let setting = |name, preset, wrap, players, rules| Setting { name, preset, wrap, players, rules };
    vec![
        setting("tiny-2", SizePreset::Tiny, false, 2, json!({})),
        setting("tiny-4-wrapped", SizePreset::Tiny, true, 4, json!({"elimination": "no_ships_and_no_structures"})),
        setting("small-3", SizePreset::Small, false, 3, json!({"contest_limit": 2})),
        setting("small-4-no-broadsides", SizePreset::Small, false, 4, json!({"broadsides": "off"})),
        setting("standard-4", SizePreset::Standard, false, 4, json!({})),
        setting("standard-4-fog", SizePreset::Standard, false, 4, json!({"fog": "on"})),
        setting("standard-6-wrapped", SizePreset::Standard, true, 6, json!({"contest_limit": 0})),
        setting("large-8", SizePreset::Large, false, 8, json!({"combat": {"salvage": 40}})),
        setting(
            "huge-4",
            SizePreset::Huge,
            false,
            4,
            json!({"classes": [
                {"key": "ship", "domain": "naval", "hull": 10, "speed": 3, "cannons": 0, "vision": 3, "build_cost": 50, "build_turns": 3},
                {"key": "galleon", "domain": "naval", "hull": 30, "speed": 6, "cannons": 1, "vision": 4, "build_cost": 120, "build_turns": 5},
                {"key": "pirate", "domain": "naval", "hull": 15, "speed": 4, "cannons": 0, "vision": 3, "build_cost": 70, "build_turns": 4}
            ]}),
        ),
        setting("huge-12-wrapped", SizePreset::Huge, true, 12, json!({})),
    ]
}

/// Splitmix64: the journals hold what was drawn, so nothing depends on how.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// The orders of one player: everything the rules offer, now and then.
fn sheet(rules: &Rules, state: &State, seat: usize, random: &mut Random, survey: &mut Survey) -> OrderSheet {
    let player = state.players()[seat].id;
    let mut sheet = OrderSheet::empty(player);
    if !state.players()[seat].alive {
        return sheet;
    }
    let chart = Chart::new(rules, state, player);
    let own_ships = state.units().iter().filter(|u| u.owner == player).count();
    for unit in state.units().iter().filter(|u| u.owner == player) {
        let possible: Vec<Action> = unit_options(&chart, survey, unit.id)
            .map(|options| options.actions.into_iter().filter(|o| o.available.is_ok()).map(|o| o.action).collect())
            .unwrap_or_default();
        let wanted = |action: &Action| match action {
            Action::Bombard(_) => true,
            Action::Repair => unit.hp < unit.max_hp(rules),
            Action::DeployShipyard => own_ships > 4,
            _ => false,
        };
        let action = if let Some(action) = possible.iter().find(|a| wanted(a)).filter(|_| random.chance(60)) {
            Some(action.clone())
        } else if !possible.is_empty() && random.chance(12) {
            Some(possible[random.below(possible.len())].clone()).filter(|a| !matches!(a, Action::DeployShipyard))
        } else if unit.route.is_empty() || random.chance(15) {
            let targets: Vec<_> = state.units().iter().filter(|u| u.owner != player).map(|u| u.tile).collect();
            let grid = state.map().grid();
            let aim = if targets.is_empty() || random.chance(40) {
                grid.tiles().nth(random.below(grid.len())).expect("a tile")
            } else {
                targets[random.below(targets.len())]
            };
            course(&chart, survey, unit.id, grid.hex(aim)).ok().map(|course| Action::Move(course.hexes(grid)))
        } else {
            None
        };
        let engagement = random.chance(10).then(|| {
            [Engagement::Ask, Engagement::Evade, Engagement::Fight, Engagement::FightIfHealthy][random.below(4)]
        });
        let broadside = random.chance(20);
        if action.is_some() || broadside || engagement.is_some() {
            sheet.units.push(UnitOrder { unit: unit.id, action, broadside, engagement });
        }
    }
    for structure in state.structures().iter().filter(|s| s.owner == Some(player)) {
        let classes: Vec<_> = rules.class_ids().collect();
        let work = if !structure.queue.is_empty() && random.chance(3) {
            Work::CancelBuild(random.below(structure.queue.len()))
        } else if random.chance(50) {
            Work::Build(classes[random.below(classes.len())])
        } else {
            continue;
        };
        sheet.structures.push(StructureOrder { structure: structure.id, work });
    }
    let faults = judge(rules, state, &sheet).faults;
    let refused = |subject| faults.iter().any(|fault| fault.subject == Some(subject));
    sheet.units.retain(|order| !refused(parley_plunder::event::Subject::Unit(order.unit)));
    sheet.structures.retain(|order| !refused(parley_plunder::event::Subject::Structure(order.structure)));
    sheet
}

fn order_json(order: &UnitOrder) -> Value {
    let mut value = json!({"unit": order.unit.get()});
    match &order.action {
        None => {}
        Some(Action::Move(path)) => value["move"] = path.iter().map(|hex| json!([hex.q, hex.r])).collect(),
        Some(Action::Hold) => value["hold"] = json!({}),
        Some(Action::Repair) => value["repair"] = json!({}),
        Some(Action::Upgrade(upgrade)) => value["upgrade"] = json!(upgrade.key()),
        Some(Action::DeployShipyard) => value["deploy_shipyard"] = json!({}),
        Some(Action::Bombard(structure)) => value["bombard"] = json!(structure.get()),
        Some(Action::Press) => value["press"] = json!({}),
    }
    if order.broadside {
        value["broadside"] = json!(true);
    }
    if let Some(engagement) = order.engagement {
        value["engagement"] = json!(match engagement {
            Engagement::Ask => "ASK",
            Engagement::Evade => "EVADE",
            Engagement::Fight => "FIGHT",
            Engagement::FightIfHealthy => "FIGHT_IF_HEALTHY",
        });
    }
    value
}

fn work_json(rules: &Rules, order: &StructureOrder) -> Value {
    match order.work {
        Work::Build(class) => json!({"structure": order.structure.get(), "build": rules.class(class).key}),
        Work::CancelBuild(index) => json!({"structure": order.structure.get(), "cancel_build": index}),
    }
}

/// The first line of a journal: the opening as a scenario.
fn header(rules: &Rules, overrides: &Value, map: &Map, state: &State, seed: &str) -> Value {
    let text = map.to_text(rules);
    let hex = |tile| state.hex(tile);
    json!({
        "rules": overrides,
        "seed": seed,
        "turn": state.turn(),
        "map": {"width": text.width, "height": text.height, "wrap": text.wrap, "tiles": text.tiles},
        "players": state.players().iter().map(|p| json!({"id": p.id.get(), "gold": p.gold})).collect::<Value>(),
        "units": state.units().iter().map(|u| json!({
            "id": u.id.get(), "owner": u.owner.get(), "q": hex(u.tile).q, "r": hex(u.tile).r, "hp": u.hp
        })).collect::<Value>(),
        "structures": state.structures().iter().map(|s| json!({
            "id": s.id.get(), "owner": s.owner.map(|o| o.get()), "q": hex(s.tile).q, "r": hex(s.tile).r, "hp": s.hp
        })).collect::<Value>(),
    })
}

/// Plays a match and writes down its inputs and digests; `None` where it ended too early.
fn record(base: &Arc<Rules>, setting: &Setting, attempt: u64) -> Option<String> {
    let rules = Arc::new(base.with_overrides(&setting.rules).expect("sound overrides"));
    let mut random = Random(attempt.wrapping_mul(7_919) + setting.name.len() as u64);
    let (width, height) = (setting.preset.width(), setting.preset.height());
    let request = MapRequest { seed: attempt, width, height, wrap: setting.wrap, players: setting.players };
    let generated = generate(&rules, &request).expect("a fair map");
    let map = Arc::new(generated.map);
    let start = opening(&rules, Arc::clone(&map), &generated.starts).expect("an opening");
    let seed: String = (0..64).map(|_| char::from(b"0123456789abcdef"[random.below(16)])).collect();
    let first = header(&rules, &setting.rules, &map, &start, &seed).to_string();
    let scenario = Scenario::parse(base, &first).unwrap_or_else(|faults| panic!("{faults:?}"));
    let mut lines = vec![first];
    let (mut game, mut workspace) = (scenario.game().expect("no orders yet"), Workspace::new());
    let mut survey = Survey::new();
    while lines.len() <= TURNS && game.state().result().is_none() {
        let turn = game.turn();
        let sheets: Vec<OrderSheet> =
            (0..setting.players).map(|seat| sheet(&rules, game.state(), seat, &mut random, &mut survey)).collect();
        for sheet in &sheets {
            if game.state().player(sheet.player).is_some_and(|player| player.alive) {
                game.lock(game.judge(sheet).whole().expect("only legal orders are left")).expect("fits");
            }
        }
        let mut decisions = Vec::new();
        let mut answers: Vec<Answer> = Vec::new();
        loop {
            match game.advance(&mut workspace, &answers).expect("asked for") {
                Step::Resolved(outcome) => {
                    workspace.reclaim(*outcome);
                    break;
                }
                Step::Asked => {
                    answers.clear();
                    for question in game.questions() {
                        let Subject::Unit(unit) = question.about else { panic!("only ships meet") };
                        let passing = question.options.contains(&Choice::Proceed);
                        let (choice, word) = match random.below(10) {
                            0..4 => (Choice::Attack, "ATTACK"),
                            4..9 if passing => (Choice::Proceed, "PROCEED"),
                            4..9 => (Choice::Yield, "YIELD"),
                            _ => continue,
                        };
                        answers.extend(question.picking(&choice));
                        decisions.push(json!({"tick": question.tick, "unit": unit.get(), "choice": word}));
                    }
                }
            }
        }
        let mut orders: Vec<Value> = sheets.iter().flat_map(|s| &s.units).map(order_json).collect();
        orders.extend(sheets.iter().flat_map(|s| &s.structures).map(|order| work_json(&rules, order)));
        let inputs = json!({"orders": orders, "decisions": decisions});
        lines.push(json!({"turn": turn, "inputs": inputs, "digest": game.digest().to_string()}).to_string());
    }
    (lines.len() > LEAST).then(|| lines.join("\n") + "\n")
}

fn main() {
    let folder = PathBuf::from(std::env::args().nth(1).expect("the folder to write to"));
    let base = Arc::new(Rules::plunder());
    for setting in settings() {
        let text = (1..200).find_map(|attempt| record(&base, &setting, attempt)).expect("a long enough match");
        let replay = journal::replay(&base, &text).expect("what was recorded can be replayed");
        std::fs::write(folder.join(format!("{}.jsonl", setting.name)), &text).expect("written");
        println!("{}: {} turns, {} bytes, {}", setting.name, replay.turns, text.len(), replay.digest);
    }
}
