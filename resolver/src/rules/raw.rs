//! Rules as somebody wrote them: the file's shape, with every number in its range.

use serde::de::{Deserialize, Deserializer, Error as _};
use serde::{Deserialize as DeriveDeserialize, Serialize};

/// A number that was in its range when it was read; reading is where a range has a line to blame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Bounded<const MIN: u32, const MAX: u32>(u32);

impl<const MIN: u32, const MAX: u32> Bounded<MIN, MAX> {
    /// The number itself.
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
    /// R14.1.
    pub fog: OnOff,
    /// R9.4, 0 is none.
    pub contest_limit: Bounded<0, 1_000_000>,
    /// R12.2, 0 is none.
    pub turn_limit: Bounded<0, { u32::MAX }>,
    /// R10.
    pub broadsides: Broadsides,
    /// R12.1.
    pub elimination: Elimination,
    /// R5.6.
    pub stages: Vec<Stage>,
    /// R3.2.
    pub terrains: Vec<RawTerrain>,
    /// R4.
    pub classes: Vec<RawClass>,
    /// R4, R11.2.
    pub upgrades: RawUpgrades,
    /// R8.
    pub combat: RawCombat,
    /// R11.
    pub shipyard: RawShipyard,
    /// R11.
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
    /// Ships whose order says so.
    OnOrder,
    /// Never.
    Off,
}

/// What eliminates a player (R12.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, DeriveDeserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Elimination {
    /// Having no ship.
    NoShips,
    /// Having neither a ship nor a structure.
    NoShipsAndNoStructures,
}

/// A stage of the turn (R5.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, DeriveDeserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Everybody is paid.
    Income,
    /// Deploying, building, cancelling, repairing, upgrading.
    ShipyardWork,
    /// Contested tiles, as tick 0.
    Contests,
    /// Movement ticks with their encounters.
    Movement,
    /// Broadsides.
    Broadsides,
    /// Bombardment of structures.
    Bombardment,
    /// Queues advance and finished ships appear.
    Construction,
    /// Elimination and victory.
    Reckoning,
}

/// Where a class can go and a terrain be entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, DeriveDeserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Domain {
    /// Ships.
    Naval,
    /// Land units.
    Land,
    /// Whatever flies.
    Air,
}

/// A terrain (R3.2).
#[derive(Clone, Debug, PartialEq, Eq, DeriveDeserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct RawTerrain {
    /// Its name.
    pub key: String,
    /// Its character in a text map.
    pub symbol: char,
    /// Who may enter.
    pub domains: Vec<Domain>,
    /// Ticks to enter; R6 moves one tile a tick, so that 1 is the only value with a meaning.
    pub move_cost: Bounded<1, 1>,
    /// Bonus of a defender; R8 knows none, so that 0 is the only value with a meaning.
    pub defence: Bounded<0, 0>,
    /// Whether it hides what is behind it.
    pub blocks_sight: bool,
    /// Whether a structure can stand on it.
    pub harbor: bool,
}

/// A class of units (R4).
#[derive(Clone, Debug, PartialEq, Eq, DeriveDeserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct RawClass {
    /// Its name.
    pub key: String,
    /// Where it goes.
    pub domain: Domain,
    /// Hp without upgrades.
    pub hull: Bounded<1, 10_000>,
    /// Hexes per turn without upgrades.
    pub speed: Bounded<0, 32>,
    /// Damage it brings without upgrades.
    pub cannons: Points,
    /// How far it sees.
    pub vision: Bounded<0, 32>,
    /// What building one costs.
    pub build_cost: Price,
    /// How many turns building one takes.
    pub build_turns: Bounded<1, 250>,
}

/// The three upgrades (R4).
#[derive(Clone, Debug, PartialEq, Eq, DeriveDeserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct RawUpgrades {
    /// Sails.
    pub sails: RawUpgrade,
    /// Cannons.
    pub cannons: RawUpgrade,
    /// Hull.
    pub hull: RawUpgrade,
}

/// What one piece of an upgrade brings.
#[derive(Clone, Debug, PartialEq, Eq, DeriveDeserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct RawUpgrade {
    /// How many a unit can have.
    pub max: Bounded<0, 20>,
    /// What one costs.
    pub cost: Price,
    /// Hexes per turn.
    pub speed: Bounded<0, 3>,
    /// Damage.
    pub damage: Points,
    /// Max hp.
    pub hull: Points,
    /// Whether fitting it heals to full.
    pub heals: bool,
}

/// Combat (R8) and bombardment (R11.5).
#[derive(Clone, Debug, PartialEq, Eq, DeriveDeserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct RawCombat {
    /// Hp per lost comparison, before the winner's cannons.
    pub damage: Points,
    /// Gold a sunk unit pays.
    pub salvage: Price,
    /// Hp a structure loses to a bombardment, before cannons.
    pub bombard_damage: Points,
}

/// Shipyards (R11.2, R11.5).
#[derive(Clone, Debug, PartialEq, Eq, DeriveDeserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct RawShipyard {
    /// Hp of a new one.
    pub hp: Bounded<1, 60_000>,
    /// Share of its hp after it fell.
    pub captured_hp_percent: Bounded<1, 100>,
    /// What deploying one costs.
    pub deploy_cost: Price,
    /// How long its queue can be.
    pub queue: Bounded<1, 16>,
    /// How many a player can have.
    pub per_player: Bounded<0, 1_000_000>,
    /// How far it sees.
    pub vision: Bounded<0, 32>,
}

/// Money (R11.1, R11.2).
#[derive(Clone, Debug, PartialEq, Eq, DeriveDeserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct RawEconomy {
    /// Per turn.
    pub income: Price,
    /// Per turn and shipyard.
    pub income_per_shipyard: Price,
    /// Per turn and unit.
    pub income_per_ship: Price,
    /// At the start of a match.
    pub start_gold: Price,
    /// At the start of a match.
    pub start_shipyards: Bounded<0, 16>,
    /// At the start of a match.
    pub start_ships: Bounded<1, 64>,
    /// How many units a player can have, queued ones included.
    pub ships_per_player: Bounded<0, 1_048_576>,
    /// What a repair costs.
    pub repair_cost: Price,
    /// What a cancelled build gives back.
    pub cancel_refund_percent: Percent,
}
