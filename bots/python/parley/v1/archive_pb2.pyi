from parley.v1 import game_pb2 as _game_pb2
from parley.v1 import lobby_pb2 as _lobby_pb2
from parley.v1 import replay_pb2 as _replay_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ListReplaysRequest(_message.Message):
    __slots__ = ("page_size", "page_token")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListReplaysResponse(_message.Message):
    __slots__ = ("matches", "next_page_token")
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    matches: _containers.RepeatedCompositeFieldContainer[_lobby_pb2.Match]
    next_page_token: str
    def __init__(self, matches: _Optional[_Iterable[_Union[_lobby_pb2.Match, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class GetReplayRequest(_message.Message):
    __slots__ = ("match_id",)
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    def __init__(self, match_id: _Optional[str] = ...) -> None: ...

class GetReplayResponse(_message.Message):
    __slots__ = ("record",)
    RECORD_FIELD_NUMBER: _ClassVar[int]
    record: _replay_pb2.ReplayRecord
    def __init__(self, record: _Optional[_Union[_replay_pb2.ReplayRecord, _Mapping]] = ...) -> None: ...

class GetTurnsRequest(_message.Message):
    __slots__ = ("match_id", "seat", "first", "count")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    FIRST_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    seat: int
    first: int
    count: int
    def __init__(self, match_id: _Optional[str] = ..., seat: _Optional[int] = ..., first: _Optional[int] = ..., count: _Optional[int] = ...) -> None: ...

class TurnTold(_message.Message):
    __slots__ = ("view", "news", "digest", "trace_id", "changes")
    VIEW_FIELD_NUMBER: _ClassVar[int]
    NEWS_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    TRACE_ID_FIELD_NUMBER: _ClassVar[int]
    CHANGES_FIELD_NUMBER: _ClassVar[int]
    view: _game_pb2.View
    news: _game_pb2.TurnNews
    digest: bytes
    trace_id: bytes
    changes: _game_pb2.Changes
    def __init__(self, view: _Optional[_Union[_game_pb2.View, _Mapping]] = ..., news: _Optional[_Union[_game_pb2.TurnNews, _Mapping]] = ..., digest: _Optional[bytes] = ..., trace_id: _Optional[bytes] = ..., changes: _Optional[_Union[_game_pb2.Changes, _Mapping]] = ...) -> None: ...

class GetTurnsResponse(_message.Message):
    __slots__ = ("turns", "last", "after")
    TURNS_FIELD_NUMBER: _ClassVar[int]
    LAST_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    turns: _containers.RepeatedCompositeFieldContainer[TurnTold]
    last: int
    after: _game_pb2.View
    def __init__(self, turns: _Optional[_Iterable[_Union[TurnTold, _Mapping]]] = ..., last: _Optional[int] = ..., after: _Optional[_Union[_game_pb2.View, _Mapping]] = ...) -> None: ...

class GetReceiptsRequest(_message.Message):
    __slots__ = ("match_id", "first_turn")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    FIRST_TURN_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    first_turn: int
    def __init__(self, match_id: _Optional[str] = ..., first_turn: _Optional[int] = ...) -> None: ...

class GetReceiptsResponse(_message.Message):
    __slots__ = ("receipts", "receipt_key", "next_turn")
    RECEIPTS_FIELD_NUMBER: _ClassVar[int]
    RECEIPT_KEY_FIELD_NUMBER: _ClassVar[int]
    NEXT_TURN_FIELD_NUMBER: _ClassVar[int]
    receipts: _containers.RepeatedCompositeFieldContainer[_replay_pb2.Receipt]
    receipt_key: bytes
    next_turn: int
    def __init__(self, receipts: _Optional[_Iterable[_Union[_replay_pb2.Receipt, _Mapping]]] = ..., receipt_key: _Optional[bytes] = ..., next_turn: _Optional[int] = ...) -> None: ...
