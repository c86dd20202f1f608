"""The pieces that everything rests on: dice, hexes, the encoding."""

import json
from collections import deque

import pytest
import scenario

from parley.proof.dice import block, roll
from parley.proof.digest import match_seed, rules_hash
from parley.proof.encode import EncodingFault, decode, encode
from parley.proof.hexes import Grid, Hex
from parley.proof.rules import parse


def test_the_block_is_the_one_of_the_rules() -> None:
    words = block(bytes(32), 0, 0)
    assert words[0].to_bytes(4, "little").hex() == "3e00ef2f"
    # The rest of that block, as ChaCha with 8 rounds is published.
    published = (
        "3e00ef2f895f40d67f5bb8e81f09a5a12c840ec3ce9a7f3b181be188ef711a1e"
        "984ce172b9216f419f445367456d5619314a42a3da86b001387bfdb80e0cfe42"
    )
    assert b"".join(word.to_bytes(4, "little") for word in words).hex() == published


def test_every_part_of_the_counter_counts() -> None:
    rolls = {roll(bytes(32), turn, tick, a, b) for turn in (1, 2) for tick in (0, 1, 255) for a, b in ((1, 2), (1, 3))}
    assert len(rolls) > 10


def test_dice_are_fair_enough_and_sorted() -> None:
    counts = [0] * 7
    for turn in range(400):
        dice = roll(bytes(range(32)), turn, 3, 5, 9)
        assert list(dice.attacker) == sorted(dice.attacker, reverse=True)
        assert list(dice.defender) == sorted(dice.defender, reverse=True)
        for die in dice.attacker + dice.defender:
            counts[die] += 1
    assert counts[0] == 0 and all(250 < count < 420 for count in counts[1:]), counts


def test_the_seed_is_a_keyed_hash_of_what_players_add() -> None:
    secret, one, two = bytes(32), bytes([1] * 32), bytes([2] * 32)
    assert match_seed(secret, [one, b"", two]) == match_seed(secret, [one, two])
    assert match_seed(secret, [one, two]) != match_seed(secret, [two, one])
    assert match_seed(secret, []) != match_seed(one, [])


@pytest.mark.parametrize(("width", "height", "wrap"), [(1, 5, False), (2, 4, True), (3, 5, True), (5, 4, False)])
def test_distance_is_the_number_of_steps(width: int, height: int, wrap: bool) -> None:
    grid = Grid(width, height, wrap, bytes(width * height))
    tiles = [grid.hex(tile) for tile in range(width * height)]
    for start in tiles:
        assert grid.has(start) and grid.hex(grid.tile(start)) == start
        steps = walked(grid, start)
        assert {end: grid.distance(start, end) for end in tiles} == steps
        for end in grid.neighbours(start):
            assert grid.walk(start, [grid.direction(start, end)]) == [end]
            assert start in grid.neighbours(end)


def walked(grid: Grid, start: Hex) -> dict[Hex, int]:
    steps = {start: 0}
    waiting = deque([start])
    while waiting:
        at = waiting.popleft()
        for end in grid.neighbours(at):
            if end not in steps:
                steps[end] = steps[at] + 1
                waiting.append(end)
    return steps


def test_rules_hash_does_not_depend_on_how_the_file_is_laid_out() -> None:
    backwards = dict(reversed(scenario.PLUNDER.items()))
    first, second = parse(json.dumps(scenario.PLUNDER)), parse(json.dumps(backwards, indent=4))
    assert rules_hash(first.text) == rules_hash(second.text)


def test_a_state_has_one_encoding() -> None:
    path = scenario.ROOT / "data/golden/tiny-2.jsonl"
    match = scenario.read(json.loads(path.read_text().splitlines()[0]))
    data = encode(match.state, match.grid)
    assert decode(data, match.grid) == match.state
    for cut in range(len(data)):
        with pytest.raises(EncodingFault):
            decode(data[:cut], match.grid)
