"""Asking a store over HTTP."""

import http.client
import json
import urllib.error
import urllib.request
from typing import Any

from running import Fault

ANSWERS_WITHIN = 10.0
LARGEST = 16 << 20
"""Bytes of an answer that are read."""
# Stores are asked where they are, not through anybody.
direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def get(store: str, url: str) -> tuple[Any, bytes] | None:
    """An answer, read and as it came; none where the store knows nothing of it."""
    try:
        with direct.open(url, timeout=ANSWERS_WITHIN) as answer:
            raw = answer.read(LARGEST + 1)
    except urllib.error.HTTPError as error:
        with error:
            if error.code == 404:
                return None
            raise Fault(f"{store} answers with status {error.code}") from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise Fault(f"{store} does not answer at {url}: {getattr(error, 'reason', error)}") from None
    if len(raw) > LARGEST:
        raise Fault(f"{store} answers with more than {LARGEST >> 20} MiB")
    try:
        return json.loads(raw), raw
    except ValueError:
        raise Fault(f"{store} does not answer with JSON at {url}") from None
