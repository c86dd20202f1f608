from parley.common.v1 import result_pb2 as _result_pb2
from parley.plunder.v1 import board_pb2 as _board_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Player(_message.Message):
    __slots__ = ("id", "alive", "gold")
    ID_FIELD_NUMBER: _ClassVar[int]
    ALIVE_FIELD_NUMBER: _ClassVar[int]
    GOLD_FIELD_NUMBER: _ClassVar[int]
    id: int
    alive: bool
    gold: int
    def __init__(self, id: _Optional[int] = ..., alive: bool = ..., gold: _Optional[int] = ...) -> None: ...

class View(_message.Message):
    __slots__ = ("seat", "turn", "width", "height", "wrap", "terrain_keys", "terrain", "visible", "players", "units", "structures", "contests", "result")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    WIDTH_FIELD_NUMBER: _ClassVar[int]
    HEIGHT_FIELD_NUMBER: _ClassVar[int]
    WRAP_FIELD_NUMBER: _ClassVar[int]
    TERRAIN_KEYS_FIELD_NUMBER: _ClassVar[int]
    TERRAIN_FIELD_NUMBER: _ClassVar[int]
    VISIBLE_FIELD_NUMBER: _ClassVar[int]
    PLAYERS_FIELD_NUMBER: _ClassVar[int]
    UNITS_FIELD_NUMBER: _ClassVar[int]
    STRUCTURES_FIELD_NUMBER: _ClassVar[int]
    CONTESTS_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    seat: int
    turn: int
    width: int
    height: int
    wrap: bool
    terrain_keys: _containers.RepeatedScalarFieldContainer[str]
    terrain: bytes
    visible: bytes
    players: _containers.RepeatedCompositeFieldContainer[Player]
    units: _containers.RepeatedCompositeFieldContainer[_board_pb2.Unit]
    structures: _containers.RepeatedCompositeFieldContainer[_board_pb2.Structure]
    contests: _containers.RepeatedCompositeFieldContainer[_board_pb2.Contest]
    result: _result_pb2.MatchResult
    def __init__(self, seat: _Optional[int] = ..., turn: _Optional[int] = ..., width: _Optional[int] = ..., height: _Optional[int] = ..., wrap: bool = ..., terrain_keys: _Optional[_Iterable[str]] = ..., terrain: _Optional[bytes] = ..., visible: _Optional[bytes] = ..., players: _Optional[_Iterable[_Union[Player, _Mapping]]] = ..., units: _Optional[_Iterable[_Union[_board_pb2.Unit, _Mapping]]] = ..., structures: _Optional[_Iterable[_Union[_board_pb2.Structure, _Mapping]]] = ..., contests: _Optional[_Iterable[_Union[_board_pb2.Contest, _Mapping]]] = ..., result: _Optional[_Union[_result_pb2.MatchResult, _Mapping]] = ...) -> None: ...
