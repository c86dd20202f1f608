"""Hashes that bind a match: of its rules, its states one after the other, and its seed (R13.3, R13.4)."""

from collections.abc import Iterable

from blake3 import blake3

from .encode import encode, encode_map
from .hexes import Grid
from .state import State

SIZE = 32


def digest(data: bytes) -> bytes:
    """BLAKE3 with 32 bytes."""
    return blake3(data).digest()


def rules_hash(text: str) -> bytes:
    """The hash of rules, over their canonical text."""
    return digest(text.encode())


def first_digest(rules: str, grid: Grid, state: State) -> bytes:
    """The digest that a match begins with."""
    return digest(b"\0" + rules_hash(rules) + encode_map(grid) + encode(state, grid))


def next_digest(before: bytes, grid: Grid, state: State) -> bytes:
    """The digest after a turn."""
    return digest(b"\1" + before + encode(state, grid))


def match_seed(secret: bytes, added: Iterable[bytes]) -> bytes:
    """The seed of all dice: the server's secret with the players' bytes in seat order (R13.4)."""
    return blake3(b"".join(added), key=secret).digest()
