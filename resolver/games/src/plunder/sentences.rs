//! What happened, in sentences. Whoever has a seat is spoken to: "Your ship 3 sinks", "You receive 20 gold".

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use parley_proto::common::v1 as common;
use parley_proto::plunder::v1 as plunder;
use parley_proto::plunder::v1::event::What;

use crate::sentences::{Names, list};

/// Somebody who has watched so far and knows everybody's name.
#[derive(Clone, Debug, Default)]
pub struct Teller {
    names: Names,
    /// The seat of the player who is spoken to; `None` where a spectator listens.
    viewer: Option<u32>,
    /// The owner of each known ship.
    ships: BTreeMap<u32, u32>,
    /// The owner of each known shipyard; `None` is neutral.
    shipyards: BTreeMap<u32, Option<u32>>,
}

/// Where in a sentence something is named, which decides about capital letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// At the beginning of a sentence.
    Start,
    /// Anywhere else in a sentence.
    Within,
}

impl Place {
    /// A word of our own. Names of players stay as their owners write them.
    fn word(self, word: &str) -> String {
        let mut letters = word.chars();
        match (self, letters.next()) {
            (Self::Start, Some(first)) => first.to_uppercase().chain(letters).collect(),
            _ => word.to_owned(),
        }
    }
}

/// A place on the map, in words.
pub fn at(hex: Option<&common::Hex>) -> String {
    hex.map_or_else(|| "an unknown place".to_owned(), |hex| format!("({}, {})", hex.q, hex.r))
}

/// The place of an encounter, in words.
pub fn site(site: Option<&plunder::Site>) -> String {
    match site.and_then(|site| site.place.as_ref()) {
        Some(plunder::site::Place::Hex(hex)) => format!("at {}", at(Some(hex))),
        Some(plunder::site::Place::Edge(edge)) => {
            format!("between {} and {}", at(edge.first.as_ref()), at(edge.second.as_ref()))
        }
        None => "out of sight".to_owned(),
    }
}

impl Teller {
    /// A teller who knows what the players are called.
    pub const fn new(names: Names) -> Self {
        Self { names, viewer: None, ships: BTreeMap::new(), shipyards: BTreeMap::new() }
    }

    /// The same teller, who speaks to the player on this seat.
    pub const fn for_viewer(mut self, viewer: Option<u32>) -> Self {
        self.viewer = viewer;
        self
    }

    /// Changes what the players are called from now on.
    pub fn rename(&mut self, names: Names) {
        self.names = names;
    }

    /// Takes note of the ships and shipyards of a view. What was known before stays known.
    pub fn look(&mut self, view: &plunder::View) {
        self.ships.extend(view.units.iter().map(|unit| (unit.id, unit.owner)));
        self.shipyards.extend(view.structures.iter().map(|structure| (structure.id, structure.owner)));
    }

    /// What the player on a seat is called, at the beginning of a sentence.
    pub fn player(&self, seat: u32) -> String {
        self.player_at(Place::Start, seat)
    }

    fn player_at(&self, place: Place, seat: u32) -> String {
        if self.viewer == Some(seat) {
            return place.word("you");
        }
        self.names.get(&seat).cloned().unwrap_or_else(|| format!("Seat {seat}"))
    }

    /// A ship and its owner, at the beginning of a sentence.
    pub fn ship(&self, unit: u32) -> String {
        self.ship_at(Place::Start, unit)
    }

    fn ship_at(&self, place: Place, unit: u32) -> String {
        match self.ships.get(&unit) {
            Some(&owner) => self.owned(place, owner, &format!("ship {unit}")),
            None => place.word(&format!("ship {unit}")),
        }
    }

    /// Ships and their owners, within a sentence.
    pub fn ships(&self, units: &[u32]) -> String {
        list(&units.iter().map(|&unit| self.ship_at(Place::Within, unit)).collect::<Vec<_>>())
    }

    /// A shipyard and its owner, at the beginning of a sentence.
    pub fn shipyard(&self, structure: u32) -> String {
        self.shipyard_at(Place::Start, structure)
    }

    fn shipyard_at(&self, place: Place, structure: u32) -> String {
        match self.shipyards.get(&structure) {
            Some(Some(owner)) => self.owned(place, *owner, &format!("shipyard {structure}")),
            Some(None) => place.word(&format!("the neutral shipyard {structure}")),
            None => place.word(&format!("shipyard {structure}")),
        }
    }

    fn owned(&self, place: Place, owner: u32, thing: &str) -> String {
        if self.viewer == Some(owner) {
            return format!("{} {thing}", place.word("your"));
        }
        format!("{}'s {thing}", self.player_at(place, owner))
    }

    /// The form of a verb that suits a player: what others do, or what you do.
    fn verb<'a>(&self, seat: u32, they: &'a str, you: &'a str) -> &'a str {
        if self.viewer == Some(seat) { you } else { they }
    }

    /// Says that somebody took a seat or left it.
    pub fn seated(&self, seat: u32, name: &str, taken: bool) -> String {
        let who = if self.viewer == Some(seat) { Place::Start.word("you") } else { name.to_owned() };
        let verb = if taken { self.verb(seat, "takes", "take") } else { self.verb(seat, "leaves", "leave") };
        format!("{who} {verb} seat {seat}.")
    }

    /// Says how a match ended.
    pub fn result(&self, result: &common::MatchResult) -> String {
        match &result.result {
            Some(common::match_result::Result::Winner(seat)) => {
                format!("{} {} the match.", self.player(*seat), self.verb(*seat, "wins", "win"))
            }
            Some(common::match_result::Result::Draw(draw)) => {
                let players: Vec<String> =
                    draw.players.iter().map(|&seat| self.player_at(Place::Within, seat)).collect();
                format!("The match ends in a draw of {}.", list(&players))
            }
            None => "The match is over.".to_owned(),
        }
    }

    /// Tells an event and remembers what it changed. What could not be carried out is told to its owner as a
    /// shortfall, and not here.
    pub fn tell(&mut self, event: &plunder::Event) -> Option<String> {
        let what = event.what.as_ref()?;
        match what {
            What::Met(met) => self.ships.extend(met.parties.iter().map(|party| (party.unit, party.owner))),
            What::Appeared(appeared) => {
                self.ships.insert(appeared.unit, appeared.owner);
            }
            What::StructureSighted(sighted) => {
                self.shipyards.insert(sighted.structure, sighted.owner);
            }
            _ => {}
        }
        let text = self.sentence(what);
        match what {
            What::Deployed(deployed) => {
                self.ships.remove(&deployed.unit);
                self.shipyards.insert(deployed.structure, Some(deployed.owner));
            }
            What::Spawned(spawned) => {
                self.ships.insert(spawned.unit, spawned.owner);
            }
            What::Captured(captured) => {
                self.shipyards.insert(captured.structure, Some(captured.by));
            }
            What::Neutralised(neutralised) => {
                self.shipyards.insert(neutralised.structure, None);
            }
            _ => {}
        }
        text
    }

    fn sentence(&self, what: &What) -> Option<String> {
        Some(match what {
            What::Gold(gold) => self.gold(gold),
            What::Deployed(e) => {
                format!("{} becomes shipyard {} at {}.", self.ship(e.unit), e.structure, at(e.hex.as_ref()))
            }
            What::Queued(e) => format!("{} takes on the build of a {}.", self.shipyard(e.structure), e.class),
            What::Cancelled(e) => format!("{} gives up the build of a {}.", self.shipyard(e.structure), e.class),
            What::Repaired(e) => format!("{} is repaired to {} hp.", self.ship(e.unit), e.hp),
            What::Upgraded(e) => format!("{} is fitted with {}.", self.ship(e.unit), upgrade(e.upgrade())),
            What::Withdrew(e) => {
                format!("{} withdraws from the contest at {}.", self.ship(e.unit), at(e.hex.as_ref()))
            }
            What::Moved(e) => {
                format!("{} moves from {} to {}.", self.ship(e.unit), at(e.from.as_ref()), at(e.to.as_ref()))
            }
            What::GaveWay(e) => {
                format!("{} gives way to the {}, to {}.", self.ship(e.unit), compass(e.direction()), at(e.to.as_ref()))
            }
            What::Appeared(e) => format!("{} comes into sight at {}.", self.ship(e.unit), at(e.hex.as_ref())),
            What::Vanished(e) => format!("{} leaves {} and is out of sight.", self.ship(e.unit), at(e.from.as_ref())),
            What::StructureSighted(e) => {
                format!("{} comes into sight at {}.", self.shipyard(e.structure), at(e.hex.as_ref()))
            }
            What::ContestSighted(e) => format!("A contest comes into sight at {}.", at(e.hex.as_ref())),
            What::Met(met) => self.met(met),
            What::Decided(e) => self.decided(e),
            What::Defaulted(e) => format!("Nobody answered for {} in time.", self.ship_at(Place::Within, e.unit)),
            What::Exchanged(e) => self.exchanged(e),
            What::Sunk(e) => format!("{} sinks.", self.ship(e.unit)),
            What::ContestOpened(e) => {
                format!("{} is contested now, by {}.", at(e.hex.as_ref()), self.ships(&e.contenders))
            }
            What::ContestClosed(e) => {
                let how = match e.end() {
                    plunder::ContestEnd::Claimed => "one side claimed it",
                    plunder::ContestEnd::Emptied => "nobody was left",
                    plunder::ContestEnd::Expired => "it had lasted as long as a contest may",
                    plunder::ContestEnd::Unspecified => "it is over",
                };
                format!("{} is contested no more: {how}.", at(e.hex.as_ref()))
            }
            What::Bombarded(e) => {
                let target = self.shipyard_at(Place::Within, e.structure);
                format!("{} bombards {target} for {} hp.", self.ship(e.unit), e.damage)
            }
            What::Captured(e) => {
                format!("{} falls to {}.", self.shipyard(e.structure), self.player_at(Place::Within, e.by))
            }
            What::Spawned(e) => {
                let yard = e.structure.map_or_else(|| "A shipyard out of sight".to_owned(), |yard| self.shipyard(yard));
                format!("{yard} finishes ship {}, a {}, at {}.", e.unit, e.class, at(e.hex.as_ref()))
            }
            What::SpawnDelayed(e) => {
                format!("{} has finished a ship and finds no place for it.", self.shipyard(e.structure))
            }
            What::Removed(e) => format!("{} leaves the match.", self.ship(e.unit)),
            What::Eliminated(e) if e.conceded => {
                let verb = self.verb(e.player, "gives up and is", "give up and are");
                format!("{} {verb} out.", self.player(e.player))
            }
            What::Eliminated(e) => {
                format!("{} {} eliminated.", self.player(e.player), self.verb(e.player, "is", "are"))
            }
            What::Neutralised(e) => format!("{} becomes neutral.", self.shipyard(e.structure)),
            What::Ended(result) => self.result(result),
            What::Skipped(_) | What::Waited(_) | What::Blocked(_) | What::SightChanged(_) => return None,
        })
    }

    fn gold(&self, gold: &plunder::event::Gold) -> String {
        let what = match gold.reason() {
            plunder::GoldReason::Income => "as income",
            plunder::GoldReason::DeployShipyard => "for a shipyard",
            plunder::GoldReason::Build => "for a build",
            plunder::GoldReason::CancelBuild => "for a build that was cancelled",
            plunder::GoldReason::Repair => "for a repair",
            plunder::GoldReason::Upgrade => "for an upgrade",
            plunder::GoldReason::Salvage => "of salvage",
            plunder::GoldReason::Unspecified => "for something",
        };
        let (seat, change, balance) = (gold.player, gold.change.unsigned_abs(), gold.balance);
        let verb =
            if gold.change < 0 { self.verb(seat, "pays", "pay") } else { self.verb(seat, "receives", "receive") };
        let has = self.verb(seat, "has", "have");
        format!("{} {verb} {change} gold {what} and {has} {balance}.", self.player(seat))
    }

    fn met(&self, met: &plunder::event::Met) -> String {
        let kind = if met.kind() == plunder::EncounterKind::Passing { "Passing" } else { "Entry" };
        let units: Vec<u32> = met.parties.iter().map(|party| party.unit).collect();
        // The others may be out of sight.
        let meet = if units.len() == 1 { "meets somebody" } else { "meet" };
        format!("{kind} encounter {}: {} {meet}.", site(met.site.as_ref()), self.ships(&units))
    }

    fn decided(&self, decided: &plunder::event::Decided) -> String {
        let what = match decided.choice() {
            plunder::Choice::Proceed => "proceeds",
            plunder::Choice::Yield => "yields",
            plunder::Choice::Attack => "attacks",
            plunder::Choice::Unspecified => "does nothing",
        };
        format!("{} {what}.", self.ship(decided.unit))
    }

    fn exchanged(&self, exchange: &plunder::event::Exchanged) -> String {
        let dice = |dice: &[u32]| dice.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
        format!(
            "{} rolls {} against {} with {}; they lose {} and {} hp.",
            self.ship(exchange.attacker),
            dice(&exchange.attacker_dice),
            self.ship_at(Place::Within, exchange.defender),
            dice(&exchange.defender_dice),
            exchange.attacker_loses,
            exchange.defender_loses,
        )
    }
}

const fn upgrade(upgrade: plunder::Upgrade) -> &'static str {
    match upgrade {
        plunder::Upgrade::Sails => "sails",
        plunder::Upgrade::Cannons => "cannons",
        plunder::Upgrade::Hull => "hull",
        plunder::Upgrade::Unspecified => "something",
    }
}

const fn compass(direction: common::Direction) -> &'static str {
    match direction {
        common::Direction::East => "east",
        common::Direction::NorthEast => "north-east",
        common::Direction::NorthWest => "north-west",
        common::Direction::West => "west",
        common::Direction::SouthWest => "south-west",
        common::Direction::SouthEast => "south-east",
        common::Direction::Unspecified => "side",
    }
}
