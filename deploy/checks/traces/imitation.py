"""An imitation of Jaeger, for tests of the code that reads one: OTLP in, and Jaeger's JSON out.

It was written from what Jaeger documents of its answers, and is no Jaeger: it shows that the check reads that form, and
that it notices what is wrong in it. It shows nothing about Jaeger.
"""

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from span import Span
from tap import Tap

KINDS = {1: "internal", 2: "server"}


class Imitation:
    """Takes OTLP at `otlp`, and answers as Jaeger would at `url`."""

    def __init__(self) -> None:
        self._tap = Tap(None)
        self.otlp = self._tap.url
        self.change: Callable[[list[dict]], None] = lambda spans: None
        imitation = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                status, answer = imitation.answer(self.path)
                body = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._http.server_port}"
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.05})
        self._thread.start()

    def __enter__(self) -> "Imitation":
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()
        self._tap.__exit__()

    def answer(self, path: str) -> tuple[int, dict]:
        """What Jaeger would say."""
        if path == "/api/services":
            return 200, {"data": ["parley"], "total": 1, "limit": 0, "offset": 0, "errors": None}
        if not path.startswith("/api/traces/"):
            return 404, {"errors": [{"code": 404, "msg": "not found"}]}
        trace = path.removeprefix("/api/traces/")
        spans = [told(span) for span in self._tap.spans() if span.trace == trace]
        self.change(spans)
        if not spans:
            return 404, {"data": None, "total": 0, "errors": [{"code": 404, "msg": "trace not found"}]}
        version = {"key": "service.version", "type": "string", "value": "0"}
        process = {"serviceName": "parley", "tags": [version]}
        data = {"traceID": trace, "spans": spans, "processes": {"p1": process}, "warnings": None}
        return 200, {"data": [data], "total": 0, "limit": 0, "offset": 0, "errors": None}


def told(span: Span) -> dict:
    """A span as Jaeger tells it: whole microseconds, links as references, and the kind as a tag."""
    references = [{"refType": "CHILD_OF", "traceID": span.trace, "spanID": span.parent}] if span.parent else []
    references += [{"refType": "FOLLOWS_FROM", "traceID": trace, "spanID": other} for trace, other in span.links]
    tags = [tag(key, value) for key, value in span.attributes.items()]
    tags += [tag("otel.scope.name", "parley"), tag("span.kind", KINDS[span.about_itself["span.kind"]])]
    begin = int(span.begin_us)
    return {
        "traceID": span.trace,
        "spanID": span.id,
        "operationName": span.name,
        "references": references,
        "startTime": begin,
        "duration": int(span.end_us - span.begin_us),
        "tags": tags,
        "logs": [],
        "processID": "p1",
        "warnings": None,
    }


def tag(key: str, value: object) -> dict:
    """A tag."""
    return {"key": key, "type": "int64" if type(value) is int else "string", "value": value}
