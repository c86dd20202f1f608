"""What a session promises, against a server that breaks everything it can."""

import asyncio
from datetime import timedelta

import fake
import grpc
import grpc.aio
import pytest
from fake import Fake, story

from parley import v1
from parley.backoff import Backoff, Retry
from parley.common.v1 import Fault
from parley.connect import ConnectError, Token, connect
from parley.plunder import v1 as plunder
from parley.session import MAX_ANSWERS, MAX_QUEUED_NEWS, CallRefused, Lost, Over, Session, SessionRefused, Snapshot

QUICK = Backoff(first=0.001, longest=0.01, attempts=20)
MATCH = "a match"
TOKEN = Token("secret")
EMPTY = v1.Sheet(plunder=plunder.Sheet())


def session(channel: grpc.aio.Channel, after: int | None = 0, backoff: Backoff = QUICK) -> Session:
    return Session(channel, MATCH, TOKEN, after=after, backoff=backoff)


def locked(request: v1.SessionRequest) -> v1.SessionResponse:
    return v1.SessionResponse(lock_in=v1.LockInResponse(receipt=v1.Receipt(turn=request.lock_in.turn)))


@pytest.mark.parametrize("cut_after", [2, 3, 5, None])
def test_news_come_in_order_and_once(cut_after: int | None) -> None:
    server = Fake([fake.turn(number) for number in range(1, 13)], cut_after)

    async def told(channel: grpc.aio.Channel) -> None:
        async with session(channel) as mine:
            heard = [await mine.next() for _ in range(12)]
            assert mine.cursor == 12 and mine.seat == 1
        assert heard == server.news

    story(server, told)
    assert len(server.opened) == {2: 12, 3: 6, 5: 3, None: 1}[cut_after]


def opened(turn: int) -> v1.View:
    return v1.View(plunder=plunder.View(turn=turn, seat=1, units=[plunder.Unit(id=7, hp=turn)]))


def outcome(turn: int, *, changes: bool = True) -> v1.News:
    """The news of a turn, whose only ship has as many hp as turns have begun. Its cursor is that of the turn."""
    shared = [plunder.Change(unit=plunder.UnitPatch(id=7, hp=turn + 1))]
    own = [plunder.Change(turn=turn + 1)]
    told = v1.Outcome(turn=turn, next=v1.TurnOpened(turn=turn + 1))
    if changes:
        told.shared_changes.plunder.changes.extend(shared)
        told.own_changes.plunder.changes.extend(own)
    return v1.News(cursor=turn, outcome=told)


@pytest.mark.parametrize("cut_after", [2, 3, None])
def test_the_view_follows_the_news_that_were_handed_out(cut_after: int | None) -> None:
    server = Fake([outcome(turn) for turn in range(1, 7)], cut_after)
    server.view = opened(2)
    server.view_cursor = 1

    async def told(channel: grpc.aio.Channel) -> None:
        async with session(channel, after=None) as mine:
            assert mine.view is None
            assert isinstance(await mine.next(), Snapshot) and mine.view == opened(2)
            for turn in range(2, 7):
                await mine.next()
                assert mine.view == opened(turn + 1)

    story(server, told)
    assert not any(each.views or each.no_changes for each in server.opened)


def test_a_view_that_was_asked_for_is_not_changed_by_older_news() -> None:
    server = Fake([outcome(turn) for turn in range(1, 5)])
    served = v1.GetViewResponse(view=opened(4), cursor=3)
    server.answer = lambda _: v1.SessionResponse(get_view=served)

    async def told(channel: grpc.aio.Channel) -> None:
        async with session(channel) as mine:
            await mine.next()
            assert mine.view is None, "nobody has told a view yet"
            await mine.get_view()
            assert mine.view == opened(4)
            seen = [(await mine.next(), mine.view)[1] for _ in range(3)]
            assert seen == [opened(4), opened(4), opened(5)]
            await mine.get_view()
            assert mine.view == opened(5), "an answer that is older than the news is not taken"

    story(server, told)


def test_without_changes_there_is_no_view_until_one_is_told() -> None:
    later = outcome(2, changes=False)
    later.outcome.next.view.CopyFrom(opened(3))
    server = Fake([outcome(1, changes=False), later])
    server.view, server.view_cursor = opened(1), 0

    async def told(channel: grpc.aio.Channel) -> None:
        async with Session(channel, MATCH, TOKEN, backoff=QUICK, changes=False) as mine:
            assert isinstance(await mine.next(), Snapshot) and mine.view == opened(1)
            await mine.next()
            assert mine.view is None
            await mine.next()
            assert mine.view == opened(3), "views are possible still"

    story(server, told)
    assert [each.no_changes for each in server.opened] == [True]


def test_whoever_waits_for_the_end_alone_is_told_no_board() -> None:
    server = Fake([fake.turn(1), fake.turn(2)])

    async def told(channel: grpc.aio.Channel) -> None:
        async with Session(channel, MATCH, TOKEN, after=0, views=True, backoff=QUICK) as mine:
            await mine.next()
            mine.stop_board()
            await mine.next()

    story(server, told)
    assert [(each.views, each.no_changes) for each in server.opened] == [(True, False), (False, True)]


def test_giving_up_waiting_loses_nothing() -> None:
    server = Fake([fake.turn(1)])

    async def told(channel: grpc.aio.Channel) -> None:
        async with session(channel) as mine:
            assert await mine.next() == fake.turn(1)
            for _ in range(3):
                with pytest.raises(asyncio.TimeoutError):
                    await asyncio.wait_for(mine.next(), 0.02)
            server.answer = locked
            assert (await mine.lock_in(7, EMPTY)).turn == 7

    story(server, told)
    assert len(server.opened) == 1


def test_calls_say_whose_trace_they_belong_to() -> None:
    server = Fake([fake.turn(1)])
    heard: list[str] = []

    def answer(request: v1.SessionRequest) -> v1.SessionResponse:
        heard.append(request.traceparent)
        return locked(request)

    async def told(channel: grpc.aio.Channel) -> None:
        server.answer = answer
        span = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        async with Session(channel, MATCH, TOKEN, after=0, backoff=QUICK, traceparent=span) as mine:
            await mine.lock_in(7, EMPTY)
        assert heard == [span]

    story(server, told)


def test_a_call_is_repeated_with_the_same_request_id() -> None:
    fails = 3

    def answer(request: v1.SessionRequest) -> v1.SessionResponse | None:
        nonlocal fails
        fails -= 1
        return locked(request) if fails < 0 else None

    server = Fake([], answer=answer)
    sheet = v1.Sheet(plunder=plunder.Sheet(concede=True))

    async def told(channel: grpc.aio.Channel) -> None:
        async with session(channel) as first, session(channel) as second:
            assert (await first.lock_in(3, sheet)).turn == 3
            # One that was started anew and says the same is the same.
            await second.lock_in(3, sheet)
            await second.lock_in(4, sheet)
        async with Session(channel, MATCH, Token("another"), after=0) as other:
            await other.lock_in(3, sheet)

    story(server, told)
    ids = [request.lock_in.request_id for request in server.called]
    assert len(ids) == 7 and len(set(ids[:5])) == 1 and len(set(ids)) == 3
    assert all(len(id) == 32 for id in ids)


def test_a_call_after_the_channel_was_closed_is_made_on_another_line() -> None:
    closed = [v1.SessionResponse(closed=v1.SessionClosed(reason=v1.SESSION_CLOSED_REASON_MATCH_OVER))]

    def answer(request: v1.SessionRequest) -> v1.SessionResponse:
        return closed.pop() if closed else v1.SessionResponse(get_view=v1.GetViewResponse(cursor=9))

    server = Fake([fake.turn(1)], answer=answer)

    async def told(channel: grpc.aio.Channel) -> None:
        async with session(channel) as mine:
            assert (await mine.get_view()).cursor == 9

    story(server, told)
    assert len(server.opened) == len(server.called) == 2


def test_answers_name_their_turn_and_window_and_are_repeated_with_the_same_request_id() -> None:
    fails = 1

    def answer(request: v1.SessionRequest) -> v1.SessionResponse | None:
        nonlocal fails
        fails -= 1
        return v1.SessionResponse(answer=v1.AnswerResponse()) if fails < 0 else None

    server = Fake([], answer=answer)
    answers = [v1.Answer(question=2, options=[1]), v1.Answer(question=3, options=[0])]

    async def told(channel: grpc.aio.Channel) -> None:
        async with session(channel) as mine:
            await mine.answer(7, 2, answers)
            await mine.answer(7, 3, answers)

    story(server, told)
    first, again, other = [request.answer for request in server.called]
    assert (first.turn, first.window, [*first.answers]) == (7, 2, answers)
    assert first == again and len(first.request_id) == 32
    assert (other.turn, other.window) == (7, 3) and other.request_id != first.request_id


def test_a_view_takes_the_place_of_news_that_are_too_old() -> None:
    server = Fake([fake.turn(number) for number in range(1, 6)], oldest=4)

    async def told(channel: grpc.aio.Channel) -> None:
        async with session(channel, after=1) as mine:
            item = await mine.next()
            assert isinstance(item, Snapshot) and item.view.cursor == mine.cursor == 5
            server.news.append(fake.turn(6))
            mine.close()
            assert await mine.next() == fake.turn(6)

    story(server, told)


def test_a_session_can_begin_with_a_view() -> None:
    server = Fake([fake.turn(number) for number in range(1, 4)])

    async def told(channel: grpc.aio.Channel) -> None:
        async with session(channel, after=None) as mine:
            assert isinstance(await mine.next(), Snapshot)

    story(server, told)


def test_news_that_were_left_out_are_asked_for_again() -> None:
    server = Fake([fake.turn(1), fake.turn(3)])

    async def told(channel: grpc.aio.Channel) -> None:
        async with session(channel) as mine:
            assert await mine.next() == fake.turn(1)
            server.news.insert(1, fake.turn(2))
            assert [await mine.next(), await mine.next()] == [fake.turn(2), fake.turn(3)]

    story(server, told)


def test_more_news_than_are_kept_come_later() -> None:
    many = 3 * MAX_QUEUED_NEWS
    server = Fake([fake.turn(number) for number in range(1, many + 1)], answer=locked)

    async def told(channel: grpc.aio.Channel) -> None:
        async with session(channel) as mine:
            await mine.lock_in(1, EMPTY)
            assert len(mine._queue) == MAX_QUEUED_NEWS
            assert [await mine.next() for _ in range(many)] == server.news

    story(server, told)


def test_the_end_is_the_end() -> None:
    outcome = v1.Outcome(turn=1, ended=v1.MatchEnded())
    server = Fake([v1.News(cursor=1, outcome=outcome)])

    async def told(channel: grpc.aio.Channel) -> None:
        async with session(channel) as mine:
            await mine.next()
            with pytest.raises(Over, match="the match is over"):
                await mine.next()

    story(server, told)


def test_it_gives_up_in_one_sentence() -> None:
    server = Fake(refusing=(grpc.StatusCode.UNAVAILABLE, "gone\nfishing"))

    async def told(channel: grpc.aio.Channel) -> None:
        with pytest.raises(Lost) as lost:
            await session(channel, backoff=Backoff(0.001, 0.002, 4)).next()
        said = "the server could not be reached 5 times in a row: gone fishing (UNAVAILABLE)"
        assert str(lost.value) == said

    story(server, told)


def test_a_refusal_that_does_not_pass_ends_it_at_once() -> None:
    server = Fake(refusing=(grpc.StatusCode.UNAUTHENTICATED, "whose?"))

    async def told(channel: grpc.aio.Channel) -> None:
        with pytest.raises(SessionRefused, match=r"^the server refused: whose\? \(UNAUTHENTICATED\)$"):
            await session(channel).next()

    story(server, told)


def test_more_answers_than_a_request_takes_go_into_several() -> None:
    taken: list[int] = []

    def count(request: v1.SessionRequest) -> v1.SessionResponse:
        taken.extend(each.question for each in request.answer.answers)
        assert len(request.answer.answers) <= MAX_ANSWERS
        return v1.SessionResponse(answer=v1.AnswerResponse(turn=1, window=1))

    server = Fake(answer=count)
    many = range(2 * MAX_ANSWERS + 1)

    async def told(channel: grpc.aio.Channel) -> None:
        async with session(channel) as mine:
            await mine.answer(1, 1, (v1.Answer(question=id, options=[0]) for id in many))

    story(server, told)
    assert taken == [*many] and len(server.called) == 3


def test_a_refused_call_leaves_the_session_standing() -> None:
    soon = timedelta(milliseconds=1)
    patience = [v1.Refusal(code=8, message="slowly", reason=v1.REASON_RATE_LIMITED, retry_after=soon)]

    def answer(request: v1.SessionRequest) -> v1.SessionResponse:
        if patience:
            return v1.SessionResponse(refused=patience.pop())
        if request.lock_in.turn == 9:
            fault = Fault(rule="R5.5", text="no path")
            bad = v1.Refusal(code=3, message="bad", reason=v1.REASON_ORDERS_INVALID, faults=[fault])
            return v1.SessionResponse(refused=bad)
        return locked(request)

    server = Fake(answer=answer)

    async def told(channel: grpc.aio.Channel) -> None:
        async with session(channel) as mine:
            assert (await mine.lock_in(1, EMPTY)).turn == 1
            with pytest.raises(CallRefused, match=r"^bad \(ORDERS_INVALID\)$") as refused:
                await mine.lock_in(9, EMPTY)
            assert refused.value.refusal.is_about_content and refused.value.refusal.faults[0].rule == "R5.5"
            assert (await mine.lock_in(2, EMPTY)).turn == 2

    story(server, told)
    assert len(server.opened) == 1 and len(server.called) == 4


def test_a_session_is_for_one_task() -> None:
    async def told(channel: grpc.aio.Channel) -> None:
        async with session(channel) as mine:
            waiting = asyncio.ensure_future(mine.next())
            await asyncio.sleep(0)
            with pytest.raises(RuntimeError, match="one task at a time"):
                await mine.get_view()
            waiting.cancel()

    story(Fake(), told)


def test_waits_double_up_to_the_longest_and_end() -> None:
    async def told() -> None:
        bounds = Backoff(0.1, 2.0, 40)
        retry = Retry(bounds, 3)
        for failures in range(40):
            assert retry.failed()
            whole = min(0.1 * 2**failures, 2.0)
            assert whole / 2 <= retry.delay() <= whole
        assert not retry.failed()
        retry.succeeded()
        assert retry.failed()

    asyncio.run(told())


@pytest.mark.parametrize("address", ["", "http://", "ftp://host", "a b", "http://host:port", "http://host/path"])
def test_addresses_that_make_no_sense_are_named(address: str) -> None:
    with pytest.raises(ConnectError, match=r"is not an address such as http://127\.0\.0\.1:7400"):
        asyncio.run(connect(address))


def test_a_token_is_never_shown() -> None:
    assert "secret" not in f"{TOKEN} {TOKEN!r}".replace("Token(secret)", "")
    assert TOKEN.metadata == [("authorization", "Bearer secret")] and Token().metadata == []
    with pytest.raises(ConnectError, match="printable"):
        Token("two\nlines")
