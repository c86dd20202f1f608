"""A bot that cannot play says why in one line and does not end well."""

import asyncio
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from server import Server, needs_server

from parley import lobby, v1
from parley.connect import Token, connect

EXAMPLE = Path(__file__).parents[1] / "examples/raider.py"
SECRET = "0123456789abcdef"


def bot(*arguments: str) -> str:
    """Runs the example, which has to fail, and returns its only line."""
    command = [sys.executable, str(EXAMPLE), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1, (done.returncode, done.stderr)
    assert done.stdout == "" and done.stderr.count("\n") == 1, done.stderr
    return done.stderr.strip()


def free_address() -> str:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{found.getsockname()[1]}"


def test_nobody_is_there() -> None:
    address = free_address()
    said = bot(address, "match", SECRET)
    assert said.startswith(f"no connection to {address}: ") and "refused" in said


@pytest.mark.parametrize("address", ["nonsense://x", "127.0.0.1:port"])
def test_the_address_makes_no_sense(address: str) -> None:
    assert bot(address, "match", SECRET) == f"{address!r} is not an address such as http://localhost:7400"


def match_with_open_seat(address: str) -> str:
    async def create() -> str:
        channel = await connect(address)
        settings = v1.MatchSettings(
            map=v1.MapChoice(generated=v1.GeneratedMap(seed=7, size="tiny")),
            seats=[v1.SeatChoice(), v1.SeatChoice()],
            visibility=v1.VISIBILITY_PRIVATE,
        )
        created = await lobby.create(channel, settings)
        await lobby.join(channel, created.match.match_id, SECRET, invitation=Token(created.invite_token))
        await channel.close()
        return created.match.match_id

    return asyncio.run(create())


@needs_server
def test_the_token_is_wrong_or_the_match_is_not_there() -> None:
    with Server() as here:
        match = match_with_open_seat(here.address)
        said = bot(here.address, match, SECRET, "--token", "wrong")
        assert said.startswith("the server refused: ") and said.endswith(" (TOKEN_INVALID)")
        said = bot(here.address, "00000000-0000-7000-8000-000000000000", SECRET)
        assert said.startswith("the server refused: ")
        assert bot(here.address, "no match", SECRET).startswith("the server refused: ")


@needs_server
def test_the_server_vanishes() -> None:
    with Server() as here:

        async def open_match() -> str:
            channel = await connect(here.address)
            settings = v1.MatchSettings(
                map=v1.MapChoice(generated=v1.GeneratedMap(seed=7, size="tiny")),
                seats=[v1.SeatChoice(), v1.SeatChoice()],
                start_when_full=True,
            )
            match = (await lobby.create(channel, settings)).match.match_id
            await channel.close()
            return match

        match = asyncio.run(open_match())
        command = [sys.executable, str(EXAMPLE), here.address, match, SECRET, "--attempts", "3"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            asyncio.run(until_taken(here.address, match))
            here.kill()
            said, complaint = process.communicate(timeout=60)
    assert process.returncode == 1 and said == ""
    assert complaint.count("\n") == 1
    assert complaint.startswith("the server could not be reached")


async def until_taken(address: str, match: str) -> None:
    """Waits until the bot has a seat."""
    channel = await connect(address)
    for _ in range(600):
        found = await v1.LobbyStub(channel).GetMatch(v1.GetMatchRequest(match_id=match))
        if found.match.seats[0].taken:
            await channel.close()
            return
        await asyncio.sleep(0.05)
    raise AssertionError("the bot took no seat")
