"""The generated code in `parley/v1` is that of the protos as they are now."""

import os
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parents[1]


def tools() -> str:
    try:
        return version("grpcio-tools")
    except PackageNotFoundError:
        return ""


def wanted() -> str:
    text = (HERE / "generate.sh").read_text()
    return next(line.removeprefix("tools=") for line in text.splitlines() if line.startswith("tools="))


def test_one_version_is_named_everywhere() -> None:
    assert f'"grpcio-tools=={wanted()}"' in (HERE / "pyproject.toml").read_text()
    assert f'"grpcio>={wanted()}"' in (HERE / "pyproject.toml").read_text()


@pytest.mark.skipif(tools() != wanted(), reason=f"grpcio-tools {wanted()} is not here")
def test_it_is_not_stale(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHON": sys.executable}
    subprocess.run([HERE / "generate.sh", tmp_path], check=True, env=environment)
    made = {path.name: path.read_text() for path in (tmp_path / "parley/v1").iterdir()}
    kept = {path.name: path.read_text() for path in (HERE / "parley/v1").glob("*_pb2*.py*")}
    assert made == kept, "run generate.sh"
