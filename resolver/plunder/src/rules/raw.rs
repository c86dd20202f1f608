//! Rules as somebody wrote them: the file's shape, with every number in its range.

use serde::de::{Deserialize, Deserializer, Error as _};
use serde::{Deserialize as DeriveDeserialize, Serialize};

/// A number that was in its range when it was read; reading is where a range has a line to blame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Bounded<const MIN: u32, const MAX: u32>(u32);

impl<const MIN: u32, const MAX: u32> Bounded<MIN, MAX> {
    /// The number itself, which is in its range.
    pub const fn get(self) -> u32 {
        self.0
    }
}

impl<'de, const MIN: u32, const MAX: u32> Deserialize<'de> for Bounded<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = i64::deserialize(deserializer)?;
        if value < i64::from(MIN) || value > i64::from(MAX) {
            return Err(D::Error::custom(format!("{value} is out of range, {MIN} to {MAX} is allowed")));
        }
        Ok(Self(value as u32))
    }
}

/// Amounts of gold in the rules.
pub type Price = Bounded<0, 1_000_000>;
/// Amounts of hp and damage in the rules.
pub type Points = Bounded<0, 1_000>;
/// A share in percent.
pub type Percent = Bounded<0, 100>;

/// A rules file (R-numbers stand in the file itself).
#[derive(Clone, Debug, PartialEq, Eq, DeriveDeserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct RawRules {
    /// What the rules are called.
    pub name: String,
    /// Whether fog limits what players see (R14.1).
    pub fog: OnOff,
    /// The most rounds of a contest; 0 is no limit (R9.4).
    pub contest_limit: Bounded<0, 1_000_000>,
    /// The turn after which the match ends; 0 is no limit (R12.2).
    pub turn_limit: Bounded<0, { u32::MAX }>,
    /// Whether there are broadsides (R10).
    pub broadsides: Broadsides,
    /// What eliminates a player (R12.1).
    pub elimination: Elimination,
    /// The stages of a turn, in order (R5.6).
    pub stages: Vec<Stage>,
    /// The table of terrains (R3.2).
    pub terrains: Vec<RawTerrain>,
    /// The table of unit classes (R4).
    pub classes: Vec<RawClass>,
    /// What upgrades bring and cost (R4, R11.2).
    pub upgrades: RawUpgrades,
    /// The numbers of combat and bombardment (R8, R11.5).
    pub combat: RawCombat,
    /// The numbers of shipyards (R11).
    pub shipyard: RawShipyard,
    /// The prices and incomes (R11).
    pub economy: RawEconomy,
}

/// A switch, written `on` or `off`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, DeriveDeserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum OnOff {
    /// It is on.
    On,
    /// It is off.
    Off,
}

/// When ships fire broadsides (R10).
#[derive(Clone, Copy, Debug, PartialEq, Eq, DeriveDeserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Broadsides {
    /// Ships fire if their order says so.
    OnOrder,
    /// No ship ever fires a broadside.
    Off,
}

/// What eliminates a player (R12.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, DeriveDeserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Elimination {
    /// A player without ships is out.
    NoShips,
    /// A player with neither ships nor structures is out.
    NoShipsAndNoStructures,
}

/// A stage of the turn (R5.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, DeriveDeserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Every living player is paid (R11.1).
    Income,
    /// Deploying, building, cancelling, repairing, upgrading.
    ShipyardWork,
    /// Contested tiles, as tick 0.
    Contests,
    /// Movement ticks with their encounters.
    Movement,
    /// Ships fire broadsides (R10).
    Broadsides,
    /// Ships fire on structures (R11.5).
    Bombardment,
    /// Queues advance and finished ships appear (R11.4).
    Construction,
    /// Players are eliminated and the match may end (R12).
    Reckoning,
}

/// The kind of terrain that a class can enter, and that a terrain belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, DeriveDeserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Domain {
    /// The domain of ships.
    Naval,
    /// The domain of land units.
    Land,
    /// The domain of whatever flies.
    Air,
}

/// A terrain (R3.2).
#[derive(Clone, Debug, PartialEq, Eq, DeriveDeserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct RawTerrain {
    /// The name of the terrain.
    pub key: String,
    /// The character of the terrain in a text map.
    pub symbol: char,
    /// The domains whose units may enter the terrain.
    pub domains: Vec<Domain>,
    /// Ticks to enter; R6 moves one tile a tick, so that 1 is the only value with a meaning.
    pub move_cost: Bounded<1, 1>,
    /// Bonus of a defender; R8 knows none, so that 0 is the only value with a meaning.
    pub defence: Bounded<0, 0>,
    /// Whether the terrain hides what is behind it.
    pub blocks_sight: bool,
    /// Whether a structure can stand on the terrain.
    pub harbor: bool,
}

/// A class of units (R4).
#[derive(Clone, Debug, PartialEq, Eq, DeriveDeserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct RawClass {
    /// The name of the class.
    pub key: String,
    /// The domain of terrains that its units can enter.
    pub domain: Domain,
    /// Hp of its units without upgrades.
    pub hull: Bounded<1, 10_000>,
    /// Tiles per turn that its units move without upgrades.
    pub speed: Bounded<0, 32>,
    /// Damage that its units add to every hit without upgrades.
    pub cannons: Points,
    /// How many tiles far its units see.
    pub vision: Bounded<0, 32>,
    /// The price of building one, in gold.
    pub build_cost: Price,
    /// How many turns building one takes.
    pub build_turns: Bounded<1, 250>,
}

/// The three upgrades (R4).
#[derive(Clone, Debug, PartialEq, Eq, DeriveDeserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct RawUpgrades {
    /// What a piece of sails brings and costs.
    pub sails: RawUpgrade,
    /// What a piece of cannons brings and costs.
    pub cannons: RawUpgrade,
    /// What a piece of hull brings and costs.
    pub hull: RawUpgrade,
}

/// What one piece of an upgrade brings.
#[derive(Clone, Debug, PartialEq, Eq, DeriveDeserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct RawUpgrade {
    /// How many of the pieces a unit can have.
    pub max: Bounded<0, 20>,
    /// The price of one piece, in gold.
    pub cost: Price,
    /// Tiles per turn that one piece adds to the speed.
    pub speed: Bounded<0, 3>,
    /// Damage that one piece adds to every hit.
    pub damage: Points,
    /// Hp that one piece adds to the max hp.
    pub hull: Points,
    /// Whether fitting it heals to full.
    pub heals: bool,
}

/// The numbers of combat (R8) and bombardment (R11.5).
#[derive(Clone, Debug, PartialEq, Eq, DeriveDeserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct RawCombat {
    /// Hp that a lost comparison costs, before the winner's cannons are added.
    pub damage: Points,
    /// Gold that is paid for a sunk unit (R8.4).
    pub salvage: Price,
    /// Hp that a bombardment costs a structure, before the ship's cannons are added.
    pub bombard_damage: Points,
}

/// The numbers of shipyards (R11.2, R11.5).
#[derive(Clone, Debug, PartialEq, Eq, DeriveDeserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct RawShipyard {
    /// The hp of a new shipyard.
    pub hp: Bounded<1, 60_000>,
    /// The share of its full hp that a shipyard has after it was captured.
    pub captured_hp_percent: Bounded<1, 100>,
    /// The price of deploying a shipyard, in gold.
    pub deploy_cost: Price,
    /// The most builds in its queue.
    pub queue: Bounded<1, 16>,
    /// How many shipyards a player can have.
    pub per_player: Bounded<0, 1_000_000>,
    /// How many tiles far a shipyard sees.
    pub vision: Bounded<0, 32>,
}

/// The incomes and prices (R11.1, R11.2).
#[derive(Clone, Debug, PartialEq, Eq, DeriveDeserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct RawEconomy {
    /// Gold that every living player gets per turn.
    pub income: Price,
    /// Gold that a player gets per turn for each shipyard.
    pub income_per_shipyard: Price,
    /// Gold that a player gets per turn for each unit.
    pub income_per_ship: Price,
    /// Gold that each player has at the start of a match.
    pub start_gold: Price,
    /// How many shipyards each player has at the start of a match.
    pub start_shipyards: Bounded<0, 16>,
    /// How many ships each player has at the start of a match.
    pub start_ships: Bounded<1, 64>,
    /// How many units a player can have, queued ones included.
    pub ships_per_player: Bounded<0, 1_048_576>,
    /// The price of a repair, in gold.
    pub repair_cost: Price,
    /// The share of its price that a cancelled build gives back.
    pub cancel_refund_percent: Percent,
}
