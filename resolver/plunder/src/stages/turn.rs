//! The working copy of a turn that the stages share.

use std::sync::Arc;

use parley_core::dice::Dice;
use parley_core::grid::Tile;
use parley_core::ids::{PlayerId, UnitId};
use smallvec::SmallVec;

use crate::event::{Body, Cause, Event, GoldReason, Shortfall, Subject};
use crate::ids::StructureId;
use crate::legality::{Act, LegalSheet, LegalWork};
use crate::rules::Rules;
use crate::ruleset::Outcome;
use crate::state::{MAX_GOLD, State};

use super::combat::Hit;
use super::movement::Movement;
use super::{Encounter, MAX_EXCHANGES};

/// What a turn knows of a unit besides its state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    pub(super) act: Act,
    pub(super) broadside: bool,
    /// Whether it took part in an exchange (R10).
    pub(super) fought: bool,
    /// Whether it is on the list of some contest.
    pub(super) contends: bool,
    /// Whether it presses or has just claimed, so that it does not move (R9.5).
    pub(super) bound: bool,
    /// Whether its first wait has been recorded as a shortfall.
    pub(super) waited: bool,
}

impl Mark {
    /// The mark of a unit without an order.
    pub(super) const IDLE: Self =
        Self { act: Act::Continue, broadside: false, fought: false, contends: false, bound: false, waited: false };
}

/// A tile and the place in the list of units of one that is on it, in one number, which is quick to sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place(u64);

impl Place {
    fn new(tile: Tile, unit: usize) -> Self {
        Self((tile.index() as u64) << 32 | unit as u64)
    }

    pub(super) const fn tile(self) -> Tile {
        Tile::from_index((self.0 >> 32) as usize)
    }

    pub(super) const fn unit(self) -> usize {
        self.0 as u32 as usize
    }
}

/// Shipyard work in the order in which it is paid (R5.6).
#[derive(Clone, Copy, Debug)]
pub(super) enum Task {
    Unit(usize),
    Structure(StructureId, LegalWork),
}

/// When something happens within its stage, and which group it belongs to.
#[derive(Clone, Copy, Debug)]
pub(super) struct When {
    pub(super) tick: Option<u8>,
    pub(super) group: u32,
}

impl When {
    /// In no tick and in no group.
    pub(super) const ANY_TIME: Self = Self { tick: None, group: 0 };

    /// In a tick, but in no group.
    pub(super) const fn tick(tick: u8) -> Self {
        Self { tick: Some(tick), group: 0 }
    }

    /// In a tick and in a group.
    pub(super) const fn group(tick: u8, group: u32) -> Self {
        Self { tick: Some(tick), group }
    }
}

/// For how many events per unit memory is reserved at once.
const EVENTS_PER_UNIT: usize = 4;

/// Everything a turn works on. Units keep their places until the end; one at 0 hp is gone.
///
/// A turn that is over stays as a shell, whose lists are the memory of the next one.
#[derive(Clone, Debug)]
pub struct Turn {
    pub(super) rules: Arc<Rules>,
    pub(super) dice: Dice,
    pub(super) state: State,
    pub(super) marks: Vec<Mark>,
    pub(super) tasks: Vec<Task>,
    pub(super) conceding: Vec<PlayerId>,
    pub(super) events: Vec<Event>,
    pub(super) shortfalls: Vec<Shortfall>,
    /// Ships afloat per player, by the player's number.
    pub(super) fleets: [u32; 256],
    /// The hits of the round that is being fought.
    pub(super) hits: Vec<Hit>,
    /// Movement while it waits for answers.
    pub(super) movement: Option<Box<Movement>>,
    /// Movement that is over; the next turn uses its memory.
    pub(super) idle_movement: Option<Box<Movement>>,
    /// Exchanges that were fought, or would have been: above [`MAX_EXCHANGES`] the turn is given up.
    exchanges: u64,
    /// How many groups of events have begun.
    groups: u32,
}

impl Turn {
    /// Takes the inputs over, maybe into the shell of an earlier turn.
    pub(crate) fn begin(
        shell: Option<Box<Self>>,
        rules: &Arc<Rules>,
        state: &State,
        dice: Dice,
        sheets: &[LegalSheet],
    ) -> Box<Self> {
        let mut sheets: SmallVec<[&LegalSheet; 16]> = sheets.iter().collect();
        sheets.sort_unstable_by_key(|sheet| sheet.player);
        let mut turn = shell.unwrap_or_else(|| Box::new(Self::shell(rules, state, dice.clone())));
        turn.clear();
        if !Arc::ptr_eq(&turn.rules, rules) {
            turn.rules = Arc::clone(rules);
        }
        turn.dice = dice;
        turn.state.clone_from(state);
        turn.marks.resize(state.units.len(), Mark::IDLE);
        turn.events.reserve(EVENTS_PER_UNIT * state.units.len());
        for unit in &state.units {
            turn.fleets[usize::from(unit.owner.get())] += 1;
        }
        for contender in state.contests.iter().flat_map(|contest| &contest.contenders) {
            if let Some(index) = state.unit_index(*contender) {
                turn.marks[index].contends = true;
            }
        }
        for sheet in sheets {
            turn.take(sheet);
        }
        turn
    }

    /// A turn with empty lists, to be filled by [`Self::begin`].
    fn shell(rules: &Arc<Rules>, state: &State, dice: Dice) -> Self {
        Self {
            rules: Arc::clone(rules),
            dice,
            state: State::empty(Arc::clone(state.map())),
            marks: Vec::new(),
            tasks: Vec::new(),
            conceding: Vec::new(),
            events: Vec::new(),
            shortfalls: Vec::new(),
            fleets: [0; 256],
            hits: Vec::new(),
            movement: None,
            idle_movement: None,
            exchanges: 0,
            groups: 0,
        }
    }

    /// Empties every list.
    fn clear(&mut self) {
        self.marks.clear();
        self.tasks.clear();
        self.conceding.clear();
        self.events.clear();
        self.shortfalls.clear();
        self.fleets = [0; 256];
        self.hits.clear();
        self.movement = None;
        self.exchanges = 0;
        self.groups = 0;
    }

    /// Counts in a round between ships of these owners; `false` where that makes too many exchanges for one turn.
    pub(super) fn afford(&mut self, owners: impl Iterator<Item = PlayerId>) -> bool {
        let (mut ships, mut friends) = (0u64, [0u64; 256]);
        for owner in owners {
            ships += 1;
            friends[usize::from(owner.get())] += 1;
        }
        let among_friends: u64 = friends.iter().map(|count| count * count).sum();
        self.exchanges = self.exchanges.saturating_add((ships * ships - among_friends) / 2);
        !self.has_too_many_exchanges()
    }

    /// Whether the turn had to be given up.
    pub(crate) const fn has_too_many_exchanges(&self) -> bool {
        self.exchanges > MAX_EXCHANGES
    }

    /// Takes over a player's orders: an action replaces the route (R5.3).
    fn take(&mut self, sheet: &LegalSheet) {
        for order in &sheet.units {
            let index = order.index as usize;
            let unit = &mut self.state.units[index];
            debug_assert_eq!(unit.id, order.unit, "a legal sheet fits the state it was judged on");
            if order.act != Act::Continue {
                unit.route = order.path;
            }
            if let Some(engagement) = order.engagement {
                unit.engagement = engagement;
            }
            self.marks[index].act = order.act;
            self.marks[index].broadside = order.broadside;
            if matches!(order.act, Act::DeployShipyard | Act::Repair | Act::Upgrade(_)) {
                self.tasks.push(Task::Unit(index));
            }
        }
        self.tasks.extend(sheet.structures.iter().map(|&(id, work)| Task::Structure(id, work)));
        if sheet.concede {
            self.conceding.push(sheet.player);
        }
    }

    /// Whether a unit is still in the game.
    pub(super) fn afloat(&self, index: usize) -> bool {
        self.state.units[index].hp > 0
    }

    pub(super) fn id(&self, index: usize) -> UnitId {
        self.state.units[index].id
    }

    pub(super) fn owner(&self, index: usize) -> PlayerId {
        self.state.units[index].owner
    }

    /// Records that something happened.
    pub(super) fn tell(&mut self, when: When, body: Body) {
        self.events.push(Event::new(when.tick, when.group, body));
    }

    /// The number of a group of events that begins now. A turn has fewer groups than ships meet and exchanges are fought.
    pub(super) fn begin_group(&mut self) -> u32 {
        self.groups += 1;
        self.groups
    }

    /// Changes a player's gold and says so (R11.6). What would be above the most is lost.
    pub(super) fn change_gold(&mut self, player: PlayerId, change: i64, reason: GoldReason, when: When) {
        let Ok(index) = self.state.players.binary_search_by_key(&player, |p| p.id) else { return };
        let gold = &mut self.state.players[index].gold;
        let balance = (*gold + change).min(MAX_GOLD);
        let change = balance - *gold;
        debug_assert!(balance >= 0, "gold never goes below 0 (R11.6)");
        *gold = balance;
        if change != 0 {
            self.tell(when, Body::Gold { player, change, reason, balance });
        }
    }

    /// Pays for an order, or skips it with an event (R11.3).
    pub(super) fn pay(&mut self, player: PlayerId, cost: u32, reason: GoldReason, subject: Subject) -> bool {
        let gold = self.state.player(player).map_or(0, |p| p.gold);
        if gold < i64::from(cost) {
            self.skip(subject, Cause::Unpaid { cost, gold }, When::ANY_TIME);
            return false;
        }
        self.change_gold(player, -i64::from(cost), reason, When::ANY_TIME);
        true
    }

    /// Records that an order was not carried out, and why.
    pub(super) fn skip(&mut self, subject: Subject, cause: Cause, when: When) {
        self.tell(when, Body::Skipped { subject, cause });
        self.shortfalls.push(Shortfall { subject, tick: None, cause });
    }

    /// Records why a unit did not do all it was asked to.
    pub(super) fn fell_short(&mut self, index: usize, tick: u8, cause: Cause) {
        let subject = Subject::Unit(self.id(index));
        self.shortfalls.push(Shortfall { subject, tick: Some(tick), cause });
    }

    /// Takes a unit out of the game; the caller says how it went.
    pub(super) fn remove(&mut self, index: usize) {
        let unit = &mut self.state.units[index];
        unit.hp = 0;
        self.fleets[usize::from(unit.owner.get())] -= 1;
        self.leave_contest(index);
    }

    /// Takes a unit off its contest's list; what that means for the tile is settled in the next tick 0 (R9.5).
    pub(super) fn leave_contest(&mut self, index: usize) {
        if !self.marks[index].contends {
            return;
        }
        self.marks[index].contends = false;
        let id = self.id(index);
        if let Some(contest) = self.state.contests.iter_mut().find(|c| c.contenders.contains(&id)) {
            contest.contenders.retain(|c| *c != id);
        }
    }

    /// Every unit that is afloat with its tile, by tile and then by id.
    pub(super) fn by_tile(&self) -> Vec<Place> {
        let mut list = Vec::with_capacity(self.state.units.len());
        let units = self.state.units.iter().enumerate();
        list.extend(units.filter(|(_, u)| u.hp > 0).map(|(index, u)| Place::new(u.tile, index)));
        list.sort_unstable();
        list
    }

    /// R2.1, in builds that check assertions: enemies never share a tile, and a contested tile is empty (R9.1).
    pub(crate) fn assert_invariant(&self) {
        if cfg!(debug_assertions) {
            let units = self.by_tile();
            for pair in units.windows(2) {
                let (here, there) = (pair[0].tile(), pair[1].tile());
                let (one, other) = (pair[0].unit(), pair[1].unit());
                assert!(here != there || self.owner(one) == self.owner(other), "R2.1 on {}", self.state.hex(here));
            }
            for contest in &self.state.contests {
                let free = units.binary_search_by_key(&contest.tile, |place| place.tile()).is_err();
                assert!(free, "R9.1 on {}", self.state.hex(contest.tile));
            }
        }
    }

    /// Takes memory back that an outcome had.
    pub(crate) fn reclaim(&mut self, outcome: Outcome) {
        (self.state, self.events, self.shortfalls) = (outcome.before, outcome.events, outcome.shortfalls);
    }

    /// What has happened so far, in order.
    pub(crate) fn events(&self) -> &[Event] {
        &self.events
    }

    /// The same list for the driver of the turn.
    pub(crate) fn events_mut(&mut self) -> &mut [Event] {
        &mut self.events
    }

    /// The encounters of the tick in which the turn waits for answers, those too in which nobody is asked, in the order of
    /// R7.3; empty where it waits for none. Questions and events name the group of an encounter.
    pub fn encounters(&self) -> Vec<Encounter> {
        self.movement.as_ref().map_or_else(Vec::new, |movement| movement.encounters(self))
    }

    /// The ships that are in the game while the turn waits for answers, where they are, and their hp.
    #[cfg(test)]
    pub(crate) fn units_afloat(&self) -> Vec<(UnitId, Tile, u16)> {
        let afloat = self.state.units.iter().enumerate().filter(|(_, unit)| unit.hp > 0);
        let place = |index: usize| self.movement.as_ref().and_then(|movement| movement.field.tile(index as u32));
        afloat.map(|(index, unit)| (unit.id, place(index).unwrap_or(unit.tile), unit.hp)).collect()
    }

    /// Hands over what the turn came to and leaves a shell.
    pub(crate) fn finish(&mut self) -> (State, Vec<Event>, Vec<Shortfall>) {
        let shell = State::empty(Arc::clone(&self.state.map));
        let mut state = std::mem::replace(&mut self.state, shell);
        state.units.retain(|unit| unit.hp > 0);
        state.turn = state.turn.saturating_add(1);
        (state, std::mem::take(&mut self.events), std::mem::take(&mut self.shortfalls))
    }
}
