"""From the pieces of a text to typed tokens, clause by clause.

A token is a bare lower-case word or a value with its kind (`values.py`). Harmless differences end here: contractions,
possessives, articles, lead-ins, a few abbreviations that are safe in any context, values in their other spellings.
"""

from __future__ import annotations

from dataclasses import dataclass

from reverie.text import values
from reverie.text.concepts import PREPOSITIONS, load
from reverie.text.merging import merge
from reverie.text.normalise import pieces
from reverie.text.values import CYCLES, MONTHS
from reverie.text.vocabulary import (
    AGREE,
    ARTICLES,
    BARE_INFINITIVE,
    BE_AFTER,
    CONTRACTED,
    ENGLISH,
    FOREIGN,
    LEADS,
    LETTERED,
    NOT_A_NOUN,
    OPENING,
    OPENING_BREAKS,
    PERIODS,
    PREDICATES,
    QUANTITY,
    RATES,
    SAFE,
)

_FOLDED = SAFE | AGREE | {"cannot": "cannot"}
TOKEN_LIMIT = 512
"""Tokens beyond which a text is not analysed: only identical or equal canonical text is the same."""
CHAR_LIMIT = 32_768


@dataclass(frozen=True, slots=True)
class Clause:
    """One sentence, line or `;` part: its tokens, articles dropped, and the mark that ended it ('', '?' or ':')."""

    tokens: tuple[str, ...]
    end: str = ""


def is_english(words: list[str]) -> bool:
    """Whether the function words (if any) look English. In other languages every token must match as it stands."""
    ours = theirs = odd = 0
    for word in words:
        if word in ENGLISH or word[-2:] == "'s":
            ours += 1
        elif word in FOREIGN:
            theirs += 1
        elif not word.isascii():
            odd += 1
    if odd and odd * 3 > len(words) + 2 * ours:
        return False
    return theirs == 0 or ours > theirs


def _expand(words: list[str]) -> list[str]:
    """Contractions and possessives in full, agreement folded, code-like pieces typed."""
    out: list[str] = []
    for word in words:
        if word.isalpha():
            folded = _FOLDED.get(word)
            if folded is None:
                out.append(word)
            elif folded == "cannot":
                out.extend(("can", "not"))
            elif word == "am" and (not out or out[-1] != "i"):
                out.append(word)  # "9:30 am"
            else:
                out.append(folded)
            continue
        if "'" in word:
            if word in CONTRACTED:
                out.extend(CONTRACTED[word])
                continue
            stem, _, tail = word.rpartition("'")
            if tail == "s" and stem:
                out.append(SAFE.get(stem) or stem if _plain(stem) else _typed(stem, out))
                out.append("be" if stem in BE_AFTER else "'s")
                continue
            if tail == "" and stem.endswith("s"):
                out.extend((stem, "'s"))
                continue
            if tail in ("re", "ve", "ll") and stem:
                out.extend((stem, {"re": "be", "ve": "have", "ll": "will"}[tail]))
                continue
        if word in ".?:,":
            out.append(word)
        elif word in SAFE:
            out.append(SAFE[word])
        elif word in ("%", "°c", "°f"):
            out.append(word)
        elif word in ("km/h", "kmh", "kph"):
            out.extend(("km", "per", "hour"))
        else:
            typed = values.code(word)
            if isinstance(typed, str):
                out.append(SAFE.get(typed, typed))
            else:
                out.extend(typed)
    return out


def _plain(word: str) -> bool:
    return word.isalpha()


def _typed(word: str, out: list[str]) -> str:
    typed = values.code(word)
    if isinstance(typed, str):
        return typed
    out.extend(typed[:-1])
    return typed[-1]


def _is_rate(word: str) -> bool:
    return word in RATES or word[:2] == "n:"


def _drop_articles(words: list[str]) -> list[str]:
    """Articles go where they are articles: "a few" is not "few", "plan A" is not "plan"."""
    out: list[str] = []
    last = len(words) - 1
    for i, word in enumerate(words):
        if word in ARTICLES:
            if word == "a" and (
                i == last or words[i + 1] in NOT_A_NOUN or (out and out[-1] in LETTERED) or words[i + 1] in ".?:,"
            ):
                out.append("a")
            elif word == "a" and words[i + 1] in QUANTITY:
                out.append("a~")
            elif _after_bare_infinitive(out):
                out.append("a^")
            elif word != "the" and i < last and words[i + 1] in PERIODS and out and _is_rate(out[-1]):
                out.append("per")
            continue
        out.append(word)
    return out


def _after_bare_infinitive(out: list[str]) -> bool:
    """In "made Klara a promise to call" the article tells the noun from the verb of "made Klara promise to call"."""
    for back in (2, 3):
        if len(out) >= back and out[-back] in BARE_INFINITIVE:
            between = out[len(out) - back + 1 :]
            return all(word.isalpha() and word not in PREDICATES | OPENING_BREAKS | {"sure"} for word in between)
    return False


def _date_commas(words: list[str]) -> list[str]:
    """In "On April 15, 2026, Ana ..." it is the second comma that ends the opening."""
    for i in range(1, len(words) - 1):
        year = words[i + 1]
        dated = words[i - 1][1:2] == ":" and any(word in MONTHS for word in words[max(0, i - 3) : i])
        if words[i] == "," and dated and len(year) == 6 and year[:2] == "n:" and year[2:].isdigit():
            words = [*words[:i], year, ",", *words[i + 2 :]]
    return words


def _mark_openings(words: list[str]) -> list[str]:
    """Put the comma that "In winter the pipes are drained" lacks: an article begins a new noun phrase."""
    fresh, start = True, -1
    for i, word in enumerate(words):
        if word in ".?:":
            fresh, start = True, -1
        elif fresh:
            if word == "every" and i + 3 < len(words) and words[i + 1] in CYCLES and _begins_subject(words[i + 2]):
                return [*words[: i + 2], ",", *words[i + 2 :]]  # "Every month Ana pays"
            fresh, start = False, i if word in OPENING else -1
        elif start >= 0:
            if word in ARTICLES:
                before = words[i - 1]
                if i < start + 2 or before in OPENING_BREAKS:
                    continue
                return [*words[:i], ",", *words[i:]] if _has_predicate(words, i) else words
            if word == "," or word in PREDICATES or word.endswith(("ing", "ed")):
                start = -1
    return words


def _begins_subject(word: str) -> bool:
    """Whether a word may begin the subject of a clause: no mark, no preposition, no verb."""
    if word in ".?:," or word in PREPOSITIONS or word in OPENING_BREAKS or word in PREDICATES:
        return False
    found = load().words.get(word)
    return found is None or not found.finite


def _has_predicate(words: list[str], at: int) -> bool:
    """Whether a verb follows before the sentence ends; a clause that only looks like an opening has it before."""
    known = load().words
    for word in words[at + 1 :]:
        if word in ".?:,":
            return False
        if word in PREDICATES or ((found := known.get(word)) and found.predicate):
            return not any((found := known.get(before)) and found.predicate for before in words[max(0, at - 8) : at])
    return False


def _drop_leads(words: list[str]) -> list[str]:
    """Strip up to three lead-ins ("Note:", "FYI", "Remember that"), never the whole text."""
    for _ in range(3):
        for lead in LEADS.get(words[0], ()) if words else ():
            n = len(lead)
            if len(words) > n and tuple(words[:n]) == lead:
                words = words[n + 1 :] if len(words) > n + 1 and words[n] in (",", ":") else words[n:]
                break
        else:
            break
    return words


def clauses(text: str) -> tuple[tuple[Clause, ...], bool] | None:
    """The clauses of a text and whether it reads as English; None when it is over the limits."""
    if len(text) > CHAR_LIMIT:
        return None
    words = pieces(text)
    if len(words) > TOKEN_LIMIT:
        return None
    english = is_english(words)
    if english:
        words = _expand(words)
        if "," in words:
            words = _date_commas(words)
        words = _drop_leads(_drop_articles(_mark_openings(words)))
        if words and words[0][:2] in ("i:", "p:") and words[0][2:3].isupper() and not words[0][3:4].isupper():
            words[0] = words[0][:2] + words[0][2].lower() + words[0][3:]
        words = merge(words)
    out: list[Clause] = []
    current: list[str] = []
    for word in words:
        if word == "." or word == "?":
            if current:
                out.append(_clause(current, word))
                current = []
        else:
            current.append(word)
    if current:
        out.append(_clause(current, ""))
    return tuple(out), english


def _clause(words: list[str], mark: str) -> Clause:
    end = "?" if mark == "?" else ""
    if words[-1] == ":" and len(words) > 1:
        words = words[:-1]
        end = end or ":"
    return Clause(tuple(words), end)
