"""A server that plays nothing: it says what a test wants, and cuts lines when a test wants."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import grpc
import grpc.aio

from parley import v1
from parley.common.v1 import Subject
from parley.v1.play_pb2_grpc import PlayServicer, add_PlayServicer_to_server


@dataclass
class Fake(PlayServicer):
    """News are numbered from 1. `cut_after` says how many messages a line carries, the opening included."""

    news: list[v1.News] = field(default_factory=list)
    cut_after: int | None = None
    oldest: int = 1
    """Older news are not told one by one any more."""
    view: v1.View | None = None
    """What can be seen after the news up to `view_cursor`."""
    view_cursor: int | None = None
    answer: Callable[[v1.SessionRequest], v1.SessionResponse | None] | None = None
    opened: list[v1.SessionOpen] = field(default_factory=list)
    called: list[v1.SessionRequest] = field(default_factory=list)
    refusing: tuple[grpc.StatusCode, str] | None = None

    async def GetView(self, request: v1.GetViewRequest, context: Any) -> v1.GetViewResponse:
        cursor = len(self.news) if self.view_cursor is None else self.view_cursor
        return v1.GetViewResponse(phase=v1.PHASE_PLANNING, cursor=cursor, view=self.view)

    async def Session(self, requests: AsyncIterator[v1.SessionRequest], context: Any) -> None:
        if self.refusing is not None:
            await context.abort(*self.refusing)
        left = Left(self.cut_after)
        first = await anext(requests)
        self.opened.append(first.open)
        await self.say(context, left, v1.SessionResponse(call=first.call, opened=v1.SessionOpened(seat=1)))
        after = first.open.after
        if after + 1 < self.oldest:
            required = v1.News(snapshot_required=v1.SnapshotRequired(newest=len(self.news)))
            await self.say(context, left, v1.SessionResponse(news=required))
            await asyncio.Event().wait()
        for news in self.news[after:]:
            await self.say(context, left, v1.SessionResponse(news=news))
        async for request in requests:
            self.called.append(request)
            answer = self.answer(request) if self.answer else None
            if answer is not None:
                answer.call = request.call
                await self.say(context, left, answer)
            else:
                await context.abort(grpc.StatusCode.UNAVAILABLE, "cut")

    async def say(self, context: Any, left: "Left", message: v1.SessionResponse) -> None:
        if left.count == 0:
            await context.abort(grpc.StatusCode.UNAVAILABLE, "cut")
        if left.count is not None:
            left.count -= 1
        await context.write(message)


@dataclass
class Left:
    count: int | None


def turn(number: int) -> v1.News:
    return v1.News(cursor=number, turn_opened=v1.TurnOpened(turn=number))


def question(id: int, unit: int, evasion: str = "yield") -> v1.Question:
    """What the owner of a ship that met others is asked."""
    options = [v1.Question.Option(word=evasion), v1.Question.Option(word="attack")]
    return v1.Question(
        id=id,
        kind="encounter",
        rule="R7.2",
        tick=1,
        group=1,
        about=Subject(unit=unit),
        options=options,
        min=1,
        max=1,
        default=[0],
    )


def story(fake: Fake, told: Callable[[grpc.aio.Channel], Awaitable[None]]) -> None:
    """Runs a test beside the fake."""

    async def run() -> None:
        server = grpc.aio.server()
        add_PlayServicer_to_server(fake, server)
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        channel = grpc.aio.insecure_channel(f"127.0.0.1:{port}")
        try:
            await asyncio.wait_for(told(channel), 30)
        finally:
            await channel.close()
            await server.stop(None)

    asyncio.run(run())
