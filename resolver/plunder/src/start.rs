//! The first turn of a match: who has what, and where (R11.1).

use std::fmt;
use std::sync::Arc;

use arrayvec::ArrayVec;
use parley_core::grid::Tile;
use parley_core::ids::{PlayerId, UnitId};
use parley_core::path::Path;

use crate::ids::{ClassId, StructureId};
use crate::map::Map;
use crate::mapgen::survey::Flood;
use crate::rules::Rules;
use crate::state::{Engagement, MAX_PLAYERS, Player, State, Structure, Unit};

/// The class that a match starts with: the first of the table.
const FIRST_CLASS: ClassId = ClassId(0);

/// Why a match cannot start on these tiles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpeningError {
    /// There are no players, or more than a match can have.
    Players {
        /// How many starts, and so players, there are.
        starts: usize,
    },
    /// A start is no harbor, or is not a tile that the first ships can be in.
    NotAHarbor {
        /// The seat whose start it is.
        seat: usize,
    },
    /// Two seats start on the same tile.
    Shared {
        /// The later one of the two seats.
        seat: usize,
    },
    /// The rules give more shipyards than there are harbors within reach.
    FewHarbors {
        /// The seat that cannot be given a shipyard.
        seat: usize,
        /// How many shipyards each player is to have.
        shipyards: usize,
    },
}

impl fmt::Display for OpeningError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Players { starts } => write!(f, "a match has 1 to {MAX_PLAYERS} players, not {starts}"),
            Self::NotAHarbor { seat } => write!(f, "the start of seat {seat} is no harbor that its ships can be in"),
            Self::Shared { seat } => write!(f, "the start of seat {seat} is also the start of another seat"),
            Self::FewHarbors { seat, shipyards } => {
                write!(f, "each player starts with {shipyards} shipyards, and there is no harbor left for seat {seat}")
            }
        }
    }
}

impl std::error::Error for OpeningError {}

/// The state that the first turn is planned in: for each start a player in seat order, with the gold, shipyards and
/// ships that the rules give. All ships of a player, and the first shipyard, are on the start; further shipyards are
/// on the nearest harbors that are left, one for everybody before anybody gets the next.
pub fn opening(rules: &Rules, map: Arc<Map>, starts: &[Tile]) -> Result<State, OpeningError> {
    check(rules, &map, starts)?;
    let shipyards = shipyards(rules, &map, starts)?;
    let economy = rules.economy();
    let class = rules.class(FIRST_CLASS);
    let mut state = State::empty(map);
    state.turn = 1;
    for (seat, (&start, shipyards)) in starts.iter().zip(shipyards).enumerate() {
        let owner = PlayerId::new(seat as u64).ok_or(OpeningError::Players { starts: starts.len() })?;
        state.players.push(Player { id: owner, gold: economy.start_gold.get().into(), alive: true });
        // At most 250 players have at most 64 ships and 16 shipyards each, which is far below the bound of ids.
        for tile in shipyards {
            let Some(id) = StructureId::new(state.next_structure.into()) else { break };
            let hp = rules.shipyard().hp.get() as u16;
            state.structures.push(Structure { id, owner: Some(owner), tile, hp, queue: ArrayVec::new() });
            state.next_structure += 1;
        }
        for _ in 0..economy.start_ships.get() {
            let Some(id) = UnitId::new(state.next_unit.into()) else { break };
            state.units.push(Unit {
                id,
                tile: start,
                owner,
                class: FIRST_CLASS,
                hp: class.hull,
                sails: 0,
                cannons: 0,
                hull: 0,
                engagement: Engagement::default(),
                route: Path::EMPTY,
            });
            state.next_unit += 1;
        }
    }
    Ok(state)
}

fn check(rules: &Rules, map: &Map, starts: &[Tile]) -> Result<(), OpeningError> {
    if starts.is_empty() || starts.len() > MAX_PLAYERS {
        return Err(OpeningError::Players { starts: starts.len() });
    }
    let domain = rules.class(FIRST_CLASS).domain;
    for (seat, &start) in starts.iter().enumerate() {
        let on_map = start.index() < map.grid().len();
        if !(on_map && map.is_harbor(start) && map.navigable(start, domain)) {
            return Err(OpeningError::NotAHarbor { seat });
        }
        if starts[..seat].contains(&start) {
            return Err(OpeningError::Shared { seat });
        }
    }
    Ok(())
}

/// Chooses the tiles of each player's shipyards.
fn shipyards(rules: &Rules, map: &Map, starts: &[Tile]) -> Result<Vec<Vec<Tile>>, OpeningError> {
    let count = rules.economy().start_shipyards.get() as usize;
    let domain = rules.class(FIRST_CLASS).domain;
    let mut taken = starts.to_vec();
    let mut shipyards: Vec<Vec<Tile>> = starts.iter().map(|&start| vec![start]).collect();
    let mut flood = Flood::new(map.grid());
    for _ in 1..count {
        for (seat, shipyards) in shipyards.iter_mut().enumerate() {
            let mut nearest: Option<(u32, Tile)> = None;
            flood.run(
                starts[seat],
                |tile| map.navigable(tile, domain),
                |tile, steps| {
                    if map.is_harbor(tile) && !taken.contains(&tile) {
                        nearest = Some(nearest.map_or((steps, tile), |best| best.min((steps, tile))));
                    }
                    nearest.is_none_or(|(best, _)| steps <= best)
                },
            );
            let (_, tile) = nearest.ok_or(OpeningError::FewHarbors { seat, shipyards: count })?;
            taken.push(tile);
            shipyards.push(tile);
        }
    }
    shipyards.iter_mut().for_each(|shipyards| shipyards.truncate(count));
    Ok(shipyards)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::map::MapText;
    use crate::mapgen::{MapRequest, SizePreset, generate};

    fn drawn(rules: &Rules, rows: &[&str]) -> Arc<Map> {
        let tiles: Vec<String> = rows.iter().map(|&row| row.to_owned()).collect();
        let (width, height) = (rows[0].len() as u64, rows.len() as u64);
        Arc::new(Map::compile(&MapText { width, height, wrap: false, tiles }, rules).expect("a map"))
    }

    fn tiles(indices: &[usize]) -> Vec<Tile> {
        indices.iter().map(|&index| Tile::from_index(index)).collect()
    }

    #[test]
    fn everybody_starts_with_what_the_rules_give() {
        let rules = Rules::plunder();
        let generated = generate(&rules, &MapRequest::preset(SizePreset::Standard, 4, 7)).expect("a map");
        let state = opening(&rules, Arc::new(generated.map), &generated.starts).expect("a state");
        assert_eq!((state.turn(), state.next_unit(), state.next_structure()), (1, 13, 5));
        assert!(state.contests().is_empty() && state.result().is_none());
        assert_eq!(state.players().len(), 4);
        for (seat, player) in state.players().iter().enumerate() {
            assert_eq!((player.id.get() as usize, player.gold, player.alive), (seat, 100, true));
            let start = generated.starts[seat];
            let yard = &state.structures()[seat];
            assert_eq!((yard.id.get() as usize, yard.owner, yard.hp), (seat + 1, Some(player.id), 20));
            assert_eq!(yard.tile, start);
            for (place, unit) in state.units()[seat * 3..][..3].iter().enumerate() {
                assert_eq!((unit.id.get() as usize, unit.owner, unit.tile), (seat * 3 + place + 1, player.id, start));
                assert_eq!((unit.hp, unit.speed(&rules)), (10, 3));
            }
        }
    }

    #[test]
    fn further_shipyards_are_on_the_nearest_harbors_left() {
        let rules = Rules::plunder().with_overrides(&json!({"economy": {"start_shipyards": 2}})).expect("rules");
        let map = drawn(&rules, &["H.H.H..H"]);
        let state = opening(&rules, map.clone(), &tiles(&[0, 4])).expect("a state");
        let yards: Vec<_> = state.structures().iter().map(|s| (s.id.get(), s.tile.index())).collect();
        assert_eq!(yards, [(1, 0), (2, 2), (3, 4), (4, 7)]);
        let short = drawn(&rules, &["H.H.H..."]);
        let error = opening(&rules, short, &tiles(&[0, 4])).expect_err("a harbor is missing");
        assert_eq!(error, OpeningError::FewHarbors { seat: 1, shipyards: 2 });
        let none = Rules::plunder().with_overrides(&json!({"economy": {"start_shipyards": 0}})).expect("rules");
        assert!(opening(&none, map, &tiles(&[0, 4])).expect("a state").structures().is_empty());
    }

    #[test]
    fn bad_starts_are_refused() {
        let rules = Rules::plunder();
        let map = drawn(&rules, &["H.#H"]);
        let refused = |starts: &[usize]| opening(&rules, map.clone(), &tiles(starts)).expect_err("a fault");
        assert_eq!(refused(&[]), OpeningError::Players { starts: 0 });
        assert_eq!(refused(&[0; 251]), OpeningError::Players { starts: 251 });
        assert_eq!(refused(&[0, 1]), OpeningError::NotAHarbor { seat: 1 });
        assert_eq!(refused(&[0, 99]), OpeningError::NotAHarbor { seat: 1 });
        assert_eq!(refused(&[3, 0, 3]), OpeningError::Shared { seat: 2 });
    }
}
