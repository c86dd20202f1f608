"""How a policy answers what it is asked."""

import fake
import grpc
import pytest
from fake import Fake, story

from parley import v1
from parley.backoff import Backoff
from parley.common.v1 import MatchResult
from parley.connect import Token
from parley.play import MatchEnd, OtherGame, play
from parley.plunder import v1 as plunder
from parley.policy import Policy, answer, default, encounter
from parley.session import Session


def test_a_policy_has_two_methods() -> None:
    assert Policy.__abstractmethods__ == {"orders", "answers"}


def test_options_are_picked_by_their_words() -> None:
    asked = fake.question(3, 7, "proceed")
    assert answer(asked, "attack") == v1.Answer(question=3, options=[1])
    assert answer(asked, "proceed") == v1.Answer(question=3, options=[0])
    with pytest.raises(ValueError, match=r"^question 3 has no option yield; it has proceed, attack$"):
        answer(asked, "yield")


def test_options_that_are_units_and_structures_are_picked_as_they_are() -> None:
    option = v1.Question.Option
    asked = v1.Question(id=2, options=[option(unit=7), option(structure=7), option(unit=8)], min=1, max=2, default=[2])
    assert answer(asked, option(unit=8), option(structure=7)) == v1.Answer(question=2, options=[2, 1])
    assert default(asked) == v1.Answer(question=2, options=[2])
    with pytest.raises(ValueError, match=r"^question 2 has no option structure 8; it has unit 7, structure 7, unit 8$"):
        answer(asked, option(structure=8))


def test_a_question_knows_its_encounter() -> None:
    met = [
        plunder.Encounter(tick=1, kind=plunder.ENCOUNTER_KIND_PASSING, group=5),
        plunder.Encounter(tick=1, kind=plunder.ENCOUNTER_KIND_ENTRY, group=7),
    ]
    so_far = v1.TurnNews(plunder=plunder.TurnNews(encounters=met))
    asked = [v1.Question(group=7), v1.Question(group=5), v1.Question(), v1.Question(group=6)]
    prompt = v1.Prompt(so_far=so_far, questions=asked)
    assert [encounter(prompt, each) for each in prompt.questions] == [met[1], met[0], None, None]


class Sparing(Policy):
    """Answers only about ship 9."""

    seen: list[tuple[plunder.View, v1.Prompt]]

    def __init__(self) -> None:
        self.seen = []

    def orders(self, view: plunder.View) -> plunder.Sheet:
        return plunder.Sheet()

    def answers(self, view: plunder.View, prompt: v1.Prompt) -> list[v1.Answer]:
        self.seen.append((view, prompt))
        return [answer(question, "attack") for question in prompt.questions if question.about.unit == 9]


def served(request: v1.SessionRequest) -> v1.SessionResponse:
    if request.WhichOneof("what") == "lock_in":
        return v1.SessionResponse(lock_in=v1.LockInResponse(receipt=v1.Receipt()))
    return v1.SessionResponse(answer=v1.AnswerResponse(turn=request.answer.turn, window=request.answer.window))


def test_questions_that_a_policy_leaves_out_are_answered_with_their_defaults() -> None:
    """Otherwise everybody would wait for the deadline, which a match need not have."""
    view = plunder.View(seat=1, turn=5, players=[plunder.Player(id=1, alive=True)])
    asked = v1.Prompt(turn=5, window=2, questions=[fake.question(4, 7), fake.question(5, 9), fake.question(6, 11)])
    told = [
        v1.News(cursor=1, turn_opened=v1.TurnOpened(turn=5, view=v1.View(plunder=view))),
        v1.News(cursor=2, prompt=asked),
        v1.News(cursor=3, outcome=v1.Outcome(turn=5, ended=v1.MatchEnded(result=MatchResult(winner=0)))),
    ]
    server = Fake(told, answer=served)
    policy = Sparing()
    ends: list[MatchEnd] = []

    async def run(channel: grpc.aio.Channel) -> None:
        session = Session(channel, "match", Token("t"), after=0, backoff=Backoff(0.001, 0.002, 4))
        ends.append(await play(session, policy))

    story(server, run)
    assert policy.seen == [(view, asked)] and ends[0].refused == 0
    (request,) = [each.answer for each in server.called if each.WhichOneof("what") == "answer"]
    assert (request.turn, request.window) == (5, 2)
    assert {each.question: [*each.options] for each in request.answers} == {4: [0], 5: [1], 6: [0]}
    assert len(request.answers) == 3
    (locked,) = [each.lock_in for each in server.called if each.WhichOneof("what") == "lock_in"]
    assert locked.sheet.WhichOneof("game") == "plunder", "no orders are orders of the game, too"


def test_a_match_of_another_game_is_not_played() -> None:
    server = Fake([v1.News(cursor=1, turn_opened=v1.TurnOpened(turn=1, view=v1.View()))])

    async def run(channel: grpc.aio.Channel) -> None:
        session = Session(channel, "match", Token("t"), after=0, backoff=Backoff(0.001, 0.002, 4))
        with pytest.raises(OtherGame, match=r"^the match is not one of the naval game, "):
            await play(session, Sparing())

    story(server, run)
    assert server.called == []
