//! What shipyards do and what is done to them: work (R11.2), bombardment (R11.5), construction (R11.4).

use parley_core::grid::Tile;
use parley_core::ids::{PlayerId, UnitId};
use parley_core::path::Path;
use parley_core::question::Settled;

use crate::event::{Body, Cause, GoldReason, Subject};
use crate::ids::StructureId;
use crate::legality::{Act, LegalWork};
use crate::state::{Engagement, Job, MAX_STRUCTURES, Structure, Unit};

use super::Flow;
use super::turn::{Mark, Task, Turn, When};

/// Deploys, repairs, upgrades, builds and cancels, in the order of R5.6: players by id, for each the ships by
/// id and then the structures by id. That is the order in which the tasks were taken over.
pub(super) fn work(turn: &mut Turn, _: &[Settled]) -> Flow {
    for task in std::mem::take(&mut turn.tasks) {
        match task {
            Task::Unit(index) => match turn.marks[index].act {
                Act::DeployShipyard => deploy(turn, index),
                Act::Repair => repair(turn, index),
                Act::Upgrade(_) => upgrade(turn, index),
                _ => {}
            },
            Task::Structure(id, LegalWork::Build(class)) => build(turn, id, class),
            Task::Structure(id, LegalWork::CancelBuild(place)) => cancel(turn, id, place),
        }
    }
    Flow::Done
}

fn deploy(turn: &mut Turn, index: usize) {
    let (unit, owner, tile) = (turn.id(index), turn.owner(index), turn.state.units[index].tile);
    let subject = Subject::Unit(unit);
    let Some(id) = StructureId::new(turn.state.next_structure.into()) else {
        return turn.skip(subject, Cause::ShipyardsFull, When::ANY_TIME);
    };
    if turn.state.structure_at(tile).is_some() {
        return turn.skip(subject, Cause::HarborTaken, When::ANY_TIME);
    }
    let most = turn.rules.shipyard().per_player.get() as usize;
    if turn.state.shipyards(owner) >= most || turn.state.structures.len() >= MAX_STRUCTURES {
        return turn.skip(subject, Cause::ShipyardsFull, When::ANY_TIME);
    }
    if !turn.pay(owner, turn.rules.shipyard().deploy_cost.get(), GoldReason::DeployShipyard, subject) {
        return;
    }
    turn.remove(index);
    turn.state.next_structure += 1;
    let hp = turn.rules.shipyard().hp.get() as u16;
    turn.state.structures.push(Structure { id, owner: Some(owner), tile, hp, queue: Default::default() });
    turn.tell(When::ANY_TIME, Body::Deployed { unit, structure: id, tile });
}

fn repair(turn: &mut Turn, index: usize) {
    let subject = Subject::Unit(turn.id(index));
    if turn.pay(turn.owner(index), turn.rules.economy().repair_cost.get(), GoldReason::Repair, subject) {
        let rules = &turn.rules;
        let unit = &mut turn.state.units[index];
        unit.hp = unit.max_hp(rules);
        let repaired = Body::Repaired { unit: unit.id, hp: unit.hp };
        turn.tell(When::ANY_TIME, repaired);
    }
}

fn upgrade(turn: &mut Turn, index: usize) {
    let Act::Upgrade(upgrade) = turn.marks[index].act else { return };
    let subject = Subject::Unit(turn.id(index));
    if turn.pay(turn.owner(index), turn.rules.upgrade(upgrade).cost, GoldReason::Upgrade, subject) {
        let rules = &turn.rules;
        let unit = &mut turn.state.units[index];
        unit.fit(upgrade);
        if rules.upgrade(upgrade).heals {
            unit.hp = unit.max_hp(rules);
        }
        let upgraded = Body::Upgraded { unit: unit.id, upgrade };
        turn.tell(When::ANY_TIME, upgraded);
    }
}

fn build(turn: &mut Turn, id: StructureId, class: crate::ids::ClassId) {
    let subject = Subject::Structure(id);
    let Some((place, owner)) = owned(turn, id) else { return };
    if fleet_with_queues(turn, owner) >= turn.rules.economy().ships_per_player.get() as usize {
        return turn.skip(subject, Cause::FleetFull, When::ANY_TIME);
    }
    let (cost, turns_left) = (turn.rules.class(class).build_cost, turn.rules.class(class).build_turns);
    if turn.pay(owner, cost, GoldReason::Build, subject) {
        turn.state.structures[place].queue.push(Job { class, turns_left });
        turn.tell(When::ANY_TIME, Body::Queued { structure: id, class });
    }
}

fn cancel(turn: &mut Turn, id: StructureId, index: u8) {
    let Some((place, owner)) = owned(turn, id) else { return };
    let Some(job) = turn.state.structures[place].queue.pop_at(index.into()) else { return };
    let refund = i64::from(turn.rules.refund(job.class));
    turn.tell(When::ANY_TIME, Body::Cancelled { structure: id, place: index, class: job.class });
    turn.change_gold(owner, refund, GoldReason::CancelBuild, When::ANY_TIME);
}

fn owned(turn: &Turn, id: StructureId) -> Option<(usize, PlayerId)> {
    let place = turn.state.structures.binary_search_by_key(&id, |s| s.id).ok()?;
    Some((place, turn.state.structures[place].owner?))
}

fn fleet_with_queues(turn: &Turn, owner: PlayerId) -> usize {
    let own = turn.state.structures.iter().filter(|s| s.owner == Some(owner));
    own.map(|s| s.queue.len()).sum::<usize>() + turn.fleets[usize::from(owner.get())] as usize
}

/// Ships fire on structures. All damage is added up before anything falls, and the falling goes by id.
pub(super) fn bombardment(turn: &mut Turn, _: &[Settled]) -> Flow {
    let mut hits: Vec<(StructureId, PlayerId, u32)> = Vec::new();
    let firing = |&index: &usize| matches!(turn.marks[index].act, Act::Bombard(_)) && turn.afloat(index);
    let mut guns: Vec<usize> = (0..turn.marks.len()).filter(firing).collect();
    guns.sort_by_key(|&index| (turn.owner(index), index));
    for index in guns {
        let Act::Bombard(target) = turn.marks[index].act else { continue };
        let unit = &turn.state.units[index];
        let structure = turn.state.structure(target).filter(|s| s.owner != Some(unit.owner));
        if structure.is_some_and(|s| turn.state.map().grid().adjacent(s.tile, unit.tile)) {
            let damage = turn.rules.combat().bombard_damage.get() as u16 + unit.firepower(&turn.rules);
            hits.push((target, unit.owner, damage.into()));
            turn.tell(When::ANY_TIME, Body::Bombarded { unit: unit.id, structure: target, damage });
        } else {
            turn.skip(Subject::Unit(unit.id), Cause::OutOfReach, When::ANY_TIME);
        }
    }
    hits.sort_unstable_by_key(|&(target, owner, _)| (target, owner));
    for on_one in hits.chunk_by(|a, b| a.0 == b.0) {
        settle_damage(turn, on_one);
    }
    Flow::Done
}

/// Applies what one structure took; at 0 it falls to whoever dealt the most.
fn settle_damage(turn: &mut Turn, hits: &[(StructureId, PlayerId, u32)]) {
    let id = hits[0].0;
    let Ok(place) = turn.state.structures.binary_search_by_key(&id, |s| s.id) else { return };
    let total: u32 = hits.iter().map(|hit| hit.2).sum();
    let structure = &mut turn.state.structures[place];
    if total < structure.hp.into() {
        structure.hp -= total as u16;
        return;
    }
    let per_owner = hits.chunk_by(|a, b| a.1 == b.1).map(|own| (own.iter().map(|h| h.2).sum::<u32>(), own[0].1));
    let Some((_, by)) = per_owner.min_by_key(|&(sum, owner)| (std::cmp::Reverse(sum), owner)) else { return };
    let from = structure.owner.replace(by);
    structure.hp = turn.rules.hp_when_captured();
    structure.queue.clear();
    turn.tell(When::ANY_TIME, Body::Captured { structure: id, from, by });
}

/// The head of every queue advances, and finished ships appear, players by id and structures by id.
pub(super) fn construction(turn: &mut Turn, _: &[Settled]) -> Flow {
    let busy = |s: &(usize, &Structure)| s.1.owner.is_some() && !s.1.queue.is_empty();
    let mut order: Vec<usize> = turn.state.structures.iter().enumerate().filter(busy).map(|(place, _)| place).collect();
    if order.is_empty() {
        return Flow::Done;
    }
    order.sort_by_key(|&place| (turn.state.structures[place].owner, place));
    let mut occupied: Option<Vec<(Tile, PlayerId)>> = None;
    for place in order {
        let structure = &mut turn.state.structures[place];
        let (Some(owner), Some(head)) = (structure.owner, structure.queue.first_mut()) else { continue };
        head.turns_left = head.turns_left.saturating_sub(1);
        if head.turns_left > 0 {
            continue;
        }
        let class = head.class;
        let id = structure.id;
        let occupied = occupied.get_or_insert_with(|| {
            turn.by_tile().into_iter().map(|place| (place.tile(), turn.owner(place.unit()))).collect()
        });
        let spot = berth(turn, place, owner, class, occupied);
        let (Some(tile), Some(unit)) = (spot, UnitId::new(turn.state.next_unit.into())) else {
            turn.tell(When::ANY_TIME, Body::SpawnDelayed { structure: id });
            continue;
        };
        turn.state.structures[place].queue.remove(0);
        turn.state.next_unit += 1;
        let at = occupied.partition_point(|&(t, _)| t < tile);
        occupied.insert(at, (tile, owner));
        let hp = turn.rules.class(class).hull;
        turn.state.units.push(Unit {
            id: unit,
            tile,
            owner,
            class,
            hp,
            sails: 0,
            cannons: 0,
            hull: 0,
            engagement: Engagement::Ask,
            route: Path::EMPTY,
        });
        turn.marks.push(Mark::IDLE);
        turn.fleets[usize::from(owner.get())] += 1;
        turn.tell(When::ANY_TIME, Body::Spawned { unit, owner, class, structure: id, tile });
    }
    Flow::Done
}

/// The tile where a finished ship appears (R11.4): the shipyard's own, or the first free neighbour.
fn berth(
    turn: &Turn,
    place: usize,
    owner: PlayerId,
    class: crate::ids::ClassId,
    occupied: &[(Tile, PlayerId)],
) -> Option<Tile> {
    let map = turn.state.map();
    let domain = turn.rules.class(class).domain;
    let home = turn.state.structures[place].tile;
    let peaceful = |tile: Tile| {
        let first = occupied.partition_point(|&(t, _)| t < tile);
        occupied.get(first).is_none_or(|&(t, holder)| t != tile || holder == owner)
            && turn.state.contest_at(tile).is_none()
    };
    if peaceful(home) {
        return Some(home);
    }
    let free = |tile: Tile| map.navigable(tile, domain) && peaceful(tile) && !turn.state.closed_to(tile, owner);
    map.grid().neighbors(home).map(|(_, tile)| tile).find(|&tile| free(tile))
}
