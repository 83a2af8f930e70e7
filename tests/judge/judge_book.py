"""A ledger for tests of judges: it keeps everything, and asserts that what was begun is ended once."""

from __future__ import annotations

import threading


class Book:
    """A ledger that writes everything down. cap: tokens that may be reserved or used in all; None: no cap."""

    def __init__(self, cap: int | None = None) -> None:
        self.cap = cap
        self.begun: list[tuple[str, str, int, int, int]] = []
        self.ended: dict[int, tuple[str, int, int, int]] = {}
        self._held = 0
        self._lock = threading.Lock()

    def begin(self, model: str, purpose: str, questions: int, tokens: int, cost: int) -> int | str:
        with self._lock:
            if self.cap is not None and self._held + tokens > self.cap:
                return f"{self._held + tokens} tokens would be more than {self.cap}"
            self._held += tokens
            self.begun.append((model, purpose, questions, tokens, cost))
            return len(self.begun) - 1

    def end(self, number: int, outcome: str, tokens_in: int, tokens_out: int, cost: int, seconds: float) -> None:
        with self._lock:
            assert number not in self.ended
            assert seconds >= 0
            self._held += tokens_in + tokens_out - self.begun[number][3]
            self.ended[number] = outcome, tokens_in, tokens_out, cost

    @property
    def outcomes(self) -> list[str]:
        """What the attempts came to, in the order in which they began. Every attempt must have ended."""
        assert sorted(self.ended) == list(range(len(self.begun)))
        return [self.ended[n][0] for n in range(len(self.begun))]
