//! What a match of the naval game is pinned to when it is created: its rules, its map, and where everybody starts.

use std::sync::Arc;

use bytes::Bytes;
use parley_core::dice::Seed;
use parley_core::digest::Digest;
use parley_core::game::Ruleset;
use parley_core::grid::Tile;
use parley_core::hex::Hex;
use parley_core::sight::Memory;
use parley_plunder::map::{Map, MapText};
use parley_plunder::mapgen::{self, MapRequest, SizePreset};
use parley_plunder::rules::Rules;
use parley_plunder::ruleset::{Game, Plunder};
use parley_plunder::start;
use parley_plunder::state::State;
use parley_proto::common::v1 as common;
use parley_proto::plunder::v1 as plunder;
use parley_proto::v1;
use prost::Message;

use super::{changes, wire};
use crate::hosted::{HostedGame, HostedSetup, SetupFault};

/// Fields of the settings that faults are about.
const SETTINGS: &str = "settings.game.plunder";
const RULES: &str = "settings.game.plunder.rules";
const CHANGES: &str = "settings.game.plunder.changes";
const FOG: &str = "settings.game.plunder.fog";
const DRAWN: &str = "settings.game.plunder.map.drawn";
const STARTS: &str = "settings.game.plunder.map.drawn.starts";
const GENERATED: &str = "settings.game.plunder.map.generated";

/// What never changes in a match of the game.
#[derive(Clone, Debug)]
pub struct Setup {
    rules: Arc<Rules>,
    map: Arc<Map>,
    starts: Vec<Tile>,
}

impl Setup {
    /// What [`HostedRuleset::plan`](crate::hosted::HostedRuleset::plan) says of this game.
    pub(super) fn plan(
        game: Option<&[u8]>,
        seats: usize,
        random: u64,
        most_tiles: usize,
    ) -> Result<(Self, Bytes), SetupFault> {
        let settings = read_settings(game.unwrap_or_default())?;
        let rules = choose_rules(&settings)?;
        let fog = Some(rules.fog());
        let (drawn, map) = choose_map(&rules, settings.map, seats, random, most_tiles)?;
        let setup = Self::compile(Arc::new(rules), &drawn)?;
        if setup.starts.len() != seats {
            let text = format!("{} starts for {seats} seats", setup.starts.len());
            return Err(SetupFault::new(STARTS, text));
        }
        setup.opening().map_err(|text| SetupFault::new("settings.game.plunder.map", text))?;
        Ok((setup, encode_settings(plunder::Settings { map: Some(map), fog, ..Default::default() })))
    }

    /// A match under rules on a map, as it was written down.
    pub(super) fn read(rules: Arc<Rules>, drawn: &[u8]) -> Result<Self, SetupFault> {
        let unreadable = |error| SetupFault::new(DRAWN, format!("the map cannot be read: {error}"));
        Self::compile(rules, &plunder::DrawnMap::decode(drawn).map_err(unreadable)?)
    }

    fn compile(rules: Arc<Rules>, drawn: &plunder::DrawnMap) -> Result<Self, SetupFault> {
        let width = drawn.rows.first().map_or(0, |row| row.chars().count()) as u64;
        let text = MapText { width, height: drawn.rows.len() as u64, wrap: drawn.wrap, tiles: drawn.rows.clone() };
        let map = Map::compile(&text, &rules).map_err(|faults| SetupFault {
            faults: faults.iter().map(|fault| wire::map_fault(DRAWN, fault)).collect(),
            ..SetupFault::new(DRAWN, "the map makes no sense")
        })?;
        let tile = |(place, hex): (usize, &common::Hex)| {
            let found = map.grid().tile(Hex { q: hex.q, r: hex.r });
            found.ok_or_else(|| SetupFault::new(format!("{STARTS}[{place}]"), "a start that is not on the map"))
        };
        let starts = drawn.starts.iter().enumerate().map(tile).collect::<Result<_, _>>()?;
        Ok(Self { rules, map: Arc::new(map), starts })
    }

    fn opening(&self) -> Result<State, String> {
        start::opening(&self.rules, Arc::clone(&self.map), &self.starts).map_err(|error| error.to_string())
    }
}

impl HostedSetup for Setup {
    fn public_settings(&self, game: &Bytes) -> Bytes {
        if !self.has_fog() {
            return game.clone();
        }
        // The number that would draw the map tells what fog hides. The settings were encoded by `plan`, so that they can be
        // read.
        let mut settings = read_settings(game).unwrap_or_default();
        let source = settings.map.as_mut().and_then(|map| map.source.as_mut());
        if let Some(plunder::map_choice::Source::Generated(generated)) = source {
            generated.seed = None;
        }
        encode_settings(settings)
    }

    fn names(&self) -> Vec<(&'static str, String)> {
        let raw = self.rules.raw();
        let terrains = raw.terrains.iter().flat_map(|terrain| [terrain.key.clone(), terrain.symbol.to_string()]);
        let names = terrains.chain(raw.classes.iter().map(|class| class.key.clone())).chain([raw.name.clone()]);
        names.map(|name| (SETTINGS, name)).collect()
    }

    fn players(&self) -> usize {
        self.starts.len()
    }

    fn tiles(&self) -> usize {
        self.map.grid().len()
    }

    fn first_units(&self) -> usize {
        self.rules.economy().start_ships.get() as usize * self.starts.len()
    }

    fn has_fog(&self) -> bool {
        self.rules.fog()
    }

    fn rules_text(&self) -> String {
        self.rules.to_json()
    }

    fn rules_hash(&self) -> Digest {
        self.rules.hash()
    }

    fn drawn(&self) -> Bytes {
        draw(&self.rules, &self.map, &self.starts).encode_to_vec().into()
    }

    fn replay_map(&self) -> Option<v1::ReplayMap> {
        let grid = self.map.grid();
        Some(v1::ReplayMap {
            width: grid.width(),
            height: grid.height(),
            wrap: grid.wrap(),
            terrain: self.map.terrain_rows().into(),
        })
    }

    fn open(&self, seed: Seed) -> Result<Box<dyn HostedGame>, String> {
        Ok(Box::new(Game::new(Arc::clone(&self.rules), self.opening()?, seed)))
    }

    fn restore(
        &self,
        seed: Seed,
        state: &[u8],
        digest: Digest,
        memories: &[Bytes],
    ) -> Result<Box<dyn HostedGame>, String> {
        let state = State::decode(&self.rules, &self.map, state).map_err(|error| error.to_string())?;
        let (found, players) = (state.players().len(), self.players());
        if found != players {
            return Err(format!("a state with {found} players of a match with {players} seats"));
        }
        let mut remembered = Vec::new();
        for (player, bytes) in state.players().iter().zip(memories).filter(|_| self.rules.fog()) {
            let memory = Memory::from_bytes(self.map.grid(), bytes).ok_or("the memory of another map")?;
            remembered.push((player.id, memory));
        }
        Ok(Box::new(Game::restore(Arc::clone(&self.rules), seed, state, digest, remembered)))
    }
}

/// Reads the bytes of a `parley.v1.GameSettings`. Where they name no game, it is this one, as it is by default.
fn read_settings(game: &[u8]) -> Result<plunder::Settings, SetupFault> {
    let unreadable = |error| SetupFault::new("settings.game", format!("it cannot be read: {error}"));
    Ok(match v1::GameSettings::decode(game).map_err(unreadable)?.game {
        Some(v1::game_settings::Game::Plunder(settings)) => settings,
        None if game.is_empty() => plunder::Settings::default(),
        None => return Err(SetupFault::new("settings.game", format!("they are not those of {}", Plunder::NAME))),
    })
}

fn encode_settings(settings: plunder::Settings) -> Bytes {
    v1::GameSettings { game: Some(v1::game_settings::Game::Plunder(settings)) }.encode_to_vec().into()
}

/// The rules that settings ask for: the standard ones or those of a file, with the changes.
fn choose_rules(settings: &plunder::Settings) -> Result<Rules, SetupFault> {
    let mut rules = if settings.rules.trim().is_empty() {
        Rules::plunder()
    } else {
        Rules::from_yaml(&settings.rules).map_err(|error| SetupFault::new(RULES, error))?
    };
    if let Some(said) = &settings.changes {
        let read = changes::read(said).map_err(|text| SetupFault::new(CHANGES, text))?;
        rules = rules.with_overrides(&read).map_err(|error| SetupFault::new(CHANGES, error))?;
    }
    if let Some(fog) = settings.fog {
        let said = serde_json::json!({ "fog": if fog { "on" } else { "off" } });
        rules = rules.with_overrides(&said).map_err(|error| SetupFault::new(FOG, error))?;
    }
    Ok(rules)
}

/// The map that was asked for, and the choice with everything filled in.
fn choose_map(
    rules: &Rules,
    choice: Option<plunder::MapChoice>,
    seats: usize,
    random: u64,
    most_tiles: usize,
) -> Result<(plunder::DrawnMap, plunder::MapChoice), SetupFault> {
    use plunder::map_choice::Source;
    let source = choice.and_then(|choice| choice.source).unwrap_or_else(|| {
        let size = SizePreset::Standard.key().to_owned();
        Source::Generated(plunder::GeneratedMap { size, ..plunder::GeneratedMap::default() })
    });
    match source {
        Source::Drawn(drawn) => {
            // Bytes are at least as many as tiles.
            let tiles = drawn.rows.iter().fold(0, |tiles: u64, row| tiles.saturating_add(row.len().max(1) as u64));
            check_tiles("settings.game.plunder.map.drawn.rows", tiles, most_tiles)?;
            let source = Some(Source::Drawn(plunder::DrawnMap { wrap: drawn.wrap, ..plunder::DrawnMap::default() }));
            Ok((drawn, plunder::MapChoice { source }))
        }
        Source::Generated(mut generated) => {
            let refuse = |error: mapgen::MapRequestError| SetupFault::new(GENERATED, error);
            let seed = *generated.seed.get_or_insert(random);
            let (width, height) = if generated.size.is_empty() {
                (generated.width, generated.height)
            } else {
                let preset: SizePreset = generated.size.parse().map_err(refuse)?;
                (preset.width(), preset.height())
            };
            check_tiles(GENERATED, u64::from(width).saturating_mul(height.into()), most_tiles)?;
            let request = MapRequest { seed, width, height, wrap: generated.wrap, players: seats };
            let made = mapgen::generate(rules, &request).map_err(refuse)?;
            let drawn = draw(rules, &made.map, &made.starts);
            Ok((drawn, plunder::MapChoice { source: Some(Source::Generated(generated)) }))
        }
    }
}

/// Refuses a map that is larger than the service allows, before anything is done with it.
fn check_tiles(field: &str, tiles: u64, most: usize) -> Result<(), SetupFault> {
    if tiles > most as u64 {
        return Err(SetupFault::new(field, format!("a map has at most {most} tiles on this server (max_map_tiles)")));
    }
    Ok(())
}

fn draw(rules: &Rules, map: &Map, starts: &[Tile]) -> plunder::DrawnMap {
    let text = map.to_text(rules);
    let hex = |&tile: &Tile| {
        let hex = map.grid().hex(tile);
        common::Hex { q: hex.q, r: hex.r }
    };
    plunder::DrawnMap { rows: text.tiles, wrap: text.wrap, starts: starts.iter().map(hex).collect() }
}
