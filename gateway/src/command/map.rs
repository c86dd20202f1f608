//! `parley map`: a fair map from a seed, as text and as a picture.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use parley_games::plunder::game::mapgen::{MapRequest, SizePreset, generate, svg};
use parley_games::plunder::game::rules::Rules;

use super::{FAILED, REFUSED, complain, print};

/// Which map.
#[derive(Args)]
pub(crate) struct MapArguments {
    /// Any number; the same seed gives the same map on every machine.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// tiny, small, standard, large, huge, or WIDTHxHEIGHT up to 1024x1024.
    #[arg(long, default_value = "standard")]
    size: String,
    /// How many players start on it, 2 to 16.
    #[arg(long, value_name = "N", default_value_t = 4)]
    players: usize,
    /// Let the east end of each row touch its west end.
    #[arg(long)]
    wrap: bool,
    /// Also draw the map into this file.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

impl MapArguments {
    pub(crate) fn run(self) -> ExitCode {
        let (width, height) = match sides(&self.size) {
            Ok(sides) => sides,
            Err(reason) => return complain(REFUSED, reason),
        };
        let rules = Rules::plunder();
        let request = MapRequest { seed: self.seed, width, height, wrap: self.wrap, players: self.players };
        let generated = match generate(&rules, &request) {
            Ok(generated) => generated,
            Err(error) => return complain(REFUSED, error),
        };
        if let Some(file) = self.svg {
            let picture = svg(&rules, &generated.map, &generated.starts);
            if let Err(error) = std::fs::write(&file, picture) {
                return complain(FAILED, format!("{}: {error}", file.display()));
            }
        }
        print(&generated.map.to_text(&rules).tiles.join("\n"))
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
