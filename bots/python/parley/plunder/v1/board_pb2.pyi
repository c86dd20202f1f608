from parley.common.v1 import board_pb2 as _board_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Engagement(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ENGAGEMENT_UNSPECIFIED: _ClassVar[Engagement]
    ENGAGEMENT_ASK: _ClassVar[Engagement]
    ENGAGEMENT_EVADE: _ClassVar[Engagement]
    ENGAGEMENT_FIGHT: _ClassVar[Engagement]
    ENGAGEMENT_FIGHT_IF_HEALTHY: _ClassVar[Engagement]

class Upgrade(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    UPGRADE_UNSPECIFIED: _ClassVar[Upgrade]
    UPGRADE_SAILS: _ClassVar[Upgrade]
    UPGRADE_CANNONS: _ClassVar[Upgrade]
    UPGRADE_HULL: _ClassVar[Upgrade]
ENGAGEMENT_UNSPECIFIED: Engagement
ENGAGEMENT_ASK: Engagement
ENGAGEMENT_EVADE: Engagement
ENGAGEMENT_FIGHT: Engagement
ENGAGEMENT_FIGHT_IF_HEALTHY: Engagement
UPGRADE_UNSPECIFIED: Upgrade
UPGRADE_SAILS: Upgrade
UPGRADE_CANNONS: Upgrade
UPGRADE_HULL: Upgrade

class Unit(_message.Message):
    __slots__ = ("id", "owner", "hex", "hp", "sails", "cannons", "hull", "engagement", "route")
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
    engagement: Engagement
    route: _containers.RepeatedCompositeFieldContainer[_board_pb2.Hex]
    def __init__(self, id: _Optional[int] = ..., owner: _Optional[int] = ..., hex: _Optional[_Union[_board_pb2.Hex, _Mapping]] = ..., hp: _Optional[int] = ..., sails: _Optional[int] = ..., cannons: _Optional[int] = ..., hull: _Optional[int] = ..., engagement: _Optional[_Union[Engagement, str]] = ..., route: _Optional[_Iterable[_Union[_board_pb2.Hex, _Mapping]]] = ..., **kwargs) -> None: ...

class Job(_message.Message):
    __slots__ = ("turns_left",)
    CLASS_FIELD_NUMBER: _ClassVar[int]
    TURNS_LEFT_FIELD_NUMBER: _ClassVar[int]
    turns_left: int
    def __init__(self, turns_left: _Optional[int] = ..., **kwargs) -> None: ...

class Structure(_message.Message):
    __slots__ = ("id", "owner", "hex", "hp", "queue", "queue_known")
    ID_FIELD_NUMBER: _ClassVar[int]
    OWNER_FIELD_NUMBER: _ClassVar[int]
    HEX_FIELD_NUMBER: _ClassVar[int]
    HP_FIELD_NUMBER: _ClassVar[int]
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    QUEUE_KNOWN_FIELD_NUMBER: _ClassVar[int]
    id: int
    owner: int
    hex: _board_pb2.Hex
    hp: int
    queue: _containers.RepeatedCompositeFieldContainer[Job]
    queue_known: bool
    def __init__(self, id: _Optional[int] = ..., owner: _Optional[int] = ..., hex: _Optional[_Union[_board_pb2.Hex, _Mapping]] = ..., hp: _Optional[int] = ..., queue: _Optional[_Iterable[_Union[Job, _Mapping]]] = ..., queue_known: bool = ...) -> None: ...

class Contest(_message.Message):
    __slots__ = ("hex", "since", "rounds", "contenders")
    HEX_FIELD_NUMBER: _ClassVar[int]
    SINCE_FIELD_NUMBER: _ClassVar[int]
    ROUNDS_FIELD_NUMBER: _ClassVar[int]
    CONTENDERS_FIELD_NUMBER: _ClassVar[int]
    hex: _board_pb2.Hex
    since: int
    rounds: int
    contenders: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, hex: _Optional[_Union[_board_pb2.Hex, _Mapping]] = ..., since: _Optional[int] = ..., rounds: _Optional[int] = ..., contenders: _Optional[_Iterable[int]] = ...) -> None: ...
