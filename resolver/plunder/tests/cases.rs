//! The rule cases of `data/cases`, each named by the rule it shows, through one `check()`.

#![allow(clippy::disallowed_methods, reason = "tests read their data from files")]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use parley_plunder::rules::Rules;
use parley_plunder::scenario;
use serde_json::{Map, Value};

fn cases() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/cases");
    let entries = std::fs::read_dir(folder).expect("the cases are part of the repository");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("a readable folder").path()).collect();
    files.sort();
    files
}

/// Whether every field of `part` is in `whole` with the same value; objects are compared field by field.
fn matches(part: &Value, whole: &Value) -> bool {
    match (part, whole) {
        (Value::Object(part), Value::Object(whole)) => {
            part.iter().all(|(key, value)| whole.get(key).is_some_and(|other| matches(value, other)))
        }
        _ => part == whole,
    }
}

fn by_id<'a>(result: &'a Value, list: &str, id: &str) -> Option<&'a Value> {
    result["state"][list].as_array()?.iter().find(|item| item["id"].as_u64() == id.parse().ok())
}

fn check_result(expect: &Map<String, Value>, result: &Value) -> Result<(), String> {
    let events = result["events"].as_array().ok_or("no events")?;
    for (key, wanted) in expect {
        match key.as_str() {
            "events" => {
                let mut rest = events.iter();
                for event in wanted.as_array().ok_or("events is a list")? {
                    rest.find(|e| matches(event, e)).ok_or(format!("missing, or too early: {event}"))?;
                }
            }
            "never" => {
                for event in wanted.as_array().ok_or("never is a list")? {
                    if let Some(found) = events.iter().find(|e| matches(event, e)) {
                        return Err(format!("must not happen: {found}"));
                    }
                }
            }
            "units" | "players" | "structures" => {
                for (id, item) in wanted.as_object().ok_or("named by id")? {
                    let found = by_id(result, key, id);
                    let fits = if item.is_null() { found.is_none() } else { found.is_some_and(|f| matches(item, f)) };
                    if !fits {
                        return Err(format!("{key} {id}: wanted {item}, found {found:?}"));
                    }
                }
            }
            "contests" => {
                let found = result["state"]["contests"].as_array().ok_or("no contests")?;
                let wanted = wanted.as_array().ok_or("contests is a list")?;
                let fits = found.len() == wanted.len() && wanted.iter().zip(found).all(|(w, f)| matches(w, f));
                if !fits {
                    return Err(format!("contests: wanted {wanted:?}, found {found:?}"));
                }
            }
            "result" if *wanted == result["state"]["result"] => {}
            "result" => return Err(format!("result: wanted {wanted}, found {}", result["state"]["result"])),
            other => return Err(format!("expect does not know {other:?}")),
        }
    }
    Ok(())
}

/// Runs one case and says what is wrong with it.
fn check(rules: &Arc<Rules>, file: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(file).map_err(|e| e.to_string())?;
    let case: Value = serde_json::from_str(&text).map_err(|e| e.to_string())?;
    let name = file.file_stem().and_then(|n| n.to_str()).unwrap_or_default();
    let rule = case["rule"].as_str().ok_or("a case names its rule")?;
    if !name.starts_with(rule) || case["says"].as_str().is_none_or(str::is_empty) {
        return Err("a case is named by its rule and says what it shows".to_owned());
    }
    let expect = case["expect"].as_object().filter(|e| !e.is_empty()).ok_or("a case expects something")?;
    match (scenario::resolve(rules, &case["scenario"].to_string()), expect.get("refused")) {
        (Ok(result), None) => check_result(expect, &serde_json::from_str(&result).map_err(|e| e.to_string())?),
        (Ok(_), Some(refused)) => Err(format!("must be refused by {refused}")),
        (Err(faults), None) => Err(format!("refused: {}", faults.join("; "))),
        (Err(faults), Some(refused)) => {
            let named = |rule: &str| faults.iter().any(|fault| fault.ends_with(&format!("({rule})")));
            let rules = refused.as_array().ok_or("refused is a list")?;
            match rules.iter().filter_map(Value::as_str).find(|rule| !named(rule)) {
                Some(rule) => Err(format!("no fault names {rule}: {}", faults.join("; "))),
                None => Ok(()),
            }
        }
    }
}

#[test]
fn every_case_shows_its_rule() {
    let rules = Arc::new(Rules::plunder());
    let files = cases();
    assert!(files.len() >= 80, "only {} cases", files.len());
    let wrong: Vec<String> = files
        .iter()
        .filter_map(|file| check(&rules, file).err().map(|why| format!("{}: {why}", file.display())))
        .collect();
    assert!(wrong.is_empty(), "{} of {} cases:\n{}", wrong.len(), files.len(), wrong.join("\n"));
}

#[test]
fn every_example_of_the_rules_is_a_case() {
    let names: Vec<String> = cases().iter().filter_map(|f| Some(f.file_name()?.to_str()?.to_owned())).collect();
    for example in 1..=9 {
        let prefix = format!("R15.{example}");
        assert!(names.iter().any(|name| name.starts_with(&prefix)), "no case for {prefix}");
    }
}
