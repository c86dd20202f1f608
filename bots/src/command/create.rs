//! A new match, for a bot that does not want to wait for somebody else's.

use clap::Args;
use parley_bots::{lobby, policy};
use parley_proto::v1;
use parley_resolver::mapgen::SizePreset;
use serde_json::{Map, Value};
use tonic::transport::Channel;

use super::join::refused;
use super::{Complaint, print, unguessable};

/// What the match is like.
#[derive(Args)]
pub(crate) struct Create {
    /// Create a match, print its id, and play in it.
    #[arg(long)]
    create: bool,
    /// The size of its map: tiny, small, standard, large or huge.
    #[arg(long, conflicts_with = "match_id", default_value = "tiny")]
    size: SizePreset,
    /// What its map is drawn from. Left out: a random one.
    #[arg(long, conflicts_with = "match_id", value_name = "N")]
    map_seed: Option<u64>,
    /// The server's own bots in it, by policy.
    #[arg(long, conflicts_with = "match_id", value_name = "POLICY", value_delimiter = ',',
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
}

/// The most seats of a match.
const MAX_OPEN: usize = 250;

impl Create {
    /// Creates the match and prints its id.
    pub(crate) async fn run(self, channel: Channel) -> Result<String, Complaint> {
        if self.house.is_empty() && self.open == 0 {
            return Err(Complaint::input("nobody else would play in the match: --house POLICY or --open N adds seats"));
        }
        let request = v1::CreateMatchRequest {
            request_id: unguessable()?,
            settings: Some(self.settings()),
            ..Default::default()
        };
        let created = lobby::create(channel, request).await.map_err(refused)?;
        let match_id = created.r#match.unwrap_or_default().match_id;
        print(&format!("match {match_id}"))?;
        Ok(match_id)
    }

    fn settings(self) -> v1::MatchSettings {
        let generated =
            v1::GeneratedMap { seed: self.map_seed, size: self.size.key().to_owned(), ..Default::default() };
        let mut rules = Map::new();
        if self.turns > 0 {
            rules.insert("turn_limit".to_owned(), Value::from(self.turns));
        }
        let open = (0..=self.open.min(MAX_OPEN)).map(|_| String::new());
        v1::MatchSettings {
            map: Some(v1::MapChoice { source: Some(v1::map_choice::Source::Generated(generated)) }),
            rules: if rules.is_empty() { String::new() } else { Value::Object(rules).to_string() },
            seats: open.chain(self.house).map(|house_bot| v1::SeatChoice { house_bot }).collect(),
            fog: self.fog.then_some(true),
            start_when_full: true,
            ..Default::default()
        }
    }
}
