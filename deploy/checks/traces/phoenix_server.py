"""Arize Phoenix, kept to this machine: it listens on the loopback address alone, and can call nobody.

    phoenix_server.py [--only-load]

Phoenix takes OTLP on all addresses, whatever it is told. And should it, or a library of it, try to call somebody else,
then that is refused, and written to the file that CALLS_OUT names. Only what goes through Python's sockets is seen.
"""

import ipaddress
import os
import sys

# This folder is not the one to import from.
sys.path.pop(0)


def is_local(host: object) -> bool:
    """Whether a host is this machine; Unix sockets are."""
    if host in ("", None, b"", "localhost", b"localhost"):
        return True
    try:
        return ipaddress.ip_address(host.decode() if isinstance(host, bytes) else str(host)).is_loopback
    except ValueError:
        return False


def refuse_calls_out(event: str, arguments: tuple) -> None:
    """Refuses connections to other machines, and questions about their names."""
    if event == "socket.connect" or event == "socket.sendto":
        address = arguments[1]
        host = address[0] if isinstance(address, tuple) else None
    elif event == "socket.getaddrinfo" or event == "socket.gethostbyname":
        host = arguments[0]
    else:
        return
    if not is_local(host):
        with open(os.environ.get("CALLS_OUT", os.devnull), "a") as file:
            print(host, file=file)
        raise PermissionError("the store may not call out")


sys.addaudithook(refuse_calls_out)

import grpc.aio  # noqa: E402

listen_anywhere = grpc.aio.Server.add_insecure_port


def listen_here(server: grpc.aio.Server, address: str) -> int:
    """Listens on the loopback address, whatever was asked for."""
    return listen_anywhere(server, f"127.0.0.1:{address.rsplit(':', 1)[1]}")


grpc.aio.Server.add_insecure_port = listen_here

from phoenix.server.main import main  # noqa: E402

if "--only-load" not in sys.argv:
    sys.argv = ["phoenix", "serve"]
    main()
