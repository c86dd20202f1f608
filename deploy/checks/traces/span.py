"""A span as every store knows it, whatever it calls its parts."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Span:
    """A span."""

    trace: str
    id: str
    parent: str
    """Empty for the first."""
    name: str
    begin_us: float
    end_us: float
    attributes: dict[str, object]
    links: frozenset[tuple[str, str]] = frozenset()
    """Traces and spans that it points to."""
    events: int = 0
    about_itself: dict[str, object] = field(default_factory=dict)
    """What the store adds: who sent it, and how."""
