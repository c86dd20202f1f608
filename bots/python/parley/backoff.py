"""How long to wait before trying again."""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass


@dataclass(frozen=True)
class Backoff:
    """The bounds of trying again: by default from a tenth of a second to ten, and about a quarter of an hour in all."""

    first: float = 0.1
    """Seconds to wait after the first failure; each further one doubles it."""
    longest: float = 10.0
    """The longest wait."""
    attempts: int = 120
    """How many attempts may fail in a row."""


class Retry:
    """Failures in a row, and when to try again."""

    def __init__(self, bounds: Backoff, seed: int) -> None:
        """Nothing has failed yet. The seed spreads those who failed together."""
        self._bounds = bounds
        self._random = random.Random(seed)
        self._due: float | None = None
        self.failures = 0

    def succeeded(self) -> None:
        """Something worked."""
        self.failures = 0

    def stood(self, seconds: float) -> None:
        """Something that stood for this long has failed; after long enough it counts as having worked before."""
        if seconds > self._bounds.longest:
            self.succeeded()

    def failed(self, at_least: float = 0.0) -> bool:
        """Something failed. False once that is too often in a row."""
        self.failures += 1
        if self.failures > self._bounds.attempts:
            return False
        wait = max(self.delay(), min(at_least, self._bounds.longest))
        self._due = asyncio.get_running_loop().time() + wait
        return True

    def delay(self) -> float:
        """Half of the wait is certain, the other half is drawn."""
        doublings = min(self.failures - 1, 64)
        half: float = min(self._bounds.first * 2**doublings, self._bounds.longest) / 2
        return half + self._random.uniform(0, half)

    async def wait(self) -> None:
        """Waits until it is time. Whoever stops waiting and comes back waits only for the rest."""
        if self._due is not None:
            await asyncio.sleep(self._due - asyncio.get_running_loop().time())
            self._due = None
