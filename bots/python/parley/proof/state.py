"""What stands between two turns, and nothing else: exactly what the canonical encoding holds (R13.3)."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum

from .hexes import Hex

ID_BOUND = 1 << 28
MAX_PLAYER_ID = 249
MAX_GOLD = 10**12
MAX_PATH = 64


class Engagement(IntEnum):
    """How a ship answers encounters (R7.6), as the encoding numbers it."""

    ASK = 0
    EVADE = 1
    FIGHT = 2
    FIGHT_IF_HEALTHY = 3


@dataclass
class Player:
    """A player, living or not."""

    id: int
    alive: bool
    gold: int


@dataclass
class Unit:
    """A ship (R1, R4)."""

    id: int
    hex: Hex
    owner: int
    kind: int
    """The row of its class in the rules."""
    hp: int
    sails: int = 0
    cannons: int = 0
    hull: int = 0
    engagement: Engagement = Engagement.ASK
    route: list[Hex] = field(default_factory=list)


@dataclass
class Build:
    """A place in a queue (R11.2)."""

    kind: int
    turns_left: int


@dataclass
class Structure:
    """A shipyard; without an owner it is neutral (R12.1)."""

    id: int
    hex: Hex
    owner: int | None
    hp: int
    queue: list[Build] = field(default_factory=list)


@dataclass
class Contest:
    """A contested tile (R9.1)."""

    hex: Hex
    since: int
    rounds: int
    contenders: list[int]
    """By id."""


@dataclass(frozen=True)
class Winner:
    """One player has won (R12.2)."""

    player: int


@dataclass(frozen=True)
class Draw:
    """Nobody is ahead of these (R12.2)."""

    players: tuple[int, ...]


Result = Winner | Draw | None


@dataclass
class State:
    """Everything that a turn begins with and leaves behind."""

    turn: int
    """The turn that is planned next."""
    players: dict[int, Player]
    units: dict[int, Unit]
    structures: dict[int, Structure]
    contests: dict[Hex, Contest]
    next_unit: int
    next_structure: int
    result: Result = None

    def living(self) -> list[Player]:
        """The players who are not eliminated, by id."""
        return [player for _, player in sorted(self.players.items()) if player.alive]

    def ships_of(self, player: int) -> list[Unit]:
        """A player's ships, by id."""
        return [unit for _, unit in sorted(self.units.items()) if unit.owner == player]

    def structures_of(self, player: int) -> list[Structure]:
        """A player's structures, by id."""
        return [structure for _, structure in sorted(self.structures.items()) if structure.owner == player]

    def contests_in_order(self) -> Iterator[Contest]:
        """Contests by q and then by r."""
        return (contest for _, contest in sorted(self.contests.items()))

    def structure_at(self, at: Hex) -> Structure | None:
        """What stands on a tile."""
        return next((structure for structure in self.structures.values() if structure.hex == at), None)

    def fleet_size(self, player: int) -> int:
        """Ships, queued ones included (R11.2)."""
        queued = sum(len(structure.queue) for structure in self.structures_of(player))
        return len(self.ships_of(player)) + queued
