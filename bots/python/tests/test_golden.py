"""The recorded matches of the repository (`data/golden`): every digest is computed again."""

import json
import os
from pathlib import Path

import pytest
import scenario

from parley.proof.digest import first_digest, next_digest

JOURNALS = sorted((scenario.ROOT / "data/golden").glob("*.jsonl"))


def test_there_are_journals() -> None:
    assert len(JOURNALS) >= 10


@pytest.mark.parametrize("path", JOURNALS, ids=lambda path: path.stem)
def test_journal(path: Path) -> None:
    first, *turns = [json.loads(line) for line in path.read_text().splitlines()]
    match = scenario.read(first)
    digest = first_digest(match.rules.text, match.grid, match.state)
    bound = int(os.environ.get("PARLEY_GOLDEN_TURNS", len(turns)))
    for turn in turns[:bound]:
        assert turn["turn"] == match.state.turn
        match.state = scenario.play(match, turn.get("inputs", {})).state
        digest = next_digest(digest, match.grid, match.state)
        assert digest.hex() == turn["digest"], f"turn {turn['turn']}"
