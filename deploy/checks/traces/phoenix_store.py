"""Arize Phoenix as the store: started here, asked through its REST interface."""

import urllib.parse
import urllib.request
from contextlib import ExitStack
from pathlib import Path

from ask import direct, get
from running import Fault, Program, free_port, wait_for
from span import Span
from tap import Tap

STARTS_WITHIN = 120.0
PAGE = 1000
HERE = Path(__file__).resolve().parent


class Phoenix:
    """A Phoenix of our own."""

    name = "Phoenix"
    keeps_links = False

    def __init__(self, python: Path, folder: Path) -> None:
        """Starts it with a Python that has it installed, and keeps its data in a folder."""
        self._stack = ExitStack()
        self._calls_out = folder / "calls_out"
        port, grpc_port = free_port(), free_port()
        self._url = f"http://127.0.0.1:{port}"
        variables = {
            "PHOENIX_HOST": "127.0.0.1",
            "PHOENIX_PORT": str(port),
            "PHOENIX_GRPC_PORT": str(grpc_port),
            "PHOENIX_WORKING_DIR": str(folder),
            "PHOENIX_TELEMETRY_ENABLED": "false",
            "PHOENIX_ALLOW_EXTERNAL_RESOURCES": "false",
            "PHOENIX_DISABLE_AGENT_ASSISTANT": "true",
            "PHOENIX_ENABLE_MCP_SERVER": "false",
            "CALLS_OUT": str(self._calls_out),
        }
        command = [str(python), str(HERE / "phoenix_server.py")]
        try:
            program = self._stack.enter_context(Program("phoenix", command, folder, **variables))
            wait_for("Phoenix does not start", STARTS_WITHIN, lambda: self._is_up(program))
            self.tap = self._stack.enter_context(Tap(f"127.0.0.1:{grpc_port}"))
        except BaseException:
            self._stack.close()
            raise
        self.otlp = self.tap.url

    def _is_up(self, program: Program) -> bool | None:
        program.check_alive()
        try:
            with direct.open(f"{self._url}/healthz", timeout=1):
                return True
        except OSError:
            return None

    def __enter__(self) -> "Phoenix":
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def trace(self, trace: str) -> tuple[list[Span], bytes]:
        """The spans of a trace, and the answer as it came."""
        return self._ask(trace_id=trace)

    def everything(self) -> tuple[list[Span], bytes]:
        """All spans that it has."""
        return self._ask()

    def called_out(self) -> list[str]:
        """Whom it tried to call."""
        return self._calls_out.read_text().split() if self._calls_out.exists() else []

    def _ask(self, **which: str) -> tuple[list[Span], bytes]:
        query = urllib.parse.urlencode({"limit": PAGE, **which})
        answer = get(self.name, f"{self._url}/v1/projects/default/spans/otlpv1?{query}")
        if answer is None:
            return [], b""
        found, raw = answer
        if found["next_cursor"]:
            raise Fault(f"Phoenix has more than {PAGE} spans of one short match")
        try:
            return [read(span) for span in found["data"]], raw
        except (KeyError, TypeError, ValueError) as error:
            raise Fault(f"Phoenix answers with a span that makes no sense: {error!r}") from None


def read(span: dict) -> Span:
    """A span as Phoenix tells it."""
    return Span(
        trace=span["trace_id"],
        id=span["span_id"],
        parent=span["parent_span_id"] or "",
        name=span["name"],
        begin_us=int(span["start_time_unix_nano"]) / 1000,
        end_us=int(span["end_time_unix_nano"]) / 1000,
        attributes={pair["key"]: value(pair["value"]) for pair in span["attributes"]},
        events=len(span["events"] or []),
    )


def value(told: dict) -> object:
    """The value of an attribute."""
    if told.get("int_value") is not None:
        return int(told["int_value"])
    given = [each for each in told.values() if each is not None]
    return given[0] if given else None
