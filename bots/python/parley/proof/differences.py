"""Where two states that should be one first differ, and since when."""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

from .reckoning import result_fields
from .state import State
from .turn import Event


@dataclass(frozen=True)
class Difference:
    """A field that is told otherwise than it was computed."""

    about: str
    field: str
    told: str
    computed: str
    tick: int | None = None
    """The last tick in which something happened to it."""


def first(told: State, computed: State, events: list[Event]) -> Difference | None:
    """The first difference, in the order of the encoding."""
    return next(_all(told, computed, events), None)


def _all(told: State, computed: State, events: list[Event]) -> Iterator[Difference]:
    for name in ("turn", "next_unit", "next_structure"):
        if getattr(told, name) != getattr(computed, name):
            yield Difference("the state", name, str(getattr(told, name)), str(getattr(computed, name)))
    if told.result != computed.result:
        yield Difference(
            "the state", "result", _shown(result_fields(told.result)), _shown(result_fields(computed.result))
        )
    for kind, ours, theirs in (
        ("player", told.players, computed.players),
        ("unit", told.units, computed.units),
        ("structure", told.structures, computed.structures),
        ("contest", told.contests, computed.contests),
    ):
        yield from _items(kind, ours, theirs, events)


def _items(kind: str, told: dict[Any, Any], computed: dict[Any, Any], events: list[Event]) -> Iterator[Difference]:
    for id in sorted(told.keys() | computed.keys()):
        about = f"{kind} {id}" if kind != "contest" else f"contest at {id}"
        if id not in told or id not in computed:
            here, by_the_rules = ("there" if id in side else "not there" for side in (told, computed))
            yield Difference(about, "it", here, by_the_rules, last_tick(kind, id, "", events))
            continue
        for each in fields(told[id]):
            mine, other = getattr(told[id], each.name), getattr(computed[id], each.name)
            if mine != other:
                yield Difference(about, each.name, _shown(mine), _shown(other), last_tick(kind, id, each.name, events))


def _shown(value: Any) -> str:
    if value is None:
        return "none"
    if hasattr(value, "name"):
        return str(value.name)
    return str(value)


CHANGES = {
    "hex": {"moved", "gave_way", "spawned"},
    "hp": {"exchange", "sunk", "repaired", "upgraded", "bombarded", "captured"},
    "route": {"moved", "blocked", "decided", "gave_way"},
    "engagement": set(),
}
"""The events that change a field, for fields that not everything changes."""


def last_tick(kind: str, id: Any, name: str, events: list[Event]) -> int | None:
    """The last tick of a turn in which something happened to a field of whatever is meant."""
    for place in reversed(range(len(events))):
        event = events[place]
        if event["type"] == "skipped" or not _concerns(kind, id, event):
            continue
        if event["type"] not in CHANGES.get(name, {event["type"]}):
            continue
        if "tick" in event:
            return int(event["tick"])
        if event.get("reason") == "salvage":
            # Salvage follows the sinking that it comes from.
            sinking = (each["tick"] for each in reversed(events[:place]) if "tick" in each)
            return int(next(sinking))
        return None
    return None


def _concerns(kind: str, id: Any, event: Event) -> bool:
    if kind == "contest":
        place = event.get("from") if event["type"] == "withdrew" else [event.get("q"), event.get("r")]
        return bool(place == list(id))
    names = {"player": ("player",), "unit": ("unit", "attacker", "defender"), "structure": ("structure",)}[kind]
    return any(event.get(name) == id for name in names)
