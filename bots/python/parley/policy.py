"""What a player does: a policy sees what a player may see, and answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from . import v1


@dataclass(frozen=True)
class Asked:
    """A ship that met others, and whose owner is asked."""

    unit: int
    """The ship."""
    encounter: v1.Encounter
    """What it is in."""
    events: Sequence[v1.Event]
    """What has happened in the turn so far."""

    def evasion(self) -> v1.Choice:
        """The peaceful answer: proceed in a passing, yield on entry."""
        passing = self.encounter.kind == v1.ENCOUNTER_KIND_PASSING
        return v1.CHOICE_PROCEED if passing else v1.CHOICE_YIELD


class Policy(ABC):
    """A way to play one seat of one match. The view is always of the state that the turn is planned in."""

    @abstractmethod
    def orders(self, view: v1.View) -> v1.OrderSheet:
        """The orders for the turn that the view is of."""

    @abstractmethod
    def decide(self, view: v1.View, asked: Asked) -> v1.Choice:
        """The answer of one own ship in an encounter. The others of the same window are asked for one by one."""
