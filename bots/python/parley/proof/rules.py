"""A rules file as a table of numbers; what they mean is in `data/RULES.md`."""

import json
from dataclasses import dataclass
from typing import Any

from .hexes import Grid, Hex
from .state import Unit

STAGES = (
    "income",
    "shipyard_work",
    "contests",
    "movement",
    "broadsides",
    "bombardment",
    "construction",
    "reckoning",
)
"""All stages in the only order that they may have (R5.6)."""

MAX_CLASSES = 64
MAX_TERRAINS = 255
MAX_NUMBER = 10**12
MAX_SPEED = 254
MAX_HP = 60_000
MAX_DAMAGE = 30_000
MAX_BYTE = 255
"""What the encoding has one byte for (R13.3)."""

# The keys in the order that the hash is made in (R13.3), with the type of each value.
TOP: dict[str, type] = {
    "name": str,
    "fog": str,
    "contest_limit": int,
    "turn_limit": int,
    "broadsides": str,
    "elimination": str,
    "stages": list,
    "terrains": list,
    "classes": list,
    "upgrades": dict,
    "combat": dict,
    "shipyard": dict,
    "economy": dict,
}
TERRAIN: dict[str, type] = {
    "key": str,
    "symbol": str,
    "domains": list,
    "move_cost": int,
    "defence": int,
    "blocks_sight": bool,
    "harbor": bool,
}
CLASS: dict[str, type] = {
    "key": str,
    "domain": str,
    "hull": int,
    "speed": int,
    "cannons": int,
    "vision": int,
    "build_cost": int,
    "build_turns": int,
}
UPGRADE: dict[str, type] = {"max": int, "cost": int, "speed": int, "damage": int, "hull": int, "heals": bool}
UPGRADES = ("sails", "cannons", "hull")
COMBAT: dict[str, type] = {"damage": int, "salvage": int, "bombard_damage": int}
SHIPYARD: dict[str, type] = {
    "hp": int,
    "captured_hp_percent": int,
    "deploy_cost": int,
    "queue": int,
    "per_player": int,
    "vision": int,
}
ECONOMY: dict[str, type] = {
    "income": int,
    "income_per_shipyard": int,
    "income_per_ship": int,
    "start_gold": int,
    "start_shipyards": int,
    "start_ships": int,
    "ships_per_player": int,
    "repair_cost": int,
    "cancel_refund_percent": int,
}


class RulesFault(Exception):
    """Rules that cannot be played by, in one sentence."""


@dataclass(frozen=True)
class Terrain:
    """A row of `terrains` (R3.2)."""

    key: str
    symbol: str
    domains: tuple[str, ...]
    harbor: bool


@dataclass(frozen=True)
class ShipClass:
    """A row of `classes` (R4)."""

    key: str
    domain: str
    hull: int
    speed: int
    cannons: int
    build_cost: int
    build_turns: int


@dataclass(frozen=True)
class Upgrade:
    """What one piece brings (R4)."""

    max: int
    cost: int
    speed: int
    damage: int
    hull: int
    heals: bool


@dataclass(frozen=True)
class Rules:
    """Everything that a rules file says about what happens; sight is not here, because it changes nothing (R14.1)."""

    text: str
    """The JSON that the hash is made of."""
    contest_limit: int
    turn_limit: int
    broadsides: bool
    structures_save: bool
    stages: tuple[str, ...]
    terrains: tuple[Terrain, ...]
    classes: tuple[ShipClass, ...]
    upgrades: dict[str, Upgrade]
    damage: int
    salvage: int
    bombard_damage: int
    shipyard_hp: int
    captured_hp_percent: int
    deploy_cost: int
    queue: int
    shipyards_per_player: int
    income: int
    income_per_shipyard: int
    income_per_ship: int
    start_gold: int
    start_shipyards: int
    start_ships: int
    ships_per_player: int
    repair_cost: int
    cancel_refund_percent: int

    def max_hp(self, unit: Unit) -> int:
        """The class's hull and what is fitted (R4)."""
        return self.classes[unit.kind].hull + self._fitted(unit, "hull")

    def speed(self, unit: Unit) -> int:
        """Tiles per turn (R4)."""
        return self.classes[unit.kind].speed + self._fitted(unit, "speed")

    def firepower(self, unit: Unit) -> int:
        """What a hit costs beyond the common damage (R4)."""
        return self.classes[unit.kind].cannons + self._fitted(unit, "damage")

    def _fitted(self, unit: Unit, what: str) -> int:
        return sum(getattr(unit, piece) * getattr(self.upgrades[piece], what) for piece in UPGRADES)

    def navigable(self, grid: Grid, at: Hex, kind: int) -> bool:
        """Whether the terrain lets a class in (R3.2)."""
        return self.classes[kind].domain in self.terrains[grid.terrain_at(at)].domains

    def is_harbor(self, grid: Grid, at: Hex) -> bool:
        """Whether structures may stand here."""
        return self.terrains[grid.terrain_at(at)].harbor


def canonical(tree: dict[str, Any]) -> str:
    """The text that the hash is made of: all keys in their order, and no spaces (R13.3)."""
    ordered = _ordered(tree, TOP, "the rules")
    ordered["terrains"] = [_ordered(row, TERRAIN, "a terrain") for row in tree["terrains"]]
    ordered["classes"] = [_ordered(row, CLASS, "a class") for row in tree["classes"]]
    upgrades = _ordered(tree["upgrades"], dict.fromkeys(UPGRADES, dict), "upgrades")
    ordered["upgrades"] = {piece: _ordered(row, UPGRADE, piece) for piece, row in upgrades.items()}
    for part, keys in (("combat", COMBAT), ("shipyard", SHIPYARD), ("economy", ECONOMY)):
        ordered[part] = _ordered(tree[part], keys, part)
    return json.dumps(ordered, ensure_ascii=False, separators=(",", ":"))


def _ordered(tree: Any, keys: dict[str, type], what: str) -> dict[str, Any]:
    if not isinstance(tree, dict):
        raise RulesFault(f"{what} of the rules must be an object")
    for key in tree:
        if key not in keys:
            raise RulesFault(f"{what}: the key {key!r} is not known")
    for key, kind in keys.items():
        if key not in tree:
            raise RulesFault(f"{what}: the key {key!r} is missing")
        value = tree[key]
        # In Python a truth value is also a number.
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise RulesFault(f"{what}: {key!r} must be of the type {kind.__name__}")
        if isinstance(value, int) and not 0 <= value <= MAX_NUMBER:
            raise RulesFault(f"{what}: {key!r} is out of range")
    return {key: tree[key] for key in keys}


def parse(text: str) -> Rules:
    """Reads the rules of a match from their JSON."""
    try:
        tree = json.loads(text)
    except ValueError as fault:
        raise RulesFault(f"the rules are not JSON: {fault}") from fault
    except RecursionError as fault:
        raise RulesFault("the rules are nested too deeply") from fault
    if not isinstance(tree, dict):
        raise RulesFault("the rules must be an object")
    written = canonical(tree)
    _check_words(tree)
    _check_bounds(tree)
    return Rules(
        text=written,
        contest_limit=tree["contest_limit"],
        turn_limit=tree["turn_limit"],
        broadsides=tree["broadsides"] == "on_order",
        structures_save=tree["elimination"] == "no_ships_and_no_structures",
        stages=tuple(tree["stages"]),
        terrains=tuple(
            Terrain(row["key"], row["symbol"], tuple(row["domains"]), row["harbor"]) for row in tree["terrains"]
        ),
        classes=tuple(
            ShipClass(
                row["key"],
                row["domain"],
                row["hull"],
                row["speed"],
                row["cannons"],
                row["build_cost"],
                row["build_turns"],
            )
            for row in tree["classes"]
        ),
        upgrades={piece: Upgrade(**tree["upgrades"][piece]) for piece in UPGRADES},
        damage=tree["combat"]["damage"],
        salvage=tree["combat"]["salvage"],
        bombard_damage=tree["combat"]["bombard_damage"],
        shipyard_hp=tree["shipyard"]["hp"],
        captured_hp_percent=tree["shipyard"]["captured_hp_percent"],
        deploy_cost=tree["shipyard"]["deploy_cost"],
        queue=tree["shipyard"]["queue"],
        shipyards_per_player=tree["shipyard"]["per_player"],
        **{key: value for key, value in tree["economy"].items()},
    )


def _check_words(tree: dict[str, Any]) -> None:
    for key, words in (
        ("fog", ("on", "off")),
        ("broadsides", ("on_order", "off")),
        ("elimination", ("no_ships", "no_ships_and_no_structures")),
    ):
        if tree[key] not in words:
            raise RulesFault(f"{key!r} is one of {', '.join(words)}")
    stages = tree["stages"]
    places = [STAGES.index(stage) if stage in STAGES else -1 for stage in stages]
    if -1 in places or places != sorted(set(places)):
        raise RulesFault("the stages are not in the order of R5.6")
    if "reckoning" not in stages or ("movement" in stages and "contests" not in stages):
        raise RulesFault("a stage that R5.6 needs is missing")
    if not 1 <= len(tree["classes"]) <= MAX_CLASSES or not 1 <= len(tree["terrains"]) <= MAX_TERRAINS:
        raise RulesFault("the tables of classes and terrains have a bounded number of rows (R3.2, R4)")
    if any((row["move_cost"], row["defence"], row["blocks_sight"]) != (1, 0, False) for row in tree["terrains"]):
        raise RulesFault("terrains all cost 1, give no defence and block no sight (R3.2)")


def _check_bounds(tree: dict[str, Any]) -> None:
    """What no rules may let a ship reach (R4), and what the encoding has no room for (R13.3)."""
    upgrades = tree["upgrades"].values()
    fitted = {what: sum(piece["max"] * piece[what] for piece in upgrades) for what in ("hull", "speed", "damage")}
    for row in tree["classes"]:
        if not 1 <= row["hull"] <= row["hull"] + fitted["hull"] <= MAX_HP:
            raise RulesFault(f"the class {row['key']!r} has 1 to {MAX_HP} hp (R4)")
        if row["speed"] + fitted["speed"] > MAX_SPEED:
            raise RulesFault(f"the class {row['key']!r} reaches a speed over {MAX_SPEED} (R4)")
        firepower = row["cannons"] + fitted["damage"]
        if max(tree["combat"]["damage"], tree["combat"]["bombard_damage"]) + firepower > MAX_DAMAGE:
            raise RulesFault(f"the class {row['key']!r} reaches a damage over {MAX_DAMAGE} (R4)")
    bytes_needed = [row["build_turns"] for row in tree["classes"]] + [piece["max"] for piece in upgrades]
    if max([*bytes_needed, tree["shipyard"]["queue"]]) > MAX_BYTE:
        raise RulesFault("build_turns, upgrades and queues count to 255 at most (R13.3)")
    if not 1 <= tree["shipyard"]["hp"] <= MAX_HP:
        raise RulesFault(f"a shipyard has 1 to {MAX_HP} hp (R13.3)")
