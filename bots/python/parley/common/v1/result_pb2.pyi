from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class MatchResult(_message.Message):
    __slots__ = ("winner", "draw")
    class Draw(_message.Message):
        __slots__ = ("players",)
        PLAYERS_FIELD_NUMBER: _ClassVar[int]
        players: _containers.RepeatedScalarFieldContainer[int]
        def __init__(self, players: _Optional[_Iterable[int]] = ...) -> None: ...
    WINNER_FIELD_NUMBER: _ClassVar[int]
    DRAW_FIELD_NUMBER: _ClassVar[int]
    winner: int
    draw: MatchResult.Draw
    def __init__(self, winner: _Optional[int] = ..., draw: _Optional[_Union[MatchResult.Draw, _Mapping]] = ...) -> None: ...
