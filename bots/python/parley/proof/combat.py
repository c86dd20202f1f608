"""Rounds of combat, and the round that ends a turn (R8, R10)."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from .dice import BROADSIDE_TICK, roll
from .state import Unit
from .turn import Turn

MAX_EXCHANGES = 4_194_304


class TooManyExchanges(Exception):
    """A turn with more exchanges than are ever resolved (`data/SCENARIO.md`)."""

    def __init__(self, tick: int) -> None:
        super().__init__(f"it has more than {MAX_EXCHANGES} exchanges (R8.1)")
        self.tick = tick


@dataclass(frozen=True, order=True)
class Pair:
    """Two enemies who exchange fire once."""

    lower: int
    higher: int
    attacker: int | None = None
    """Who attacks; nobody in particular where the coin says it (R8.2)."""


def pair(one: int, other: int, attacker: int | None = None) -> Pair:
    """A pair, whichever is named first."""
    return Pair(min(one, other), max(one, other), attacker)


def fight(turn: Turn, tick: int, pairs: Iterable[Pair]) -> None:
    """One round: everything is rolled on one state, then applied together (R8.1)."""
    losses: dict[int, int] = defaultdict(int)
    damaged_by: dict[int, set[int]] = defaultdict(set)
    units = turn.state.units
    for each in sorted(pairs, key=lambda each: (each.lower, each.higher)):
        dice = roll(turn.seed, turn.state.turn, tick, each.lower, each.higher)
        attacker_id = each.attacker
        if attacker_id is None:
            attacker_id = each.lower if dice.lower_attacks else each.higher
        attacker = units[attacker_id]
        defender = units[each.lower if attacker_id == each.higher else each.higher]
        attacker_loses, defender_loses = _losses(turn, attacker, defender, dice.attacker, dice.defender)
        for loser, winner, loss in ((attacker, defender, attacker_loses), (defender, attacker, defender_loses)):
            losses[loser.id] += loss
            if loss > 0:
                damaged_by[loser.id].add(winner.owner)
        turn.fought |= {attacker.id, defender.id}
        turn.exchanges += 1
        if turn.exchanges > MAX_EXCHANGES:
            raise TooManyExchanges(tick)
        turn.tell(
            "exchange",
            tick=tick,
            attacker=attacker.id,
            defender=defender.id,
            attacker_dice=list(dice.attacker),
            defender_dice=list(dice.defender),
            attacker_loses=attacker_loses,
            defender_loses=defender_loses,
        )
    for id, loss in losses.items():
        units[id].hp = max(0, units[id].hp - loss)
    sunk = sorted(id for id in losses if units[id].hp == 0)
    for id in sunk:
        turn.tell("sunk", tick=tick, unit=id)
        turn.remove(id)
    for id in sunk:
        _salvage(turn, damaged_by[id])


def _losses(
    turn: Turn, attacker: Unit, defender: Unit, attacker_dice: Iterable[int], defender_dice: Iterable[int]
) -> tuple[int, int]:
    """What both lose: highest against highest, second against second, ties to the defender (R8.3)."""
    attacker_loses = defender_loses = 0
    # The attacker's third die is compared with nothing.
    for mine, yours in zip(attacker_dice, defender_dice, strict=False):
        if mine > yours:
            defender_loses += turn.rules.damage + turn.rules.firepower(attacker)
        else:
            attacker_loses += turn.rules.damage + turn.rules.firepower(defender)
    return attacker_loses, defender_loses


def _salvage(turn: Turn, by: set[int]) -> None:
    """Splits what a sunk ship pays between those who damaged it and still have a ship (R8.4)."""
    afloat = {unit.owner for unit in turn.state.units.values()}
    paid = sorted(by & afloat)
    if not paid:
        return
    share, rest = divmod(turn.rules.salvage, len(paid))
    for place, player in enumerate(paid):
        turn.pay(player, share + (rest if place == 0 else 0), "salvage")


def broadsides(turn: Turn) -> None:
    """Ships that were told to, and have not fought, fire on a neighbour (R10)."""
    units = turn.state.units
    aims: dict[int, int] = {}
    for _, unit in sorted(units.items()):
        order = turn.unit_order(unit)
        if order is None or not order.broadside:
            continue
        target = _target(turn, unit)
        if not turn.rules.broadsides:
            turn.tell("skipped", unit=unit.id, cause="broadsides_off")
        elif unit.id in turn.fought:
            turn.tell("skipped", unit=unit.id, cause="fought_already")
        elif target is None:
            turn.tell("skipped", unit=unit.id, cause="no_target")
        else:
            aims[unit.id] = target.id
    pairs = set()
    for shooter, aimed_at in aims.items():
        mutual = aims.get(aimed_at) == shooter
        pairs.add(pair(shooter, aimed_at, None if mutual else shooter))
    fight(turn, BROADSIDE_TICK, pairs)


def _target(turn: Turn, unit: Unit) -> Unit | None:
    around = set(turn.grid.neighbours(unit.hex))
    enemies = [other for other in turn.state.units.values() if other.owner != unit.owner and other.hex in around]
    return min(enemies, key=lambda enemy: (enemy.hp, enemy.id), default=None)
