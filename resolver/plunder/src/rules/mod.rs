//! Rules as data: a file is read, checked, and compiled once into dense tables.
//!
//! [`RawRules`] is what a file says, [`Rules`] is what is known to make sense.

mod raw;

use std::fmt;

use parley_core::digest::Digest;
pub use raw::{
    Bounded, Broadsides, Domain, Elimination, OnOff, Percent, Points, Price, RawClass, RawCombat, RawEconomy, RawRules,
    RawShipyard, RawTerrain, RawUpgrade, RawUpgrades, Stage,
};
use serde_json::Value;

use crate::ids::ClassId;

/// The text of the default rules, embedded.
pub const PLUNDER: &str = include_str!("../../../../data/rules/plunder.yaml");

/// The longest rules file that is read.
pub const MAX_RULES_BYTES: usize = 1 << 20;

/// The highest speed any unit can reach: ticks up to it have a number of their own in the dice (R13.2).
pub const MAX_SPEED: u32 = 254;
/// The most hp any unit can reach.
pub const MAX_HP: u32 = 60_000;
/// The most damage that one lost comparison, or one bombardment, can do.
pub const MAX_HIT: u32 = 30_000;

/// What is wrong with a rules file, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RulesError {
    /// The line, counted from 1, where it is known.
    pub line: Option<u64>,
    /// What is wrong.
    pub reason: String,
}

impl fmt::Display for RulesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.reason),
            None => self.reason.fmt(f),
        }
    }
}

impl std::error::Error for RulesError {}

/// A row of the class table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// The name of the class in files and on the wire.
    pub key: String,
    /// The domain of terrains that its units can enter.
    pub domain: Domain,
    /// Hp of its units without upgrades.
    pub hull: u16,
    /// Tiles per turn that its units move without upgrades.
    pub speed: u8,
    /// Damage that its units add to every hit without upgrades.
    pub cannons: u16,
    /// How many tiles far its units see.
    pub vision: u8,
    /// The price of building one, in gold.
    pub build_cost: u32,
    /// How many turns building one takes.
    pub build_turns: u8,
}

/// A row of the terrain table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terrain {
    /// The name of the terrain in files and on the wire.
    pub key: String,
    /// The character of the terrain in text maps.
    pub symbol: char,
    /// Whether a structure can stand on the terrain.
    pub harbor: bool,
    domains: u8,
}

impl Terrain {
    /// Whether units of this domain may enter the terrain.
    pub const fn admits(&self, domain: Domain) -> bool {
        self.domains & 1 << domain as u8 != 0
    }
}

/// One of the three things a unit can be fitted with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Upgrade {
    /// More speed.
    Sails,
    /// More damage.
    Cannons,
    /// More hp and more speed.
    Hull,
}

impl Upgrade {
    /// All three upgrades.
    pub const ALL: [Self; 3] = [Self::Sails, Self::Cannons, Self::Hull];

    /// The name of the upgrade in files and on the wire.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Sails => "sails",
            Self::Cannons => "cannons",
            Self::Hull => "hull",
        }
    }
}

/// What one piece of an upgrade brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UpgradeRow {
    /// How many of the pieces a unit can have.
    pub max: u8,
    /// The price of one piece, in gold.
    pub cost: u32,
    /// Tiles per turn that one piece adds to the speed.
    pub speed: u8,
    /// Damage that one piece adds to every hit.
    pub damage: u16,
    /// Hp that one piece adds to the max hp.
    pub hull: u16,
    /// Whether fitting it heals to full.
    pub heals: bool,
}

/// Rules that are known to make sense, as dense tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    raw: RawRules,
    hash: Digest,
    classes: Vec<Class>,
    terrains: Vec<Terrain>,
    upgrades: [UpgradeRow; 3],
}

impl Rules {
    /// The embedded default rules.
    ///
    /// # Panics
    /// Never: a test compiles the embedded text.
    pub fn plunder() -> Self {
        Self::from_yaml(PLUNDER).expect("the embedded rules are checked by a test")
    }

    /// Reads and compiles a rules file.
    pub fn from_yaml(text: &str) -> Result<Self, RulesError> {
        if text.len() > MAX_RULES_BYTES {
            let reason = format!("{} bytes are too many, at most {MAX_RULES_BYTES} are read", text.len());
            return Err(RulesError { line: None, reason });
        }
        let raw: RawRules = serde_saphyr::from_str(text).map_err(|error| RulesError {
            line: error.location().map(|l| l.line()).filter(|&line| line > 0),
            reason: plain_reason(&error),
        })?;
        Self::compile(raw)
    }

    /// These rules with some of their values replaced, as the `rules` of a scenario do it.
    pub fn with_overrides(&self, overrides: &Value) -> Result<Self, RulesError> {
        let error = |reason: String| RulesError { line: None, reason };
        let mut merged = serde_json::to_value(&self.raw).map_err(|e| error(e.to_string()))?;
        merge(&mut merged, overrides);
        let raw = serde_json::from_value(merged).map_err(|e| error(e.to_string()))?;
        Self::compile(raw)
    }

    /// These rules with some of their values replaced, by a text of JSON.
    pub fn with_changes(&self, json: &str) -> Result<Self, RulesError> {
        let changes = serde_json::from_str(json).map_err(|e| RulesError { line: None, reason: e.to_string() })?;
        self.with_overrides(&changes)
    }

    /// Checks what no single value can show and builds the tables.
    pub fn compile(raw: RawRules) -> Result<Self, RulesError> {
        if let Some(reason) = contradiction(&raw) {
            return Err(RulesError { line: None, reason });
        }
        let classes = raw.classes.iter().map(compile_class).collect();
        let terrains = raw.terrains.iter().map(compile_terrain).collect();
        let upgrades = [&raw.upgrades.sails, &raw.upgrades.cannons, &raw.upgrades.hull].map(compile_upgrade);
        let canonical = serde_json::to_vec(&raw).map_err(|e| RulesError { line: None, reason: e.to_string() })?;
        Ok(Self { hash: Digest::of(&canonical), raw, classes, terrains, upgrades })
    }

    /// Everything the rules say as JSON, with the keys in the order of [`RawRules`]: what the hash is made of.
    ///
    /// # Panics
    /// Never: rules that were compiled have been written as JSON before.
    pub fn to_json(&self) -> String {
        serde_json::to_string(&self.raw).expect("compiled rules have been written as JSON before")
    }

    /// Rules from what [`Self::to_json`] wrote; their hash is the same.
    pub fn from_json(text: &str) -> Result<Self, RulesError> {
        let error = |reason: String| RulesError { line: None, reason };
        if text.len() > MAX_RULES_BYTES {
            return Err(error(format!("{} bytes are too many, at most {MAX_RULES_BYTES} are read", text.len())));
        }
        let raw = serde_json::from_str(text).map_err(|e| error(e.to_string()))?;
        Self::compile(raw)
    }

    /// A hash of everything the rules say, not of how the file was written: BLAKE3 over the rules as JSON
    /// with the keys in the order of [`RawRules`].
    pub const fn hash(&self) -> Digest {
        self.hash
    }

    /// The rules as they were written.
    pub const fn raw(&self) -> &RawRules {
        &self.raw
    }

    /// The stages of a turn, in order (R5.6).
    pub fn stages(&self) -> &[Stage] {
        &self.raw.stages
    }

    /// The class table.
    pub fn classes(&self) -> &[Class] {
        &self.classes
    }

    /// A row of the class table.
    pub fn class(&self, id: ClassId) -> &Class {
        &self.classes[id.index()]
    }

    /// Every row number of the class table.
    pub fn class_ids(&self) -> impl Iterator<Item = ClassId> + use<> {
        (0..self.classes.len() as u8).map(ClassId)
    }

    /// The class with this name.
    pub fn class_named(&self, key: &str) -> Option<ClassId> {
        self.class_ids().find(|&id| self.class(id).key == key)
    }

    /// The terrain table; a map stores its row numbers.
    pub fn terrains(&self) -> &[Terrain] {
        &self.terrains
    }

    /// What an upgrade brings and costs.
    pub const fn upgrade(&self, upgrade: Upgrade) -> &UpgradeRow {
        &self.upgrades[upgrade as usize]
    }

    /// Whether sight is limited (R14.1).
    pub fn fog(&self) -> bool {
        self.raw.fog == OnOff::On
    }

    /// The prices and incomes of the rules (R11).
    pub const fn economy(&self) -> &RawEconomy {
        &self.raw.economy
    }

    /// The numbers of the rules that are about shipyards (R11).
    pub const fn shipyard(&self) -> &RawShipyard {
        &self.raw.shipyard
    }

    /// What a living player is paid per turn (R11.1).
    pub fn income(&self, shipyards: i64, ships: i64) -> i64 {
        let RawEconomy { income, income_per_shipyard, income_per_ship, .. } = self.economy();
        let [base, per_shipyard, per_ship] =
            [income, income_per_shipyard, income_per_ship].map(|price| i64::from(price.get()));
        base + per_shipyard * shipyards + per_ship * ships
    }

    /// What a cancelled build gives back, rounded down (R11.2).
    pub fn refund(&self, class: ClassId) -> u32 {
        let percent = u64::from(self.economy().cancel_refund_percent.get());
        (u64::from(self.class(class).build_cost) * percent / 100) as u32
    }

    /// The hit points of a structure that has just been captured (R11.5).
    pub fn hp_when_captured(&self) -> u16 {
        let shipyard = self.shipyard();
        (shipyard.hp.get() * shipyard.captured_hp_percent.get() / 100).max(1) as u16
    }

    /// The numbers of the rules that are about combat (R8).
    pub const fn combat(&self) -> &RawCombat {
        &self.raw.combat
    }
}

/// The error's own words, without the place and the excerpt that it repeats.
fn plain_reason(error: &serde_saphyr::Error) -> String {
    let text = error.to_string();
    let first = text.lines().next().unwrap_or_default();
    let first = first.strip_prefix("error: ").unwrap_or(first);
    match first.split_once(": ") {
        Some((place, reason)) if place.starts_with("line ") => reason.to_owned(),
        _ => first.to_owned(),
    }
}

fn merge(base: &mut Value, patch: &Value) {
    match (base, patch) {
        (Value::Object(base), Value::Object(patch)) => {
            for (key, value) in patch {
                merge(base.entry(key.as_str()).or_insert(Value::Null), value);
            }
        }
        (base, patch) => *base = patch.clone(),
    }
}

fn contradiction(raw: &RawRules) -> Option<String> {
    let repeated = |kind: &str, keys: Vec<String>| {
        keys.iter()
            .enumerate()
            .find(|(i, key)| keys[..*i].contains(key))
            .map(|(_, key)| format!("{kind} {key} appears twice"))
    };
    if raw.terrains.is_empty() || raw.terrains.len() > 64 {
        return Some(format!("terrains: {} rows, 1 to 64 are allowed", raw.terrains.len()));
    }
    if raw.classes.is_empty() || raw.classes.len() > 64 {
        return Some(format!("classes: {} rows, 1 to 64 are allowed", raw.classes.len()));
    }
    if let Some(terrain) = raw.terrains.iter().find(|t| t.blocks_sight) {
        return Some(format!("terrains: {} blocks sight, which R14.1 does not know", terrain.key));
    }
    if let Some(terrain) = raw.terrains.iter().find(|t| t.symbol.is_control() || t.symbol.is_whitespace()) {
        return Some(format!("terrains: the symbol of {} cannot be seen", terrain.key));
    }
    if raw.stages.last() != Some(&Stage::Reckoning) {
        return Some("stages: the last one must be reckoning".to_owned());
    }
    if !raw.stages.is_sorted_by(|a, b| a < b) {
        return Some("stages: they must stand in the order of R5.6, each at most once".to_owned());
    }
    if raw.stages.contains(&Stage::Movement) && !raw.stages.contains(&Stage::Contests) {
        return Some("stages: movement needs contests before it (R9.2)".to_owned());
    }
    let fitted = |of: fn(&RawUpgrade) -> u32| {
        let upgrades = [&raw.upgrades.sails, &raw.upgrades.cannons, &raw.upgrades.hull];
        upgrades.iter().map(|u| u.max.get() * of(u)).sum::<u32>()
    };
    let (speed, hull, damage) = (fitted(|u| u.speed.get()), fitted(|u| u.hull.get()), fitted(|u| u.damage.get()));
    for class in &raw.classes {
        let key = &class.key;
        if class.speed.get() + speed > MAX_SPEED {
            return Some(format!("classes: {key} can reach a speed over {MAX_SPEED}, which R13.2 cannot count"));
        }
        if class.hull.get() + hull > MAX_HP {
            return Some(format!("classes: {key} can reach more than {MAX_HP} hp"));
        }
        if class.cannons.get() + damage + raw.combat.damage.get().max(raw.combat.bombard_damage.get()) > MAX_HIT {
            return Some(format!("classes: {key} can reach a damage over {MAX_HIT}"));
        }
    }
    repeated("terrain", raw.terrains.iter().map(|t| t.key.clone()).collect())
        .or_else(|| repeated("terrain symbol", raw.terrains.iter().map(|t| t.symbol.to_string()).collect()))
        .or_else(|| repeated("class", raw.classes.iter().map(|c| c.key.clone()).collect()))
}

fn compile_class(raw: &RawClass) -> Class {
    Class {
        key: raw.key.clone(),
        domain: raw.domain,
        hull: raw.hull.get() as u16,
        speed: raw.speed.get() as u8,
        cannons: raw.cannons.get() as u16,
        vision: raw.vision.get() as u8,
        build_cost: raw.build_cost.get(),
        build_turns: raw.build_turns.get() as u8,
    }
}

fn compile_terrain(raw: &RawTerrain) -> Terrain {
    let domains = raw.domains.iter().fold(0, |bits, &domain| bits | 1 << domain as u8);
    Terrain { key: raw.key.clone(), symbol: raw.symbol, harbor: raw.harbor, domains }
}

fn compile_upgrade(raw: &RawUpgrade) -> UpgradeRow {
    UpgradeRow {
        max: raw.max.get() as u8,
        cost: raw.cost.get(),
        speed: raw.speed.get() as u8,
        damage: raw.damage.get() as u16,
        hull: raw.hull.get() as u16,
        heals: raw.heals,
    }
}
