"""The check, in the environment that `prepare.py` made for it."""

import asyncio
import os
import shutil
import signal
import sys
import tempfile
import time
import unittest
from pathlib import Path

import expect
import story
from jaeger_store import Jaeger
from phoenix_store import Phoenix
from running import Fault, Program, say, wait_for

ROOT = Path(__file__).resolve().parents[3]
ENDS_WITHIN = 300
"""Seconds after which the check gives up, whatever it waits for."""
STARTS_WITHIN = 30.0
PLAYS_WITHIN = 60.0


def binary() -> str:
    """The service's program."""
    named = os.environ.get("PARLEY_BINARY")
    built = Path(os.environ.get("CARGO_TARGET_DIR") or ROOT / "target") / "release" / "parley"
    found = shutil.which(named) if named else shutil.which("parley") or shutil.which(str(built))
    if not found:
        where = f"PARLEY_BINARY is {named}, which is no program" if named else "build it, or set PARLEY_BINARY"
        raise Fault(f"there is no parley to check: {where}")
    return str(Path(found).resolve())


def trace_a_match(store: expect.Store) -> story.Played:
    """Starts the service, plays, and stops it, after which everything was sent."""
    with tempfile.TemporaryDirectory(prefix="check-traces-parley-") as folder:
        flags = ["--listen", "127.0.0.1:0", "--data", f"{folder}/data", "--otlp", store.otlp, "--trace-ratio", "1"]
        with Program("parley", [binary(), *flags], Path(folder)) as service:

            def address() -> str | None:
                service.check_alive()
                words = service.said.read_text().split()
                return next((word for word in words if word.startswith("http://")), None)

            played = asyncio.run(within(story.play(wait_for("the service does not start", STARTS_WITHIN, address))))
            played.secrets["the administrator's token"] = Path(folder, "data", "admin.token").read_bytes().strip()
            if (status := service.stop()) != 0:
                raise Fault(f"the service ended with status {status}")
            if "traces do not reach" in service.complained.read_text(errors="replace"):
                raise Fault(f"traces do not reach {store.name} at {store.otlp}")
    fights = sum(len(turn.fights) for turn in played.turns.values())
    say(f"the service played {len(played.turns)} turns with {fights} fights, traced them all, and stopped")
    return played


async def within(playing: object) -> story.Played:
    """Plays, but not for ever."""
    try:
        return await asyncio.wait_for(playing, PLAYS_WITHIN)
    except asyncio.TimeoutError:
        raise Fault(f"the match is not over within {PLAYS_WITHIN:.0f} s") from None


def check(prepared: Path, jaeger: str, otlp: str) -> None:
    """Checks one store."""
    binary()
    with tempfile.TemporaryDirectory(prefix="check-traces-store-") as folder:
        began = time.monotonic()
        store = Jaeger(jaeger, otlp) if jaeger else Phoenix(prepared / "store" / "bin" / "python", Path(folder))
        with store:
            say(f"{store.name} is there after {time.monotonic() - began:.0f} s")
            expect.check(store, trace_a_match(store))


def stop(number: int, _: object) -> None:
    """Ends everything in order when a signal comes."""
    raise Fault(f"not over within {ENDS_WITHIN} s" if number == signal.SIGALRM else "stopped by a signal")


def main() -> int:
    """Checks or tests, and says how it went."""
    prepared, what, jaeger, otlp, delete = sys.argv[1:]
    for number in (signal.SIGALRM, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, stop)
    signal.alarm(ENDS_WITHIN)
    try:
        if what == "test":
            binary()
            tests = unittest.defaultTestLoader.discover(str(Path(__file__).parent), "test_*.py")
            return 0 if unittest.TextTestRunner(verbosity=2).run(tests).wasSuccessful() else 1
        check(Path(prepared).resolve(), jaeger, otlp)
    except Fault as fault:
        print(f"FAILED: {fault}", file=sys.stderr)
        return 1
    except Exception as error:
        print(f"FAILED: the check itself broke: {error!r}", file=sys.stderr)
        return 1
    finally:
        signal.alarm(0)
        if delete:
            shutil.rmtree(prepared, ignore_errors=True)
    print("-- Traces are as they should be", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
