"""The command line of a bot: a seat in a match, played to its end."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from collections.abc import Callable
from typing import Any

from . import lobby
from .backoff import Backoff
from .connect import ConnectError, Token, connect
from .play import MatchEnd, play
from .policy import Policy
from .session import Session, SessionError

FAILED = 1
INTERRUPTED = 130

MakePolicy = Callable[[dict[str, Any]], Policy]
"""Makes a policy for a match with these rules."""


def main(make_policy: MakePolicy, arguments: list[str] | None = None) -> int:
    """Plays a match as the command line says and returns the exit status."""
    given = _arguments(arguments)
    try:
        print(asyncio.run(_run(make_policy, given)))
    except (ConnectError, lobby.LobbyError, SessionError) as error:
        print(error, file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    return 0


def _arguments(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Play a seat of a match to its end.")
    parser.add_argument("address", metavar="ADDRESS", help="of the server, such as http://localhost:7400")
    parser.add_argument("match", metavar="MATCH", help="the id of the match")
    parser.add_argument("secret", metavar="SECRET", help="16 to 64 characters of your own, which take the seat")
    parser.add_argument("--name", default="", help="what the player is called")
    parser.add_argument("--invitation", default="", metavar="TOKEN", help="of a private match")
    parser.add_argument(
        "--token",
        default=os.environ.get("PARLEY_TOKEN", ""),
        help="of a seat that is taken already, also in PARLEY_TOKEN; the secret is not used then",
    )
    parser.add_argument("--attempts", type=int, default=Backoff.attempts, help="how often in a row to try to connect")
    parser.add_argument(
        "--traceparent",
        default=os.environ.get("TRACEPARENT", ""),
        help="the span that the bot's calls belong to, as in W3C Trace Context, also in TRACEPARENT",
    )
    return parser.parse_args(arguments)


async def _run(make_policy: MakePolicy, given: argparse.Namespace) -> str:
    channel = await connect(given.address)
    try:
        token = Token(given.token)
        if not given.token:
            invitation = Token(given.invitation)
            joined = await lobby.join(channel, given.match, given.secret, name=given.name, invitation=invitation)
            token = Token(joined.player_token)
        rules = await lobby.rules(channel, given.match, token)
        backoff = Backoff(attempts=given.attempts)
        session = Session(channel, given.match, token, backoff=backoff, traceparent=given.traceparent)
        end = await play(session, make_policy(rules))
        return told(session.seat, end)
    finally:
        await channel.close()


def told(seat: int | None, end: MatchEnd) -> str:
    """How a match ended, in one line."""
    if end.stopped is not None:
        how = f"was stopped: {end.stopped or 'no reason was given'}"
    elif end.result is None:
        how = "is over"
    elif end.result.WhichOneof("result") == "winner":
        how = "is won" if end.result.winner == seat else f"is lost to seat {end.result.winner}"
    else:
        how = "is a draw"
    refused = f", {end.refused_sheets} sheets were refused" if end.refused_sheets else ""
    return f"seat {seat}: the match {how} after turn {end.turn}{refused}"
