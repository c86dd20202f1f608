#!/usr/bin/env bash
# Makes the generated code of all packages anew: parley/v1 from proto/parley/v1, and in the same way what games have in
# common and each game. Needs grpcio-tools in the version named here; `generate.sh DIR` writes elsewhere, which is how the
# tests find out whether what is committed is stale.
set -euo pipefail
cd "$(dirname "$0")"
out=${1:-.}
tools=1.76.0

found=$("${PYTHON:-python3}" -c 'from importlib.metadata import version; print(version("grpcio-tools"))')
[ "$found" = "$tools" ] || { echo "grpcio-tools $tools is needed, and $found is here" >&2; exit 1; }
# What was made of a proto that is gone would otherwise stay.
rm -f "$out"/parley/v1/*_pb2* "$out"/parley/*/v1/*_pb2*
"${PYTHON:-python3}" -m grpc_tools.protoc -I ../../proto \
  --python_out="$out" --pyi_out="$out" --grpc_python_out="$out" \
  ../../proto/parley/v1/*.proto ../../proto/parley/*/v1/*.proto
# Files without services have no calls.
for file in "$out"/parley/v1/*_pb2_grpc.py "$out"/parley/*/v1/*_pb2_grpc.py; do
  grep -q '^class ' "$file" || rm "$file"
done
