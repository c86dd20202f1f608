//! What a command line asks of a game, with no match and no service around it.

use parley_core::digest::Digest;

/// The longest scenario that is read, in bytes, of whatever game.
pub const MAX_SCENARIO_BYTES: usize = crate::plunder::game::scenario::MAX_SCENARIO_BYTES;

/// The map that somebody asks for.
#[derive(Clone, Copy, Debug)]
pub struct MapWish<'a> {
    /// Any number; the same seed gives the same map on every machine.
    pub seed: u64,
    /// The name of a size, or its width and height with an x between them.
    pub size: &'a str,
    /// How many players start on it.
    pub players: usize,
    /// Whether the east end of each row touches its west end.
    pub wrap: bool,
    /// Whether a picture of it is wanted too.
    pub picture: bool,
}

/// A map for people.
#[derive(Clone, Debug)]
pub struct DrawnMap {
    /// The map as text, a line for each row.
    pub text: String,
    /// The map as SVG, where a picture was wanted.
    pub picture: Option<String>,
}

/// What a rules file says of itself.
#[derive(Clone, Debug)]
pub struct RulesSummary {
    /// The name of the rules.
    pub name: String,
    /// The hash of the rules, which pins them.
    pub hash: Digest,
}

/// What is wrong with a rules file.
#[derive(Clone, Debug)]
pub struct RulesFileFault {
    /// The line, counted from 1, where it is known.
    pub line: Option<u64>,
    /// What is wrong, in one sentence.
    pub reason: String,
}

/// Resolves scenarios, each from its text to the text of its outcome, or to everything that is wrong with it.
pub type Scenarios = Box<dyn Fn(&str) -> Result<String, Vec<String>>>;

/// A game on the command line.
pub trait GameTools: Send + Sync {
    /// The file of the standard rules.
    fn standard_rules(&self) -> &'static str;

    /// Reads a rules file, and says what it is or what is wrong with it.
    fn check_rules(&self, text: &str) -> Result<RulesSummary, RulesFileFault>;

    /// Generates a fair map under the standard rules.
    fn draw(&self, wish: &MapWish<'_>) -> Result<DrawnMap, String>;

    /// What resolves scenarios over the standard rules, which are read once for all of them.
    fn scenarios(&self) -> Scenarios;
}
