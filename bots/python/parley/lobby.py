"""Before a match is played, and after it: a seat, the rules, and the replay."""

from __future__ import annotations

import json
import secrets
from typing import Any

import grpc
import grpc.aio

from . import v1
from .connect import CONNECT_TIMEOUT, NotParley, Token
from .proof.replayfile import file_of
from .refusal import Refusal


class LobbyError(Exception):
    """The lobby did not help, in one sentence."""

    def __init__(self, refusal: Refusal) -> None:
        away = refusal.code is grpc.StatusCode.UNAVAILABLE
        super().__init__(f"the server {'could not be reached' if away else 'refused'}: {refusal}")
        self.refusal = refusal


NOBODY = Token()


def fresh_id() -> str:
    """A request id that nobody can guess."""
    return secrets.token_hex(16)


async def greet(channel: grpc.aio.Channel, address: str) -> None:
    """Makes sure that what answers is a Parley server; the address is for the sentence that says it is not."""
    try:
        await v1.LobbyStub(channel).ListHouseBots(v1.ListHouseBotsRequest(), timeout=CONNECT_TIMEOUT)
    except grpc.aio.AioRpcError as error:
        refusal = Refusal.from_error(error)
        # A Parley server may ask for patience or be on its way out, but it knows the call and never ends it like this.
        if refusal.code in (grpc.StatusCode.UNIMPLEMENTED, grpc.StatusCode.UNKNOWN, grpc.StatusCode.INTERNAL):
            raise NotParley(address, str(refusal)) from None


async def create(
    channel: grpc.aio.Channel, settings: v1.MatchSettings, request_id: str | None = None
) -> v1.CreateMatchResponse:
    """Creates a match. Whoever repeats the request id gets the same match and the same tokens again."""
    request = v1.CreateMatchRequest(request_id=request_id or fresh_id(), settings=settings)
    answer = await _ask(v1.LobbyStub(channel).CreateMatch, request, NOBODY)
    assert isinstance(answer, v1.CreateMatchResponse)
    return answer


async def join(
    channel: grpc.aio.Channel,
    match_id: str,
    request_id: str | None = None,
    *,
    name: str = "",
    seat: int | None = None,
    added: bytes = b"",
    invitation: Token = NOBODY,
) -> v1.JoinMatchResponse:
    """Takes a seat.

    Whoever repeats the request id, 16 to 64 characters that nobody can guess, gets the same seat and the same player's
    token again. The 32 bytes that may be added go into the dice (R13.4). A private match needs its invitation.
    """
    request = v1.JoinMatchRequest(
        request_id=request_id or fresh_id(), match_id=match_id, name=name, seat=seat, added=added
    )
    answer = await _ask(v1.LobbyStub(channel).JoinMatch, request, invitation)
    assert isinstance(answer, v1.JoinMatchResponse)
    return answer


async def start(channel: grpc.aio.Channel, match_id: str, host: Token) -> None:
    """Starts a match whose seats are all taken."""
    request = v1.StartMatchRequest(request_id=fresh_id(), match_id=match_id)
    await _ask(v1.LobbyStub(channel).StartMatch, request, host)


async def rules(channel: grpc.aio.Channel, match_id: str, token: Token = NOBODY) -> dict[str, Any]:
    """The rules that a match is played under, as `data/rules/plunder.yaml` has them."""
    answer = await _ask(v1.LobbyStub(channel).GetMatch, v1.GetMatchRequest(match_id=match_id), token)
    assert isinstance(answer, v1.GetMatchResponse)
    try:
        found = json.loads(answer.rules)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise LobbyError(Refusal(grpc.StatusCode.INTERNAL, "the rules of the match make no sense"))
    return found


async def replay(channel: grpc.aio.Channel, match_id: str, token: Token = NOBODY) -> bytes:
    """A finished match as a replay file, which `python -m parley.verify` proves."""
    call = v1.ArchiveStub(channel).GetReplay(v1.GetReplayRequest(match_id=match_id), metadata=token.metadata)
    try:
        return file_of([answer.record.SerializeToString() async for answer in call])
    except grpc.aio.AioRpcError as error:
        raise LobbyError(Refusal.from_error(error)) from None


async def _ask(method: Any, request: Any, token: Token) -> Any:
    try:
        return await method(request, metadata=token.metadata)
    except grpc.aio.AioRpcError as error:
        raise LobbyError(Refusal.from_error(error)) from None
