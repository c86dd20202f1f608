from parley.common.v1 import board_pb2 as _board_pb2
from parley.plunder.v1 import board_pb2 as _board_pb2_1
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Choice(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CHOICE_UNSPECIFIED: _ClassVar[Choice]
    CHOICE_PROCEED: _ClassVar[Choice]
    CHOICE_YIELD: _ClassVar[Choice]
    CHOICE_ATTACK: _ClassVar[Choice]
CHOICE_UNSPECIFIED: Choice
CHOICE_PROCEED: Choice
CHOICE_YIELD: Choice
CHOICE_ATTACK: Choice

class Move(_message.Message):
    __slots__ = ("path",)
    PATH_FIELD_NUMBER: _ClassVar[int]
    path: _containers.RepeatedCompositeFieldContainer[_board_pb2.Hex]
    def __init__(self, path: _Optional[_Iterable[_Union[_board_pb2.Hex, _Mapping]]] = ...) -> None: ...

class Hold(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Repair(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class DeployShipyard(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Press(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class UnitOrder(_message.Message):
    __slots__ = ("unit", "move", "hold", "repair", "upgrade", "deploy_shipyard", "bombard", "press", "broadside", "engagement")
    UNIT_FIELD_NUMBER: _ClassVar[int]
    MOVE_FIELD_NUMBER: _ClassVar[int]
    HOLD_FIELD_NUMBER: _ClassVar[int]
    REPAIR_FIELD_NUMBER: _ClassVar[int]
    UPGRADE_FIELD_NUMBER: _ClassVar[int]
    DEPLOY_SHIPYARD_FIELD_NUMBER: _ClassVar[int]
    BOMBARD_FIELD_NUMBER: _ClassVar[int]
    PRESS_FIELD_NUMBER: _ClassVar[int]
    BROADSIDE_FIELD_NUMBER: _ClassVar[int]
    ENGAGEMENT_FIELD_NUMBER: _ClassVar[int]
    unit: int
    move: Move
    hold: Hold
    repair: Repair
    upgrade: _board_pb2_1.Upgrade
    deploy_shipyard: DeployShipyard
    bombard: int
    press: Press
    broadside: bool
    engagement: _board_pb2_1.Engagement
    def __init__(self, unit: _Optional[int] = ..., move: _Optional[_Union[Move, _Mapping]] = ..., hold: _Optional[_Union[Hold, _Mapping]] = ..., repair: _Optional[_Union[Repair, _Mapping]] = ..., upgrade: _Optional[_Union[_board_pb2_1.Upgrade, str]] = ..., deploy_shipyard: _Optional[_Union[DeployShipyard, _Mapping]] = ..., bombard: _Optional[int] = ..., press: _Optional[_Union[Press, _Mapping]] = ..., broadside: bool = ..., engagement: _Optional[_Union[_board_pb2_1.Engagement, str]] = ...) -> None: ...

class StructureOrder(_message.Message):
    __slots__ = ("structure", "build", "cancel_build")
    STRUCTURE_FIELD_NUMBER: _ClassVar[int]
    BUILD_FIELD_NUMBER: _ClassVar[int]
    CANCEL_BUILD_FIELD_NUMBER: _ClassVar[int]
    structure: int
    build: str
    cancel_build: int
    def __init__(self, structure: _Optional[int] = ..., build: _Optional[str] = ..., cancel_build: _Optional[int] = ...) -> None: ...

class Sheet(_message.Message):
    __slots__ = ("units", "structures", "concede")
    UNITS_FIELD_NUMBER: _ClassVar[int]
    STRUCTURES_FIELD_NUMBER: _ClassVar[int]
    CONCEDE_FIELD_NUMBER: _ClassVar[int]
    units: _containers.RepeatedCompositeFieldContainer[UnitOrder]
    structures: _containers.RepeatedCompositeFieldContainer[StructureOrder]
    concede: bool
    def __init__(self, units: _Optional[_Iterable[_Union[UnitOrder, _Mapping]]] = ..., structures: _Optional[_Iterable[_Union[StructureOrder, _Mapping]]] = ..., concede: bool = ...) -> None: ...
