//! Orders, and reasons why something cannot be ordered.

use parley_core::grid::Tile;
use parley_games::plunder::sentences;
use parley_proto::common::v1 as common;
use parley_proto::plunder::v1 as plunder;
use parley_proto::plunder::v1::structure_order::Work;
use parley_proto::plunder::v1::unit_order::Action;

use super::{Ask, Course, Model, Pick, Stage, Way};

/// A fault as a sentence.
pub(super) fn fault(fault: &common::Fault) -> String {
    let subject = match fault.subject.as_ref().and_then(|subject| subject.subject.as_ref()) {
        Some(common::subject::Subject::Unit(unit)) => format!("Ship {unit}: "),
        Some(common::subject::Subject::Structure(structure)) => format!("Shipyard {structure}: "),
        None => String::new(),
    };
    let rule = if fault.rule.is_empty() { String::new() } else { format!(" ({})", fault.rule) };
    format!("{subject}{}{rule}.", fault.text)
}

/// A number of things, in words.
fn count(number: usize, thing: &str) -> String {
    if number == 1 { format!("1 {thing}") } else { format!("{number} {thing}s") }
}

/// Whether two actions are of one kind, and for upgrades of one piece.
fn alike(one: &Action, other: &Action) -> bool {
    match (one, other) {
        (Action::Upgrade(one), Action::Upgrade(other)) => one == other,
        (Action::Bombard(one), Action::Bombard(other)) => one == other,
        _ => std::mem::discriminant(one) == std::mem::discriminant(other),
    }
}

/// An action in words, after `Ship 3`.
pub(super) fn says(action: &Action) -> String {
    match action {
        Action::Move(sail) => format!("sails to {}", sentences::at(sail.path.last())),
        Action::Hold(_) => "holds".to_owned(),
        Action::Repair(_) => "is repaired".to_owned(),
        Action::Upgrade(piece) => match plunder::Upgrade::try_from(*piece) {
            Ok(plunder::Upgrade::Sails) => "is fitted with sails".to_owned(),
            Ok(plunder::Upgrade::Cannons) => "is fitted with cannons".to_owned(),
            Ok(plunder::Upgrade::Hull) => "is fitted with a hull".to_owned(),
            _ => "is fitted with something".to_owned(),
        },
        Action::DeployShipyard(_) => "becomes a shipyard".to_owned(),
        Action::Bombard(structure) => format!("bombards shipyard {structure}"),
        Action::Press(_) => "presses on in its contest".to_owned(),
    }
}

/// An engagement in words.
pub const fn engagement(engagement: plunder::Engagement) -> &'static str {
    match engagement {
        plunder::Engagement::Ask => "ask me",
        plunder::Engagement::Evade => "evade",
        plunder::Engagement::Fight => "fight",
        plunder::Engagement::FightIfHealthy => "fight if healthy",
        plunder::Engagement::Unspecified => "unknown",
    }
}

impl Model {
    /// What a ship is ordered to do, in words; what it does anyway where nothing is ordered.
    pub fn intention(&self, unit: &plunder::Unit) -> String {
        match self.plan.ship(unit.id).and_then(|order| order.action.as_ref()) {
            Some(action) => says(action),
            None if self.board.as_ref().is_some_and(|board| board.contest_of(unit.id).is_some()) => {
                "presses on in its contest".to_owned()
            }
            None => match unit.route.last() {
                Some(target) => format!("sails on to {}", sentences::at(Some(target))),
                None => "idle".to_owned(),
            },
        }
    }

    /// What a shipyard is ordered to do, in words.
    pub fn work(&self, structure: u32) -> Option<String> {
        match self.plan.shipyard(structure)?.work.as_ref()? {
            Work::Build(class) => Some(format!("builds a {class}")),
            Work::CancelBuild(index) => Some(format!("gives up build {}", index + 1)),
        }
    }

    /// How a ship will answer encounters, by the order that is planned or else as before.
    pub fn engagement(&self, unit: &plunder::Unit) -> plunder::Engagement {
        let ordered = self.plan.ship(unit.id).map(plunder::UnitOrder::engagement);
        ordered.filter(|&engagement| engagement != plunder::Engagement::Unspecified).unwrap_or(unit.engagement())
    }

    /// The gold that the planned orders cost.
    pub(super) fn cost(&self) -> u32 {
        let Some(options) = &self.options else { return 0 };
        let ships = self.plan.ships().filter_map(|order| {
            let action = order.action.as_ref()?;
            self.option(order.unit, action).map(|option| option.cost)
        });
        let shipyards = self.plan.shipyards().filter_map(|order| {
            let Some(Work::Build(class)) = &order.work else { return None };
            let yard = options.structures.iter().find(|yard| yard.structure == order.structure)?;
            yard.builds.iter().find(|build| build.class == *class).map(|build| build.cost)
        });
        ships.chain(shipyards).sum()
    }

    /// How many own ships have nothing to do.
    pub fn idle(&self) -> usize {
        let Some(board) = &self.board else { return 0 };
        let busy = |unit: &&plunder::Unit| {
            self.plan.ship(unit.id).is_some_and(|order| order.action.is_some())
                || !unit.route.is_empty()
                || board.contest_of(unit.id).is_some()
        };
        board.own_ships().filter(|unit| !busy(unit)).count()
    }

    fn option(&self, unit: u32, action: &Action) -> Option<&plunder::ActionOption> {
        let options = self.options.as_ref()?.units.iter().find(|options| options.unit == unit)?;
        let same = |option: &&plunder::ActionOption| {
            option.order.as_ref().and_then(|order| order.action.as_ref()).is_some_and(|other| alike(other, action))
        };
        options.actions.iter().find(same)
    }

    /// Orders the picked ship to do something, or says why not.
    pub(super) fn order(&mut self, action: Action) {
        let Some(unit) = self.picked_ship() else { return };
        let Some(option) = self.option(unit, &action) else {
            self.notice = Some(match (&self.options, &action) {
                (None, _) => "The server has not told yet what is possible.".to_owned(),
                (_, Action::Press(_)) => format!("Ship {unit}: is in no contest (R9.2)."),
                _ => format!("Ship {unit}: that is not possible now."),
            });
            return;
        };
        if let Some(against) = &option.fault {
            self.notice = Some(fault(against));
            return;
        }
        let cost = if option.cost > 0 { format!(" for {} gold", option.cost) } else { String::new() };
        self.notice = Some(format!("Ship {unit} {}{cost}.", says(&action)));
        self.plan.order(unit, |order| order.action = Some(action));
        self.changed();
    }

    /// Bombards the shipyard under the cursor, or else the next one beside the picked ship.
    pub(super) fn bombard(&mut self) {
        let Some(unit) = self.picked_ship() else { return };
        let Some(options) = self.options.as_ref().and_then(|o| o.units.iter().find(|o| o.unit == unit)) else {
            self.notice = Some("The server has not told yet what is possible.".to_owned());
            return;
        };
        let target = |option: &plunder::ActionOption| match option.order.as_ref()?.action.as_ref()? {
            Action::Bombard(structure) if option.fault.is_none() => Some(*structure),
            _ => None,
        };
        let targets: Vec<u32> = options.actions.iter().filter_map(target).collect();
        let under = self.cursor.and_then(|tile| self.board.as_ref()?.shipyard_at(tile)).map(|yard| yard.id);
        let now = match self.plan.ship(unit).and_then(|order| order.action.as_ref()) {
            Some(Action::Bombard(structure)) => targets.iter().position(|target| target == structure),
            _ => None,
        };
        let next = now.map_or(0, |now| now + 1) % targets.len().max(1);
        match under.filter(|yard| targets.contains(yard)).or_else(|| targets.get(next).copied()) {
            Some(target) => self.order(Action::Bombard(target)),
            None => self.notice = Some(format!("Ship {unit}: no foreign shipyard is beside it (R11.5).")),
        }
    }

    /// Lets the picked ship fire after the last tick, or not.
    pub(super) fn toggle_broadside(&mut self) {
        let Some(unit) = self.picked_ship() else { return };
        let options = self.options.as_ref().and_then(|o| o.units.iter().find(|o| o.unit == unit));
        if let Some(against) = options.and_then(|options| options.broadside_fault.as_ref()) {
            self.notice = Some(fault(against));
            return;
        }
        self.plan.order(unit, |order| order.broadside = !order.broadside);
        let fires = self.plan.ship(unit).is_some_and(|order| order.broadside);
        let what = if fires { "fires a broadside after the last tick" } else { "fires no broadside" };
        self.notice = Some(format!("Ship {unit} {what}."));
        self.changed();
    }

    /// Changes the picked ship to the next way to answer encounters.
    pub(super) fn cycle_engagement(&mut self) {
        let Some(unit) = self.picked_ship() else { return };
        let Some(ship) = self.board.as_ref().and_then(|board| board.ship(unit)) else { return };
        let next = match self.engagement(ship) {
            plunder::Engagement::Ask => plunder::Engagement::Evade,
            plunder::Engagement::Evade => plunder::Engagement::Fight,
            plunder::Engagement::Fight => plunder::Engagement::FightIfHealthy,
            plunder::Engagement::FightIfHealthy | plunder::Engagement::Unspecified => plunder::Engagement::Ask,
        };
        let said = if next == ship.engagement() { plunder::Engagement::Unspecified } else { next };
        self.plan.order(unit, |order| order.engagement = said.into());
        self.notice = Some(format!("Ship {unit} in encounters: {}.", engagement(next)));
        self.changed();
    }

    /// Builds at the picked shipyard: the first class, or the next one where one is ordered already.
    pub(super) fn build(&mut self) {
        let Some(yard) = self.picked_shipyard() else { return };
        let options = self.options.as_ref().and_then(|o| o.structures.iter().find(|o| o.structure == yard));
        let Some(options) = options else {
            self.notice = Some("The server has not told yet what is possible.".to_owned());
            return;
        };
        let now = match self.plan.shipyard(yard).and_then(|order| order.work.as_ref()) {
            Some(Work::Build(class)) => options.builds.iter().position(|build| build.class == *class),
            _ => None,
        };
        let next = now.map_or(0, |now| now + 1) % options.builds.len().max(1);
        let Some(build) = options.builds.get(next) else { return };
        if let Some(against) = &build.fault {
            self.notice = Some(fault(against));
            return;
        }
        let (class, cost, ready) = (build.class.clone(), build.cost, count(build.ready_in as usize, "turn"));
        self.notice = Some(format!("Shipyard {yard} builds a {class} for {cost} gold, ready in {ready}."));
        self.plan.work(yard, Some(Work::Build(class)));
        self.changed();
    }

    /// Takes back what is ordered for what is picked, or else the last build out of the shipyard's queue.
    pub(super) fn cancel(&mut self) {
        match self.picked {
            Some(Pick::Ship(unit)) => {
                self.plan.order(unit, |order| *order = plunder::UnitOrder { unit, ..plunder::UnitOrder::default() });
                self.notice = Some(format!("Ship {unit} has no order now."));
            }
            Some(Pick::Shipyard(yard)) if self.plan.shipyard(yard).is_some() => {
                self.plan.work(yard, None);
                self.notice = Some(format!("Shipyard {yard} has no order now."));
            }
            Some(Pick::Shipyard(yard)) => {
                let options = self.options.as_ref().and_then(|o| o.structures.iter().find(|o| o.structure == yard));
                match options.and_then(|options| options.cancels.last()) {
                    Some(plunder::CancelOption { fault: Some(against), .. }) => self.notice = Some(fault(against)),
                    Some(last) => {
                        let (index, refund) = (last.index, last.refund);
                        self.notice =
                            Some(format!("Shipyard {yard} gives up build {}, for {refund} gold back.", index + 1));
                        self.plan.work(yard, Some(Work::CancelBuild(index)));
                    }
                    None => self.notice = Some(format!("Shipyard {yard} builds nothing (R11.2).")),
                }
            }
            None => self.notice = Some("Pick a ship or a shipyard first: Tab, or Enter on one.".to_owned()),
        }
        self.changed();
    }

    /// Sends the picked ship to the cursor.
    pub(super) fn sail(&mut self) {
        let (Some(Pick::Ship(unit)), Some(cursor)) = (self.picked, self.cursor) else { return };
        match self.aim().cloned() {
            Some(Ok(Way { path, turns })) => {
                let (tiles, turns) = (count(path.len(), "tile"), count(turns as usize, "turn"));
                self.notice = Some(format!("Ship {unit} sails to {}: {tiles}, {turns}.", sentences::at(path.last())));
                self.plan.order(unit, |order| order.action = Some(Action::Move(plunder::Move { path })));
                self.picked = None;
                self.changed();
            }
            Some(Err(why)) => self.notice = Some(format!("Ship {unit}: {why}.")),
            None => {
                self.wish = Some((unit, cursor));
                self.notice = Some("Looking for a way.".to_owned());
                self.take_aim();
            }
        }
    }

    /// Looks for the way of the picked ship to the cursor: what is in reach is known, the rest is asked for.
    pub(super) fn take_aim(&mut self) {
        let (Some(Pick::Ship(unit)), Some(cursor), Some(board)) = (self.picked, self.cursor, &self.board) else {
            return;
        };
        let home = board.ship(unit).and_then(|ship| board.tile(ship.hex.as_ref()));
        if home == Some(cursor) || self.aim().is_some() || !matches!(self.stage, Stage::Planning) {
            return;
        }
        if let Some(path) = self.reach(unit, cursor) {
            self.course = Some(Course { unit, target: cursor, way: Ok(Way { path, turns: 1 }) });
            if self.wish == Some((unit, cursor)) {
                self.wish = None;
                self.sail();
            }
        } else if self.asked_course.is_none() {
            self.asked_course = Some((unit, cursor));
            self.asks.push_back(Ask::Course { unit, target: board.hex(cursor) });
        }
    }

    /// The way of a ship to a tile that it reaches in this turn.
    fn reach(&self, unit: u32, target: Tile) -> Option<Vec<common::Hex>> {
        let board = self.board.as_ref()?;
        let options = self.options.as_ref()?.units.iter().find(|options| options.unit == unit)?;
        let mut path = Vec::new();
        let mut wanted = target;
        for reach in options.reach.iter().rev() {
            if board.tile(reach.hex.as_ref()) == Some(wanted) {
                path.push(board.hex(wanted));
                wanted = board.tile(reach.from.as_ref())?;
            }
        }
        path.reverse();
        (!path.is_empty()).then_some(path)
    }

    /// Asks the server to freeze the orders.
    pub(super) fn lock(&mut self) {
        let Some(turn) = self.board.as_ref().map(|board| board.turn()) else { return };
        self.stage = Stage::Locked;
        self.picked = None;
        self.unsent = false;
        self.notice = Some("Locking in.".to_owned());
        self.asks.push_back(Ask::Lock { turn, sheet: self.plan.sheet() });
    }

    /// Notes that the plan has changed: the server is to know it before the deadline comes.
    pub(super) fn changed(&mut self) {
        self.unsent = true;
        self.send_plan();
    }

    /// Sends the plan unless an older one is still on its way.
    pub(super) fn send_plan(&mut self) {
        let Some(turn) = self.board.as_ref().map(|board| board.turn()) else { return };
        if self.unsent && !self.staging && matches!(self.stage, Stage::Planning) {
            (self.unsent, self.staging) = (false, true);
            self.asks.push_back(Ask::Stage { turn, sheet: self.plan.sheet() });
        }
    }

    /// The picked ship; where there is none, a notice says so.
    fn picked_ship(&mut self) -> Option<u32> {
        match self.picked {
            Some(Pick::Ship(unit)) => Some(unit),
            _ => {
                self.notice = Some("Pick a ship first: Tab, or Enter on one.".to_owned());
                None
            }
        }
    }

    /// The picked shipyard; where there is none, a notice says so.
    fn picked_shipyard(&mut self) -> Option<u32> {
        match self.picked {
            Some(Pick::Shipyard(yard)) => Some(yard),
            _ => {
                self.notice = Some("Pick a shipyard first: Tab, or Enter on one.".to_owned());
                None
            }
        }
    }
}
