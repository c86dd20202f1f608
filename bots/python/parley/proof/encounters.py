"""What becomes of ships that met (R7)."""

from itertools import combinations

from .combat import Pair, fight, pair
from .contests import clash
from .hexes import Hex
from .orders import Choice
from .state import Contest, Engagement, Unit
from .turn import Meeting, Question, Turn


def evasion(kind: str) -> Choice:
    """The peaceful answer."""
    return Choice.PROCEED if kind == "PASSING" else Choice.YIELD


def settle(turn: Turn, tick: int, meetings: list[Meeting]) -> None:
    """Gathers all answers of a tick, then resolves its encounters one after the other (R7.3)."""
    if not meetings:
        return
    meetings.sort(key=lambda met: (met.tiles[0], met.kind == "ENTRY", met.units[0]))
    for met in meetings:
        at = [list(tile) for tile in met.tiles]
        turn.tell("encounter", tick=tick, kind=met.kind, at=at if met.kind == "PASSING" else at[0], units=met.units)
    choices, defaulted = _choices(turn, tick, meetings)
    taken = {tile for met in meetings for tile in met.tiles}
    for met in meetings:
        for id in met.units:
            turn.tell("decided", tick=tick, unit=id, choice=choices[id].name, defaulted=id in defaulted)
        if met.kind == "PASSING":
            _passing(turn, tick, met, choices)
        else:
            _entry(turn, tick, met, choices, taken)


def _choices(turn: Turn, tick: int, meetings: list[Meeting]) -> tuple[dict[int, Choice], set[int]]:
    """What every ship does, and who is defaulted. Engagements answer on the state before any encounter (R7.6).

    Questions are asked in the order of the encounters (R7.3), and in each of them by ship id.
    """
    choices: dict[int, Choice] = {}
    questions: list[Question] = []
    for met in meetings:
        for id in met.units:
            unit = turn.state.units[id]
            match unit.engagement:
                case Engagement.ASK:
                    questions.append(turn.question(tick, unit, (evasion(met.kind), Choice.ATTACK)))
                    continue
                case Engagement.EVADE:
                    fights = False
                case Engagement.FIGHT:
                    fights = True
                case Engagement.FIGHT_IF_HEALTHY:
                    fights = 2 * unit.hp >= turn.rules.max_hp(unit)
            choices[id] = Choice.ATTACK if fights else evasion(met.kind)
    defaulted = set()
    if questions:
        answered = turn.ask(questions)
        for question in questions:
            if question.unit not in answered:
                defaulted.add(question.unit)
            choices[question.unit] = answered.get(question.unit, question.options[0])
    return choices, defaulted


def _passing(turn: Turn, tick: int, met: Meeting, choices: dict[int, Choice]) -> None:
    """Ships that cross one edge both ways (R7.4)."""
    units = [turn.state.units[id] for id in met.units]
    attackers = {id for id in met.units if choices[id] is Choice.ATTACK}
    if not attackers and not any(_somebody_stays_behind(turn, unit, met) for unit in units):
        for unit in units:
            unit.hex = unit.route.pop(0)
            turn.tell("moved", tick=tick, unit=unit.id, to=list(unit.hex))
        return
    turn.halted.update(met.units)
    if attackers:
        pairs = [
            _encounter_pair(a.id, b.id, attackers)
            for a, b in combinations(units, 2)
            if a.owner != b.owner and {a.id, b.id} & attackers
        ]
        fight(turn, tick, pairs)


def _encounter_pair(one: int, other: int, attackers: set[int]) -> Pair:
    """Who attacks one that did not is the attacker; of two, the coin says who is (R8.2)."""
    attacking = {one, other} & attackers
    return pair(one, other, attacking.pop() if len(attacking) == 1 else None)


def _somebody_stays_behind(turn: Turn, unit: Unit, met: Meeting) -> bool:
    return any(other.owner != unit.owner and other.id not in met.units for other in turn.units_at(unit.route[0]))


def _entry(turn: Turn, tick: int, met: Meeting, choices: dict[int, Choice], taken: set[Hex]) -> None:
    """Ships that want a tile that others want or hold (R7.5)."""
    (tile,) = met.tiles
    units = [turn.state.units[id] for id in met.units]
    holders = [unit for unit in units if unit.hex == tile]
    entrants = [unit for unit in units if unit.hex != tile]
    attackers = [unit for unit in entrants if choices[unit.id] is Choice.ATTACK]
    entered: list[Unit] = []
    if holders:
        owner = holders[0].owner
        hostile = [unit for unit in attackers if unit.owner != owner]
        if not hostile:
            entered = attackers
        else:
            for unit in holders:
                if choices[unit.id] is Choice.YIELD:
                    _give_way(turn, tick, unit, tile, hostile[0].hex, taken)
            holders_left = [unit for unit in holders if unit.hex == tile]
            if holders_left:
                _stop(turn, units)
                _fight_for(turn, tick, attackers, holders_left)
                return
    if not entered and attackers:
        if len({unit.owner for unit in attackers}) == 1:
            entered = attackers
        else:
            _stop(turn, units)
            _open(turn, tick, tile, attackers)
            return
    for unit in entered:
        unit.hex = unit.route.pop(0)
        turn.tell("moved", tick=tick, unit=unit.id, to=list(unit.hex))
    _stop(turn, [unit for unit in units if unit not in entered])


def _stop(turn: Turn, units: list[Unit]) -> None:
    for unit in units:
        turn.stop(unit)


def _give_way(turn: Turn, tick: int, unit: Unit, tile: Hex, attacker: Hex, taken: set[Hex]) -> None:
    """Moves a holder to the free neighbour farthest from the attacker, if there is one."""
    free = [
        hex
        for hex in turn.grid.neighbours(tile)
        if turn.rules.navigable(turn.grid, hex, unit.kind)
        and not turn.units_at(hex)
        and hex not in turn.state.contests
        and hex not in taken
        and not turn.closed_to(unit.owner, hex)
    ]
    if not free:
        return
    # The first of the farthest in the order of directions.
    unit.hex = max(free, key=lambda hex: turn.grid.distance(hex, attacker))
    turn.tell("gave_way", tick=tick, unit=unit.id, to=list(unit.hex))
    turn.leave_contests(unit.id)


def _fight_for(turn: Turn, tick: int, attackers: list[Unit], holders: list[Unit]) -> None:
    """A round of attackers with each other and with holders who stand; entrants attack holders (R8.2)."""
    pairs = [pair(a.id, b.id) for a, b in combinations(attackers, 2) if a.owner != b.owner]
    pairs += [
        pair(entrant.id, holder.id, entrant.id)
        for entrant in attackers
        for holder in holders
        if entrant.owner != holder.owner
    ]
    fight(turn, tick, pairs)


def _open(turn: Turn, tick: int, tile: Hex, attackers: list[Unit]) -> None:
    """The tile becomes contested by all attackers, and the first round is fought at once (R9.1)."""
    contest = Contest(tile, turn.state.turn, 1, [unit.id for unit in attackers])
    turn.state.contests[tile] = contest
    q, r = tile
    turn.tell("contest_opened", tick=tick, q=q, r=r, contenders=list(contest.contenders))
    clash(turn, tick, contest)
