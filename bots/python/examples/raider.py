"""A small bot: python raider.py --match MATCH."""

import sys
from collections.abc import Iterable
from typing import Any

from parley import v1
from parley.bot import main
from parley.common.v1 import Hex
from parley.plunder.v1 import Move, Sheet, View
from parley.policy import Policy, answer
from parley.sea import Sea


class Raider(Policy):
    def __init__(self, rules: dict[str, Any]) -> None:
        self.rules = rules

    def orders(self, view: View) -> Sheet:
        """Builds ships, and sails at whoever is nearest."""
        sea, sheet = Sea(view, self.rules), Sheet()
        for yard in view.structures:
            if yard.HasField("owner") and yard.owner == view.seat and not yard.queue:
                sheet.structures.add(structure=yard.id, build="ship")
        prey = [(unit.hex.q, unit.hex.r) for unit in view.units if unit.owner != view.seat]
        for ship in (unit for unit in view.units if unit.owner == view.seat and prey):
            path = [(ship.hex.q, ship.hex.r)]
            while len(path) <= 3 and (ways := [hex for hex in sea.ways(path[-1], ship) if hex not in path]):
                path.append(min(ways, key=lambda hex: min(sea.grid.distance(hex, enemy) for enemy in prey)))
            if len(path) > 1:
                steps = [Hex(q=q, r=r) for q, r in path[1:]]
                sheet.units.add(unit=ship.id, move=Move(path=steps), broadside=True)
        return sheet

    def answers(self, view: View, prompt: v1.Prompt) -> Iterable[v1.Answer]:
        """Fights while it is healthy; what is left out gets its default, which is to evade."""
        healthy = {unit.id for unit in view.units if unit.hp >= 5}
        for question in prompt.questions:
            if question.kind == "encounter" and question.about.unit in healthy:
                yield answer(question, "attack")


if __name__ == "__main__":
    sys.exit(main(Raider))
