"""From a reading of a clause to what it says of one attribute of one subject.

A clause that the grammar of relations covers (`frames.py`) gives its attribute by the relation: who lives where, what
listens on which port. Any other gives one by what stands around its one measured value, or by its noun ("the default branch
of X"). Besides, each clause states itself: only that fact can be denied of an attribute with many values.
"""

from __future__ import annotations

from dataclasses import dataclass

from reverie.text import slot_tables as tables
from reverie.text.concepts import PREPOSITIONS, Lexicon
from reverie.text.lexicon import slots as closed
from reverie.text.owning import copula
from reverie.text.scope import Tokens
from reverie.text.shapes import shape
from reverie.text.slot_reading import Reading

SAID = "says"
"""The attribute under which a clause as a whole is stated or denied; its only value is empty."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One value of one attribute. ``subject`` and ``attribute`` are canonical words; equal ones speak of the same thing.

    ``kind`` is "slot" (a named attribute), "number" (a measured value in its place) or "says".
    """

    attribute: str
    subject: str
    value: str
    negated: bool
    single: bool
    kind: str
    marks: tuple[str, ...] = ()
    old: str = ""
    replaces: bool = False


def facts_of(reading: Reading, lexicon: Lexicon) -> list[Fact]:
    """What a reading says, at most five facts; the statement itself comes last."""
    tokens, negated = _folded(reading.tokens, reading.negated)
    out: list[Fact] = []
    old = " ".join(reading.old)

    def add(attribute: str, subject: str, value: str, single: bool, kind: str = "slot", denied: bool = negated) -> None:
        if value or kind == SAID:
            told = not reading.new or not set(reading.new).isdisjoint(value.split())
            marks, replaces = (reading.marks, reading.replaces) if told else ((), False)
            out.append(Fact(attribute, subject, value, denied, single, kind, marks, old, replaces))

    form = shape(tokens, lexicon)
    parts = form.split("\x02")
    for part in parts[:2]:
        if part[:1] == "\x01":
            frame = _Frame.of(part)
            found = _by_relation(frame, tokens, lexicon) or _by_noun(copula(tokens, lexicon), lexicon)
            for attribute, subject, value, single, kind in found:
                # "Ana does not sail at weekends" denies less than "Ana does not sail".
                if not (negated and frame.rest and kind == "slot" and not single):
                    add(attribute, subject, value, single, kind)
            said = "\x1f".join((frame.concept, frame.first, frame.second, *frame.rest))
        else:
            words = tuple(part.split("\x1f"))
            found = _by_noun(words, lexicon) or _by_noun(copula(tokens, lexicon), lexicon)
            for attribute, subject, value, single, kind in found:
                add(attribute, subject, value, single, kind)
            said = part
            for attribute, subject, value in _by_measure(words):
                add(attribute, subject, value, True, "number")
        if not (negated and len(parts) > 1):
            add(SAID, said, "", True, SAID)
    return out[:6]


Found = tuple[str, str, str, bool, str]


@dataclass(frozen=True, slots=True)
class _Frame:
    """A relation as `frames.Frame.text` writes it: its name, its two parts, and the rest without habitual adverbs."""

    concept: str
    first: str
    second: str
    rest: tuple[str, ...]
    present: bool

    @classmethod
    def of(cls, form: str) -> _Frame:
        concept, first, second, *rest = form[1:].split("\x1f")
        plain = tuple(entry for entry in rest if entry not in ("r usual", "pres"))
        return cls(concept, first, second, plain, "pres" in rest)


def _folded(t: Tokens, negated: bool) -> tuple[Tokens, bool]:
    """Complements as the negation of one another: "is off" is "is on", denied."""
    for i, word in enumerate(t):
        if i and word in tables.COMPLEMENT and t[i - 1] in ("be", "was", "switched", "turned", "status"):
            return (*t[:i], tables.COMPLEMENT[word], *t[i + 1 :]), not negated
    return t, negated


def _by_relation(frame: _Frame, tokens: Tokens, lexicon: Lexicon) -> list[Found]:
    name, first, second, rest = frame.concept, frame.first, frame.second, frame.rest
    concept = lexicon.concepts.get(name)
    attribute = name.lstrip("@")
    values = [entry for entry in rest if entry[:2] == "= "]
    others = tuple(entry for entry in rest if entry[:2] != "= ")
    if "past" in others or "perf" in others:
        return []
    if name in tables.ATTITUDE:
        who = "\x1f".join((first, second, *rest))
        return [("attitude", who, tables.ATTITUDE[name], True, "slot"), ("likes", first, second, False, "slot")]
    present = concept is not None and (concept.stative or frame.present)
    if values:
        found = _valued(name, attribute, frame, values, others) or _measured(frame, values, others, present)
        if name in tables.HELD_BY_ONE and first and second and len(values) == 1:
            found.append((attribute, f"{second}\x1f", first, _sole(tokens), "slot"))
        return found
    if concept is not None and second == "*":
        # "The default theme is dark": nobody's in particular, so what modifies the noun tells which.
        return [(attribute, "\x1f".join(others), first, tables.is_single(attribute), "slot")]
    aside = ("since ", "with ") if name in ("live", "employ") else ("since ",)
    scope = "\x1f".join(entry for entry in others if not entry.startswith(aside))
    if name == "prefer":
        return [(attribute, f"{first}\x1f{scope}", second, False, "slot")]
    if name in tables.HELD_BY_ONE and first and second:
        return [
            (attribute, f"{second}\x1f{scope}", first, _sole(tokens), "slot"),
            (f"{name}s", first, second, False, "slot"),
        ]
    if second[:2] == "n:" and name.lstrip("@") in tables.COUNTED and " " in second and "and" not in second:
        count, _, things = second.partition(" ")
        return [(f"{attribute}:n", f"{first}\x1f{things}\x1f{scope}", count, True, "number")]
    if not first or not second or "and" in first.split() or "and" in second.split():
        return []
    if name == "employ" and not {"at", "with", "for", "by", "employer", "workplace"}.intersection(tokens):
        return []  # "Ana's job is teacher": a profession
    single = tables.is_single(attribute) and (name != "live" or _dwelling(second))
    return [(attribute, f"{first}\x1f{scope}" if single else first, second, single, "slot")]


def _sole(tokens: Tokens) -> bool:
    """Whether a clause names who holds something by a noun: "the owner of X" is one, who "owns X" may be one of several."""
    return not tables.HOLDERS.isdisjoint(tokens)


def _dwelling(place: str) -> bool:
    """Whether a residence is a name and not a description: who lives in a flat may live in Oslo as well."""
    words = place.split()
    return len(words) <= 3 and tables.DESCRIBED.isdisjoint(words)


def _valued(name: str, attribute: str, frame: _Frame, values: list[str], others: tuple[str, ...]) -> list[Found]:
    """The value of a relation that is measured or dated: all its values of the kind that the attribute takes."""
    wanted = tables.VALUED.get(name) or (tables.VALUED["@"] if name[:1] == "@" and tables.is_single(attribute) else "")
    mine = [entry for entry in values if entry[2:].rpartition(" ")[2][:1] in wanted]
    if not mine or any(" " in entry[2:] for entry in mine):
        return []  # "before May", "at least 5": a bound is not a value
    rest = [entry for entry in values if entry not in mine]
    if name == "run" and tables.SCHEDULED.isdisjoint(frame.first.split()):
        return []  # a bus runs at many times
    if name in tables.DAILY and len(mine) == 2:
        mine = [entry for entry in mine if not (entry[2] == "d" and entry[4:].isalpha())]  # each day has its own time
        rest = [entry for entry in values if entry not in mine]
    kinds = "".join(sorted(entry[2] for entry in mine))
    if len(mine) > 1 and kinds != "dt":
        return []
    where = "\x1f".join((frame.first, frame.second, *rest, *others))
    value = " ".join(entry[2:] for entry in mine)
    return [(f"{attribute}:{kinds}", where, value, name not in tables.SEVERAL, "number")]


def _measured(frame: _Frame, values: list[str], others: tuple[str, ...], present: bool) -> list[Found]:
    """The one measured value of a state or a habit: "are kept for 8 days", "takes 5 mg of X every morning"."""
    found = [entry for entry in values if "|" in entry or entry[-1] in "%$€£¥₹"]
    if not present or len(found) != 1:
        return []
    prep, _, value = found[0][2:].rpartition(" ")
    if prep not in ("", "for", "after") or value[2:3] in "~+":
        return []
    rest = [entry for entry in values if entry is not found[0]]
    where = "\x1f".join((frame.first, frame.second, prep, *rest, *others))
    return [(f"{frame.concept}:n", where, value, True, "number")]


def _by_noun(t: Tokens, lexicon: Lexicon) -> list[Found]:
    """Read "X's N is V" and "N of X is V" for a noun that names one value of a thing."""
    if t.count("be") != 1:
        return []
    at = t.index("be")
    left, right = t[:at], t[at + 1 :]
    if not left or not right or len(right) > 6:
        return []
    if "'s" in left:
        cut = len(left) - 1 - left[::-1].index("'s")
        noun, owner = left[cut + 1 :], left[:cut]
    elif "of" in left:
        cut = left.index("of")
        noun, owner = left[:cut], left[cut + 1 :]
    else:
        return _state(left, right)
    if not noun or not owner or len(noun) > 3:
        return []
    scope: Tokens = ()
    for i, word in enumerate(right):
        if word in PREPOSITIONS and i:
            scope, right = right[i:], right[:i]
            break
    if right[0] == "in" and len(right) > 1 and noun[-1] in tables.PLACES:
        right = right[1:]
    if right[0] in PREPOSITIONS or right[0] in ("and", "or") or "and" in right:
        return []
    name = " ".join(noun)
    found = lexicon.words.get(noun[-1]) if len(noun) == 1 else lexicon.words.get(name) or lexicon.words.get(noun[-1])
    nominal = found is not None and "n" in found.kinds
    single = (nominal and tables.is_single(name) and tables.is_single(noun[-1])) or noun[-1] in tables.NOUNS
    if not single and not _state_word(right):
        return []
    where = " ".join(owner) + ("\x1f" + " ".join(scope) if scope else "\x1f")
    return [(name, where, " ".join(right), True, "slot")]


def _state(left: Tokens, right: Tokens) -> list[Found]:
    """Read "X is red", "X is closed": a word of a class of which a thing has one at a time."""
    if not _state_word(right):
        name = next((n for n in (" ".join(left[-2:]), left[-1]) if tables.is_single(n)), "") if len(left) > 1 else ""
        plain = len(right) <= 2 and right[0] not in PREPOSITIONS and not (len(right) == 2 and right[1] in PREPOSITIONS)
        return [(name, " ".join(left), " ".join(right), True, "slot")] if name and plain else []
    kind = next(name for name in closed()[right[0]] if name in tables.STATES)
    return [(kind, " ".join(left) + "\x1f" + " ".join(right[1:]), right[0], True, "slot")]


def _state_word(right: Tokens) -> bool:
    plain = len(right) == 1 or right[1] in PREPOSITIONS
    return plain and not tables.STATES.isdisjoint(closed().get(right[0], ()))


def _by_measure(t: Tokens) -> list[tuple[str, str, str]]:
    """The one measured value of a clause, with all that stands around it as the attribute."""
    if t[1:2] == (":",):
        return []  # "Total: 5" does not tell of what
    if any((word in tables.EVENT or (len(word) > 4 and word.endswith("ed"))) and not _be_before(t, i)
           for i, word in enumerate(t)):  # fmt: skip
        return []
    found = [i for i, word in enumerate(t) if word[1:2] == ":" and word[0] in "ntvdo" and _hole(t, i)]
    if len(found) == 2 and {t[i][0] for i in found} == {"d", "t"}:
        both = sorted(t[i] for i in found)
        kept = [word for i, word in enumerate(t) if i not in found and not (i + 1 in found and word in ("on", "at"))]
        return [("measure", "\x1f".join((*kept, "\x00dt")), " ".join(both))]
    if len(found) != 1:
        return []
    i = found[0]
    word = t[i]
    unit = word.partition("|")[2] or word[-1] * (word[-1] in "%$€£¥₹")
    around = "\x1f".join((*t[:i], "\x00" + word[0] + ("#" if unit else ""), *t[i + 1 :]))
    return [("measure", around, word)]


def _be_before(t: Tokens, i: int) -> bool:
    return i > 0 and t[i - 1] in ("be", "not")


def _hole(t: Tokens, i: int) -> bool:
    """Whether the value at ``i`` is what the clause says of its subject, and no name, bound, or date of something else."""
    word = t[i]
    before = t[i - 1] if i else ""
    after = t[i + 1] if i + 1 < len(t) else ""
    measured = "|" in word or word[-1] in "%$€£¥₹"
    if measured and before == "after" and word.rpartition("|")[2] in tables.PERIODS:
        return not after  # "times out after 30 seconds"
    if (
        not i
        or before in tables.BOUNDS
        or (i > 1 and t[i - 2] in tables.BOUNDS and before in ("least", "most", "than"))
    ):
        return False
    if word[0] in "dt":
        return not tables.DATED.isdisjoint(t[:i]) and before in ("on", "at", "be", "in", "by")
    if word[0] == "o":
        return before == "on" and after == "floor" and i + 2 == len(t)
    if word[2:3] in "~+":
        return False
    if measured:
        return after in tables.AFTER_MEASURE or after in PREPOSITIONS or not after
    if word[0] == "n" and not word[2:].replace(".", "", 1).replace(",", "").isdigit():
        return False
    if before in ("to", "be", "i:=", "for"):
        return "set" in t or before in ("be", "i:=") or (before == "for" and t[i - 2] == "be")
    if after[-1:] == "s" and (before == "have" or before in tables.COUNTING):
        return "be" not in t
    return before in ("port", "version")
