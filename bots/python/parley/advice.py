"""Questions about the naval game, answered by the server as far as the player who asks may know."""

from __future__ import annotations

from . import v1
from .common import v1 as common
from .plunder import v1 as plunder
from .session import Session, UnexpectedAnswer


async def options(session: Session) -> plunder.Options:
    """What could be ordered, however many answers that takes; all of it anew where a turn ends in between."""
    told, query = plunder.Options(), plunder.OptionsQuery()
    while True:
        answer = (await _ask(session, plunder.Query(options=query))).options
        is_first = not (query.first_unit or query.first_structure)
        if not is_first and answer.turn != told.turn:
            told, query = plunder.Options(), plunder.OptionsQuery()
            continue
        told.turn = answer.turn
        told.units.extend(answer.units)
        told.structures.extend(answer.structures)
        if not (answer.next_unit or answer.next_structure):
            return told
        query = plunder.OptionsQuery(first_unit=answer.next_unit, first_structure=answer.next_structure)


async def path(session: Session, unit: int, target: common.Hex) -> plunder.Course:
    """The way of a ship to a hex."""
    return (await _ask(session, plunder.Query(path=plunder.PathQuery(unit=unit, target=target)))).path


async def odds(
    session: Session, first: int, second: int, rounds: int = 1, attacker: plunder.Attacker = plunder.ATTACKER_COIN
) -> plunder.CombatOdds:
    """The odds of a fight between two ships in sight."""
    query = plunder.OddsQuery(first=first, second=second, rounds=rounds, attacker=attacker)
    return (await _ask(session, plunder.Query(odds=query))).odds


async def _ask(session: Session, query: plunder.Query) -> plunder.Advice:
    """An answer of the kind that was asked for."""
    advice = (await session.advise(v1.Query(plunder=query))).plunder
    if advice.WhichOneof("advice") != query.WhichOneof("query"):
        raise UnexpectedAnswer("a question about the game")
    return advice
