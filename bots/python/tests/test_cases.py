"""Every rule case of the repository (`data/cases`), played by the verifier's own rules."""

import json
from pathlib import Path
from typing import Any

import pytest
import scenario

CASES = sorted((scenario.ROOT / "data/cases").glob("*.json"))


def matches(part: Any, whole: Any) -> bool:
    if isinstance(part, dict) and isinstance(whole, dict):
        return all(key in whole and matches(value, whole[key]) for key, value in part.items())
    return bool(part == whole) and isinstance(part, bool) == isinstance(whole, bool)


def check(expect: dict[str, Any], result: dict[str, Any]) -> None:
    state = result["state"]
    for key, wanted in expect.items():
        match key:
            case "events":
                rest = iter(result["events"])
                for event in wanted:
                    assert any(matches(event, other) for other in rest), f"missing, or too early: {event}"
            case "never":
                for event in wanted:
                    assert not [other for other in result["events"] if matches(event, other)], f"must not be: {event}"
            case "units" | "players" | "structures":
                for id, item in wanted.items():
                    found = next((each for each in state[key] if each["id"] == int(id)), None)
                    assert found is None if item is None else matches(item, found), f"{key} {id}: {found}"
            case "contests":
                assert len(wanted) == len(state["contests"])
                assert all(matches(part, whole) for part, whole in zip(wanted, state["contests"], strict=True))
            case "result":
                assert state["result"] == wanted
            case _:
                pytest.fail(f"{key} is not known")


def test_there_are_cases() -> None:
    assert len(CASES) > 250


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_case(path: Path) -> None:
    case = json.loads(path.read_text())
    expect = case["expect"]
    if "refused" in expect:
        with pytest.raises(scenario.Refused) as refused:
            scenario.result(case["scenario"])
        for rule in expect["refused"]:
            assert any(f"({rule})" in fault for fault in refused.value.faults), refused.value.faults
    else:
        check(expect, scenario.result(case["scenario"]))
