"""What happened in a turn is one list, each event with its own changes."""

from parley import v1
from parley.news import Step, changes, events, steps
from parley.plunder import v1 as plunder


def event(unit: int, own: int = 0, after: int = 0) -> plunder.Event:
    """One that is told by the unit that it is about."""
    return plunder.Event(sunk=plunder.Event.Sunk(unit=unit), changes=own, after=after)


def news(*told: plunder.Event) -> v1.TurnNews:
    return v1.TurnNews(plunder=plunder.TurnNews(events=told))


def patches(*units: int) -> v1.Changes:
    return v1.Changes(plunder=plunder.Changes(changes=[gone(unit) for unit in units]))


def gone(unit: int) -> plunder.Change:
    return plunder.Change(unit_gone=unit)


def test_own_events_are_placed_after_as_many_shared_ones_as_they_say() -> None:
    shared = [event(1), event(2), event(3)]
    own = [event(10, after=0), event(11, after=2), event(12, after=2), event(13, after=3)]
    told = events(v1.Outcome(shared=news(*shared), own=news(*own)))
    assert [each.sunk.unit for each in told] == [10, 1, 2, 11, 12, 3, 13]


def test_under_fog_everything_is_ones_own() -> None:
    own = [event(1), event(2)]
    assert events(v1.Outcome(own=news(*own))) == own
    assert events(v1.Outcome()) == []


def test_each_event_has_its_own_changes_and_the_rest_comes_last() -> None:
    shared = news(event(1, own=2), event(2), event(3, own=1))
    own = news(event(10, own=1, after=1))
    outcome = v1.Outcome(
        shared=shared, shared_changes=patches(1, 2, 3, 4), own=own, own_changes=patches(10, 11), turn=7
    )
    assert steps(outcome) == [
        Step(shared.plunder.events[0], [gone(1), gone(2)]),
        Step(own.plunder.events[0], [gone(10)]),
        Step(shared.plunder.events[1], []),
        Step(shared.plunder.events[2], [gone(3)]),
        Step(None, [gone(4)]),
        Step(None, [gone(11)]),
    ]
    assert changes(outcome) == [gone(unit) for unit in (1, 2, 3, 4, 10, 11)]


def test_a_prompt_tells_the_turn_so_far() -> None:
    told = news(event(1, own=1), event(2))
    prompt = v1.Prompt(so_far=told, changes=patches(1))
    assert steps(prompt) == [Step(told.plunder.events[0], [gone(1)]), Step(told.plunder.events[1], [])]
    assert events(prompt) == [*told.plunder.events]


def test_an_outcome_that_says_more_than_it_has_is_read_as_far_as_it_goes() -> None:
    own = news(event(10, own=5, after=9))
    told = steps(v1.Outcome(shared=news(event(1)), own=own, own_changes=patches(10)))
    assert [[each.changes, each.event] for each in told] == [
        [[], event(1)],
        [[gone(10)], own.plunder.events[0]],
    ]
