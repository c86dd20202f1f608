"""The server's promise that it has a seat's orders, checked (the comments of Receipt in `replay.proto`)."""

import struct
import uuid
from dataclasses import dataclass

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from parley import v1

from .digest import SIZE, digest

PROMISE = b"parley receipt 1"
NODE = b"parley receipt 2"
ROOT = b"parley receipt 3"
SALT_SIZE = 16
LEVELS = 5


class ReceiptFault(Exception):
    """A receipt that promises something else, or nothing: the field that is wrong, and why."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field} {reason}")
        self.field = field
        self.reason = reason


@dataclass(frozen=True)
class Promised:
    """What a receipt has to be about."""

    match: uuid.UUID
    turn: int
    seat: int
    sheet: bytes
    """The encoded sheet."""
    previous: bytes
    """The hash of the promise before; of the first one, the commitment to the secret."""

    def bytes(self) -> bytes:
        """What the server promises."""
        place = struct.pack("<IB", self.turn, self.seat)
        return PROMISE + self.match.bytes + place + digest(self.sheet) + self.previous


def check(receipt: v1.Receipt, promised: Promised, key: bytes) -> bytes:
    """Checks a receipt, and returns what the next one of the seat has to name as the one before."""
    wanted = {
        "match_id": str(promised.match),
        "turn": promised.turn,
        "seat": promised.seat,
        "sheet_hash": digest(promised.sheet),
        "previous": promised.previous,
    }
    for field, value in wanted.items():
        told = getattr(receipt, field)
        if told != value:
            raise ReceiptFault(field, f"is {_shown(told)} and has to be {_shown(value)}")
    said = promised.bytes()
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(receipt.signature, ROOT + _root(receipt, said))
    except (InvalidSignature, ValueError):
        raise ReceiptFault("signature", "is not one of this key under this promise") from None
    return digest(said)


def _root(receipt: v1.Receipt, said: bytes) -> bytes:
    """The root of the tree that the promise is a leaf of."""
    if len(receipt.salt) != SALT_SIZE:
        raise ReceiptFault("salt", f"has {len(receipt.salt)} bytes and not {SALT_SIZE}")
    if len(receipt.path) != LEVELS * SIZE:
        raise ReceiptFault("path", f"has {len(receipt.path)} bytes and not {LEVELS * SIZE}")
    if receipt.leaf >= 1 << LEVELS:
        raise ReceiptFault("leaf", f"is {receipt.leaf} and has to be below {1 << LEVELS}")
    node = digest(said + receipt.salt)
    for level in range(LEVELS):
        neighbour = receipt.path[level * SIZE : (level + 1) * SIZE]
        is_right = receipt.leaf >> level & 1
        node = digest(NODE + (neighbour + node if is_right else node + neighbour))
    return node


def _shown(value: object) -> str:
    return value.hex() if isinstance(value, bytes) else str(value)
