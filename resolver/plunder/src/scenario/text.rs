//! The shape of a scenario file, as somebody wrote it.

use serde::Deserialize;
use serde_json::Value;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ScenarioText {
    #[serde(default)]
    pub(super) rules: Option<Value>,
    pub(super) seed: String,
    pub(super) turn: u64,
    pub(super) map: MapJson,
    pub(super) players: Vec<PlayerJson>,
    pub(super) units: Vec<UnitJson>,
    #[serde(default)]
    pub(super) structures: Vec<StructureJson>,
    #[serde(default)]
    pub(super) contests: Vec<ContestJson>,
    #[serde(default)]
    pub(super) orders: Vec<OrderJson>,
    #[serde(default)]
    pub(super) decisions: Vec<DecisionJson>,
    #[serde(default)]
    pub(super) concede: Vec<u64>,
}

/// A turn of a journal: what was said in it, and what it led to.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TurnJson {
    pub(super) turn: u64,
    #[serde(default)]
    pub(super) inputs: InputsJson,
    pub(super) digest: String,
}

/// What the players of a turn say.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct InputsJson {
    #[serde(default)]
    pub(super) orders: Vec<OrderJson>,
    #[serde(default)]
    pub(super) decisions: Vec<DecisionJson>,
    #[serde(default)]
    pub(super) concede: Vec<u64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MapJson {
    pub(super) width: u64,
    pub(super) height: u64,
    #[serde(default)]
    pub(super) wrap: bool,
    pub(super) tiles: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PlayerJson {
    pub(super) id: u64,
    pub(super) gold: Option<i64>,
    #[serde(default = "yes")]
    pub(super) alive: bool,
}

const fn yes() -> bool {
    true
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct UnitJson {
    pub(super) id: u64,
    pub(super) class: Option<String>,
    pub(super) owner: u64,
    pub(super) q: i64,
    pub(super) r: i64,
    pub(super) hp: u64,
    #[serde(default)]
    pub(super) sails: u64,
    #[serde(default)]
    pub(super) cannons: u64,
    #[serde(default)]
    pub(super) hull: u64,
    #[serde(default)]
    pub(super) engagement: Option<EngagementJson>,
    #[serde(default)]
    pub(super) route: Vec<[i64; 2]>,
}

#[derive(Clone, Copy, Debug, Deserialize, serde::Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(super) enum EngagementJson {
    Ask,
    Evade,
    Fight,
    FightIfHealthy,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StructureJson {
    pub(super) id: u64,
    pub(super) owner: Option<u64>,
    pub(super) q: i64,
    pub(super) r: i64,
    pub(super) hp: u64,
    #[serde(default)]
    pub(super) queue: Vec<JobJson>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct JobJson {
    pub(super) class: String,
    pub(super) turns_left: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ContestJson {
    pub(super) q: i64,
    pub(super) r: i64,
    pub(super) since: u64,
    pub(super) rounds: u64,
    pub(super) contenders: Vec<u64>,
}

/// An action that says nothing but its name.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Nothing {}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OrderJson {
    pub(super) unit: Option<u64>,
    pub(super) structure: Option<u64>,
    #[serde(rename = "move")]
    pub(super) path: Option<Vec<[i64; 2]>>,
    pub(super) hold: Option<Nothing>,
    pub(super) repair: Option<Nothing>,
    pub(super) upgrade: Option<UpgradeJson>,
    pub(super) deploy_shipyard: Option<Nothing>,
    pub(super) bombard: Option<u64>,
    pub(super) press: Option<Nothing>,
    pub(super) build: Option<String>,
    pub(super) cancel_build: Option<u64>,
    pub(super) broadside: Option<bool>,
    pub(super) engagement: Option<EngagementJson>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum UpgradeJson {
    Sails,
    Cannons,
    Hull,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DecisionJson {
    pub(super) tick: u64,
    pub(super) unit: u64,
    pub(super) choice: ChoiceJson,
}

#[derive(Clone, Copy, Debug, Deserialize, serde::Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(super) enum ChoiceJson {
    Proceed,
    Yield,
    Attack,
}
