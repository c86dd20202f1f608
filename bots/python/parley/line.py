"""One connection of a session while it stands."""

from __future__ import annotations

import asyncio
from typing import Any

import grpc
import grpc.aio

from . import v1
from .refusal import Refusal


class Broken(Exception):
    """The line has ended, and why."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(str(refusal))
        self.refusal = refusal


class Line:
    """A stream of calls and answers. Waiting for it can be given up and taken up again: nothing is lost by it."""

    def __init__(self, call: grpc.aio.StreamStreamCall) -> None:
        self._call = call
        self._reading: asyncio.Task[Any] | None = None
        self._writing: asyncio.Task[Any] | None = None
        self._written = 0
        self.since = asyncio.get_running_loop().time()

    async def hear(self) -> v1.SessionResponse:
        """The next message."""
        reading = self._read()
        await asyncio.wait({reading})
        return self._heard()

    async def hand_in(self, request: v1.SessionRequest) -> v1.SessionResponse | None:
        """Hands in a call. A message that comes first is returned, and the call has to be handed in again."""
        while True:
            if self._writing is None:
                self._writing = asyncio.ensure_future(self._call.write(request))
                self._written = request.call
            reading = self._read()
            await asyncio.wait({self._writing, reading}, return_when=asyncio.FIRST_COMPLETED)
            if self._writing.done():
                writing, self._writing = self._writing, None
                if writing.cancelled() or writing.exception() is not None:
                    # The reason is on the other side of the stream.
                    return await self.hear()
                # Otherwise it was an earlier call, whose maker gave up waiting.
                if self._written == request.call:
                    return None
            elif reading.done():
                return self._heard()

    def _read(self) -> asyncio.Task[Any]:
        if self._reading is None:
            self._reading = asyncio.ensure_future(self._call.read())
        return self._reading

    def _heard(self) -> v1.SessionResponse:
        reading, self._reading = self._reading, None
        assert reading is not None and reading.done()
        if reading.cancelled():
            raise Broken(Refusal.away("the session was cut"))
        error = reading.exception()
        if isinstance(error, grpc.aio.AioRpcError):
            raise Broken(Refusal.from_error(error))
        if error is not None:
            raise Broken(Refusal.away(f"the session broke: {type(error).__name__}"))
        message = reading.result()
        if message is grpc.aio.EOF:
            raise Broken(Refusal.away("the server ended the session"))
        assert isinstance(message, v1.SessionResponse)
        return message

    def close(self) -> None:
        """Gives the line up."""
        self._call.cancel()
        for task in (self._reading, self._writing):
            if task is not None:
                task.cancel()
                task.add_done_callback(_forget)
        self._reading = self._writing = None


def _forget(task: asyncio.Task[Any]) -> None:
    """Takes note of how a task ended that nobody waits for."""
    if not task.cancelled():
        task.exception()
