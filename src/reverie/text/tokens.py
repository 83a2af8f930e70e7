"""From the pieces of a text to typed tokens, clause by clause.

A token is a bare lower-case word or a value with its kind (`values.py`). Harmless differences end here: contractions,
possessives, articles, lead-ins, a few abbreviations that are safe in any context, values in their other spellings.
"""

from __future__ import annotations

from dataclasses import dataclass

from reverie.text import values
from reverie.text.normalise import pieces

TOKEN_LIMIT = 512
"""Tokens beyond which a text is not analysed: only identical or equal canonical text is the same."""
CHAR_LIMIT = 32_768

_CONTRACTED = {
    "can't": ["can", "not"], "cannot": ["can", "not"], "won't": ["will", "not"], "shan't": ["shall", "not"],
    "isn't": ["be", "not"], "aren't": ["be", "not"], "wasn't": ["was", "not"], "weren't": ["was", "not"],
    "doesn't": ["do", "not"], "don't": ["do", "not"], "didn't": ["did", "not"],
    "hasn't": ["have", "not"], "haven't": ["have", "not"], "hadn't": ["had", "not"], "wouldn't": ["would", "not"],
    "shouldn't": ["should", "not"], "couldn't": ["could", "not"], "mustn't": ["must", "not"], "needn't": ["need", "not"],
    "mightn't": ["might", "not"], "i'm": ["i", "be"], "let's": ["let's"],
}
_BE_AFTER = frozenset("it that there he she who what where here this how when".split())
_AGREE = {"is": "be", "are": "be", "am": "be", "were": "was", "has": "have", "does": "do"}
_SAFE = {
    "repo": "repository", "repos": "repositories", "docs": "documentation", "config": "configuration", "configs": "configurations",
    "db": "database", "dbs": "databases", "app": "application", "apps": "applications", "info": "information",
    "approx": "approximately", "dept": "department", "vs": "versus", "etc": "etcetera", "ok": "okay", "admin": "administrator",
    "admins": "administrators", "env": "environment", "envs": "environments", "dir": "directory",
    "dirs": "directories", "kubernetes": "k8s", "postgresql": "postgres", "e-mail": "email", "e-mails": "emails",
    "favorite": "favourite", "favorites": "favourites", "color": "colour", "colors": "colours", "colored": "coloured",
    "organization": "organisation", "organizations": "organisations", "center": "centre", "licence": "license", "pct": "percent",
    "behavior": "behaviour", "neighbor": "neighbour", "program": "programme", "theater": "theatre", "gray": "grey",
    "kid": "child", "kids": "children", "till": "until", "thru": "through", "amongst": "among", "whilst": "while", "temp": "temporary",
    "photo": "photograph", "photos": "photographs", "phone": "telephone", "mum": "mother", "mom": "mother", "dad": "father",
    "e.g": "for-example", "eg": "for-example", "i.e": "that-is", "ie": "that-is", "prod": "production",
    "&": "and", "standup": "stand-up", "standups": "stand-ups", "realtime": "real-time",
}
_ARTICLES = frozenset(("a", "an", "the"))
# "vitamin A", "plan A", "A is": there the letter is a name, not an article.
_LETTERED = frozenset(
    "vitamin plan option class grade type hepatitis group series team block building section point terminal gate exhibit appendix "
    "side schedule level tier phase category column row room wing step variant part zone platform unit influenza blood "
    "candidate branch node site cluster choice model version".split()
)
_NOT_A_NOUN = frozenset(
    "be was have had do did will would can could should may might must shall and or but in on at to of for from by with as if then "
    "than not is are has does runs fails passes".split()
)
_QUANTITY = frozenset("few little lot bit number couple dozen great hundred thousand million".split())
_PERIODS = frozenset("second minute hour day night week month quarter year".split())
_RATES = frozenset("times once twice euros euro dollars dollar pounds usd eur gbp requests hours minutes days km miles kilometres".split())
_LEADS: dict[str, list[tuple[str, ...]]] = {}
for _lead in (
    "note : | note that | reminder : | reminder that | remember : | remember that | remember this : | fyi | fyi : | important : | til | "
    "til : | til that | nb | nb : | n.b | n.b : | p.s | ps : | heads up | heads up : | heads-up : | heads-up | tip : | info : | memo : | "
    "fact : | for record | for record : | for reference | for reference : | quick note : | side note : | please note | please note : | "
    "please note that | please remember | please remember : | please remember that | just note : | note to self : | note to self | "
    "do not forget : | do not forget that | do not forget | keep in mind | keep in mind : | keep in mind that | bear in mind that | "
    "just so you know | just so you know : | just so we be clear | so you know | as reminder | as reminder : | just reminder : | "
    "just reminder that | quick reminder : | quick reminder that | friendly reminder : | friendly reminder that | "
    "for your information | for your information : | be aware that | be aware : | it be worth noting that | worth noting : | "
    "worth noting that | it should be noted that | i should remember that | we should remember that | worth remembering : | "
    "worth remembering that | memory : | btw | btw : | by way | by way : | good to know : | for what it be worth | fwiw | fwiw : | "
    "important to note : | important to note that | important to remember : | important to remember that | it be important to note that | "
    "it be important to remember that | it be worth remembering that | to remember : | key fact : | user fact : | note for later : | "
    "for later : | save this : | remember for later : | as you know | as fyi | just fyi | just fyi : | quick fyi : | "
    "i want you to remember that | please keep in mind that | please keep in mind : | please save that | make note that | "
    "make note : | take note : | take note that | also note that | also note :"
).split("|"):
    _words = tuple(_lead.split())
    _LEADS.setdefault(_words[0], []).append(_words)
for _list in _LEADS.values():
    _list.sort(key=len, reverse=True)

_ENGLISH = frozenset(
    "the is are was were has have does do did of and to for with on at by that this not it its in from will his her their my your our "
    "be been or but when who which where 's can as".split()
)
_FOREIGN = frozenset(
    "der das und ist nicht ein eine einen dem den mit auf für von zu el los las es una que del por para con en su les "
    "une est pas du aux dans sur avec il gli di che sono nel och att det är inte på som het een niet op voor zijn "
    "nie jest że się bir ve için ich wir sie ihr não uma dos você og ikke til jeg af".split()
) - _ENGLISH


@dataclass(frozen=True, slots=True)
class Clause:
    """One sentence, line or `;` part: its tokens, articles dropped, and the mark that ended it ('', '?' or ':')."""

    tokens: tuple[str, ...]
    end: str = ""


def is_english(words: list[str]) -> bool:
    """Whether the function words (if any) look English. In other languages every token must match as it stands."""
    ours = theirs = odd = 0
    for word in words:
        if word in _ENGLISH:
            ours += 1
        elif word in _FOREIGN:
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
            if word == "am" and (not out or out[-1] != "i"):
                out.append(word)  # "9:30 am"
            else:
                out.append(_AGREE.get(word) or _SAFE.get(word) or word)
            continue
        if "'" in word:
            if word in _CONTRACTED:
                out.extend(_CONTRACTED[word])
                continue
            stem, _, tail = word.rpartition("'")
            if tail == "s" and stem:
                out.append(_SAFE.get(stem) or stem if _plain(stem) else _typed(stem, out))
                out.append("be" if stem in _BE_AFTER else "'s")
                continue
            if tail == "" and stem.endswith("s"):
                out.extend((stem, "'s"))
                continue
            if tail in ("re", "ve", "ll") and stem:
                out.extend((stem, {"re": "be", "ve": "have", "ll": "will"}[tail]))
                continue
        if word in ".?:,":
            out.append(word)
        elif word in _SAFE:
            out.append(_SAFE[word])
        else:
            typed = values.code(word)
            if isinstance(typed, str):
                out.append(_SAFE.get(typed, typed))
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


def _drop_articles(words: list[str]) -> list[str]:
    """Articles go where they are articles: "a few" is not "few", "plan A" is not "plan"."""
    out: list[str] = []
    last = len(words) - 1
    for i, word in enumerate(words):
        if word in _ARTICLES:
            if word == "a" and (
                i == last or words[i + 1] in _NOT_A_NOUN or (out and out[-1] in _LETTERED) or words[i + 1] in ".?:,"
            ):
                out.append("a")
            elif word == "a" and words[i + 1] in _QUANTITY:
                out.append("a~")
            elif word in ("a", "an") and words[i + 1] in _PERIODS and out and (out[-1] in _RATES or out[-1][:2] == "n:"):
                out.append("per")
            continue
        out.append(word)
    return out


def _drop_leads(words: list[str]) -> list[str]:
    """Strip up to three lead-ins ("Note:", "FYI", "Remember that"), never the whole text."""
    for _ in range(3):
        for lead in _LEADS.get(words[0], ()) if words else ():
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
        words = _drop_leads(_drop_articles(_expand(words)))
        if words and words[0][:2] in ("i:", "p:") and words[0][2:3].isupper():
            words[0] = words[0][:2] + words[0][2].lower() + words[0][3:]
        words = values.merge(words)
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
