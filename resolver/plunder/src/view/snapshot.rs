//! A state as one viewer may see it (R14).

use parley_core::grid::{Grid, Tile};
use parley_core::ids::{PlayerId, UnitId};
use parley_core::path::Path;
use parley_core::sight::{Lookout, Memory, Sight};

use crate::ids::{ClassId, StructureId};
use crate::rules::Rules;
use crate::state::{Contest, Engagement, Job, MatchResult, Player, State, Structure, Unit};

use super::changes::Board;
use super::{Viewer, sight_of};

/// What a viewer knows of a tile; the number is the row of the terrain table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Knowledge {
    /// The tile has never been seen.
    Unknown,
    /// The tile was seen before, so that its terrain is known, but not what stands there now.
    Remembered(u8),
    /// The tile is seen now: whatever stands there is in the view's lists.
    Visible(u8),
}

/// A player as others see them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayerView {
    /// The id of the player.
    pub id: PlayerId,
    /// Whether the player has not been eliminated; always public.
    pub alive: bool,
    /// The player's gold; `None` where fog hides it.
    pub gold: Option<i64>,
}

impl PlayerView {
    /// A player as a viewer sees them who may know their gold, or not.
    pub(super) fn new(player: &Player, with_gold: bool) -> Self {
        Self { id: player.id, alive: player.alive, gold: with_gold.then_some(player.gold) }
    }
}

/// A unit in sight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitView {
    /// The id of the unit.
    pub id: UnitId,
    /// The tile that it stands on.
    pub tile: Tile,
    /// The player that it belongs to.
    pub owner: PlayerId,
    /// The class that it is of.
    pub class: ClassId,
    /// The hit points that it has left.
    pub hp: u16,
    /// How many pieces of sails are fitted.
    pub sails: u8,
    /// How many pieces of cannons are fitted.
    pub cannons: u8,
    /// How many pieces of hull are fitted.
    pub hull: u8,
    /// How it answers encounters: a standing order, `None` where it is a secret from the viewer (R14.2).
    pub engagement: Option<Engagement>,
    /// What is left of its path: a standing order, `None` where it is a secret from the viewer (R14.2).
    pub route: Option<Path>,
}

impl UnitView {
    /// A unit as a viewer sees it, who must be allowed to see it at all.
    pub(super) fn new(unit: &Unit, viewer: Viewer) -> Self {
        let open = viewer.shares_secrets_of(unit.owner);
        Self {
            id: unit.id,
            tile: unit.tile,
            owner: unit.owner,
            class: unit.class,
            hp: unit.hp,
            sails: unit.sails,
            cannons: unit.cannons,
            hull: unit.hull,
            engagement: open.then_some(unit.engagement),
            route: open.then_some(unit.route),
        }
    }
}

/// A structure in sight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StructureView {
    /// The id of the structure.
    pub id: StructureId,
    /// The player that it belongs to; `None` is neutral.
    pub owner: Option<PlayerId>,
    /// The harbor tile that it stands on.
    pub tile: Tile,
    /// The hit points that it has left.
    pub hp: u16,
    /// The builds in its queue; `None` where fog hides them.
    pub queue: Option<Vec<Job>>,
}

impl StructureView {
    /// A structure as a viewer sees it who may know its queue, or not.
    pub(super) fn new(structure: &Structure, with_queue: bool) -> Self {
        let Structure { id, owner, tile, hp, ref queue } = *structure;
        Self { id, owner, tile, hp, queue: with_queue.then(|| queue.to_vec()) }
    }
}

/// A contested tile in sight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContestView {
    /// The tile that is contested.
    pub tile: Tile,
    /// The turn in which the contest began.
    pub since: u32,
    /// How many rounds have been fought, the first included.
    pub rounds: u32,
    /// The contenders that are the viewer's own or in sight, by id.
    pub contenders: Vec<UnitId>,
}

/// Everything a viewer may know of a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// The viewer whose view it is.
    pub viewer: Viewer,
    /// The turn that is being planned.
    pub turn: u32,
    /// The shape of the map, which is public.
    pub grid: Grid,
    /// All players by id.
    pub players: Vec<PlayerView>,
    /// What is known of each tile, by tile.
    pub terrain: Vec<Knowledge>,
    /// The units in sight, by id.
    pub units: Vec<UnitView>,
    /// The structures in sight, by id.
    pub structures: Vec<StructureView>,
    /// The contests in sight, and those that the viewer is in, by `(q, r)`.
    pub contests: Vec<ContestView>,
    /// How the match ended, once it has; always public.
    pub result: Option<MatchResult>,
}

/// A state as a viewer may see it who remembers these tiles.
pub fn snapshot(rules: &Rules, state: &State, viewer: Viewer, memory: &Memory) -> View {
    let looking = Looking::new(rules, state, viewer, None);
    let Board { players, units, structures, contests } = looking.board(state);
    View {
        viewer,
        turn: state.turn(),
        grid: *state.map().grid(),
        players,
        terrain: state.map().grid().tiles().map(|tile| looking.ground(state, memory, tile)).collect(),
        units,
        structures,
        contests,
        result: state.result().cloned(),
    }
}

/// A viewer who looks at a state.
pub(super) struct Looking {
    viewer: Viewer,
    open: bool,
    sight: Sight,
}

impl Looking {
    /// A viewer who looks at a state, with the eyes of their lookout if they have one already.
    pub(super) fn new(rules: &Rules, state: &State, viewer: Viewer, lookout: Option<&Lookout>) -> Self {
        let sight = lookout.map_or_else(|| sight_of(rules, state, viewer), |lookout| lookout.sight().clone());
        Self { viewer, open: viewer.is_unfogged(rules), sight }
    }

    /// The things of the view.
    pub(super) fn board(&self, state: &State) -> Board {
        Board {
            players: state.players().iter().map(|player| self.player(player)).collect(),
            units: state.units().iter().filter_map(|unit| self.unit(unit)).collect(),
            structures: state.structures().iter().filter_map(|structure| self.structure(structure)).collect(),
            contests: state.contests().iter().filter_map(|contest| self.contest(state, contest)).collect(),
        }
    }

    fn player(&self, player: &Player) -> PlayerView {
        PlayerView::new(player, self.open || self.viewer.owns(player.id))
    }

    fn ground(&self, state: &State, memory: &Memory, tile: Tile) -> Knowledge {
        let terrain = state.map().terrain(tile) as u8;
        if self.sight.contains(tile) {
            Knowledge::Visible(terrain)
        } else if matches!(self.viewer, Viewer::Seat(_)) && memory.contains(tile) {
            Knowledge::Remembered(terrain)
        } else {
            Knowledge::Unknown
        }
    }

    /// A unit as the viewer sees it, if it is in sight. Own ships always are, whatever their vision, because the tile
    /// that a ship stands on is seen.
    fn unit(&self, unit: &Unit) -> Option<UnitView> {
        self.sight.contains(unit.tile).then(|| UnitView::new(unit, self.viewer))
    }

    fn structure(&self, structure: &Structure) -> Option<StructureView> {
        let queue_known = self.open || structure.owner.is_some_and(|owner| self.viewer.owns(owner));
        self.sight.contains(structure.tile).then(|| StructureView::new(structure, queue_known))
    }

    /// A contest is in sight where its tile is; the ships around it are judged one by one.
    fn contest(&self, state: &State, contest: &Contest) -> Option<ContestView> {
        let in_it = |id: &&UnitId| state.unit(**id).is_some_and(|u| self.viewer.owns(u.owner));
        let in_sight = |id: &&UnitId| state.unit(**id).is_some_and(|u| self.sight.contains(u.tile));
        let shown = self.sight.contains(contest.tile) || contest.contenders.iter().any(|id| in_it(&id));
        shown.then(|| ContestView {
            tile: contest.tile,
            since: contest.since,
            rounds: contest.rounds,
            contenders: contest.contenders.iter().filter(in_sight).copied().collect(),
        })
    }
}
