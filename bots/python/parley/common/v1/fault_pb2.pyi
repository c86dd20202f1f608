from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Subject(_message.Message):
    __slots__ = ("unit", "structure")
    UNIT_FIELD_NUMBER: _ClassVar[int]
    STRUCTURE_FIELD_NUMBER: _ClassVar[int]
    unit: int
    structure: int
    def __init__(self, unit: _Optional[int] = ..., structure: _Optional[int] = ...) -> None: ...

class Fault(_message.Message):
    __slots__ = ("subject", "rule", "text", "field")
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    RULE_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    FIELD_FIELD_NUMBER: _ClassVar[int]
    subject: Subject
    rule: str
    text: str
    field: str
    def __init__(self, subject: _Optional[_Union[Subject, _Mapping]] = ..., rule: _Optional[str] = ..., text: _Optional[str] = ..., field: _Optional[str] = ...) -> None: ...
