//! A slow, obviously-right second implementation of RULES.md, to compare the resolver with.

mod chacha;
mod combat;
mod contest;
mod economy;
mod encounter;
mod ending;
pub mod hex;
mod input;
mod movement;
mod output;
mod state;

use std::collections::BTreeMap;

use serde_json::Value;

/// Resolves one turn of a valid scenario (R5.6). `decide(tick, unit, kind)` is asked for every ASK ship in an
/// encounter; None is a decision that did not arrive.
pub fn resolve(scenario: &Value, decide: &mut dyn FnMut(u32, u32, &str) -> Option<String>) -> Value {
    let mut world = input::read(scenario);
    world.check("at the start");
    economy::income(&mut world);
    world.check("after income");
    economy::shipyard_work(&mut world);
    world.check("after shipyard work");
    contest::tick_zero(&mut world);
    world.check("after tick 0");
    let largest = world.units.values().map(|unit| unit.speed()).max();
    for tick in 1..=largest.unwrap_or(0) as u32 {
        let encounters = movement::tick(&mut world, tick);
        world.check("after the free moves");
        encounter::resolve_all(&mut world, tick, &encounters, decide);
        world.check("after a tick");
    }
    combat::broadsides(&mut world);
    world.check("after broadsides");
    economy::bombardment(&mut world);
    world.check("after bombardment");
    economy::construction(&mut world);
    world.check("after construction");
    ending::end(&mut world);
    world.check("at the end");
    output::write(world)
}

/// Resolves one turn with the scenario's own decisions.
pub fn resolve_scenario(scenario: &Value) -> Value {
    let mut decisions = BTreeMap::new();
    for decision in scenario["decisions"].as_array().into_iter().flatten() {
        let tick = decision["tick"].as_u64().unwrap() as u32;
        let unit = decision["unit"].as_u64().unwrap() as u32;
        decisions.insert((tick, unit), decision["choice"].as_str().unwrap().to_string());
    }
    resolve(scenario, &mut |tick, unit, _kind| decisions.get(&(tick, unit)).cloned())
}
