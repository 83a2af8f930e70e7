"""Words of one meaning in one form before a clause is shaped: "gave back", "runs out on", "got vaccinated", "comes after".

Each idiom needs the words around it that make it that idiom: "runs out of milk" and "was kept waiting" stay."""

from __future__ import annotations

from reverie.text.amounts import EXPIRES
from reverie.text.concepts import PREPOSITIONS, Lexicon
from reverie.text.lexicon import bag
from reverie.text.pairs import PRONOUNS
from reverie.text.scope import AUXILIARIES, MODALS, SCOPE, SUBORDINATORS, Tokens, chunk_end, value
from reverie.text.times import all_times

_BACK = {"gave": "returned", "given": "returned", "gives": "returns", "give": "return", "giving": "returning"}
_OUT = {"runs": "expires", "ran": "expired", "run": "expire"}
_KEPT = bag("be was been being")
# "got married", "got lost": not the passive of an action.
_STATES = bag(
    "married engaged divorced tired bored lost used stuck dressed excited scared confused involved interested worried "
    "acquainted annoyed started needed changed addicted attached fed red bed"
)
_DECIDED = {
    "decision": "decided", "promise": "promised", "attempt": "attempted", "offer": "offered", "choice": "chose",
    "vow": "vowed", "pledge": "pledged",
}  # fmt: skip
_LEAVES = {"departs": "leaves", "departed": "left", "depart": "leave"}
_SWITCHED = {"enabled": "on", "disabled": "off"}
_SHIFTED = bag("ago last yesterday today tomorrow next now yet already later earlier will")
_BETTER = {"likes": "prefers", "liked": "preferred", "like": "prefer"}
_TRIGGERS = bag("back out kept got get departs departed depart made there : rate max place rather disabled enabled")


def idioms(t: Tokens, lexicon: Lexicon) -> Tokens:
    """The clause with its idioms in one form; the words of the clause keep their order but for "in X there is"."""
    if t[0] not in ("it", "of") and _TRIGGERS.isdisjoint(t):
        return t
    t = _opened(_decided(t), lexicon)
    out: list[str] = []
    for i, word in enumerate(t):
        before = out[-1] if out else ""
        after = t[i + 1] if i + 1 < len(t) else ""
        if word == "back" and before in _BACK and _object(t, i):
            out[-1] = _BACK[before]
        elif word == "back" and after == "to" and (at := _given(out)):
            out[at] = _BACK[out[at]]
        elif word == "out" and before in _OUT and after in ("on", "at") and t[i + 2 : i + 3] and t[i + 2][:2] == "d:":
            out[-1] = _OUT[before]
        elif word == "out" and before[:2] == "n:" and after == "of" and t[i + 2 : i + 3] and t[i + 2][:2] == "n:":
            continue  # "2 out of the 32 tests"
        elif word == "kept" and before in _KEPT and after in ("in", "on", "at") and _stored(t, i + 2):
            out.append("stored")
        elif word == "got" and i and before not in AUXILIARIES and _participle(after):
            out.append("was")
        elif word == "get" and out[-2:] == ["did", "not"] and _participle(after):
            out[-2:] = ["was", "not"]
        elif word in _LEAVES and after == "at" and t[i + 2 : i + 3] and t[i + 2][:2] == "t:":
            out.append(_LEAVES[word])
        elif word == "rather" and after == "than":
            out.append("instead")
        elif word == "than" and out[-1:] == ["instead"] and t[i - 1] == "rather":
            out.append("of")
        elif word in ("takes", "took", "take") and after == "place" and t[i + 2 : i + 3] in (("in",), ("on",), ("at",)):
            out.append("was" if word == "took" else "be")
        elif word == "place" and i and t[i - 1] in ("takes", "took", "take") and out[-1] in ("be", "was"):
            continue
        elif word in _SWITCHED and _flagged(t[:i]) and before in ("be", "not", "was") and "by" not in t[i:]:
            out.append(_SWITCHED[word])
        elif word == "rate" and after == "limit" and "per" in t[i:]:
            continue
        elif word == "max" and before in (":", "of", "be", "to") and after[:2] == "n:":
            out.extend(("at", "most"))
        else:
            out.append(word)
    return tuple(out)


def _object(t: Tokens, at: int) -> bool:
    """Whether something is given back: what follows, or the subject of a passive."""
    if t[at - 1] == "given" and t[at - 2] in _KEPT:
        return True
    following = t[at + 1] if at + 1 < len(t) else ""
    return bool(following) and following not in PREPOSITIONS and following not in PRONOUNS and following != "and"


def _given(out: list[str]) -> int:
    """Where the "gave" of "gave the flask back to" stands, a noun phrase before; 0 if nowhere."""
    for at in range(len(out) - 2, max(0, len(out) - 8), -1):
        if out[at] in ("gave", "gives", "give"):
            return at
        if out[at] in PREPOSITIONS or out[at] in AUXILIARIES:
            return 0
    return 0


def _stored(t: Tokens, at: int) -> bool:
    """A place follows: "was kept in Graz", not "was kept in mind", "on file", "at bay"."""
    end = chunk_end(t, at)
    return end - at > 1 and not bag("loop dark line check touch mind eye").intersection(t[at:end])


def _flagged(words: Tokens) -> bool:
    """A feature flag with its name is meant: of no other thing is "enabled" surely "on"."""
    return "flag" in words and any(word[:2] == "i:" for word in words)


def _participle(word: str) -> bool:
    return len(word) > 4 and word.isalpha() and word.endswith("ed") and word not in _STATES


def _decided(t: Tokens) -> Tokens:
    """Read "made the decision to V", "the decision to V was made by X on D" as "On D, X decided to V"."""
    if "made" not in t or t.count("made") != 1:
        return t
    at = t.index("made")
    if t[0] in _DECIDED and t[1:2] in (("to",), ("not",)) and t[at - 1 : at + 2] == ("was", "made", "by"):
        end = chunk_end(t, at + 2)
        agent, rest, goal = t[at + 2 : end], t[end:], t[1 : at - 1]
        times = all_times(rest)
        if not agent or times is None or SCOPE.intersection(agent) or _clause(agent) or AUXILIARIES.intersection(goal):
            return t
        said = (*agent, _DECIDED[t[0]], *goal)
        return (*rest, ",", *said) if rest else said
    if at + 2 < len(t) and t[at + 1] in _DECIDED and t[at + 2] in ("to", "not") and at and not _verb(t[at - 1]):
        return (*t[:at], _DECIDED[t[at + 1]], *t[at + 2 :]) if "to" in t[at + 2 : at + 4] else t
    return t


def _clause(words: Tokens) -> bool:
    return any(word in SUBORDINATORS or word in AUXILIARIES or word in ("and", ",", ":", "to") for word in words)


def _verb(word: str) -> bool:
    return word in AUXILIARIES or word in ("not", "be", "been", "being", "never", "to")


def _opened(t: Tokens, lexicon: Lexicon) -> Tokens:
    """Mark an opening that no comma ends: "In the bed there are", "It was on D that", "2026-11-15: Ana sold"."""
    if "," in t:
        return t
    if ":" in t and t.count(":") == 1 and 1 < (at := t.index(":")) < len(t) - 1:
        found = lexicon.words.get(t[at + 1])
        told = found is not None and found.predicate and "3" in found.verbs
        if (told or t[at + 1] in EXPIRES) and not _clause(t[:at]) and len(t) < 20:
            dated = t[at + 2 :] if t[at + 2 : at + 3] and t[at + 2][:2] == "d:" else ()
            return (*t[:at], t[at + 1], "on", *dated) if dated else (*t[:at], *t[at + 1 :])
    if t[0] == "of" and len(t) > 4 and t[1][:2] == "n:" and t[-2][:2] == "n:" and _told(t[-1], lexicon):
        return (t[-2], *t[:-2], t[-1])
    if t[0] in ("in", "at", "on") and "there" in t[2:-2]:
        at = t.index("there", 2)
        if t[at + 1] in ("be", "was") and chunk_end(t, 1) > at and not AUXILIARIES.intersection(t[:at]):
            return (*t[:at], ",", *t[at:])
    if t[:2] == ("it", "was") and t.count("that") == 1 and len(t) > 6:
        at = t.index("that")
        focus, tail = t[2:at], t[at + 1 :]
        if focus and len(tail) > 2 and t[2] in PREPOSITIONS and all_times(focus) and _past(tail, lexicon):
            return (*focus, ",", *tail)
    if t[0][:2] == "d:" and t[0][2:3].isdigit() and t[1:2] == (":",) and len(t) > 4 and _past(t[2:], lexicon):
        return ("on", t[0], ",", *t[2:])
    return t


def _past(t: Tokens, lexicon: Lexicon) -> bool:
    """A clause that begins with its subject and tells of one thing done: only so is a date before it the date of it."""
    if t[0] in PREPOSITIONS or t[0] in PRONOUNS or MODALS.intersection(t) or _SHIFTED.intersection(t):
        return False
    if any(word in ("be", "have", "had", "do", "did", ":", "if", "when", "then") for word in t):
        return False
    if sum(word[:2] in ("d:", "t:") for word in t):
        return False
    verbs = [word for word in t[1:-1] if _told(word, lexicon)]
    return bool(verbs) and not any(
        (found := lexicon.words.get(word)) and found.predicate and "past" not in found.verbs for word in t
    )


def _told(word: str, lexicon: Lexicon) -> bool:
    found = lexicon.words.get(word)
    if found is not None:
        return "past" in found.verbs
    return len(word) > 4 and word.isalpha() and word.endswith("ed") and not value(word)


def liked(t: Tokens) -> Tokens:
    """Read "likes X better than Y", "has a preference for X over Y" as "prefers X to Y"."""
    if t.count("better") == 1 and t.count("than") == 1:
        at, than = t.index("better"), t.index("than")
        verb = next((i for i, word in enumerate(t) if word in _BETTER), 0)
        if verb and verb + 1 < at == than - 1 and than + 1 < len(t) and "not" not in t and not _busy(t[verb + 1 : at]):
            return (*t[:verb], _BETTER[t[verb]], *t[verb + 1 : at], "to", *t[than + 1 :])
    if t.count("preference") == 1 and t.count("have") + t.count("had") == 1:
        at = t.index("preference")
        if (
            at > 1
            and t[at - 1] in ("have", "had")
            and t[at + 1 : at + 2] == ("for",)
            and t.count("over") == 1
            and "not" not in t
        ):
            over = t.index("over")
            if at + 2 < over < len(t) - 1 and not _busy(t[at + 2 : over]):
                return (
                    *t[: at - 1],
                    "prefers" if t[at - 1] == "have" else "preferred",
                    *t[at + 2 : over],
                    "to",
                    *t[over + 1 :],
                )
    return t


def _busy(words: Tokens) -> bool:
    return any(word in PREPOSITIONS or word in AUXILIARIES or word == "to" for word in words)
