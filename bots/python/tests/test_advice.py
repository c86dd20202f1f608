"""Questions about the game, asked within a session."""

from collections.abc import Callable

import fake
import grpc.aio
import pytest
from fake import Fake, story

from parley import advice, v1
from parley.backoff import Backoff
from parley.common.v1 import Hex
from parley.connect import Token
from parley.plunder import v1 as plunder
from parley.session import Session, UnexpectedAnswer


def session(channel: grpc.aio.Channel) -> Session:
    return Session(channel, "match", Token("t"), after=0, backoff=Backoff(0.001, 0.002, 4))


def advising(answer: Callable[[plunder.Query], plunder.Advice]) -> Fake:
    """A server that answers questions about the naval game, and a match in which nothing happens."""

    def served(request: v1.SessionRequest) -> v1.SessionResponse:
        said = v1.Advice(plunder=answer(request.advise.query.plunder))
        return v1.SessionResponse(advise=v1.AdviseResponse(advice=said))

    return Fake([fake.turn(1)], answer=served)


def test_a_session_asks_as_it_is_told_to() -> None:
    query = v1.Query(plunder=plunder.Query(path=plunder.PathQuery(unit=3, target=Hex(q=-1, r=2))))
    course = plunder.Course(legs=[plunder.Leg(hex=Hex(q=-1, r=2), tick=1)], turns=1)
    server = advising(lambda _: plunder.Advice(path=course))

    async def told(channel: grpc.aio.Channel) -> None:
        async with session(channel) as mine:
            assert (await mine.advise(query)).plunder.path == course
            assert await advice.path(mine, 3, Hex(q=-1, r=2)) == course

    story(server, told)
    assert [request.advise for request in server.called] == [v1.AdviseRequest(query=query)] * 2


def test_options_are_asked_for_until_all_are_told() -> None:
    """Anew, where the turn ends in between, because options of two turns are not to be mixed."""
    turns = [4, 5, 5, 5, 5]

    def answer(query: plunder.Query) -> plunder.Advice:
        turn, asked = turns.pop(0), query.options
        told = plunder.Options(turn=turn)
        if asked.first_structure:
            told.structures.add(structure=asked.first_structure)
        elif asked.first_unit:
            told.units.add(unit=asked.first_unit)
            told.next_structure = 2
        else:
            told.units.add(unit=1)
            told.next_unit = 7
        return plunder.Advice(options=told)

    async def told(channel: grpc.aio.Channel) -> None:
        async with session(channel) as mine:
            found = await advice.options(mine)
        assert found.turn == 5 and not (found.next_unit or found.next_structure)
        assert [each.unit for each in found.units] == [1, 7]
        assert [each.structure for each in found.structures] == [2]

    story(advising(answer), told)
    assert turns == []


def test_odds_are_those_of_the_fight_that_was_named() -> None:
    odds = plunder.CombatOdds(ships=[plunder.ShipOdds(sinks_ppm=1), plunder.ShipOdds(sinks_ppm=2)])
    server = advising(lambda _: plunder.Advice(odds=odds))

    async def told(channel: grpc.aio.Channel) -> None:
        async with session(channel) as mine:
            assert await advice.odds(mine, 1, 4, rounds=3, attacker=plunder.ATTACKER_FIRST) == odds

    story(server, told)
    asked = plunder.OddsQuery(first=1, second=4, rounds=3, attacker=plunder.ATTACKER_FIRST)
    assert server.called[0].advise.query.plunder.odds == asked


def test_another_answer_than_the_one_that_was_asked_for_is_none() -> None:
    async def told(channel: grpc.aio.Channel) -> None:
        async with session(channel) as mine:
            with pytest.raises(UnexpectedAnswer, match=r"^the server answered a question about the game with"):
                await advice.options(mine)

    story(advising(lambda _: plunder.Advice(odds=plunder.CombatOdds())), told)
