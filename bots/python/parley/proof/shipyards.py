"""Gold and what it buys: income, shipyard work, bombardment and construction (R11)."""

from collections import defaultdict

from .hexes import Hex
from .orders import Deed, UnitOrder
from .state import ID_BOUND, Build, Structure, Unit
from .turn import Turn


def income(turn: Turn) -> None:
    """What every living player is paid (R11.1)."""
    rules = turn.rules
    for player in turn.state.living():
        shipyards = len(turn.state.structures_of(player.id))
        ships = len(turn.state.ships_of(player.id))
        gain = rules.income + rules.income_per_shipyard * shipyards + rules.income_per_ship * ships
        turn.pay(player.id, gain, "income")


def work(turn: Turn) -> None:
    """Orders that cost gold, in the order in which they are paid (R5.6, R11.3)."""
    for player in turn.state.living():
        for unit in turn.state.ships_of(player.id):
            order = turn.unit_order(unit)
            if order is not None:
                _ship_work(turn, unit, order)
        # A shipyard that is deployed now has no order yet.
        for structure in turn.state.structures_of(player.id):
            work_order = turn.structure_order(structure)
            if work_order is None:
                continue
            if work_order.cancel is not None:
                _cancel(turn, structure, work_order.cancel)
            else:
                _build(turn, structure, work_order.build)


def _ship_work(turn: Turn, unit: Unit, order: UnitOrder) -> None:
    rules = turn.rules
    match order.deed:
        case Deed.DEPLOY:
            _deploy(turn, unit)
        case Deed.REPAIR:
            if _charge(turn, "unit", unit.id, unit.owner, rules.repair_cost, "repair"):
                unit.hp = rules.max_hp(unit)
                turn.tell("repaired", unit=unit.id, hp=unit.hp)
        case Deed.UPGRADE:
            upgrade = rules.upgrades[order.piece]
            if _charge(turn, "unit", unit.id, unit.owner, upgrade.cost, "upgrade"):
                setattr(unit, order.piece, getattr(unit, order.piece) + 1)
                if upgrade.heals:
                    unit.hp = rules.max_hp(unit)
                turn.tell("upgraded", unit=unit.id, upgrade=order.piece)


def _charge(turn: Turn, subject: str, id: int, player: int, cost: int, reason: str) -> bool:
    """Pays for an order, or skips it where the gold is not enough (R11.3)."""
    gold = turn.state.players[player].gold
    if gold < cost:
        turn.tell("skipped", **{subject: id}, cause="unpaid", cost=cost, gold=gold)
        return False
    turn.pay(player, -cost, reason)
    return True


def _deploy(turn: Turn, unit: Unit) -> None:
    state, rules = turn.state, turn.rules
    if state.structure_at(unit.hex) is not None:
        turn.tell("skipped", unit=unit.id, cause="harbor_taken")
        return
    if len(state.structures_of(unit.owner)) >= rules.shipyards_per_player or state.next_structure >= ID_BOUND:
        turn.tell("skipped", unit=unit.id, cause="shipyards_full")
        return
    if _charge(turn, "unit", unit.id, unit.owner, rules.deploy_cost, "deploy_shipyard"):
        structure = Structure(state.next_structure, unit.hex, unit.owner, rules.shipyard_hp)
        state.next_structure += 1
        state.structures[structure.id] = structure
        turn.remove(unit.id)
        turn.tell("deployed", unit=unit.id, structure=structure.id, at=list(structure.hex))


def _build(turn: Turn, structure: Structure, key: str | None) -> None:
    owner = structure.owner
    assert owner is not None
    if turn.state.fleet_size(owner) >= turn.rules.ships_per_player:
        turn.tell("skipped", structure=structure.id, cause="fleet_full")
        return
    kind = next(row for row, each in enumerate(turn.rules.classes) if each.key == key)
    if _charge(turn, "structure", structure.id, owner, turn.rules.classes[kind].build_cost, "build"):
        structure.queue.append(Build(kind, turn.rules.classes[kind].build_turns))
        turn.tell("queued", structure=structure.id, **{"class": key})


def _cancel(turn: Turn, structure: Structure, index: int) -> None:
    assert structure.owner is not None
    kind = turn.rules.classes[structure.queue.pop(index).kind]
    turn.tell("cancelled", structure=structure.id, **{"class": kind.key})
    turn.pay(structure.owner, kind.build_cost * turn.rules.cancel_refund_percent // 100, "cancel_build")


def bombardment(turn: Turn) -> None:
    """All damage first, then whatever has fallen (R11.5)."""
    state, rules = turn.state, turn.rules
    damage: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for player in state.living():
        for unit in state.ships_of(player.id):
            order = turn.unit_order(unit)
            if order is None or order.deed is not Deed.BOMBARD:
                continue
            target = state.structures[order.target]
            if not turn.grid.adjacent(unit.hex, target.hex):
                turn.tell("skipped", unit=unit.id, cause="out_of_reach")
                continue
            dealt = rules.bombard_damage + rules.firepower(unit)
            damage[target.id][player.id] += dealt
            turn.tell("bombarded", unit=unit.id, structure=target.id, damage=dealt)
    for id, by in sorted(damage.items()):
        structure = state.structures[id]
        structure.hp = max(0, structure.hp - sum(by.values()))
        if structure.hp == 0:
            captor = min(by, key=lambda player: (-by[player], player))
            turn.tell("captured", structure=id, **{"from": structure.owner}, by=captor)
            structure.owner = captor
            structure.hp = max(1, rules.shipyard_hp * rules.captured_hp_percent // 100)
            structure.queue = []


def construction(turn: Turn) -> None:
    """The head of each queue advances, and finished ships appear (R11.2, R11.4)."""
    for player in turn.state.living():
        for structure in turn.state.structures_of(player.id):
            if structure.queue:
                head = structure.queue[0]
                head.turns_left = max(0, head.turns_left - 1)
                if head.turns_left == 0:
                    _spawn(turn, structure, player.id, head.kind)


def _spawn(turn: Turn, structure: Structure, owner: int, kind: int) -> None:
    state = turn.state
    place = _room(turn, structure, owner, kind)
    if place is None or state.next_unit >= ID_BOUND:
        turn.tell("spawn_delayed", structure=structure.id)
        return
    structure.queue.pop(0)
    ship_class = turn.rules.classes[kind]
    unit = Unit(state.next_unit, place, owner, kind, ship_class.hull)
    state.next_unit += 1
    state.units[unit.id] = unit
    fields = {"unit": unit.id, "owner": owner, "class": ship_class.key}
    turn.tell("spawned", **fields, structure=structure.id, at=list(place))


def _room(turn: Turn, structure: Structure, owner: int, kind: int) -> Hex | None:
    """The shipyard's tile, or the first free neighbour in the order of directions."""
    for hex in [structure.hex, *turn.grid.neighbours(structure.hex)]:
        enemies = any(unit.owner != owner for unit in turn.units_at(hex))
        if enemies or hex in turn.state.contests or turn.closed_to(owner, hex):
            continue
        if hex == structure.hex or turn.rules.navigable(turn.grid, hex, kind):
            return hex
    return None
