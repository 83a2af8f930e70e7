"""Forms of English verbs, known or not: base, third person, past and gerund of a participle.

For an unknown verb the base is a guess from its spelling. A wrong guess only misses a merge: nobody writes that form.
"""

from __future__ import annotations

from functools import cache

from reverie.text.concepts import Lexicon, inflect, irregular_verbs
from reverie.text.lexicon import listed

_VOWELS = "aeiou"
_LIKELY_E = tuple(listed("at iz ur ir ag dg rg ic nc rc uc ac dl bl pl tl gl fl kl"))
_NO_E = ("eat", "oat", "ait", "eet", "oot", "out", "eir", "oir", "air", "our")
_TWO_SYLLABLES = ("er", "en", "on", "or", "it", "et", "al", "el", "ol", "op", "ow", "aw", "ew", "om", "ish", "in")


@cache
def _participles() -> dict[str, tuple[str, str]]:
    """Irregular participle to its base and past."""
    return {part: (base, past) for base, (past, part, _) in irregular_verbs().items() if part}


def is_participle(word: str) -> bool:
    """Whether a word may be a past participle."""
    return (word.isalpha() and len(word) > 3 and word.endswith("ed")) or word in _participles()


def _guess(stem: str) -> str:
    """The base of an unknown regular verb, from its participle without "ed"."""
    last, before = stem[-1:], stem[-2:-1]
    if last == before and last not in "sfz" and not (last == "l" and len(stem) <= 5):
        return stem[:-1]
    if last in "vcuz" or (last == "s" and before not in "sui") or (last == "g" and before in "adr"):
        return f"{stem}e"
    if stem.endswith(_NO_E):
        return stem
    if stem.endswith(_LIKELY_E):
        return f"{stem}e"
    if last not in f"{_VOWELS}wxy" and before in _VOWELS and stem[-3:-2] not in _VOWELS and len(stem) > 2:
        syllables = sum(
            a in f"{_VOWELS}y" and b not in f"{_VOWELS}y" for a, b in zip(stem, stem[1:] + " ", strict=False)
        )
        if syllables == 1 or not stem.endswith(_TWO_SYLLABLES):
            return f"{stem}e"
    return stem


def base_of(part: str, lexicon: Lexicon) -> str:
    """The base form of a participle."""
    if part in _participles():
        return _participles()[part][0]
    stem = part[:-2]
    tries: list[str] = [stem, f"{stem}e", *([f"{stem[:-1]}y"] if stem.endswith("i") else ()), stem[:-1]]
    for found in tries:
        word = lexicon.words.get(found)
        if word is not None and "base" in word.verbs and (found != stem[:-1] or stem[-1:] == stem[-2:-1]):
            return found
    return f"{stem[:-1]}y" if stem.endswith("i") else _guess(stem)


def third_of(base: str) -> str:
    """The third person of a base form."""
    return "have" if base == "have" else inflect(base, {})[1][0]


def past_of(part: str) -> str:
    """The past of a participle."""
    found = _participles().get(part)
    return found[1] if found and found[1] else part


@cache
def _gerunds() -> dict[str, str]:
    return {base: ing for base, (_, _, ing) in irregular_verbs().items() if ing}


def gerund_of(base: str, part: str) -> str:
    """The gerund; a doubled consonant of the participle stays doubled."""
    if part.endswith("ed") and len(part) > 4 and part[-3] == part[-4] and base == part[:-3]:
        return f"{part[:-2]}ing"
    return _gerunds().get(base) or inflect(base, {})[4][0]
