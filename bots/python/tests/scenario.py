"""Scenarios as `data/SCENARIO.md` describes them, read into the verifier's own terms."""

import copy
import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from parley.proof import rules as rulebook
from parley.proof.digest import first_digest, next_digest
from parley.proof.hexes import MAX_TILES, Grid
from parley.proof.legality import LegalSheet, judge
from parley.proof.orders import Choice, Deed, Sheet, StructureOrder, UnitOrder
from parley.proof.reckoning import result_fields
from parley.proof.resolve import Outcome, resolve
from parley.proof.rules import Rules
from parley.proof.soundness import faults as unsound
from parley.proof.state import Build, Contest, Engagement, Player, State, Structure, Unit
from parley.proof.turn import Question

ROOT = Path(__file__).resolve().parents[3]
PLUNDER: dict[str, Any] = yaml.safe_load((ROOT / "data/rules/plunder.yaml").read_text())


class Refused(Exception):
    """A scenario that a rule refuses."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__("; ".join(faults))
        self.faults = faults


@dataclass
class Scenario:
    rules: Rules
    grid: Grid
    seed: bytes
    state: State


def merged(base: Any, change: Any) -> Any:
    if isinstance(base, dict) and isinstance(change, dict):
        return {**base, **{key: merged(base.get(key), value) for key, value in change.items()}}
    return change


def read(tree: dict[str, Any]) -> Scenario:
    rules = rulebook.parse(json.dumps(merged(PLUNDER, tree.get("rules", {}))))
    grid = read_map(rules, tree["map"])
    return Scenario(rules, grid, bytes.fromhex(tree["seed"]), read_state(rules, grid, tree))


def read_map(rules: Rules, tree: dict[str, Any]) -> Grid:
    width, height, wrap, rows = tree["width"], tree["height"], tree.get("wrap", False), tree["tiles"]
    if not 1 <= width * height <= MAX_TILES:
        raise Refused(["a map of this size (R3.2)"])
    if len(rows) != height or any(len(row) != width for row in rows) or (wrap and width < 2):
        raise Refused(["the map is no such rectangle (R3.1)"])
    symbols = {terrain.symbol: row for row, terrain in enumerate(rules.terrains)}
    text = "".join(rows)
    if any(symbol not in symbols for symbol in text):
        raise Refused(["the map has an unknown terrain (R3.2)"])
    return Grid(width, height, wrap, bytes(symbols[symbol] for symbol in text))


def named(kind: str, items: list[Any]) -> dict[int, Any]:
    twice = [id for id, count in Counter(item.id for item in items).items() if count > 1]
    if twice:
        raise Refused([f"{kind} {id} is there twice (R1)" for id in twice])
    return {item.id: item for item in items}


def read_state(rules: Rules, grid: Grid, tree: dict[str, Any]) -> State:
    classes = {row.key: place for place, row in enumerate(rules.classes)}
    for each in tree["units"] + [build for yard in tree.get("structures", []) for build in yard.get("queue", [])]:
        if each.get("class", rules.classes[0].key) not in classes:
            raise Refused(["there is no such class (R4)"])
    players = [
        Player(each["id"], each.get("alive", True), each.get("gold", rules.start_gold)) for each in tree["players"]
    ]
    units = [
        Unit(
            each["id"],
            (each["q"], each["r"]),
            each["owner"],
            classes[each.get("class", rules.classes[0].key)],
            each["hp"],
            each.get("sails", 0),
            each.get("cannons", 0),
            each.get("hull", 0),
            Engagement[each.get("engagement", "ASK")],
            [(q, r) for q, r in each.get("route", [])],
        )
        for each in tree["units"]
    ]
    structures = [
        Structure(
            each["id"],
            (each["q"], each["r"]),
            each.get("owner"),
            each["hp"],
            [Build(classes[build["class"]], build["turns_left"]) for build in each.get("queue", [])],
        )
        for each in tree.get("structures", [])
    ]
    contests = [
        Contest((each["q"], each["r"]), each["since"], each["rounds"], sorted(each["contenders"]))
        for each in tree.get("contests", [])
    ]
    state = State(
        tree["turn"],
        named("player", players),
        named("unit", units),
        named("structure", structures),
        {contest.hex: contest for contest in contests},
        1 + max((unit.id for unit in units), default=0),
        1 + max((structure.id for structure in structures), default=0),
    )
    if len(state.contests) != len(contests):
        raise Refused(["a tile is contested twice (R9.1)"])
    found = unsound(rules, grid, state)
    if found:
        raise Refused([str(fault) for fault in found])
    return state


def read_sheets(scenario: Scenario, inputs: dict[str, Any]) -> dict[int, LegalSheet]:
    """Hands each order to the owner of whom it is for. Nobody's orders are refused too."""
    said: dict[int, Sheet] = {}
    lost = []
    for each in inputs.get("orders", []):
        order = read_order(each)
        if isinstance(order, UnitOrder):
            unit = scenario.state.units.get(order.unit)
            if unit is None:
                lost.append(f"there is no unit {order.unit} (R1)")
            else:
                said.setdefault(unit.owner, Sheet()).units.append(order)
        else:
            structure = scenario.state.structures.get(order.structure)
            if structure is None or structure.owner is None:
                lost.append(f"nobody has structure {order.structure} (R1)")
            else:
                said.setdefault(structure.owner, Sheet()).structures.append(order)
    for player in inputs.get("concede", []):
        said.setdefault(player, Sheet()).concede = True
    sheets = {}
    for player, sheet in said.items():
        sheets[player], faults = judge(scenario.rules, scenario.grid, scenario.state, player, sheet)
        lost += [str(fault) for fault in faults]
    if lost:
        raise Refused(lost)
    return sheets


def read_order(tree: dict[str, Any]) -> UnitOrder | StructureOrder:
    if "structure" in tree:
        return StructureOrder(tree["structure"], tree.get("build"), tree.get("cancel_build"))
    deed = next((deed for deed in Deed if deed.value in tree), None)
    return UnitOrder(
        tree["unit"],
        deed,
        tuple((q, r) for q, r in tree.get("move", [])),
        tree.get("upgrade", ""),
        tree.get("bombard", 0),
        tree.get("broadside", False),
        Engagement[tree["engagement"]] if "engagement" in tree else None,
    )


def play(scenario: Scenario, inputs: dict[str, Any]) -> Outcome:
    sheets = read_sheets(scenario, inputs)
    given = {(each["tick"], each["unit"]): Choice[each["choice"]] for each in inputs.get("decisions", [])}

    def ask(questions: list[Question]) -> dict[int, Choice]:
        chosen = {}
        for each in questions:
            choice = given.get((each.tick, each.unit))
            if choice is not None and choice not in each.options:
                raise Refused([f"unit {each.unit}: its encounter is not answered with {choice.name} (R7.2)"])
            if choice is not None:
                chosen[each.unit] = choice
        return chosen

    return resolve(scenario.rules, scenario.grid, scenario.state, scenario.seed, sheets, ask)


def result(tree: dict[str, Any]) -> dict[str, Any]:
    """The result of a scenario, in the form that `parley resolve` prints."""
    scenario = read(copy.deepcopy(tree))
    outcome = play(scenario, tree)
    before = first_digest(scenario.rules.text, scenario.grid, scenario.state)
    digest = next_digest(before, scenario.grid, outcome.state)
    return {
        "events": outcome.events,
        "state": written(scenario.rules, outcome.state),
        "digest": digest.hex(),
    }


def written(rules: Rules, state: State) -> dict[str, Any]:
    return {
        "turn": state.turn,
        "players": [{"id": id, "gold": each.gold, "alive": each.alive} for id, each in sorted(state.players.items())],
        "units": [
            {
                "id": id,
                "class": rules.classes[unit.kind].key,
                "owner": unit.owner,
                "q": unit.hex[0],
                "r": unit.hex[1],
                "hp": unit.hp,
                "sails": unit.sails,
                "cannons": unit.cannons,
                "hull": unit.hull,
                "engagement": unit.engagement.name,
                "route": [list(step) for step in unit.route],
            }
            for id, unit in sorted(state.units.items())
        ],
        "structures": [
            {
                "id": id,
                "owner": each.owner,
                "q": each.hex[0],
                "r": each.hex[1],
                "hp": each.hp,
                "queue": [
                    {"class": rules.classes[build.kind].key, "turns_left": build.turns_left} for build in each.queue
                ],
            }
            for id, each in sorted(state.structures.items())
        ],
        "contests": [
            {
                "q": each.hex[0],
                "r": each.hex[1],
                "since": each.since,
                "rounds": each.rounds,
                "contenders": sorted(each.contenders),
            }
            for each in state.contests_in_order()
        ],
        "result": result_fields(state.result),
    }
