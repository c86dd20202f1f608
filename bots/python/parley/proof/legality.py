"""Which orders stand (R5.5): each is judged by itself, on the state that the turn is planned in."""

from collections import Counter
from dataclasses import dataclass, field

from .hexes import Grid, Hex
from .orders import Deed, Sheet, StructureOrder, UnitOrder
from .rules import Rules
from .state import MAX_PATH, State, Unit


@dataclass(frozen=True)
class Fault:
    """An order that a rule refuses."""

    about: str
    """Whose order, such as `unit 3`."""
    reason: str
    rule: str

    def __str__(self) -> str:
        return f"{self.about}: {self.reason} ({self.rule})"


@dataclass
class LegalSheet:
    """The orders that stand, by whom they are for."""

    units: dict[int, UnitOrder] = field(default_factory=dict)
    structures: dict[int, StructureOrder] = field(default_factory=dict)
    concede: bool = False


def judge(rules: Rules, grid: Grid, state: State, player: int, sheet: Sheet) -> tuple[LegalSheet, list[Fault]]:
    """Sorts a sheet into what stands and what is wrong with the rest."""
    return _Judge(rules, grid, state, player, sheet).judge()


class _Judge:
    def __init__(self, rules: Rules, grid: Grid, state: State, player: int, sheet: Sheet) -> None:
        self.rules = rules
        self.grid = grid
        self.state = state
        self.player = player
        self.sheet = sheet

    def judge(self) -> tuple[LegalSheet, list[Fault]]:
        legal = LegalSheet()
        nobody = self.of_the_player()
        if nobody is not None:
            return legal, [nobody]
        faults: list[Fault] = []
        unit_orders = Counter(order.unit for order in self.sheet.units)
        for order in self.sheet.units:
            if unit_orders[order.unit] > 1:
                faults.append(Fault(f"unit {order.unit}", "it has two orders", "R5.3"))
            elif wrong := self.of_a_unit(order):
                faults.append(wrong)
            else:
                legal.units[order.unit] = order
        structure_orders = Counter(order.structure for order in self.sheet.structures)
        for work in self.sheet.structures:
            if structure_orders[work.structure] > 1:
                faults.append(Fault(f"structure {work.structure}", "it has two orders", "R5.3"))
            elif wrong := self.of_a_structure(work):
                faults.append(wrong)
            else:
                legal.structures[work.structure] = work
        legal.concede = self.sheet.concede
        return legal, faults

    def of_the_player(self) -> Fault | None:
        about = f"player {self.player}"
        player = self.state.players.get(self.player)
        if player is None:
            return Fault(about, "there is no such player", "R1")
        if self.state.result is not None:
            return Fault(about, "the match is over", "R12.2")
        if not player.alive:
            rule = "R12.3" if self.sheet.concede else "R12.1"
            return Fault(about, "the player is eliminated", rule)
        return None

    def of_a_unit(self, order: UnitOrder) -> Fault | None:
        about = f"unit {order.unit}"
        unit = self.state.units.get(order.unit)
        if unit is None or unit.owner != self.player:
            return Fault(about, "the player has no such unit", "R1")
        match order.deed:
            case Deed.MOVE:
                reason = self.of_a_path(unit, order.path)
                return Fault(about, reason, "R5.5") if reason else None
            case Deed.UPGRADE:
                if getattr(unit, order.piece) >= self.rules.upgrades[order.piece].max:
                    return Fault(about, f"it has as many {order.piece} as allowed", "R4")
                return self.at_a_shipyard(about, unit)
            case Deed.REPAIR:
                return self.at_a_shipyard(about, unit)
            case Deed.DEPLOY:
                reason = self.of_a_deployment(unit)
                return Fault(about, reason, "R11.2") if reason else None
            case Deed.BOMBARD:
                reason = self.of_a_bombardment(unit, order.target)
                return Fault(about, reason, "R11.5") if reason else None
        return None

    def of_a_path(self, unit: Unit, path: tuple[Hex, ...]) -> str | None:
        if not 1 <= len(path) <= MAX_PATH:
            return f"a path has 1 to {MAX_PATH} steps"
        return broken_step(self.rules, self.grid, unit, path)

    def at_a_shipyard(self, about: str, unit: Unit) -> Fault | None:
        for shipyard in self.state.structures_of(self.player):
            if shipyard.hex == unit.hex or self.grid.adjacent(shipyard.hex, unit.hex):
                return None
        return Fault(about, "it is neither on an own shipyard nor beside one", "R11.2")

    def of_a_deployment(self, unit: Unit) -> str | None:
        if not self.rules.is_harbor(self.grid, unit.hex):
            return "it is not on a harbor"
        if self.state.structure_at(unit.hex) is not None:
            return "the harbor carries a structure"
        if len(self.state.structures_of(self.player)) >= self.rules.shipyards_per_player:
            return "the player has all shipyards allowed"
        return None

    def of_a_bombardment(self, unit: Unit, target: int) -> str | None:
        structure = self.state.structures.get(target)
        if structure is None:
            return "there is no such structure to bombard"
        if structure.owner == self.player:
            return "the structure is the player's own"
        if not self.grid.adjacent(unit.hex, structure.hex):
            return "the structure is not adjacent"
        return None

    def of_a_structure(self, order: StructureOrder) -> Fault | None:
        about = f"structure {order.structure}"
        structure = self.state.structures.get(order.structure)
        if structure is None or structure.owner != self.player:
            return Fault(about, "the player has no such structure", "R1")
        if order.cancel is not None:
            if order.cancel >= len(structure.queue):
                return Fault(about, "the queue has no such index", "R11.2")
            return None
        if all(row.key != order.build for row in self.rules.classes):
            return Fault(about, "there is no such class", "R4")
        if len(structure.queue) >= self.rules.queue:
            return Fault(about, "the queue is full", "R11.2")
        if self.fleet_without_what_goes() >= self.rules.ships_per_player:
            return Fault(about, "the player has all ships allowed, queued ones included", "R11.2")
        return None

    def fleet_without_what_goes(self) -> int:
        """Ships, less those ordered to deploy, plus queued ships, less those cancelled in this sheet."""
        own = {unit.id for unit in self.state.ships_of(self.player)}
        deploying = {order.unit for order in self.sheet.units if order.deed is Deed.DEPLOY} & own
        shipyards = {structure.id: len(structure.queue) for structure in self.state.structures_of(self.player)}
        cancelled = {
            order.structure
            for order in self.sheet.structures
            if order.cancel is not None and order.cancel < shipyards.get(order.structure, 0)
        }
        return self.state.fleet_size(self.player) - len(deploying) - len(cancelled)


def broken_step(rules: Rules, grid: Grid, unit: Unit, path: tuple[Hex, ...] | list[Hex]) -> str | None:
    """What is wrong with the steps of a path or a route (R5.5)."""
    at = unit.hex
    for step in path:
        if not grid.has(step):
            return f"{step} is not on the map"
        if not grid.adjacent(at, step):
            return f"{step} is not adjacent to {at}"
        if not rules.navigable(grid, step, unit.kind):
            return f"{step} is land"
        at = step
    return None
