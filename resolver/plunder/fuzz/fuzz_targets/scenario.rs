//! Any bytes as a scenario: they are refused or resolved, and nothing panics.

#![no_main]

use std::sync::{Arc, LazyLock};

use libfuzzer_sys::fuzz_target;
use parley_plunder::rules::Rules;
use parley_plunder::scenario;

static RULES: LazyLock<Arc<Rules>> = LazyLock::new(|| Arc::new(Rules::plunder()));

fuzz_target!(|text: &str| {
    if let Err(faults) = scenario::resolve(&RULES, text) {
        assert!(!faults.is_empty(), "a refusal says why");
    }
});
