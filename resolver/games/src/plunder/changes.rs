//! Changes of rules as messages have them, read without floating point.
//!
//! A `google.protobuf.Struct` knows numbers as doubles alone. Rules have whole numbers, and their hash must be the same on every
//! machine, so that only numbers are taken that a double holds exactly and that no calculation has touched.

use parley_plunder::rules::MAX_RULES_BYTES;
use prost::Message;
use prost_types::value::Kind;
use prost_types::{Struct, Value};
use serde_json::Value as Json;

/// Every whole number below this one is exact as a double, and so is every one above its negative.
const EXACT_BELOW: u64 = 1 << 53;
/// How much of a key is repeated to whoever sent it, in characters.
const MAX_QUOTED: usize = 32;

/// Changes as a message has them; `None` where they are no object, or have a number that is not whole.
pub fn said(changes: &Json) -> Option<Struct> {
    match said_value(changes)?.kind {
        Some(Kind::StructValue(said)) => Some(said),
        _ => None,
    }
}

fn said_value(value: &Json) -> Option<Value> {
    let kind = match value {
        Json::Null => Kind::NullValue(0),
        Json::Bool(said) => Kind::BoolValue(*said),
        Json::String(said) => Kind::StringValue(said.clone()),
        Json::Number(said) => Kind::NumberValue(said.as_i64()?.to_string().parse().ok()?),
        Json::Array(said) => {
            Kind::ListValue(prost_types::ListValue { values: said.iter().map(said_value).collect::<Option<_>>()? })
        }
        Json::Object(said) => {
            let fields = said.iter().map(|(key, value)| Some((key.clone(), said_value(value)?)));
            Kind::StructValue(Struct { fields: fields.collect::<Option<_>>()? })
        }
    };
    Some(Value { kind: Some(kind) })
}

/// The changes as the rules take them, or what is wrong with them in one sentence that names the key.
pub fn read(changes: &Struct) -> Result<Json, String> {
    let bytes = changes.encoded_len();
    if bytes > MAX_RULES_BYTES {
        return Err(format!("{bytes} bytes are too many, at most {MAX_RULES_BYTES} are read"));
    }
    object(changes, "")
}

fn object(said: &Struct, path: &str) -> Result<Json, String> {
    let dot = if path.is_empty() { "" } else { "." };
    let member = |(key, value): (&String, &Value)| {
        let quoted: String = key.chars().take(MAX_QUOTED).flat_map(char::escape_debug).collect();
        Ok((key.clone(), read_value(value, &format!("{path}{dot}{quoted}"))?))
    };
    said.fields.iter().map(member).collect::<Result<_, _>>().map(Json::Object)
}

fn read_value(value: &Value, path: &str) -> Result<Json, String> {
    Ok(match &value.kind {
        None => return Err(format!("{path} has no value")),
        Some(Kind::NullValue(_)) => Json::Null,
        Some(Kind::BoolValue(said)) => Json::Bool(*said),
        Some(Kind::StringValue(said)) => Json::String(said.clone()),
        // The shortest decimal digits of a double that is a whole number are those of the number.
        Some(Kind::NumberValue(said)) => match said.to_string().parse::<i64>() {
            Ok(whole) if whole.unsigned_abs() < EXACT_BELOW => whole.into(),
            _ => return Err(format!("{path} is no whole number between -2^53 and 2^53")),
        },
        Some(Kind::StructValue(said)) => object(said, path)?,
        Some(Kind::ListValue(said)) => {
            let item = |(place, item)| read_value(item, &format!("{path}[{place}]"));
            Json::Array(said.values.iter().enumerate().map(item).collect::<Result<_, _>>()?)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(kind: Kind) -> Struct {
        let inner = Struct { fields: [("income".to_owned(), Value { kind: Some(kind) })].into() };
        let list = prost_types::ListValue { values: vec![Value { kind: Some(Kind::StructValue(inner)) }] };
        Struct { fields: [("economy".to_owned(), Value { kind: Some(Kind::ListValue(list)) })].into() }
    }

    #[test]
    fn whole_numbers_that_are_exact_are_taken() {
        for (said, read) in [
            (0.0, "0"),
            (-0.0, "0"),
            (10.0, "10"),
            (-7.0, "-7"),
            (9_007_199_254_740_991.0, "9007199254740991"),
            (-9_007_199_254_740_991.0, "-9007199254740991"),
        ] {
            let json = super::read(&changed(Kind::NumberValue(said))).expect("a whole number");
            assert_eq!(json.to_string(), format!(r#"{{"economy":[{{"income":{read}}}]}}"#));
        }
        let kinds = [
            (Kind::NullValue(0), "null"),
            (Kind::BoolValue(true), "true"),
            (Kind::StringValue("12".to_owned()), "\"12\""),
        ];
        for (said, read) in kinds {
            let json = super::read(&changed(said)).expect("a value");
            assert_eq!(json.to_string(), format!(r#"{{"economy":[{{"income":{read}}}]}}"#));
        }
    }

    #[test]
    fn other_numbers_are_refused_by_their_key() {
        for said in [0.5, -1.25, 9_007_199_254_740_992.0, -9_007_199_254_740_992.0, 1e300, 1e-300] {
            let refused = super::read(&changed(Kind::NumberValue(said))).expect_err("no exact whole number");
            assert_eq!(refused, "economy[0].income is no whole number between -2^53 and 2^53");
        }
        let no_numbers = ["NaN", "inf", "-inf"].map(|text| Kind::NumberValue(text.parse().expect("a double")));
        for said in no_numbers {
            assert!(super::read(&changed(said)).is_err());
        }
        let empty = Struct { fields: [("fog".to_owned(), Value { kind: None })].into() };
        assert_eq!(super::read(&empty), Err("fog has no value".to_owned()));
    }

    #[test]
    fn changes_are_read_as_they_were_said() {
        let meant = serde_json::json!({
            "turn_limit": 10, "fog": "on", "name": "Anna's", "stages": ["income", "movement"], "economy": {"income": -3},
            "deep": [{"a": [true, null, 9_007_199_254_740_991_i64]}],
        });
        let said = said(&meant).expect("changes");
        assert_eq!(super::read(&said), Ok(meant));
        for none in [serde_json::json!(7), serde_json::json!([]), serde_json::json!({"a": 0.5}), Json::Null] {
            assert_eq!(super::said(&none), None);
        }
    }

    #[test]
    fn changes_have_a_limit() {
        let long =
            Struct { fields: [("x".repeat(MAX_RULES_BYTES), Value { kind: Some(Kind::BoolValue(true)) })].into() };
        assert!(super::read(&long).expect_err("too long").contains("bytes are too many"));
        let strange = Struct { fields: [(format!("a\n{}", "x".repeat(99)), Value { kind: None })].into() };
        assert_eq!(super::read(&strange), Err(format!("a\\n{} has no value", "x".repeat(30))));
    }
}
