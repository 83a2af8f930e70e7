"""Every error that Reverie raises, as one tree.

* ReverieError
    * InvalidInput            the caller's value cannot be taken; nothing was written
        * SecretFound         the text holds a credential
        * UnknownSetting      no setting of that name, or a value out of its bounds
        * TooLarge            more than a door takes at once
    * Unauthorised            no key, or one that is not valid
    * NotFound                no such memory, run, plan or entry in this scope
    * Refused                 the value is fine, the rules say no
        * PolicyRefusal       a law of `policy` forbids the move
        * Conflict            another row has its text or key, or the state has moved on
            * Stale           the row has changed since the caller read it
        * Forbidden           the key is valid, and not for this
        * TooMany             a limit of the key is reached; later it may be tried again
        * LeaseHeld           another curator is at work in this namespace
    * StoreError              the store failed; what was acknowledged before is safe
        * StoreBusy           another process held the write lock for too long
        * StoreCorrupt        the integrity check or the journal's chain failed
        * StoreTooNew         written by a newer Reverie than this one
        * LeaseLost           this curator's lease has ended: it may not write any more
    * EmbedderError           no vector could be made
        * EmbedderUnavailable the embedder is down or its files are missing
        * BadVector           NaN, infinite, zero or of the wrong dimension
    * Closed                  the handle was closed
"""

from __future__ import annotations

__all__ = [
    "BadVector",
    "Closed",
    "Conflict",
    "EmbedderError",
    "EmbedderUnavailable",
    "Forbidden",
    "InvalidInput",
    "LeaseHeld",
    "LeaseLost",
    "NotFound",
    "PolicyRefusal",
    "Refused",
    "ReverieError",
    "SecretFound",
    "Stale",
    "StoreBusy",
    "StoreCorrupt",
    "StoreError",
    "StoreTooNew",
    "TooLarge",
    "TooMany",
    "Unauthorised",
    "UnknownSetting",
]


class ReverieError(Exception):
    """Something in Reverie went wrong."""

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or (type(self).__doc__ or "").strip().splitlines()[0])


class InvalidInput(ReverieError):
    """The value cannot be taken; nothing was written."""


class SecretFound(InvalidInput):
    """The text holds what looks like a credential; nothing was written."""


class UnknownSetting(InvalidInput):
    """No setting of that name, or a value outside its bounds."""


class TooLarge(InvalidInput):
    """It is more than is taken at once."""


class Unauthorised(ReverieError):
    """There is no key, or it is not valid."""


class NotFound(ReverieError):
    """No such thing in this scope."""


class Refused(ReverieError):
    """The rules do not allow this."""


class PolicyRefusal(Refused):
    """The policy forbids this move, whoever asks."""


class Conflict(Refused):
    """Another row has the text or the key, or the state of things has moved on."""


class Stale(Conflict):
    """The row has changed since the caller read it."""


class Forbidden(Refused):
    """The key does not allow this."""


class TooMany(Refused):
    """A limit is reached; ``seconds`` is when it may be tried again."""

    def __init__(self, message: str | None = None, seconds: float = 60.0) -> None:
        super().__init__(message)
        self.seconds = seconds


class LeaseHeld(Refused):
    """Another curator is at work in this namespace."""


class StoreError(ReverieError):
    """The store failed."""


class StoreBusy(StoreError):
    """Another process held the store's write lock for too long."""


class StoreCorrupt(StoreError):
    """The store's integrity check failed."""


class StoreTooNew(StoreError):
    """The store was written by a newer version of Reverie."""


class LeaseLost(StoreError):
    """This curator's lease has ended or another has taken over; nothing was written."""


class EmbedderError(ReverieError):
    """No vector could be made."""


class EmbedderUnavailable(EmbedderError):
    """The embedder is down, or its files are missing."""


class BadVector(EmbedderError):
    """The vector is not finite, is zero, or has the wrong dimension."""


class Closed(ReverieError):
    """The handle was closed."""
