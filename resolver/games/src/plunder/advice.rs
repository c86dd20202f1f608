//! What can be asked about a match without changing it, as far as who asks may know (R14.2): legal orders, ways, odds.

use parley_core::game::Ruleset;
use parley_core::grid::Tile;
use parley_core::hex::Hex;
use parley_core::ids::{PlayerId, UnitId};
use parley_plunder::options;
use parley_plunder::preview::{self, Attacker, Chart, Fighter, Known, Survey};
use parley_plunder::ruleset::{Game, Plunder};
use parley_plunder::view::{Viewer, sight_of};
use parley_proto::plunder::v1 as plunder;
use parley_proto::plunder::v1::advice::Advice;
use parley_proto::plunder::v1::query::Query;
use parley_proto::v1;
use prost::Message;

use super::wire;
use crate::hosted::AdviceError;

/// How many bytes of legal orders are told at once, beside the ship or shipyard that is too many, which has less than as
/// many. So an answer is far below the 4 MiB that clients take.
const ORDERS_BYTES: usize = 512 * 1024;
/// How many tiles a ship sees, about, which is what looking for everything in sight takes.
const TILES_IN_SIGHT: usize = 32;

/// What somebody asks about a match.
#[derive(Clone, Debug, PartialEq)]
pub struct SaidQuery(Query);

impl SaidQuery {
    /// Reads the bytes of a `parley.v1.Query`.
    pub(super) fn read(said: &[u8]) -> Result<Self, AdviceError> {
        let unreadable = |error| AdviceError::field("query", format!("it cannot be read: {error}"));
        let query = v1::Query::decode(said).map_err(unreadable)?;
        let Some(v1::query::Game::Plunder(query)) = query.game else {
            let text = format!("it is not about {}, the game of the match", Plunder::NAME);
            return Err(AdviceError::field("query", text));
        };
        query.query.map(Self).ok_or_else(|| AdviceError::field("query.plunder", "nothing is asked"))
    }
}

/// The answer to a viewer.
pub(super) fn advise(game: &Game, viewer: Viewer, query: &SaidQuery) -> Result<plunder::Advice, AdviceError> {
    let player = if let Viewer::Seat(player) = viewer { Ok(player) } else { Err(AdviceError::OnlyPlayers) };
    let advice = match &query.0 {
        Query::Options(asked) => Advice::Options(legal_orders(game, player?, asked)),
        Query::Path(asked) => Advice::Path(path(game, player?, asked)?),
        Query::Odds(asked) => Advice::Odds(odds(game, viewer, asked)?),
    };
    Ok(plunder::Advice { advice: Some(advice) })
}

/// About how many tiles are looked at to answer a viewer, or could be meanwhile.
pub(super) fn effort_of(game: &Game, viewer: Viewer, query: &SaidQuery) -> usize {
    let effort = match (&query.0, viewer) {
        (Query::Options(_), Viewer::Seat(player)) => effort_of_orders(game, player),
        (Query::Path(_), Viewer::Seat(_)) => game.state().map().grid().len(),
        (Query::Odds(asked), _) => effort_of_odds(asked),
        // It is refused.
        (Query::Options(_) | Query::Path(_), _) => return 0,
    };
    effort + game.state().units().len() * TILES_IN_SIGHT
}

/// The orders that a player's ships and shipyards could be given: all of them, or as many as one answer may tell.
fn legal_orders(game: &Game, player: PlayerId, query: &plunder::OptionsQuery) -> plunder::Options {
    with_chart(game, player, |chart| {
        let state = game.state();
        let (mut survey, mut bytes) = (Survey::default(), 0);
        let mut told = plunder::Options { turn: state.turn(), ..Default::default() };
        let wants_units = query.first_structure == 0;
        let own = state.units().iter().filter(|unit| wants_units && unit.owner == player);
        for unit in own.filter(|unit| unit.id.get() >= query.first_unit) {
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
        for structure in own.filter(|structure| structure.id.get() >= query.first_structure) {
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
fn effort_of_orders(game: &Game, player: PlayerId) -> usize {
    let tiles = game.state().map().grid().len();
    let own = game.state().units().iter().filter(|unit| unit.owner == player);
    let reach = own.map(|unit| {
        let speed = usize::from(unit.speed(game.rules()));
        (3 * speed * (speed + 1)).min(tiles)
    });
    reach.sum()
}

/// The way of a player's ship to a hex.
fn path(game: &Game, player: PlayerId, query: &plunder::PathQuery) -> Result<plunder::Course, AdviceError> {
    let unit = unit("query.plunder.path.unit", query.unit)?;
    let target = query.target.ok_or_else(|| AdviceError::field("query.plunder.path.target", "where to is missing"))?;
    let target = Hex { q: target.q, r: target.r };
    let found = with_chart(game, player, |chart| preview::course(chart, &mut Survey::default(), unit, target));
    let course = found.map_err(|error| {
        let fault = wire::course_fault(unit, &error);
        AdviceError::NoCourse { text: error.to_string(), fault }
    })?;
    Ok(wire::course(game.state().map().grid(), &course))
}

/// The odds of a fight between two ships that a viewer sees.
fn odds(game: &Game, viewer: Viewer, query: &plunder::OddsQuery) -> Result<plunder::CombatOdds, AdviceError> {
    let (rules, state) = (game.rules(), game.state());
    let sight = sight_of(rules, state, viewer);
    let fighter = |field: &'static str, id: u32| -> Result<(Fighter, PlayerId), AdviceError> {
        let found = state.unit(unit(field, id)?).filter(|unit| sight.contains(unit.tile));
        let found = found.ok_or_else(|| AdviceError::field(field, "no such ship is in sight"))?;
        Ok((Fighter::new(rules, found), found.owner))
    };
    let (first, owner) = fighter("query.plunder.odds.first", query.first)?;
    let (second, other) = fighter("query.plunder.odds.second", query.second)?;
    if owner == other {
        return Err(AdviceError::field("query.plunder.odds.second", "is no enemy of the first ship"));
    }
    let attacker = match plunder::Attacker::try_from(query.attacker) {
        Ok(plunder::Attacker::First) => Attacker::First,
        Ok(plunder::Attacker::Second) => Attacker::Second,
        Ok(plunder::Attacker::Coin | plunder::Attacker::Unspecified) => Attacker::Coin,
        Err(_) => return Err(AdviceError::field("query.plunder.odds.attacker", "no such attacker")),
    };
    let odds = preview::fight(first, second, query.rounds.max(1), attacker)
        .map_err(|error| AdviceError::field("query.plunder.odds.rounds", error.to_string()))?;
    Ok(wire::fight_odds(&odds))
}

/// How much effort the odds of a fight are: in each round a fight has up to twice as many states as rounds, with three ways
/// on from each.
fn effort_of_odds(query: &plunder::OddsQuery) -> usize {
    let rounds = query.rounds.min(preview::MAX_ROUNDS) as usize;
    3 * rounds * rounds
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

fn unit(field: &'static str, id: u32) -> Result<UnitId, AdviceError> {
    UnitId::new(id.into()).ok_or_else(|| AdviceError::field(field, "no unit has this id"))
}
