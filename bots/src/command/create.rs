//! A new match, for whoever does not want to wait for somebody else's.

use clap::Args;
use parley_bots::arms::Arms;
use parley_bots::policy;
use parley_games::plunder::changes;
use parley_games::times;
use parley_plunder::mapgen::SizePreset;
use parley_proto::plunder::v1 as plunder;
use parley_proto::v1;
use serde_json::json;

use super::{Complaint, unguessable};

/// The house bots that a new match has unless somebody says otherwise.
const OPPONENTS: [&str; 3] = ["raider", "cautious", "wander"];
/// The most open seats that are asked for; the server knows how many a match can have.
const MAX_OPEN: usize = 250;

/// What the match is like. The options mean the same wherever a match is created.
#[derive(Args)]
#[command(next_help_heading = "New match")]
pub(crate) struct NewMatch {
    /// Begin a new match.
    #[arg(long, conflicts_with = "match_id")]
    new: bool,
    /// The size of its map: tiny, small, standard, large or huge, or WIDTHxHEIGHT.
    #[arg(long, conflicts_with = "match_id", default_value = "small")]
    size: String,
    /// The server's own bots in it, by policy. Left out, and without --open: raider,cautious,wander.
    #[arg(long, conflicts_with = "match_id", value_name = "POLICY,...", value_delimiter = ',',
          value_parser = clap::builder::PossibleValuesParser::new(policy::NAMES))]
    house: Vec<String>,
    /// Seats for others to join.
    #[arg(long, conflicts_with = "match_id", value_name = "N", default_value_t = 0)]
    open: usize,
    /// Players see only what is near their own.
    #[arg(long, conflicts_with = "match_id")]
    fog: bool,
    /// The turn limit; 0 is none.
    #[arg(long, conflicts_with = "match_id", value_name = "N", default_value_t = 0)]
    turns: u32,
    /// How many seconds a turn may be planned; 0 for ever. Left out: as the server says.
    #[arg(long, conflicts_with = "match_id", value_name = "SECONDS")]
    planning: Option<u32>,
}

impl NewMatch {
    /// The request for a match with a seat for whoever asks, on a map from this seed.
    pub(crate) fn request(&self, name: &str, seed: Option<u64>) -> Result<v1::CreateMatchRequest, Complaint> {
        let settings = Some(self.settings(name, seed)?);
        Ok(v1::CreateMatchRequest { request_id: unguessable()?, settings, ..v1::CreateMatchRequest::default() })
    }

    fn settings(&self, name: &str, seed: Option<u64>) -> Result<v1::MatchSettings, Complaint> {
        let (width, height) = size(&self.size)?;
        let generated = plunder::GeneratedMap { seed, width, height, ..plunder::GeneratedMap::default() };
        let house = match self.house.is_empty() && self.open == 0 {
            true => OPPONENTS.map(str::to_owned).to_vec(),
            false => self.house.clone(),
        };
        let open = (0..=self.open.min(MAX_OPEN)).map(|_| String::new());
        Ok(v1::MatchSettings {
            name: name.to_owned(),
            game: Some(v1::GameSettings::of_plunder(plunder::Settings {
                map: Some(plunder::MapChoice { source: Some(plunder::map_choice::Source::Generated(generated)) }),
                changes: (self.turns > 0).then(|| changes::said(&json!({"turn_limit": self.turns}))).flatten(),
                fog: self.fog.then_some(true),
                ..Default::default()
            })),
            seats: open.chain(house).map(|house_bot| v1::SeatChoice { house_bot }).collect(),
            planning_time: self.planning.map(|seconds| times::duration(u64::from(seconds) * 1000)),
            lock_disclosure: v1::LockDisclosure::Who.into(),
            start_when_full: true,
            ..v1::MatchSettings::default()
        })
    }
}

/// The sides of a map; whether there can be such a map is for the server to say.
fn size(text: &str) -> Result<(u32, u32), Complaint> {
    if let Ok(preset) = text.parse::<SizePreset>() {
        return Ok((preset.width(), preset.height()));
    }
    let sides = text.split_once('x').and_then(|(width, height)| Some((width.parse().ok()?, height.parse().ok()?)));
    let sizes = "tiny, small, standard, large, huge, or sides such as 20x14";
    sides.ok_or_else(|| Complaint::input(format!("--size: {text:?} is not one of {sizes}")))
}
