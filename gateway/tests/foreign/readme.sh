#!/usr/bin/env bash
# The service as the README starts, plays and stops it, word for word, with `buf curl` as a client that shares no code
# with it, and then as a Python client sees it that knows nothing but reflection. Needs `buf` in the PATH and, as PYTHON,
# an interpreter with grpcio and grpcio-reflection. PORT is where the service listens, 7400 as in the README if not set.
# BUILT is a folder with a binary to use instead of building one for release, which takes minutes.
set -euo pipefail
cd "$(dirname "$0")/../../.."
root=$PWD
port=${PORT:-7400}
address=http://127.0.0.1:$port

fail() { printf 'FAILED: %s\n' "$*" >&2; exit 1; }
expect() { grep -qF -- "$2" "$1" || { tail -n 40 "$1" >&2; fail "$1 does not say: $2"; }; }

folder=$(mktemp -d)
service=
trap '[ -z "$service" ] || kill "$service" 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
# The README's commands are run at the top of the repository; here they leave nothing behind in it.
if [ -n "${BUILT:-}" ]; then
  mkdir target
  ln -s "$BUILT" target/release
  start=("$BUILT/parley")
else
  ln -s "${CARGO_TARGET_DIR:-$root/target}" target
  start=(cargo run --manifest-path "$root/Cargo.toml" --locked --quiet --release --)
fi

# All commands of one section of the README.
section() { awk -v name="## $1" '/^## /{on=($0==name)} /^```/{if(code){code=0;next} if(on&&$0=="```sh"){code=1;next}} code' "$root/README.md"; }
section "Play a match by hand" >walk.sh
[ "$port" = 7400 ] || sed -i "s/127\.0\.0\.1:7400/127.0.0.1:$port/; s|replay export|& --server $address|" walk.sh
[ -s walk.sh ] || fail "the README has no commands to play a match"

"${start[@]}" --listen "127.0.0.1:$port" >greeting.txt 2>log.txt &
service=$!
for _ in $(seq 300); do
  grep -qF "Stop " greeting.txt && break
  kill -0 "$service" 2>/dev/null || { cat log.txt >&2; fail "the service did not start"; }
  sleep 0.2
done
expect greeting.txt "Parley listens on $address"

grpc=(buf curl --protocol grpc --http2-prior-knowledge)
"${grpc[@]}" --list-methods "$address" >methods.txt
for method in parley.v1.Lobby/CreateMatch parley.v1.Play/Session parley.v1.Play/Advise parley.v1.Archive/GetReplay grpc.health.v1.Health/Check; do
  expect methods.txt "$method"
done
"${grpc[@]}" "$address/grpc.health.v1.Health/Check" >health.txt
expect health.txt SERVING

# The match of house bots, from its creation to its story, which are the first two blocks, ends within half a minute.
awk '/^MATCH=/{matches++} matches<2' walk.sh >bots.sh
grep -qF 'replay show' bots.sh || fail "the README does not begin with a match of house bots"
timeout 30 bash -euo pipefail bots.sh >bots.txt || { tail -n 40 bots.txt log.txt >&2; fail "the match of house bots failed, or took more than 30 s"; }
expect bots.txt '"ended":'

bash -euo pipefail walk.sh >walk.txt || { tail -n 40 walk.txt log.txt >&2; fail "a command of the README failed"; }
[ "$(grep -cF 'proven: match ' walk.txt)" = 2 ] || fail "the README proves two matches"
for said in '"matchId":' '"turnOpened":' '"ended":' '"advice":' '"reach":' '"receipt":' "Turn 10" "Anna locked in." "Anna gives up and is out."; do
  expect walk.txt "$said"
done

"${PYTHON:-python3}" "$root/gateway/tests/foreign/reflect.py" "127.0.0.1:$port" || fail "the Python client failed"

target/release/parley config --max-matches 5 >config.txt
expect config.txt 'listen = "127.0.0.1:7400" # default'
expect config.txt 'max_matches = 5 # --max-matches'

kill -TERM "$service"
wait "$service" || fail "the service ended with status $?"
service=
expect log.txt "everything that was acknowledged is on the disk"
