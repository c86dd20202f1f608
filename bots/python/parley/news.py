"""What happened in a turn of the naval game, in one list, each event with its own changes of the board."""

from __future__ import annotations

from dataclasses import dataclass

from . import v1
from .plunder import v1 as plunder


@dataclass
class Step:
    """Something that happened, and how the board changed with it."""

    event: plunder.Event | None
    """What happened; none for what is otherwise at the end of the turn, such as what is left of a route."""
    changes: list[plunder.Change]
    """The changes of the board; `parley.board` applies them."""


def steps(told: v1.Outcome | v1.Prompt) -> list[Step]:
    """Everything that a viewer learns of a turn, or of the turn so far where it asks, in order.

    An outcome tells separately what all viewers know alike and what only this one does; here the viewer's own events
    are where they happened. The last steps have the changes without an event.
    """
    if isinstance(told, v1.Prompt):
        return _paired(told.so_far, told.changes)
    shared = _paired(told.shared, told.shared_changes)
    own = _paired(told.own, told.own_changes)
    events = len(told.shared.plunder.events)
    merged: list[Step] = []
    place = 0
    for step in own:
        after = min(step.event.after, events) if step.event is not None else len(shared)
        if after > place:
            merged += shared[place:after]
            place = after
        merged.append(step)
    return merged + shared[place:]


def events(told: v1.Outcome | v1.Prompt) -> list[plunder.Event]:
    """The events alone."""
    return [step.event for step in steps(told) if step.event is not None]


def changes(outcome: v1.Outcome) -> list[plunder.Change]:
    """The changes of a turn in the order in which they make the next view of this one."""
    return [*outcome.shared_changes.plunder.changes, *outcome.own_changes.plunder.changes]


def _paired(news: v1.TurnNews, changes: v1.Changes) -> list[Step]:
    """The events of one list, each with as many of the changes beside them as it says."""
    rest = list(changes.plunder.changes)
    paired = []
    for event in news.plunder.events:
        paired.append(Step(event, rest[: event.changes]))
        del rest[: event.changes]
    return [*paired, Step(None, rest)] if rest else paired
