//! Variables of the environment that look like settings and are none.

use super::layers::FILE_VARIABLE;
use super::settings::SETTINGS;

/// What the names of all variables of Parley begin with.
const PREFIX: &str = "PARLEY_";

/// Variables that are no settings: those of clients, and those that tests and checks read. A server may be started by
/// any of them and inherits what they were given.
const OTHERS: &[&str] = &[
    "PARLEY_ADDR",
    "PARLEY_ATTACK_SCALE",
    "PARLEY_BINARY",
    "PARLEY_CHAOS_MATCHES",
    "PARLEY_CHAOS_SECONDS",
    "PARLEY_CHAOS_SEED",
    "PARLEY_CRASH_KILLS",
    "PARLEY_CRASH_MATCHES",
    "PARLEY_CRASH_SEED",
    "PARLEY_CRASH_TURNS",
    "PARLEY_FIGURE_SECONDS",
    "PARLEY_GOLDEN_TURNS",
    "PARLEY_HOSTILE_MESSAGES",
    "PARLEY_HOSTILE_SEED",
    "PARLEY_INVITATION",
    "PARLEY_LADDER_GAMES",
    "PARLEY_NATS_SERVER",
    "PARLEY_PAGE",
    "PARLEY_POLICY_MATCHES",
    "PARLEY_RECORD",
    "PARLEY_SCENARIOS",
    "PARLEY_SCENARIOS_FROM",
    "PARLEY_SECRET",
    "PARLEY_SOAK_SECONDS",
    "PARLEY_SOAK_SEED",
    "PARLEY_TAKEOVER_MATCHES",
    "PARLEY_TEST_UNFENCED",
    "PARLEY_TOKEN",
];

/// How many letters may differ for one name to be taken for another.
const TYPING_MISTAKES: usize = 3;

/// A sentence for each of these variables that begins like a setting and is none.
pub fn unknown_variables(names: impl IntoIterator<Item = String>) -> Vec<String> {
    let known: Vec<String> = SETTINGS.iter().map(super::settings::Setting::variable).collect();
    let is_known = |name: &String| known.contains(name) || name == FILE_VARIABLE || OTHERS.contains(&name.as_str());
    let mut unknown: Vec<String> =
        names.into_iter().filter(|name| name.starts_with(PREFIX) && !is_known(name)).collect();
    unknown.sort_unstable();
    let sentence = |name: String| match nearest(&name, known.iter().map(String::as_str).chain([FILE_VARIABLE])) {
        Some(meant) => format!("{name} is no setting and does nothing; did you mean {meant}?"),
        None => format!("{name} is no setting and does nothing; `parley config --table` lists all settings"),
    };
    unknown.into_iter().map(sentence).collect()
}

/// The name among those that exist which somebody probably meant.
pub(super) fn nearest<'a>(said: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let distances = names.map(|name| (strsim::osa_distance(said, name), name));
    distances.filter(|(distance, _)| *distance <= TYPING_MISTAKES).min().map(|(_, name)| name)
}
