"""The ticks of a turn: who moves, who waits, who meets (R6)."""

from collections import defaultdict

from .encounters import settle
from .hexes import Hex
from .state import Unit
from .turn import Meeting, Turn

PASSING = "PASSING"
ENTRY = "ENTRY"


def movement(turn: Turn) -> None:
    """All ticks, as many as the fastest ship has tiles."""
    speeds = {unit.id: turn.rules.speed(unit) for unit in turn.state.units.values()}
    for tick in range(1, max(speeds.values(), default=0) + 1):
        wishes = {
            unit.id: unit.route[0]
            for _, unit in sorted(turn.state.units.items())
            if unit.route and tick <= speeds[unit.id] and unit.id not in turn.halted
        }
        if wishes:
            _Tick(turn, tick, wishes).play()


class _Tick:
    """One tick, decided on the positions at its start."""

    def __init__(self, turn: Turn, tick: int, wishes: dict[int, Hex]) -> None:
        self.turn = turn
        self.tick = tick
        self.wishes = wishes
        """Every intent, also those that are blocked."""
        self.units = turn.state.units
        self.standing: dict[Hex, list[Unit]] = defaultdict(list)
        for _, unit in sorted(self.units.items()):
            self.standing[unit.hex].append(unit)
        self.stuck: set[int] = set()
        """Ships that wanted to leave and do not move in this tick."""
        self.closed: set[Hex] = set()

    def play(self) -> None:
        blocked = self.blocked()
        passings = self.passings()
        collisions = self.collisions()
        waiting = self.waiting()
        moving = [id for id in self.wishes if id not in self.stuck]
        for id in blocked:
            self.turn.tell("blocked", tick=self.tick, unit=id)
            self.turn.stop(self.units[id])
        for id in moving:
            unit = self.units[id]
            unit.hex = unit.route.pop(0)
            self.turn.tell("moved", tick=self.tick, unit=id, to=list(unit.hex))
        entries, held_back = self.entries(collisions)
        for id in sorted(waiting + held_back):
            self.turn.tell("waited", tick=self.tick, unit=id)
        settle(self.turn, self.tick, passings + entries)

    def blocked(self) -> list[int]:
        """Intents into contested tiles and closed harbors fail before all the rest (R6.2)."""
        found = [
            id
            for id, to in self.wishes.items()
            if to in self.turn.state.contests or self.turn.closed_to(self.units[id].owner, to)
        ]
        self.stuck.update(found)
        return found

    def passings(self) -> list[Meeting]:
        """Edges that enemies cross both ways (R6.3)."""
        crossing: dict[tuple[Hex, Hex], list[Unit]] = defaultdict(list)
        for id, to in self.wishes.items():
            if id not in self.stuck:
                unit = self.units[id]
                crossing[min(unit.hex, to), max(unit.hex, to)].append(unit)
        found = []
        for edge, units in sorted(crossing.items()):
            ways = {(unit.hex, unit.owner) for unit in units}
            if any(a != b and one != other for a, one in ways for b, other in ways):
                found.append(Meeting(PASSING, edge, [unit.id for unit in units]))
                self.stuck.update(unit.id for unit in units)
                self.closed.update(edge)
        return found

    def collisions(self) -> dict[Hex, list[int]]:
        """Entrants that enemies stop, by the tile that they want (R6.4)."""
        entrants: dict[Hex, list[int]] = defaultdict(list)
        for id, to in self.wishes.items():
            if id not in self.stuck:
                entrants[to].append(id)
        found = {}
        for to, ids in entrants.items():
            owners = {self.units[id].owner for id in ids}
            at_rest = {unit.owner for unit in self.standing[to] if unit.id not in self.wishes}
            stopped = [id for id in ids if len(owners) > 1 or at_rest - {self.units[id].owner}]
            if stopped:
                found[to] = stopped
        for ids in found.values():
            self.stuck.update(ids)
        return found

    def waiting(self) -> list[int]:
        """Whoever must wait, until nobody is added any more (R6.5)."""
        found: list[int] = []
        grows = True
        while grows:
            grows = False
            for id, to in self.wishes.items():
                if id not in self.stuck and (to in self.closed or self.is_held_up(self.units[id], to)):
                    found.append(id)
                    self.stuck.add(id)
                    grows = True
        return found

    def is_held_up(self, unit: Unit, to: Hex) -> bool:
        return any(other.owner != unit.owner and other.id in self.stuck for other in self.standing[to])

    def entries(self, collisions: dict[Hex, list[int]]) -> tuple[list[Meeting], list[int]]:
        """Entry encounters, and the entrants that wait instead (R6.7). Free moves have happened."""
        meetings = []
        held_back = []
        for tile, entrants in collisions.items():
            standing = self.turn.units_at(tile)
            if tile in self.closed or any(unit.id in self.stuck for unit in standing):
                held_back += entrants
            else:
                units = sorted(entrants + [unit.id for unit in standing])
                meetings.append(Meeting(ENTRY, (tile,), units))
        return meetings, held_back
