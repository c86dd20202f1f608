from parley.common.v1 import board_pb2 as _board_pb2
from parley.common.v1 import fault_pb2 as _fault_pb2
from parley.plunder.v1 import orders_pb2 as _orders_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Attacker(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ATTACKER_UNSPECIFIED: _ClassVar[Attacker]
    ATTACKER_FIRST: _ClassVar[Attacker]
    ATTACKER_SECOND: _ClassVar[Attacker]
    ATTACKER_COIN: _ClassVar[Attacker]
ATTACKER_UNSPECIFIED: Attacker
ATTACKER_FIRST: Attacker
ATTACKER_SECOND: Attacker
ATTACKER_COIN: Attacker

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
    fault: _fault_pb2.Fault
    def __init__(self, order: _Optional[_Union[_orders_pb2.UnitOrder, _Mapping]] = ..., cost: _Optional[int] = ..., fault: _Optional[_Union[_fault_pb2.Fault, _Mapping]] = ...) -> None: ...

class UnitOptions(_message.Message):
    __slots__ = ("unit", "reach", "actions", "broadside_fault")
    UNIT_FIELD_NUMBER: _ClassVar[int]
    REACH_FIELD_NUMBER: _ClassVar[int]
    ACTIONS_FIELD_NUMBER: _ClassVar[int]
    BROADSIDE_FAULT_FIELD_NUMBER: _ClassVar[int]
    unit: int
    reach: _containers.RepeatedCompositeFieldContainer[Reach]
    actions: _containers.RepeatedCompositeFieldContainer[ActionOption]
    broadside_fault: _fault_pb2.Fault
    def __init__(self, unit: _Optional[int] = ..., reach: _Optional[_Iterable[_Union[Reach, _Mapping]]] = ..., actions: _Optional[_Iterable[_Union[ActionOption, _Mapping]]] = ..., broadside_fault: _Optional[_Union[_fault_pb2.Fault, _Mapping]] = ...) -> None: ...

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
    fault: _fault_pb2.Fault
    def __init__(self, cost: _Optional[int] = ..., turns: _Optional[int] = ..., ready_in: _Optional[int] = ..., fault: _Optional[_Union[_fault_pb2.Fault, _Mapping]] = ..., **kwargs) -> None: ...

class CancelOption(_message.Message):
    __slots__ = ("index", "refund", "fault")
    INDEX_FIELD_NUMBER: _ClassVar[int]
    CLASS_FIELD_NUMBER: _ClassVar[int]
    REFUND_FIELD_NUMBER: _ClassVar[int]
    FAULT_FIELD_NUMBER: _ClassVar[int]
    index: int
    refund: int
    fault: _fault_pb2.Fault
    def __init__(self, index: _Optional[int] = ..., refund: _Optional[int] = ..., fault: _Optional[_Union[_fault_pb2.Fault, _Mapping]] = ..., **kwargs) -> None: ...

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

class OptionsQuery(_message.Message):
    __slots__ = ("first_unit", "first_structure")
    FIRST_UNIT_FIELD_NUMBER: _ClassVar[int]
    FIRST_STRUCTURE_FIELD_NUMBER: _ClassVar[int]
    first_unit: int
    first_structure: int
    def __init__(self, first_unit: _Optional[int] = ..., first_structure: _Optional[int] = ...) -> None: ...

class Options(_message.Message):
    __slots__ = ("turn", "units", "structures", "next_unit", "next_structure")
    TURN_FIELD_NUMBER: _ClassVar[int]
    UNITS_FIELD_NUMBER: _ClassVar[int]
    STRUCTURES_FIELD_NUMBER: _ClassVar[int]
    NEXT_UNIT_FIELD_NUMBER: _ClassVar[int]
    NEXT_STRUCTURE_FIELD_NUMBER: _ClassVar[int]
    turn: int
    units: _containers.RepeatedCompositeFieldContainer[UnitOptions]
    structures: _containers.RepeatedCompositeFieldContainer[StructureOptions]
    next_unit: int
    next_structure: int
    def __init__(self, turn: _Optional[int] = ..., units: _Optional[_Iterable[_Union[UnitOptions, _Mapping]]] = ..., structures: _Optional[_Iterable[_Union[StructureOptions, _Mapping]]] = ..., next_unit: _Optional[int] = ..., next_structure: _Optional[int] = ...) -> None: ...

class PathQuery(_message.Message):
    __slots__ = ("unit", "target")
    UNIT_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    unit: int
    target: _board_pb2.Hex
    def __init__(self, unit: _Optional[int] = ..., target: _Optional[_Union[_board_pb2.Hex, _Mapping]] = ...) -> None: ...

class OddsQuery(_message.Message):
    __slots__ = ("first", "second", "rounds", "attacker")
    FIRST_FIELD_NUMBER: _ClassVar[int]
    SECOND_FIELD_NUMBER: _ClassVar[int]
    ROUNDS_FIELD_NUMBER: _ClassVar[int]
    ATTACKER_FIELD_NUMBER: _ClassVar[int]
    first: int
    second: int
    rounds: int
    attacker: Attacker
    def __init__(self, first: _Optional[int] = ..., second: _Optional[int] = ..., rounds: _Optional[int] = ..., attacker: _Optional[_Union[Attacker, str]] = ...) -> None: ...

class Query(_message.Message):
    __slots__ = ("options", "path", "odds")
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    PATH_FIELD_NUMBER: _ClassVar[int]
    ODDS_FIELD_NUMBER: _ClassVar[int]
    options: OptionsQuery
    path: PathQuery
    odds: OddsQuery
    def __init__(self, options: _Optional[_Union[OptionsQuery, _Mapping]] = ..., path: _Optional[_Union[PathQuery, _Mapping]] = ..., odds: _Optional[_Union[OddsQuery, _Mapping]] = ...) -> None: ...

class Advice(_message.Message):
    __slots__ = ("options", "path", "odds")
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    PATH_FIELD_NUMBER: _ClassVar[int]
    ODDS_FIELD_NUMBER: _ClassVar[int]
    options: Options
    path: Course
    odds: CombatOdds
    def __init__(self, options: _Optional[_Union[Options, _Mapping]] = ..., path: _Optional[_Union[Course, _Mapping]] = ..., odds: _Optional[_Union[CombatOdds, _Mapping]] = ...) -> None: ...
