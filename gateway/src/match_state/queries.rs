//! What can be asked about a match without changing it, as far as who asks may know (R14.2).

use parley_core::grid::Tile;
use parley_core::hex::Hex;
use parley_core::ids::{PlayerId, UnitId};
use parley_games::plunder::wire;
use parley_plunder::options;
use parley_plunder::preview::{self, Attacker, Chart, Fighter, Known, Survey};
use parley_plunder::view::sight_of;
use parley_proto::v1;
use prost::Message;
use tonic::Code;

use super::{Game, MatchState, Place, Sheet};
use crate::refusal::Refusal;

/// How many bytes of legal orders are told at once, beside the ship or shipyard that is too many, which has less than as
/// many. So an answer is far below the 4 MiB that clients take.
const ORDERS_BYTES: usize = 512 * 1024;
/// How many tiles a ship sees, about, which is what looking for everything in sight takes.
const TILES_IN_SIGHT: usize = 32;

impl MatchState {
    /// How many units the match has.
    pub fn size(&self) -> usize {
        self.game.as_ref().map_or(0, |game| game.state.units().len())
    }

    /// Everything that a viewer may know now.
    pub fn view_response(&self, place: Place) -> v1::GetViewResponse {
        let sheet = match (place, self.game.as_ref()) {
            (Place::Seat(seat), Some(game)) => game.sheets.get(usize::from(seat)).unwrap_or(&Sheet::Blank),
            _ => &Sheet::Blank,
        };
        let said = match sheet {
            Sheet::Blank => None,
            Sheet::Staged(said) | Sheet::Locked(said) => v1::OrderSheet::decode(said.clone()).ok(),
        };
        let prompt = self.prompt(place);
        // With fog, that a turn waits for others is not to be known.
        let (phase, deadline) = match self.game.as_ref() {
            None => (v1::Phase::Lobby, None),
            Some(_) if self.is_over() => (v1::Phase::Over, None),
            Some(_) if prompt.is_some() => (v1::Phase::Resolving, self.deadline_ms()),
            Some(_) => (v1::Phase::Planning, self.planning_deadline_ms()),
        };
        v1::GetViewResponse {
            phase: phase.into(),
            view: self.view(place),
            deadline_ms: deadline.unwrap_or(0),
            locked: sheet.is_locked(),
            sheet: said,
            prompt,
            cursor: self.released(place),
        }
    }

    /// The orders that a player's ships and shipyards could be given: all of them, or as many as one answer may tell.
    pub fn list_legal_orders(
        &self,
        seat: u8,
        request: &v1::ListLegalOrdersRequest,
    ) -> Result<v1::ListLegalOrdersResponse, Refusal> {
        self.with_chart(seat, |game, chart| {
            let grid = game.state.map().grid();
            let (mut survey, mut bytes) = (Survey::default(), 0);
            let mut told = v1::ListLegalOrdersResponse { turn: game.state.turn(), ..Default::default() };
            let wants_units = request.first_structure == 0;
            let own = game.state.units().iter().filter(|unit| wants_units && unit.owner == chart.player());
            for unit in own.filter(|unit| unit.id.get() >= request.first_unit) {
                if bytes >= ORDERS_BYTES {
                    told.next_unit = unit.id.get();
                    return Ok(told);
                }
                if let Some(options) = options::unit_options(chart, &mut survey, unit.id) {
                    let options = wire::unit_options(grid, &options);
                    bytes += options.encoded_len();
                    told.units.push(options);
                }
            }
            let own = game.state.structures().iter().filter(|structure| structure.owner == Some(chart.player()));
            for structure in own.filter(|structure| structure.id.get() >= request.first_structure) {
                // The first is always told, so that an answer that names the next never names number 0.
                if bytes >= ORDERS_BYTES && !told.structures.is_empty() {
                    told.next_structure = structure.id.get();
                    break;
                }
                if let Some(options) = options::structure_options(chart, structure.id) {
                    let options = wire::structure_options(&self.setup.rules, &options);
                    bytes += options.encoded_len();
                    told.structures.push(options);
                }
            }
            Ok(told)
        })
    }

    /// About how many tiles are looked at to list the legal orders of a player: all that their ships can reach.
    pub fn effort_of_orders(&self, seat: u8) -> usize {
        let Some(game) = self.game.as_ref() else { return 0 };
        let own = game.state.units().iter().filter(|unit| unit.owner.get() == seat);
        let reach = own.map(|unit| {
            let speed = usize::from(unit.speed(&self.setup.rules));
            (3 * speed * (speed + 1)).min(self.tiles())
        });
        reach.sum::<usize>() + self.effort_of_sight()
    }

    /// About how many tiles are looked at to find a way, which can lead all over the map.
    pub fn effort_of_path(&self) -> usize {
        self.tiles() + self.effort_of_sight()
    }

    /// How much effort the odds of a fight are, in tiles that could be looked at meanwhile: in each round a fight has up to
    /// twice as many states as rounds, with three ways on from each.
    pub fn effort_of_combat(&self, request: &v1::PreviewCombatRequest) -> usize {
        let rounds = request.rounds.min(preview::MAX_ROUNDS) as usize;
        3 * rounds * rounds + self.effort_of_sight()
    }

    /// About how many tiles are looked at to know what a viewer sees.
    fn effort_of_sight(&self) -> usize {
        self.size() * TILES_IN_SIGHT
    }

    /// The way of a player's ship to a hex.
    pub fn preview_path(&self, seat: u8, request: &v1::PreviewPathRequest) -> Result<v1::PreviewPathResponse, Refusal> {
        let unit = unit(request.unit)?;
        let target = request.target.ok_or_else(|| Refusal::field("target", "where to is missing"))?;
        self.with_chart(seat, |game, chart| {
            let target = Hex { q: target.q, r: target.r };
            match preview::course(chart, &mut Survey::default(), unit, target) {
                Ok(course) => {
                    let course = wire::course(game.state.map().grid(), &course);
                    Ok(v1::PreviewPathResponse { course: Some(course) })
                }
                Err(error) => {
                    let mut refusal = Refusal::new(Code::InvalidArgument, "NO_COURSE", error.to_string());
                    refusal.faults.push(wire::course_fault(unit, &error));
                    Err(refusal)
                }
            }
        })
    }

    /// The odds of a fight between two ships in sight.
    pub fn preview_combat(
        &self,
        place: Place,
        request: &v1::PreviewCombatRequest,
    ) -> Result<v1::PreviewCombatResponse, Refusal> {
        let game = self.game.as_ref().ok_or_else(not_started)?;
        if self.is_behind(place) {
            let message = "the odds are those of now, and spectators of this match are some turns behind";
            return Err(Refusal::forbidden(message));
        }
        let sight = sight_of(&self.setup.rules, &game.state, place.viewer());
        let fighter = |field: &'static str, id: u32| -> Result<(Fighter, PlayerId), Refusal> {
            let found = game.state.unit(unit(id)?).filter(|unit| sight.contains(unit.tile));
            let found = found.ok_or_else(|| Refusal::field(field, "no such ship is in sight"))?;
            Ok((Fighter::new(&self.setup.rules, found), found.owner))
        };
        let (first, owner) = fighter("first", request.first)?;
        let (second, other) = fighter("second", request.second)?;
        if owner == other {
            return Err(Refusal::field("second", "is no enemy of the first ship"));
        }
        let attacker = match v1::Attacker::try_from(request.attacker) {
            Ok(v1::Attacker::First) => Attacker::First,
            Ok(v1::Attacker::Second) => Attacker::Second,
            Ok(v1::Attacker::Coin | v1::Attacker::Unspecified) => Attacker::Coin,
            Err(_) => return Err(Refusal::field("attacker", "no such attacker")),
        };
        let odds = preview::fight(first, second, request.rounds.max(1), attacker)
            .map_err(|error| Refusal::field("rounds", error.to_string()))?;
        Ok(v1::PreviewCombatResponse { odds: Some(wire::fight_odds(&odds)) })
    }

    /// Lets a function read a player's chart.
    fn with_chart<T>(
        &self,
        seat: u8,
        read: impl FnOnce(&Game, &Chart<'_>) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let game = self.game.as_ref().ok_or_else(not_started)?;
        let player = PlayerId::new(seat.into()).ok_or_else(|| Refusal::forbidden("there is no such seat"))?;
        let rules = &self.setup.rules;
        let place = Place::Seat(seat);
        let Some(memory) = game.memory(place) else {
            return read(game, &Chart::new(rules, &game.state, player));
        };
        let sight = sight_of(rules, &game.state, place.viewer());
        let known = |tile: Tile| match (sight.contains(tile), memory.contains(tile)) {
            (true, _) => Known::Seen,
            (false, true) => Known::Charted,
            (false, false) => Known::Dark,
        };
        read(game, &Chart::with_sight(rules, &game.state, player, &known))
    }
}

fn unit(id: u32) -> Result<UnitId, Refusal> {
    UnitId::new(id.into()).ok_or_else(|| Refusal::field("unit", "no unit has this id"))
}

fn not_started() -> Refusal {
    Refusal::moment("NOT_STARTED", "the match has not been started", 0, 0)
}
