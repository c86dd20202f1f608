//! `parley map`: a fair map from a seed, as text and as a picture.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use parley_games::hosted::MapWish;

use super::ruleset::Ruleset;
use super::{FAILED, REFUSED, complain, print};

/// The map that is asked for.
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
    #[command(flatten)]
    ruleset: Ruleset,
}

impl MapArguments {
    pub(crate) fn run(self) -> ExitCode {
        let tools = match self.ruleset.tools() {
            Ok(tools) => tools,
            Err(status) => return status,
        };
        let Self { seed, size, players, wrap, svg, ruleset: _ } = self;
        let wish = MapWish { seed, size: &size, players, wrap, picture: svg.is_some() };
        let drawn = match tools.draw(&wish) {
            Ok(drawn) => drawn,
            Err(reason) => return complain(REFUSED, reason),
        };
        if let (Some(file), Some(picture)) = (svg, drawn.picture)
            && let Err(error) = std::fs::write(&file, picture)
        {
            return complain(FAILED, format!("{}: {error}", file.display()));
        }
        print(&drawn.text)
    }
}
