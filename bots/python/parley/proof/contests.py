"""Contested tiles in tick 0 (R9)."""

from itertools import combinations

from .combat import fight, pair
from .orders import Deed
from .state import Contest, Unit
from .turn import Turn

TICK = 0


def contests(turn: Turn) -> None:
    """Contenders withdraw or press, and then each contest is settled."""
    for contest in turn.state.contests_in_order():
        for id in sorted(contest.contenders):
            order = turn.unit_order(turn.state.units[id])
            if order is not None and order.deed is Deed.MOVE:
                turn.tell("withdrew", tick=TICK, unit=id, **{"from": list(contest.hex)})
                contest.contenders.remove(id)
            else:
                turn.halted.add(id)
    for contest in list(turn.state.contests_in_order()):
        _settle(turn, contest)


def _settle(turn: Turn, contest: Contest) -> None:
    if _owners(turn, contest) > 1:
        clash(turn, TICK, contest)
        contest.rounds += 1
    owners = _owners(turn, contest)
    limit = turn.rules.contest_limit
    if owners == 1:
        for unit in _contenders(turn, contest):
            unit.hex = contest.hex
            unit.route = []
            turn.tell("moved", tick=TICK, unit=unit.id, to=list(contest.hex))
        _close(turn, contest, "claimed")
    elif owners == 0:
        _close(turn, contest, "emptied")
    elif limit and contest.rounds >= limit:
        _close(turn, contest, "expired")


def clash(turn: Turn, tick: int, contest: Contest) -> None:
    """One round between every enemy pair of contenders, with the coin saying who attacks (R9.3)."""
    fleet = _contenders(turn, contest)
    fight(turn, tick, [pair(a.id, b.id) for a, b in combinations(fleet, 2) if a.owner != b.owner])


def _contenders(turn: Turn, contest: Contest) -> list[Unit]:
    return [turn.state.units[id] for id in sorted(contest.contenders)]


def _owners(turn: Turn, contest: Contest) -> int:
    return len({unit.owner for unit in _contenders(turn, contest)})


def _close(turn: Turn, contest: Contest, reason: str) -> None:
    del turn.state.contests[contest.hex]
    q, r = contest.hex
    turn.tell("contest_closed", q=q, r=r, reason=reason)
