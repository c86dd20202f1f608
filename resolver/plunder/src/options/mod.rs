//! What a unit or a structure may be ordered to do, what it costs, and why something is not possible.
//!
//! Whether an order is legal is asked of [`judge`], and nothing of it is decided here again. Only money, which is
//! never judged when an order is staged, is added (R11.3). Each option is judged alone: a sheet that takes several of
//! them can still run out of gold, or of room in the fleet.

use parley_core::grid::Tile;
use parley_core::ids::{PlayerId, UnitId};
use parley_core::path::MAX_PATH;

use crate::event::Subject;
use crate::ids::{ClassId, StructureId};
use crate::legality::{Fault, judge, judge_player};
use crate::order::{Action, OrderSheet, StructureOrder, UnitOrder, Work};
use crate::preview::{Chart, Survey};
use crate::rules::{Broadsides, Rules, Stage, Upgrade};
use crate::state::{MAX_GOLD, State, Unit};

/// A tile that a unit can reach in the turn being planned, if nobody gets in its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach {
    /// The tile that can be reached.
    pub tile: Tile,
    /// The tick in which it arrives.
    pub tick: u8,
    /// The tile it comes from: the unit's own, or one that is reached a tick earlier.
    pub from: Tile,
}

/// Something that a unit could be ordered to do besides moving.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionOption {
    /// The action that could be ordered.
    pub action: Action,
    /// The price of the action, in gold.
    pub cost: u32,
    /// Whether the action is possible now, or the rule against it.
    pub available: Result<(), Fault>,
}

/// What a unit may do in the turn being planned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitOptions {
    /// The unit that the options are about.
    pub unit: UnitId,
    /// Everywhere it can get to, nearest first.
    pub reach: Vec<Reach>,
    /// What it can do instead of moving. `Press` is among it for a contender; for other units it is a hold (R5.4).
    pub actions: Vec<ActionOption>,
    /// Whether the unit may be ordered to fire after the last tick; whether it will have a target nobody knows yet
    /// (R10).
    pub broadside: Result<(), Fault>,
}

impl UnitOptions {
    /// The shortest path to a tile in reach, as [`crate::preview::course`] would find it.
    pub fn path(&self, target: Tile) -> Option<Vec<Tile>> {
        let mut path = Vec::new();
        let mut wanted = target;
        for reach in self.reach.iter().rev() {
            if reach.tile == wanted {
                path.push(wanted);
                wanted = reach.from;
            }
        }
        path.reverse();
        (!path.is_empty()).then_some(path)
    }
}

/// A class that a structure could build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildOption {
    /// The class that could be built.
    pub class: ClassId,
    /// The price of the ship, in gold.
    pub cost: u32,
    /// How many turns it takes once it is the head of the queue.
    pub turns: u32,
    /// How many turns it takes with the queue as it is, the turn being planned included.
    pub ready_in: u32,
    /// Whether the build is possible now, or the rule against it.
    pub available: Result<(), Fault>,
}

/// A build that could be taken out of a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CancelOption {
    /// The build's place in the queue, counted from 0 at its head.
    pub index: usize,
    /// What is being built.
    pub class: ClassId,
    /// The gold that cancelling it gives back.
    pub refund: u32,
    /// Whether cancelling is possible now, or the rule against it.
    pub available: Result<(), Fault>,
}

/// What a structure may do in the turn being planned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StructureOptions {
    /// The structure that the options are about.
    pub structure: StructureId,
    /// One option for every class of the rules.
    pub builds: Vec<BuildOption>,
    /// One option for every build in the queue.
    pub cancels: Vec<CancelOption>,
}

/// What a player's own unit may do; `None` for any other unit.
pub fn unit_options(chart: &Chart<'_>, survey: &mut Survey, unit: UnitId) -> Option<UnitOptions> {
    let known = chart.unit(unit)?;
    let (rules, state) = (chart.rules(), chart.state());
    let purse = purse(rules, state, chart.player());
    let price = |action: Action| {
        let cost = cost(rules, &action);
        let available =
            judge_action(chart, unit, action.clone()).and_then(|()| afford(Subject::Unit(unit), cost, purse));
        ActionOption { action, cost, available }
    };
    let over = judge_player(state, chart.player());
    let reach = if over.is_some() { Vec::new() } else { reach(chart, survey, known) };
    let broadside = match over {
        Some(fault) => Err(Fault { subject: Some(Subject::Unit(unit)), ..fault }),
        None if rules.raw().broadsides == Broadsides::Off => {
            Err(Fault::new(Some(Subject::Unit(unit)), "R10", "these rules have no broadsides".to_owned()))
        }
        None => Ok(()),
    };
    Some(UnitOptions { unit, reach, actions: actions(chart, known).into_iter().map(price).collect(), broadside })
}

/// What a player's own structure may do; `None` for any other structure.
pub fn structure_options(chart: &Chart<'_>, structure: StructureId) -> Option<StructureOptions> {
    let (rules, state) = (chart.rules(), chart.state());
    let known = state.structure(structure).filter(|s| s.owner == Some(chart.player()))?;
    let purse = purse(rules, state, chart.player());
    // Only the head advances, and one that waits for a free tile takes a turn at least (R11.2, R11.4).
    let ahead: u32 = known.queue.iter().map(|job| u32::from(job.turns_left).max(1)).sum();
    let build = |class: ClassId| {
        let (cost, turns) = (rules.class(class).build_cost, u32::from(rules.class(class).build_turns));
        let available = judge_work(chart, structure, Work::Build(class))
            .and_then(|()| afford(Subject::Structure(structure), cost, purse));
        BuildOption { class, cost, turns, ready_in: ahead + turns, available }
    };
    let cancel = |(index, class): (usize, ClassId)| CancelOption {
        index,
        class,
        refund: rules.refund(class),
        available: judge_work(chart, structure, Work::CancelBuild(index)),
    };
    Some(StructureOptions {
        structure,
        builds: rules.class_ids().map(build).collect(),
        cancels: known.queue.iter().map(|job| job.class).enumerate().map(cancel).collect(),
    })
}

/// The actions that are worth telling the owner of a unit about, possible or not.
fn actions(chart: &Chart<'_>, unit: &Unit) -> Vec<Action> {
    let state = chart.state();
    let mut actions = vec![Action::Hold];
    if state.contest_of(unit.id).is_some() {
        actions.push(Action::Press);
    }
    actions.push(Action::Repair);
    actions.extend(Upgrade::ALL.map(Action::Upgrade));
    actions.push(Action::DeployShipyard);
    let beside = state.structures().iter().filter(|s| state.map().grid().adjacent(s.tile, unit.tile));
    actions.extend(beside.filter(|s| chart.sees(s.tile)).map(|s| Action::Bombard(s.id)));
    actions
}

fn cost(rules: &Rules, action: &Action) -> u32 {
    match action {
        Action::Repair => rules.economy().repair_cost.get(),
        Action::Upgrade(upgrade) => rules.upgrade(*upgrade).cost,
        Action::DeployShipyard => rules.shipyard().deploy_cost.get(),
        Action::Move(_) | Action::Hold | Action::Bombard(_) | Action::Press => 0,
    }
}

fn judge_action(chart: &Chart<'_>, unit: UnitId, action: Action) -> Result<(), Fault> {
    let order = UnitOrder { unit, action: Some(action), broadside: false, engagement: None };
    let sheet = OrderSheet { units: vec![order], ..OrderSheet::empty(chart.player()) };
    first_fault(chart, &sheet, Subject::Unit(unit))
}

fn judge_work(chart: &Chart<'_>, structure: StructureId, work: Work) -> Result<(), Fault> {
    let order = StructureOrder { structure, work };
    let sheet = OrderSheet { structures: vec![order], ..OrderSheet::empty(chart.player()) };
    first_fault(chart, &sheet, Subject::Structure(structure))
}

/// The verdict on a sheet with one order; a fault of the whole sheet is one of that order too.
fn first_fault(chart: &Chart<'_>, sheet: &OrderSheet, subject: Subject) -> Result<(), Fault> {
    match judge(chart.rules(), chart.state(), sheet).faults.into_iter().next() {
        Some(fault) => Err(Fault { subject: Some(subject), ..fault }),
        None => Ok(()),
    }
}

/// What a player can spend in this turn: gold, and the income, which is paid before the work where there is any (R5.6).
fn purse(rules: &Rules, state: &State, player: PlayerId) -> i64 {
    let gold = state.player(player).map_or(0, |p| p.gold);
    if !rules.stages().contains(&Stage::Income) {
        return gold;
    }
    let ships = state.units().iter().filter(|unit| unit.owner == player).count();
    (gold + rules.income(state.shipyards(player) as i64, ships as i64)).min(MAX_GOLD)
}

fn afford(subject: Subject, cost: u32, purse: i64) -> Result<(), Fault> {
    if i64::from(cost) <= purse {
        return Ok(());
    }
    Err(Fault::new(Some(subject), "R11.3", format!("costs {cost} gold, there will be {purse}")))
}

/// Everywhere a unit can get to within its speed over tiles that are open as far as its owner knows. Other ships
/// are not in the way, because nobody knows where they will be.
fn reach(chart: &Chart<'_>, survey: &mut Survey, unit: &Unit) -> Vec<Reach> {
    let most = (unit.speed(chart.rules()) as usize).min(MAX_PATH) as u32;
    let domain = chart.rules().class(unit.class).domain;
    let finds = survey.spread(chart.state().map().grid(), unit.tile, most, |tile| chart.is_open(tile, domain));
    let reach = finds.iter().skip(1);
    reach.map(|f| Reach { tile: f.tile, tick: f.steps as u8, from: finds[f.before as usize].tile }).collect()
}

#[cfg(test)]
mod tests;
