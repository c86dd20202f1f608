//! What of a turn is told to whom: everything that one viewer may know, what all may know alike, and what one player knows
//! beside that.

use parley_core::ids::{PlayerId, UnitId};
use parley_core::sight::Memory;

use crate::event::{Body, Event, Shortfall, Subject};
use crate::rules::Rules;
use crate::state::{State, Unit};

use super::changes::{Change, UnitPatch};
use super::{SeenBody, SeenEvent, SeenShortfall, SeenTurn, UnitView, Viewer, Witness};

/// A turn that led from one state to another.
#[derive(Clone, Copy, Debug)]
pub struct Passage<'a> {
    /// The rules of the match.
    pub rules: &'a Rules,
    /// The state that the turn was planned in.
    pub before: &'a State,
    /// The state that the next turn is planned in.
    pub after: &'a State,
    /// What happened, in order.
    pub events: &'a [Event],
    /// Every order that did not do all it asked, and why.
    pub shortfalls: &'a [Shortfall],
}

impl Passage<'_> {
    /// Everything that a viewer may know of the turn. The memory learns what was seen on the way.
    pub fn told(&self, viewer: Viewer, memory: &mut Memory) -> SeenTurn {
        let mut witness = Witness::new(self.rules, self.before, viewer);
        let mut told = witness.follow(self.events, memory);
        told.changes.extend(witness.finish(self.after));
        told.shortfalls = witness.shortfalls(self.shortfalls);
        told
    }

    /// What all viewers may know alike. Under fog that is nothing.
    pub fn shared(&self) -> SeenTurn {
        if self.rules.fog() {
            return SeenTurn::default();
        }
        self.told(Viewer::Spectator, &mut Memory::new(self.before.map().grid()))
    }

    /// What a player knows beside what is shared, where no fog hides anything: that nobody answered for a ship, why orders fell
    /// short, and the standing orders of the player's units.
    pub fn own(&self, player: PlayerId) -> SeenTurn {
        // Without fog every event is told to everybody, so that its place is its place among the shared ones.
        let events = (1..).zip(self.events).filter_map(|(after, event)| self.defaulted(player, after, event));
        let units = self.after.units().iter().filter(|unit| unit.owner == player);
        let changes = units.filter_map(|unit| self.standing_orders(unit));
        let is_own = |shortfall: &&Shortfall| match shortfall.subject {
            Subject::Unit(unit) => self.owner_of(unit) == Some(player),
            Subject::Structure(id) => self.before.structure(id).and_then(|s| s.owner) == Some(player),
        };
        let shortfalls = self.shortfalls.iter().filter(is_own);
        SeenTurn {
            events: events.collect(),
            changes: changes.collect(),
            shortfalls: shortfalls
                .map(|&Shortfall { subject, tick, cause }| SeenShortfall { subject, tick, cause: Some(cause) })
                .collect(),
        }
    }

    fn owner_of(&self, unit: UnitId) -> Option<PlayerId> {
        self.before.unit(unit).or_else(|| self.after.unit(unit)).map(|unit| unit.owner)
    }

    fn defaulted(&self, player: PlayerId, after: u32, event: &Event) -> Option<SeenEvent> {
        let Body::Decided { unit, defaulted: true, .. } = event.body else { return None };
        let Event { stage, tick, group, .. } = *event;
        let seen = SeenEvent { stage, tick, group, changes: 0, after, body: SeenBody::Defaulted { unit } };
        (self.owner_of(unit) == Some(player)).then_some(seen)
    }

    /// How the standing orders of a unit are no longer those that they were.
    fn standing_orders(&self, unit: &Unit) -> Option<Change> {
        let secret = UnitView::new(unit, Viewer::Seat(unit.owner));
        let public = UnitView::new(unit, Viewer::Spectator);
        let before = self.before.unit(unit.id);
        let shared = before.map_or(public, |before| UnitView {
            engagement: Some(before.engagement),
            route: Some(before.route),
            ..secret.clone()
        });
        let origin = before.map_or(unit.tile, |before| before.tile);
        UnitPatch::between(Some((&shared, origin)), &secret).map(Change::Unit)
    }
}
