"""The generated code is that of the protos as they are now, in all packages."""

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
    assert generated(tmp_path) == generated(HERE), "run generate.sh"


def generated(top: Path) -> dict[str, str]:
    return {str(path.relative_to(top)): path.read_text() for path in (top / "parley").rglob("*_pb2*.py*")}


@pytest.mark.parametrize("package", sorted({path.parent for path in (HERE / "parley").rglob("*_pb2.py")}))
def test_every_message_is_found_in_its_package(package: Path) -> None:
    imported = (package / "__init__.py").read_text()
    for module in package.glob("*_pb2.py"):
        assert f"from .{module.stem} import *\n" in imported
