"""Hexes and the map they form (R3)."""

from collections.abc import Sequence
from dataclasses import dataclass, field

Hex = tuple[int, int]
"""Axial coordinates, (q, r). Hexes are ordered by q and then by r, as everywhere in the rules."""

DIRECTIONS: tuple[Hex, ...] = ((1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1))
"""E, NE, NW, W, SW, SE: the order that breaks ties (R3.1)."""

MAX_TILES = 1_048_576


def column(q: int, r: int) -> int:
    """The column of a hex in its row."""
    return q + (r - (r & 1)) // 2


@dataclass
class Grid:
    """A rectangle of tiles in odd-r rows, with the terrain of each (R3.1, R3.2)."""

    width: int
    height: int
    wrap: bool
    terrain: bytes
    """The row of each tile in the rules' table of terrains, row by row."""
    _around: dict[Hex, tuple[Hex | None, ...]] = field(default_factory=dict, repr=False)

    def has(self, at: Hex) -> bool:
        """Whether a hex is on the map, with its column in 0..width even where the map wraps."""
        q, r = at
        return 0 <= r < self.height and 0 <= column(q, r) < self.width

    def tile(self, at: Hex) -> int:
        """The number of a tile: row times width plus column."""
        q, r = at
        return r * self.width + column(q, r)

    def hex(self, tile: int) -> Hex:
        """The hex of a tile."""
        r, c = divmod(tile, self.width)
        return c - (r - (r & 1)) // 2, r

    def terrain_at(self, at: Hex) -> int:
        """The row of a tile in the table of terrains."""
        return self.terrain[self.tile(at)]

    def around(self, at: Hex) -> tuple[Hex | None, ...]:
        """The neighbours in the order of directions; none where the map ends."""
        found = self._around.get(at)
        if found is None:
            found = tuple(self._step(at, direction)[0] for direction in range(6))
            self._around[at] = found
        return found

    def neighbours(self, at: Hex) -> list[Hex]:
        """The neighbours that are on the map, in the order of directions."""
        return [hex for hex in self.around(at) if hex is not None]

    def adjacent(self, a: Hex, b: Hex) -> bool:
        """Whether one step leads from a to b."""
        return b in self.around(a)

    def _step(self, at: Hex, direction: int) -> tuple[Hex | None, bool]:
        """Where a step leads, and whether it crosses the seam of a map that wraps."""
        dq, dr = DIRECTIONS[direction]
        q, r = at[0] + dq, at[1] + dr
        if not 0 <= r < self.height:
            return None, False
        c = column(q, r)
        if 0 <= c < self.width:
            return (q, r), False
        if not self.wrap:
            return None, False
        return (q - c + c % self.width, r), True

    def direction(self, start: Hex, end: Hex) -> int:
        """The direction of a step: one that does not cross the seam if there is one, else the first (R3.1)."""
        over_the_seam = None
        for direction in range(6):
            reached, crosses = self._step(start, direction)
            if reached == end:
                if not crosses:
                    return direction
                if over_the_seam is None:
                    over_the_seam = direction
        if over_the_seam is None:
            raise ValueError(f"no step leads from {start} to {end}")
        return over_the_seam

    def walk(self, start: Hex, directions: Sequence[int]) -> list[Hex] | None:
        """The hexes that directions lead to; nothing if they lead off the map."""
        path = []
        at: Hex | None = start
        for direction in directions:
            at = self.around(at)[direction] if at is not None else None
            if at is None:
                return None
            path.append(at)
        return path

    def distance(self, a: Hex, b: Hex) -> int:
        """Steps over any terrain, the short way round where the map wraps (R3.1)."""
        shifts = (-self.width, 0, self.width) if self.wrap else (0,)
        return min(_steps(a[0] - b[0] + shift, a[1] - b[1]) for shift in shifts)


def _steps(dq: int, dr: int) -> int:
    return max(abs(dq), abs(dr), abs(dq + dr))
