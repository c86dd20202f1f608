import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from parley.common.v1 import fault_pb2 as _fault_pb2
from parley.common.v1 import result_pb2 as _result_pb2
from parley.v1 import game_pb2 as _game_pb2
from parley.v1 import question_pb2 as _question_pb2
from parley.v1 import reason_pb2 as _reason_pb2
from parley.v1 import replay_pb2 as _replay_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Phase(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PHASE_UNSPECIFIED: _ClassVar[Phase]
    PHASE_LOBBY: _ClassVar[Phase]
    PHASE_PLANNING: _ClassVar[Phase]
    PHASE_RESOLVING: _ClassVar[Phase]
    PHASE_OVER: _ClassVar[Phase]

class SessionClosedReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SESSION_CLOSED_REASON_UNSPECIFIED: _ClassVar[SessionClosedReason]
    SESSION_CLOSED_REASON_CALLER: _ClassVar[SessionClosedReason]
    SESSION_CLOSED_REASON_MATCH_OVER: _ClassVar[SessionClosedReason]
    SESSION_CLOSED_REASON_INTERRUPTED: _ClassVar[SessionClosedReason]
PHASE_UNSPECIFIED: Phase
PHASE_LOBBY: Phase
PHASE_PLANNING: Phase
PHASE_RESOLVING: Phase
PHASE_OVER: Phase
SESSION_CLOSED_REASON_UNSPECIFIED: SessionClosedReason
SESSION_CLOSED_REASON_CALLER: SessionClosedReason
SESSION_CLOSED_REASON_MATCH_OVER: SessionClosedReason
SESSION_CLOSED_REASON_INTERRUPTED: SessionClosedReason

class StageOrdersRequest(_message.Message):
    __slots__ = ("request_id", "match_id", "turn", "sheet")
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    SHEET_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    match_id: str
    turn: int
    sheet: _game_pb2.Sheet
    def __init__(self, request_id: _Optional[str] = ..., match_id: _Optional[str] = ..., turn: _Optional[int] = ..., sheet: _Optional[_Union[_game_pb2.Sheet, _Mapping]] = ...) -> None: ...

class StageOrdersResponse(_message.Message):
    __slots__ = ("standing", "faults")
    STANDING_FIELD_NUMBER: _ClassVar[int]
    FAULTS_FIELD_NUMBER: _ClassVar[int]
    standing: int
    faults: _containers.RepeatedCompositeFieldContainer[_fault_pb2.Fault]
    def __init__(self, standing: _Optional[int] = ..., faults: _Optional[_Iterable[_Union[_fault_pb2.Fault, _Mapping]]] = ...) -> None: ...

class LockInRequest(_message.Message):
    __slots__ = ("request_id", "match_id", "turn", "sheet")
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    SHEET_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    match_id: str
    turn: int
    sheet: _game_pb2.Sheet
    def __init__(self, request_id: _Optional[str] = ..., match_id: _Optional[str] = ..., turn: _Optional[int] = ..., sheet: _Optional[_Union[_game_pb2.Sheet, _Mapping]] = ...) -> None: ...

class LockInResponse(_message.Message):
    __slots__ = ("receipt",)
    RECEIPT_FIELD_NUMBER: _ClassVar[int]
    receipt: _replay_pb2.Receipt
    def __init__(self, receipt: _Optional[_Union[_replay_pb2.Receipt, _Mapping]] = ...) -> None: ...

class AnswerRequest(_message.Message):
    __slots__ = ("request_id", "match_id", "turn", "window", "answers")
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    WINDOW_FIELD_NUMBER: _ClassVar[int]
    ANSWERS_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    match_id: str
    turn: int
    window: int
    answers: _containers.RepeatedCompositeFieldContainer[_question_pb2.Answer]
    def __init__(self, request_id: _Optional[str] = ..., match_id: _Optional[str] = ..., turn: _Optional[int] = ..., window: _Optional[int] = ..., answers: _Optional[_Iterable[_Union[_question_pb2.Answer, _Mapping]]] = ...) -> None: ...

class AnswerResponse(_message.Message):
    __slots__ = ("turn", "window")
    TURN_FIELD_NUMBER: _ClassVar[int]
    WINDOW_FIELD_NUMBER: _ClassVar[int]
    turn: int
    window: int
    def __init__(self, turn: _Optional[int] = ..., window: _Optional[int] = ...) -> None: ...

class GetViewRequest(_message.Message):
    __slots__ = ("match_id",)
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    def __init__(self, match_id: _Optional[str] = ...) -> None: ...

class GetViewResponse(_message.Message):
    __slots__ = ("phase", "view", "deadline", "locked", "sheet", "prompt", "cursor")
    PHASE_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    DEADLINE_FIELD_NUMBER: _ClassVar[int]
    LOCKED_FIELD_NUMBER: _ClassVar[int]
    SHEET_FIELD_NUMBER: _ClassVar[int]
    PROMPT_FIELD_NUMBER: _ClassVar[int]
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    phase: Phase
    view: _game_pb2.View
    deadline: _timestamp_pb2.Timestamp
    locked: bool
    sheet: _game_pb2.Sheet
    prompt: Prompt
    cursor: int
    def __init__(self, phase: _Optional[_Union[Phase, str]] = ..., view: _Optional[_Union[_game_pb2.View, _Mapping]] = ..., deadline: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., locked: bool = ..., sheet: _Optional[_Union[_game_pb2.Sheet, _Mapping]] = ..., prompt: _Optional[_Union[Prompt, _Mapping]] = ..., cursor: _Optional[int] = ...) -> None: ...

class WatchRequest(_message.Message):
    __slots__ = ("match_id", "after", "views", "no_changes")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    VIEWS_FIELD_NUMBER: _ClassVar[int]
    NO_CHANGES_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    after: int
    views: bool
    no_changes: bool
    def __init__(self, match_id: _Optional[str] = ..., after: _Optional[int] = ..., views: bool = ..., no_changes: bool = ...) -> None: ...

class WatchResponse(_message.Message):
    __slots__ = ("news",)
    NEWS_FIELD_NUMBER: _ClassVar[int]
    news: News
    def __init__(self, news: _Optional[_Union[News, _Mapping]] = ...) -> None: ...

class News(_message.Message):
    __slots__ = ("cursor", "seats_changed", "turn_opened", "locks_changed", "prompt", "outcome", "match_stopped", "snapshot_required", "deadline_changed")
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    SEATS_CHANGED_FIELD_NUMBER: _ClassVar[int]
    TURN_OPENED_FIELD_NUMBER: _ClassVar[int]
    LOCKS_CHANGED_FIELD_NUMBER: _ClassVar[int]
    PROMPT_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    MATCH_STOPPED_FIELD_NUMBER: _ClassVar[int]
    SNAPSHOT_REQUIRED_FIELD_NUMBER: _ClassVar[int]
    DEADLINE_CHANGED_FIELD_NUMBER: _ClassVar[int]
    cursor: int
    seats_changed: SeatsChanged
    turn_opened: TurnOpened
    locks_changed: LocksChanged
    prompt: Prompt
    outcome: Outcome
    match_stopped: MatchStopped
    snapshot_required: SnapshotRequired
    deadline_changed: DeadlineChanged
    def __init__(self, cursor: _Optional[int] = ..., seats_changed: _Optional[_Union[SeatsChanged, _Mapping]] = ..., turn_opened: _Optional[_Union[TurnOpened, _Mapping]] = ..., locks_changed: _Optional[_Union[LocksChanged, _Mapping]] = ..., prompt: _Optional[_Union[Prompt, _Mapping]] = ..., outcome: _Optional[_Union[Outcome, _Mapping]] = ..., match_stopped: _Optional[_Union[MatchStopped, _Mapping]] = ..., snapshot_required: _Optional[_Union[SnapshotRequired, _Mapping]] = ..., deadline_changed: _Optional[_Union[DeadlineChanged, _Mapping]] = ...) -> None: ...

class DeadlineChanged(_message.Message):
    __slots__ = ("turn", "window", "deadline")
    TURN_FIELD_NUMBER: _ClassVar[int]
    WINDOW_FIELD_NUMBER: _ClassVar[int]
    DEADLINE_FIELD_NUMBER: _ClassVar[int]
    turn: int
    window: int
    deadline: _timestamp_pb2.Timestamp
    def __init__(self, turn: _Optional[int] = ..., window: _Optional[int] = ..., deadline: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class SeatChange(_message.Message):
    __slots__ = ("seat", "taken", "name")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    TAKEN_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    seat: int
    taken: bool
    name: str
    def __init__(self, seat: _Optional[int] = ..., taken: bool = ..., name: _Optional[str] = ...) -> None: ...

class SeatsChanged(_message.Message):
    __slots__ = ("seats",)
    SEATS_FIELD_NUMBER: _ClassVar[int]
    seats: _containers.RepeatedCompositeFieldContainer[SeatChange]
    def __init__(self, seats: _Optional[_Iterable[_Union[SeatChange, _Mapping]]] = ...) -> None: ...

class TurnOpened(_message.Message):
    __slots__ = ("turn", "deadline", "view")
    TURN_FIELD_NUMBER: _ClassVar[int]
    DEADLINE_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    turn: int
    deadline: _timestamp_pb2.Timestamp
    view: _game_pb2.View
    def __init__(self, turn: _Optional[int] = ..., deadline: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., view: _Optional[_Union[_game_pb2.View, _Mapping]] = ...) -> None: ...

class LocksChanged(_message.Message):
    __slots__ = ("turn", "count", "seats")
    TURN_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    turn: int
    count: int
    seats: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, turn: _Optional[int] = ..., count: _Optional[int] = ..., seats: _Optional[_Iterable[int]] = ...) -> None: ...

class Prompt(_message.Message):
    __slots__ = ("turn", "window", "so_far", "deadline", "questions", "changes")
    TURN_FIELD_NUMBER: _ClassVar[int]
    WINDOW_FIELD_NUMBER: _ClassVar[int]
    SO_FAR_FIELD_NUMBER: _ClassVar[int]
    DEADLINE_FIELD_NUMBER: _ClassVar[int]
    QUESTIONS_FIELD_NUMBER: _ClassVar[int]
    CHANGES_FIELD_NUMBER: _ClassVar[int]
    turn: int
    window: int
    so_far: _game_pb2.TurnNews
    deadline: _timestamp_pb2.Timestamp
    questions: _containers.RepeatedCompositeFieldContainer[_question_pb2.Question]
    changes: _game_pb2.Changes
    def __init__(self, turn: _Optional[int] = ..., window: _Optional[int] = ..., so_far: _Optional[_Union[_game_pb2.TurnNews, _Mapping]] = ..., deadline: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., questions: _Optional[_Iterable[_Union[_question_pb2.Question, _Mapping]]] = ..., changes: _Optional[_Union[_game_pb2.Changes, _Mapping]] = ...) -> None: ...

class Outcome(_message.Message):
    __slots__ = ("turn", "shared", "next", "ended", "trace_id", "own", "shared_changes", "own_changes")
    TURN_FIELD_NUMBER: _ClassVar[int]
    SHARED_FIELD_NUMBER: _ClassVar[int]
    NEXT_FIELD_NUMBER: _ClassVar[int]
    ENDED_FIELD_NUMBER: _ClassVar[int]
    TRACE_ID_FIELD_NUMBER: _ClassVar[int]
    OWN_FIELD_NUMBER: _ClassVar[int]
    SHARED_CHANGES_FIELD_NUMBER: _ClassVar[int]
    OWN_CHANGES_FIELD_NUMBER: _ClassVar[int]
    turn: int
    shared: _game_pb2.TurnNews
    next: TurnOpened
    ended: MatchEnded
    trace_id: bytes
    own: _game_pb2.TurnNews
    shared_changes: _game_pb2.Changes
    own_changes: _game_pb2.Changes
    def __init__(self, turn: _Optional[int] = ..., shared: _Optional[_Union[_game_pb2.TurnNews, _Mapping]] = ..., next: _Optional[_Union[TurnOpened, _Mapping]] = ..., ended: _Optional[_Union[MatchEnded, _Mapping]] = ..., trace_id: _Optional[bytes] = ..., own: _Optional[_Union[_game_pb2.TurnNews, _Mapping]] = ..., shared_changes: _Optional[_Union[_game_pb2.Changes, _Mapping]] = ..., own_changes: _Optional[_Union[_game_pb2.Changes, _Mapping]] = ...) -> None: ...

class MatchEnded(_message.Message):
    __slots__ = ("result", "secret", "digest")
    RESULT_FIELD_NUMBER: _ClassVar[int]
    SECRET_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    result: _result_pb2.MatchResult
    secret: bytes
    digest: bytes
    def __init__(self, result: _Optional[_Union[_result_pb2.MatchResult, _Mapping]] = ..., secret: _Optional[bytes] = ..., digest: _Optional[bytes] = ...) -> None: ...

class MatchStopped(_message.Message):
    __slots__ = ("reason",)
    REASON_FIELD_NUMBER: _ClassVar[int]
    reason: str
    def __init__(self, reason: _Optional[str] = ...) -> None: ...

class SnapshotRequired(_message.Message):
    __slots__ = ("newest",)
    NEWEST_FIELD_NUMBER: _ClassVar[int]
    newest: int
    def __init__(self, newest: _Optional[int] = ...) -> None: ...

class SessionRequest(_message.Message):
    __slots__ = ("call", "open", "stage_orders", "lock_in", "answer", "get_view", "advise", "concede", "close", "traceparent", "channel")
    CALL_FIELD_NUMBER: _ClassVar[int]
    OPEN_FIELD_NUMBER: _ClassVar[int]
    STAGE_ORDERS_FIELD_NUMBER: _ClassVar[int]
    LOCK_IN_FIELD_NUMBER: _ClassVar[int]
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    GET_VIEW_FIELD_NUMBER: _ClassVar[int]
    ADVISE_FIELD_NUMBER: _ClassVar[int]
    CONCEDE_FIELD_NUMBER: _ClassVar[int]
    CLOSE_FIELD_NUMBER: _ClassVar[int]
    TRACEPARENT_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    call: int
    open: SessionOpen
    stage_orders: StageOrdersRequest
    lock_in: LockInRequest
    answer: AnswerRequest
    get_view: GetViewRequest
    advise: AdviseRequest
    concede: ConcedeRequest
    close: SessionClose
    traceparent: str
    channel: int
    def __init__(self, call: _Optional[int] = ..., open: _Optional[_Union[SessionOpen, _Mapping]] = ..., stage_orders: _Optional[_Union[StageOrdersRequest, _Mapping]] = ..., lock_in: _Optional[_Union[LockInRequest, _Mapping]] = ..., answer: _Optional[_Union[AnswerRequest, _Mapping]] = ..., get_view: _Optional[_Union[GetViewRequest, _Mapping]] = ..., advise: _Optional[_Union[AdviseRequest, _Mapping]] = ..., concede: _Optional[_Union[ConcedeRequest, _Mapping]] = ..., close: _Optional[_Union[SessionClose, _Mapping]] = ..., traceparent: _Optional[str] = ..., channel: _Optional[int] = ...) -> None: ...

class SessionOpen(_message.Message):
    __slots__ = ("match_id", "after", "views", "no_changes", "player_token")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    VIEWS_FIELD_NUMBER: _ClassVar[int]
    NO_CHANGES_FIELD_NUMBER: _ClassVar[int]
    PLAYER_TOKEN_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    after: int
    views: bool
    no_changes: bool
    player_token: str
    def __init__(self, match_id: _Optional[str] = ..., after: _Optional[int] = ..., views: bool = ..., no_changes: bool = ..., player_token: _Optional[str] = ...) -> None: ...

class SessionClose(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class SessionResponse(_message.Message):
    __slots__ = ("call", "news", "opened", "stage_orders", "lock_in", "answer", "get_view", "advise", "concede", "refused", "closed", "channel")
    CALL_FIELD_NUMBER: _ClassVar[int]
    NEWS_FIELD_NUMBER: _ClassVar[int]
    OPENED_FIELD_NUMBER: _ClassVar[int]
    STAGE_ORDERS_FIELD_NUMBER: _ClassVar[int]
    LOCK_IN_FIELD_NUMBER: _ClassVar[int]
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    GET_VIEW_FIELD_NUMBER: _ClassVar[int]
    ADVISE_FIELD_NUMBER: _ClassVar[int]
    CONCEDE_FIELD_NUMBER: _ClassVar[int]
    REFUSED_FIELD_NUMBER: _ClassVar[int]
    CLOSED_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    call: int
    news: News
    opened: SessionOpened
    stage_orders: StageOrdersResponse
    lock_in: LockInResponse
    answer: AnswerResponse
    get_view: GetViewResponse
    advise: AdviseResponse
    concede: ConcedeResponse
    refused: Refusal
    closed: SessionClosed
    channel: int
    def __init__(self, call: _Optional[int] = ..., news: _Optional[_Union[News, _Mapping]] = ..., opened: _Optional[_Union[SessionOpened, _Mapping]] = ..., stage_orders: _Optional[_Union[StageOrdersResponse, _Mapping]] = ..., lock_in: _Optional[_Union[LockInResponse, _Mapping]] = ..., answer: _Optional[_Union[AnswerResponse, _Mapping]] = ..., get_view: _Optional[_Union[GetViewResponse, _Mapping]] = ..., advise: _Optional[_Union[AdviseResponse, _Mapping]] = ..., concede: _Optional[_Union[ConcedeResponse, _Mapping]] = ..., refused: _Optional[_Union[Refusal, _Mapping]] = ..., closed: _Optional[_Union[SessionClosed, _Mapping]] = ..., channel: _Optional[int] = ...) -> None: ...

class SessionOpened(_message.Message):
    __slots__ = ("seat",)
    SEAT_FIELD_NUMBER: _ClassVar[int]
    seat: int
    def __init__(self, seat: _Optional[int] = ...) -> None: ...

class SessionClosed(_message.Message):
    __slots__ = ("reason", "interruption")
    REASON_FIELD_NUMBER: _ClassVar[int]
    INTERRUPTION_FIELD_NUMBER: _ClassVar[int]
    reason: SessionClosedReason
    interruption: Refusal
    def __init__(self, reason: _Optional[_Union[SessionClosedReason, str]] = ..., interruption: _Optional[_Union[Refusal, _Mapping]] = ...) -> None: ...

class Refusal(_message.Message):
    __slots__ = ("code", "reason", "message", "faults", "turn", "window", "retry_after")
    CODE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    FAULTS_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    WINDOW_FIELD_NUMBER: _ClassVar[int]
    RETRY_AFTER_FIELD_NUMBER: _ClassVar[int]
    code: int
    reason: _reason_pb2.Reason
    message: str
    faults: _containers.RepeatedCompositeFieldContainer[_fault_pb2.Fault]
    turn: int
    window: int
    retry_after: _duration_pb2.Duration
    def __init__(self, code: _Optional[int] = ..., reason: _Optional[_Union[_reason_pb2.Reason, str]] = ..., message: _Optional[str] = ..., faults: _Optional[_Iterable[_Union[_fault_pb2.Fault, _Mapping]]] = ..., turn: _Optional[int] = ..., window: _Optional[int] = ..., retry_after: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class AdviseRequest(_message.Message):
    __slots__ = ("match_id", "query")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    QUERY_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    query: _game_pb2.Query
    def __init__(self, match_id: _Optional[str] = ..., query: _Optional[_Union[_game_pb2.Query, _Mapping]] = ...) -> None: ...

class AdviseResponse(_message.Message):
    __slots__ = ("advice",)
    ADVICE_FIELD_NUMBER: _ClassVar[int]
    advice: _game_pb2.Advice
    def __init__(self, advice: _Optional[_Union[_game_pb2.Advice, _Mapping]] = ...) -> None: ...

class ConcedeRequest(_message.Message):
    __slots__ = ("request_id", "match_id")
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    match_id: str
    def __init__(self, request_id: _Optional[str] = ..., match_id: _Optional[str] = ...) -> None: ...

class ConcedeResponse(_message.Message):
    __slots__ = ("turn",)
    TURN_FIELD_NUMBER: _ClassVar[int]
    turn: int
    def __init__(self, turn: _Optional[int] = ...) -> None: ...
