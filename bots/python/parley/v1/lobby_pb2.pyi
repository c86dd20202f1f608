import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from parley.common.v1 import result_pb2 as _result_pb2
from parley.v1 import game_pb2 as _game_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class MatchStage(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MATCH_STAGE_UNSPECIFIED: _ClassVar[MatchStage]
    MATCH_STAGE_OPEN: _ClassVar[MatchStage]
    MATCH_STAGE_RUNNING: _ClassVar[MatchStage]
    MATCH_STAGE_FINISHED: _ClassVar[MatchStage]

class Visibility(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    VISIBILITY_UNSPECIFIED: _ClassVar[Visibility]
    VISIBILITY_PUBLIC: _ClassVar[Visibility]
    VISIBILITY_PRIVATE: _ClassVar[Visibility]

class LockDisclosure(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    LOCK_DISCLOSURE_UNSPECIFIED: _ClassVar[LockDisclosure]
    LOCK_DISCLOSURE_NONE: _ClassVar[LockDisclosure]
    LOCK_DISCLOSURE_COUNT: _ClassVar[LockDisclosure]
    LOCK_DISCLOSURE_WHO: _ClassVar[LockDisclosure]
MATCH_STAGE_UNSPECIFIED: MatchStage
MATCH_STAGE_OPEN: MatchStage
MATCH_STAGE_RUNNING: MatchStage
MATCH_STAGE_FINISHED: MatchStage
VISIBILITY_UNSPECIFIED: Visibility
VISIBILITY_PUBLIC: Visibility
VISIBILITY_PRIVATE: Visibility
LOCK_DISCLOSURE_UNSPECIFIED: LockDisclosure
LOCK_DISCLOSURE_NONE: LockDisclosure
LOCK_DISCLOSURE_COUNT: LockDisclosure
LOCK_DISCLOSURE_WHO: LockDisclosure

class SeatChoice(_message.Message):
    __slots__ = ("house_bot",)
    HOUSE_BOT_FIELD_NUMBER: _ClassVar[int]
    house_bot: str
    def __init__(self, house_bot: _Optional[str] = ...) -> None: ...

class MatchSettings(_message.Message):
    __slots__ = ("name", "game", "seats", "planning_time", "decision_time", "visibility", "lock_disclosure", "spectator_delay_turns", "start_when_full")
    NAME_FIELD_NUMBER: _ClassVar[int]
    GAME_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    PLANNING_TIME_FIELD_NUMBER: _ClassVar[int]
    DECISION_TIME_FIELD_NUMBER: _ClassVar[int]
    VISIBILITY_FIELD_NUMBER: _ClassVar[int]
    LOCK_DISCLOSURE_FIELD_NUMBER: _ClassVar[int]
    SPECTATOR_DELAY_TURNS_FIELD_NUMBER: _ClassVar[int]
    START_WHEN_FULL_FIELD_NUMBER: _ClassVar[int]
    name: str
    game: _game_pb2.GameSettings
    seats: _containers.RepeatedCompositeFieldContainer[SeatChoice]
    planning_time: _duration_pb2.Duration
    decision_time: _duration_pb2.Duration
    visibility: Visibility
    lock_disclosure: LockDisclosure
    spectator_delay_turns: int
    start_when_full: bool
    def __init__(self, name: _Optional[str] = ..., game: _Optional[_Union[_game_pb2.GameSettings, _Mapping]] = ..., seats: _Optional[_Iterable[_Union[SeatChoice, _Mapping]]] = ..., planning_time: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., decision_time: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., visibility: _Optional[_Union[Visibility, str]] = ..., lock_disclosure: _Optional[_Union[LockDisclosure, str]] = ..., spectator_delay_turns: _Optional[int] = ..., start_when_full: bool = ...) -> None: ...

class CreateMatchRequest(_message.Message):
    __slots__ = ("request_id", "settings", "fixed_secret")
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    SETTINGS_FIELD_NUMBER: _ClassVar[int]
    FIXED_SECRET_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    settings: MatchSettings
    fixed_secret: bytes
    def __init__(self, request_id: _Optional[str] = ..., settings: _Optional[_Union[MatchSettings, _Mapping]] = ..., fixed_secret: _Optional[bytes] = ...) -> None: ...

class CreateMatchResponse(_message.Message):
    __slots__ = ("match", "host_token", "invite_token")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    HOST_TOKEN_FIELD_NUMBER: _ClassVar[int]
    INVITE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    match: Match
    host_token: str
    invite_token: str
    def __init__(self, match: _Optional[_Union[Match, _Mapping]] = ..., host_token: _Optional[str] = ..., invite_token: _Optional[str] = ...) -> None: ...

class Seat(_message.Message):
    __slots__ = ("seat", "house_bot", "taken", "name")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    HOUSE_BOT_FIELD_NUMBER: _ClassVar[int]
    TAKEN_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    seat: int
    house_bot: str
    taken: bool
    name: str
    def __init__(self, seat: _Optional[int] = ..., house_bot: _Optional[str] = ..., taken: bool = ..., name: _Optional[str] = ...) -> None: ...

class Match(_message.Message):
    __slots__ = ("match_id", "stage", "settings", "seats", "created_at", "seed_commitment", "rules_hash", "fixed_secret", "turn", "result", "stopped", "ruleset")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    STAGE_FIELD_NUMBER: _ClassVar[int]
    SETTINGS_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    SEED_COMMITMENT_FIELD_NUMBER: _ClassVar[int]
    RULES_HASH_FIELD_NUMBER: _ClassVar[int]
    FIXED_SECRET_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    STOPPED_FIELD_NUMBER: _ClassVar[int]
    RULESET_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    stage: MatchStage
    settings: MatchSettings
    seats: _containers.RepeatedCompositeFieldContainer[Seat]
    created_at: _timestamp_pb2.Timestamp
    seed_commitment: bytes
    rules_hash: bytes
    fixed_secret: bool
    turn: int
    result: _result_pb2.MatchResult
    stopped: str
    ruleset: str
    def __init__(self, match_id: _Optional[str] = ..., stage: _Optional[_Union[MatchStage, str]] = ..., settings: _Optional[_Union[MatchSettings, _Mapping]] = ..., seats: _Optional[_Iterable[_Union[Seat, _Mapping]]] = ..., created_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., seed_commitment: _Optional[bytes] = ..., rules_hash: _Optional[bytes] = ..., fixed_secret: bool = ..., turn: _Optional[int] = ..., result: _Optional[_Union[_result_pb2.MatchResult, _Mapping]] = ..., stopped: _Optional[str] = ..., ruleset: _Optional[str] = ...) -> None: ...

class ListMatchesRequest(_message.Message):
    __slots__ = ("stage", "page_size", "page_token")
    STAGE_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    stage: MatchStage
    page_size: int
    page_token: str
    def __init__(self, stage: _Optional[_Union[MatchStage, str]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListMatchesResponse(_message.Message):
    __slots__ = ("matches", "next_page_token")
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    matches: _containers.RepeatedCompositeFieldContainer[Match]
    next_page_token: str
    def __init__(self, matches: _Optional[_Iterable[_Union[Match, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class GetMatchRequest(_message.Message):
    __slots__ = ("match_id",)
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    def __init__(self, match_id: _Optional[str] = ...) -> None: ...

class GetMatchResponse(_message.Message):
    __slots__ = ("match", "rules", "receipt_key", "trace_url", "traced")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    RULES_FIELD_NUMBER: _ClassVar[int]
    RECEIPT_KEY_FIELD_NUMBER: _ClassVar[int]
    TRACE_URL_FIELD_NUMBER: _ClassVar[int]
    TRACED_FIELD_NUMBER: _ClassVar[int]
    match: Match
    rules: str
    receipt_key: bytes
    trace_url: str
    traced: bool
    def __init__(self, match: _Optional[_Union[Match, _Mapping]] = ..., rules: _Optional[str] = ..., receipt_key: _Optional[bytes] = ..., trace_url: _Optional[str] = ..., traced: bool = ...) -> None: ...

class JoinMatchRequest(_message.Message):
    __slots__ = ("request_id", "match_id", "seat", "name", "added")
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    ADDED_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    match_id: str
    seat: int
    name: str
    added: bytes
    def __init__(self, request_id: _Optional[str] = ..., match_id: _Optional[str] = ..., seat: _Optional[int] = ..., name: _Optional[str] = ..., added: _Optional[bytes] = ...) -> None: ...

class JoinMatchResponse(_message.Message):
    __slots__ = ("seat", "player_token", "expires_at", "match")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    PLAYER_TOKEN_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    MATCH_FIELD_NUMBER: _ClassVar[int]
    seat: int
    player_token: str
    expires_at: _timestamp_pb2.Timestamp
    match: Match
    def __init__(self, seat: _Optional[int] = ..., player_token: _Optional[str] = ..., expires_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., match: _Optional[_Union[Match, _Mapping]] = ...) -> None: ...

class LeaveMatchRequest(_message.Message):
    __slots__ = ("request_id", "match_id")
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    match_id: str
    def __init__(self, request_id: _Optional[str] = ..., match_id: _Optional[str] = ...) -> None: ...

class LeaveMatchResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class StartMatchRequest(_message.Message):
    __slots__ = ("request_id", "match_id")
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    match_id: str
    def __init__(self, request_id: _Optional[str] = ..., match_id: _Optional[str] = ...) -> None: ...

class StartMatchResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListHouseBotsRequest(_message.Message):
    __slots__ = ("ruleset",)
    RULESET_FIELD_NUMBER: _ClassVar[int]
    ruleset: str
    def __init__(self, ruleset: _Optional[str] = ...) -> None: ...

class ListHouseBotsResponse(_message.Message):
    __slots__ = ("policies",)
    POLICIES_FIELD_NUMBER: _ClassVar[int]
    policies: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, policies: _Optional[_Iterable[str]] = ...) -> None: ...
