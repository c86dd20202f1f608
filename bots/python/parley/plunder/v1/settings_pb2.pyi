from google.protobuf import struct_pb2 as _struct_pb2
from parley.common.v1 import board_pb2 as _board_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class GeneratedMap(_message.Message):
    __slots__ = ("seed", "size", "width", "height", "wrap")
    SEED_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    WIDTH_FIELD_NUMBER: _ClassVar[int]
    HEIGHT_FIELD_NUMBER: _ClassVar[int]
    WRAP_FIELD_NUMBER: _ClassVar[int]
    seed: int
    size: str
    width: int
    height: int
    wrap: bool
    def __init__(self, seed: _Optional[int] = ..., size: _Optional[str] = ..., width: _Optional[int] = ..., height: _Optional[int] = ..., wrap: bool = ...) -> None: ...

class DrawnMap(_message.Message):
    __slots__ = ("rows", "wrap", "starts")
    ROWS_FIELD_NUMBER: _ClassVar[int]
    WRAP_FIELD_NUMBER: _ClassVar[int]
    STARTS_FIELD_NUMBER: _ClassVar[int]
    rows: _containers.RepeatedScalarFieldContainer[str]
    wrap: bool
    starts: _containers.RepeatedCompositeFieldContainer[_board_pb2.Hex]
    def __init__(self, rows: _Optional[_Iterable[str]] = ..., wrap: bool = ..., starts: _Optional[_Iterable[_Union[_board_pb2.Hex, _Mapping]]] = ...) -> None: ...

class MapChoice(_message.Message):
    __slots__ = ("generated", "drawn")
    GENERATED_FIELD_NUMBER: _ClassVar[int]
    DRAWN_FIELD_NUMBER: _ClassVar[int]
    generated: GeneratedMap
    drawn: DrawnMap
    def __init__(self, generated: _Optional[_Union[GeneratedMap, _Mapping]] = ..., drawn: _Optional[_Union[DrawnMap, _Mapping]] = ...) -> None: ...

class Settings(_message.Message):
    __slots__ = ("map", "rules", "fog", "changes")
    MAP_FIELD_NUMBER: _ClassVar[int]
    RULES_FIELD_NUMBER: _ClassVar[int]
    FOG_FIELD_NUMBER: _ClassVar[int]
    CHANGES_FIELD_NUMBER: _ClassVar[int]
    map: MapChoice
    rules: str
    fog: bool
    changes: _struct_pb2.Struct
    def __init__(self, map: _Optional[_Union[MapChoice, _Mapping]] = ..., rules: _Optional[str] = ..., fog: bool = ..., changes: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ...) -> None: ...
