"""What is told from its other end, or with a light verb: "comes after", "lost 4-0 to", "took 2nd place", "did the repair of"."""

from __future__ import annotations

from reverie.text.amounts import amount, noun_phrase
from reverie.text.concepts import Lexicon, irregular_verbs
from reverie.text.lexicon import bag
from reverie.text.scope import AUXILIARIES, Tokens, chunk_end

RANKS = bag("came finished took come finish take comes finishes takes")
_CAME = {"finished": "came", "took": "came", "finish": "come", "take": "come", "finishes": "comes", "takes": "comes"}
# "did the translation of X" is "translated X".
_DEEDS = {
    "translation": "translated", "repair": "repaired", "review": "reviewed", "inspection": "inspected",
    "installation": "installed", "evaluation": "evaluated", "removal": "removed", "renovation": "renovated",
    "migration": "migrated", "restoration": "restored", "assessment": "assessed", "replacement": "replaced",
    "maintenance": "maintained", "delivery": "delivered", "analysis": "analysed", "editing": "edited",
    "proofreading": "proofread", "assembly": "assembled", "calibration": "calibrated", "cleaning": "cleaned",
}  # fmt: skip
_HOSTS = bag("host server node machine")


def turned(t: Tokens, lexicon: Lexicon) -> Tokens:
    """What is told from its other end, or of a rank: "comes after", "performed worse than", "lost 4-0 to", "took 2nd
    place"."""
    if AUXILIARIES.intersection(t) or "not" in t:
        return t
    at = next((i for i, word in enumerate(t) if word in ("precedes", "preceded")), 0)
    if at and noun_phrase(t[:at], lexicon, plain=True) and noun_phrase(t[at + 1 : at + 2], lexicon):
        return (*t[:at], "comes" if t[at] == "precedes" else "came", "before", *t[at + 1 :])
    for i, word in enumerate(t[:-2]):
        if not i or t[0][1:2] == ":" or not noun_phrase(t[:i], lexicon, plain=True):
            continue
        if word in RANKS and (t[i + 1][:2] == "o:" or t[i + 1 : i + 2] == ("in",)):
            at = i + 1 + (t[i + 1] == "in")
            place = t[at + 1 : at + 2] == ("place",)
            fits = t[at][:2] == "o:" and t[at + 1 + place : at + 2 + place] in (("in",), ("at",), ())
            if fits and (place or (at == i + 1 and word not in ("take", "takes", "took"))):
                return (*t[:i], _CAME.get(word, word), t[at], *t[at + 1 + place :])
        other = t[i + 2 :] if word in ("comes", "came") else t[i + 3 :]
        end = chunk_end(other, 0)
        if not noun_phrase(other[:end], lexicon, plain=True):
            other = ()
        if word in ("comes", "came"):
            if t[i + 1 : i + 3] in (("later", "than"), ("earlier", "than")):
                end = chunk_end(t, i + 3)
                two, rest = t[i + 3 : end], t[end:]
                if not noun_phrase(two, lexicon, plain=True):
                    return t
                return (
                    (*two, word, "before", *t[:i], *rest)
                    if t[i + 1] == "later"
                    else (*t[:i], word, "before", *two, *rest)
                )
            if t[i + 1] == "after" and other and other[0][1:2] != ":":
                return (*other[:end], word, "before", *t[:i], *other[end:])
        elif word in ("performs", "performed") and t[i + 2] == "than" and other:
            better = "outperforms" if word == "performs" else "outperformed"
            if t[i + 1] == "better":
                return (*t[:i], better, *other)
            if t[i + 1] == "worse":
                return (*other[:end], better, *t[:i], *other[end:])
        elif word == "lost" and t[i + 1][:2] == "n:" and "-" in t[i + 1] and t[i + 2] == "to" and other:
            return (*other[:end], "beat", *t[:i], t[i + 1], *other[end:])
        elif word == "won" and t[i + 1][:2] == "n:" and "-" in t[i + 1] and t[i + 2] == "against" and other:
            return (*t[:i], "beat", *other[:end], t[i + 1], *other[end:])
    return t


def placed(t: Tokens, lexicon: Lexicon) -> Tokens:
    """Read "Host X runs Y" as "Y runs on host X"; "did N hours of V-ing" and "spent N hours V-ing" alike."""
    if t[0] in _HOSTS and t[2:3] == ("runs",) and t[1][1:2] == ":" and not AUXILIARIES.intersection(t):
        end = chunk_end(t, 3)
        if noun_phrase(t[3:end], lexicon, plain=True):
            return (*t[3:end], "runs", "on", *t[:2], *t[end:])
    at = next((i for i, word in enumerate(t) if word in ("did", "spent")), 0)
    if at and not AUXILIARIES.intersection(t) and noun_phrase(t[:at], lexicon, plain=True):
        if t[at] == "did" and t[at + 1 : at + 2] and t[at + 1] in _DEEDS and t[at + 2 : at + 3] == ("of",):
            end = chunk_end(t, at + 3)
            return (
                (*t[:at], _DEEDS[t[at + 1]], *t[at + 3 :]) if noun_phrase(t[at + 3 : end], lexicon, plain=True) else t
            )
        cut = next((i for i in range(at + 1, len(t)) if t[i][:2] == "n:"), 0)
        doing = cut + 2 if t[at] == "did" and t[cut + 1 : cut + 2] == ("of",) else cut + 1 if t[at] == "spent" else 0
        if cut and doing and amount(t[at + 1 : cut + 1]) and t[cut].endswith(("|hour", "|minute", "|day", "|week")):
            base = _gerund_base(t[doing], lexicon) if doing < len(t) else ""
            if base and (doing + 1 == len(t) or t[doing + 1] in ("in", "at", "on", "with")):
                return (*t[:at], base, "for", *t[at + 1 : cut + 1], *t[doing + 1 :])
    return t


def _gerund_base(word: str, lexicon: Lexicon) -> str:
    """The past of a gerund that takes no object here: "volunteering" is "volunteered"."""
    if not word.endswith("ing") or not word.isalpha() or len(word) < 6:
        return ""
    found = lexicon.words.get(word)
    if found is not None and "ing" in found.verbs:
        stem = word[:-3]
        for past in (f"{stem}ed", *(p for b, (p, _, _) in irregular_verbs().items() if p and b == stem)):
            known = lexicon.words.get(past)
            if known is not None and "past" in known.verbs:
                return past
    return f"{word[:-3]}ed" if word[:-3].endswith(("eer", "or", "ch", "sh", "en", "er")) else ""
