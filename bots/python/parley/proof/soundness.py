"""What every state must be, whoever wrote it down (R1 to R4, R9.1, R11.2)."""

from collections.abc import Iterator

from .hexes import Grid, Hex
from .legality import Fault, broken_step
from .rules import UPGRADES, Rules
from .state import ID_BOUND, MAX_GOLD, MAX_PATH, MAX_PLAYER_ID, Contest, State, Structure, Unit

MAX_TURN = (1 << 32) - 2
FIRST_TURN = 1


def faults(rules: Rules, grid: Grid, state: State) -> list[Fault]:
    """Everything that contradicts a rule."""
    return [
        *_of_players(state),
        *(fault for unit in state.units.values() for fault in _of_a_unit(rules, grid, state, unit)),
        *(fault for each in state.structures.values() for fault in _of_a_structure(rules, grid, state, each)),
        *_of_tiles(state),
        *(fault for contest in state.contests.values() for fault in _of_a_contest(rules, grid, state, contest)),
        *_of_contenders(state),
        *_of_series(state),
    ]


def _of_players(state: State) -> Iterator[Fault]:
    for player in state.players.values():
        about = f"player {player.id}"
        if not 0 <= player.id <= MAX_PLAYER_ID:
            yield Fault(about, "there is no such id", "R1")
        if not 0 <= player.gold <= MAX_GOLD:
            yield Fault(about, f"gold is {player.gold}", "R11.6")


def _is_living(state: State, player: int) -> bool:
    return player in state.players and state.players[player].alive


def _of_a_unit(rules: Rules, grid: Grid, state: State, unit: Unit) -> Iterator[Fault]:
    about = f"unit {unit.id}"
    if not 0 <= unit.id < ID_BOUND:
        yield Fault(about, "the id is too large", "R1")
    if not _is_living(state, unit.owner):
        yield Fault(about, "its owner is no living player", "R1")
    if unit.kind >= len(rules.classes):
        yield Fault(about, "there is no such class", "R4")
        return
    for piece in UPGRADES:
        if not 0 <= getattr(unit, piece) <= rules.upgrades[piece].max:
            yield Fault(about, f"it is fitted with too many {piece}", "R4")
    if not 1 <= unit.hp <= rules.max_hp(unit):
        yield Fault(about, f"hp is {unit.hp}", "R4")
    if not grid.has(unit.hex):
        yield Fault(about, f"{unit.hex} is not on the map", "R3.1")
    elif not rules.navigable(grid, unit.hex, unit.kind):
        yield Fault(about, f"it may not be at {unit.hex}", "R3.2")
    elif len(unit.route) > MAX_PATH:
        yield Fault(about, "its route is too long", "R5.5")
    elif wrong := broken_step(rules, grid, unit, unit.route):
        yield Fault(about, f"on its route, {wrong}", "R5.5")


def _of_a_structure(rules: Rules, grid: Grid, state: State, each: Structure) -> Iterator[Fault]:
    about = f"structure {each.id}"
    if not 0 <= each.id < ID_BOUND:
        yield Fault(about, "the id is too large", "R1")
    if each.owner is not None and not _is_living(state, each.owner):
        yield Fault(about, "its owner is no living player", "R1")
    if not 1 <= each.hp <= rules.shipyard_hp:
        yield Fault(about, f"hp is {each.hp}", "R11.2")
    if len(each.queue) > rules.queue:
        yield Fault(about, "its queue is too long", "R11.2")
    for build in each.queue:
        if build.kind >= len(rules.classes) or build.turns_left > rules.classes[build.kind].build_turns:
            yield Fault(about, "its queue has a build that cannot be", "R11.2")
    if not grid.has(each.hex):
        yield Fault(about, f"{each.hex} is not on the map", "R3.1")
    elif not rules.is_harbor(grid, each.hex):
        yield Fault(about, f"{each.hex} is no harbor", "R3.2")


def _of_tiles(state: State) -> Iterator[Fault]:
    first: dict[Hex, Unit] = {}
    for _, unit in sorted(state.units.items()):
        other = first.setdefault(unit.hex, unit)
        if other.owner != unit.owner:
            yield Fault(f"unit {unit.id}", f"its enemy {other.id} is on the same tile", "R2.1")
    taken: dict[Hex, int] = {}
    for _, structure in sorted(state.structures.items()):
        if taken.setdefault(structure.hex, structure.id) != structure.id:
            yield Fault(f"structure {structure.id}", "another stands on the same tile", "R3.2")


def _of_a_contest(rules: Rules, grid: Grid, state: State, contest: Contest) -> Iterator[Fault]:
    about = f"contest at {contest.hex}"
    if not grid.has(contest.hex):
        yield Fault(about, "it is not on the map", "R3.1")
        return
    if all(not rules.navigable(grid, contest.hex, kind) for kind in range(len(rules.classes))):
        yield Fault(about, "no ship may be there", "R3.2")
    if any(unit.hex == contest.hex for unit in state.units.values()) or state.structure_at(contest.hex):
        yield Fault(about, "the tile is not empty", "R9.1")
    if contest.since > state.turn:
        yield Fault(about, "it has not begun yet", "R9.1")
    for id in contest.contenders:
        unit = state.units.get(id)
        if unit is None or not grid.has(unit.hex) or not grid.adjacent(unit.hex, contest.hex):
            yield Fault(about, f"contender {id} is not beside it", "R9.1")


def _of_contenders(state: State) -> Iterator[Fault]:
    seen: set[int] = set()
    for contest in state.contests_in_order():
        for id in contest.contenders:
            if id in seen:
                yield Fault(f"unit {id}", "it is a contender twice", "R9.1")
            seen.add(id)


def _of_series(state: State) -> Iterator[Fault]:
    if state.turn > MAX_TURN:
        yield Fault("the state", "its turn has no next one", "R13.3")
    for kind, ids, following in (
        ("unit", state.units, state.next_unit),
        ("structure", state.structures, state.next_structure),
    ):
        if not max(ids, default=0) < following <= ID_BOUND:
            yield Fault(f"{kind} {following}", "it cannot be the next id", "R1")


def opening_faults(rules: Rules, state: State) -> Iterator[Fault]:
    """What a state is that a match does not begin with: everybody starts with the same, whole and bare (R11.1)."""
    if (state.turn, state.result, state.contests) != (FIRST_TURN, None, {}):
        yield Fault("the match", f"it does not begin with turn {FIRST_TURN} on a free sea", "R11.1")
    if state.next_unit != len(state.units) + 1 or state.next_structure != len(state.structures) + 1:
        yield Fault("the match", "its ids do not count from 1", "R1")
    start = (True, rules.start_gold, rules.start_ships, rules.start_shipyards)
    for player in state.players.values():
        ships, shipyards = len(state.ships_of(player.id)), len(state.structures_of(player.id))
        if (player.alive, player.gold, ships, shipyards) != start:
            yield Fault(f"player {player.id}", "it does not start with what everybody does", "R11.1")
    for unit in state.units.values():
        if unit != Unit(unit.id, unit.hex, unit.owner, 0, rules.classes[0].hull):
            yield Fault(f"unit {unit.id}", "it is not a new ship of the first class", "R11.1")
    for each in state.structures.values():
        if each.owner is None or each != Structure(each.id, each.hex, each.owner, rules.shipyard_hp):
            yield Fault(f"structure {each.id}", "it is not a new shipyard", "R11.1")
