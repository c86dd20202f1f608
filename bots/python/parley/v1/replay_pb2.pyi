from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class SheetOrigin(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SHEET_ORIGIN_UNSPECIFIED: _ClassVar[SheetOrigin]
    SHEET_ORIGIN_LOCKED: _ClassVar[SheetOrigin]
    SHEET_ORIGIN_AT_DEADLINE: _ClassVar[SheetOrigin]
    SHEET_ORIGIN_ABSENT: _ClassVar[SheetOrigin]
SHEET_ORIGIN_UNSPECIFIED: SheetOrigin
SHEET_ORIGIN_LOCKED: SheetOrigin
SHEET_ORIGIN_AT_DEADLINE: SheetOrigin
SHEET_ORIGIN_ABSENT: SheetOrigin

class ReplayRecord(_message.Message):
    __slots__ = ("header", "turn", "end")
    HEADER_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    header: ReplayHeader
    turn: ReplayTurn
    end: ReplayEnd
    def __init__(self, header: _Optional[_Union[ReplayHeader, _Mapping]] = ..., turn: _Optional[_Union[ReplayTurn, _Mapping]] = ..., end: _Optional[_Union[ReplayEnd, _Mapping]] = ...) -> None: ...

class ReplayHeader(_message.Message):
    __slots__ = ("format", "match_id", "name", "rules", "rules_hash", "map", "initial_state", "genesis_digest", "seats", "seed_commitment", "receipt_key", "created_ms", "started_ms", "ruleset")
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    RULES_FIELD_NUMBER: _ClassVar[int]
    RULES_HASH_FIELD_NUMBER: _ClassVar[int]
    MAP_FIELD_NUMBER: _ClassVar[int]
    INITIAL_STATE_FIELD_NUMBER: _ClassVar[int]
    GENESIS_DIGEST_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    SEED_COMMITMENT_FIELD_NUMBER: _ClassVar[int]
    RECEIPT_KEY_FIELD_NUMBER: _ClassVar[int]
    CREATED_MS_FIELD_NUMBER: _ClassVar[int]
    STARTED_MS_FIELD_NUMBER: _ClassVar[int]
    RULESET_FIELD_NUMBER: _ClassVar[int]
    format: int
    match_id: str
    name: str
    rules: str
    rules_hash: bytes
    map: ReplayMap
    initial_state: bytes
    genesis_digest: bytes
    seats: _containers.RepeatedCompositeFieldContainer[ReplaySeat]
    seed_commitment: bytes
    receipt_key: bytes
    created_ms: int
    started_ms: int
    ruleset: str
    def __init__(self, format: _Optional[int] = ..., match_id: _Optional[str] = ..., name: _Optional[str] = ..., rules: _Optional[str] = ..., rules_hash: _Optional[bytes] = ..., map: _Optional[_Union[ReplayMap, _Mapping]] = ..., initial_state: _Optional[bytes] = ..., genesis_digest: _Optional[bytes] = ..., seats: _Optional[_Iterable[_Union[ReplaySeat, _Mapping]]] = ..., seed_commitment: _Optional[bytes] = ..., receipt_key: _Optional[bytes] = ..., created_ms: _Optional[int] = ..., started_ms: _Optional[int] = ..., ruleset: _Optional[str] = ...) -> None: ...

class ReplayMap(_message.Message):
    __slots__ = ("width", "height", "wrap", "terrain")
    WIDTH_FIELD_NUMBER: _ClassVar[int]
    HEIGHT_FIELD_NUMBER: _ClassVar[int]
    WRAP_FIELD_NUMBER: _ClassVar[int]
    TERRAIN_FIELD_NUMBER: _ClassVar[int]
    width: int
    height: int
    wrap: bool
    terrain: bytes
    def __init__(self, width: _Optional[int] = ..., height: _Optional[int] = ..., wrap: bool = ..., terrain: _Optional[bytes] = ...) -> None: ...

class ReplaySeat(_message.Message):
    __slots__ = ("seat", "name", "policy", "added")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    POLICY_FIELD_NUMBER: _ClassVar[int]
    ADDED_FIELD_NUMBER: _ClassVar[int]
    seat: int
    name: str
    policy: str
    added: bytes
    def __init__(self, seat: _Optional[int] = ..., name: _Optional[str] = ..., policy: _Optional[str] = ..., added: _Optional[bytes] = ...) -> None: ...

class ReplaySheet(_message.Message):
    __slots__ = ("seat", "origin", "sheet", "receipt", "conceded")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    SHEET_FIELD_NUMBER: _ClassVar[int]
    RECEIPT_FIELD_NUMBER: _ClassVar[int]
    CONCEDED_FIELD_NUMBER: _ClassVar[int]
    seat: int
    origin: SheetOrigin
    sheet: bytes
    receipt: Receipt
    conceded: bool
    def __init__(self, seat: _Optional[int] = ..., origin: _Optional[_Union[SheetOrigin, str]] = ..., sheet: _Optional[bytes] = ..., receipt: _Optional[_Union[Receipt, _Mapping]] = ..., conceded: bool = ...) -> None: ...

class ReplayAnswer(_message.Message):
    __slots__ = ("seat", "question", "options", "defaulted")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    QUESTION_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    DEFAULTED_FIELD_NUMBER: _ClassVar[int]
    seat: int
    question: int
    options: _containers.RepeatedScalarFieldContainer[int]
    defaulted: bool
    def __init__(self, seat: _Optional[int] = ..., question: _Optional[int] = ..., options: _Optional[_Iterable[int]] = ..., defaulted: bool = ...) -> None: ...

class ReplayWindow(_message.Message):
    __slots__ = ("answers",)
    ANSWERS_FIELD_NUMBER: _ClassVar[int]
    answers: _containers.RepeatedCompositeFieldContainer[ReplayAnswer]
    def __init__(self, answers: _Optional[_Iterable[_Union[ReplayAnswer, _Mapping]]] = ...) -> None: ...

class ReplayTurn(_message.Message):
    __slots__ = ("turn", "sheets", "windows", "state", "digest", "resolved_ms")
    TURN_FIELD_NUMBER: _ClassVar[int]
    SHEETS_FIELD_NUMBER: _ClassVar[int]
    WINDOWS_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    RESOLVED_MS_FIELD_NUMBER: _ClassVar[int]
    turn: int
    sheets: _containers.RepeatedCompositeFieldContainer[ReplaySheet]
    windows: _containers.RepeatedCompositeFieldContainer[ReplayWindow]
    state: bytes
    digest: bytes
    resolved_ms: int
    def __init__(self, turn: _Optional[int] = ..., sheets: _Optional[_Iterable[_Union[ReplaySheet, _Mapping]]] = ..., windows: _Optional[_Iterable[_Union[ReplayWindow, _Mapping]]] = ..., state: _Optional[bytes] = ..., digest: _Optional[bytes] = ..., resolved_ms: _Optional[int] = ...) -> None: ...

class ReplayEnd(_message.Message):
    __slots__ = ("secret", "winner", "draw", "stopped", "final_digest", "ended_ms")
    class Draw(_message.Message):
        __slots__ = ("seats",)
        SEATS_FIELD_NUMBER: _ClassVar[int]
        seats: _containers.RepeatedScalarFieldContainer[int]
        def __init__(self, seats: _Optional[_Iterable[int]] = ...) -> None: ...
    class Stopped(_message.Message):
        __slots__ = ("reason",)
        REASON_FIELD_NUMBER: _ClassVar[int]
        reason: str
        def __init__(self, reason: _Optional[str] = ...) -> None: ...
    SECRET_FIELD_NUMBER: _ClassVar[int]
    WINNER_FIELD_NUMBER: _ClassVar[int]
    DRAW_FIELD_NUMBER: _ClassVar[int]
    STOPPED_FIELD_NUMBER: _ClassVar[int]
    FINAL_DIGEST_FIELD_NUMBER: _ClassVar[int]
    ENDED_MS_FIELD_NUMBER: _ClassVar[int]
    secret: bytes
    winner: int
    draw: ReplayEnd.Draw
    stopped: ReplayEnd.Stopped
    final_digest: bytes
    ended_ms: int
    def __init__(self, secret: _Optional[bytes] = ..., winner: _Optional[int] = ..., draw: _Optional[_Union[ReplayEnd.Draw, _Mapping]] = ..., stopped: _Optional[_Union[ReplayEnd.Stopped, _Mapping]] = ..., final_digest: _Optional[bytes] = ..., ended_ms: _Optional[int] = ...) -> None: ...

class Receipt(_message.Message):
    __slots__ = ("match_id", "turn", "seat", "sheet_hash", "previous", "signature", "salt", "leaf", "path")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    SHEET_HASH_FIELD_NUMBER: _ClassVar[int]
    PREVIOUS_FIELD_NUMBER: _ClassVar[int]
    SIGNATURE_FIELD_NUMBER: _ClassVar[int]
    SALT_FIELD_NUMBER: _ClassVar[int]
    LEAF_FIELD_NUMBER: _ClassVar[int]
    PATH_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    turn: int
    seat: int
    sheet_hash: bytes
    previous: bytes
    signature: bytes
    salt: bytes
    leaf: int
    path: bytes
    def __init__(self, match_id: _Optional[str] = ..., turn: _Optional[int] = ..., seat: _Optional[int] = ..., sheet_hash: _Optional[bytes] = ..., previous: _Optional[bytes] = ..., signature: _Optional[bytes] = ..., salt: _Optional[bytes] = ..., leaf: _Optional[int] = ..., path: _Optional[bytes] = ...) -> None: ...
