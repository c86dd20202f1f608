"""Programs that are started and surely stopped, and waits that end."""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

STOPS_WITHIN = 20.0
"""Seconds that a program may take to stop before it is killed."""
PAUSE = 0.1

T = TypeVar("T")


class Fault(Exception):
    """Something is not as it should be, in one sentence."""


def say(what: str) -> None:
    """One line for each thing that was checked."""
    print(f"ok  {what}", flush=True)


def wait_for(what: str, seconds: float, found: Callable[[], T | None]) -> T:
    """Asks until there is an answer, but not for ever."""
    until = time.monotonic() + seconds
    while (answer := found()) is None:
        if time.monotonic() > until:
            raise Fault(f"{what} within {seconds:.0f} s")
        time.sleep(PAUSE)
    return answer


def free_port() -> int:
    """A port that nobody has at the moment, for programs that cannot choose one themselves."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def environment(**more: str) -> dict[str, str]:
    """The environment of a program: this one's, without what would change what it does."""
    ours = ("OTEL_", "PARLEY_", "PHOENIX_", "TRACEPARENT", "PYTHON")
    return {key: value for key, value in os.environ.items() if not key.startswith(ours)} | more


class Program:
    """A program that is stopped at the end of a `with`, by its id."""

    def __init__(self, name: str, command: list[str], folder: Path, **variables: str) -> None:
        """Starts it. What it says goes to files in the folder."""
        self.name = name
        self.said, self.complained = folder / f"{name}.out", folder / f"{name}.err"
        with self.said.open("wb") as out, self.complained.open("wb") as err:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, cwd=folder, env=environment(**variables)
            )

    def __enter__(self) -> "Program":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def check_alive(self) -> None:
        """Fails where it has ended by itself."""
        if self.process.poll() is not None:
            said = self.complained.read_text(errors="replace").strip().splitlines()
            raise Fault(f"{self.name} ended with status {self.process.returncode}: {said[-1] if said else 'no word'}")

    def stop(self) -> int:
        """Stops it, and tells its status."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(STOPS_WITHIN)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait(STOPS_WITHIN)
        return self.process.returncode
