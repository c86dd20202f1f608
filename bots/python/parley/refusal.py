"""Why a server did not do what it was asked."""

from __future__ import annotations

from dataclasses import dataclass, field

import grpc
import grpc.aio
from google.protobuf.message import DecodeError
from google.rpc import error_details_pb2, status_pb2

from . import v1
from .common import v1 as common

DETAILS = "grpc-status-details-bin"
MAX_TOLD_FAULTS = 16
"""How many faults of one refusal are told one by one."""

_INPUT = (
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.NOT_FOUND,
    grpc.StatusCode.ALREADY_EXISTS,
    grpc.StatusCode.PERMISSION_DENIED,
    grpc.StatusCode.UNAUTHENTICATED,
    grpc.StatusCode.FAILED_PRECONDITION,
)

_PREFIX = "REASON_"
"""The prefix of reasons in the protos, which statuses leave out."""

# What this side says where a connection broke, though the code is the one of a server's own mistake.
_BROKEN = ("Stream removed", "RST_STREAM", "Internal error from Core")


@dataclass
class Refusal:
    """A call that was refused and changed nothing."""

    code: grpc.StatusCode
    """What kind of mistake it is."""
    message: str
    """One sentence."""
    reason: v1.Reason = v1.REASON_UNSPECIFIED
    """The reason; unspecified where the server gave none, or one that is not known here."""
    faults: list[common.Fault] = field(default_factory=list)
    """Everything that is wrong with orders or answers. Told within a session."""
    turn: int = 0
    """The turn that the match is in; 0 where it was not told."""
    window: int = 0
    """The caller's number of the open window; 0 where the caller is not asked in one."""
    retry_after: float | None = None
    """How many seconds to wait before trying again, where that makes sense."""

    @property
    def is_passing(self) -> bool:
        """The same call can succeed later: the server is away, or asks for patience."""
        return self.code is grpc.StatusCode.UNAVAILABLE or self.retry_after is not None

    @property
    def is_untimely(self) -> bool:
        """The call was meant for another moment of the match."""
        return self.code is grpc.StatusCode.FAILED_PRECONDITION

    @property
    def is_about_content(self) -> bool:
        """What was sent is at fault, and sending it again will not help."""
        return self.code in (grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.RESOURCE_EXHAUSTED)

    @property
    def is_input(self) -> bool:
        """Whoever asked is at fault, and not the machine or the server."""
        return self.code in _INPUT

    def reasons(self) -> list[str]:
        """Everything that was wrong, a line for each fault: which order, what about it, and the rule it broke."""
        told = [_fault(fault) for fault in self.faults[:MAX_TOLD_FAULTS]]
        left = len(self.faults) - len(told)
        if left > 0:
            told.append(f"and {left} more faults")
        return told or [_one_line(self.message)]

    def __str__(self) -> str:
        return f"{self.message} ({self.name})"

    @property
    def name(self) -> str:
        """The name of the reason without the prefix that all have, or of the kind of mistake where there is none."""
        known = self.reason != v1.REASON_UNSPECIFIED and self.reason in v1.Reason.values()
        return v1.Reason.Name(self.reason).removeprefix(_PREFIX) if known else str(self.code.name)

    @classmethod
    def away(cls, message: str) -> Refusal:
        """The connection is lost."""
        return cls(grpc.StatusCode.UNAVAILABLE, message)

    @classmethod
    def from_wire(cls, wire: v1.Refusal) -> Refusal:
        """As it is told within a session."""
        return cls(
            _code(wire.code),
            wire.message,
            wire.reason,
            list(wire.faults),
            wire.turn,
            wire.window,
            wire.retry_after.ToTimedelta().total_seconds() if wire.HasField("retry_after") else None,
        )

    @classmethod
    def from_error(cls, error: grpc.aio.AioRpcError) -> Refusal:
        """A status that came over the wire as it is; one that this side made of a broken connection is unavailable."""
        message = " ".join((error.details() or "").split())
        refusal = cls(error.code(), message)
        if any(words in message for words in _BROKEN):
            refusal.code = grpc.StatusCode.UNAVAILABLE
        for key, value in error.trailing_metadata() or ():
            if key == DETAILS and isinstance(value, bytes):
                refusal._take_details(value)
        return refusal

    def _take_details(self, encoded: bytes) -> None:
        try:
            details = status_pb2.Status.FromString(encoded).details
        except DecodeError:
            return
        for detail in details:
            named = error_details_pb2.ErrorInfo()
            patience = error_details_pb2.RetryInfo()
            if detail.Unpack(named):
                self.reason = _reason(named.reason)
                self.turn = _number(named.metadata.get("turn", ""))
                self.window = _number(named.metadata.get("window", ""))
            elif detail.Unpack(patience):
                self.retry_after = patience.retry_delay.ToTimedelta().total_seconds()


def _fault(fault: common.Fault) -> str:
    which = fault.subject.WhichOneof("subject")
    whose = f"{which} {getattr(fault.subject, which)}: " if which else ""
    rule = f" ({fault.rule})" if fault.rule else ""
    return _one_line(f"{whose}{fault.text}{rule}")


def _one_line(text: str) -> str:
    """A text of the server without anything that would break or colour a line."""
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() else 0


def _reason(name: str) -> v1.Reason:
    known: dict[str, v1.Reason] = dict(v1.Reason.items())
    return known.get(_PREFIX + name, v1.REASON_UNSPECIFIED)


def _code(number: int) -> grpc.StatusCode:
    return next((code for code in grpc.StatusCode if code.value[0] == number), grpc.StatusCode.UNKNOWN)
