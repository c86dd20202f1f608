"""Whom a turn asks, in which order, and how the questions are numbered."""

from typing import Any

import scenario

from parley.proof.orders import Choice
from parley.proof.resolve import resolve
from parley.proof.turn import Question

PASSING = (Choice.PROCEED, Choice.ATTACK)
ENTRY = (Choice.YIELD, Choice.ATTACK)


def ship(id: int, owner: int, at: tuple[int, int], *route: tuple[int, int], engagement: str = "ASK") -> dict[str, Any]:
    place = {"q": at[0], "r": at[1], "route": [list(step) for step in route]}
    return {"id": id, "owner": owner, "hp": 10, "engagement": engagement, **place}


UNITS = [
    # The hex of this encounter comes after that of the next, though its ships have lower ids.
    ship(1, 0, (4, 0), (5, 0)),
    ship(2, 1, (5, 0), (4, 0)),
    ship(3, 0, (4, 0), (5, 0), engagement="EVADE"),
    ship(11, 1, (0, 0), (1, 0)),
    ship(12, 0, (1, 0), (0, 0)),
    # These meet in the second tick.
    ship(20, 0, (-1, 2), (0, 2), (1, 2)),
    ship(21, 1, (1, 2)),
]


def asked(*peaceful: int) -> list[list[Question]]:
    """The windows of a turn in which these ships answer peacefully, and all others nothing."""
    match = scenario.read(
        {
            "seed": "00" * 32,
            "turn": 1,
            "map": {"width": 6, "height": 3, "tiles": ["......", "######", "......"]},
            "players": [{"id": 0}, {"id": 1}],
            "units": UNITS,
        }
    )
    windows: list[list[Question]] = []

    def ask(questions: list[Question]) -> dict[int, Choice]:
        windows.append(questions)
        return {each.unit: each.options[0] for each in questions if each.unit in peaceful}

    outcome = resolve(match.rules, match.grid, match.state, match.seed, {}, ask)
    decided = {event["unit"]: event["defaulted"] for event in outcome.events if event["type"] == "decided"}
    assert decided == {unit["id"]: unit["id"] not in (*peaceful, 3) for unit in UNITS}
    return windows


def test_questions_are_numbered_by_seat_through_the_turn_in_the_order_of_encounters_and_ships() -> None:
    first = [
        Question(seat=1, number=1, tick=1, unit=11, options=PASSING),
        Question(seat=0, number=1, tick=1, unit=12, options=PASSING),
        Question(seat=0, number=2, tick=1, unit=1, options=PASSING),
        Question(seat=1, number=2, tick=1, unit=2, options=PASSING),
    ]
    second = [
        Question(seat=0, number=3, tick=2, unit=20, options=ENTRY),
        Question(seat=1, number=3, tick=2, unit=21, options=ENTRY),
    ]
    assert asked() == [first, second]
    assert asked(1, 21) == [first, second]


def test_a_question_is_named_by_seat_number_and_ship() -> None:
    assert str(asked()[0][2]) == "seat 0, question 2 about unit 1"
