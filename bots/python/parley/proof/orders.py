"""Orders as players say them (R5.4), and how they are read from the wire."""

from dataclasses import dataclass, field
from enum import Enum

from parley.plunder import v1 as plunder

from .hexes import Hex
from .state import Engagement


class Choice(Enum):
    """An answer to an encounter (R7.2)."""

    PROCEED = 1
    YIELD = 2
    ATTACK = 3


class Deed(Enum):
    """What a ship can be told to do."""

    MOVE = "move"
    HOLD = "hold"
    REPAIR = "repair"
    UPGRADE = "upgrade"
    DEPLOY = "deploy_shipyard"
    BOMBARD = "bombard"
    PRESS = "press"


@dataclass(frozen=True)
class UnitOrder:
    """An order for a ship; without a deed it goes on with its route (R5.3)."""

    unit: int
    deed: Deed | None = None
    path: tuple[Hex, ...] = ()
    """Of a move."""
    piece: str = ""
    """Of an upgrade."""
    target: int = 0
    """Of a bombardment."""
    broadside: bool = False
    engagement: Engagement | None = None


@dataclass(frozen=True)
class StructureOrder:
    """An order for a shipyard: a class to build, or an index to cancel."""

    structure: int
    build: str | None = None
    cancel: int | None = None


@dataclass
class Sheet:
    """All orders of one player for one turn."""

    units: list[UnitOrder] = field(default_factory=list)
    structures: list[StructureOrder] = field(default_factory=list)
    concede: bool = False


class SheetFault(Exception):
    """A sheet that says something that no rule knows, in one sentence."""


_PIECES = {plunder.UPGRADE_SAILS: "sails", plunder.UPGRADE_CANNONS: "cannons", plunder.UPGRADE_HULL: "hull"}


def read_sheet(wire: plunder.Sheet) -> Sheet:
    """Reads a sheet from the wire."""
    return Sheet(
        [_unit_order(order) for order in wire.units],
        [_structure_order(order) for order in wire.structures],
        wire.concede,
    )


def _unit_order(wire: plunder.UnitOrder) -> UnitOrder:
    action = wire.WhichOneof("action")
    path: tuple[Hex, ...] = ()
    piece = ""
    if action == "move":
        path = tuple((hex.q, hex.r) for hex in wire.move.path)
    elif action == "upgrade":
        if wire.upgrade not in _PIECES:
            raise SheetFault(f"unit {wire.unit} is to be fitted with something that is not known")
        piece = _PIECES[wire.upgrade]
    engagement = None
    if wire.engagement != plunder.ENGAGEMENT_UNSPECIFIED:
        # The wire counts from 1, and 0 changes nothing.
        if wire.engagement not in plunder.Engagement.values():
            raise SheetFault(f"unit {wire.unit} is given an engagement that is not known")
        engagement = Engagement(wire.engagement - 1)
    deed = Deed(action) if action is not None else None
    target = wire.bombard if action == "bombard" else 0
    return UnitOrder(wire.unit, deed, path, piece, target, wire.broadside, engagement)


def _structure_order(wire: plunder.StructureOrder) -> StructureOrder:
    work = wire.WhichOneof("work")
    if work is None:
        raise SheetFault(f"the order for structure {wire.structure} says nothing")
    if work == "build":
        return StructureOrder(wire.structure, build=wire.build)
    return StructureOrder(wire.structure, cancel=wire.cancel_build)
