"""The real server as a process that ends with the test, whatever becomes of it."""

import os
import signal
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Any

import pytest

from parley import v1
from parley.plunder import v1 as plunder

BINARY = os.environ.get("PARLEY_BINARY", "")

needs_server = pytest.mark.skipif(not BINARY, reason="PARLEY_BINARY does not name the server's binary")

ENDS_WITHIN = 30.0


class Server:
    """Starts on any free port; `start` after `kill` is on the same port and data."""

    def __init__(self, *flags: str) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self._flags = flags
        self._listen = "127.0.0.1:0"
        self._process: subprocess.Popen[str] | None = None
        self.start()

    @property
    def address(self) -> str:
        return f"http://{self._listen}"

    def start(self) -> None:
        self._process = subprocess.Popen(
            [BINARY, "--listen", self._listen, "--data", self._folder.name, "--log-filter", "error", *self._flags],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
            cwd=self._folder.name,
        )
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert "http://" in line, f"the server does not say where it listens: {line!r}"
        self._listen = line.strip().rsplit("http://", 1)[1]

    def kill(self) -> None:
        """Ends the process as a power failure would."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait(ENDS_WITHIN)
            assert self._process.stdout is not None
            self._process.stdout.close()
            self._process = None

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.kill()
        self._folder.cleanup()


def naval_game(size: str = "tiny", changes: dict[str, Any] | None = None) -> v1.GameSettings:
    """The naval game on a generated map that is always the same, with changes to its rules."""
    chart = plunder.MapChoice(generated=plunder.GeneratedMap(seed=7, size=size))
    return v1.GameSettings(plunder=plunder.Settings(map=chart, changes=changes or {}))


def parley(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Runs a command of the binary to its end."""
    return subprocess.run([BINARY, *arguments], capture_output=True, text=True, timeout=60, check=False)
