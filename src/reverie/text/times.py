"""Times at the end of a clause or right after its verb: taken off, so that their order does not matter."""

from __future__ import annotations

from reverie.text.concepts import PREPOSITIONS, Lexicon
from reverie.text.lexicon import bag
from reverie.text.scope import Tokens, verbish

_TIME_PREPS = bag("in on at by before after until since")
_YEAR_PREPS = bag("in since until before after by during")
CYCLE_WORDS = bag("hourly daily nightly weekly monthly yearly")
DAY_PARTS = bag("morning afternoon evening night weekday weekend")
# Before a time these say something of it: "not on Monday" does not float.
_HOLD = bag(
    "not only except even especially just also almost about around than and or but nor to between through from never "
    "of like as"
)


def _time_at_end(t: Tokens) -> int:
    """How many tokens at the end spell one time; 0 if none."""
    n = len(t)
    last = t[-1]
    before = t[-2] if n > 1 else ""
    if last[:2] in ("d:", "t:"):
        used = 2 if before in _TIME_PREPS else 1
        if used == 1 and (before in PREPOSITIONS or before in _HOLD):
            return 0
    elif last[:2] == "n:" and len(last) == 6 and last[2:].isdigit() and last[2:4] in ("19", "20"):
        used = 2 if before in _YEAR_PREPS else 0
    elif last in CYCLE_WORDS:
        used = 1 if before not in PREPOSITIONS and before not in ("be", "was") else 0
    elif last in DAY_PARTS:
        used = 2 if before == "every" else 0
    else:
        return 0
    if used and n > used and (t[n - used - 1] in _HOLD or t[n - used - 1] in PREPOSITIONS):
        return 0
    return used


def peel(t: Tokens) -> tuple[Tokens, list[Tokens]]:
    """Take the times off the end of a clause; two tokens stay."""
    times: list[Tokens] = []
    while t:
        used = _time_at_end(t)
        if not used or (len(t) - used < 2):
            break
        times.insert(0, t[len(t) - used :])
        t = t[: len(t) - used]
    return t, times


def inner_times(t: Tokens, lexicon: Lexicon) -> tuple[Tokens, list[Tokens]]:
    """Take out a time right after a verb and before a preposition: "is emptied every Monday in Graz"."""
    for at in range(2, len(t) - 1):
        if t[at] in PREPOSITIONS and t[at - 1] not in PREPOSITIONS:
            head, times = peel(t[:at])
            if not times or len(head) < 2 or not verbish(head[-1], lexicon):
                continue
            # "The exam is on Monday in room 5": there it is in that room.
            if head[-1] not in ("be", "was") or (t[at] in ("in", "at") and times[0][0] in ("on", "at")):
                return (*head, *t[at:]), times
    return t, []


def all_times(t: Tokens) -> list[Tokens] | None:
    """The times of a phrase that is nothing but times, else None."""
    times: list[Tokens] = []
    while t:
        used = _time_at_end(t)
        if not used:
            return None
        times.insert(0, t[len(t) - used :])
        t = t[: len(t) - used]
    return times
