"""Reaching a server, and saying whose calls they are."""

from __future__ import annotations

import asyncio
import os
from urllib.parse import urlsplit

import grpc
import grpc.aio

from .refusal import Refusal

DEFAULT_ADDRESS = "http://127.0.0.1:7400"
"""Where a server is that was started without settings."""
ADDRESS_VARIABLE = "PARLEY_ADDR"
"""The variable of the environment that names another server for all clients."""
CONNECT_TIMEOUT = 10.0
"""How many seconds a connection may take to come about."""
MAX_MESSAGE_BYTES = 64 << 20
"""The longest message that is taken: a view of the largest map fits."""

OPTIONS = [
    ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.max_pings_without_data", 0),
    # A session waits by itself before it tries again, and should then not wait once more.
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 500),
    # Two bots in one process are two clients.
    ("grpc.use_local_subchannel_pool", 1),
]

# What grpc says where something answers that does not know HTTP/2.
_OTHER_PROTOCOL = ("http1.x", "parsing HTTP/2", "Expected SETTINGS")


class ConnectError(Exception):
    """There is no connection, in one sentence."""

    is_input = True
    """Whether what was given is at fault, and not the machine or the server."""


class Unreachable(ConnectError):
    """Nothing answers at the address."""

    is_input = False


class NotParley(ConnectError):
    """Something else than a Parley server answers at the address."""

    is_input = False

    def __init__(self, address: str, reason: str) -> None:
        super().__init__(f"what answers at {address} is not a Parley server: {reason}")


class Token:
    """A bearer token, which says whose calls they are. It is never shown."""

    def __init__(self, text: str = "") -> None:
        """A token as the lobby gave it; empty is none, as spectators of public matches have none."""
        if not all(" " <= letter <= "~" for letter in text):
            raise ConnectError("a token is printable ASCII text")
        self._value = f"Bearer {text}" if text else ""

    @property
    def metadata(self) -> list[tuple[str, str]]:
        """What a call carries along."""
        return [("authorization", self._value)] if self._value else []

    def __bytes__(self) -> bytes:
        return self._value.encode()

    def __repr__(self) -> str:
        return "Token(secret)" if self._value else "Token(none)"


def default_address() -> str:
    """The server that `PARLEY_ADDR` names, or one that was started on this machine without settings."""
    return os.environ.get(ADDRESS_VARIABLE) or DEFAULT_ADDRESS


async def connect(address: str | None = None, certificate: bytes | None = None) -> grpc.aio.Channel:
    """Connects to a server, such as `http://127.0.0.1:7400` or just `127.0.0.1:7400`.

    Without an address it is the one of `default_address`. With `https` the connection is TLS; the certificate (PEM) is
    the one to trust, or those that the machine trusts. The channel connects again by itself when it is used after it
    was lost.
    """
    address = default_address() if address is None else address
    channel = _channel(address, certificate)
    try:
        await asyncio.wait_for(_until_ready(channel), CONNECT_TIMEOUT)
    except asyncio.TimeoutError:
        await channel.close()
        raise Unreachable(f"nothing answers at {address} within {CONNECT_TIMEOUT:.0f} seconds") from None
    except grpc.aio.AioRpcError as error:
        await channel.close()
        raise _unreachable(address, Refusal.from_error(error).message) from None
    return channel


def _unreachable(address: str, reason: str) -> ConnectError:
    """What it means that a connection did not come about."""
    if "connection refused" in reason.lower():
        return Unreachable(f"nothing answers at {address} (connection refused)")
    if any(words in reason for words in _OTHER_PROTOCOL):
        return NotParley(address, "it does not speak HTTP/2")
    return Unreachable(f"no connection to {address}: {reason}")


def _channel(address: str, certificate: bytes | None) -> grpc.aio.Channel:
    wrong = ConnectError(f"{address!r} is not an address such as {DEFAULT_ADDRESS}")
    try:
        parts = urlsplit(address if "://" in address else f"http://{address}")
        sound = parts.scheme in ("http", "https") and parts.hostname and parts.path in ("", "/")
        port = parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError:
        raise wrong from None
    if not sound or any(letter.isspace() for letter in address):
        raise wrong
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    target = f"dns:///{host}:{port}"
    if parts.scheme == "https":
        return grpc.aio.secure_channel(target, grpc.ssl_channel_credentials(certificate), options=OPTIONS)
    return grpc.aio.insecure_channel(target, options=OPTIONS)


async def _until_ready(channel: grpc.aio.Channel) -> None:
    """Waits for the first attempt to succeed or to fail, and raises why it failed."""
    state = channel.get_state(try_to_connect=True)
    while state is not grpc.ChannelConnectivity.READY:
        if state is grpc.ChannelConnectivity.TRANSIENT_FAILURE:
            # A call that cannot be sent is told the reason.
            await channel.unary_unary("/grpc.health.v1.Health/Check")(b"")
        await channel.wait_for_state_change(state)
        state = channel.get_state(try_to_connect=True)
