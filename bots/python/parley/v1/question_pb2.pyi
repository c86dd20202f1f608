from parley.common.v1 import fault_pb2 as _fault_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Question(_message.Message):
    __slots__ = ("id", "kind", "rule", "tick", "group", "about", "options", "min", "max", "default")
    class Option(_message.Message):
        __slots__ = ("word", "unit", "structure")
        WORD_FIELD_NUMBER: _ClassVar[int]
        UNIT_FIELD_NUMBER: _ClassVar[int]
        STRUCTURE_FIELD_NUMBER: _ClassVar[int]
        word: str
        unit: int
        structure: int
        def __init__(self, word: _Optional[str] = ..., unit: _Optional[int] = ..., structure: _Optional[int] = ...) -> None: ...
    ID_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    RULE_FIELD_NUMBER: _ClassVar[int]
    TICK_FIELD_NUMBER: _ClassVar[int]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    ABOUT_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    MIN_FIELD_NUMBER: _ClassVar[int]
    MAX_FIELD_NUMBER: _ClassVar[int]
    DEFAULT_FIELD_NUMBER: _ClassVar[int]
    id: int
    kind: str
    rule: str
    tick: int
    group: int
    about: _fault_pb2.Subject
    options: _containers.RepeatedCompositeFieldContainer[Question.Option]
    min: int
    max: int
    default: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, id: _Optional[int] = ..., kind: _Optional[str] = ..., rule: _Optional[str] = ..., tick: _Optional[int] = ..., group: _Optional[int] = ..., about: _Optional[_Union[_fault_pb2.Subject, _Mapping]] = ..., options: _Optional[_Iterable[_Union[Question.Option, _Mapping]]] = ..., min: _Optional[int] = ..., max: _Optional[int] = ..., default: _Optional[_Iterable[int]] = ...) -> None: ...

class Answer(_message.Message):
    __slots__ = ("question", "options")
    QUESTION_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    question: int
    options: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, question: _Optional[int] = ..., options: _Optional[_Iterable[int]] = ...) -> None: ...
