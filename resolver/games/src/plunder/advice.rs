//! What can be asked about a match without changing it, as far as who asks may know (R14.2): legal orders, ways, odds.

use parley_core::grid::Tile;
use parley_core::hex::Hex;
use parley_core::ids::{PlayerId, UnitId};
use parley_plunder::options;
use parley_plunder::preview::{self, Attacker, Chart, Fighter, Known, Survey};
use parley_plunder::ruleset::Game;
use parley_plunder::view::{Viewer, sight_of};
use parley_proto::v1;
use prost::Message;

use super::wire;

/// How many bytes of legal orders are told at once, beside the ship or shipyard that is too many, which has less than as
/// many. So an answer is far below the 4 MiB that clients take.
const ORDERS_BYTES: usize = 512 * 1024;
/// How many tiles a ship sees, about, which is what looking for everything in sight takes.
const TILES_IN_SIGHT: usize = 32;

/// Why there is no answer to a question.
#[derive(Clone, Debug, PartialEq)]
pub enum AdviceError {
    /// A field of the question makes no sense.
    Field {
        /// The field of the message.
        field: &'static str,
        /// What is wrong with it, in one sentence.
        text: String,
    },
    /// There is no way to where the ship is to go.
    NoCourse {
        /// Why there is none, in one sentence.
        text: String,
        /// The same as a fault of the ship's.
        fault: v1::Fault,
    },
}

impl AdviceError {
    fn field(field: &'static str, text: impl Into<String>) -> Self {
        Self::Field { field, text: text.into() }
    }
}

/// The orders that a player's ships and shipyards could be given: all of them, or as many as one answer may tell.
pub fn legal_orders(
    game: &Game,
    player: PlayerId,
    request: &v1::ListLegalOrdersRequest,
) -> v1::ListLegalOrdersResponse {
    with_chart(game, player, |chart| {
        let state = game.state();
        let (mut survey, mut bytes) = (Survey::default(), 0);
        let mut told = v1::ListLegalOrdersResponse { turn: state.turn(), ..Default::default() };
        let wants_units = request.first_structure == 0;
        let own = state.units().iter().filter(|unit| wants_units && unit.owner == player);
        for unit in own.filter(|unit| unit.id.get() >= request.first_unit) {
            if bytes >= ORDERS_BYTES {
                told.next_unit = unit.id.get();
                return told;
            }
            if let Some(options) = options::unit_options(chart, &mut survey, unit.id) {
                let options = wire::unit_options(state.map().grid(), &options);
                bytes += options.encoded_len();
                told.units.push(options);
            }
        }
        let own = state.structures().iter().filter(|structure| structure.owner == Some(player));
        for structure in own.filter(|structure| structure.id.get() >= request.first_structure) {
            // The first is always told, so that an answer that names the next never names number 0.
            if bytes >= ORDERS_BYTES && !told.structures.is_empty() {
                told.next_structure = structure.id.get();
                break;
            }
            if let Some(options) = options::structure_options(chart, structure.id) {
                let options = wire::structure_options(game.rules(), &options);
                bytes += options.encoded_len();
                told.structures.push(options);
            }
        }
        told
    })
}

/// About how many tiles are looked at to list the legal orders of a player: all that their ships can reach.
pub fn effort_of_orders(game: &Game, player: PlayerId) -> usize {
    let tiles = game.state().map().grid().len();
    let own = game.state().units().iter().filter(|unit| unit.owner == player);
    let reach = own.map(|unit| {
        let speed = usize::from(unit.speed(game.rules()));
        (3 * speed * (speed + 1)).min(tiles)
    });
    reach.sum::<usize>() + effort_of_sight(game)
}

/// The way of a player's ship to a hex.
pub fn path(
    game: &Game,
    player: PlayerId,
    request: &v1::PreviewPathRequest,
) -> Result<v1::PreviewPathResponse, AdviceError> {
    let unit = unit(request.unit)?;
    let target = request.target.ok_or_else(|| AdviceError::field("target", "where to is missing"))?;
    let target = Hex { q: target.q, r: target.r };
    let found = with_chart(game, player, |chart| preview::course(chart, &mut Survey::default(), unit, target));
    let course = found.map_err(|error| {
        let fault = wire::course_fault(unit, &error);
        AdviceError::NoCourse { text: error.to_string(), fault }
    })?;
    Ok(v1::PreviewPathResponse { course: Some(wire::course(game.state().map().grid(), &course)) })
}

/// About how many tiles are looked at to find a way, which can lead all over the map.
pub fn effort_of_path(game: &Game) -> usize {
    game.state().map().grid().len() + effort_of_sight(game)
}

/// The odds of a fight between two ships that a viewer sees.
pub fn odds(
    game: &Game,
    viewer: Viewer,
    request: &v1::PreviewCombatRequest,
) -> Result<v1::PreviewCombatResponse, AdviceError> {
    let (rules, state) = (game.rules(), game.state());
    let sight = sight_of(rules, state, viewer);
    let fighter = |field: &'static str, id: u32| -> Result<(Fighter, PlayerId), AdviceError> {
        let found = state.unit(unit(id)?).filter(|unit| sight.contains(unit.tile));
        let found = found.ok_or_else(|| AdviceError::field(field, "no such ship is in sight"))?;
        Ok((Fighter::new(rules, found), found.owner))
    };
    let (first, owner) = fighter("first", request.first)?;
    let (second, other) = fighter("second", request.second)?;
    if owner == other {
        return Err(AdviceError::field("second", "is no enemy of the first ship"));
    }
    let attacker = match v1::Attacker::try_from(request.attacker) {
        Ok(v1::Attacker::First) => Attacker::First,
        Ok(v1::Attacker::Second) => Attacker::Second,
        Ok(v1::Attacker::Coin | v1::Attacker::Unspecified) => Attacker::Coin,
        Err(_) => return Err(AdviceError::field("attacker", "no such attacker")),
    };
    let odds = preview::fight(first, second, request.rounds.max(1), attacker)
        .map_err(|error| AdviceError::field("rounds", error.to_string()))?;
    Ok(v1::PreviewCombatResponse { odds: Some(wire::fight_odds(&odds)) })
}

/// How much effort the odds of a fight are, in tiles that could be looked at meanwhile: in each round a fight has up to
/// twice as many states as rounds, with three ways on from each.
pub fn effort_of_odds(game: &Game, request: &v1::PreviewCombatRequest) -> usize {
    let rounds = request.rounds.min(preview::MAX_ROUNDS) as usize;
    3 * rounds * rounds + effort_of_sight(game)
}

/// About how many tiles are looked at to know what a viewer sees.
fn effort_of_sight(game: &Game) -> usize {
    game.state().units().len() * TILES_IN_SIGHT
}

/// Lets a function read a player's chart.
fn with_chart<T>(game: &Game, player: PlayerId, read: impl FnOnce(&Chart<'_>) -> T) -> T {
    let (rules, state) = (game.rules(), game.state());
    let Some(memory) = game.memory(player) else { return read(&Chart::new(rules, state, player)) };
    let sight = sight_of(rules, state, Viewer::Seat(player));
    let known = |tile: Tile| match (sight.contains(tile), memory.contains(tile)) {
        (true, _) => Known::Seen,
        (false, true) => Known::Charted,
        (false, false) => Known::Dark,
    };
    read(&Chart::with_sight(rules, state, player, &known))
}

fn unit(id: u32) -> Result<UnitId, AdviceError> {
    UnitId::new(id.into()).ok_or_else(|| AdviceError::field("unit", "no unit has this id"))
}
