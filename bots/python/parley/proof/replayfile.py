"""Replay files as bytes: a first line, and records with their length before them (`replay.proto`)."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from google.protobuf.message import DecodeError

from parley import v1

FIRST_LINE = b"PARLEY-REPLAY 2\n"
FORMAT = 2
EARLIER_FIRST_LINE = b"PARLEY-REPLAY 1\n"
EARLIER_FORMAT = 1
"""It had decisions by unit and tick where there are answers to questions now."""
RULESET = "plunder"
"""The name of the naval game, which is also that of its arm in a `Sheet`."""
MAX_FILE_BYTES = 1 << 30
MAX_VARINT_BYTES = 10


class FileFault(Exception):
    """A file that is no replay, in one sentence."""


class ForeignReplay(FileFault):
    """A replay, but none that is read here."""


class EarlierFormat(ForeignReplay):
    """A replay that nobody reads any more."""

    def __init__(self) -> None:
        version = f"an earlier version of Parley (format {EARLIER_FORMAT})"
        super().__init__(f"this replay was written by {version}, which this verifier does not read")


class OtherGame(ForeignReplay):
    """A replay of a game whose rules are not known here."""

    def __init__(self, ruleset: str) -> None:
        named = f"is of the game {ruleset!r}" if ruleset else "does not name its game"
        super().__init__(f"this replay {named}, and this verifier knows the rules of {RULESET!r} alone")


@dataclass
class Replay:
    """The records of a match."""

    header: v1.ReplayHeader
    end: v1.ReplayEnd
    turns: list[v1.ReplayTurn] = field(default_factory=list)


def read(data: bytes) -> Replay:
    """Takes a file apart. What it says is not judged here."""
    if len(data) > MAX_FILE_BYTES:
        raise FileFault(f"it has more than {MAX_FILE_BYTES} bytes")
    if data.startswith(EARLIER_FIRST_LINE):
        raise EarlierFormat
    if not data.startswith(FIRST_LINE):
        raise FileFault(f"it does not begin with the line {FIRST_LINE.decode().strip()!r}")
    records = _records(data)
    if not records or records[0].WhichOneof("record") != "header":
        raise FileFault("its first record is no header")
    header = records[0].header
    if header.format == EARLIER_FORMAT:
        raise EarlierFormat
    if header.format != FORMAT:
        raise FileFault(f"its format is {header.format}, and {FORMAT} is known here")
    if header.ruleset != RULESET:
        raise OtherGame(header.ruleset)
    if records[-1].WhichOneof("record") != "end":
        raise FileFault("its last record is no end")
    replay = Replay(header, records[-1].end)
    for place, record in enumerate(records[1:-1], start=2):
        if record.WhichOneof("record") != "turn":
            raise FileFault(f"its record {place} is no turn")
        replay.turns.append(record.turn)
    return replay


def write(replay: Replay) -> bytes:
    """Puts a file together again."""
    records = [
        v1.ReplayRecord(header=replay.header),
        *(v1.ReplayRecord(turn=turn) for turn in replay.turns),
        v1.ReplayRecord(end=replay.end),
    ]
    return file_of(record.SerializeToString() for record in records)


def file_of(records: Iterable[bytes]) -> bytes:
    """The file that holds these records, each of them encoded."""
    out = bytearray(FIRST_LINE)
    for record in records:
        out += _varint(len(record)) + record
    return bytes(out)


def _records(data: bytes) -> list[v1.ReplayRecord]:
    records: list[v1.ReplayRecord] = []
    at = len(FIRST_LINE)
    while at < len(data):
        place = len(records) + 1
        length, at = _length(data, at, place)
        if length > len(data) - at:
            raise FileFault(f"it ends within record {place}")
        try:
            records.append(v1.ReplayRecord.FromString(data[at : at + length]))
        except DecodeError:
            raise FileFault(f"its record {place} cannot be read") from None
        at += length
    return records


def _length(data: bytes, at: int, place: int) -> tuple[int, int]:
    length = 0
    for nth in range(MAX_VARINT_BYTES):
        if at + nth >= len(data):
            raise FileFault(f"it ends within the length of record {place}")
        byte = data[at + nth]
        length |= (byte & 0x7F) << 7 * nth
        if byte < 0x80:
            return length, at + nth + 1
    raise FileFault(f"the length of record {place} cannot be read")


def _varint(number: int) -> bytes:
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])
