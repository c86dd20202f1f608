"""A bot that cannot play says why in one line and does not end well."""

import asyncio
import http.server
import os
import socket
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
import pytest
from server import Server, naval_game, needs_server

from parley import lobby, v1
from parley.connect import Token, Unreachable, connect, default_address

EXAMPLE = Path(__file__).parents[1] / "examples/raider.py"
SECRET = "0123456789abcdef"


def bot(address: str, match: str, *arguments: str, status: int = 1, program: Path = EXAMPLE) -> str:
    """Runs a bot, which has to fail, and returns its only line."""
    command = [sys.executable, str(program), "--server", address, "--match", match, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == status, (done.returncode, done.stderr)
    assert done.stdout == "" and done.stderr.count("\n") == 1, done.stderr
    return done.stderr.strip()


def free_address() -> str:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{found.getsockname()[1]}"


ADVICE = "start the service with `cargo run --release` or name another with --server or PARLEY_ADDR"


def test_nobody_is_there() -> None:
    address = free_address()
    assert bot(address, "match") == f"nothing answers at {address} (connection refused); {ADVICE}"


def test_the_variable_names_the_server_where_no_option_does() -> None:
    address = free_address()
    command = [sys.executable, str(EXAMPLE), "--match", "match"]
    environment = {**os.environ, "PARLEY_ADDR": address}
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, env=environment)
    assert (done.returncode, done.stderr) == (1, f"nothing answers at {address} (connection refused); {ADVICE}\n")


def test_the_client_uses_the_variable_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PARLEY_ADDR", raising=False)
    assert default_address() == "http://127.0.0.1:7400"
    monkeypatch.setenv("PARLEY_ADDR", "")
    assert default_address() == "http://127.0.0.1:7400"
    address = free_address()
    monkeypatch.setenv("PARLEY_ADDR", address)
    with pytest.raises(Unreachable, match=f"^nothing answers at {address} "):
        asyncio.run(connect())


@pytest.mark.parametrize("address", ["nonsense://x", "127.0.0.1:port", "http://127.0.0.1:7400/page"])
def test_the_address_makes_no_sense(address: str) -> None:
    said = bot(address, "match", status=2)
    assert said == f"{address!r} is not an address such as http://127.0.0.1:7400"


def test_a_web_server_is_not_a_parley_server() -> None:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler) as web:
        threading.Thread(target=web.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{web.server_port}"
        said = bot(address, "match")
        web.shutdown()
    assert said == f"what answers at {address} is not a Parley server: it does not speak HTTP/2; {ADVICE}"


def test_another_grpc_server_is_not_a_parley_server() -> None:
    other = grpc.server(ThreadPoolExecutor(1))
    address = f"http://127.0.0.1:{other.add_insecure_port('127.0.0.1:0')}"
    other.start()
    said = bot(address, "match")
    other.stop(None)
    assert said.startswith(f"what answers at {address} is not a Parley server: ") and said.endswith(ADVICE)


def match_with_open_seat(address: str) -> str:
    async def create() -> str:
        channel = await connect(address)
        settings = v1.MatchSettings(
            game=naval_game(),
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
        said = bot(here.address, match, "--token", "wrong", status=2)
        assert said.startswith("the server refused: ") and said.endswith(" (TOKEN_INVALID)")
        said = bot(here.address, "00000000-0000-7000-8000-000000000000", "--secret", SECRET, status=2)
        assert said.startswith("the server refused: ")
        assert bot(here.address, "no match", status=2).startswith("the server refused: ")
        said = bot(here.address, match, "--ca", "/nowhere/ca.pem", status=2)
        assert said == "/nowhere/ca.pem: No such file or directory"


@needs_server
def test_the_server_vanishes() -> None:
    with Server() as here:

        async def open_match() -> str:
            channel = await connect(here.address)
            settings = v1.MatchSettings(
                game=naval_game(),
                seats=[v1.SeatChoice(), v1.SeatChoice()],
                start_when_full=True,
            )
            match = (await lobby.create(channel, settings)).match.match_id
            await channel.close()
            return match

        match = asyncio.run(open_match())
        where = ["--server", here.address, "--match", match, "--secret", SECRET]
        command = [sys.executable, str(EXAMPLE), *where, "--attempts", "3"]
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
