#!/usr/bin/env bash
# Everything about the Python package: installs it with pip into an environment of its own, and runs all its tests there.
# PARLEY_BINARY names the server's binary; without it, the tests that need a server are left out, and say so.
# Arguments go to pytest.
set -euo pipefail
[ -z "${PARLEY_BINARY:-}" ] || PARLEY_BINARY=$(realpath -e "$PARLEY_BINARY")
export PARLEY_BINARY PYTHONDONTWRITEBYTECODE=1
cd "$(dirname "$0")"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check ".[test]"
export PATH="$folder/env/bin:$PATH"

ruff check --quiet --no-cache .
ruff format --quiet --no-cache --check .
mypy --no-error-summary --cache-dir "$folder/mypy" parley examples tests
# From here on `import parley` finds what was installed, because the sources are not in this folder.
cd tests
python -c 'import parley, sys; sys.exit(not parley.__file__.startswith(sys.prefix))'
PYTHONDONTWRITEBYTECODE="" python -m compileall -q "$(python -c 'import parley; print(parley.__path__[0])')"
python -m pytest -p no:cacheprovider -rs "$@" .
