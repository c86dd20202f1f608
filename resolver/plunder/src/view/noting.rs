//! What each event that a witness tells changes on the board of its viewer (R14).

use parley_core::grid::Tile;
use parley_core::ids::{PlayerId, UnitId};
use parley_core::sight::SightChange;

use crate::ids::StructureId;

use super::changes::{Change, SightPatch};
use super::{ContestView, PlayerView, SeenBody, StructureView, UnitView, Witness};

impl Witness<'_> {
    /// Notes what the board has become with an event that is told, when all that happens at its moment has happened.
    pub(super) fn note_changes(&mut self, told: &SeenBody, sight: &SightChange, changes: &mut Vec<Change>) {
        match *told {
            SeenBody::Gold { player, .. } | SeenBody::Eliminated { player, .. } => self.note_player(player, changes),
            SeenBody::Deployed { unit, structure, .. } => {
                self.note_unit(unit, changes);
                self.note_structure(structure, changes);
                self.note_contests(changes);
            }
            SeenBody::Queued { structure, .. }
            | SeenBody::Cancelled { structure, .. }
            | SeenBody::Bombarded { structure, .. }
            | SeenBody::StructureSighted { structure, .. }
            | SeenBody::Captured { structure, .. }
            | SeenBody::Neutralised { structure } => self.note_structure(structure, changes),
            SeenBody::Repaired { unit, .. } | SeenBody::Upgraded { unit, .. } | SeenBody::Moved { unit, .. } => {
                self.note_unit(unit, changes);
            }
            SeenBody::GaveWay { unit, .. }
            | SeenBody::Appeared { unit, .. }
            | SeenBody::Vanished { unit, .. }
            | SeenBody::Sunk { unit }
            | SeenBody::Removed { unit } => {
                self.note_unit(unit, changes);
                self.note_contests(changes);
            }
            SeenBody::Exchanged { exchange } => {
                self.note_unit(exchange.attacker, changes);
                self.note_unit(exchange.defender, changes);
            }
            SeenBody::Spawned { unit, structure, .. } => {
                self.note_unit(unit, changes);
                structure.into_iter().for_each(|structure| self.note_structure(structure, changes));
            }
            SeenBody::ContestOpened { tile, .. }
            | SeenBody::ContestClosed { tile, .. }
            | SeenBody::ContestSighted { tile, .. } => self.note_contest(tile, changes),
            SeenBody::Withdrew { .. } => self.note_contests(changes),
            SeenBody::SightChanged => self.note_sight(sight, changes),
            SeenBody::Skipped { .. }
            | SeenBody::Waited { .. }
            | SeenBody::Blocked { .. }
            | SeenBody::Encounter { .. }
            | SeenBody::Decided { .. }
            | SeenBody::Defaulted { .. }
            | SeenBody::SpawnDelayed { .. }
            | SeenBody::Ended { .. } => {}
        }
    }

    fn note_player(&mut self, id: PlayerId, changes: &mut Vec<Change>) {
        if let Some(player) = self.scene.player(id) {
            self.board.set_player(PlayerView::new(player, self.shares(id)), changes);
        }
    }

    fn note_unit(&mut self, id: UnitId, changes: &mut Vec<Change>) {
        let unit = self.scene.unit_in_play(id).filter(|unit| self.sees(unit.tile));
        let view = unit.map(|unit| UnitView::new(unit, self.viewer));
        // What is left of a path is told at the end of the turn, so that until then it is as it was wherever the unit is.
        let origin = view.as_ref().map_or(Tile::from_index(0), |view| view.tile);
        self.board.set_unit(id, view, origin, changes);
    }

    fn note_structure(&mut self, id: StructureId, changes: &mut Vec<Change>) {
        let structure = self.scene.structure(id).filter(|structure| self.sees(structure.tile));
        let view = structure.map(|structure| {
            StructureView::new(structure, self.open || structure.owner.is_some_and(|owner| self.viewer.owns(owner)))
        });
        self.board.set_structure(id, view, changes);
    }

    /// Notes the contests that the viewer knows of: who is still on their lists, and is in sight.
    fn note_contests(&mut self, changes: &mut Vec<Change>) {
        for place in (0..self.board.contests.len()).rev() {
            self.note_contest(self.board.contests[place].tile, changes);
        }
    }

    fn note_contest(&mut self, tile: Tile, changes: &mut Vec<Change>) {
        let contest = self.scene.contest_at(tile);
        let contest = contest.filter(|contest| self.sees(tile) || self.any_own(&contest.contenders));
        let view = contest.map(|contest| ContestView {
            tile,
            since: contest.since,
            rounds: contest.rounds,
            contenders: contest.contenders.iter().copied().filter(|&unit| self.board.has_unit(unit)).collect(),
        });
        self.board.set_contest(tile, view, changes);
    }

    /// Notes that other tiles are in sight, and what is out of it with those that no longer are.
    fn note_sight(&mut self, sight: &SightChange, changes: &mut Vec<Change>) {
        let map = self.before.map();
        let gained = sight.gained.iter().map(|&tile| (tile, map.terrain(tile) as u8)).collect();
        changes.push(Change::Sight(SightPatch { gained, lost: sight.lost.clone() }));
        let lost = |tile: Tile| sight.lost.binary_search(&tile).is_ok();
        let units: Vec<UnitId> = self.board.units.iter().filter(|u| lost(u.tile)).map(|u| u.id).collect();
        units.into_iter().for_each(|unit| self.note_unit(unit, changes));
        let structures = self.board.structures.iter().filter(|structure| lost(structure.tile));
        let structures: Vec<StructureId> = structures.map(|structure| structure.id).collect();
        structures.into_iter().for_each(|structure| self.note_structure(structure, changes));
        self.note_contests(changes);
    }
}
