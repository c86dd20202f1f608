from parley.common.v1 import board_pb2 as _board_pb2
from parley.common.v1 import result_pb2 as _result_pb2
from parley.plunder.v1 import board_pb2 as _board_pb2_1
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class UnitPatch(_message.Message):
    __slots__ = ("id", "owner", "hex", "hp", "sails", "cannons", "hull", "engagement", "route")
    class Route(_message.Message):
        __slots__ = ("path",)
        PATH_FIELD_NUMBER: _ClassVar[int]
        path: _containers.RepeatedCompositeFieldContainer[_board_pb2.Hex]
        def __init__(self, path: _Optional[_Iterable[_Union[_board_pb2.Hex, _Mapping]]] = ...) -> None: ...
    ID_FIELD_NUMBER: _ClassVar[int]
    CLASS_FIELD_NUMBER: _ClassVar[int]
    OWNER_FIELD_NUMBER: _ClassVar[int]
    HEX_FIELD_NUMBER: _ClassVar[int]
    HP_FIELD_NUMBER: _ClassVar[int]
    SAILS_FIELD_NUMBER: _ClassVar[int]
    CANNONS_FIELD_NUMBER: _ClassVar[int]
    HULL_FIELD_NUMBER: _ClassVar[int]
    ENGAGEMENT_FIELD_NUMBER: _ClassVar[int]
    ROUTE_FIELD_NUMBER: _ClassVar[int]
    id: int
    owner: int
    hex: _board_pb2.Hex
    hp: int
    sails: int
    cannons: int
    hull: int
    engagement: _board_pb2_1.Engagement
    route: UnitPatch.Route
    def __init__(self, id: _Optional[int] = ..., owner: _Optional[int] = ..., hex: _Optional[_Union[_board_pb2.Hex, _Mapping]] = ..., hp: _Optional[int] = ..., sails: _Optional[int] = ..., cannons: _Optional[int] = ..., hull: _Optional[int] = ..., engagement: _Optional[_Union[_board_pb2_1.Engagement, str]] = ..., route: _Optional[_Union[UnitPatch.Route, _Mapping]] = ..., **kwargs) -> None: ...

class StructurePatch(_message.Message):
    __slots__ = ("id", "owner", "hex", "hp", "queue")
    class Owner(_message.Message):
        __slots__ = ("player",)
        PLAYER_FIELD_NUMBER: _ClassVar[int]
        player: int
        def __init__(self, player: _Optional[int] = ...) -> None: ...
    class Queue(_message.Message):
        __slots__ = ("jobs", "known")
        JOBS_FIELD_NUMBER: _ClassVar[int]
        KNOWN_FIELD_NUMBER: _ClassVar[int]
        jobs: _containers.RepeatedCompositeFieldContainer[_board_pb2_1.Job]
        known: bool
        def __init__(self, jobs: _Optional[_Iterable[_Union[_board_pb2_1.Job, _Mapping]]] = ..., known: bool = ...) -> None: ...
    ID_FIELD_NUMBER: _ClassVar[int]
    OWNER_FIELD_NUMBER: _ClassVar[int]
    HEX_FIELD_NUMBER: _ClassVar[int]
    HP_FIELD_NUMBER: _ClassVar[int]
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    id: int
    owner: StructurePatch.Owner
    hex: _board_pb2.Hex
    hp: int
    queue: StructurePatch.Queue
    def __init__(self, id: _Optional[int] = ..., owner: _Optional[_Union[StructurePatch.Owner, _Mapping]] = ..., hex: _Optional[_Union[_board_pb2.Hex, _Mapping]] = ..., hp: _Optional[int] = ..., queue: _Optional[_Union[StructurePatch.Queue, _Mapping]] = ...) -> None: ...

class ContestPatch(_message.Message):
    __slots__ = ("hex", "since", "rounds", "contenders")
    class Contenders(_message.Message):
        __slots__ = ("units",)
        UNITS_FIELD_NUMBER: _ClassVar[int]
        units: _containers.RepeatedScalarFieldContainer[int]
        def __init__(self, units: _Optional[_Iterable[int]] = ...) -> None: ...
    HEX_FIELD_NUMBER: _ClassVar[int]
    SINCE_FIELD_NUMBER: _ClassVar[int]
    ROUNDS_FIELD_NUMBER: _ClassVar[int]
    CONTENDERS_FIELD_NUMBER: _ClassVar[int]
    hex: _board_pb2.Hex
    since: int
    rounds: int
    contenders: ContestPatch.Contenders
    def __init__(self, hex: _Optional[_Union[_board_pb2.Hex, _Mapping]] = ..., since: _Optional[int] = ..., rounds: _Optional[int] = ..., contenders: _Optional[_Union[ContestPatch.Contenders, _Mapping]] = ...) -> None: ...

class PlayerPatch(_message.Message):
    __slots__ = ("id", "alive", "gold")
    ID_FIELD_NUMBER: _ClassVar[int]
    ALIVE_FIELD_NUMBER: _ClassVar[int]
    GOLD_FIELD_NUMBER: _ClassVar[int]
    id: int
    alive: bool
    gold: int
    def __init__(self, id: _Optional[int] = ..., alive: bool = ..., gold: _Optional[int] = ...) -> None: ...

class SightPatch(_message.Message):
    __slots__ = ("gained", "lost")
    class Gained(_message.Message):
        __slots__ = ("hex", "terrain")
        HEX_FIELD_NUMBER: _ClassVar[int]
        TERRAIN_FIELD_NUMBER: _ClassVar[int]
        hex: _board_pb2.Hex
        terrain: int
        def __init__(self, hex: _Optional[_Union[_board_pb2.Hex, _Mapping]] = ..., terrain: _Optional[int] = ...) -> None: ...
    GAINED_FIELD_NUMBER: _ClassVar[int]
    LOST_FIELD_NUMBER: _ClassVar[int]
    gained: _containers.RepeatedCompositeFieldContainer[SightPatch.Gained]
    lost: _containers.RepeatedCompositeFieldContainer[_board_pb2.Hex]
    def __init__(self, gained: _Optional[_Iterable[_Union[SightPatch.Gained, _Mapping]]] = ..., lost: _Optional[_Iterable[_Union[_board_pb2.Hex, _Mapping]]] = ...) -> None: ...

class Change(_message.Message):
    __slots__ = ("unit", "unit_gone", "structure", "structure_gone", "contest", "contest_gone", "player", "sight", "turn", "result")
    UNIT_FIELD_NUMBER: _ClassVar[int]
    UNIT_GONE_FIELD_NUMBER: _ClassVar[int]
    STRUCTURE_FIELD_NUMBER: _ClassVar[int]
    STRUCTURE_GONE_FIELD_NUMBER: _ClassVar[int]
    CONTEST_FIELD_NUMBER: _ClassVar[int]
    CONTEST_GONE_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    SIGHT_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    unit: UnitPatch
    unit_gone: int
    structure: StructurePatch
    structure_gone: int
    contest: ContestPatch
    contest_gone: _board_pb2.Hex
    player: PlayerPatch
    sight: SightPatch
    turn: int
    result: _result_pb2.MatchResult
    def __init__(self, unit: _Optional[_Union[UnitPatch, _Mapping]] = ..., unit_gone: _Optional[int] = ..., structure: _Optional[_Union[StructurePatch, _Mapping]] = ..., structure_gone: _Optional[int] = ..., contest: _Optional[_Union[ContestPatch, _Mapping]] = ..., contest_gone: _Optional[_Union[_board_pb2.Hex, _Mapping]] = ..., player: _Optional[_Union[PlayerPatch, _Mapping]] = ..., sight: _Optional[_Union[SightPatch, _Mapping]] = ..., turn: _Optional[int] = ..., result: _Optional[_Union[_result_pb2.MatchResult, _Mapping]] = ...) -> None: ...

class Changes(_message.Message):
    __slots__ = ("changes",)
    CHANGES_FIELD_NUMBER: _ClassVar[int]
    changes: _containers.RepeatedCompositeFieldContainer[Change]
    def __init__(self, changes: _Optional[_Iterable[_Union[Change, _Mapping]]] = ...) -> None: ...
