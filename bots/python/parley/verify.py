"""`python -m parley.verify FILE...` proves replays without believing the server that made them.

Exit status: 0 all are proven, 1 one is not, 2 one cannot be read or the command line is wrong.
"""

import argparse
import sys
from pathlib import Path

from .proof.prove import Proof, Unproven, prove
from .proof.replayfile import MAX_FILE_BYTES, FileFault, ForeignReplay, read

PROVEN, NOT_PROVEN, UNREADABLE = 0, 1, 2
KEY_SIZE = 32


def main(arguments: list[str] | None = None) -> int:
    """Runs the command and returns its exit status."""
    parser = argparse.ArgumentParser(prog="python -m parley.verify", description="Prove replays of Parley.")
    parser.add_argument("--key", metavar="HEX", type=_key, help="the key of the receipts, known from elsewhere")
    parser.add_argument("files", metavar="FILE", nargs="+", help="a replay file; - is standard input")
    given = parser.parse_args(arguments)
    return max(_verify(name, given.key) for name in given.files)


def _key(text: str) -> bytes:
    try:
        key = bytes.fromhex(text)
    except ValueError:
        key = b""
    if len(key) != KEY_SIZE:
        raise argparse.ArgumentTypeError(f"a key is {2 * KEY_SIZE} hex digits")
    return key


def _verify(name: str, key: bytes | None) -> int:
    try:
        proof = prove(read(_content(name)), key)
    except OSError as fault:
        print(f"{name}: it cannot be read: {fault.strerror or fault}", file=sys.stderr)
        return UNREADABLE
    except ForeignReplay as fault:
        print(f"{name}: {fault}", file=sys.stderr)
        return UNREADABLE
    except FileFault as fault:
        print(f"{name}: no replay: {fault}", file=sys.stderr)
        return UNREADABLE
    except Unproven as fault:
        print(f"{name}: not proven: {fault}", file=sys.stderr)
        return NOT_PROVEN
    print("\n".join(account(name, proof, key is not None)))
    return PROVEN


def _content(name: str) -> bytes:
    """One byte more than allowed is enough to refuse it."""
    if name == "-":
        return sys.stdin.buffer.read(MAX_FILE_BYTES + 1)
    with Path(name).open("rb") as file:
        return file.read(MAX_FILE_BYTES + 1)


def account(name: str, proof: Proof, key_known: bool) -> list[str]:
    """What was proven, and what rests on the server's word."""
    computed = [
        "the rules' hash",
        "the seed from its commitment",
        _count(proof.turns, "turn"),
        f"{_count(proof.exchanges, 'exchange')} with {_count(proof.dice, 'die', 'dice')}",
        _count(proof.digests, "digest"),
    ]
    believed = [
        (proof.answers, "answer", "answers"),
        (proof.deadline_sheets, "sheet taken at a deadline", "sheets taken at a deadline"),
        (proof.concessions, "concession by a call", "concessions by a call"),
        (proof.house_sheets, "sheet of a house bot", "sheets of house bots"),
        (proof.added, "player's bytes in the seed", "players' bytes in the seed"),
    ]
    on_its_word = [_count(number, one, many) for number, one, many in believed if number]
    if not key_known:
        on_its_word.append("the key of the receipts, which --key compares")
    signed = f"{_count(proof.receipts, 'receipt')} in an unbroken chain for each seat"
    return [
        f"{name}: proven: match {proof.match}, digest {proof.digest.hex()}",
        f"  computed again: {', '.join(computed)}",
        f"  signed for: {signed}",
        f"  rests on the server's word: {', '.join(on_its_word) or 'nothing'}",
    ]


def _count(number: int, one: str, many: str | None = None) -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenPipeError:
        sys.exit(NOT_PROVEN)
    except KeyboardInterrupt:
        sys.exit(130)
