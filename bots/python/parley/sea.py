"""The map as a view tells it, read with the rules of the match."""

from __future__ import annotations

from typing import Any

from .plunder import v1 as plunder
from .proof.hexes import Grid, Hex


class Sea:
    """What a viewer knows of the sea."""

    def __init__(self, view: plunder.View, rules: dict[str, Any]) -> None:
        """Reads a view."""
        self.grid = Grid(view.width, view.height, view.wrap, view.terrain)
        domains = {terrain["key"]: terrain["domains"] for terrain in rules["terrains"]}
        self._domains = [domains.get(key, []) for key in view.terrain_keys]
        self._of_class = {each["key"]: each["domain"] for each in rules["classes"]}
        own = view.seat if view.HasField("seat") else None
        foreign = [each.hex for each in view.structures if not each.HasField("owner") or each.owner != own]
        contested = [contest.hex for contest in view.contests]
        self._barred = {(hex.q, hex.r) for hex in [*foreign, *contested]}

    def is_navigable(self, at: Hex, unit: plunder.Unit) -> bool:
        """Whether a unit may be ordered over a tile: it is known, and the unit can be there."""
        row = self.grid.terrain_at(at)
        # A tile that was never seen has a row that no terrain has.
        return row < len(self._domains) and self._of_class.get(getattr(unit, "class")) in self._domains[row]

    def is_open(self, at: Hex, unit: plunder.Unit) -> bool:
        """Whether nothing that is known bars the way: navigable, no structure of somebody else, no contest."""
        return at not in self._barred and self.is_navigable(at, unit)

    def ways(self, at: Hex, unit: plunder.Unit) -> list[Hex]:
        """The open neighbours of a tile, in the order of directions."""
        return [hex for hex in self.grid.neighbours(at) if self.is_open(hex, unit)]
