"""The command line, and the two environments that the check needs: one for itself, and one for the store.

Nothing but Python's own library is used here. The check goes on in `main.py`, in the same process.
"""

import argparse
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
INSTALLS_WITHIN = 600
"""Seconds that one step of an installation may take."""
OLDEST = (3, 11)
UV = "uv==0.13.7"


class Unprepared(Exception):
    """What is needed is not there, in one sentence."""


def main(usage: str) -> None:
    """Installs what is needed, and goes on with the check."""
    parser = argparse.ArgumentParser(description=usage, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prepare", metavar="DIR", type=Path, help="only install, into this folder")
    parser.add_argument("--prepared", metavar="DIR", type=Path, help="use what was installed there")
    parser.add_argument("--jaeger", metavar="URL", help="where Jaeger answers, such as http://localhost:16686")
    parser.add_argument("--otlp", metavar="URL", help="where it takes traces; port 4317 of the same host if not given")
    parser.add_argument("--test", action="store_true", help="test this check against an imitation of Jaeger")
    given = parser.parse_args()
    if given.prepare and (given.prepared or given.jaeger or given.test):
        parser.error("--prepare goes with nothing else")
    if given.otlp and not given.jaeger:
        parser.error("--otlp goes with --jaeger")
    if given.test and given.jaeger:
        parser.error("--test brings a Jaeger of its own")
    with_store = not (given.jaeger or given.test)
    # What is being installed is then stopped, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("FAILED: stopped by a signal"))
    try:
        if sys.version_info < OLDEST:
            raise Unprepared(f"Python {OLDEST[0]}.{OLDEST[1]} or newer is needed")
        if given.prepare:
            install(given.prepare, with_store=True)
            return
        folder = given.prepared
        if folder is None:
            folder = Path(tempfile.mkdtemp(prefix="check-traces-"))
            try:
                install(folder, with_store)
            except BaseException:
                shutil.rmtree(folder, ignore_errors=True)
                raise
        elif not (folder / "ready").exists() or (folder / "ready").read_text() != pins():
            raise Unprepared(f"{folder} was not prepared with --prepare, or for other versions")
    except Unprepared as error:
        sys.exit(f"FAILED: {error}")
    except KeyboardInterrupt:
        sys.exit("FAILED: interrupted")
    arguments = [str(folder), "test" if given.test else "check", given.jaeger or "", given.otlp or ""]
    arguments.append("" if given.prepared else "delete")
    python = str(folder.resolve() / "client" / "bin" / "python")
    os.execv(python, [python, "-B", str(HERE / "main.py"), *arguments])


def pins() -> str:
    """What stands for the versions that are asked for."""
    return hashlib.sha256(b"".join((HERE / name).read_bytes() for name in ("client.txt", "store.txt"))).hexdigest()


def install(folder: Path, with_store: bool) -> None:
    """Makes the environments."""
    began = time.monotonic()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "ready").unlink(missing_ok=True)
    client, store = folder / "client", folder / "store"
    run("the environment of the check", sys.executable, "-m", "venv", "--clear", client)
    pip = [client / "bin" / "pip", "--disable-pip-version-check", "--quiet"]
    run("the installer", *pip, "install", "--no-compile", "--no-deps", UV)
    fetch("the packages of the check", client, client, HERE / "client.txt")
    if with_store:
        run("the environment of the store", sys.executable, "-m", "venv", "--clear", "--without-pip", store)
        fetch("the store", client, store, HERE / "store.txt")
        # Compiles what is used, and nothing else.
        run("the store's first breath", store / "bin" / "python", HERE / "phoenix_server.py", "--only-load")
    (folder / "ready").write_text(pins() if with_store else "")
    print(f"-- Installed in {time.monotonic() - began:.0f} s", flush=True)


def fetch(what: str, client: Path, into: Path, pinned: Path) -> None:
    """Installs exactly what a file names."""
    python = into / "bin" / "python"
    uv = [client / "bin" / "uv", "--quiet", "--no-cache", "--no-config", "pip", "install", "--python", python]
    try:
        run(what, *uv, "--no-deps", "-r", pinned)
    except Unprepared:
        # uv is many times faster, but knows nothing of pip's settings.
        pip = [client / "bin" / "pip", "--disable-pip-version-check", "--quiet", "--python", python, "install"]
        run(what, *pip, "--no-compile", "--no-deps", "-r", pinned)


def run(what: str, *command: object) -> None:
    """Runs a step to its end, and shows what it said only where it failed."""
    words = [str(word) for word in command]
    # Python's variables would change what is installed, or whether it is compiled.
    plain = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
    try:
        done = subprocess.run(
            words, stdin=nothing, stdout=pipe, stderr=subprocess.STDOUT, timeout=INSTALLS_WITHIN, env=plain
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unprepared(f"{what} could not be installed: {error}") from None
    if done.returncode != 0:
        said = done.stdout.decode(errors="replace").strip().splitlines()
        raise Unprepared(f"{what} could not be installed: {said[-1] if said else done.returncode}")
