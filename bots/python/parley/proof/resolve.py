"""One turn: the list of stages, and what stands before it (R5.6)."""

from collections.abc import Callable
from dataclasses import dataclass

from . import combat, contests, movement, reckoning, shipyards
from .hexes import Grid
from .legality import LegalSheet
from .orders import Deed
from .rules import Rules
from .state import State
from .turn import Ask, Event, Turn

STAGES: dict[str, Callable[[Turn], None]] = {
    "income": shipyards.income,
    "shipyard_work": shipyards.work,
    "contests": contests.contests,
    "movement": movement.movement,
    "broadsides": combat.broadsides,
    "bombardment": shipyards.bombardment,
    "construction": shipyards.construction,
    "reckoning": reckoning.reckoning,
}


@dataclass
class Outcome:
    """What came of a turn."""

    state: State
    events: list[Event]
    exchanges: int


def resolve(rules: Rules, grid: Grid, state: State, seed: bytes, sheets: dict[int, LegalSheet], ask: Ask) -> Outcome:
    """Plays a turn. The state that is given stays as it is."""
    if state.result is not None:
        raise ValueError("nothing is resolved after the end (R12.2)")
    turn = Turn.begin(rules, grid, state, seed, sheets, ask)
    _give_orders(turn)
    for stage in rules.stages:
        STAGES[stage](turn)
    turn.state.turn += 1
    return Outcome(turn.state, turn.events, turn.exchanges)


def _give_orders(turn: Turn) -> None:
    """Engagements and routes change before the first stage (R5.3, R5.6)."""
    for unit in turn.state.units.values():
        order = turn.unit_order(unit)
        if order is None:
            continue
        if order.engagement is not None:
            unit.engagement = order.engagement
        if order.deed is not None:
            unit.route = list(order.path) if order.deed is Deed.MOVE else []
