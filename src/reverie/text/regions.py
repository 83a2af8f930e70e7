"""The parts of a clause: its items (words with their readings), the regions around the predicate, their segments."""

from __future__ import annotations

from dataclasses import dataclass, field

from reverie.text.concepts import PREPOSITIONS, RELATIVES, Concept, Lexicon, Sense, Word

_TIMES = {"weekends": "d:weekends", "weekdays": "d:weekdays", "mornings": "d:mornings", "evenings": "d:evenings",
          "afternoons": "d:afternoons", "nights": "d:nights"}
# "runs daily", not "the daily report": there it stays in its place.
_CYCLES = frozenset(("hourly", "daily", "nightly", "weekly", "monthly", "yearly", "quarterly"))
_LEADING = frozenset(("preferred", "favourite"))
_USUAL = frozenset(("usual", "customary"))
_TIME_MODIFIERS = {"weekend": "d:weekends", "weekday": "d:weekdays"}


_UNKNOWN = Word()


@dataclass(slots=True)
class Item:
    """One token or phrase. `kind`: W word, X word with readings, V value, P preposition, S possessive, R relative."""

    token: str
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
        """Take the nouns that name this relation out of the words: the frame states it. Their possessor's part, or 0."""
        role = 0
        for sense, word in self.nouns:
            if sense.concept is concept and word in self.words:
                self.words.remove(word)
                role = sense.role
        self.nouns = [entry for entry in self.nouns if entry[0].concept is not concept]
        return role

    def head_nouns(self) -> list[Sense]:
        """The relational nouns that head the phrase: the last word, or one before a name, or "preferred"."""
        if not self.nouns:
            return []
        words = self.words
        last = len(words) - 1
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
        return tuple(token for token in tokens if token != ",") if "," in tokens else tokens
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
    """"The name of Ana's dog is Rex" is "Ana's dog is Rex": only where something of somebody's is named."""
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
        token = tokens[i]
        for parts, word in lexicon.phrases.get(token, ()):
            if tokens[i : i + len(parts)] == parts:
                found = lexicon.words[word]
                i += len(parts)
                token = word
                break
        else:
            i += 1
            if token in lexicon.bails or token in (",", ":"):
                return None
            if token in ("used", "plan") and i < n and tokens[i] == "to":
                return None
            found = words.get(token, _UNKNOWN)
        if found.kinds:
            if adverb := found.kinds.get("r"):
                adverbs.append(f"r {adverb.concept.name}")
            else:
                items.append(Item(token, "X", found))
        elif token[1:2] == ":":
            items.append(Item(token, "V"))
        elif token in PREPOSITIONS:
            items.append(Item(token, "P"))
        elif token == "'s":
            items.append(Item(token, "S"))
        elif token in RELATIVES:
            items.append(Item(token, "R"))
        elif token in _CYCLES and (i == 1 or i == n or tokens[i] in PREPOSITIONS):
            items.append(Item(f"d:{token}", "V"))
        elif token in _USUAL and i < n and words.get(tokens[i], _UNKNOWN).nouns:
            adverbs.append("r usual")
        elif token in _TIMES:
            items.append(Item(_TIMES[token], "V"))
        elif token in _TIME_MODIFIERS and i < n and words.get(tokens[i], _UNKNOWN).nouns:
            items.append(Item(_TIME_MODIFIERS[token], "V"))
        else:
            items.append(Item(token, "W"))
    return Reading(items, adverbs, markers) if items else None


def segments(items: list[Item]) -> list[Segment] | None:
    """Split a region at its prepositions; None when it holds what a noun phrase cannot."""
    out: list[Segment] = []
    current = Segment("")
    order: list[str] = []
    fresh = True

    def close() -> None:
        if len(current.values) > 1 and current.words:
            # Which number belongs to which word would be lost: keep the order.
            current.words, current.values, current.nouns = list(order), [], []
        if current.values and "c:people" in current.words and (
            len(current.words) == 1 or any(word == "c:team" for word in current.words)
        ):
            current.words.remove("c:people")
        out.append(current)

    for item in items:
        if item.kind == "P":
            if fresh and current.prep:
                current.prep += " " + item.token
                continue
            if not fresh:
                close()
            current, order, fresh = Segment(item.token), [], True
            continue
        fresh = False
        if item.kind == "R" or item.token in ("be", "was", "have"):
            return None
        if item.kind == "S":
            if not current.words or current.values:
                return None
            current.owner = [*current.owner, "'s", *current.words] if current.owner else current.words
            current.words, current.nouns, order = [], [], []
            continue
        word = item.token
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
