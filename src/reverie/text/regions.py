"""The parts of a clause: its items (words with their readings), the regions around the predicate, their segments."""

from __future__ import annotations

from dataclasses import dataclass, field

from reverie.text.concepts import PREPOSITIONS, RELATIVES, Concept, Lexicon, Sense, Word

_TIMES = {
    "weekends": "d:weekends",
    "weekdays": "d:weekdays",
    "mornings": "d:mornings",
    "evenings": "d:evenings",
    "afternoons": "d:afternoons",
    "nights": "d:nights",
}
# "runs daily", not "the daily report": there it stays in its place.
_CYCLES = frozenset(("hourly", "daily", "nightly", "weekly", "monthly", "yearly", "quarterly"))
_LEADING = frozenset(("preferred", "favourite"))
_USUAL = frozenset(("usual", "customary"))
_TIME_MODIFIERS = {"weekend": "d:weekends", "weekday": "d:weekdays"}


_UNKNOWN = Word()


@dataclass(slots=True)
class Item:
    """One word or phrase. `kind`: W word, X word with readings, V value, P preposition, S possessive, R relative."""

    text: str
    kind: str
    word: Word = _UNKNOWN

    def verb(self, form: str) -> Sense | None:
        """The verb reading of that form, if any."""
        return self.word.verbs.get(form)

    def sense(self, kind: str) -> Sense | None:
        """The first reading of that kind, if any."""
        return self.word.kinds.get(kind)


@dataclass(slots=True)
class Reading:
    """A clause read: its items in plain order, the adverbs apart, and the relations that an opening names."""

    items: list[Item]
    adverbs: list[str]
    markers: list[str]


@dataclass(slots=True)
class Segment:
    """A noun phrase with the preposition before it. `owner` are the words before a possessive."""

    prep: str
    owner: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    values: list[str] = field(default_factory=list)
    nouns: list[tuple[Sense, str]] = field(default_factory=list)
    used: bool = False
    taken: bool = False

    def all_words(self) -> list[str]:
        """Owner, possessive and words; marks them taken."""
        self.taken = True
        return [*self.owner, "'s", *self.words] if self.owner else self.words

    def has_words(self) -> bool:
        return bool(self.words or self.owner)

    def noun_of(self, concept: Concept) -> bool:
        return any(sense.concept is concept for sense, _ in self.nouns)

    def take_noun(self, concept: Concept) -> int:
        """Take the nouns that name this relation out of the words: the frame states it. Their possessor's part, or
        0."""
        role = 0
        for sense, word in self.nouns:
            if sense.concept is concept and word in self.words:
                self.words.remove(word)
                role = sense.role
        if role and self.words and all(word[1:2] == ":" and word[0] != "c" for word in self.words):
            # "flight 88", "port 80": the number is now all that is left.
            self.values, self.words = [*self.values, *self.words], []
        self.nouns = [entry for entry in self.nouns if entry[0].concept is not concept]
        return role

    def head_nouns(self) -> list[Sense]:
        """The relational nouns that head the phrase: the last word, or one before a name, or "preferred"."""
        if not self.nouns:
            return []
        words = self.words
        last = len(words) - 1
        while last >= 0 and words[last][1:2] == ":" and words[last][0] != "c":
            last -= 1  # "flight 88"
        for at, word in enumerate(words):
            if word in ("named", "called"):
                last = at - 1
                break
        out = [sense for sense, word in self.nouns if word in _LEADING]
        return out or [sense for sense, word in self.nouns if last >= 0 and words[last] == word]

    def bare_number(self) -> bool:
        return len(self.values) == 1 and self.values[0][:2] == "n:" and self.values[0][2:].isdigit()


def front(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """Move an opening adjunct ("At weekends", "In production,") behind the clause; no comma is left."""
    first = tokens[0]
    if first not in PREPOSITIONS:
        return tuple(word for word in tokens if word != ",") if "," in tokens else tokens
    at = 0
    if "," in tokens:
        at = tokens.index(",")
        opening, rest = tokens[:at], tokens[at + 1 :]
    else:
        n = len(tokens)
        while at + 1 < n and tokens[at] in PREPOSITIONS and (tokens[at + 1][1:2] == ":" or tokens[at + 1] in _TIMES):
            at += 2
        opening, rest = tokens[:at], tokens[at:]
    if not opening or not rest:
        return tokens
    return (*rest, *opening)


def _unname(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """Read "The name of Ana's dog is Rex" is "Ana's dog is Rex": only where something of somebody's is named."""
    if "name" in tokens and "be" in tokens and "'s" in tokens:
        at = tokens.index("name")
        if tokens[:2] == ("name", "of") and "'s" in tokens[2 : tokens.index("be")]:
            return tokens[2:]
        if 0 < at < len(tokens) - 1 and tokens[at - 1] == "'s" and tokens[at + 1] == "be" and "'s" in tokens[: at - 1]:
            return (*tokens[: at - 1], *tokens[at + 1 :])
    return tokens


def read(tokens: tuple[str, ...], lexicon: Lexicon) -> Reading | None:
    """The items of a clause, longest phrases first; None when a word forbids framing (negation, modality, ...)."""
    markers: list[str] = []
    adverbs: list[str] = []
    items: list[Item] = []
    if tokens[0] == "when" and "," in tokens:
        at = tokens.index(",")
        named = lexicon.words.get(" ".join(tokens[1:at]), _UNKNOWN).verbs.get("ing")
        if named is None:
            return None
        markers.append(named.concept.name)
        tokens = tokens[at + 1 :]
    elif tokens[0] in PREPOSITIONS:
        tokens = front(tokens)
    tokens = _unname(tokens)
    words = lexicon.words
    i, n = 0, len(tokens)
    while i < n:
        word = tokens[i]
        for parts, phrase in lexicon.phrases.get(word, ()):
            if tokens[i : i + len(parts)] == parts:
                found = words[phrase]
                i += len(parts)
                word = phrase
                break
        else:
            i += 1
            if word in lexicon.bails or word in (",", ":"):
                return None
            if word in ("used", "plan") and i < n and tokens[i] == "to":
                return None
            found = words.get(word, _UNKNOWN)
        following = tokens[i] if i < n else ""
        if adverb := found.kinds.get("r"):
            adverbs.append(f"r {adverb.concept.name}")
        elif word in _USUAL and words.get(following, _UNKNOWN).nouns:
            adverbs.append("r usual")
        elif found.kinds:
            items.append(Item(word, "X", found))
        else:
            ends = i == 1 or i == n or following in PREPOSITIONS
            items.append(_item(word, ends, bool(words.get(following, _UNKNOWN).nouns)))
    return Reading(items, adverbs, markers) if items else None


def _item(word: str, ends: bool, before_noun: bool) -> Item:
    """The item of a token without readings; `ends`: it stands first, last or before a preposition."""
    if word[1:2] == ":":
        return Item(word, "V")
    if word in PREPOSITIONS:
        return Item(word, "P")
    if word == "'s":
        return Item(word, "S")
    if word in RELATIVES:
        return Item(word, "R")
    if word in _TIMES:
        return Item(_TIMES[word], "V")
    if word in _CYCLES and ends:
        return Item(f"d:{word}", "V")
    if word in _TIME_MODIFIERS and before_noun:
        return Item(_TIME_MODIFIERS[word], "V")
    return Item(word, "W")


def _settle(seg: Segment, order: list[str]) -> None:
    """Decide which values float. A date, a time, an amount with its unit do, and so does a number that stands alone or
    counts people; any other number stays where it is: "team 3 runs the gateway" is not "the team runs gateway 3"."""
    if seg.values:
        last = len(order) - 1
        floating = [
            word
            for i, word in enumerate(order)
            if word[1:2] == ":"
            and word[0] != "c"
            and (
                word[0] in "dt"
                or (word[0] == "n" and not word[-1].isdigit())
                or not seg.words
                or (i < last and order[i + 1] == "c:people")
            )
        ]
        if len({value[0] for value in floating}) < len(floating) and seg.words:
            floating = []
        seg.values = floating
        seg.words = [word for word in order if word not in floating]
        if "c:people" in seg.words and floating and (len(seg.words) == 1 or "c:team" in seg.words):
            seg.words.remove("c:people")


def segments(items: list[Item]) -> list[Segment] | None:
    """Split a region at its prepositions; None when it holds what a noun phrase cannot."""
    out: list[Segment] = []
    current = Segment("")
    order: list[str] = []
    fresh = True

    def close() -> None:
        _settle(current, order)
        out.append(current)

    for item in items:
        if item.kind == "P":
            if fresh and current.prep:
                current.prep += " " + item.text
                continue
            if not fresh:
                close()
            current, order, fresh = Segment(item.text), [], True
            continue
        fresh = False
        if item.kind == "R" or item.text in ("be", "was", "have"):
            return None
        if item.kind == "S":
            if not current.words or current.values:
                return None
            current.owner = [*current.owner, "'s", *current.words] if current.owner else current.words
            current.words, current.nouns, order = [], [], []
            continue
        word = item.text
        if item.kind == "V":
            current.values.append(word)
        elif classifier := item.sense("c"):
            word = f"c:{classifier.concept.name}"
            current.words.append(word)
        else:
            current.words.append(word)
            current.nouns.extend([(sense, word) for sense in item.word.nouns])
        order.append(word)
    if fresh and (current.prep or not out):
        return None
    if not fresh:
        close()
    return out
