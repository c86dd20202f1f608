from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Optional as _Optional

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
    __slots__ = ("matches_in_memory", "watchers", "turns_resolved", "lock_ins", "matches_rebuilt", "uptime_seconds", "draining", "version")
    MATCHES_IN_MEMORY_FIELD_NUMBER: _ClassVar[int]
    WATCHERS_FIELD_NUMBER: _ClassVar[int]
    TURNS_RESOLVED_FIELD_NUMBER: _ClassVar[int]
    LOCK_INS_FIELD_NUMBER: _ClassVar[int]
    MATCHES_REBUILT_FIELD_NUMBER: _ClassVar[int]
    UPTIME_SECONDS_FIELD_NUMBER: _ClassVar[int]
    DRAINING_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    matches_in_memory: int
    watchers: int
    turns_resolved: int
    lock_ins: int
    matches_rebuilt: int
    uptime_seconds: int
    draining: bool
    version: str
    def __init__(self, matches_in_memory: _Optional[int] = ..., watchers: _Optional[int] = ..., turns_resolved: _Optional[int] = ..., lock_ins: _Optional[int] = ..., matches_rebuilt: _Optional[int] = ..., uptime_seconds: _Optional[int] = ..., draining: bool = ..., version: _Optional[str] = ...) -> None: ...

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
