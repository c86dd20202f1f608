//! What a load run is to do, and its limits.

use std::sync::Arc;
use std::time::Duration;

use http::Uri;
use parley_games::plunder::changes;
use parley_games::times;
use parley_plunder::mapgen::{MAX_SEATS as MAX_MAP_SEATS, MapRequest, SizePreset};
use parley_plunder::rules::Rules;
use parley_proto::plunder::v1 as plunder;
use parley_proto::v1;
use serde_json::json;

use super::LoadError;
use crate::arms::Arms;
use crate::connect::{DEFAULT_ADDRESS, endpoint};
use crate::random::Random;

/// The most matches that are played at once.
pub const MAX_MATCHES: u32 = 100_000;
/// The most seats of a match; a generated map holds no more.
pub const MAX_SEATS: u32 = MAX_MAP_SEATS as u32;
/// The most ships that each player starts with.
pub const MAX_SHIPS: u32 = 64;
/// The most connections.
pub const MAX_CONNECTIONS: u32 = 4096;
/// The most threads that play.
pub const MAX_THREADS: u32 = 64;
/// The most turns of one match.
pub const MAX_TURNS: u32 = 1_000_000;
/// The most turns that are begun in a second.
pub const MAX_RATE: u32 = 1_000_000;
/// The most receipts that are kept until they are checked: about two gigabytes of them.
pub const MAX_RECEIPTS: u64 = 5_000_000;
/// The size of the maps, unless there are more players than fit on it.
const MAP_SIZE: SizePreset = SizePreset::Standard;
/// The longest run.
pub const MAX_DURATION: Duration = Duration::from_secs(24 * 3600);

/// How long a run goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// Every match has this many turns.
    Turns(u32),
    /// Matches end with the first turn that begins after this time.
    Time(Duration),
}

/// What a load run is to do.
#[derive(Clone, Debug)]
pub struct LoadPlan {
    /// The address of the server.
    pub address: String,
    /// How many matches are played at once.
    pub matches: u32,
    /// How many seats each match has.
    pub players: u32,
    /// How many ships each player starts with.
    pub ships: u32,
    /// How long the run goes on.
    pub length: Length,
    /// How many connections the sessions share.
    pub connections: u32,
    /// How many threads play.
    pub threads: u32,
    /// How many turns begin in a second, over all matches; `None` begins each turn as soon as the one before it is
    /// over.
    pub rate: Option<u32>,
    /// The seed that the maps are drawn from.
    pub seed: u64,
    /// The id of the server's process, if its processor time is to be taken.
    pub server: Option<u32>,
}

impl Default for LoadPlan {
    /// The plan of the reference run: 500 matches of four players with six ships each, 30 turns, over 8 connections.
    fn default() -> Self {
        Self {
            address: DEFAULT_ADDRESS.to_owned(),
            matches: 500,
            players: 4,
            ships: 6,
            length: Length::Turns(30),
            connections: 8,
            threads: 1,
            rate: None,
            seed: 1,
            server: None,
        }
    }
}

impl LoadPlan {
    /// Checks the plan against the limits.
    pub fn check(&self) -> Result<(), LoadError> {
        let bounds = [
            ("matches", self.matches, 1, MAX_MATCHES),
            ("players", self.players, 2, MAX_SEATS),
            ("ships", self.ships, 1, MAX_SHIPS),
            ("connections", self.connections, 1, MAX_CONNECTIONS),
            ("threads", self.threads, 1, MAX_THREADS.min(self.connections)),
            ("rate", self.rate.unwrap_or(1), 1, MAX_RATE),
        ];
        for (name, value, least, most) in bounds {
            if value < least || value > most {
                return Err(LoadError::Plan(format!("{name} is {value}; it can be {least} to {most}")));
            }
        }
        match self.length {
            Length::Turns(turns) => {
                if turns == 0 || turns > MAX_TURNS {
                    return Err(LoadError::Plan(format!("turns is {turns}; it can be 1 to {MAX_TURNS}")));
                }
                let receipts = u64::from(turns) * u64::from(self.matches) * u64::from(self.players);
                if receipts > MAX_RECEIPTS {
                    let text = format!("{receipts} receipts would have to be kept; {MAX_RECEIPTS} is the most");
                    return Err(LoadError::Plan(text));
                }
            }
            Length::Time(time) if time.is_zero() || time > MAX_DURATION => {
                let most = MAX_DURATION.as_secs();
                return Err(LoadError::Plan(format!("a run takes more than 0 and at most {most} seconds")));
            }
            Length::Time(_) => {}
        }
        Ok(())
    }

    /// The address of the server. Only plain http is measured: TLS would measure the generator's own cipher too.
    pub(super) fn server(&self) -> Result<Uri, LoadError> {
        let server = endpoint(&self.address)?.uri().clone();
        if server.scheme_str() != Some("http") {
            return Err(LoadError::Plan(format!("{} is not plain http, which is all that is measured", self.address)));
        }
        Ok(server)
    }

    /// How many seats there are in all.
    pub fn seats(&self) -> u64 {
        u64::from(self.matches) * u64::from(self.players)
    }

    /// What the standard rules are changed by.
    fn overrides(&self) -> serde_json::Value {
        json!({"economy": {"start_ships": self.ships, "ships_per_player": self.ships.max(12)}})
    }

    /// The rules that are played.
    pub fn rules(&self) -> Result<Arc<Rules>, LoadError> {
        let rules = Rules::plunder().with_overrides(&self.overrides());
        rules.map(Arc::new).map_err(|error| LoadError::Plan(error.to_string()))
    }

    /// The number that the map of a match comes from.
    pub fn map_seed(&self, number: u32) -> u64 {
        Random::mixed(&[self.seed, number.into()]).draw()
    }

    /// The map of a match: of the standard size, or where that has no room for all players, of the next larger one that
    /// has.
    pub(super) fn map(&self, number: u32) -> MapRequest {
        let players = self.players as usize;
        let of_size = |size| MapRequest::preset(size, players, self.map_seed(number));
        let sizes = SizePreset::ALL.into_iter().filter(|size| *size >= MAP_SIZE);
        sizes.map(of_size).find(|map| map.room() >= players).unwrap_or_else(|| of_size(MAP_SIZE))
    }

    /// The settings that a match is created with: private, without fog, without deadlines.
    pub fn settings(&self, number: u32) -> v1::MatchSettings {
        let MapRequest { width, height, seed, .. } = self.map(number);
        let generated = plunder::GeneratedMap { seed: Some(seed), width, height, ..Default::default() };
        v1::MatchSettings {
            name: format!("load {number}"),
            game: Some(v1::GameSettings::of_plunder(plunder::Settings {
                map: Some(plunder::MapChoice { source: Some(plunder::map_choice::Source::Generated(generated)) }),
                changes: changes::said(&self.overrides()),
                fog: Some(false),
                ..Default::default()
            })),
            seats: vec![v1::SeatChoice::default(); self.players as usize],
            planning_time: Some(times::duration(0)),
            decision_time: Some(times::duration(0)),
            visibility: v1::Visibility::Private.into(),
            start_when_full: true,
            ..Default::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_over_a_limit_is_refused_in_one_sentence() {
        let plan = LoadPlan::default;
        assert_eq!(plan().check(), Ok(()));
        let time = Length::Time;
        let faulty = [
            (LoadPlan { matches: 0, ..plan() }, "matches is 0; it can be 1 to 100000"),
            (LoadPlan { players: 17, ..plan() }, "players is 17; it can be 2 to 16"),
            (LoadPlan { ships: 65, ..plan() }, "ships is 65; it can be 1 to 64"),
            (LoadPlan { threads: 9, ..plan() }, "threads is 9; it can be 1 to 8"),
            (LoadPlan { rate: Some(0), ..plan() }, "rate is 0; it can be 1 to 1000000"),
            (LoadPlan { length: Length::Turns(0), ..plan() }, "turns is 0; it can be 1 to 1000000"),
            (
                LoadPlan { length: Length::Turns(3000), ..plan() },
                "6000000 receipts would have to be kept; 5000000 is the most",
            ),
            (LoadPlan { length: time(Duration::ZERO), ..plan() }, "a run takes more than 0 and at most 86400 seconds"),
        ];
        for (plan, sentence) in faulty {
            assert_eq!(plan.check(), Err(LoadError::Plan(sentence.to_owned())));
        }
    }

    #[test]
    fn only_plain_http_is_measured() {
        let server = |address: &str| LoadPlan { address: address.to_owned(), ..LoadPlan::default() }.server();
        assert_eq!(server("localhost:7400").map(|uri| uri.to_string()), Ok("http://localhost:7400/".to_owned()));
        let text = "https://localhost:1 is not plain http, which is all that is measured";
        assert_eq!(server("https://localhost:1"), Err(LoadError::Plan(text.to_owned())));
        assert!(matches!(server("ftp://nowhere"), Err(LoadError::Connect(_))));
    }

    #[test]
    fn the_map_has_room_for_every_number_of_players_that_the_rules_allow() {
        for players in 2..=MAX_SEATS {
            let plan = LoadPlan { players, ..LoadPlan::default() };
            assert_eq!(plan.check(), Ok(()));
            let map = plan.map(1);
            assert!(map.room() >= players as usize, "{players} players on {} x {}", map.width, map.height);
            let expected = if players <= 14 { SizePreset::Standard } else { SizePreset::Large };
            assert_eq!((map.width, map.height), (expected.width(), expected.height()), "{players} players");
            let rules = plan.rules().expect("rules");
            assert!(parley_plunder::mapgen::generate(&rules, &map).is_ok(), "{players} players");
        }
    }

    #[test]
    fn matches_differ_and_are_the_same_again() {
        let plan = LoadPlan::default();
        assert_eq!(plan.settings(3), plan.settings(3));
        assert_ne!(plan.map_seed(3), plan.map_seed(4));
        assert_ne!(plan.map_seed(3), LoadPlan { seed: 2, ..LoadPlan::default() }.map_seed(3));
        assert_eq!(plan.rules().expect("rules").economy().start_ships.get(), 6);
    }
}
