"""The verifier's rules against the server's own, on scenarios made up at random.

`PARLEY_SCENARIOS` says how many, `PARLEY_SCENARIOS_FROM` where to begin.
"""

import json
import os
import subprocess
from typing import Any

import scenario
from random_scenarios import scenario_of
from server import BINARY, needs_server

MANY = int(os.environ.get("PARLEY_SCENARIOS", "400"))
FIRST = int(os.environ.get("PARLEY_SCENARIOS_FROM", "0"))

STABLE = {
    "moved": ("tick", "unit", "to"),
    "waited": ("tick", "unit"),
    "blocked": ("tick", "unit"),
    "encounter": ("tick", "kind", "at", "units"),
    "decided": ("tick", "unit", "choice", "defaulted"),
    "exchange": (
        *("tick", "attacker", "defender", "attacker_dice", "defender_dice"),
        *("attacker_loses", "defender_loses"),
    ),
    "sunk": ("tick", "unit"),
    "gave_way": ("tick", "unit", "to"),
    "contest_opened": ("tick", "q", "r", "contenders"),
    "contest_closed": ("q", "r", "reason"),
    "gold": ("player", "change", "reason", "balance"),
}


def stable(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What a comparison may rely on (`data/SCENARIO.md`)."""
    return [
        {key: event[key] for key in ("type", *STABLE[event["type"]])} for event in events if event["type"] in STABLE
    ]


@needs_server
def test_both_implementations_agree() -> None:
    trees = [scenario_of(seed) for seed in range(FIRST, FIRST + MANY)]
    text = "".join(json.dumps(tree) + "\n" for tree in trees)
    command = [BINARY, "resolve", "--lines", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=600, check=False)
    lines = done.stdout.splitlines()
    assert len(lines) == len(trees), done.stderr
    met: set[str] = set()
    refused = 0
    for seed, (tree, line) in enumerate(zip(trees, lines, strict=True), start=FIRST):
        theirs = json.loads(line)
        try:
            ours = scenario.result(tree)
        except scenario.Refused as fault:
            assert "faults" in theirs, f"scenario {seed}: only refused here: {fault}"
            refused += 1
            continue
        assert "faults" not in theirs, f"scenario {seed}: {theirs['faults']}"
        assert stable(ours["events"]) == stable(theirs["events"]), f"scenario {seed}"
        assert ours["state"] == theirs["state"], f"scenario {seed}"
        assert ours["digest"] == theirs["digest"], f"scenario {seed}"
        met.update(event["type"] for event in ours["events"])
    # It proves nothing if nothing happens.
    assert refused < MANY / 4
    if MANY >= 400:
        assert set(STABLE) <= met, set(STABLE) - met
