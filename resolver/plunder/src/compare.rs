//! The first thing in which two states, or two courses of a turn, differ.

use std::fmt;

use parley_core::grid::Grid;
use parley_core::hex::Hex;
use parley_core::ids::{PlayerId, UnitId};

use crate::event::{Body, Cause, Event, Subject};
use crate::ids::StructureId;
use crate::state::{Contest, Player, State, Structure, Unit};

/// A thing in which two states, or two events, can differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Entity {
    /// The match itself: its turn, its next ids and its result, which belong to nobody.
    Match,
    /// A player.
    Player(PlayerId),
    /// A unit.
    Unit(UnitId),
    /// A structure.
    Structure(StructureId),
    /// The contest at a hex.
    Contest(Hex),
}

impl fmt::Display for Entity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Match => f.write_str("match"),
            Self::Player(id) => write!(f, "player {id}"),
            Self::Unit(id) => write!(f, "unit {id}"),
            Self::Structure(id) => write!(f, "structure {id}"),
            Self::Contest(hex) => write!(f, "contest {hex}"),
        }
    }
}

/// The first difference between two states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The thing that differs.
    pub entity: Entity,
    /// The name of the field that differs; `existence` where only one side has the thing.
    pub field: &'static str,
    /// The value on the left.
    pub left: String,
    /// The value on the right.
    pub right: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}: {} and {}", self.entity, self.field, self.left, self.right)
    }
}

/// A field's name and its value as text.
type Field = (&'static str, String);

impl State {
    /// The first difference to another state: the map and the turn, then players, units, structures and contests in
    /// the order of their lists, then the next ids and the result.
    pub fn first_difference(&self, other: &Self) -> Option<Difference> {
        if self == other {
            return None;
        }
        fields(Entity::Match, &self.outline(), &other.outline())
            .or_else(|| lists(&self.players, &other.players, |p| Entity::Player(p.id), player))
            .or_else(|| lists(&self.units, &other.units, |u| Entity::Unit(u.id), |u| unit(self, u)))
            .or_else(|| lists(&self.structures, &other.structures, |s| Entity::Structure(s.id), |s| structure(self, s)))
            .or_else(|| lists(&self.contests, &other.contests, |c| Entity::Contest(self.hex(c.tile)), contest))
            .or_else(|| fields(Entity::Match, &self.rest(), &other.rest()))
    }

    fn outline(&self) -> Vec<Field> {
        let grid = self.map.grid();
        let terrain = parley_core::digest::Digest::of(&self.map.terrain_rows());
        vec![("grid", format!("{grid:?}")), ("terrain", terrain.to_string()), ("turn", self.turn.to_string())]
    }

    fn rest(&self) -> Vec<Field> {
        let result = match &self.result {
            None => "none".to_owned(),
            Some(crate::state::MatchResult::Winner(winner)) => format!("player {winner} wins"),
            Some(crate::state::MatchResult::Draw(players)) => format!("a draw of players {}", list(players)),
        };
        let (unit, structure) = (self.next_unit.to_string(), self.next_structure.to_string());
        vec![("next_unit", unit), ("next_structure", structure), ("result", result)]
    }
}

fn list<T: fmt::Display>(items: &[T]) -> String {
    let items: Vec<String> = items.iter().map(T::to_string).collect();
    format!("[{}]", items.join(", "))
}

fn player(player: &Player) -> Vec<Field> {
    let Player { id: _, gold, alive } = player;
    vec![("alive", alive.to_string()), ("gold", gold.to_string())]
}

fn unit(state: &State, unit: &Unit) -> Vec<Field> {
    let Unit { id: _, tile, owner, class, hp, sails, cannons, hull, engagement, route } = unit;
    let steps: Vec<String> = route.iter().map(|step| format!("{step:?}")).collect();
    vec![
        ("hex", state.hex(*tile).to_string()),
        ("owner", owner.to_string()),
        ("class", class.index().to_string()),
        ("hp", hp.to_string()),
        ("sails", sails.to_string()),
        ("cannons", cannons.to_string()),
        ("hull", hull.to_string()),
        ("engagement", format!("{engagement:?}")),
        ("route", list(&steps)),
    ]
}

fn structure(state: &State, structure: &Structure) -> Vec<Field> {
    let Structure { id: _, owner, tile, hp, queue } = structure;
    let jobs: Vec<String> =
        queue.iter().map(|job| format!("class {} in {}", job.class.index(), job.turns_left)).collect();
    vec![
        ("hex", state.hex(*tile).to_string()),
        ("owner", owner.map_or_else(|| "nobody".to_owned(), |owner| owner.to_string())),
        ("hp", hp.to_string()),
        ("queue", list(&jobs)),
    ]
}

fn contest(contest: &Contest) -> Vec<Field> {
    let Contest { tile: _, since, rounds, contenders } = contest;
    vec![("since", since.to_string()), ("rounds", rounds.to_string()), ("contenders", list(contenders))]
}

/// The first difference between two sorted lists.
fn lists<T: PartialEq>(
    left: &[T],
    right: &[T],
    name: impl Fn(&T) -> Entity,
    describe: impl Fn(&T) -> Vec<Field>,
) -> Option<Difference> {
    let place = (0..left.len().max(right.len())).find(|&place| left.get(place) != right.get(place))?;
    let only = |entity, on_left: bool| {
        let [left, right] = if on_left { ["there", "missing"] } else { ["missing", "there"] };
        Some(Difference { entity, field: "existence", left: left.to_owned(), right: right.to_owned() })
    };
    match (left.get(place), right.get(place)) {
        (Some(left), Some(right)) if name(left) == name(right) => fields(name(left), &describe(left), &describe(right)),
        (Some(left), Some(right)) => only(name(left).min(name(right)), name(left) < name(right)),
        (Some(left), None) => only(name(left), true),
        (None, Some(right)) => only(name(right), false),
        (None, None) => None,
    }
}

fn fields(entity: Entity, left: &[Field], right: &[Field]) -> Option<Difference> {
    let differing = left.iter().zip(right).find(|(left, right)| left != right);
    differing.map(|((field, left), (_, right))| Difference { entity, field, left: left.clone(), right: right.clone() })
}

/// The first difference between the events of two courses of a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventDifference {
    /// The number of equal events before the first difference.
    pub index: usize,
    /// The tick in which the differing event happened, where it happened in one.
    pub tick: Option<u8>,
    /// What the event is about.
    pub entity: Entity,
    /// The event on the left, if there is one.
    pub left: Option<Event>,
    /// The event on the right, if there is one.
    pub right: Option<Event>,
}

/// The first event that is not the same in two lists.
pub fn first_difference(grid: &Grid, left: &[Event], right: &[Event]) -> Option<EventDifference> {
    let index = (0..left.len().max(right.len())).find(|&index| left.get(index) != right.get(index))?;
    let (left, right) = (left.get(index), right.get(index));
    let event = left.or(right)?;
    let entity = event.body.entities(grid).first().copied().unwrap_or(Entity::Match);
    Some(EventDifference { index, tick: event.tick, entity, left: left.cloned(), right: right.cloned() })
}

impl Body {
    /// Everything that the event is about, the thing that it names first at the front.
    pub fn entities(&self, grid: &Grid) -> Vec<Entity> {
        use Entity::{Match, Player, Structure, Unit};
        let contest = |tile| Entity::Contest(grid.hex(tile));
        match *self {
            Self::Gold { player, .. } | Self::Eliminated { player, .. } => vec![Player(player)],
            Self::Deployed { unit, structure, .. } => vec![Unit(unit), Structure(structure)],
            Self::Queued { structure, .. }
            | Self::Cancelled { structure, .. }
            | Self::SpawnDelayed { structure }
            | Self::Neutralised { structure } => vec![Structure(structure)],
            Self::Repaired { unit, .. }
            | Self::Upgraded { unit, .. }
            | Self::Moved { unit, .. }
            | Self::Decided { unit, .. }
            | Self::Sunk { unit, .. }
            | Self::GaveWay { unit, .. }
            | Self::Removed { unit } => vec![Unit(unit)],
            Self::Skipped { subject: Subject::Unit(unit), .. } => vec![Unit(unit)],
            Self::Skipped { subject: Subject::Structure(structure), .. } => vec![Structure(structure)],
            Self::Withdrew { unit, tile } => vec![Unit(unit), contest(tile)],
            Self::Waited { unit, cause, .. } | Self::Blocked { unit, cause, .. } => match cause {
                Cause::Contested { tile } => vec![Unit(unit), contest(tile)],
                _ => vec![Unit(unit)],
            },
            Self::Encounter { ref units, .. } => units.iter().map(|&unit| Unit(unit)).collect(),
            Self::Exchanged { exchange, .. } => vec![Unit(exchange.attacker), Unit(exchange.defender)],
            Self::ContestOpened { tile, ref contenders, .. } => {
                let contenders = contenders.iter().map(|&unit| Unit(unit));
                std::iter::once(contest(tile)).chain(contenders).collect()
            }
            Self::ContestClosed { tile, .. } => vec![contest(tile)],
            Self::Bombarded { unit, structure, .. } => vec![Unit(unit), Structure(structure)],
            Self::Captured { structure, by, .. } => vec![Structure(structure), Player(by)],
            Self::Spawned { unit, structure, .. } => vec![Unit(unit), Structure(structure)],
            Self::Ended { .. } => vec![Match],
        }
    }
}

#[cfg(test)]
mod tests;
