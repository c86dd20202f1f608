"""Every kind of change of the board, applied to a view."""

from collections.abc import Callable
from typing import Any

from parley.board import apply
from parley.common.v1 import Hex, MatchResult
from parley.plunder import v1 as plunder
from parley.plunder.v1 import Change, ContestPatch, PlayerPatch, SightPatch, StructurePatch, UnitPatch

SHIP: Any = {"class": "ship"}
"""The class, whose name on the wire is a word of Python."""


def hex(q: int, r: int) -> Hex:
    return Hex(q=q, r=r)


def unit(id: int, **more: Any) -> plunder.Unit:
    more |= SHIP
    return plunder.Unit(id=id, owner=1, hex=hex(id, 0), hp=10, sails=1, engagement=plunder.ENGAGEMENT_ASK, **more)


VIEW = plunder.View(
    seat=1,
    turn=4,
    width=4,
    height=3,
    terrain_keys=["sea", "land"],
    # The tiles of the last row were never seen.
    terrain=bytes([0, 0, 1, 0, 0, 0, 0, 1, 255, 255, 255, 255]),
    visible=bytes([0b11110011, 0]),
    players=[plunder.Player(id=0, alive=True), plunder.Player(id=1, alive=True, gold=50)],
    units=[unit(3, route=[hex(1, 0), hex(2, 0)]), unit(7)],
    structures=[
        plunder.Structure(id=2, owner=1, hex=hex(0, 1), hp=5, queue=[plunder.Job(turns_left=2)], queue_known=True)
    ],
    contests=[plunder.Contest(hex=hex(1, 1), since=3, rounds=1, contenders=[3, 7])],
)


def changed(*patches: Change) -> plunder.View:
    before = plunder.View()
    before.CopyFrom(VIEW)
    after = apply(VIEW, patches)
    assert before == VIEW, "the view that was given stays as it is"
    return after


def expected(change: Callable[[plunder.View], None]) -> plunder.View:
    view = plunder.View()
    view.CopyFrom(VIEW)
    change(view)
    return view


def test_no_change_changes_nothing() -> None:
    assert changed() == changed(Change()) == VIEW


def test_what_a_patch_of_a_unit_does_not_set_stays_as_it_is() -> None:
    def wanted(view: plunder.View) -> None:
        view.units[0].hp = 4
        view.units[0].hex.CopyFrom(hex(2, 0))

    assert changed(Change(unit=UnitPatch(id=3, hp=4, hex=hex(2, 0)))) == expected(wanted)


def test_what_is_set_to_nothing_is_nothing() -> None:
    patch = UnitPatch(id=3, hp=0, sails=0, engagement=plunder.ENGAGEMENT_UNSPECIFIED, route=UnitPatch.Route())
    moved = UnitPatch(id=7, hex=Hex(), route=UnitPatch.Route(path=[hex(1, 0)]))
    (first, second) = changed(Change(unit=patch), Change(unit=moved)).units
    assert (first.hp, first.sails, first.engagement, [*first.route]) == (0, 0, 0, [])
    assert (first.owner, first.hex, getattr(first, "class")) == (1, hex(3, 0), "ship")
    assert second.hex == hex(0, 0) and [*second.route] == [hex(1, 0)]


def test_a_unit_that_is_new_takes_its_place_by_id() -> None:
    came = UnitPatch(id=5, owner=0, hex=hex(1, 0), hp=8, cannons=2, hull=1, sails=0, **SHIP)
    ship = plunder.Unit(id=5, owner=0, hex=hex(1, 0), hp=8, cannons=2, hull=1, **SHIP)
    assert [*changed(Change(unit=came)).units] == [VIEW.units[0], ship, VIEW.units[1]]


def test_a_unit_that_is_gone_is_gone_and_can_come_again() -> None:
    assert [each.id for each in changed(Change(unit_gone=3)).units] == [7]
    assert changed(Change(unit_gone=99)) == VIEW
    again = changed(Change(unit_gone=3), Change(unit=UnitPatch(id=3, hp=1))).units
    assert [*again] == [plunder.Unit(id=3, hp=1), VIEW.units[1]], "nothing is left of what it was before"


def test_a_structure_changes_its_owner_its_hp_and_its_queue() -> None:
    def wanted(view: plunder.View) -> None:
        view.structures[0].owner = 0
        view.structures[0].hp = 1
        view.structures[0].ClearField("queue")
        view.structures[0].queue_known = False

    owner, queue = StructurePatch.Owner(player=0), StructurePatch.Queue()
    assert changed(Change(structure=StructurePatch(id=2, owner=owner, hp=1, queue=queue))) == expected(wanted)
    neutral = changed(Change(structure=StructurePatch(id=2, owner=StructurePatch.Owner()))).structures[0]
    assert not neutral.HasField("owner") and neutral.queue_known and len(neutral.queue) == 1


def test_structures_come_and_go() -> None:
    jobs = [plunder.Job(turns_left=1), plunder.Job(turns_left=3)]
    patch = StructurePatch(id=1, hex=hex(3, 0), hp=5, queue=StructurePatch.Queue(jobs=jobs, known=True))
    came = changed(Change(structure=patch)).structures
    assert [*came] == [plunder.Structure(id=1, hex=hex(3, 0), hp=5, queue=jobs, queue_known=True), VIEW.structures[0]]
    assert [*changed(Change(structure_gone=2)).structures] == []
    assert changed(Change(structure_gone=1)) == VIEW, "structures have ids of their own"


def test_contests_are_known_by_their_tile() -> None:
    patch = ContestPatch(hex=hex(1, 1), rounds=2, contenders=ContestPatch.Contenders(units=[7]))
    assert [*changed(Change(contest=patch)).contests] == [
        plunder.Contest(hex=hex(1, 1), since=3, rounds=2, contenders=[7])
    ]
    before = ContestPatch(hex=hex(-1, 2), since=4, rounds=1, contenders=ContestPatch.Contenders(units=[5, 6]))
    came = changed(Change(contest=before)).contests
    assert [*came] == [plunder.Contest(hex=hex(-1, 2), since=4, rounds=1, contenders=[5, 6]), VIEW.contests[0]]
    assert [*changed(Change(contest_gone=hex(1, 1))).contests] == []
    assert changed(Change(contest_gone=hex(1, 0))) == VIEW


def test_a_player_loses_and_gains() -> None:
    def wanted(view: plunder.View) -> None:
        view.players[0].alive = False
        view.players[1].gold = -3

    patches = [Change(player=PlayerPatch(id=0, alive=False)), Change(player=PlayerPatch(id=1, gold=-3))]
    assert changed(*patches) == expected(wanted)


def test_sight_is_gained_with_the_ground_and_lost_without_forgetting_it() -> None:
    def wanted(view: plunder.View) -> None:
        view.terrain = bytes([0, 0, 1, 0, 0, 0, 0, 1, 255, 1, 255, 255])
        view.visible = bytes([0b11100111, 0b10])

    gained = [SightPatch.Gained(hex=hex(2, 0), terrain=1), SightPatch.Gained(hex=hex(0, 2), terrain=1)]
    patch = SightPatch(gained=gained, lost=[hex(0, 1), hex(0, 3), hex(4, 0), hex(-1, 1)])
    assert changed(Change(sight=patch)) == expected(wanted), "tiles that are not on the map are nothing"


def test_a_view_in_which_everything_is_seen_has_no_bits() -> None:
    dark = [(2, 0), (3, 0), (-1, 2), (0, 2), (1, 2), (2, 2)]
    gained = [SightPatch.Gained(hex=hex(*tile), terrain=0) for tile in dark]
    everything = changed(Change(sight=SightPatch(gained=gained)))
    assert everything.visible == b""
    again = apply(everything, [Change(sight=SightPatch(lost=[hex(1, 2)]))])
    assert again.visible == bytes([0xFF, 0b1011])


def test_the_turn_and_the_result_are_said() -> None:
    after = changed(Change(turn=5), Change(result=MatchResult(winner=1)))
    assert (after.turn, after.result) == (5, MatchResult(winner=1))


def test_every_kind_of_change_is_known_here() -> None:
    """A new kind of change in the protos needs a line in the module and a test."""
    kinds = {field.name for field in Change.DESCRIPTOR.oneofs_by_name["what"].fields}
    things = {"unit", "structure", "contest"}
    assert kinds == {*things, *(f"{thing}_gone" for thing in things), "player", "sight", "turn", "result"}
