import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from parley.v1 import lobby_pb2 as _lobby_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class DrainRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class DrainResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetStatsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetStatsResponse(_message.Message):
    __slots__ = ("matches_in_memory", "watchers", "turns_resolved", "lock_ins", "matches_rebuilt", "uptime", "draining", "version")
    MATCHES_IN_MEMORY_FIELD_NUMBER: _ClassVar[int]
    WATCHERS_FIELD_NUMBER: _ClassVar[int]
    TURNS_RESOLVED_FIELD_NUMBER: _ClassVar[int]
    LOCK_INS_FIELD_NUMBER: _ClassVar[int]
    MATCHES_REBUILT_FIELD_NUMBER: _ClassVar[int]
    UPTIME_FIELD_NUMBER: _ClassVar[int]
    DRAINING_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    matches_in_memory: int
    watchers: int
    turns_resolved: int
    lock_ins: int
    matches_rebuilt: int
    uptime: _duration_pb2.Duration
    draining: bool
    version: str
    def __init__(self, matches_in_memory: _Optional[int] = ..., watchers: _Optional[int] = ..., turns_resolved: _Optional[int] = ..., lock_ins: _Optional[int] = ..., matches_rebuilt: _Optional[int] = ..., uptime: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., draining: bool = ..., version: _Optional[str] = ...) -> None: ...

class StopMatchRequest(_message.Message):
    __slots__ = ("request_id", "match_id", "reason")
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    match_id: str
    reason: str
    def __init__(self, request_id: _Optional[str] = ..., match_id: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class StopMatchResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class InspectMatchesRequest(_message.Message):
    __slots__ = ("stage", "page_size", "page_token")
    STAGE_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    stage: _lobby_pb2.MatchStage
    page_size: int
    page_token: str
    def __init__(self, stage: _Optional[_Union[_lobby_pb2.MatchStage, str]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class InspectMatchesResponse(_message.Message):
    __slots__ = ("matches", "next_page_token")
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    matches: _containers.RepeatedCompositeFieldContainer[InspectedMatch]
    next_page_token: str
    def __init__(self, matches: _Optional[_Iterable[_Union[InspectedMatch, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class InspectedMatch(_message.Message):
    __slots__ = ("match", "last_input_at", "address", "by_admin", "abandoned", "expires_at", "missed_deadlines", "in_memory")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    LAST_INPUT_AT_FIELD_NUMBER: _ClassVar[int]
    ADDRESS_FIELD_NUMBER: _ClassVar[int]
    BY_ADMIN_FIELD_NUMBER: _ClassVar[int]
    ABANDONED_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    MISSED_DEADLINES_FIELD_NUMBER: _ClassVar[int]
    IN_MEMORY_FIELD_NUMBER: _ClassVar[int]
    match: _lobby_pb2.Match
    last_input_at: _timestamp_pb2.Timestamp
    address: bytes
    by_admin: bool
    abandoned: bool
    expires_at: _timestamp_pb2.Timestamp
    missed_deadlines: int
    in_memory: bool
    def __init__(self, match: _Optional[_Union[_lobby_pb2.Match, _Mapping]] = ..., last_input_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., address: _Optional[bytes] = ..., by_admin: bool = ..., abandoned: bool = ..., expires_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., missed_deadlines: _Optional[int] = ..., in_memory: bool = ...) -> None: ...
