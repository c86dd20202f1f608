//! A recorded match of the naval game: how it began, what its sheets say, and what a turn came to.

mod sheet;

use std::sync::Arc;

use parley_core::game::Outcome;
use parley_core::grid::Grid;
use parley_core::ids::PlayerId;
use parley_core::sight::Memory;
use parley_plunder::compare::{Difference, Entity};
use parley_plunder::event::{Body, Event, Subject};
use parley_plunder::explain::explain;
use parley_plunder::map::Map;
use parley_plunder::order::OrderSheet;
use parley_plunder::rules::Rules;
use parley_plunder::ruleset::{Game, Plunder};
use parley_plunder::state::State;
use parley_plunder::view::{SeenEvent, Viewer, Witness, snapshot};
use parley_proto::v1::ReplayHeader;

use super::sentences::Teller;
use super::wire;
use crate::replay::account::Sentence;
use crate::replay::{Finding, RecordedRuleset};
use crate::sentences::Names;

/// The tick of broadsides, which is called by a name.
const BROADSIDES: u8 = 255;

fn fault(field: &'static str, reason: impl Into<String>) -> Finding {
    Finding::new("header", field, reason)
}

impl RecordedRuleset for Plunder {
    fn opening(header: &ReplayHeader) -> Result<(Arc<Rules>, State), Finding> {
        let rules = rules(header)?;
        let map = header.map.as_ref().ok_or_else(|| fault("map", "it is missing"))?;
        let map = Map::from_terrain(&rules, map.width, map.height, map.wrap, &map.terrain)
            .map_err(|error| fault("map", error.to_string()))?;
        let state = State::decode(&rules, &Arc::new(map), &header.initial_state)
            .map_err(|error| fault("initial_state", error.to_string()))?;
        Ok((rules, state))
    }

    fn opening_under(
        rules: &Arc<Rules>,
        header: &ReplayHeader,
        (own, first): (&Arc<Rules>, &State),
    ) -> Result<State, Finding> {
        same_tables(own, rules)?;
        let grid = first.map().grid();
        let terrain = first.map().terrain_rows();
        let map = Map::from_terrain(rules, grid.width(), grid.height(), grid.wrap(), &terrain)
            .map_err(|error| fault("map", error.to_string()))?;
        State::decode(rules, &Arc::new(map), &header.initial_state)
            .map_err(|error| fault("initial_state", error.to_string()))
    }

    fn players(state: &State) -> Vec<PlayerId> {
        state.players().iter().map(|player| player.id).collect()
    }

    fn recorded_sheet(
        rules: &Rules,
        player: PlayerId,
        sheet: Option<&[u8]>,
        conceded: bool,
    ) -> Result<(OrderSheet, Vec<String>), String> {
        let (mut orders, faults) = match sheet {
            Some(sheet) => sheet::read(rules, player, sheet)?,
            None => (OrderSheet::empty(player), Vec::new()),
        };
        orders.concede |= conceded;
        Ok((orders, faults))
    }

    fn name_of(subject: &Subject) -> String {
        match subject {
            Subject::Unit(unit) => format!("unit {unit}"),
            Subject::Structure(structure) => format!("structure {structure}"),
        }
    }

    fn compare(
        (rules, first): (&Arc<Rules>, &State),
        found: &State,
        recorded: &[u8],
        outcome: &Outcome<Self>,
    ) -> Result<(), Finding> {
        // The two states may have maps of their own, which differ in what their terrains mean.
        let read = |state: &[u8]| {
            State::decode(rules, first.map(), state).map_err(|error| Finding::new("match", "state", error.to_string()))
        };
        let recorded = read(recorded)?;
        match read(&found.encode())?.first_difference(&recorded) {
            Some(difference) => Err(finding(&difference, outcome)),
            None => Ok(()),
        }
    }

    fn tell(game: &Game, names: &Names, outcome: &Outcome<Self>) -> (Vec<Sentence>, Vec<String>) {
        let (rules, before) = (game.rules(), &outcome.before);
        let grid = before.map().grid();
        let mut teller = teller(rules, before, names);
        let seen = Witness::new(rules, before, Viewer::Everything).follow(&outcome.events, &mut Memory::new(grid));
        // What could not be carried out is told once, among the shortfalls.
        let sentence = |seen: &SeenEvent| Some(sentence(seen.tick, teller.tell(&wire::event(rules, grid, seen))?));
        let events = seen.events.iter().filter_map(sentence).collect();
        (events, outcome.shortfalls.iter().map(|shortfall| explain(grid, shortfall)).collect())
    }
}

fn sentence(tick: Option<u8>, text: String) -> Sentence {
    let mut sentence = Sentence::new(tick, text);
    if tick == Some(BROADSIDES) {
        sentence.heading = "Broadsides".to_owned();
    }
    sentence
}

/// A teller who has seen the state that a turn begins with.
fn teller(rules: &Rules, state: &State, names: &Names) -> Teller {
    let view = snapshot(rules, state, Viewer::Everything, &Memory::new(state.map().grid()));
    let mut teller = Teller::new(names.clone());
    teller.look(&wire::view(rules, &view));
    teller
}

fn rules(header: &ReplayHeader) -> Result<Arc<Rules>, Finding> {
    let rules = Rules::from_json(&header.rules).map_err(|error| fault("rules", error.to_string()))?;
    if rules.to_json() != header.rules {
        return Err(fault("rules", "they are not written as their hash wants it"));
    }
    if header.rules_hash != rules.hash().as_bytes()[..] {
        return Err(fault("rules_hash", format!("the rules have the hash {}", rules.hash())));
    }
    Ok(Arc::new(rules))
}

/// Checks that both rules have the same rows of terrains and classes, because they are recorded as rows of tables.
fn same_tables(old: &Rules, new: &Rules) -> Result<(), Finding> {
    let fault = |field| Err(fault(field, "the other rules have other rows in this table"));
    if !new
        .terrains()
        .iter()
        .map(|row| &row.key)
        .take(old.terrains().len())
        .eq(old.terrains().iter().map(|row| &row.key))
    {
        return fault("terrains");
    }
    if !new.classes().iter().map(|row| &row.key).take(old.classes().len()).eq(old.classes().iter().map(|row| &row.key))
    {
        return fault("classes");
    }
    Ok(())
}

/// The finding that a state is not the one a turn leads to. The tick is that of the first event about what differs.
fn finding(difference: &Difference, outcome: &Outcome<Plunder>) -> Finding {
    let Difference { entity, field, left, right } = difference;
    let reason = format!("the turn leads to {left}, recorded is {right}");
    let tick = first_tick(*entity, outcome, outcome.before.map().grid());
    Finding { tick, ..Finding::new(entity.to_string(), field, reason) }
}

/// The tick of the first event about an entity. Gold and what was skipped are told of a whole turn, as all verifiers have it.
fn first_tick(entity: Entity, outcome: &Outcome<Plunder>, grid: &Grid) -> Option<u8> {
    let in_tick = |event: &&Event| !matches!(event.body, Body::Gold { .. } | Body::Skipped { .. });
    let about = outcome.events.iter().filter(in_tick).filter(|event| event.body.entities(grid).contains(&entity));
    about.filter_map(|event| event.tick).next()
}
