//! The naval game on the command line: its rules, maps and scenarios.

use std::sync::Arc;

use parley_plunder::mapgen::{MapRequest, SizePreset, generate, svg};
use parley_plunder::rules::{PLUNDER, Rules};
use parley_plunder::scenario;

use crate::hosted::{DrawnMap, GameTools, MapWish, RulesFileFault, RulesSummary, Scenarios};

/// What the command line asks of the naval game.
pub(super) struct NavalTools;

impl GameTools for NavalTools {
    fn standard_rules(&self) -> &'static str {
        PLUNDER
    }

    fn check_rules(&self, text: &str) -> Result<RulesSummary, RulesFileFault> {
        match Rules::from_yaml(text) {
            Ok(rules) => Ok(RulesSummary { name: rules.raw().name.clone(), hash: rules.hash() }),
            Err(error) => Err(RulesFileFault { line: error.line, reason: error.reason }),
        }
    }

    fn draw(&self, wish: &MapWish<'_>) -> Result<DrawnMap, String> {
        let (width, height) = sides(wish.size)?;
        let rules = Rules::plunder();
        let request = MapRequest { seed: wish.seed, width, height, wrap: wish.wrap, players: wish.players };
        let generated = generate(&rules, &request).map_err(|error| error.to_string())?;
        let text = generated.map.to_text(&rules).tiles.join("\n");
        let picture = wish.picture.then(|| svg(&rules, &generated.map, &generated.starts));
        Ok(DrawnMap { text, picture })
    }

    fn scenarios(&self) -> Scenarios {
        let rules = Arc::new(Rules::plunder());
        Box::new(move |text| scenario::resolve(&rules, text))
    }
}

/// Width and height from a name or from `WIDTHxHEIGHT`.
fn sides(size: &str) -> Result<(u32, u32), String> {
    if let Ok(preset) = size.parse::<SizePreset>() {
        return Ok((preset.width(), preset.height()));
    }
    let parsed = size.split_once(['x', 'X']).and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
    parsed
        .ok_or_else(|| format!("size {size:?} is neither a name (tiny, small, standard, large, huge) nor WIDTHxHEIGHT"))
}
