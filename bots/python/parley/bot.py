"""The command line of a bot: a seat in a match, played to its end."""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import sys
from collections.abc import Callable
from typing import Any

from . import lobby
from .backoff import Backoff
from .connect import ADDRESS_VARIABLE, DEFAULT_ADDRESS, ConnectError, NotParley, Token, Unreachable, connect
from .play import MatchEnd, OtherGame, play
from .policy import Policy
from .session import Session, SessionError, SessionRefused

DONE = 0
"""Exit status: the match was played to its end, and nothing that the policy said was refused."""
FAILED = 1
"""Exit status: the machine or the server failed."""
INPUT = 2
"""Exit status: the input is at fault, such as an address, a match or a token."""
REFUSED = 3
"""Exit status: the match was played to its end, but the server refused sheets or answers of the policy."""
INTERRUPTED = 130
"""Exit status: somebody pressed Ctrl-C."""

STATUSES = """exit status: 0 the match was played to its end; 1 the machine or the server failed; 2 the input is at
fault; 3 the match was played to its end, but sheets or answers were refused, each with a line on standard error;
130 interrupted"""

MakePolicy = Callable[[dict[str, Any]], Policy]
"""Makes a policy for a match with these rules."""


def main(make_policy: MakePolicy, arguments: list[str] | None = None) -> int:
    """Plays a match as the command line says and returns the exit status.

    Whatever the server refuses of the policy is a line on standard error, unless logging was set up otherwise before.
    """
    logging.basicConfig(format="%(message)s", level=logging.WARNING)
    given = _arguments(arguments)
    try:
        seat, end = asyncio.run(_run(make_policy, given))
    except (Unreachable, NotParley) as error:
        advice = f"start the service with `cargo run --release` or name another with --server or {ADDRESS_VARIABLE}"
        return _complain(f"{error}; {advice}", FAILED)
    except (ConnectError, OtherGame) as error:
        return _complain(str(error), INPUT)
    except (lobby.LobbyError, SessionRefused) as error:
        return _complain(str(error), INPUT if error.refusal.is_input else FAILED)
    except (SessionError, OSError) as error:
        return _complain(str(error), FAILED)
    except KeyboardInterrupt:
        return INTERRUPTED
    print(told(seat, end))
    return REFUSED if end.refused else DONE


def _complain(sentence: str, status: int) -> int:
    print(sentence, file=sys.stderr)
    return status


def _arguments(arguments: list[str] | None) -> argparse.Namespace:
    """Reads the command line, whose options are those of `parley-bots join`."""
    parser = argparse.ArgumentParser(description="Play a seat of a match to its end.", epilog=STATUSES)

    def option(group: Any, name: str, help: str, variable: str = "", default: Any = "", **more: Any) -> None:
        shown = f" [env: {variable}]" if variable else ""
        shown += f" [default: {default}]" if default not in ("", None) else ""
        group.add_argument(name, default=os.environ.get(variable) or default, help=help + shown, **more)

    server = parser.add_argument_group("server")
    url = {"default": DEFAULT_ADDRESS, "variable": ADDRESS_VARIABLE, "metavar": "URL"}
    option(server, "--server", "where the server is", **url)
    option(server, "--ca", "for https: the PEM file of the certificate to trust", default=None, metavar="FILE")
    attempts = "how often in a row the server may be out of reach"
    option(server, "--attempts", attempts, default=Backoff.attempts, type=int, metavar="N")
    seat = parser.add_argument_group("seat")
    seat.add_argument("--match", required=True, metavar="ID", help="the match")
    option(seat, "--name", "what the player is called", metavar="TEXT")
    again = "16 to 64 characters of your own: who joins with the same ones again gets the same seat again"
    option(seat, "--secret", f"{again}; left out: a new seat", "PARLEY_SECRET", metavar="TEXT")
    option(seat, "--invitation", "the invitation of a private match", "PARLEY_INVITATION", metavar="TOKEN")
    taken = "the token of a seat that is taken already, which is played on"
    option(seat, "--token", taken, "PARLEY_TOKEN", metavar="TOKEN")
    trace = parser.add_argument_group("traces")
    span = "the span that the bot's calls belong to, as in W3C Trace Context"
    option(trace, "--traceparent", span, "TRACEPARENT", metavar="00-TRACE-SPAN-01")
    return parser.parse_args(arguments)


async def _run(make_policy: MakePolicy, given: argparse.Namespace) -> tuple[int | None, MatchEnd]:
    certificate = None
    if given.ca is not None:
        try:
            with open(given.ca, "rb") as file:
                certificate = file.read()
        except OSError as error:
            raise ConnectError(f"{given.ca}: {error.strerror}") from error
    invitation, token = Token(given.invitation), Token(given.token)
    channel = await connect(given.server, certificate)
    try:
        await lobby.greet(channel, given.server)
        if not given.token:
            secret = given.secret or None
            joined = await lobby.join(channel, given.match, secret, name=given.name, invitation=invitation)
            token = Token(joined.player_token)
        rules = await lobby.rules(channel, given.match, token)
        backoff = Backoff(attempts=given.attempts)
        session = Session(channel, given.match, token, backoff=backoff, traceparent=given.traceparent)
        end = await play(session, make_policy(rules))
        return session.seat, end
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
    refused = ""
    if end.refused:
        refused = f"; {end.refused_sheets} of its sheets and {end.refused_answers} of its answers were refused"
    return f"seat {seat}: the match {how} after turn {end.turn}{refused}"
