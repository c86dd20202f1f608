"""Small crowded scenarios with every kind of order, made up at random and always the same for the same seed."""

from random import Random
from typing import Any

import scenario

from parley.proof.hexes import Grid, Hex
from parley.proof.legality import judge
from parley.proof.orders import Choice, Sheet, UnitOrder
from parley.proof.resolve import resolve
from parley.proof.turn import Question

ENGAGEMENTS = ("ASK", "ASK", "EVADE", "FIGHT", "FIGHT_IF_HEALTHY")
LAND = "#"
ALL_STAGES = scenario.PLUNDER["stages"]


def scenario_of(seed: int) -> dict[str, Any]:
    """A sound scenario; only one in sixteen has an order that may be refused."""
    return _Maker(Random(seed)).make()


class _Maker:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.width, self.height = random.randint(2, 7), random.randint(1, 6)
        self.wrap = random.random() < 0.4
        letters = random.choice(("..~H#", "......H", "..H#", "...."))
        self.rows = ["".join(random.choice(letters) for _ in range(self.width)) for _ in range(self.height)]
        self.grid = Grid(self.width, self.height, self.wrap, bytes(self.width * self.height))
        self.players = sorted(random.sample(range(250) if random.random() < 0.2 else range(4), random.randint(1, 4)))
        self.tree: dict[str, Any] = {}

    def make(self) -> dict[str, Any]:
        random = self.random
        self.tree = {
            "seed": random.randbytes(32).hex(),
            "turn": random.choice((1, 2, 9, 4_294_967_294)) if random.random() < 0.3 else random.randint(0, 60),
            "rules": self.rules(),
            "map": {"width": self.width, "height": self.height, "wrap": self.wrap, "tiles": self.rows},
            "players": [{"id": id, "gold": random.choice((0, 30, 75, 200, 999))} for id in self.players],
            "structures": self.structures(),
        }
        self.tree["units"] = self.units()
        self.tree["contests"] = self.contests()
        self.tree["orders"] = [order for order in map(self.unit_order, self.tree["units"]) if len(order) > 1]
        self.tree["orders"] += [
            order for order in map(self.structure_order, self.tree["structures"]) if order is not None
        ]
        if random.random() < 0.1:
            self.tree["concede"] = [random.choice(self.players)]
        return self.finished()

    def rules(self) -> dict[str, Any]:
        random = self.random
        change: dict[str, Any] = {}
        if random.random() < 0.4:
            change["contest_limit"] = random.randint(0, 3)
        if random.random() < 0.2:
            change["turn_limit"] = random.randint(0, 20)
        if random.random() < 0.1:
            change["broadsides"] = "off"
        if random.random() < 0.2:
            change["elimination"] = "no_ships_and_no_structures"
        if random.random() < 0.2:
            change["combat"] = {"damage": random.randint(0, 6), "salvage": random.randint(0, 40)}
        if random.random() < 0.2:
            change["economy"] = {"ships_per_player": random.randint(1, 6), "income": random.randint(0, 60)}
        if random.random() < 0.2:
            change["shipyard"] = {"per_player": random.randint(1, 3), "captured_hp_percent": random.randint(1, 100)}
        if random.random() < 0.1:
            left_out = random.choice(("income", "shipyard_work", "broadsides", "bombardment", "construction"))
            change["stages"] = [stage for stage in ALL_STAGES if stage != left_out]
        return change

    def letter(self, at: Hex) -> str:
        return str(self.rows[at[1]][self.grid.tile(at) % self.width])

    def tiles(self) -> list[Hex]:
        return [self.grid.hex(tile) for tile in range(self.width * self.height)]

    def structures(self) -> list[dict[str, Any]]:
        random = self.random
        found: list[dict[str, Any]] = []
        for at in self.tiles():
            if self.letter(at) == "H" and random.random() < 0.6:
                owner = random.choice([*self.players, *self.players, None])
                queue = [
                    {"class": "ship", "turns_left": random.randint(0, 3)}
                    for _ in range(random.choice((0, 0, 1, 2, 5)) if owner is not None else 0)
                ]
                q, r = at
                hp = random.choice((1, 2, 3, 20))
                found.append({"id": len(found) + 1, "owner": owner, "q": q, "r": r, "hp": hp, "queue": queue})
        return found

    def units(self) -> list[dict[str, Any]]:
        random = self.random
        water = [at for at in self.tiles() if self.letter(at) != LAND]
        if not water:
            return []
        ids = random.sample(range(60) if random.random() < 0.9 else range(1 << 28), random.randint(0, 14))
        owners: dict[Hex, int] = {}
        found = []
        for id in ids:
            at = random.choice(water)
            owner = owners.setdefault(at, random.choice(self.players))
            hull = random.choice((0, 0, 0, 1, 2))
            unit: dict[str, Any] = {
                "id": id,
                "owner": owner,
                "q": at[0],
                "r": at[1],
                "hp": random.randint(1, 10 + 10 * hull) if random.random() < 0.6 else 10,
                "hull": hull,
                "sails": random.choice((0, 0, 1, 5)),
                "cannons": random.choice((0, 0, 1, 5)),
                "engagement": random.choice(ENGAGEMENTS),
            }
            if random.random() < 0.3:
                unit["route"] = self.walk(at)
            found.append(unit)
        return found

    def walk(self, at: Hex) -> list[list[int]]:
        path = []
        for _ in range(self.random.randint(1, 6)):
            ways = [hex for hex in self.grid.neighbours(at) if self.letter(hex) != LAND]
            if not ways:
                break
            at = self.random.choice(ways)
            path.append(list(at))
        return path

    def contests(self) -> list[dict[str, Any]]:
        random = self.random
        taken = {(each["q"], each["r"]) for each in [*self.tree["units"], *self.tree["structures"]]}
        bound: set[int] = set()
        found = []
        for at in self.tiles():
            if at in taken or self.letter(at) == LAND or random.random() < 0.8:
                continue
            beside = [
                unit["id"]
                for unit in self.tree["units"]
                if (unit["q"], unit["r"]) in self.grid.neighbours(at) and unit["id"] not in bound
            ]
            contenders = random.sample(beside, random.randint(0, min(4, len(beside))))
            bound.update(contenders)
            rounds = random.randint(0, 6)
            since = random.randint(0, self.tree["turn"])
            found.append({"q": at[0], "r": at[1], "since": since, "rounds": rounds, "contenders": contenders})
        return found

    def unit_order(self, unit: dict[str, Any]) -> dict[str, Any]:
        random = self.random
        order: dict[str, Any] = {"unit": unit["id"]}
        if random.random() < 0.3:
            order["broadside"] = True
        if random.random() < 0.2:
            order["engagement"] = random.choice(ENGAGEMENTS)
        deed = random.choice(("", "move", "move", "move", "hold", "press", "work", "bombard", "deploy_shipyard"))
        if deed == "move":
            path = self.walk((unit["q"], unit["r"]))
            if path:
                order["move"] = path
        elif deed == "work":
            if random.random() < 0.5:
                order["repair"] = {}
            else:
                order["upgrade"] = random.choice(("sails", "cannons", "hull"))
        elif deed == "bombard" and self.tree["structures"]:
            order["bombard"] = random.choice(self.tree["structures"])["id"]
        elif deed not in ("", "bombard"):
            order[deed] = {}
        return order

    def structure_order(self, structure: dict[str, Any]) -> dict[str, Any] | None:
        if structure["owner"] is None or self.random.random() < 0.3:
            return None
        if self.random.random() < 0.3:
            return {"structure": structure["id"], "cancel_build": self.random.randint(0, 2)}
        return {"structure": structure["id"], "build": "ship"}

    def finished(self) -> dict[str, Any]:
        """Drops what would be refused, most of the time, and answers whoever is asked."""
        random = self.random
        match = scenario.read(self.tree)
        if random.random() < 15 / 16:
            self.drop_refused(match)
        decisions: list[dict[str, Any]] = []

        def ask(questions: list[Question]) -> dict[int, Choice]:
            given = {}
            for each in questions:
                evasion, attack = each.options
                choice = random.choice((attack, attack, evasion, None))
                if choice is not None:
                    given[each.unit] = choice
                    decisions.append({"tick": each.tick, "unit": each.unit, "choice": choice.name})
            return given

        try:
            sheets = scenario.read_sheets(match, self.tree)
        except scenario.Refused:
            return self.tree
        resolve(match.rules, match.grid, match.state, match.seed, sheets, ask)
        random.shuffle(decisions)
        self.tree["decisions"] = decisions
        return self.tree

    def drop_refused(self, match: scenario.Scenario) -> None:
        """One refused order can make another one wrong, so that it takes some rounds."""
        before = -1
        while before != len(self.tree["orders"]):
            before = len(self.tree["orders"])
            kept = []
            for tree in self.tree["orders"]:
                order = scenario.read_order(tree)
                if self.stands(match, order):
                    kept.append(tree)
            self.tree["orders"] = kept

    def stands(self, match: scenario.Scenario, order: Any) -> bool:
        """Judged with the other orders of its owner, which matter to the limit of ships."""
        whole: dict[int, Sheet] = {}
        owner: int | None = None
        for each in map(scenario.read_order, self.tree["orders"]):
            if isinstance(each, UnitOrder):
                whose: int | None = match.state.units[each.unit].owner
                whole.setdefault(whose or 0, Sheet()).units.append(each)
            else:
                whose = match.state.structures[each.structure].owner
                whole.setdefault(whose or 0, Sheet()).structures.append(each)
            if each == order:
                owner = whose
        assert owner is not None
        _, faults = judge(match.rules, match.grid, match.state, owner, whole[owner])
        about = f"unit {order.unit}" if isinstance(order, UnitOrder) else f"structure {order.structure}"
        return all(fault.about != about for fault in faults)
