"""The passive made active: "Y was painted blue by X" is "X painted Y blue"."""

from __future__ import annotations

from reverie.text.concepts import Lexicon
from reverie.text.lexicon import bag
from reverie.text.morphology import base_of, gerund_of, is_participle, past_of, third_of
from reverie.text.scope import (
    AUXILIARIES,
    BAD_AGENT,
    CLINGS,
    EMBEDDERS,
    MODALS,
    SCOPE,
    VALUE_WORDS,
    Tokens,
    chunk_end,
    value,
)

_PLURAL = ("ers", "ors", "ists", "ants", "ents", "ees", "ians", "ves")
_PLURALS = bag("people children men women they we you i users")


def _plural(agent: Tokens) -> bool:
    last = agent[-1]
    return "and" in agent or last in _PLURALS or (len(agent) > 0 and last.endswith(_PLURAL))


def active(t: Tokens, lexicon: Lexicon) -> Tokens:
    """Read "Y was painted blue by X" as "X painted Y blue"; the tense, the modal and the negation stay."""
    start = next((i for i, word in enumerate(t) if word in AUXILIARIES), 0)
    if not start or t.count("by") != 1 or len(t) - start < 4:
        return t
    lead, at = t[start], start + 1
    negated = t[at] == "not"
    at += negated
    progressive = False
    if lead in ("be", "was"):
        progressive = t[at] == "being"
        at += progressive
    elif lead in ("have", "had"):
        if t[at] != "been":
            return t
        at += 1
    elif t[at] == "be":
        at += 1
    else:
        return t
    by = t.index("by")
    if not at < by < len(t) - 1 or not is_participle(t[at]):
        return t
    part, subject, middle = t[at], t[:start], t[at + 1 : by]
    end = chunk_end(t, by + 1)
    agent, tail = t[by + 1 : end], t[end:]
    if (
        not agent
        or (agent[0][1:2] == ":" and agent[0][0] not in "pi")
        or agent[0] in VALUE_WORDS
        or agent[0] in BAD_AGENT
        or agent[0].endswith("ing")
        or "or" in agent
    ):
        return t
    path = tail[:1] == ("from",) and "into" in tail  # "by Bo from Welsh into Greek": nobody is from there into there
    if tail and tail[0] in CLINGS and not path and not value(tail[-1]) and tail[1:2] != ("every",):
        return t
    inside = (*subject, *middle, *agent)
    if any(word in AUXILIARIES or word in EMBEDDERS or word in (",", ":", "do") for word in inside):
        return t
    if sum(bool(SCOPE.intersection(words)) for words in (subject, agent, ("not",) if negated else ())) > 1:
        return t
    if any((found := lexicon.words.get(word)) and found.predicate for word in (*subject, *agent)):
        return t
    base = base_of(part, lexicon)
    no = ("not",) if negated else ()
    verb: Tokens
    if progressive:
        verb = (lead, *no, gerund_of(base, part))
    elif lead in ("have", "had"):
        verb = (lead, *no, part)
    elif lead in MODALS:
        verb = (lead, *no, base)
    elif negated:
        verb = ("did" if lead == "was" else "do", "not", base)
    elif lead == "was":
        verb = (past_of(part),)
    else:
        verb = (base if _plural(agent) else third_of(base),)
    return (*agent, *verb, *subject, *middle, *tail)
