from parley.plunder.v1 import advice_pb2 as _advice_pb2
from parley.plunder.v1 import change_pb2 as _change_pb2
from parley.plunder.v1 import event_pb2 as _event_pb2
from parley.plunder.v1 import orders_pb2 as _orders_pb2
from parley.plunder.v1 import settings_pb2 as _settings_pb2
from parley.plunder.v1 import view_pb2 as _view_pb2
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Sheet(_message.Message):
    __slots__ = ("plunder",)
    PLUNDER_FIELD_NUMBER: _ClassVar[int]
    plunder: _orders_pb2.Sheet
    def __init__(self, plunder: _Optional[_Union[_orders_pb2.Sheet, _Mapping]] = ...) -> None: ...

class View(_message.Message):
    __slots__ = ("plunder",)
    PLUNDER_FIELD_NUMBER: _ClassVar[int]
    plunder: _view_pb2.View
    def __init__(self, plunder: _Optional[_Union[_view_pb2.View, _Mapping]] = ...) -> None: ...

class TurnNews(_message.Message):
    __slots__ = ("plunder",)
    PLUNDER_FIELD_NUMBER: _ClassVar[int]
    plunder: _event_pb2.TurnNews
    def __init__(self, plunder: _Optional[_Union[_event_pb2.TurnNews, _Mapping]] = ...) -> None: ...

class Changes(_message.Message):
    __slots__ = ("plunder",)
    PLUNDER_FIELD_NUMBER: _ClassVar[int]
    plunder: _change_pb2.Changes
    def __init__(self, plunder: _Optional[_Union[_change_pb2.Changes, _Mapping]] = ...) -> None: ...

class GameSettings(_message.Message):
    __slots__ = ("plunder",)
    PLUNDER_FIELD_NUMBER: _ClassVar[int]
    plunder: _settings_pb2.Settings
    def __init__(self, plunder: _Optional[_Union[_settings_pb2.Settings, _Mapping]] = ...) -> None: ...

class Query(_message.Message):
    __slots__ = ("plunder",)
    PLUNDER_FIELD_NUMBER: _ClassVar[int]
    plunder: _advice_pb2.Query
    def __init__(self, plunder: _Optional[_Union[_advice_pb2.Query, _Mapping]] = ...) -> None: ...

class Advice(_message.Message):
    __slots__ = ("plunder",)
    PLUNDER_FIELD_NUMBER: _ClassVar[int]
    plunder: _advice_pb2.Advice
    def __init__(self, plunder: _Optional[_Union[_advice_pb2.Advice, _Mapping]] = ...) -> None: ...
