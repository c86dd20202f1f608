from parley.v1 import board_pb2 as _board_pb2
from parley.v1 import event_pb2 as _event_pb2
from parley.v1 import orders_pb2 as _orders_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Reach(_message.Message):
    __slots__ = ("hex", "tick")
    HEX_FIELD_NUMBER: _ClassVar[int]
    TICK_FIELD_NUMBER: _ClassVar[int]
    FROM_FIELD_NUMBER: _ClassVar[int]
    hex: _board_pb2.Hex
    tick: int
    def __init__(self, hex: _Optional[_Union[_board_pb2.Hex, _Mapping]] = ..., tick: _Optional[int] = ..., **kwargs) -> None: ...

class ActionOption(_message.Message):
    __slots__ = ("order", "cost", "fault")
    ORDER_FIELD_NUMBER: _ClassVar[int]
    COST_FIELD_NUMBER: _ClassVar[int]
    FAULT_FIELD_NUMBER: _ClassVar[int]
    order: _orders_pb2.UnitOrder
    cost: int
    fault: _event_pb2.Fault
    def __init__(self, order: _Optional[_Union[_orders_pb2.UnitOrder, _Mapping]] = ..., cost: _Optional[int] = ..., fault: _Optional[_Union[_event_pb2.Fault, _Mapping]] = ...) -> None: ...

class UnitOptions(_message.Message):
    __slots__ = ("unit", "reach", "actions", "broadside_fault")
    UNIT_FIELD_NUMBER: _ClassVar[int]
    REACH_FIELD_NUMBER: _ClassVar[int]
    ACTIONS_FIELD_NUMBER: _ClassVar[int]
    BROADSIDE_FAULT_FIELD_NUMBER: _ClassVar[int]
    unit: int
    reach: _containers.RepeatedCompositeFieldContainer[Reach]
    actions: _containers.RepeatedCompositeFieldContainer[ActionOption]
    broadside_fault: _event_pb2.Fault
    def __init__(self, unit: _Optional[int] = ..., reach: _Optional[_Iterable[_Union[Reach, _Mapping]]] = ..., actions: _Optional[_Iterable[_Union[ActionOption, _Mapping]]] = ..., broadside_fault: _Optional[_Union[_event_pb2.Fault, _Mapping]] = ...) -> None: ...

class BuildOption(_message.Message):
    __slots__ = ("cost", "turns", "ready_in", "fault")
    CLASS_FIELD_NUMBER: _ClassVar[int]
    COST_FIELD_NUMBER: _ClassVar[int]
    TURNS_FIELD_NUMBER: _ClassVar[int]
    READY_IN_FIELD_NUMBER: _ClassVar[int]
    FAULT_FIELD_NUMBER: _ClassVar[int]
    cost: int
    turns: int
    ready_in: int
    fault: _event_pb2.Fault
    def __init__(self, cost: _Optional[int] = ..., turns: _Optional[int] = ..., ready_in: _Optional[int] = ..., fault: _Optional[_Union[_event_pb2.Fault, _Mapping]] = ..., **kwargs) -> None: ...

class CancelOption(_message.Message):
    __slots__ = ("index", "refund", "fault")
    INDEX_FIELD_NUMBER: _ClassVar[int]
    CLASS_FIELD_NUMBER: _ClassVar[int]
    REFUND_FIELD_NUMBER: _ClassVar[int]
    FAULT_FIELD_NUMBER: _ClassVar[int]
    index: int
    refund: int
    fault: _event_pb2.Fault
    def __init__(self, index: _Optional[int] = ..., refund: _Optional[int] = ..., fault: _Optional[_Union[_event_pb2.Fault, _Mapping]] = ..., **kwargs) -> None: ...

class StructureOptions(_message.Message):
    __slots__ = ("structure", "builds", "cancels")
    STRUCTURE_FIELD_NUMBER: _ClassVar[int]
    BUILDS_FIELD_NUMBER: _ClassVar[int]
    CANCELS_FIELD_NUMBER: _ClassVar[int]
    structure: int
    builds: _containers.RepeatedCompositeFieldContainer[BuildOption]
    cancels: _containers.RepeatedCompositeFieldContainer[CancelOption]
    def __init__(self, structure: _Optional[int] = ..., builds: _Optional[_Iterable[_Union[BuildOption, _Mapping]]] = ..., cancels: _Optional[_Iterable[_Union[CancelOption, _Mapping]]] = ...) -> None: ...

class Leg(_message.Message):
    __slots__ = ("hex", "turn", "tick")
    HEX_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    TICK_FIELD_NUMBER: _ClassVar[int]
    hex: _board_pb2.Hex
    turn: int
    tick: int
    def __init__(self, hex: _Optional[_Union[_board_pb2.Hex, _Mapping]] = ..., turn: _Optional[int] = ..., tick: _Optional[int] = ...) -> None: ...

class Course(_message.Message):
    __slots__ = ("legs", "turns")
    LEGS_FIELD_NUMBER: _ClassVar[int]
    TURNS_FIELD_NUMBER: _ClassVar[int]
    legs: _containers.RepeatedCompositeFieldContainer[Leg]
    turns: int
    def __init__(self, legs: _Optional[_Iterable[_Union[Leg, _Mapping]]] = ..., turns: _Optional[int] = ...) -> None: ...

class ShipOdds(_message.Message):
    __slots__ = ("sinks_ppm", "mean_loss_milli", "best_hp", "worst_hp")
    SINKS_PPM_FIELD_NUMBER: _ClassVar[int]
    MEAN_LOSS_MILLI_FIELD_NUMBER: _ClassVar[int]
    BEST_HP_FIELD_NUMBER: _ClassVar[int]
    WORST_HP_FIELD_NUMBER: _ClassVar[int]
    sinks_ppm: int
    mean_loss_milli: int
    best_hp: int
    worst_hp: int
    def __init__(self, sinks_ppm: _Optional[int] = ..., mean_loss_milli: _Optional[int] = ..., best_hp: _Optional[int] = ..., worst_hp: _Optional[int] = ...) -> None: ...

class CombatOdds(_message.Message):
    __slots__ = ("ships", "both_sink_ppm")
    SHIPS_FIELD_NUMBER: _ClassVar[int]
    BOTH_SINK_PPM_FIELD_NUMBER: _ClassVar[int]
    ships: _containers.RepeatedCompositeFieldContainer[ShipOdds]
    both_sink_ppm: int
    def __init__(self, ships: _Optional[_Iterable[_Union[ShipOdds, _Mapping]]] = ..., both_sink_ppm: _Optional[int] = ...) -> None: ...
