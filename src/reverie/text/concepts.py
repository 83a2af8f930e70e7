"""The concept lexicon: which words state which relation, and which part their subject or possessor plays in it.

A line of `data/concepts.txt` is one relation with two parts, 1 (the holder) and 2 (what is held):

    name flags | v1 words | v2 words | a1 words | n1 words | n2 words | p1 words | p2 words | light verb=part,...

`v1`: verbs whose subject plays part 1; `a1`: adjectives; `n1`: nouns whose possessor plays part 1 ("employer": the
possessor is the employee); `p2`: prepositions that introduce part 2. `light` names verbs that only carry the noun
("set a budget") with the part of their subject. Flags: `s` state (the present is plain, the past is marked), none:
event (the past is plain, the present is marked), `t` tense says nothing, `y` symmetric, `l` loose (a single part
needs no number), `o` the owner of part 2 is part 1, `r` recurring by nature ("stand-up": "on Monday" is "every
Monday"), `b` "by" a date is "on" it,
`g` the progressive is plain, `m` what stands before the noun is part 2 ("a vegan diet"), `h` not said with "have".
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

from reverie.text.lexicon import bag, hard, lines

PREPOSITIONS = bag(
    "in on at to of for from with by as into onto about near within per via during under over behind between "
    "among across through "
    "around against toward towards beside inside outside along after before without off than like above below upon"
)
# Words that must match but do not bend a clause: they stay in their noun phrase. "used" bends it in "used to".
_ATTRIBUTES = bag(
    "new old latest legacy outdated deprecated obsolete wrong incorrect false likely potential used current was plan"
)
RELATIVES = frozenset(("that", "which", "who", "where", "what", "whom", "whose"))


@dataclass(frozen=True, slots=True, eq=False)
class Concept:
    """One relation. `light` maps a carrying verb to the part its subject plays; `noun_role` is its nouns' possessor."""

    name: str
    stative: bool = False
    timeless: bool = False
    symmetric: bool = False
    loose: bool = False
    owner: bool = False
    recurring: bool = False
    by_date: bool = False
    progressive: bool = False
    modified: bool = False
    havable: bool = True
    plain: bool = False
    nominal: bool = False
    noun_role: int = 1
    preps: tuple[frozenset[str], frozenset[str], frozenset[str]] = (frozenset(), frozenset(), frozenset())
    light: dict[str, int] = field(default_factory=dict)

    def mark(self, tense: str) -> str:
        """What the tense (`past`, `perf`, `pres`, `prog`) says beyond the plain reading of the relation."""
        if self.timeless or not tense:
            return ""
        if self.stative:
            if tense in ("past", "perf"):
                return tense
            return "prog" if tense == "prog" and not self.progressive else ""
        return "" if tense == "past" else tense


@dataclass(frozen=True, slots=True)
class Sense:
    """One reading of a word: `kind` v, a, n, c (classifier) or r (adverb), its forms if a verb, its part."""

    kind: str
    concept: Concept
    role: int = 0
    forms: frozenset[str] = frozenset()
    needs_number: bool = False


@dataclass(frozen=True, slots=True)
class Word:
    """The readings of one word: by verb form, by kind (the first of each), all nouns. `finite`: it may be a finite
    verb;
    `predicate`: it can be nothing else."""

    verbs: dict[str, Sense] = field(default_factory=dict)
    kinds: dict[str, Sense] = field(default_factory=dict)
    nouns: tuple[Sense, ...] = ()
    finite: bool = False
    predicate: bool = False

    @classmethod
    def of(cls, senses: list[Sense], nounlike: bool) -> Word:
        verbs: dict[str, Sense] = {}
        kinds: dict[str, Sense] = {}
        for sense in senses:
            kinds.setdefault(sense.kind, sense)
            for form in sense.forms:
                verbs.setdefault(form, sense)
        finite = bool(verbs.keys() & {"3", "past", "base"})
        # A base form alone ("water", "archive") is as likely a noun.
        sure = not nounlike and bool(verbs.keys() & {"3", "past"}) and not kinds.keys() & {"n", "c"}
        return cls(verbs, kinds, tuple(sense for sense in senses if sense.kind == "n"), finite, sure)


@dataclass(slots=True)
class Lexicon:
    """Words and phrases (by first token, longest first) with their readings; relations by name."""

    words: dict[str, Word]
    phrases: dict[str, list[tuple[tuple[str, ...], str]]]
    concepts: dict[str, Concept]
    bails: frozenset[str]


_VOWELS = "aeiou"


def inflect(verb: str, irregular: dict[str, tuple[str, str, str]]) -> list[tuple[str, str]]:
    """The (word, form) pairs of a verb; a phrase inflects its first word."""
    first, _, tail = verb.partition(" ")
    tail = f" {tail}" if tail else ""
    past, part, ing = irregular.get(first, ("", "", ""))
    if first.endswith(("s", "x", "z", "ch", "sh", "o")):
        third = f"{first}es"
    elif first.endswith("y") and first[-2:-1] not in _VOWELS:
        third = f"{first[:-1]}ies"
    else:
        third = f"{first}s"
    if first.endswith("e"):
        regular, gerund = f"{first}d", f"{first[:-1]}ing"
    elif first.endswith("y") and first[-2:-1] not in _VOWELS:
        regular, gerund = f"{first[:-1]}ied", f"{first}ing"
    else:
        regular, gerund = f"{first}ed", f"{first}ing"
    if first == "have":
        third = "have"
    past, part, ing = past or regular, part or past or regular, ing or gerund
    return [(w + tail, f) for w, f in ((first, "base"), (third, "3"), (past, "past"), (part, "part"), (ing, "ing"))]


@cache
def irregular_verbs() -> dict[str, tuple[str, str, str]]:
    """Base form to past, participle and gerund ("" where regular)."""
    out: dict[str, tuple[str, str, str]] = {}
    for line in lines("irregular"):
        for entry in line.split(";"):
            base, past, part, ing = (*entry.split(), "-", "-", "-")[:4]
            out[base] = tuple("" if form == "-" else form for form in (past, part, ing))  # type: ignore[assignment]
    return out


def _split(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _concept(name: str, flags: str, fields: list[tuple[str, list[str]]], plain: bool) -> Concept:
    given = dict(fields)
    return Concept(
        name,
        stative="s" in flags,
        timeless="t" in flags,
        symmetric="y" in flags,
        loose="l" in flags,
        owner="o" in flags,
        recurring="r" in flags,
        by_date="b" in flags,
        progressive="g" in flags,
        modified="m" in flags,
        havable="h" not in flags,
        plain=plain,
        nominal="v1" not in given and "v2" not in given,
        noun_role=2 if "n2" in given and "n1" not in given else 1,
        preps=(frozenset(), frozenset(given.get("p1", ())), frozenset(given.get("p2", ()))),
        light={verb: int(role) for item in given.get("light", ()) for verb, _, role in [item.partition("=")]},
    )


@cache
def load() -> Lexicon:
    """The lexicon of the package's data files, read once."""
    irregular = irregular_verbs()
    senses: dict[str, list[Sense]] = {}
    concepts: dict[str, Concept] = {}
    nounlike: set[str] = set()

    def add(word: str, sense: Sense) -> None:
        senses.setdefault(word, []).append(sense)

    def add_verb(verb: str, concept: Concept, role: int) -> None:
        needs = verb.endswith("#")
        forms: dict[str, set[str]] = {}
        for word, form in inflect(verb.rstrip("#"), irregular):
            forms.setdefault(word, set()).add(form)
        for word, found in forms.items():
            add(word, Sense("v", concept, role, frozenset(found), needs))

    for line in lines("concepts"):
        head, *rest = line.split("|")
        names, _, flags = head.strip().partition(" ")
        fields = [(kind, _split(words)) for part in rest for kind, _, words in [part.strip().partition(" ")]]
        if names == "@each":
            # One relation a noun, all alike: "@each flags | n1 ... | light ..."
            each = next(words for kind, words in fields if kind in ("n1", "n2"))
            groups = [(f"@{noun}", [(k, [noun] if k in ("n1", "n2") else w) for k, w in fields]) for noun in each]
        elif names == "@verbs":
            groups = [(verb, [("v1", [verb])]) for verb in fields[0][1] if verb not in concepts]
        else:
            groups = [(names, fields)]
        if names == "@nounlike":
            nounlike.update(word for noun in fields[0][1] for word, form in inflect(noun, {}) if form in ("base", "3"))
            continue
        for name, given in groups:
            concept = _concept(name, flags, given, names == "@verbs")
            concepts[name] = concept
            for kind, words in given:
                for word in words:
                    if kind[0] == "v":
                        add_verb(word, concept, int(kind[1]))
                    elif kind in ("a1", "a2", "n1", "n2"):
                        add(word, Sense(kind[0], concept, int(kind[1])))
                    elif kind == "c":
                        add(word, Sense("c", concept))
                    elif kind == "adverb":
                        add(word, Sense("r", concept))
    # A carrying verb with no relation of its own still needs one to be seen as a verb.
    for verb in sorted({verb for concept in concepts.values() for verb in concept.light}):
        if verb not in concepts:
            concepts[verb] = Concept(verb)
            add_verb(verb, concepts[verb], 1)
    phrases: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for word in senses:
        if " " in word:
            parts = tuple(word.split())
            phrases.setdefault(parts[0], []).append((parts, word))
    for found in phrases.values():
        found.sort(key=lambda entry: -len(entry[0]))
    bails = frozenset(word for word, reason in hard().items() if reason in ("negation", "modality")) | {
        "only",
        "do",
        "or",
    }
    bails -= PREPOSITIONS | _ATTRIBUTES
    readings = {word: Word.of(found, word in nounlike) for word, found in senses.items()}
    return Lexicon(readings, phrases, concepts, bails)
