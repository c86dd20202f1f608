"""A Jaeger that runs already, asked as its own page asks it."""

from urllib.parse import urlsplit

from ask import get
from running import Fault
from span import Span


class Jaeger:
    """A Jaeger."""

    name = "Jaeger"
    keeps_links = True
    tap = None

    def __init__(self, url: str, otlp: str) -> None:
        """Asks it at one address, and lets the service send traces to the other."""
        self._url = url.rstrip("/")
        parts = urlsplit(self._url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise Fault(f"{url!r} is not an address such as http://localhost:16686")
        host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
        self.otlp = otlp or f"http://{host}:4317"
        if get(self.name, f"{self._url}/api/services") is None:
            raise Fault(f"there is no Jaeger at {url}")

    def __enter__(self) -> "Jaeger":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def trace(self, trace: str) -> tuple[list[Span], bytes]:
        """The spans of a trace, and the answer as it came."""
        answer = get(self.name, f"{self._url}/api/traces/{trace}")
        if answer is None:
            return [], b""
        found, raw = answer
        try:
            traces = found["data"] or []
            return [read(span, each["processes"]) for each in traces for span in each["spans"]], raw
        except (KeyError, TypeError, ValueError) as error:
            raise Fault(f"Jaeger answers with a trace that makes no sense: {error!r}") from None


def read(span: dict, processes: dict) -> Span:
    """A span as Jaeger tells it. Its parent is the reference CHILD_OF, links are FOLLOWS_FROM."""
    trace, own = span["traceID"].zfill(32), span["spanID"].zfill(16)
    parent, links = "", set()
    for reference in span["references"] or []:
        to = (reference["traceID"].zfill(32), reference["spanID"].zfill(16))
        if reference["refType"] == "CHILD_OF" and to[0] == trace and not parent:
            parent = to[1]
        else:
            links.add(to)
    tags = {tag["key"]: value(tag) for tag in span["tags"] or []}
    process = processes[span["processID"]]
    about = {tag["key"]: value(tag) for tag in process["tags"] or []} | {"service.name": process["serviceName"]}
    about |= {key: tags.pop(key) for key in list(tags) if not key.startswith("parley.") and key in ADDED}
    return Span(
        trace=trace,
        id=own,
        parent=parent,
        name=span["operationName"],
        begin_us=span["startTime"],
        end_us=span["startTime"] + span["duration"],
        attributes=tags,
        links=frozenset(links),
        events=len(span["logs"] or []),
        about_itself=about,
    )


ADDED = {
    "span.kind",
    "internal.span.format",
    "otel.library.name",
    "otel.library.version",
    "otel.scope.name",
    "otel.scope.version",
    "otel.status_code",
}
"""Tags that Jaeger makes of parts of a span that it has no place for."""


def value(tag: dict) -> object:
    """The value of a tag."""
    return int(tag["value"]) if tag["type"] == "int64" else tag["value"]
