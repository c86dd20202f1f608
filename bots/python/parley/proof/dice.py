"""The dice of an exchange: one block of ChaCha with 8 rounds as a pure function (R13.2)."""

import struct
from typing import NamedTuple

ROUNDS = 8
CONSTANT = (0x61707865, 0x3320646E, 0x79622D32, 0x6B206574)
MASK = 0xFFFFFFFF
BROADSIDE_TICK = 255

Words = tuple[int, ...]


class Roll(NamedTuple):
    """What the dice of one exchange show, whether all of it is used or not."""

    lower_attacks: bool
    """The coin: the ship with the lower id is the attacker."""
    attacker: tuple[int, int, int]
    """Three dice, highest first."""
    defender: tuple[int, int]
    """Two dice, highest first."""


def _quarter(x: list[int], a: int, b: int, c: int, d: int) -> None:
    x[a] = (x[a] + x[b]) & MASK
    x[d] = _rotated(x[d] ^ x[a], 16)
    x[c] = (x[c] + x[d]) & MASK
    x[b] = _rotated(x[b] ^ x[c], 12)
    x[a] = (x[a] + x[b]) & MASK
    x[d] = _rotated(x[d] ^ x[a], 8)
    x[c] = (x[c] + x[d]) & MASK
    x[b] = _rotated(x[b] ^ x[c], 7)


def _rotated(word: int, by: int) -> int:
    return ((word << by) | (word >> (32 - by))) & MASK


def block(key: bytes, counter: int, stream: int) -> Words:
    """The 16 words of one block."""
    initial = [
        *CONSTANT,
        *struct.unpack("<8I", key),
        counter & MASK,
        counter >> 32,
        stream & MASK,
        stream >> 32,
    ]
    x = list(initial)
    for _ in range(ROUNDS // 2):
        _quarter(x, 0, 4, 8, 12)
        _quarter(x, 1, 5, 9, 13)
        _quarter(x, 2, 6, 10, 14)
        _quarter(x, 3, 7, 11, 15)
        _quarter(x, 0, 5, 10, 15)
        _quarter(x, 1, 6, 11, 12)
        _quarter(x, 2, 7, 8, 13)
        _quarter(x, 3, 4, 9, 14)
    return tuple((mixed + start) & MASK for mixed, start in zip(x, initial, strict=True))


def roll(seed: bytes, turn: int, tick: int, lower: int, higher: int) -> Roll:
    """The dice of the ships `lower` and `higher` in a tick of a turn."""
    words = block(seed, tick << 56 | lower << 28 | higher, turn)
    first, second, third, fourth, fifth = sorted_dice(words)
    return Roll(words[0] % 2 == 0, (first, second, third), (fourth, fifth))


def sorted_dice(words: Words) -> list[int]:
    """The attacker's three dice and then the defender's two, each side with its highest first."""
    dice = [1 + (word * 6 >> 32) for word in words[1:6]]
    return sorted(dice[:3], reverse=True) + sorted(dice[3:], reverse=True)
