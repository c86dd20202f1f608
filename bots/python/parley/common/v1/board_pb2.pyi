from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Optional as _Optional

DESCRIPTOR: _descriptor.FileDescriptor

class Direction(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    DIRECTION_UNSPECIFIED: _ClassVar[Direction]
    DIRECTION_EAST: _ClassVar[Direction]
    DIRECTION_NORTH_EAST: _ClassVar[Direction]
    DIRECTION_NORTH_WEST: _ClassVar[Direction]
    DIRECTION_WEST: _ClassVar[Direction]
    DIRECTION_SOUTH_WEST: _ClassVar[Direction]
    DIRECTION_SOUTH_EAST: _ClassVar[Direction]
DIRECTION_UNSPECIFIED: Direction
DIRECTION_EAST: Direction
DIRECTION_NORTH_EAST: Direction
DIRECTION_NORTH_WEST: Direction
DIRECTION_WEST: Direction
DIRECTION_SOUTH_WEST: Direction
DIRECTION_SOUTH_EAST: Direction

class Hex(_message.Message):
    __slots__ = ("q", "r")
    Q_FIELD_NUMBER: _ClassVar[int]
    R_FIELD_NUMBER: _ClassVar[int]
    q: int
    r: int
    def __init__(self, q: _Optional[int] = ..., r: _Optional[int] = ...) -> None: ...
