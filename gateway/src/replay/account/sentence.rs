//! One sentence for each event.

use std::collections::BTreeMap;

use parley_resolver::event::{ContestEnd, EncounterKind, Event, GoldReason, Site};
use parley_resolver::explain::explain;
use parley_resolver::hex::Direction;
use parley_resolver::ids::{ClassId, PlayerId, StructureId, UnitId};
use parley_resolver::map::{Grid, Tile};
use parley_resolver::order::Choice;
use parley_resolver::rules::Rules;
use parley_resolver::state::{MatchResult, State};

/// Somebody who has watched a turn so far and knows everybody's name.
pub(super) struct Teller<'a> {
    rules: &'a Rules,
    grid: Grid,
    players: Vec<PlayerId>,
    names: &'a [String],
    units: BTreeMap<UnitId, (PlayerId, Tile)>,
    structures: BTreeMap<StructureId, (Option<PlayerId>, Tile)>,
}

/// Things with commas, and an `and` before the last.
pub(super) fn list(items: &[String]) -> String {
    match items {
        [] => "nobody".to_owned(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

impl<'a> Teller<'a> {
    pub(super) fn new(rules: &'a Rules, state: &State, names: &'a [String]) -> Self {
        Self {
            rules,
            grid: *state.map().grid(),
            players: state.players().iter().map(|player| player.id).collect(),
            names,
            units: state.units().iter().map(|unit| (unit.id, (unit.owner, unit.tile))).collect(),
            structures: state.structures().iter().map(|s| (s.id, (s.owner, s.tile))).collect(),
        }
    }

    /// What the player on a seat is called.
    pub(super) fn seat(&self, seat: u32) -> String {
        let place = self.players.iter().position(|id| u32::from(id.get()) == seat);
        place.and_then(|place| self.names.get(place)).cloned().unwrap_or_else(|| format!("Seat {seat}"))
    }

    fn player(&self, player: PlayerId) -> String {
        self.seat(player.get().into())
    }

    fn at(&self, tile: Tile) -> String {
        self.grid.hex(tile).to_string()
    }

    fn ship(&self, unit: UnitId) -> String {
        match self.units.get(&unit) {
            Some((owner, _)) => format!("{}'s ship {unit}", self.player(*owner)),
            None => format!("Ship {unit}"),
        }
    }

    fn ships(&self, units: &[UnitId]) -> String {
        list(&units.iter().map(|&unit| self.ship(unit)).collect::<Vec<_>>())
    }

    fn shipyard(&self, structure: StructureId) -> String {
        match self.structures.get(&structure) {
            Some((Some(owner), _)) => format!("{}'s shipyard {structure}", self.player(*owner)),
            _ => format!("The neutral shipyard {structure}"),
        }
    }

    fn class(&self, class: ClassId) -> &str {
        &self.rules.class(class).key
    }

    /// Tells an event and remembers what it changed.
    pub(super) fn tell(&mut self, event: &Event) -> String {
        let text = self.sentence(event);
        match *event {
            Event::Moved { unit, to, .. } | Event::GaveWay { unit, to, .. } => {
                if let Some(place) = self.units.get_mut(&unit) {
                    place.1 = to;
                }
            }
            Event::Deployed { unit, structure, tile } => {
                let owner = self.units.remove(&unit).map(|(owner, _)| owner);
                self.structures.insert(structure, (owner, tile));
            }
            Event::Spawned { unit, owner, tile, .. } => {
                self.units.insert(unit, (owner, tile));
            }
            Event::Captured { structure, by, .. } => {
                if let Some(place) = self.structures.get_mut(&structure) {
                    place.0 = Some(by);
                }
            }
            Event::Neutralised { structure } => {
                if let Some(place) = self.structures.get_mut(&structure) {
                    place.0 = None;
                }
            }
            _ => {}
        }
        text
    }

    fn sentence(&self, event: &Event) -> String {
        match *event {
            Event::Gold { player, change, reason, balance } => self.gold(player, change, reason, balance),
            Event::Deployed { unit, structure, tile } => {
                format!("{} becomes shipyard {structure} at {}.", self.ship(unit), self.at(tile))
            }
            Event::Queued { structure, class } => {
                format!("{} takes on the build of a {}.", self.shipyard(structure), self.class(class))
            }
            Event::Cancelled { structure, class } => {
                format!("{} gives up the build of a {}.", self.shipyard(structure), self.class(class))
            }
            Event::Repaired { unit, hp } => format!("{} is repaired to {hp} hp.", self.ship(unit)),
            Event::Upgraded { unit, upgrade } => format!("{} is fitted with {}.", self.ship(unit), upgrade.key()),
            Event::Skipped { subject, cause } => {
                explain(&self.grid, &parley_resolver::event::Shortfall { subject, tick: None, cause })
            }
            Event::Waited { tick, unit, cause } | Event::Blocked { tick, unit, cause } => {
                let subject = parley_resolver::event::Subject::Unit(unit);
                explain(&self.grid, &parley_resolver::event::Shortfall { subject, tick: Some(tick), cause })
            }
            Event::Withdrew { unit, tile } => {
                format!("{} withdraws from the contest at {}.", self.ship(unit), self.at(tile))
            }
            Event::Moved { unit, to, .. } => self.moved(unit, to),
            Event::Encounter { kind, site, ref units, .. } => self.encounter(kind, site, units),
            Event::Decided { unit, choice, defaulted, .. } => self.decided(unit, choice, defaulted),
            Event::Exchanged { exchange, .. } => self.exchanged(&exchange),
            Event::Sunk { unit, .. } => format!("{} sinks.", self.ship(unit)),
            Event::GaveWay { unit, to, direction, .. } => {
                format!("{} gives way to the {}, to {}.", self.ship(unit), compass(direction), self.at(to))
            }
            Event::ContestOpened { tile, ref contenders, .. } => {
                format!("{} is contested now, by {}.", self.at(tile), self.ships(contenders))
            }
            Event::ContestClosed { tile, end } => {
                let how = match end {
                    ContestEnd::Claimed => "one side claimed it",
                    ContestEnd::Emptied => "nobody was left",
                    ContestEnd::Expired => "it had lasted as long as a contest may",
                };
                format!("{} is contested no more: {how}.", self.at(tile))
            }
            Event::Bombarded { unit, structure, damage } => {
                let target = self.shipyard(structure).replacen("The", "the", 1);
                format!("{} bombards {target} for {damage} hp.", self.ship(unit))
            }
            Event::Captured { structure, by, .. } => {
                format!("{} falls to {}.", self.shipyard(structure), self.player(by))
            }
            Event::Spawned { unit, class, structure, tile, .. } => {
                let (yard, class, at) = (self.shipyard(structure), self.class(class), self.at(tile));
                format!("{yard} finishes ship {unit}, a {class}, at {at}.")
            }
            Event::SpawnDelayed { structure } => {
                format!("{} has finished a ship and finds no place for it.", self.shipyard(structure))
            }
            Event::Removed { unit } => format!("{} leaves the match.", self.ship(unit)),
            Event::Eliminated { player, conceded: true } => format!("{} gives up and is out.", self.player(player)),
            Event::Eliminated { player, conceded: false } => format!("{} is eliminated.", self.player(player)),
            Event::Neutralised { structure } => format!("{} becomes neutral.", self.shipyard(structure)),
            Event::Ended { result: MatchResult::Winner(winner) } => {
                format!("{} wins the match.", self.player(winner))
            }
            Event::Ended { result: MatchResult::Draw(ref players) } => {
                let names: Vec<String> = players.iter().map(|&player| self.player(player)).collect();
                format!("The match ends in a draw of {}.", list(&names))
            }
        }
    }

    fn gold(&self, player: PlayerId, change: i64, reason: GoldReason, balance: i64) -> String {
        let what = match reason {
            GoldReason::Income => "as income",
            GoldReason::DeployShipyard => "for a shipyard",
            GoldReason::Build => "for a build",
            GoldReason::CancelBuild => "for a build that was cancelled",
            GoldReason::Repair => "for a repair",
            GoldReason::Upgrade => "for an upgrade",
            GoldReason::Salvage => "of salvage",
        };
        let verb = if change < 0 { "pays" } else { "receives" };
        format!("{} {verb} {} gold {what} and has {balance}.", self.player(player), change.unsigned_abs())
    }

    fn moved(&self, unit: UnitId, to: Tile) -> String {
        match self.units.get(&unit) {
            Some(&(_, from)) => format!("{} moves from {} to {}.", self.ship(unit), self.at(from), self.at(to)),
            None => format!("{} moves to {}.", self.ship(unit), self.at(to)),
        }
    }

    fn encounter(&self, kind: EncounterKind, site: Site, units: &[UnitId]) -> String {
        let place = match site {
            Site::Edge(a, b) => format!("between {} and {}", self.at(a), self.at(b)),
            Site::Tile(tile) => format!("at {}", self.at(tile)),
        };
        match kind {
            EncounterKind::Passing => format!("Passing encounter {place}: {} meet.", self.ships(units)),
            EncounterKind::Entry => format!("Entry encounter {place}: {} meet.", self.ships(units)),
        }
    }

    fn decided(&self, unit: UnitId, choice: Choice, defaulted: bool) -> String {
        let what = match choice {
            Choice::Proceed => "proceeds",
            Choice::Yield => "yields",
            Choice::Attack => "attacks",
        };
        let why = if defaulted { ", as nobody answered in time" } else { "" };
        format!("{} {what}{why}.", self.ship(unit))
    }

    fn exchanged(&self, exchange: &parley_resolver::event::Exchange) -> String {
        let dice = |dice: &[u8]| dice.iter().map(u8::to_string).collect::<Vec<_>>().join(" ");
        format!(
            "{} rolls {} against {} with {}; they lose {} and {} hp.",
            self.ship(exchange.attacker),
            dice(&exchange.attacker_dice),
            self.ship(exchange.defender),
            dice(&exchange.defender_dice),
            exchange.attacker_loses,
            exchange.defender_loses,
        )
    }
}

const fn compass(direction: Direction) -> &'static str {
    match direction {
        Direction::E => "east",
        Direction::NE => "north-east",
        Direction::NW => "north-west",
        Direction::W => "west",
        Direction::SW => "south-west",
        Direction::SE => "south-east",
    }
}
