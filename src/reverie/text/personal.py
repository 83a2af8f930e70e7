"""Personal data out of a text on its way to a model, and back into what the model wrote.

`Mask` puts `[EMAIL_1]`, `[PHONE_2]`, `[PERSON_1]` … in the place of values, equal values getting equal placeholders, so
that two texts can still be compared. It masks credentials as well. It is made for one prompt and then thrown away:
nothing outside that prompt knows which value a placeholder stands for.

What it sees: mail addresses, phone numbers, IBANs, payment cards, IP addresses, national ids (all by form, and by checksum
where there is one), logins in URLs, credentials, and people from a list. Other names and postal addresses it does not see.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from reverie.text.personal_numbers import addresses, cards, ibans, national_ids, phones
from reverie.text.secrets import find_secrets

__all__ = ["KINDS", "Mask", "UnknownPlaceholder", "find_personal"]

KINDS = ("TEXT", "LOGIN", "SECRET", "EMAIL", "IBAN", "ID", "CARD", "IP", "PHONE", "PERSON")
"""What a placeholder may be called, the surest recogniser first. TEXT is a stored text's own `[EMAIL_1]`."""

_PLACEHOLDER = re.compile(rf"(?i)\[(?:{'|'.join(KINDS)})_[0-9]{{1,6}}\]")
_LOGIN = re.compile(r"(?<=://)[^\s/@:?#\"'<>]{1,100}(?::[^\s/@\"'<>]{1,200})?(?=@)")
_IN_LOGIN = re.compile(r"://[^\s/@]*$")
_EMAIL = re.compile(r"(?<![\w.+%\-])[\w.+%'\-]{1,64}@(?:[\w\-]{1,63}\.){1,6}[^\W\d_]{2,24}(?![\w\-])")
_DIGITS = frozenset({"IBAN", "CARD", "PHONE", "ID"})


class UnknownPlaceholder(ValueError):
    """A text holds a placeholder that this mask never gave."""


def find_personal(text: str, people: re.Pattern[str] | None = None) -> list[tuple[int, int, str]]:
    """Return (start, end, kind) of what is to be masked, by place, not overlapping. Takes any string; raises nothing.

    Where two recognisers see the same signs, one finding covers both, named by the surer one.
    """
    found = [(start, end, KINDS.index(kind)) for kind, spans in _recognisers(people) for start, end in spans(text)]
    taken: list[tuple[int, int, int]] = []
    for start, end, rank in sorted(found):
        if taken and start < taken[-1][1]:
            before = taken[-1]
            taken[-1] = (before[0], max(end, before[1]), min(rank, before[2]))
        else:
            taken.append((start, end, rank))
    return [(start, end, KINDS[rank]) for start, end, rank in taken]


class Mask:
    """Masks the texts of one prompt and restores what comes back. Deterministic: numbers are given in order of sight.

    known_people: names to mask wherever they stand as whole words, in any case.
    """

    def __init__(self, known_people: Sequence[str] = ()) -> None:
        self._people = people_pattern(known_people)
        self._placeholders: dict[tuple[str, str], str] = {}
        self._values: dict[str, str] = {}
        self._counts: dict[str, int] = {}

    def mask(self, text: str) -> str:
        """Return `text` with placeholders."""
        parts, at = [], 0
        for start, end, kind in find_personal(text, self._people):
            parts += [text[at:start], self._placeholder(kind, text[start:end])]
            at = end
        return "".join([*parts, text[at:]])

    def unmask(self, text: str) -> str:
        """Return `text` with its values; of equal values in several spellings, the first seen.

        Raises UnknownPlaceholder when it holds a placeholder that `mask` did not give.
        """

        def value(match: re.Match[str]) -> str:
            try:
                return self._values[match[0].upper()]
            except KeyError:
                raise UnknownPlaceholder("a placeholder that was not given") from None

        return _PLACEHOLDER.sub(value, text)

    def _placeholder(self, kind: str, value: str) -> str:
        key = kind, _key(kind, value)
        if key not in self._placeholders:
            self._counts[kind] = self._counts.get(kind, 0) + 1
            self._placeholders[key] = f"[{kind}_{self._counts[kind]}]"
            self._values[self._placeholders[key]] = value
        return self._placeholders[key]


def people_pattern(names: Sequence[str]) -> re.Pattern[str] | None:
    """Return what matches any of the names as whole words, the longest first; None without names of two signs or more."""
    wanted = sorted({" ".join(n.split()) for n in names if len(n.strip()) > 1}, key=lambda n: (-len(n), n))
    if not wanted:
        return None
    spelled = [r"\s{1,3}".join(re.escape(part) for part in name.split(" ")) for name in wanted]
    return re.compile(rf"(?i)(?<!\w)(?:{'|'.join(spelled)})(?!\w)")


def _key(kind: str, value: str) -> str:
    if kind in _DIGITS:
        return re.sub(r"[^\w+]|_", "", value).upper()
    return " ".join(value.split()).casefold() if kind in ("PERSON", "EMAIL") else value


def _matches(pattern: re.Pattern[str] | None) -> Callable[[str], Iterator[tuple[int, int]]]:
    return lambda text: (match.span() for match in pattern.finditer(text)) if pattern else iter(())


def _emails(text: str) -> Iterator[tuple[int, int]]:
    for match in _EMAIL.finditer(text):
        if not _IN_LOGIN.search(text, max(match.start() - 300, 0), match.start()):
            yield match.span()


def _secrets(text: str) -> Iterator[tuple[int, int]]:
    return ((f.start, f.end) for f in find_secrets(text))


def _recognisers(people: re.Pattern[str] | None) -> list[tuple[str, Callable[[str], Iterator[tuple[int, int]]]]]:
    return [
        ("TEXT", _matches(_PLACEHOLDER)), ("LOGIN", _matches(_LOGIN)), ("SECRET", _secrets), ("EMAIL", _emails),
        ("IBAN", ibans), ("ID", national_ids), ("CARD", cards), ("IP", addresses), ("PHONE", phones),
        ("PERSON", _matches(people)),
    ]  # fmt: skip
