"""The board of the naval game, kept right by applying changes: a view and its changes are the next view.

No rule of the game is in here: a change says itself which part of the board is what from now on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from .common import v1 as common
from .plunder import v1 as plunder


def apply(view: plunder.View, changes: Iterable[plunder.Change]) -> plunder.View:
    """The view as it is after these changes, in order; the one that is given stays as it is.

    The changes of an outcome are applied to the view of its turn, first the shared ones and then the viewer's own.
    Those of a prompt show the board at the moment of its questions; the outcome begins again from the view of the turn.
    """
    board = _Board(view)
    for change in changes:
        board.apply(change)
    return board.view()


class _Things:
    """A list of a view while it changes, by what its things are known by."""

    def __init__(self, things: Any, key: Callable[[Any], Any]) -> None:
        self._things = things
        self._by_key = {key(thing): thing for thing in things}
        self._is_stale = False

    def get(self, key: Any, make: Callable[[], Any]) -> Any:
        """A thing of the list; a new one where it is not there."""
        if key not in self._by_key:
            self._by_key[key] = make()
            self._is_stale = True
        return self._by_key[key]

    def drop(self, key: Any) -> None:
        """Takes a thing off, if it is there."""
        self._is_stale |= self._by_key.pop(key, None) is not None

    def settle(self) -> None:
        """Writes the list again, in order, where things came or went."""
        if self._is_stale:
            del self._things[:]
            self._things.extend(self._by_key[key] for key in sorted(self._by_key))


class _Board:
    """A view that is being changed."""

    def __init__(self, view: plunder.View) -> None:
        self._view = plunder.View()
        self._view.CopyFrom(view)
        self._players = _Things(self._view.players, _id)
        self._units = _Things(self._view.units, _id)
        self._structures = _Things(self._view.structures, _id)
        self._contests = _Things(self._view.contests, lambda contest: _place(contest.hex))

    def view(self) -> plunder.View:
        """The view, whose lists are in the order that views have."""
        for things in (self._players, self._units, self._structures, self._contests):
            things.settle()
        return self._view

    def apply(self, change: plunder.Change) -> None:
        match change.WhichOneof("what"):
            case "unit":
                self._unit(change.unit)
            case "unit_gone":
                self._units.drop(change.unit_gone)
            case "structure":
                self._structure(change.structure)
            case "structure_gone":
                self._structures.drop(change.structure_gone)
            case "contest":
                self._contest(change.contest)
            case "contest_gone":
                self._contests.drop(_place(change.contest_gone))
            case "player":
                self._player(change.player)
            case "sight":
                self._sight(change.sight)
            case "turn":
                self._view.turn = change.turn
            case "result":
                self._view.result.CopyFrom(change.result)

    def _player(self, patch: plunder.PlayerPatch) -> None:
        player = self._players.get(patch.id, lambda: plunder.Player(id=patch.id))
        _take(player, patch, "alive", "gold")

    def _unit(self, patch: plunder.UnitPatch) -> None:
        unit = self._units.get(patch.id, lambda: plunder.Unit(id=patch.id))
        _take(unit, patch, "class", "owner", "hp", "sails", "cannons", "hull", "engagement")
        if patch.HasField("hex"):
            unit.hex.CopyFrom(patch.hex)
        if patch.HasField("route"):
            unit.ClearField("route")
            unit.route.extend(patch.route.path)

    def _structure(self, patch: plunder.StructurePatch) -> None:
        structure = self._structures.get(patch.id, lambda: plunder.Structure(id=patch.id))
        _take(structure, patch, "hp")
        if patch.HasField("hex"):
            structure.hex.CopyFrom(patch.hex)
        if patch.HasField("owner"):
            structure.ClearField("owner")
            if patch.owner.HasField("player"):
                structure.owner = patch.owner.player
        if patch.HasField("queue"):
            structure.ClearField("queue")
            structure.queue.extend(patch.queue.jobs)
            structure.queue_known = patch.queue.known

    def _contest(self, patch: plunder.ContestPatch) -> None:
        contest = self._contests.get(_place(patch.hex), lambda: plunder.Contest(hex=patch.hex))
        _take(contest, patch, "since", "rounds")
        if patch.HasField("contenders"):
            contest.ClearField("contenders")
            contest.contenders.extend(patch.contenders.units)

    def _sight(self, patch: plunder.SightPatch) -> None:
        view = self._view
        tiles = len(view.terrain)
        terrain = bytearray(view.terrain)
        # No bits at all mean that every tile is seen.
        seen = bytearray(view.visible) if view.visible else _every_bit(tiles)
        for gained in patch.gained:
            tile = self._tile(gained.hex)
            if tile is not None:
                terrain[tile] = gained.terrain
                seen[tile // 8] |= 1 << tile % 8
        for hex in patch.lost:
            tile = self._tile(hex)
            if tile is not None:
                seen[tile // 8] &= ~(1 << tile % 8)
        view.terrain = bytes(terrain)
        view.visible = b"" if seen == _every_bit(tiles) else bytes(seen)

    def _tile(self, hex: common.Hex) -> int | None:
        """The number of a tile among those of the map; none for a hex that is not on it."""
        column = hex.q + (hex.r >> 1)
        on_map = 0 <= column < self._view.width and 0 <= hex.r < self._view.height
        return hex.r * self._view.width + column if on_map else None


def _take(thing: Any, patch: Any, *names: str) -> None:
    """Gives a thing the fields of a patch that are set."""
    for name in names:
        if patch.HasField(name):
            setattr(thing, name, getattr(patch, name))


def _id(thing: Any) -> int:
    return int(thing.id)


def _place(hex: common.Hex) -> tuple[int, int]:
    return hex.q, hex.r


def _every_bit(tiles: int) -> bytearray:
    """A bit for each tile, all of them set, and 0 beyond the last."""
    return bytearray(((1 << tiles) - 1).to_bytes((tiles + 7) // 8, "little"))
