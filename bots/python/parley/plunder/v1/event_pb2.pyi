from parley.common.v1 import board_pb2 as _board_pb2
from parley.common.v1 import fault_pb2 as _fault_pb2
from parley.common.v1 import result_pb2 as _result_pb2
from parley.plunder.v1 import board_pb2 as _board_pb2_1
from parley.plunder.v1 import orders_pb2 as _orders_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class EncounterKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ENCOUNTER_KIND_UNSPECIFIED: _ClassVar[EncounterKind]
    ENCOUNTER_KIND_PASSING: _ClassVar[EncounterKind]
    ENCOUNTER_KIND_ENTRY: _ClassVar[EncounterKind]

class GoldReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    GOLD_REASON_UNSPECIFIED: _ClassVar[GoldReason]
    GOLD_REASON_INCOME: _ClassVar[GoldReason]
    GOLD_REASON_DEPLOY_SHIPYARD: _ClassVar[GoldReason]
    GOLD_REASON_BUILD: _ClassVar[GoldReason]
    GOLD_REASON_CANCEL_BUILD: _ClassVar[GoldReason]
    GOLD_REASON_REPAIR: _ClassVar[GoldReason]
    GOLD_REASON_UPGRADE: _ClassVar[GoldReason]
    GOLD_REASON_SALVAGE: _ClassVar[GoldReason]

class ContestEnd(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CONTEST_END_UNSPECIFIED: _ClassVar[ContestEnd]
    CONTEST_END_CLAIMED: _ClassVar[ContestEnd]
    CONTEST_END_EMPTIED: _ClassVar[ContestEnd]
    CONTEST_END_EXPIRED: _ClassVar[ContestEnd]

class Stage(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    STAGE_UNSPECIFIED: _ClassVar[Stage]
    STAGE_INCOME: _ClassVar[Stage]
    STAGE_SHIPYARD_WORK: _ClassVar[Stage]
    STAGE_CONTESTS: _ClassVar[Stage]
    STAGE_MOVEMENT: _ClassVar[Stage]
    STAGE_BROADSIDES: _ClassVar[Stage]
    STAGE_BOMBARDMENT: _ClassVar[Stage]
    STAGE_CONSTRUCTION: _ClassVar[Stage]
    STAGE_RECKONING: _ClassVar[Stage]
ENCOUNTER_KIND_UNSPECIFIED: EncounterKind
ENCOUNTER_KIND_PASSING: EncounterKind
ENCOUNTER_KIND_ENTRY: EncounterKind
GOLD_REASON_UNSPECIFIED: GoldReason
GOLD_REASON_INCOME: GoldReason
GOLD_REASON_DEPLOY_SHIPYARD: GoldReason
GOLD_REASON_BUILD: GoldReason
GOLD_REASON_CANCEL_BUILD: GoldReason
GOLD_REASON_REPAIR: GoldReason
GOLD_REASON_UPGRADE: GoldReason
GOLD_REASON_SALVAGE: GoldReason
CONTEST_END_UNSPECIFIED: ContestEnd
CONTEST_END_CLAIMED: ContestEnd
CONTEST_END_EMPTIED: ContestEnd
CONTEST_END_EXPIRED: ContestEnd
STAGE_UNSPECIFIED: Stage
STAGE_INCOME: Stage
STAGE_SHIPYARD_WORK: Stage
STAGE_CONTESTS: Stage
STAGE_MOVEMENT: Stage
STAGE_BROADSIDES: Stage
STAGE_BOMBARDMENT: Stage
STAGE_CONSTRUCTION: Stage
STAGE_RECKONING: Stage

class Edge(_message.Message):
    __slots__ = ("first", "second")
    FIRST_FIELD_NUMBER: _ClassVar[int]
    SECOND_FIELD_NUMBER: _ClassVar[int]
    first: _board_pb2.Hex
    second: _board_pb2.Hex
    def __init__(self, first: _Optional[_Union[_board_pb2.Hex, _Mapping]] = ..., second: _Optional[_Union[_board_pb2.Hex, _Mapping]] = ...) -> None: ...

class Site(_message.Message):
    __slots__ = ("hex", "edge")
    HEX_FIELD_NUMBER: _ClassVar[int]
    EDGE_FIELD_NUMBER: _ClassVar[int]
    hex: _board_pb2.Hex
    edge: Edge
    def __init__(self, hex: _Optional[_Union[_board_pb2.Hex, _Mapping]] = ..., edge: _Optional[_Union[Edge, _Mapping]] = ...) -> None: ...

class Cause(_message.Message):
    __slots__ = ("contested", "closed_harbor", "waited_for", "waited_for_passing", "halted", "no_room_to_cross", "sunk", "contending", "unpaid", "fleet_full", "shipyards_full", "harbor_taken", "out_of_reach", "no_target", "fought_already", "broadsides_off")
    class Halted(_message.Message):
        __slots__ = ("kind", "site", "choice")
        KIND_FIELD_NUMBER: _ClassVar[int]
        SITE_FIELD_NUMBER: _ClassVar[int]
        CHOICE_FIELD_NUMBER: _ClassVar[int]
        kind: EncounterKind
        site: Site
        choice: _orders_pb2.Choice
        def __init__(self, kind: _Optional[_Union[EncounterKind, str]] = ..., site: _Optional[_Union[Site, _Mapping]] = ..., choice: _Optional[_Union[_orders_pb2.Choice, str]] = ...) -> None: ...
    class Sunk(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    class Contending(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    class Unpaid(_message.Message):
        __slots__ = ("cost", "gold")
        COST_FIELD_NUMBER: _ClassVar[int]
        GOLD_FIELD_NUMBER: _ClassVar[int]
        cost: int
        gold: int
        def __init__(self, cost: _Optional[int] = ..., gold: _Optional[int] = ...) -> None: ...
    class FleetFull(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    class ShipyardsFull(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    class HarborTaken(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    class OutOfReach(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    class NoTarget(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    class FoughtAlready(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    class BroadsidesOff(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    CONTESTED_FIELD_NUMBER: _ClassVar[int]
    CLOSED_HARBOR_FIELD_NUMBER: _ClassVar[int]
    WAITED_FOR_FIELD_NUMBER: _ClassVar[int]
    WAITED_FOR_PASSING_FIELD_NUMBER: _ClassVar[int]
    HALTED_FIELD_NUMBER: _ClassVar[int]
    NO_ROOM_TO_CROSS_FIELD_NUMBER: _ClassVar[int]
    SUNK_FIELD_NUMBER: _ClassVar[int]
    CONTENDING_FIELD_NUMBER: _ClassVar[int]
    UNPAID_FIELD_NUMBER: _ClassVar[int]
    FLEET_FULL_FIELD_NUMBER: _ClassVar[int]
    SHIPYARDS_FULL_FIELD_NUMBER: _ClassVar[int]
    HARBOR_TAKEN_FIELD_NUMBER: _ClassVar[int]
    OUT_OF_REACH_FIELD_NUMBER: _ClassVar[int]
    NO_TARGET_FIELD_NUMBER: _ClassVar[int]
    FOUGHT_ALREADY_FIELD_NUMBER: _ClassVar[int]
    BROADSIDES_OFF_FIELD_NUMBER: _ClassVar[int]
    contested: _board_pb2.Hex
    closed_harbor: int
    waited_for: int
    waited_for_passing: int
    halted: Cause.Halted
    no_room_to_cross: int
    sunk: Cause.Sunk
    contending: Cause.Contending
    unpaid: Cause.Unpaid
    fleet_full: Cause.FleetFull
    shipyards_full: Cause.ShipyardsFull
    harbor_taken: Cause.HarborTaken
    out_of_reach: Cause.OutOfReach
    no_target: Cause.NoTarget
    fought_already: Cause.FoughtAlready
    broadsides_off: Cause.BroadsidesOff
    def __init__(self, contested: _Optional[_Union[_board_pb2.Hex, _Mapping]] = ..., closed_harbor: _Optional[int] = ..., waited_for: _Optional[int] = ..., waited_for_passing: _Optional[int] = ..., halted: _Optional[_Union[Cause.Halted, _Mapping]] = ..., no_room_to_cross: _Optional[int] = ..., sunk: _Optional[_Union[Cause.Sunk, _Mapping]] = ..., contending: _Optional[_Union[Cause.Contending, _Mapping]] = ..., unpaid: _Optional[_Union[Cause.Unpaid, _Mapping]] = ..., fleet_full: _Optional[_Union[Cause.FleetFull, _Mapping]] = ..., shipyards_full: _Optional[_Union[Cause.ShipyardsFull, _Mapping]] = ..., harbor_taken: _Optional[_Union[Cause.HarborTaken, _Mapping]] = ..., out_of_reach: _Optional[_Union[Cause.OutOfReach, _Mapping]] = ..., no_target: _Optional[_Union[Cause.NoTarget, _Mapping]] = ..., fought_already: _Optional[_Union[Cause.FoughtAlready, _Mapping]] = ..., broadsides_off: _Optional[_Union[Cause.BroadsidesOff, _Mapping]] = ...) -> None: ...

class Event(_message.Message):
    __slots__ = ("tick", "gold", "deployed", "queued", "cancelled", "repaired", "upgraded", "skipped", "withdrew", "moved", "gave_way", "appeared", "vanished", "sight_changed", "structure_sighted", "contest_sighted", "waited", "blocked", "met", "decided", "exchanged", "sunk", "contest_opened", "contest_closed", "bombarded", "captured", "spawned", "spawn_delayed", "removed", "eliminated", "neutralised", "ended", "defaulted", "stage", "group", "changes", "after")
    class Gold(_message.Message):
        __slots__ = ("player", "change", "reason", "balance")
        PLAYER_FIELD_NUMBER: _ClassVar[int]
        CHANGE_FIELD_NUMBER: _ClassVar[int]
        REASON_FIELD_NUMBER: _ClassVar[int]
        BALANCE_FIELD_NUMBER: _ClassVar[int]
        player: int
        change: int
        reason: GoldReason
        balance: int
        def __init__(self, player: _Optional[int] = ..., change: _Optional[int] = ..., reason: _Optional[_Union[GoldReason, str]] = ..., balance: _Optional[int] = ...) -> None: ...
    class Deployed(_message.Message):
        __slots__ = ("unit", "structure", "owner", "hex")
        UNIT_FIELD_NUMBER: _ClassVar[int]
        STRUCTURE_FIELD_NUMBER: _ClassVar[int]
        OWNER_FIELD_NUMBER: _ClassVar[int]
        HEX_FIELD_NUMBER: _ClassVar[int]
        unit: int
        structure: int
        owner: int
        hex: _board_pb2.Hex
        def __init__(self, unit: _Optional[int] = ..., structure: _Optional[int] = ..., owner: _Optional[int] = ..., hex: _Optional[_Union[_board_pb2.Hex, _Mapping]] = ...) -> None: ...
    class Queued(_message.Message):
        __slots__ = ("structure",)
        STRUCTURE_FIELD_NUMBER: _ClassVar[int]
        CLASS_FIELD_NUMBER: _ClassVar[int]
        structure: int
        def __init__(self, structure: _Optional[int] = ..., **kwargs) -> None: ...
    class Cancelled(_message.Message):
        __slots__ = ("structure",)
        STRUCTURE_FIELD_NUMBER: _ClassVar[int]
        CLASS_FIELD_NUMBER: _ClassVar[int]
        structure: int
        def __init__(self, structure: _Optional[int] = ..., **kwargs) -> None: ...
    class Repaired(_message.Message):
        __slots__ = ("unit", "hp")
        UNIT_FIELD_NUMBER: _ClassVar[int]
        HP_FIELD_NUMBER: _ClassVar[int]
        unit: int
        hp: int
        def __init__(self, unit: _Optional[int] = ..., hp: _Optional[int] = ...) -> None: ...
    class Upgraded(_message.Message):
        __slots__ = ("unit", "upgrade")
        UNIT_FIELD_NUMBER: _ClassVar[int]
        UPGRADE_FIELD_NUMBER: _ClassVar[int]
        unit: int
        upgrade: _board_pb2_1.Upgrade
        def __init__(self, unit: _Optional[int] = ..., upgrade: _Optional[_Union[_board_pb2_1.Upgrade, str]] = ...) -> None: ...
    class Skipped(_message.Message):
        __slots__ = ("subject", "cause")
        SUBJECT_FIELD_NUMBER: _ClassVar[int]
        CAUSE_FIELD_NUMBER: _ClassVar[int]
        subject: _fault_pb2.Subject
        cause: Cause
        def __init__(self, subject: _Optional[_Union[_fault_pb2.Subject, _Mapping]] = ..., cause: _Optional[_Union[Cause, _Mapping]] = ...) -> None: ...
    class Withdrew(_message.Message):
        __slots__ = ("unit", "hex")
        UNIT_FIELD_NUMBER: _ClassVar[int]
        HEX_FIELD_NUMBER: _ClassVar[int]
        unit: int
        hex: _board_pb2.Hex
        def __init__(self, unit: _Optional[int] = ..., hex: _Optional[_Union[_board_pb2.Hex, _Mapping]] = ...) -> None: ...
    class Moved(_message.Message):
        __slots__ = ("unit", "to")
        UNIT_FIELD_NUMBER: _ClassVar[int]
        FROM_FIELD_NUMBER: _ClassVar[int]
        TO_FIELD_NUMBER: _ClassVar[int]
        unit: int
        to: _board_pb2.Hex
        def __init__(self, unit: _Optional[int] = ..., to: _Optional[_Union[_board_pb2.Hex, _Mapping]] = ..., **kwargs) -> None: ...
    class GaveWay(_message.Message):
        __slots__ = ("unit", "to", "direction")
        UNIT_FIELD_NUMBER: _ClassVar[int]
        FROM_FIELD_NUMBER: _ClassVar[int]
        TO_FIELD_NUMBER: _ClassVar[int]
        DIRECTION_FIELD_NUMBER: _ClassVar[int]
        unit: int
        to: _board_pb2.Hex
        direction: _board_pb2.Direction
        def __init__(self, unit: _Optional[int] = ..., to: _Optional[_Union[_board_pb2.Hex, _Mapping]] = ..., direction: _Optional[_Union[_board_pb2.Direction, str]] = ..., **kwargs) -> None: ...
    class Appeared(_message.Message):
        __slots__ = ("unit", "owner", "hex")
        UNIT_FIELD_NUMBER: _ClassVar[int]
        OWNER_FIELD_NUMBER: _ClassVar[int]
        CLASS_FIELD_NUMBER: _ClassVar[int]
        HEX_FIELD_NUMBER: _ClassVar[int]
        unit: int
        owner: int
        hex: _board_pb2.Hex
        def __init__(self, unit: _Optional[int] = ..., owner: _Optional[int] = ..., hex: _Optional[_Union[_board_pb2.Hex, _Mapping]] = ..., **kwargs) -> None: ...
    class Vanished(_message.Message):
        __slots__ = ("unit",)
        UNIT_FIELD_NUMBER: _ClassVar[int]
        FROM_FIELD_NUMBER: _ClassVar[int]
        unit: int
        def __init__(self, unit: _Optional[int] = ..., **kwargs) -> None: ...
    class SightChanged(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    class StructureSighted(_message.Message):
        __slots__ = ("structure", "owner", "hex")
        STRUCTURE_FIELD_NUMBER: _ClassVar[int]
        OWNER_FIELD_NUMBER: _ClassVar[int]
        HEX_FIELD_NUMBER: _ClassVar[int]
        structure: int
        owner: int
        hex: _board_pb2.Hex
        def __init__(self, structure: _Optional[int] = ..., owner: _Optional[int] = ..., hex: _Optional[_Union[_board_pb2.Hex, _Mapping]] = ...) -> None: ...
    class ContestSighted(_message.Message):
        __slots__ = ("hex", "since", "contenders")
        HEX_FIELD_NUMBER: _ClassVar[int]
        SINCE_FIELD_NUMBER: _ClassVar[int]
        CONTENDERS_FIELD_NUMBER: _ClassVar[int]
        hex: _board_pb2.Hex
        since: int
        contenders: _containers.RepeatedScalarFieldContainer[int]
        def __init__(self, hex: _Optional[_Union[_board_pb2.Hex, _Mapping]] = ..., since: _Optional[int] = ..., contenders: _Optional[_Iterable[int]] = ...) -> None: ...
    class Waited(_message.Message):
        __slots__ = ("unit", "cause")
        UNIT_FIELD_NUMBER: _ClassVar[int]
        CAUSE_FIELD_NUMBER: _ClassVar[int]
        unit: int
        cause: Cause
        def __init__(self, unit: _Optional[int] = ..., cause: _Optional[_Union[Cause, _Mapping]] = ...) -> None: ...
    class Blocked(_message.Message):
        __slots__ = ("unit", "cause")
        UNIT_FIELD_NUMBER: _ClassVar[int]
        CAUSE_FIELD_NUMBER: _ClassVar[int]
        unit: int
        cause: Cause
        def __init__(self, unit: _Optional[int] = ..., cause: _Optional[_Union[Cause, _Mapping]] = ...) -> None: ...
    class Party(_message.Message):
        __slots__ = ("unit", "owner")
        UNIT_FIELD_NUMBER: _ClassVar[int]
        OWNER_FIELD_NUMBER: _ClassVar[int]
        unit: int
        owner: int
        def __init__(self, unit: _Optional[int] = ..., owner: _Optional[int] = ...) -> None: ...
    class Met(_message.Message):
        __slots__ = ("kind", "site", "parties")
        KIND_FIELD_NUMBER: _ClassVar[int]
        SITE_FIELD_NUMBER: _ClassVar[int]
        PARTIES_FIELD_NUMBER: _ClassVar[int]
        kind: EncounterKind
        site: Site
        parties: _containers.RepeatedCompositeFieldContainer[Event.Party]
        def __init__(self, kind: _Optional[_Union[EncounterKind, str]] = ..., site: _Optional[_Union[Site, _Mapping]] = ..., parties: _Optional[_Iterable[_Union[Event.Party, _Mapping]]] = ...) -> None: ...
    class Decided(_message.Message):
        __slots__ = ("unit", "choice")
        UNIT_FIELD_NUMBER: _ClassVar[int]
        CHOICE_FIELD_NUMBER: _ClassVar[int]
        unit: int
        choice: _orders_pb2.Choice
        def __init__(self, unit: _Optional[int] = ..., choice: _Optional[_Union[_orders_pb2.Choice, str]] = ...) -> None: ...
    class Defaulted(_message.Message):
        __slots__ = ("unit",)
        UNIT_FIELD_NUMBER: _ClassVar[int]
        unit: int
        def __init__(self, unit: _Optional[int] = ...) -> None: ...
    class Exchanged(_message.Message):
        __slots__ = ("attacker", "defender", "attacker_dice", "defender_dice", "attacker_loses", "defender_loses")
        ATTACKER_FIELD_NUMBER: _ClassVar[int]
        DEFENDER_FIELD_NUMBER: _ClassVar[int]
        ATTACKER_DICE_FIELD_NUMBER: _ClassVar[int]
        DEFENDER_DICE_FIELD_NUMBER: _ClassVar[int]
        ATTACKER_LOSES_FIELD_NUMBER: _ClassVar[int]
        DEFENDER_LOSES_FIELD_NUMBER: _ClassVar[int]
        attacker: int
        defender: int
        attacker_dice: _containers.RepeatedScalarFieldContainer[int]
        defender_dice: _containers.RepeatedScalarFieldContainer[int]
        attacker_loses: int
        defender_loses: int
        def __init__(self, attacker: _Optional[int] = ..., defender: _Optional[int] = ..., attacker_dice: _Optional[_Iterable[int]] = ..., defender_dice: _Optional[_Iterable[int]] = ..., attacker_loses: _Optional[int] = ..., defender_loses: _Optional[int] = ...) -> None: ...
    class Sunk(_message.Message):
        __slots__ = ("unit",)
        UNIT_FIELD_NUMBER: _ClassVar[int]
        unit: int
        def __init__(self, unit: _Optional[int] = ...) -> None: ...
    class ContestOpened(_message.Message):
        __slots__ = ("hex", "contenders")
        HEX_FIELD_NUMBER: _ClassVar[int]
        CONTENDERS_FIELD_NUMBER: _ClassVar[int]
        hex: _board_pb2.Hex
        contenders: _containers.RepeatedScalarFieldContainer[int]
        def __init__(self, hex: _Optional[_Union[_board_pb2.Hex, _Mapping]] = ..., contenders: _Optional[_Iterable[int]] = ...) -> None: ...
    class ContestClosed(_message.Message):
        __slots__ = ("hex", "end")
        HEX_FIELD_NUMBER: _ClassVar[int]
        END_FIELD_NUMBER: _ClassVar[int]
        hex: _board_pb2.Hex
        end: ContestEnd
        def __init__(self, hex: _Optional[_Union[_board_pb2.Hex, _Mapping]] = ..., end: _Optional[_Union[ContestEnd, str]] = ...) -> None: ...
    class Bombarded(_message.Message):
        __slots__ = ("unit", "structure", "damage")
        UNIT_FIELD_NUMBER: _ClassVar[int]
        STRUCTURE_FIELD_NUMBER: _ClassVar[int]
        DAMAGE_FIELD_NUMBER: _ClassVar[int]
        unit: int
        structure: int
        damage: int
        def __init__(self, unit: _Optional[int] = ..., structure: _Optional[int] = ..., damage: _Optional[int] = ...) -> None: ...
    class Captured(_message.Message):
        __slots__ = ("structure", "by")
        STRUCTURE_FIELD_NUMBER: _ClassVar[int]
        FROM_FIELD_NUMBER: _ClassVar[int]
        BY_FIELD_NUMBER: _ClassVar[int]
        structure: int
        by: int
        def __init__(self, structure: _Optional[int] = ..., by: _Optional[int] = ..., **kwargs) -> None: ...
    class Spawned(_message.Message):
        __slots__ = ("unit", "structure", "owner", "hex")
        UNIT_FIELD_NUMBER: _ClassVar[int]
        STRUCTURE_FIELD_NUMBER: _ClassVar[int]
        OWNER_FIELD_NUMBER: _ClassVar[int]
        CLASS_FIELD_NUMBER: _ClassVar[int]
        HEX_FIELD_NUMBER: _ClassVar[int]
        unit: int
        structure: int
        owner: int
        hex: _board_pb2.Hex
        def __init__(self, unit: _Optional[int] = ..., structure: _Optional[int] = ..., owner: _Optional[int] = ..., hex: _Optional[_Union[_board_pb2.Hex, _Mapping]] = ..., **kwargs) -> None: ...
    class SpawnDelayed(_message.Message):
        __slots__ = ("structure",)
        STRUCTURE_FIELD_NUMBER: _ClassVar[int]
        structure: int
        def __init__(self, structure: _Optional[int] = ...) -> None: ...
    class Removed(_message.Message):
        __slots__ = ("unit",)
        UNIT_FIELD_NUMBER: _ClassVar[int]
        unit: int
        def __init__(self, unit: _Optional[int] = ...) -> None: ...
    class Eliminated(_message.Message):
        __slots__ = ("player", "conceded")
        PLAYER_FIELD_NUMBER: _ClassVar[int]
        CONCEDED_FIELD_NUMBER: _ClassVar[int]
        player: int
        conceded: bool
        def __init__(self, player: _Optional[int] = ..., conceded: bool = ...) -> None: ...
    class Neutralised(_message.Message):
        __slots__ = ("structure",)
        STRUCTURE_FIELD_NUMBER: _ClassVar[int]
        structure: int
        def __init__(self, structure: _Optional[int] = ...) -> None: ...
    TICK_FIELD_NUMBER: _ClassVar[int]
    GOLD_FIELD_NUMBER: _ClassVar[int]
    DEPLOYED_FIELD_NUMBER: _ClassVar[int]
    QUEUED_FIELD_NUMBER: _ClassVar[int]
    CANCELLED_FIELD_NUMBER: _ClassVar[int]
    REPAIRED_FIELD_NUMBER: _ClassVar[int]
    UPGRADED_FIELD_NUMBER: _ClassVar[int]
    SKIPPED_FIELD_NUMBER: _ClassVar[int]
    WITHDREW_FIELD_NUMBER: _ClassVar[int]
    MOVED_FIELD_NUMBER: _ClassVar[int]
    GAVE_WAY_FIELD_NUMBER: _ClassVar[int]
    APPEARED_FIELD_NUMBER: _ClassVar[int]
    VANISHED_FIELD_NUMBER: _ClassVar[int]
    SIGHT_CHANGED_FIELD_NUMBER: _ClassVar[int]
    STRUCTURE_SIGHTED_FIELD_NUMBER: _ClassVar[int]
    CONTEST_SIGHTED_FIELD_NUMBER: _ClassVar[int]
    WAITED_FIELD_NUMBER: _ClassVar[int]
    BLOCKED_FIELD_NUMBER: _ClassVar[int]
    MET_FIELD_NUMBER: _ClassVar[int]
    DECIDED_FIELD_NUMBER: _ClassVar[int]
    EXCHANGED_FIELD_NUMBER: _ClassVar[int]
    SUNK_FIELD_NUMBER: _ClassVar[int]
    CONTEST_OPENED_FIELD_NUMBER: _ClassVar[int]
    CONTEST_CLOSED_FIELD_NUMBER: _ClassVar[int]
    BOMBARDED_FIELD_NUMBER: _ClassVar[int]
    CAPTURED_FIELD_NUMBER: _ClassVar[int]
    SPAWNED_FIELD_NUMBER: _ClassVar[int]
    SPAWN_DELAYED_FIELD_NUMBER: _ClassVar[int]
    REMOVED_FIELD_NUMBER: _ClassVar[int]
    ELIMINATED_FIELD_NUMBER: _ClassVar[int]
    NEUTRALISED_FIELD_NUMBER: _ClassVar[int]
    ENDED_FIELD_NUMBER: _ClassVar[int]
    DEFAULTED_FIELD_NUMBER: _ClassVar[int]
    STAGE_FIELD_NUMBER: _ClassVar[int]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    CHANGES_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    tick: int
    gold: Event.Gold
    deployed: Event.Deployed
    queued: Event.Queued
    cancelled: Event.Cancelled
    repaired: Event.Repaired
    upgraded: Event.Upgraded
    skipped: Event.Skipped
    withdrew: Event.Withdrew
    moved: Event.Moved
    gave_way: Event.GaveWay
    appeared: Event.Appeared
    vanished: Event.Vanished
    sight_changed: Event.SightChanged
    structure_sighted: Event.StructureSighted
    contest_sighted: Event.ContestSighted
    waited: Event.Waited
    blocked: Event.Blocked
    met: Event.Met
    decided: Event.Decided
    exchanged: Event.Exchanged
    sunk: Event.Sunk
    contest_opened: Event.ContestOpened
    contest_closed: Event.ContestClosed
    bombarded: Event.Bombarded
    captured: Event.Captured
    spawned: Event.Spawned
    spawn_delayed: Event.SpawnDelayed
    removed: Event.Removed
    eliminated: Event.Eliminated
    neutralised: Event.Neutralised
    ended: _result_pb2.MatchResult
    defaulted: Event.Defaulted
    stage: Stage
    group: int
    changes: int
    after: int
    def __init__(self, tick: _Optional[int] = ..., gold: _Optional[_Union[Event.Gold, _Mapping]] = ..., deployed: _Optional[_Union[Event.Deployed, _Mapping]] = ..., queued: _Optional[_Union[Event.Queued, _Mapping]] = ..., cancelled: _Optional[_Union[Event.Cancelled, _Mapping]] = ..., repaired: _Optional[_Union[Event.Repaired, _Mapping]] = ..., upgraded: _Optional[_Union[Event.Upgraded, _Mapping]] = ..., skipped: _Optional[_Union[Event.Skipped, _Mapping]] = ..., withdrew: _Optional[_Union[Event.Withdrew, _Mapping]] = ..., moved: _Optional[_Union[Event.Moved, _Mapping]] = ..., gave_way: _Optional[_Union[Event.GaveWay, _Mapping]] = ..., appeared: _Optional[_Union[Event.Appeared, _Mapping]] = ..., vanished: _Optional[_Union[Event.Vanished, _Mapping]] = ..., sight_changed: _Optional[_Union[Event.SightChanged, _Mapping]] = ..., structure_sighted: _Optional[_Union[Event.StructureSighted, _Mapping]] = ..., contest_sighted: _Optional[_Union[Event.ContestSighted, _Mapping]] = ..., waited: _Optional[_Union[Event.Waited, _Mapping]] = ..., blocked: _Optional[_Union[Event.Blocked, _Mapping]] = ..., met: _Optional[_Union[Event.Met, _Mapping]] = ..., decided: _Optional[_Union[Event.Decided, _Mapping]] = ..., exchanged: _Optional[_Union[Event.Exchanged, _Mapping]] = ..., sunk: _Optional[_Union[Event.Sunk, _Mapping]] = ..., contest_opened: _Optional[_Union[Event.ContestOpened, _Mapping]] = ..., contest_closed: _Optional[_Union[Event.ContestClosed, _Mapping]] = ..., bombarded: _Optional[_Union[Event.Bombarded, _Mapping]] = ..., captured: _Optional[_Union[Event.Captured, _Mapping]] = ..., spawned: _Optional[_Union[Event.Spawned, _Mapping]] = ..., spawn_delayed: _Optional[_Union[Event.SpawnDelayed, _Mapping]] = ..., removed: _Optional[_Union[Event.Removed, _Mapping]] = ..., eliminated: _Optional[_Union[Event.Eliminated, _Mapping]] = ..., neutralised: _Optional[_Union[Event.Neutralised, _Mapping]] = ..., ended: _Optional[_Union[_result_pb2.MatchResult, _Mapping]] = ..., defaulted: _Optional[_Union[Event.Defaulted, _Mapping]] = ..., stage: _Optional[_Union[Stage, str]] = ..., group: _Optional[int] = ..., changes: _Optional[int] = ..., after: _Optional[int] = ...) -> None: ...

class Encounter(_message.Message):
    __slots__ = ("tick", "kind", "site", "participants", "group")
    class Participant(_message.Message):
        __slots__ = ("unit", "owner", "holds", "asked")
        UNIT_FIELD_NUMBER: _ClassVar[int]
        OWNER_FIELD_NUMBER: _ClassVar[int]
        HOLDS_FIELD_NUMBER: _ClassVar[int]
        ASKED_FIELD_NUMBER: _ClassVar[int]
        unit: int
        owner: int
        holds: bool
        asked: bool
        def __init__(self, unit: _Optional[int] = ..., owner: _Optional[int] = ..., holds: bool = ..., asked: bool = ...) -> None: ...
    TICK_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    SITE_FIELD_NUMBER: _ClassVar[int]
    PARTICIPANTS_FIELD_NUMBER: _ClassVar[int]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    tick: int
    kind: EncounterKind
    site: Site
    participants: _containers.RepeatedCompositeFieldContainer[Encounter.Participant]
    group: int
    def __init__(self, tick: _Optional[int] = ..., kind: _Optional[_Union[EncounterKind, str]] = ..., site: _Optional[_Union[Site, _Mapping]] = ..., participants: _Optional[_Iterable[_Union[Encounter.Participant, _Mapping]]] = ..., group: _Optional[int] = ...) -> None: ...

class Shortfall(_message.Message):
    __slots__ = ("subject", "tick", "cause", "text")
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    TICK_FIELD_NUMBER: _ClassVar[int]
    CAUSE_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    subject: _fault_pb2.Subject
    tick: int
    cause: Cause
    text: str
    def __init__(self, subject: _Optional[_Union[_fault_pb2.Subject, _Mapping]] = ..., tick: _Optional[int] = ..., cause: _Optional[_Union[Cause, _Mapping]] = ..., text: _Optional[str] = ...) -> None: ...

class TurnNews(_message.Message):
    __slots__ = ("events", "shortfalls", "encounters")
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    SHORTFALLS_FIELD_NUMBER: _ClassVar[int]
    ENCOUNTERS_FIELD_NUMBER: _ClassVar[int]
    events: _containers.RepeatedCompositeFieldContainer[Event]
    shortfalls: _containers.RepeatedCompositeFieldContainer[Shortfall]
    encounters: _containers.RepeatedCompositeFieldContainer[Encounter]
    def __init__(self, events: _Optional[_Iterable[_Union[Event, _Mapping]]] = ..., shortfalls: _Optional[_Iterable[_Union[Shortfall, _Mapping]]] = ..., encounters: _Optional[_Iterable[_Union[Encounter, _Mapping]]] = ...) -> None: ...
