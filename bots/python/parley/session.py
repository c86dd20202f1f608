"""A session that outlives its connections.

News come in the order of their cursors, each exactly once, however often the connection is lost between them. A call
that was not answered when the connection was lost is repeated with its request id, which is made of what it says: so it
takes effect once, even if the process that made it was started anew in between.

It keeps the view of the match by the changes of the board that come with the news, so that nobody has to ask for views
turn by turn.

A session is for one task at a time. All its waiting can be given up and taken up again: cancelling `Session.next` loses
no news.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import grpc
import grpc.aio
from blake3 import blake3

from . import board, news, v1
from .backoff import Backoff, Retry
from .connect import Token
from .line import Broken, Line
from .refusal import Refusal

MAX_ANSWERS = 4096
"""How many answers a server takes in one request."""
MAX_QUEUED_NEWS = 32
"""News that are kept while a call is waited for. The server is asked again for those beyond."""
OPEN_TIMEOUT = 20.0
"""How many seconds a session may take to open."""
IDENTITY = "parley.v1 request ids of a session"


class SessionError(Exception):
    """A session cannot go on."""


class SessionRefused(SessionError):
    """The server refused, and trying again would not help."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(f"the server refused: {refusal}")
        self.refusal = refusal


class Lost(SessionError):
    """The server could not be reached, often enough."""

    def __init__(self, attempts: int, last: Refusal) -> None:
        super().__init__(f"the server could not be reached {attempts} times in a row: {last}")
        self.attempts = attempts
        self.last = last


class Over(SessionError):
    """The last news of the match were told already."""

    def __init__(self) -> None:
        super().__init__("the match is over")


class UnexpectedAnswer(SessionError):
    """The server sent something that makes no sense."""

    def __init__(self, asked: str) -> None:
        super().__init__(f"the server answered {asked} with something else")


class CallRefused(Exception):
    """A call was refused and changed nothing; the session goes on."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(str(refusal))
        self.refusal = refusal


@dataclass
class Snapshot:
    """How things are, after news that the server no longer tells one by one; the next news follow from here."""

    view: v1.GetViewResponse


class Session:
    """A player's, or a spectator's, way through one match."""

    def __init__(
        self,
        channel: grpc.aio.Channel,
        match_id: str,
        token: Token,
        *,
        after: int | None = None,
        views: bool = False,
        changes: bool = True,
        backoff: Backoff | None = None,
        traceparent: str = "",
    ) -> None:
        """A session that connects when it is first used.

        It begins with the news after a cursor, of which 0 is the beginning of the match; without one it begins with a
        view of how things are. With `views` each new turn comes with a view, and with `changes` each outcome says how
        the board changes. `traceparent` is the span that its calls belong to, as in W3C Trace Context.
        """
        self._play = v1.PlayStub(channel)
        self._match_id = match_id
        self._token = token
        self._views = views
        self._changes = changes
        self._view: v1.View | None = None
        self._view_cursor = 0
        """The news up to this cursor are in the view."""
        self._traceparent = traceparent
        self._line: Line | None = None
        self._cursor = after or 0
        self._queue: deque[v1.News | Snapshot] = deque()
        self._ahead = False
        """News came while the queue was full: the line has run ahead of the cursor."""
        self._behind = after is None
        """The news after the cursor cannot be had: a view is needed."""
        self._over = False
        self._seat: int | None = None
        self._calls = 0
        self._busy = False
        identity = blake3(bytes(token) + match_id.encode(), derive_key_context=IDENTITY).digest()
        self._identity = identity
        self._retry = Retry(backoff or Backoff(), int.from_bytes(identity[:8], "little"))

    async def __aenter__(self) -> Session:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connection, if there is one. The session can be used again."""
        if self._line is not None:
            self._line.close()
            self._line = None

    @property
    def seat(self) -> int | None:
        """The seat that the session speaks for, once it is known."""
        return self._seat

    @property
    def cursor(self) -> int:
        """The cursor of the newest news that were received."""
        return self._cursor

    @property
    def view(self) -> v1.View | None:
        """What can be seen in the turn that the last news were of, or in a newer one that was asked for.

        It comes from the view that the session began with, from `get_view`, or with a turn, and goes on by changes.
        There is none before the first of these, and after an outcome without changes.
        """
        return self._view

    def stop_board(self) -> None:
        """From now on news come without views and without changes, for whoever only waits for the end."""
        if self._views or self._changes:
            self._views = self._changes = False
            self.close()

    async def next(self) -> v1.News | Snapshot:
        """The next thing that is told. It is waited for as long as it takes; giving up waiting loses nothing."""
        with self._alone():
            while not self._queue:
                if self._over:
                    raise Over
                if self._ahead:
                    self.close()
                await self._connect(for_news=True)
                if self._line is not None and not self._queue:
                    self._answer_in(await self._hear(self._line))
            item = self._queue.popleft()
            self._look(item)
            return item

    # The calls, each one waited for and repeated until it is answered.

    async def lock_in(self, turn: int, sheet: v1.Sheet) -> v1.Receipt:
        """Freezes a sheet for a turn."""
        return await self._lock(v1.LockInRequest(turn=turn, sheet=sheet))

    async def lock_staged(self, turn: int) -> v1.Receipt:
        """Freezes what was staged for a turn."""
        return await self._lock(v1.LockInRequest(turn=turn))

    async def _lock(self, request: v1.LockInRequest) -> v1.Receipt:
        request.request_id = self._request_id("lock", request)
        answer = await self._call("lock_in", request, "a lock-in")
        assert isinstance(answer, v1.LockInResponse)
        if not answer.HasField("receipt"):
            raise UnexpectedAnswer("a lock-in")
        return answer.receipt

    async def stage(self, turn: int, sheet: v1.Sheet) -> v1.StageOrdersResponse:
        """Keeps orders on the server without freezing them."""
        request = v1.StageOrdersRequest(turn=turn, sheet=sheet)
        # The same orders can be staged again after others, which is another request.
        request.request_id = self._request_id(f"stage {self._calls}", request)
        answer = await self._call("stage_orders", request, "staged orders")
        assert isinstance(answer, v1.StageOrdersResponse)
        return answer

    async def answer(self, turn: int, window: int, answers: Iterable[v1.Answer]) -> None:
        """Answers questions of the window that is open, which has the number that the prompt says.

        A request has as many answers as a server takes at once; more go into several, one after the other.
        """
        said = list(answers)
        refused = None
        for first in range(0, max(len(said), 1), MAX_ANSWERS):
            request = v1.AnswerRequest(turn=turn, window=window, answers=said[first : first + MAX_ANSWERS])
            request.request_id = self._request_id("answer", request)
            try:
                await self._call("answer", request, "answers")
            except CallRefused as error:
                # The other answers are good without these, and the turn waits for them.
                if not error.refusal.is_about_content:
                    raise
                refused = refused or error
        if refused is not None:
            raise refused

    async def concede(self) -> v1.ConcedeResponse:
        """Gives up."""
        request = v1.ConcedeRequest()
        request.request_id = self._request_id("concede", request)
        answer = await self._call("concede", request, "a concession")
        assert isinstance(answer, v1.ConcedeResponse)
        return answer

    async def get_view(self) -> v1.GetViewResponse:
        """What can be seen now."""
        answer = await self._call("get_view", v1.GetViewRequest(), "a view")
        assert isinstance(answer, v1.GetViewResponse)
        self._see(answer)
        return answer

    async def advise(self, query: v1.Query) -> v1.Advice:
        """The answer to a question about the game; `parley.advice` asks those of the naval game."""
        answer = await self._call("advise", v1.AdviseRequest(query=query), "a question about the game")
        assert isinstance(answer, v1.AdviseResponse)
        return answer.advice

    def _request_id(self, kind: str, request: Any) -> str:
        """A name for a request that says the same thing to the same match for the same player.

        It tells nobody else what the request says.
        """
        said = kind.encode() + b"\0" + request.SerializeToString(deterministic=True)
        return blake3(said, key=self._identity).hexdigest()[:32]

    async def _call(self, what: str, request: Any, asked: str) -> Any:
        """Sends a call, again on each new line, until it is answered. News that come in between are kept for later."""
        with self._alone():
            self._calls += 1
            message = v1.SessionRequest(call=self._calls, traceparent=self._traceparent, **{what: request})
            sent_on: Line | None = None
            while True:
                await self._connect()
                line = self._line
                assert line is not None
                if sent_on is line:
                    heard = await self._hear(line)
                else:
                    heard = await self._hear(line, message)
                    if heard is None:
                        sent_on = line if self._line is line else None
                        continue
                answer = self._answer_in(heard)
                if answer is None or answer.call != message.call:
                    continue
                if answer.WhichOneof("what") == "refused":
                    await self._patience(Refusal.from_wire(answer.refused))
                    sent_on = None
                    continue
                if answer.WhichOneof("what") != what:
                    raise UnexpectedAnswer(asked)
                self._retry.succeeded()
                return getattr(answer, what)

    async def _patience(self, refusal: Refusal) -> None:
        """Waits where a refused call can be repeated."""
        if not refusal.is_passing or not self._retry.failed(refusal.retry_after or 0.0):
            raise CallRefused(refusal)
        await self._retry.wait()

    @contextmanager
    def _alone(self) -> Iterator[None]:
        if self._busy:
            raise RuntimeError("a session is for one task at a time")
        self._busy = True
        try:
            yield
        finally:
            self._busy = False

    # The connection.

    async def _connect(self, for_news: bool = False) -> None:
        """Sees to it that there is a line, unless what was told on the way makes one needless."""
        while self._line is None and not (for_news and self._queue):
            await self._retry.wait()
            try:
                await asyncio.wait_for(self._dial(), OPEN_TIMEOUT)
            except asyncio.TimeoutError:
                self._lose(Refusal.away("the session did not open in time"))
            except Broken as broken:
                self._lose(broken.refusal)
            except grpc.aio.AioRpcError as error:
                self._lose(Refusal.from_error(error))

    async def _dial(self) -> None:
        """One attempt at a line."""
        if self._behind:
            request = v1.GetViewRequest(match_id=self._match_id)
            self._take_view(await self._play.GetView(request, metadata=self._token.metadata))
            if self._over:
                return
        line = Line(self._play.Session(metadata=self._token.metadata))
        try:
            self._calls += 1
            opening = v1.SessionOpen(
                match_id=self._match_id, after=self._cursor, views=self._views, no_changes=not self._changes
            )
            heard = await line.hand_in(v1.SessionRequest(call=self._calls, open=opening)) or await line.hear()
            if heard.WhichOneof("what") == "refused":
                raise Broken(Refusal.from_wire(heard.refused))
            if heard.WhichOneof("what") != "opened":
                raise Broken(Refusal(grpc.StatusCode.INTERNAL, "the session did not open with an answer"))
        except BaseException:
            line.close()
            raise
        self._seat = heard.opened.seat if heard.opened.HasField("seat") else None
        self._ahead = False
        self._line = line

    async def _hear(self, line: Line, hand_in: v1.SessionRequest | None = None) -> v1.SessionResponse | None:
        """The next message of a line; nothing where a call was handed in, or where the line is lost."""
        try:
            return await line.hear() if hand_in is None else await line.hand_in(hand_in)
        except Broken as broken:
            self._lose(broken.refusal)
            return None

    def _answer_in(self, message: v1.SessionResponse | None) -> v1.SessionResponse | None:
        """Takes in a message; what is returned is an answer to a call."""
        if message is None or message.WhichOneof("what") is None:
            return None
        if message.WhichOneof("what") == "news":
            self._take_news(message.news)
            return None
        if message.WhichOneof("what") == "closed":
            # Everything was told. Calls are answered on another line.
            self.close()
            return None
        return message

    def _take_news(self, news: v1.News) -> None:
        what = news.WhichOneof("what")
        if what == "snapshot_required":
            self._behind = True
            self._lose(Refusal.away("the cursor is too old"))
            return
        if news.cursor <= self._cursor:
            return
        self._ahead = self._ahead or len(self._queue) >= MAX_QUEUED_NEWS
        if self._ahead:
            return
        if news.cursor > self._cursor + 1:
            self._lose(Refusal.away("the server left out news"))
            return
        self._cursor = news.cursor
        self._over = what == "match_stopped" or (what == "outcome" and news.outcome.HasField("ended"))
        self._queue.append(news)
        self._retry.succeeded()

    def _take_view(self, view: v1.GetViewResponse) -> None:
        self._behind = False
        self._cursor = view.cursor
        self._over = view.phase == v1.PHASE_OVER
        self._queue.append(Snapshot(view))

    # The view.

    def _look(self, item: v1.News | Snapshot) -> None:
        """Brings the view to where the news are that are handed out now."""
        if isinstance(item, Snapshot):
            self._see(item.view)
            return
        what = item.WhichOneof("what")
        if item.cursor <= self._view_cursor or what not in ("turn_opened", "outcome"):
            return
        self._view_cursor = item.cursor
        opened = item.turn_opened if what == "turn_opened" else item.outcome.next
        if opened.HasField("view"):
            self._view = opened.view
        elif what == "outcome" and self._view is not None:
            self._view = _after(self._view, item.outcome)

    def _see(self, told: v1.GetViewResponse) -> None:
        """Takes a view that was asked for."""
        if told.HasField("view") and told.cursor >= self._view_cursor:
            self._view, self._view_cursor = told.view, told.cursor

    def _lose(self, refusal: Refusal) -> None:
        """Gives up the line; an error where trying again would not help."""
        if self._line is not None:
            self._retry.stood(asyncio.get_running_loop().time() - self._line.since)
            self.close()
        if not refusal.is_passing:
            raise SessionRefused(refusal)
        if not self._retry.failed(refusal.retry_after or 0.0):
            raise Lost(self._retry.failures, refusal)


def _after(view: v1.View, outcome: v1.Outcome) -> v1.View | None:
    """The view after an outcome; none where its changes do not lead there, as in a stream without them."""
    if view.WhichOneof("game") != "plunder":
        return None
    after = board.apply(view.plunder, news.changes(outcome))
    planned = outcome.next.turn if outcome.HasField("next") else after.turn
    return v1.View(plunder=after) if after.turn == planned else None
