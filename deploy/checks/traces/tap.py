"""What is on its way to a store: it is handed on as it came, byte for byte, and kept.

Not every store keeps all that it is sent; Phoenix forgets links. So what was sent can be looked at, too.
"""

from concurrent.futures import ThreadPoolExecutor

import grpc
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import KeyValue
from span import Span

SERVICE, EXPORT = "opentelemetry.proto.collector.trace.v1.TraceService", "Export"
ANSWERS_WITHIN = 10.0


class Tap:
    """Takes OTLP on a port of its own, and hands it on, if there is somebody to hand it on to."""

    def __init__(self, onward: str | None) -> None:
        self.received: list[bytes] = []
        self._channel = grpc.insecure_channel(onward) if onward else None
        self._export = self._channel and self._channel.unary_unary(f"/{SERVICE}/{EXPORT}")
        self._server = grpc.server(ThreadPoolExecutor(2), options=[("grpc.so_reuseport", 0)])
        handler = grpc.unary_unary_rpc_method_handler(self._take)
        self._server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler(SERVICE, {EXPORT: handler})])
        self.url = f"http://127.0.0.1:{self._server.add_insecure_port('127.0.0.1:0')}"
        self._server.start()

    def __enter__(self) -> "Tap":
        return self

    def __exit__(self, *_: object) -> None:
        self._server.stop(1).wait()
        if self._channel:
            self._channel.close()

    def _take(self, request: bytes, context: grpc.ServicerContext) -> bytes:
        try:
            answer = self._export(request, timeout=ANSWERS_WITHIN) if self._export else b""
        except grpc.RpcError as error:
            context.abort(error.code(), error.details())
        self.received.append(request)
        return answer

    def spans(self) -> list[Span]:
        """Everything that was received."""
        return [
            Span(
                trace=span.trace_id.hex(),
                id=span.span_id.hex(),
                parent=span.parent_span_id.hex(),
                name=span.name,
                begin_us=span.start_time_unix_nano / 1000,
                end_us=span.end_time_unix_nano / 1000,
                attributes=pairs(span.attributes),
                links=frozenset((link.trace_id.hex(), link.span_id.hex()) for link in span.links),
                events=len(span.events),
                about_itself=pairs(resource.resource.attributes) | {"span.kind": span.kind},
            )
            for request in self.received
            for resource in ExportTraceServiceRequest.FromString(request).resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]


def pairs(attributes: list[KeyValue]) -> dict[str, object]:
    """Attributes by their names."""
    return {pair.key: getattr(pair.value, pair.value.WhichOneof("value") or "", None) for pair in attributes}
