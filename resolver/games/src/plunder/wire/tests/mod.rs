//! Nothing is lost or mixed up between the resolver and the wire.

mod changes;
mod events;
mod options;
mod orders;
mod questions;
mod view;

use std::path::Path;
use std::sync::Arc;

use parley_core::grid::{Grid, Tile};
use parley_core::hex::Hex;
use parley_core::ids::{PlayerId, UnitId};
use parley_plunder::event::Subject;
use parley_plunder::ids::{ClassId, StructureId};
use parley_plunder::legality::Fault;
use parley_plunder::rules::Rules;
use parley_plunder::scenario::Scenario;
use parley_plunder::state::MatchResult;
use parley_proto::common::v1 as common;
use serde_json::{Value, json};

fn player(id: u64) -> PlayerId {
    PlayerId::new(id).expect("in range")
}

fn unit(id: u64) -> UnitId {
    UnitId::new(id).expect("in range")
}

fn structure(id: u64) -> StructureId {
    StructureId::new(id).expect("in range")
}

/// A grid with hexes left of the zero column.
fn grid() -> Grid {
    Grid::new(6, 5, true).expect("a grid")
}

fn tile(q: i32, r: i32) -> Tile {
    grid().tile(Hex::new(q, r)).expect("on the map")
}

fn hex(q: i32, r: i32) -> common::Hex {
    common::Hex { q, r }
}

fn fogged() -> Arc<Rules> {
    Arc::new(Rules::plunder().with_overrides(&json!({"fog": "on"})).expect("sound rules"))
}

/// The first class, and its key.
fn class(rules: &Rules) -> (ClassId, String) {
    let id = rules.class_ids().next().expect("a class");
    (id, rules.class(id).key.clone())
}

/// Every rule case that is a sound scenario.
#[allow(clippy::disallowed_methods, reason = "the cases are files of the repository, and only tests read them")]
fn scenarios(base: &Arc<Rules>) -> Vec<Scenario> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/cases");
    let entries = std::fs::read_dir(folder).expect("the cases are part of the repository");
    let read = |entry: std::io::Result<std::fs::DirEntry>| {
        let text = std::fs::read_to_string(entry.expect("a readable folder").path()).expect("a readable case");
        let case: Value = serde_json::from_str(&text).expect("a case is JSON");
        Scenario::parse(base, &case["scenario"].to_string()).ok()
    };
    let scenarios: Vec<Scenario> = entries.filter_map(read).collect();
    assert!(scenarios.len() > 100, "only {} cases are sound", scenarios.len());
    scenarios
}

#[test]
fn faults_keep_subject_rule_and_text() {
    let mut fault = Fault { subject: Some(Subject::Unit(unit(7))), rule: "R5.5", text: "is lost".to_owned() };
    let said = super::fault(&fault);
    assert_eq!(said.subject.and_then(|s| s.subject), Some(common::subject::Subject::Unit(7)));
    assert_eq!((said.rule.as_str(), said.text.as_str()), ("R5.5", "is lost"));
    fault.subject = Some(Subject::Structure(structure(8)));
    assert_eq!(super::fault(&fault).subject.and_then(|s| s.subject), Some(common::subject::Subject::Structure(8)));
    fault.subject = None;
    assert_eq!(super::fault(&fault).subject, None);
}

#[test]
fn results_name_their_players() {
    let winner = super::result(&MatchResult::Winner(player(0)));
    assert_eq!(winner.result, Some(common::match_result::Result::Winner(0)));
    let draw = super::result(&MatchResult::Draw(vec![player(1), player(249)]));
    assert_eq!(
        draw.result,
        Some(common::match_result::Result::Draw(common::match_result::Draw { players: vec![1, 249] }))
    );
}
