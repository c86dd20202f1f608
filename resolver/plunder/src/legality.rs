//! Turns what somebody said into what is known to be legal, or into all its faults (R5.5).
//!
//! An order is refused only where a rule's text says so. Money is never judged here, because it
//! is counted when the order's turn comes (R11.3).

use std::fmt;

use parley_core::grid::Tile;
use parley_core::hex::{Direction, Hex};
use parley_core::ids::{PlayerId, UnitId};
use parley_core::path::{MAX_PATH, Path, STEPS_PER_WORD};

use crate::event::Subject;
use crate::ids::{ClassId, StructureId};
use crate::order::{Action, OrderSheet, StructureOrder, UnitOrder, Work};
use crate::rules::{Rules, Upgrade};
use crate::state::{Engagement, State, Unit};

/// A rule that was broken, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The unit or structure whose order is at fault, where it is the fault of a single order.
    pub subject: Option<Subject>,
    /// The rule's number, such as `R5.5`; empty where something is malformed before any rule applies.
    pub rule: &'static str,
    /// What is wrong, in one sentence.
    pub text: String,
    /// The part of the order, or of the map, that is at fault.
    pub part: Part,
}

/// The part of something that is at fault, for those who show faults where they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// No part of it more than another.
    Whole,
    /// The unit or structure that an order names.
    Subject,
    /// What an order says that is to be done.
    Deed,
    /// A step of a path, counted from 0.
    Step(usize),
    /// A row of a map, counted from 0.
    Row(usize),
}

impl Fault {
    pub(crate) const fn new(subject: Option<Subject>, rule: &'static str, text: String) -> Self {
        Self { subject, rule, text, part: Part::Whole }
    }

    pub(crate) fn of(self, part: Part) -> Self {
        Self { part, ..self }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.subject {
            Some(Subject::Unit(unit)) => write!(f, "unit {unit}: ")?,
            Some(Subject::Structure(structure)) => write!(f, "structure {structure}: ")?,
            None => {}
        }
        f.write_str(&self.text)?;
        if self.rule.is_empty() { Ok(()) } else { write!(f, " ({})", self.rule) }
    }
}

impl std::error::Error for Fault {}

/// What a unit will try to do. A path that goes with it is its route from now on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Go on with the route, or hold without one.
    Continue,
    /// Walk the new route.
    Move,
    /// Stay on its tile.
    Hold,
    /// Be repaired to full hp.
    Repair,
    /// Be fitted with a piece.
    Upgrade(Upgrade),
    /// Become a shipyard, which consumes the ship.
    DeployShipyard,
    /// Fire on this structure.
    Bombard(StructureId),
    /// Stay in its contest.
    Press,
}

/// An order for a unit that is known to be legal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LegalOrder {
    pub(crate) unit: UnitId,
    pub(crate) index: u32,
    pub(crate) act: Act,
    pub(crate) path: Path,
    pub(crate) broadside: bool,
    pub(crate) engagement: Option<Engagement>,
}

impl LegalOrder {
    /// The unit that the order is for.
    pub const fn unit(&self) -> UnitId {
        self.unit
    }

    /// What the unit will try to do.
    pub const fn act(&self) -> Act {
        self.act
    }
}

/// What a structure will do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LegalWork {
    Build(ClassId),
    CancelBuild(u8),
}

/// All orders of one player for one turn, known to be legal. Only [`judge`] makes them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LegalSheet {
    pub(crate) player: PlayerId,
    pub(crate) turn: u32,
    pub(crate) units: Vec<LegalOrder>,
    pub(crate) structures: Vec<(StructureId, LegalWork)>,
    pub(crate) concede: bool,
}

impl LegalSheet {
    /// A sheet that orders nothing; always legal.
    pub fn empty(state: &State, player: PlayerId) -> Self {
        Self { player, turn: state.turn(), units: Vec::new(), structures: Vec::new(), concede: false }
    }

    /// The player whose orders these are.
    pub const fn player(&self) -> PlayerId {
        self.player
    }

    /// The turn that the orders are for.
    pub const fn turn(&self) -> u32 {
        self.turn
    }

    /// The orders for units, by id.
    pub fn units(&self) -> &[LegalOrder] {
        &self.units
    }
}

/// The legal part of a sheet, and everything that is wrong with the rest: faults of units by id, then of structures.
pub type Verdict = parley_core::game::Verdict<LegalSheet, Fault>;

#[cold]
fn refuse(verdict: &mut Verdict, unit: UnitId, (rule, text): Refusal, part: Part) {
    verdict.faults.push(Fault::new(Some(Subject::Unit(unit)), rule, text).of(part));
}

/// Judges a sheet order by order; the input lists may be in any order.
pub fn judge(rules: &Rules, state: &State, sheet: &OrderSheet) -> Verdict {
    judge_with(rules, state, sheet, None)
}

/// Judges a sheet of a player in fog, whose paths may only lead over tiles that are `charted` for them: otherwise a
/// refusal would tell land from sea where they have never been (R14.2).
pub fn judge_charted(rules: &Rules, state: &State, sheet: &OrderSheet, charted: &dyn Fn(Tile) -> bool) -> Verdict {
    judge_with(rules, state, sheet, Some(charted))
}

fn judge_with(rules: &Rules, state: &State, sheet: &OrderSheet, charted: Option<&dyn Fn(Tile) -> bool>) -> Verdict {
    let mut verdict = Verdict { legal: LegalSheet::empty(state, sheet.player), faults: Vec::new() };
    if let Some(fault) = judge_player(state, sheet.player) {
        verdict.faults.push(fault);
        return verdict;
    }
    let bench = Bench { rules, state, player: sheet.player, charted };
    verdict.legal.concede = sheet.concede;
    bench.judge_units(&sheet.units, &mut verdict);
    bench.judge_structures(&sheet.structures, &mut verdict);
    verdict
}

/// Why a player may give no orders at all, where that is so.
pub(crate) fn judge_player(state: &State, player: PlayerId) -> Option<Fault> {
    match state.player(player) {
        None => Some(Fault::new(None, "R1", format!("there is no player {player}"))),
        Some(p) if !p.alive => Some(Fault::new(None, "R12.1", format!("player {player} is eliminated"))),
        Some(_) if state.result().is_some() => Some(Fault::new(None, "R12.2", "the match is over".to_owned())),
        Some(_) => None,
    }
}

/// The rule that an order breaks, and one sentence about it.
type Refusal = (&'static str, String);

/// The place where one player's orders are judged.
struct Bench<'a> {
    rules: &'a Rules,
    state: &'a State,
    player: PlayerId,
    /// Whether the player has charted a tile; `None` where the whole map is charted.
    charted: Option<&'a dyn Fn(Tile) -> bool>,
}

impl Bench<'_> {
    fn judge_units(&self, orders: &[UnitOrder], verdict: &mut Verdict) {
        verdict.legal.units.reserve(orders.len());
        let mut next = 0;
        if orders.is_sorted_by(|a, b| a.unit < b.unit) {
            for order in orders {
                self.judge_unit_into(order, &mut next, verdict);
            }
            return;
        }
        let mut sorted: Vec<&UnitOrder> = orders.iter().collect();
        sorted.sort_by_key(|order| order.unit);
        for same in sorted.chunk_by(|a, b| a.unit == b.unit) {
            if same.len() > 1 {
                let text = format!("has {} orders, one is allowed", same.len());
                verdict.faults.push(Fault::new(Some(Subject::Unit(same[0].unit)), "R5.3", text));
            } else {
                self.judge_unit_into(same[0], &mut next, verdict);
            }
        }
    }

    /// Judges one order. Its unit is probably the one at `next`, since orders and units are both by id.
    fn judge_unit_into(&self, order: &UnitOrder, next: &mut usize, verdict: &mut Verdict) {
        let found = match self.state.units.get(*next) {
            Some(unit) if unit.id == order.unit => Some(*next),
            _ => self.state.unit_index(order.unit),
        };
        let Some(index) = found.filter(|&index| self.state.units[index].owner == self.player) else {
            return refuse(verdict, order.unit, self.no_such_unit(), Part::Subject);
        };
        *next = index + 1;
        let mut path = Path::EMPTY;
        let mut part = Part::Deed;
        match self.judge_action(&self.state.units[index], order.action.as_ref(), &mut path, &mut part) {
            Ok(act) => {
                let UnitOrder { unit, broadside, engagement, .. } = *order;
                let index = index as u32;
                verdict.legal.units.push(LegalOrder { unit, index, act, path, broadside, engagement });
            }
            Err(refusal) => refuse(verdict, order.unit, refusal, part),
        }
    }

    #[cold]
    fn no_such_unit(&self) -> Refusal {
        ("R1", format!("player {} has no such unit", self.player))
    }

    /// Judges what a unit is to do; `path` becomes the way it is to go, and `part` the step that is at fault, where one is.
    fn judge_action(
        &self,
        unit: &Unit,
        action: Option<&Action>,
        path: &mut Path,
        part: &mut Part,
    ) -> Result<Act, Refusal> {
        Ok(match action {
            None => Act::Continue,
            Some(Action::Move(hexes)) => {
                *path = self.judge_path(unit, hexes, part)?;
                Act::Move
            }
            Some(Action::Hold) => Act::Hold,
            Some(Action::Press) => Act::Press,
            Some(Action::Repair) => {
                self.judge_place(unit)?;
                Act::Repair
            }
            Some(Action::Upgrade(upgrade)) => {
                let most = self.rules.upgrade(*upgrade).max;
                if unit.fitted(*upgrade) >= most {
                    return Err((
                        "R4",
                        format!("has {most} pieces of {} already, the most there can be", upgrade.key()),
                    ));
                }
                self.judge_place(unit)?;
                Act::Upgrade(*upgrade)
            }
            Some(Action::DeployShipyard) => {
                self.judge_deploy(unit)?;
                Act::DeployShipyard
            }
            Some(Action::Bombard(structure)) => {
                self.judge_bombard(unit, *structure)?;
                Act::Bombard(*structure)
            }
        })
    }

    fn judge_path(&self, unit: &Unit, hexes: &[Hex], part: &mut Part) -> Result<Path, Refusal> {
        let map = self.state.map();
        let domain = self.rules.class(unit.class).domain;
        let path = match self.charted {
            None => trace_path(map.grid(), unit.tile, hexes, |tile| map.navigable(tile, domain)),
            Some(charted) => {
                trace_path(map.grid(), unit.tile, hexes, |tile| charted(tile) && map.navigable(tile, domain))
                    .map_err(|(at, text)| (at, text.replace("on land", "on land, or not charted")))
            }
        };
        path.map_err(|(at, text)| {
            *part = at;
            ("R5.5", text)
        })
    }

    fn judge_place(&self, unit: &Unit) -> Result<(), Refusal> {
        if self.state.at_own_shipyard(unit) {
            return Ok(());
        }
        Err(("R11.2", "is neither on an own shipyard nor beside one".to_owned()))
    }

    fn judge_deploy(&self, unit: &Unit) -> Result<(), Refusal> {
        let most = self.rules.shipyard().per_player.get() as usize;
        if !self.state.map().is_harbor(unit.tile) {
            return Err(("R11.2", "is not on a harbor".to_owned()));
        }
        if self.state.structure_at(unit.tile).is_some() {
            return Err(("R11.2", "is on a harbor that carries a structure already".to_owned()));
        }
        if self.state.shipyards(self.player) >= most {
            return Err((
                "R11.2",
                format!("player {} has {most} shipyards already, the most there can be", self.player),
            ));
        }
        Ok(())
    }

    fn judge_bombard(&self, unit: &Unit, target: StructureId) -> Result<(), Refusal> {
        let grid = self.state.map().grid();
        match self.state.structure(target) {
            Some(s) if s.owner == Some(self.player) => Err(("R11.5", format!("structure {target} is its owner's own"))),
            Some(s) if grid.adjacent(s.tile, unit.tile) => Ok(()),
            _ => Err(("R11.5", format!("no structure {target} is adjacent"))),
        }
    }

    fn judge_structures(&self, orders: &[StructureOrder], verdict: &mut Verdict) {
        if orders.is_empty() {
            return;
        }
        let deploying = verdict.legal.units.iter().filter(|o| o.act == Act::DeployShipyard).count();
        let cancelled = orders.iter().filter(|o| matches!(o.work, Work::CancelBuild(_))).count();
        let fleet = self.state.fleet_size(self.player).saturating_sub(deploying + cancelled);
        let mut sorted: Vec<&StructureOrder> = orders.iter().collect();
        sorted.sort_by_key(|order| order.structure);
        for same in sorted.chunk_by(|a, b| a.structure == b.structure) {
            let structure = same[0].structure;
            if same.len() > 1 {
                let text = format!("has {} orders, one is allowed", same.len());
                verdict.faults.push(Fault::new(Some(Subject::Structure(structure)), "R5.3", text));
                continue;
            }
            match self.judge_work(same[0], fleet) {
                Ok(work) => verdict.legal.structures.push((structure, work)),
                Err((rule, text)) => {
                    let part = if rule == "R1" { Part::Subject } else { Part::Deed };
                    verdict.faults.push(Fault::new(Some(Subject::Structure(structure)), rule, text).of(part));
                }
            }
        }
    }

    fn judge_work(&self, order: &StructureOrder, fleet: usize) -> Result<LegalWork, Refusal> {
        let found = self.state.structure(order.structure).filter(|s| s.owner == Some(self.player));
        let Some(structure) = found else {
            return Err(("R1", format!("player {} has no such structure", self.player)));
        };
        let longest = self.rules.shipyard().queue.get() as usize;
        let most = self.rules.economy().ships_per_player.get() as usize;
        match order.work {
            Work::Build(_) if structure.queue.len() >= longest => {
                Err(("R11.2", format!("its queue is full, {longest} builds are allowed")))
            }
            Work::Build(_) if fleet >= most => Err((
                "R11.2",
                format!("player {} has {most} ships, queued ones included, the most there can be", self.player),
            )),
            Work::Build(class) => Ok(LegalWork::Build(class)),
            Work::CancelBuild(index) if index < structure.queue.len() => Ok(LegalWork::CancelBuild(index as u8)),
            Work::CancelBuild(index) => {
                Err(("R11.2", format!("its queue has {} builds, there is no number {index}", structure.queue.len())))
            }
        }
    }
}

/// Turns a list of hexes into steps from a tile, or says which part is wrong, and how (R5.5).
pub(crate) fn trace_path(
    grid: &parley_core::grid::Grid,
    from: Tile,
    hexes: &[Hex],
    navigable: impl Fn(Tile) -> bool,
) -> Result<Path, (Part, String)> {
    if hexes.is_empty() || hexes.len() > MAX_PATH {
        return Err((Part::Deed, format!("a path has 1 to {MAX_PATH} steps, this one has {}", hexes.len())));
    }
    let mut path = Path::EMPTY;
    let mut here = grid.hex(from);
    let mut here_tile = from;
    for part in hexes.chunks(STEPS_PER_WORD) {
        let mut word = 0;
        for (place, &hex) in part.iter().enumerate() {
            let misstep = |what| Err(misstep(path.len() + place, hex, what));
            let Some(tile) = grid.tile(hex) else { return misstep(Misstep::OffMap) };
            let step = match Direction::between(here, hex) {
                None if grid.wrap() => grid.direction(here_tile, tile),
                found => found,
            };
            let Some(step) = step else { return misstep(Misstep::TooFar(here)) };
            if !navigable(tile) {
                return misstep(Misstep::OnLand);
            }
            word |= Path::packed(step, place);
            (here, here_tile) = (hex, tile);
        }
        path.push_word(word, part.len());
    }
    Ok(path)
}

/// What can be wrong with a step of a path.
enum Misstep {
    OffMap,
    TooFar(Hex),
    OnLand,
}

#[cold]
fn misstep(index: usize, hex: Hex, what: Misstep) -> (Part, String) {
    let step = format!("step {} of its path, {hex}, is", index + 1);
    let text = match what {
        Misstep::OffMap => format!("{step} not on the map"),
        Misstep::TooFar(from) => format!("{step} not adjacent to {from}"),
        Misstep::OnLand => format!("{step} on land"),
    };
    (Part::Step(index), text)
}
