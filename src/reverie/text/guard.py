"""The guard: whether two texts may be merged without a judge (field-notes 3.A.4, 3.A.8, 3.A.10, 3.C.28, 3.C.29).

`SAME` needs proof: both texts have one canonical form (`Analysis.signature`), or every clause of one stands in the
other and what the other adds takes nothing back. `DIFFERENT` names the difference that blocks. All else is `UNSURE`:
a question for a judge. Nothing here knows a model, a vector or a clock."""

from __future__ import annotations

from reverie.text.analysis import Analysis, analyse
from reverie.text.casing import clash
from reverie.text.differences import explain
from reverie.text.normalise import norm_text
from reverie.text.ruling import Outcome, Reason, Ruling
from reverie.text.subsume import absorbs

__all__ = ["Analysis", "Outcome", "Reason", "Ruling", "analyse", "compare"]


def compare(a: Analysis | str, b: Analysis | str) -> Ruling:
    """Rule on two texts. Symmetric (with `keeps` swapped), reflexive, deterministic; never raises.

    `SAME` with `keeps == "either"` implies `a.signature == b.signature`; with `keeps == "a"` (or `"b"`) that text
    says all that the other says and must be the one that survives."""
    if isinstance(a, str):
        a = analyse(a)
    if isinstance(b, str):
        b = analyse(b)
    if a.text == b.text:
        return Ruling(Outcome.SAME, Reason.IDENTICAL, "")
    if a.signature == b.signature:
        return _cased(a, b, Ruling(Outcome.SAME, Reason.SURFACE if a.surface == b.surface else Reason.FRAMING, ""))
    if a.too_long or b.too_long:
        return Ruling(Outcome.UNSURE, Reason.TOO_LONG, "")
    if absorbs(a, b):
        return _cased(a, b, Ruling(Outcome.SAME, Reason.SUBSUMED, "", keeps="a"))
    if absorbs(b, a):
        return _cased(a, b, Ruling(Outcome.SAME, Reason.SUBSUMED, "", keeps="b"))
    # The difference is described from one side only, whichever way round the texts came, so that it is symmetric.
    return explain(a, b) if a.text <= b.text else explain(b, a).swapped()


def _cased(a: Analysis, b: Analysis, ruling: Ruling) -> Ruling:
    """The ruling, unless a name or a piece of code is spelled in two cases. Equal canonical text is the same."""
    spelled = clash(a.text, b.text)
    if spelled is None or norm_text(a.text) == norm_text(b.text):
        return ruling
    return Ruling(Outcome.DIFFERENT, Reason.IDENTIFIER, f"{spelled[0]} / {spelled[1]}")
