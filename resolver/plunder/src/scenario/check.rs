//! Turns a scenario as written into a state, sheets and decisions, or into all its faults.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use parley_core::dice::Seed;
use parley_core::grid::Tile;
use parley_core::hex::Hex;
use parley_core::ids::{ID_BOUND, MAX_PLAYER_ID, PlayerId, UnitId};
use parley_core::path::Path;
use smallvec::SmallVec;

use crate::event::Subject;
use crate::ids::{ClassId, StructureId};
use crate::legality::{Fault, LegalSheet, judge, trace_path};
use crate::map::{Map, MapText};
use crate::order::{Action, Choice, OrderSheet, StructureOrder, UnitOrder, Work};
use crate::rules::{Rules, Upgrade};
use crate::state::{Contest, Engagement, Job, MAX_GOLD, MAX_PLAYERS, MAX_STRUCTURES, Player, State, Structure, Unit};

use super::text::{
    ChoiceJson, ContestJson, DecisionJson, EngagementJson, InputsJson, OrderJson, PlayerJson, ScenarioText,
    StructureJson, UnitJson, UpgradeJson,
};
use super::{Inputs, MAX_SCENARIO_UNITS, Scenario};

/// Collects faults while a scenario is put together.
struct Checker {
    rules: Arc<Rules>,
    state: State,
    faults: Vec<Fault>,
    /// Units and structures that are listed but faulty: what refers to them is not a fault of its own.
    faulty_units: BTreeSet<u64>,
    faulty_structures: BTreeSet<u64>,
}

/// Checks everything that can be checked and names every fault found.
pub(super) fn check(base: &Arc<Rules>, text: ScenarioText) -> Result<Scenario, Vec<Fault>> {
    let mut faults = Vec::new();
    let malformed = |text: String| Fault::new(None, "", text);
    let seed = seed(&text.seed);
    if seed.is_none() {
        faults.push(malformed("seed: 64 hex digits are needed".to_owned()));
    }
    let turn = u32::try_from(text.turn).ok().filter(|&turn| turn < u32::MAX);
    if turn.is_none() {
        faults.push(malformed(format!("turn: {} is too large, {} is the most", text.turn, u32::MAX - 1)));
    }
    let counts = [
        ("players", text.players.len(), MAX_PLAYERS),
        ("units", text.units.len(), MAX_SCENARIO_UNITS),
        ("structures", text.structures.len(), MAX_STRUCTURES),
        ("contests", text.contests.len(), MAX_SCENARIO_UNITS),
        ("orders", text.orders.len(), 2 * MAX_SCENARIO_UNITS),
        ("decisions", text.decisions.len(), 256 * MAX_SCENARIO_UNITS),
    ];
    for (name, count, most) in counts.into_iter().filter(|&(_, count, most)| count > most) {
        faults.push(malformed(format!("{name}: {count} are too many, {most} are allowed")));
    }
    if text.players.is_empty() {
        faults.push(malformed("players: there are none".to_owned()));
    }
    let rules = match &text.rules {
        None => Some(Arc::clone(base)),
        Some(overrides) => match base.with_overrides(overrides) {
            Ok(rules) => Some(Arc::new(rules)),
            Err(error) => {
                faults.push(malformed(format!("rules: {error}")));
                None
            }
        },
    };
    let drawn = MapText { width: text.map.width, height: text.map.height, wrap: text.map.wrap, tiles: text.map.tiles };
    let map = Map::compile(&drawn, rules.as_ref().unwrap_or(base)).map_err(|wrong| faults.extend(wrong)).ok();
    let (Some(seed), Some(turn), Some(rules), Some(map)) = (seed, turn, rules, map) else { return Err(faults) };
    if !faults.is_empty() {
        return Err(faults);
    }
    let mut state = State::empty(Arc::new(map));
    state.turn = turn;
    let mut checker = Checker::new(rules, state);
    checker.players(&text.players);
    checker.units(&text.units);
    checker.structures(&text.structures);
    checker.contests(&text.contests);
    let sound = checker.faults.is_empty();
    let sheets = checker.sheets(text.orders, &text.concede, sound);
    let decisions = checker.decisions(&text.decisions);
    if !checker.faults.is_empty() {
        return Err(checker.faults);
    }
    Ok(Scenario { rules: checker.rules, seed, state: checker.state, sheets, decisions })
}

/// What the players of one turn say, checked against the state it is said in.
pub(super) fn inputs(rules: &Arc<Rules>, state: &State, text: InputsJson) -> Result<Inputs, Vec<Fault>> {
    let mut checker = Checker::new(Arc::clone(rules), state.clone());
    let sheets = checker.sheets(text.orders, &text.concede, true);
    let decisions = checker.decisions(&text.decisions);
    if checker.faults.is_empty() { Ok((sheets, decisions)) } else { Err(checker.faults) }
}

fn seed(text: &str) -> Option<Seed> {
    let digits = text.as_bytes();
    if digits.len() != 64 {
        return None;
    }
    let mut bytes = [0; 32];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks(2)) {
        let [high, low] = [pair[0], pair[1]].map(|c| char::from(c).to_digit(16));
        *byte = (high? * 16 + low?) as u8;
    }
    Some(Seed::from_bytes(bytes))
}

impl Checker {
    fn new(rules: Arc<Rules>, state: State) -> Self {
        let (faulty_units, faulty_structures) = (BTreeSet::new(), BTreeSet::new());
        Self { rules, state, faults: Vec::new(), faulty_units, faulty_structures }
    }

    fn fault(&mut self, subject: Option<Subject>, rule: &'static str, text: String) {
        self.faults.push(Fault::new(subject, rule, text));
    }

    fn tile(&self, q: i64, r: i64) -> Option<Tile> {
        let hex = Hex::new(i32::try_from(q).ok()?, i32::try_from(r).ok()?);
        self.state.map.grid().tile(hex)
    }

    fn players(&mut self, list: &[PlayerJson]) {
        for player in list {
            let Some(id) = PlayerId::new(player.id) else {
                let text = format!("player {}: the id is too large, {MAX_PLAYER_ID} is the most", player.id);
                self.fault(None, "R1", text);
                continue;
            };
            let gold = player.gold.unwrap_or_else(|| i64::from(self.rules.economy().start_gold.get()));
            if !(0..=MAX_GOLD).contains(&gold) {
                self.fault(None, "R11.6", format!("player {id}: gold is {gold}, 0 to {MAX_GOLD} is allowed"));
            }
            self.state.players.push(Player { id, gold, alive: player.alive });
        }
        self.state.players.sort_by_key(|p| p.id);
        let twice = duplicates(self.state.players.iter().map(|p| p.id));
        for id in twice {
            self.fault(None, "R1", format!("player {id}: the id appears more than once"));
        }
        self.state.players.dedup_by_key(|p| p.id);
    }

    fn units(&mut self, list: &[UnitJson]) {
        let mut units = Vec::with_capacity(list.len());
        for unit in list {
            let Some(id) = UnitId::new(unit.id) else {
                self.fault(None, "R1", format!("unit {}: the id is too large, ids are below {ID_BOUND}", unit.id));
                continue;
            };
            let subject = Some(Subject::Unit(id));
            match self.unit(id, unit) {
                Ok(unit) => units.push(unit),
                Err(wrong) => {
                    self.faulty_units.insert(unit.id);
                    for (rule, text) in wrong {
                        self.fault(subject, rule, text);
                    }
                }
            }
        }
        units.sort_by_key(|u| u.id);
        for id in duplicates(list.iter().map(|u| u.id)) {
            self.fault(None, "R1", format!("unit {id}: the id appears more than once"));
        }
        units.dedup_by_key(|u| u.id);
        self.state.next_unit = units.last().map_or(1, |u| u.id.get() + 1);
        self.state.units = units;
        self.nobody_shares_a_tile();
    }

    fn unit(&self, id: UnitId, unit: &UnitJson) -> Result<Unit, Vec<(&'static str, String)>> {
        let mut wrong = Vec::new();
        let owner = PlayerId::new(unit.owner).filter(|&owner| match self.state.player(owner) {
            Some(player) if player.alive => true,
            Some(_) => {
                wrong.push(("R12.1", format!("its owner {owner} is eliminated")));
                false
            }
            None => false,
        });
        if owner.is_none() && wrong.is_empty() {
            wrong.push(("R1", format!("its owner {} is not a player", unit.owner)));
        }
        let class = self.class(unit.class.as_deref().unwrap_or(&self.rules.classes()[0].key));
        if class.is_none() {
            wrong.push(("R4", format!("there is no class {:?}", unit.class.as_deref().unwrap_or_default())));
        }
        let tile = self.tile(unit.q, unit.r);
        if tile.is_none() {
            wrong.push(("R3.1", format!("({}, {}) is not on the map", unit.q, unit.r)));
        }
        for (upgrade, fitted) in
            [(Upgrade::Sails, unit.sails), (Upgrade::Cannons, unit.cannons), (Upgrade::Hull, unit.hull)]
        {
            let most = self.rules.upgrade(upgrade).max;
            if fitted > most.into() {
                wrong.push(("R4", format!("{} is {fitted}, 0 to {most} is allowed", upgrade.key())));
            }
        }
        let (Some(owner), Some(class), Some(tile), true) = (owner, class, tile, wrong.is_empty()) else {
            return Err(wrong);
        };
        let mut known = Unit {
            id,
            tile,
            owner,
            class,
            hp: 0,
            sails: unit.sails as u8,
            cannons: unit.cannons as u8,
            hull: unit.hull as u8,
            engagement: unit.engagement.map(engagement).unwrap_or_default(),
            route: Path::EMPTY,
        };
        let most = known.max_hp(&self.rules);
        if unit.hp == 0 || unit.hp > most.into() {
            wrong.push(("R4", format!("hp is {}, 1 to {most} is allowed", unit.hp)));
        }
        known.hp = unit.hp.min(most.into()) as u16;
        let domain = self.rules.class(class).domain;
        let map = &self.state.map;
        if !map.navigable(tile, domain) {
            wrong.push(("R3.2", format!("it cannot be at {}, which is land", self.state.hex(tile))));
        }
        if !unit.route.is_empty() {
            let route = path(&unit.route).and_then(|hexes| {
                trace_path(map.grid(), tile, &hexes, |t| map.navigable(t, domain)).map_err(|(_, text)| text)
            });
            match route {
                Ok(route) => known.route = route,
                Err(text) => wrong.push(("R5.5", text.replace("its path", "its route"))),
            }
        }
        if wrong.is_empty() { Ok(known) } else { Err(wrong) }
    }

    /// R2.1: one fault for each tile with two owners.
    fn nobody_shares_a_tile(&mut self) {
        let mut places: Vec<_> = self.state.units.iter().map(|u| (u.tile, u.owner, u.id)).collect();
        places.sort_unstable();
        let mut wrong = Vec::new();
        for here in places.chunk_by(|a, b| a.0 == b.0) {
            if let Some(other) = here.iter().find(|place| place.1 != here[0].1) {
                let hex = self.state.hex(here[0].0);
                wrong.push(format!("units {} and {} of different owners are both at {hex}", here[0].2, other.2));
            }
        }
        for text in wrong {
            self.fault(None, "R2.1", text);
        }
    }

    fn structures(&mut self, list: &[StructureJson]) {
        let mut known = Vec::with_capacity(list.len());
        for structure in list {
            let Some(id) = StructureId::new(structure.id) else {
                let text = format!("structure {}: the id is too large, ids are below {ID_BOUND}", structure.id);
                self.fault(None, "R1", text);
                continue;
            };
            match self.structure(id, structure) {
                Ok(structure) => known.push(structure),
                Err(wrong) => {
                    self.faulty_structures.insert(structure.id);
                    for (rule, text) in wrong {
                        self.fault(Some(Subject::Structure(id)), rule, text);
                    }
                }
            }
        }
        for id in duplicates(list.iter().map(|s| s.id)) {
            self.fault(None, "R1", format!("structure {id}: the id appears more than once"));
        }
        for tile in duplicates(known.iter().map(|s| s.tile)) {
            self.fault(None, "R11.2", format!("several structures are at {}", self.state.hex(tile)));
        }
        known.sort_by_key(|s| s.id);
        known.dedup_by_key(|s| s.id);
        self.state.next_structure = known.last().map_or(1, |s| s.id.get() + 1);
        self.state.structures = known;
    }

    fn structure(&self, id: StructureId, structure: &StructureJson) -> Result<Structure, Vec<(&'static str, String)>> {
        let mut wrong = Vec::new();
        let owner = structure.owner.map(|owner| {
            let known = PlayerId::new(owner).filter(|&owner| self.state.player(owner).is_some_and(|p| p.alive));
            if known.is_none() {
                wrong.push(("R1", format!("its owner {owner} is not a living player")));
            }
            known
        });
        let tile = self.tile(structure.q, structure.r);
        match tile {
            None => wrong.push(("R3.1", format!("({}, {}) is not on the map", structure.q, structure.r))),
            Some(tile) if !self.state.map.is_harbor(tile) => {
                wrong.push(("R11.2", format!("{} is not a harbor", self.state.hex(tile))));
            }
            Some(_) => {}
        }
        let most = self.rules.shipyard().hp.get();
        if structure.hp == 0 || structure.hp > most.into() {
            wrong.push(("R11.5", format!("hp is {}, 1 to {most} is allowed", structure.hp)));
        }
        let longest = self.rules.shipyard().queue.get() as usize;
        if structure.queue.len() > longest {
            wrong.push(("R11.2", format!("its queue has {} builds, {longest} are allowed", structure.queue.len())));
        }
        let mut queue = arrayvec::ArrayVec::new();
        for job in structure.queue.iter().take(longest) {
            match self.class(&job.class) {
                None => wrong.push(("R4", format!("there is no class {:?}", job.class))),
                Some(class) if job.turns_left > self.rules.class(class).build_turns.into() => {
                    let turns = self.rules.class(class).build_turns;
                    wrong.push(("R11.2", format!("{} turns are left for a build of {turns}", job.turns_left)));
                }
                Some(class) => queue.push(Job { class, turns_left: job.turns_left as u8 }),
            }
        }
        match (wrong.is_empty(), tile) {
            (true, Some(tile)) => Ok(Structure { id, owner: owner.flatten(), tile, hp: structure.hp as u16, queue }),
            _ => Err(wrong),
        }
    }

    fn contests(&mut self, list: &[ContestJson]) {
        let mut occupied: Vec<Tile> = self.state.units.iter().map(|u| u.tile).collect();
        occupied.sort_unstable();
        let mut known: Vec<Contest> = Vec::with_capacity(list.len());
        for contest in list {
            let Some(tile) = self.tile(contest.q, contest.r) else {
                self.fault(None, "R3.1", format!("contest: ({}, {}) is not on the map", contest.q, contest.r));
                continue;
            };
            let mut wrong = Vec::new();
            let domains = self.rules.classes().iter().map(|c| c.domain);
            if !domains.into_iter().any(|domain| self.state.map.navigable(tile, domain)) {
                wrong.push("is on land".to_owned());
            }
            if occupied.binary_search(&tile).is_ok() {
                wrong.push("is not empty: a ship stands on it".to_owned());
            }
            if self.state.structure_at(tile).is_some() {
                wrong.push("is on a harbor with a structure".to_owned());
            }
            if contest.since > self.state.turn.into() {
                wrong.push(format!("began in turn {}, after this one", contest.since));
            }
            if contest.rounds > 1_000_000 {
                wrong.push(format!("has {} rounds, 1000000 is the most", contest.rounds));
            }
            let mut contenders: SmallVec<[UnitId; 4]> = SmallVec::new();
            for &number in &contest.contenders {
                let unit = UnitId::new(number).and_then(|id| self.state.unit(id));
                match unit {
                    None if self.faulty_units.contains(&number) => {}
                    None => wrong.push(format!("names unit {number}, which is not there")),
                    Some(unit) if !self.state.map.grid().adjacent(unit.tile, tile) => {
                        wrong.push(format!("names unit {number}, which is not adjacent"));
                    }
                    Some(unit) => contenders.push(unit.id),
                }
            }
            contenders.sort_unstable();
            for text in wrong {
                self.fault(None, "R9.1", format!("contest at {} {text}", self.state.hex(tile)));
            }
            let (since, rounds) = (contest.since as u32, contest.rounds as u32);
            known.push(Contest { tile, since, rounds, contenders });
        }
        for tile in duplicates(known.iter().map(|c| c.tile)) {
            self.fault(None, "R9.1", format!("contest at {} appears more than once", self.state.hex(tile)));
        }
        for unit in duplicates(known.iter().flat_map(|c| c.contenders.iter().copied())) {
            self.fault(Some(Subject::Unit(unit)), "R9.1", "is named more than once as a contender".to_owned());
        }
        let grid = *self.state.map.grid();
        known.sort_by_key(|c| grid.hex(c.tile));
        self.state.contests = known;
    }

    /// One legal sheet per player with orders. They are judged on a state that is sound; on a broken one that
    /// would only repeat its faults.
    fn sheets(&mut self, list: Vec<OrderJson>, concede: &[u64], sound: bool) -> Vec<LegalSheet> {
        let said = self.orders(list, concede);
        let mut legal = Vec::new();
        for sheet in said.iter().filter(|_| sound) {
            match judge(&self.rules, &self.state, sheet).whole() {
                Ok(sheet) => legal.push(sheet),
                Err(wrong) => self.faults.extend(wrong),
            }
        }
        legal
    }

    /// Sorts the orders into one sheet per player.
    fn orders(&mut self, list: Vec<OrderJson>, concede: &[u64]) -> Vec<OrderSheet> {
        let mut sheets: BTreeMap<PlayerId, OrderSheet> = BTreeMap::new();
        for (number, order) in list.into_iter().enumerate() {
            match (order.unit, order.structure) {
                (Some(unit), None) if self.faulty_units.contains(&unit) => {}
                (None, Some(structure)) if self.faulty_structures.contains(&structure) => {}
                (Some(unit), None) => match self.unit_order(unit, order) {
                    Ok((owner, order)) => {
                        sheets.entry(owner).or_insert_with(|| OrderSheet::empty(owner)).units.push(order)
                    }
                    Err((rule, text)) => self.fault(None, rule, format!("unit {unit}: {text}")),
                },
                (None, Some(structure)) => match self.structure_order(structure, &order) {
                    Ok((owner, order)) => {
                        sheets.entry(owner).or_insert_with(|| OrderSheet::empty(owner)).structures.push(order);
                    }
                    Err((rule, text)) => self.fault(None, rule, format!("structure {structure}: {text}")),
                },
                _ => {
                    let text = format!("order number {} names both a unit and a structure, or neither", number + 1);
                    self.fault(None, "R5.3", text);
                }
            }
        }
        for &number in concede {
            match PlayerId::new(number).filter(|&id| self.state.player(id).is_some_and(|p| p.alive)) {
                Some(id) => sheets.entry(id).or_insert_with(|| OrderSheet::empty(id)).concede = true,
                None => self.fault(None, "R12.3", format!("player {number}, who concedes, is not a living player")),
            }
        }
        sheets.into_values().collect()
    }

    fn unit_order(&self, number: u64, order: OrderJson) -> Result<(PlayerId, UnitOrder), (&'static str, String)> {
        let Some(unit) = UnitId::new(number).and_then(|id| self.state.unit(id)) else {
            return Err(("R1", "there is no such unit to order".to_owned()));
        };
        if order.build.is_some() || order.cancel_build.is_some() {
            return Err(("R5.4", "a unit does not build".to_owned()));
        }
        let mut actions = Vec::new();
        if let Some(hexes) = order.path {
            actions.push(Action::Move(path(&hexes).map_err(|text| ("R5.5", text))?));
        }
        actions.extend(order.hold.map(|_| Action::Hold));
        actions.extend(order.repair.map(|_| Action::Repair));
        actions.extend(order.upgrade.map(|upgrade| {
            Action::Upgrade(match upgrade {
                UpgradeJson::Sails => Upgrade::Sails,
                UpgradeJson::Cannons => Upgrade::Cannons,
                UpgradeJson::Hull => Upgrade::Hull,
            })
        }));
        actions.extend(order.deploy_shipyard.map(|_| Action::DeployShipyard));
        if let Some(target) = order.bombard {
            let target = StructureId::new(target).ok_or(("R11.5", format!("there is no structure {target}")))?;
            actions.push(Action::Bombard(target));
        }
        actions.extend(order.press.map(|_| Action::Press));
        if actions.len() > 1 {
            return Err(("R5.3", format!("its order names {} actions, one is allowed", actions.len())));
        }
        let action = actions.pop();
        if action.is_none() && order.broadside.is_none() && order.engagement.is_none() {
            return Err(("R5.4", "its order says nothing".to_owned()));
        }
        let (broadside, engagement) = (order.broadside.unwrap_or(false), order.engagement.map(engagement));
        Ok((unit.owner, UnitOrder { unit: unit.id, action, broadside, engagement }))
    }

    fn structure_order(
        &self,
        number: u64,
        order: &OrderJson,
    ) -> Result<(PlayerId, StructureOrder), (&'static str, String)> {
        let Some(structure) = StructureId::new(number).and_then(|id| self.state.structure(id)) else {
            return Err(("R1", "there is no such structure to order".to_owned()));
        };
        let Some(owner) = structure.owner else {
            return Err(("R12.1", "a neutral structure takes no orders".to_owned()));
        };
        let ships_only = order.path.is_some()
            || order.hold.is_some()
            || order.repair.is_some()
            || order.upgrade.is_some()
            || order.deploy_shipyard.is_some()
            || order.bombard.is_some()
            || order.press.is_some()
            || order.broadside.is_some()
            || order.engagement.is_some();
        let work = match (&order.build, order.cancel_build) {
            (Some(key), None) => Work::Build(self.class(key).ok_or(("R4", format!("there is no class {key:?}")))?),
            (None, Some(index)) => Work::CancelBuild(usize::try_from(index).unwrap_or(usize::MAX)),
            _ => return Err(("R5.3", "its order is one of build and cancel_build".to_owned())),
        };
        if ships_only {
            return Err(("R5.4", "a structure only builds or cancels".to_owned()));
        }
        Ok((owner, StructureOrder { structure: structure.id, work }))
    }

    fn decisions(&mut self, list: &[DecisionJson]) -> BTreeMap<(u8, UnitId), Choice> {
        let mut known = BTreeMap::new();
        for decision in list {
            if self.faulty_units.contains(&decision.unit) {
                continue;
            }
            let unit = UnitId::new(decision.unit).filter(|&id| self.state.unit(id).is_some());
            let tick = u8::try_from(decision.tick).ok().filter(|tick| (1..=254).contains(tick));
            let (Some(unit), Some(tick)) = (unit, tick) else {
                let what = if unit.is_none() { "unit" } else { "tick" };
                let text =
                    format!("decision of unit {} in tick {}: there is no such {what}", decision.unit, decision.tick);
                self.fault(None, "R7.2", text);
                continue;
            };
            let choice = match decision.choice {
                ChoiceJson::Proceed => Choice::Proceed,
                ChoiceJson::Yield => Choice::Yield,
                ChoiceJson::Attack => Choice::Attack,
            };
            if known.insert((tick, unit), choice).is_some() {
                self.fault(Some(Subject::Unit(unit)), "R7.2", format!("decides twice in tick {tick}"));
            }
        }
        known
    }

    fn class(&self, key: &str) -> Option<ClassId> {
        self.rules.class_named(key)
    }
}

fn engagement(text: EngagementJson) -> Engagement {
    match text {
        EngagementJson::Ask => Engagement::Ask,
        EngagementJson::Evade => Engagement::Evade,
        EngagementJson::Fight => Engagement::Fight,
        EngagementJson::FightIfHealthy => Engagement::FightIfHealthy,
    }
}

fn path(pairs: &[[i64; 2]]) -> Result<Vec<Hex>, String> {
    let hex = |&[q, r]: &[i64; 2]| match (i32::try_from(q), i32::try_from(r)) {
        (Ok(q), Ok(r)) => Ok(Hex::new(q, r)),
        _ => Err(format!("({q}, {r}) of its path is not on the map")),
    };
    pairs.iter().map(hex).collect()
}

/// The values that appear more than once, each once.
fn duplicates<T: Ord + Copy>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut values: Vec<T> = values.collect();
    values.sort_unstable();
    values.chunk_by(|a, b| a == b).filter(|same| same.len() > 1).map(|same| same[0]).collect()
}
