"""The canonical encoding of a state, both ways (R13.3)."""

import struct

from .hexes import Grid
from .state import Build, Contest, Draw, Engagement, Player, Result, State, Structure, Unit, Winner

VERSION = 1
NEUTRAL = 255


class EncodingFault(Exception):
    """Bytes that are not the encoding of a state, in one sentence."""


def encode_map(grid: Grid) -> bytes:
    """The map as the first digest has it."""
    return struct.pack("<IIB", grid.width, grid.height, grid.wrap) + grid.terrain


def encode(state: State, grid: Grid) -> bytes:
    """The one sequence of bytes that stands for a state."""
    out = bytearray(struct.pack("<BI", VERSION, state.turn))
    match state.result:
        case None:
            out += b"\0"
        case Winner(winner):
            out += struct.pack("<BB", 1, winner)
        case Draw(level):
            out += struct.pack("<BI", 2, len(level)) + bytes(level)
    out += struct.pack("<II", state.next_unit, state.next_structure)
    out += struct.pack("<I", len(state.players))
    for _, player in sorted(state.players.items()):
        out += struct.pack("<BBq", player.id, player.alive, player.gold)
    out += struct.pack("<I", len(state.units))
    for _, unit in sorted(state.units.items()):
        out += _unit(unit, grid)
    out += struct.pack("<I", len(state.structures))
    for _, structure in sorted(state.structures.items()):
        owner = NEUTRAL if structure.owner is None else structure.owner
        out += struct.pack("<IIBH", structure.id, grid.tile(structure.hex), owner, structure.hp)
        out += bytes([len(structure.queue)])
        for build in structure.queue:
            out += bytes([build.kind, build.turns_left])
    out += struct.pack("<I", len(state.contests))
    for contest in state.contests_in_order():
        out += struct.pack("<III", grid.tile(contest.hex), contest.since, contest.rounds)
        out += struct.pack("<I", len(contest.contenders))
        for contender in sorted(contest.contenders):
            out += struct.pack("<I", contender)
    return bytes(out)


def _unit(unit: Unit, grid: Grid) -> bytes:
    fixed = struct.pack(
        "<IIBBHBBBB",
        unit.id,
        grid.tile(unit.hex),
        unit.owner,
        unit.kind,
        unit.hp,
        unit.sails,
        unit.cannons,
        unit.hull,
        unit.engagement,
    )
    before = [unit.hex, *unit.route]
    steps = [grid.direction(start, end) for start, end in zip(before, unit.route, strict=False)]
    return fixed + bytes([len(steps), *steps])


class _Reader:
    """Bytes that are taken from the front."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def take(self, form: str) -> tuple[int, ...]:
        try:
            values = struct.unpack_from("<" + form, self.data, self.at)
        except struct.error:
            raise EncodingFault("it ends too early") from None
        self.at += struct.calcsize("<" + form)
        return values

    def one(self, form: str) -> int:
        return self.take(form)[0]

    def count(self) -> int:
        """How many items follow. Each has a byte at least, so that nobody waits for a list that is not there."""
        count = self.one("I")
        if count > len(self.data) - self.at:
            raise EncodingFault("a list is longer than the rest of it")
        return count


def decode(data: bytes, grid: Grid) -> State:
    """Reads a state back. It need not be sound, but it is the only one with these bytes."""
    reader = _Reader(data)
    version, turn = reader.take("BI")
    if version != VERSION:
        raise EncodingFault(f"its version is {version} and not {VERSION}")
    result = _result(reader)
    next_unit, next_structure = reader.take("II")
    players = {}
    for _ in range(reader.count()):
        id, alive, gold = reader.take("BBq")
        players[id] = Player(id, bool(alive), gold)
    units = {}
    for _ in range(reader.count()):
        unit = _read_unit(reader, grid)
        units[unit.id] = unit
    structures = {}
    for _ in range(reader.count()):
        id, tile, owner, hp = reader.take("IIBH")
        queue = [Build(*reader.take("BB")) for _ in range(reader.one("B"))]
        held_by = None if owner == NEUTRAL else owner
        structures[id] = Structure(id, grid.hex(tile), held_by, hp, queue)
    contests = {}
    for _ in range(reader.count()):
        tile, since, rounds = reader.take("III")
        contest = Contest(grid.hex(tile), since, rounds, [reader.one("I") for _ in range(reader.count())])
        contests[contest.hex] = contest
    if reader.at != len(data):
        raise EncodingFault("something follows after its end")
    state = State(turn, players, units, structures, contests, next_unit, next_structure, result)
    if encode(state, grid) != data:
        raise EncodingFault("it is not in canonical order")
    return state


def _result(reader: _Reader) -> Result:
    match reader.one("B"):
        case 0:
            return None
        case 1:
            return Winner(reader.one("B"))
        case 2:
            return Draw(tuple(reader.one("B") for _ in range(reader.count())))
        case other:
            raise EncodingFault(f"a result of the kind {other} is not known")


def _read_unit(reader: _Reader, grid: Grid) -> Unit:
    id, tile, owner, kind, hp, sails, cannons, hull, engagement, steps = reader.take("IIBBHBBBBB")
    directions = [reader.one("B") for _ in range(steps)]
    if engagement not in Engagement.__members__.values():
        raise EncodingFault(f"unit {id} has an engagement that is not known")
    at = grid.hex(tile)
    route = grid.walk(at, directions) if grid.has(at) and all(step < 6 for step in directions) else None
    if route is None:
        if directions:
            raise EncodingFault(f"unit {id} has a route off the map")
        route = []
    return Unit(id, at, owner, kind, hp, sails, cannons, hull, Engagement(engagement), route)
