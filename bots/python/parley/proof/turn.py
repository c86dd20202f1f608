"""The working copy of a turn that all stages share."""

import copy
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .hexes import Grid, Hex
from .legality import LegalSheet
from .orders import Choice, StructureOrder, UnitOrder
from .rules import Rules
from .state import MAX_GOLD, State, Structure, Unit

Event = dict[str, Any]
"""Something that happened, in the words of `data/SCENARIO.md`."""


@dataclass
class Meeting:
    """An encounter as those who decide see it (R7.1)."""

    kind: str
    """`PASSING` or `ENTRY`."""
    tiles: tuple[Hex, ...]
    """The tile, or both tiles of the edge with the lesser first."""
    units: list[int]
    """By id."""


@dataclass(frozen=True)
class Question:
    """What the owner of a ship in an encounter is asked (R7.2)."""

    seat: int
    number: int
    """Among the questions of the seat in the turn, counted from 1 through all its windows."""
    tick: int
    unit: int
    options: tuple[Choice, ...]
    """The first is the default."""

    def __str__(self) -> str:
        return f"seat {self.seat}, question {self.number} about unit {self.unit}"


Ask = Callable[[list[Question]], dict[int, Choice]]
"""Asks all questions of a window, in the order in which the game asks them, and returns the choice of each ship.

A ship that is missing is defaulted.
"""


@dataclass
class Turn:
    """A turn while it is resolved."""

    rules: Rules
    grid: Grid
    state: State
    seed: bytes
    sheets: dict[int, LegalSheet]
    ask: Ask
    events: list[Event] = field(default_factory=list)
    halted: set[int] = field(default_factory=set)
    """Ships that have no intent for the rest of the turn."""
    fought: set[int] = field(default_factory=set)
    """Ships that were in an exchange (R10)."""
    exchanges: int = 0
    questions: Counter[int] = field(default_factory=Counter)
    """How many questions each seat has been asked in the turn."""

    @classmethod
    def begin(
        cls, rules: Rules, grid: Grid, state: State, seed: bytes, sheets: dict[int, LegalSheet], ask: Ask
    ) -> "Turn":
        """Begins on a copy of the state."""
        return cls(rules, grid, copy.deepcopy(state), seed, sheets, ask)

    def tell(self, type: str, **fields: Any) -> None:
        """Writes down what happened."""
        self.events.append({"type": type, **fields})

    def question(self, tick: int, unit: Unit, options: tuple[Choice, ...]) -> Question:
        """The next question to the owner of a ship."""
        self.questions[unit.owner] += 1
        return Question(unit.owner, self.questions[unit.owner], tick, unit.id, options)

    def unit_order(self, unit: Unit) -> UnitOrder | None:
        """The order of a ship, if it has one."""
        sheet = self.sheets.get(unit.owner)
        return sheet.units.get(unit.id) if sheet else None

    def structure_order(self, structure: Structure) -> StructureOrder | None:
        """The order of a structure, if it has one."""
        if structure.owner is None:
            return None
        sheet = self.sheets.get(structure.owner)
        return sheet.structures.get(structure.id) if sheet else None

    def units_at(self, at: Hex) -> list[Unit]:
        """The ships on a tile, by id."""
        return [unit for _, unit in sorted(self.state.units.items()) if unit.hex == at]

    def closed_to(self, owner: int, at: Hex) -> bool:
        """Whether a structure of another owner closes a tile (R3.3)."""
        structure = self.state.structure_at(at)
        return structure is not None and structure.owner != owner

    def pay(self, player: int, change: int, reason: str) -> None:
        """Changes gold and says so; a change of nothing is none (R11.6)."""
        account = self.state.players[player]
        balance = min(account.gold + change, MAX_GOLD)
        change = balance - account.gold
        account.gold = balance
        if change:
            self.tell("gold", player=player, change=change, reason=reason, balance=balance)

    def remove(self, unit: int) -> None:
        """Takes a ship out of play; it leaves its contest at once (R9.5)."""
        del self.state.units[unit]
        self.leave_contests(unit)

    def leave_contests(self, unit: int) -> None:
        """Takes a ship off the list of contenders (R9.5)."""
        for contest in self.state.contests.values():
            if unit in contest.contenders:
                contest.contenders.remove(unit)

    def stop(self, unit: Unit) -> None:
        """Halts a ship, which loses its path (R6.2, R7.5)."""
        self.halted.add(unit.id)
        unit.route = []
