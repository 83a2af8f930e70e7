"""A relation told with a noun, with a light verb or the other way round, in one form; measures, limits, counts, ranks.

Every rule keeps tense, polarity and each word that it does not name; a clause that holds another clause, a choice or a
second verb is left as it stands."""

from __future__ import annotations

from collections.abc import Callable

from reverie.text.concepts import PREPOSITIONS, Lexicon, irregular_verbs
from reverie.text.lexicon import bag, slots
from reverie.text.morphology import third_of
from reverie.text.pairs import PRONOUNS
from reverie.text.times import CYCLE_WORDS, peel
from reverie.text.scope import AUXILIARIES, SCOPE, Tokens, chunk_end

_AGENTS = {
    "blocker": "block", "mentor": "mentor", "teacher": "teach", "coach": "coach", "supervisor": "supervise",
    "maintainer": "maintain", "sponsor": "sponsor", "tutor": "tutor", "moderator": "moderate",
}  # fmt: skip
_PATIENTS = {"assignee": ("assigned", "to"), "addressee": ("addressed", "to")}
_GUESTS = bag("guest participant contestant character suspect witness defendant soloist narrator speaker")
_NOT_ROLES = bag("well result consequence rule usual soon far long much many child kid follow part whole one matter")
_OWN = bag("its his her their")
_DATES: dict[Tokens, tuple[Tokens, str]] = {
    ("expiry", "date"): (("expires", "on"), "d"),
    ("expiration", "date"): (("expires", "on"), "d"),
    ("due", "date"): (("be", "due", "on"), "d"),
    ("start", "date"): (("starts", "on"), "d"),
    ("end", "date"): (("ends", "on"), "d"),
    ("departure", "time"): (("leaves", "at"), "t"),
    ("arrival", "time"): (("arrives", "at"), "t"),
    ("start", "time"): (("starts", "at"), "t"),
    ("opening", "time"): (("opens", "at"), "t"),
    ("closing", "time"): (("closes", "at"), "t"),
}
EXPIRES = bag("expires expired starts started ends ended begins began lapses lapsed")
_LONG = {"long": "length", "wide": "width", "deep": "depth", "tall": "height", "thick": "thickness"}
_ON_NOUNS = bag("limit cap ceiling quota excess deductible timeout warranty guarantee deposit discount surcharge")
_MEASURES = bag("length width depth height thickness weight price fee rent amount limit excess deposit capacity")
_LENGTHS = ("|km", "|mile", "|metre")
_QUALIFIERS = {("at", "least"), ("at", "most"), ("more", "than"), ("less", "than"), ("up", "to")}
_QUALIFIER = bag("about almost only nearly exactly roughly around approximately over under")
_RANKS = bag("came finished took come finish take comes finishes takes")
_CAME = {"finished": "came", "took": "came", "finish": "come", "take": "come", "finishes": "comes", "takes": "comes"}
_BARRED = bag(
    "because when if while whenever unless although though so whether whereas once that who which whose whom where why "
    "how but or , says said think thinks used able going supposed will can must should may might could would shall"
)
_PAYS = bag("pays pay paid")
_EVERY = {"hour": "hourly", "day": "daily", "week": "weekly", "month": "monthly", "year": "yearly"}
_ON = {"on": "on", "enabled": "on", "off": "off", "disabled": "off"}
# "did the translation of X" is "translated X".
_DEEDS = {
    "translation": "translated", "repair": "repaired", "review": "reviewed", "inspection": "inspected",
    "installation": "installed", "evaluation": "evaluated", "removal": "removed", "renovation": "renovated",
    "migration": "migrated", "restoration": "restored", "assessment": "assessed", "replacement": "replaced",
    "maintenance": "maintained", "delivery": "delivered", "analysis": "analysed", "editing": "edited",
    "proofreading": "proofread", "assembly": "assembled", "calibration": "calibrated", "cleaning": "cleaned",
}  # fmt: skip
_HOSTS = bag("host server node machine")
_HAVE = {"be": "have", "was": "had"}
_BE = {"have": "be", "had": "was"}


def _np(words: Tokens, lexicon: Lexicon, plain: bool = False) -> bool:
    """A noun phrase; `plain`: no preposition in it but "of"."""
    if not words or words[0] in PREPOSITIONS:
        return False
    for word in words:
        if word in AUXILIARIES or word in PRONOUNS or word in SCOPE or word in ("not", "do", "did", ":", "and"):
            return False
        if word == "to" and "from" not in words:
            return False
        if plain and word != "of" and word in PREPOSITIONS:
            return False
        found = lexicon.words.get(word)
        if found is not None and found.predicate:
            return False
    return True


def _bare(words: Tokens) -> Tokens:
    """What follows the qualifiers ("at least", "about") of an amount."""
    while words:
        if words[:2] in _QUALIFIERS:
            words = words[2:]
        elif words[0] in _QUALIFIER:
            words = words[1:]
        else:
            break
    return words


def _amount(words: Tokens) -> bool:
    """A number with or without its unit, qualified or not, and nothing else."""
    bare = _bare(words)
    return len(bare) == 1 and bare[0][:2] == "n:"


def _counted(words: Tokens, lexicon: Lexicon) -> bool:
    """A number of things: "at most 5 requests per minute"."""
    bare = _bare(words)
    return len(bare) > 1 and bare[0][:2] == "n:" and _np(bare[1:], lexicon)


def _split(t: Tokens, verbs: tuple[str, ...]) -> tuple[Tokens, str, Tokens] | None:
    """The clause at its one "be" or "have"; None when there are more or fewer."""
    at = [i for i, word in enumerate(t) if word in AUXILIARIES]
    if len(at) != 1 or t[at[0]] not in verbs or not 0 < at[0] < len(t) - 1:
        return None
    return t[: at[0]], t[at[0]], t[at[0] + 1 :]


def _headed(words: Tokens) -> tuple[Tokens, Tokens] | None:
    """The noun (one or two words) and its owner: "N of X", "X's N"."""
    if "of" in words[1:3]:
        at = words.index("of", 1)
        return (words[:at], words[at + 1 :]) if words[at + 1 :] and "'s" not in words[:at] else None
    if "'s" in words:
        at = len(words) - 1 - words[::-1].index("'s")
        if at and 0 < len(words) - at - 1 <= 2:
            return words[at + 1 :], words[:at]
    return None


def _copular(t: Tokens, lexicon: Lexicon) -> Tokens:
    parts = _split(t, ("be", "was"))
    if parts is None:
        return t
    left, be, right = parts
    negated = right[0] == "not"
    right = right[negated:]
    if not right:
        return t
    if left[:2] == ("number", "of") and _amount(right) and not negated:
        at = next((i for i in range(len(left) - 2, 2, -1) if left[i] in ("in", "at", "on")), 0)
        if at and _np(left[2:at], lexicon, plain=True) and _np(left[at + 1 :], lexicon, plain=True):
            return (*left[at + 1 :], _HAVE[be], *right, *left[2:at])
    if right[-1] in _LONG and _amount(right[:-1]) and "|" in right[-2] and _np(left, lexicon):
        return (_LONG[right[-1]], "of", *left, be, *(("not",) if negated else ()), *right[:-1])
    for one, two in ((left, right), (right, left)):
        if (found := _headed(one)) and (made := _related(*found, two, be, negated, lexicon)):
            return made
        if one[0] in _GUESTS and one[1:2] == ("in",) and _np(one[2:], lexicon) and _np(two, lexicon, plain=True):
            return (one[0], "of", *one[2:], be, *(("not",) if negated else ()), *two)
    if left[1:2] in (("on",), ("for",)) and left[0] in _ON_NOUNS and _np(left[2:], lexicon) and _amount(right):
        return (left[0], "of", *left[2:], be, *(("not",) if negated else ()), *right)
    if left[0] in _ON_NOUNS and len(left) == 1 and right.count("for") == 1:
        at = right.index("for")
        if _amount(right[:at]) and _np(right[at + 1 :], lexicon):
            return (left[0], "of", *right[at + 1 :], be, *(("not",) if negated else ()), *right[:at])
    return t


def _related(noun: Tokens, owner: Tokens, other: Tokens, be: str, negated: bool, lexicon: Lexicon) -> Tokens | None:
    """Read "other is the noun of owner" with a verb, where a noun is one of the closed list."""
    no = ("not",) if negated else ()
    if noun in _DATES:
        verb, kind = _DATES[noun]
        if len(other) != 1 or other[0][:2] != f"{kind}:" or not _np(owner, lexicon):
            return None
        if verb[0] == "be":
            return (*owner, be, *no, *verb[1:], *other)
        if be == "was":
            return None
        return (*owner, "do", "not", verb[0].removesuffix("s"), verb[1], *other) if negated else (*owner, *verb, *other)
    if len(noun) != 1 or not _np(owner, lexicon) or not _np(other, lexicon, plain=True):
        return None
    if noun[0] in _PATIENTS:
        return (*owner, be, *no, *_PATIENTS[noun[0]], *other)
    if noun[0] in _AGENTS and be == "be":
        base = _AGENTS[noun[0]]
        return (*other, "do", "not", base, *owner) if negated else (*other, third_of(base), *owner)
    if noun[0] in ("colour", "color") and len(other) == 1 and "colour" in slots().get(other[0], ()):
        return (*owner, be, *no, *other)
    return None


def _having(t: Tokens, lexicon: Lexicon) -> Tokens:
    parts = _split(t, ("have", "had"))
    if parts is None:
        return t
    left, have, right = parts
    no: Tokens = ()
    if left[-2:] == ("do", "not") and have == "have":
        left, no = left[:-2], ("not",)
    if not _np(left, lexicon) or right[0] == "not":
        return t
    if right.count("as") == 1 and 0 < (at := right.index("as")) < len(right) - 1:
        noun = right[at + 1 :]
        noun = noun[1:] if noun[0] in _OWN else noun
        if len(noun) == 1 and noun[0].isalpha() and noun[0] not in _NOT_ROLES and _np(right[:at], lexicon, plain=True):
            return _copular((*noun, "of", *left, _BE[have], *no, *right[:at]), lexicon)
    if "of" in right[1:3]:
        at = right.index("of", 1)
        noun, much = right[:at], right[at + 1 :]
        if _np(noun, lexicon, plain=True) and (_amount(much) or (noun == ("limit",) and _counted(much, lexicon))):
            return (*noun, "of", *left, _BE[have], *no, *much)
    if len(right) == 2 and "colour" in slots().get(right[0], ()) and right[1][-1:] == "s" and right[1][-2:] != "ss":
        return (right[1], "of", *left, _BE[have], *no, right[0])
    return t


def _bounded(t: Tokens, lexicon: Lexicon) -> Tokens:
    """Read "X allows at most N", "X: at most N" as "the limit of X is N"; "contains N" as "has N"."""
    if AUXILIARIES.intersection(t):
        if t[:2] == ("at", "most") and t.count("be") == 1:
            at = t.index("be")
            if t[at + 1 : at + 3] == ("allowed", "by") and _counted(t[2:at], lexicon) and _np(t[at + 3 :], lexicon, True):
                return ("limit", "of", *t[at + 3 :], "be", *t[2:at])
        return t
    for i, word in enumerate(t):
        if word in ("allows", "allow", ":") and t[i + 1 : i + 3] == ("at", "most"):
            if i and _np(t[:i], lexicon, plain=True) and _counted(t[i + 3 :], lexicon):
                return ("limit", "of", *t[:i], "be", *t[i + 3 :])
        elif word in ("contains", "contain", "contained") and i and _np(t[:i], lexicon):
            if _counted(t[i + 1 :], lexicon):
                return (*t[:i], "had" if word == "contained" else "have", *t[i + 1 :])
        elif word == ":" and i and _np(t[:i], lexicon) and i + 1 < len(t):
            return _labelled(t[:i], t[i + 1 :], lexicon) or t
    return t


def _labelled(label: Tokens, said: Tokens, lexicon: Lexicon) -> Tokens | None:
    if "of" in said[1:3] and _amount(said[said.index("of") + 1 :]) and _np(said[: said.index("of")], lexicon):
        return (*said[: said.index("of")], "of", *label, "be", *said[said.index("of") + 1 :])
    if label[-1] in _MEASURES and len(label) > 1 and _amount(said) and "of" not in label:
        return (label[-1], "of", *label[:-1], "be", *said)
    found = lexicon.words.get(said[0])
    if found is not None and found.predicate and "3" in found.verbs and len(said) == 2 and said[1][:2] == "d:":
        return (*label, said[0], "on", said[1])
    if label[0] in _GUESTS and label[1:2] == ("in",) and _np(said, lexicon, plain=True):
        return (label[0], "of", *label[2:], "be", *said)
    return None


def _apart(t: Tokens, lexicon: Lexicon) -> Tokens:
    """Read "A and B are 5 km apart", "B is 5 km (away) from A" as "the distance between A and B is 5 km"."""
    parts = _split(t, ("be", "was"))
    if parts is None:
        return t
    left, be, right = parts
    no = ("not",) if right[0] == "not" else ()
    right = right[len(no) :]
    one = two = much = ()
    if left == ("there",) and "between" in right and right[:2] == ("distance", "of") and not no:
        at = right.index("between")
        left, right = ("distance", *right[at:]), right[2:at]
    if left[:2] == ("distance", "between") and left.count("and") == 1:
        at = left.index("and")
        one, two, much = left[2:at], left[at + 1 :], right
    elif right[-1:] == ("apart",) and left.count("and") == 1:
        at = left.index("and")
        one, two, much = left[:at], left[at + 1 :], right[:-1]
    elif right.count("from") == 1:
        at = right.index("from")
        one, two, much = left, right[at + 1 :], right[: at - (right[at - 1] == "away")]
    if not much or not _amount(much) or not much[-1].endswith(_LENGTHS):
        return t
    if not _np(one, lexicon, plain=True) or not _np(two, lexicon, plain=True):
        return t
    one, two = sorted((one, two))
    return ("distance", "between", *one, "and", *two, be, *no, *much)


def _turned(t: Tokens, lexicon: Lexicon) -> Tokens:
    """What is told from its other end, or of a rank: "comes after", "performed worse than", "lost 4-0 to", "took 2nd
    place"."""
    if AUXILIARIES.intersection(t) or "not" in t:
        return t
    for i, word in enumerate(t[:-2]):
        if not i or not _np(t[:i], lexicon, plain=True):
            continue
        if word in _RANKS and (t[i + 1][:2] == "o:" or t[i + 1 : i + 2] == ("in",)):
            at = i + 1 + (t[i + 1] == "in")
            placed = t[at + 1 : at + 2] == ("place",)
            if t[at][:2] == "o:" and t[at + 1 + placed : at + 2 + placed] in (("in",), ("at",), ()):
                if placed or (at == i + 1 and word[:2] != "ta" and word != "took"):
                    return (*t[:i], _CAME.get(word, word), t[at], *t[at + 1 + placed :])
        other = t[i + 2 :] if word in ("comes", "came") else t[i + 3 :]
        end = chunk_end(other, 0)
        if not _np(other[:end], lexicon, plain=True):
            other = ()
        if word in ("comes", "came"):
            if t[i + 1 : i + 3] in (("later", "than"), ("earlier", "than")):
                end = chunk_end(t, i + 3)
                two, rest = t[i + 3 : end], t[end:]
                if not _np(two, lexicon, plain=True):
                    return t
                return (*two, word, "before", *t[:i], *rest) if t[i + 1] == "later" else (*t[:i], word, "before", *two, *rest)
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
        elif word in ("precedes", "preceded") and _np(t[i + 1 : i + 2], lexicon):
            return (*t[:i], "comes" if word == "precedes" else "came", "before", *t[i + 1 :])
    return t


def _paid(t: Tokens, lexicon: Lexicon) -> Tokens:
    """Read "pays a monthly fee of N" and "pays N per month" as "pays N ... monthly"."""
    at = next((i for i, word in enumerate(t) if word in _PAYS), 0)
    if not at or not _np(t[:at], lexicon, plain=True):
        return t
    if t[at + 1 : at + 2] and t[at + 1] in _EVERY.values() and t[at + 2 : at + 4] in (("fee", "of"), ("charge", "of")):
        cut = next((i for i in range(at + 4, len(t)) if t[i][:2] == "n:"), 0)
        if cut and _amount(t[at + 4 : cut + 1]):
            return (*t[: at + 1], *t[at + 4 : cut + 1], *t[cut + 1 :], t[at + 1])
    if "per" in t[at + 2 : -1]:
        per = t.index("per", at + 2)
        if CYCLE_WORDS.isdisjoint(t) and _amount(t[at + 1 : per]) and t[per + 1] in _EVERY:
            return (*t[:per], *t[per + 2 :], _EVERY[t[per + 1]])
    return t


def _placed(t: Tokens, lexicon: Lexicon) -> Tokens:
    """Read "Host X runs Y" as "Y runs on host X"; "did N hours of V-ing" and "spent N hours V-ing" alike."""
    if t[0] in _HOSTS and t[2:3] == ("runs",) and t[1][1:2] == ":" and not AUXILIARIES.intersection(t):
        end = chunk_end(t, 3)
        if _np(t[3:end], lexicon, plain=True):
            return (*t[3:end], "runs", "on", *t[:2], *t[end:])
    at = next((i for i, word in enumerate(t) if word in ("did", "spent")), 0)
    if at and not AUXILIARIES.intersection(t) and _np(t[:at], lexicon, plain=True):
        if t[at] == "did" and t[at + 1 : at + 2] and t[at + 1] in _DEEDS and t[at + 2 : at + 3] == ("of",):
            end = chunk_end(t, at + 3)
            return (*t[:at], _DEEDS[t[at + 1]], *t[at + 3 :]) if _np(t[at + 3 : end], lexicon, plain=True) else t
        cut = next((i for i in range(at + 1, len(t)) if t[i][:2] == "n:"), 0)
        doing = cut + 2 if t[at] == "did" and t[cut + 1 : cut + 2] == ("of",) else cut + 1 if t[at] == "spent" else 0
        if cut and doing and _amount(t[at + 1 : cut + 1]) and t[cut].endswith(("|hour", "|minute", "|day", "|week")):
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


def measured(t: Tokens) -> Tokens:
    """Read "The reading of X on Monday was 5 kWh" as "The reading of X was 5 kWh on Monday"."""
    parts = _split(t, ("be", "was"))
    if parts is None or "|" not in t[-1] or not _amount(parts[2][parts[2][0] == "not" :]):
        return t
    left, times = peel(parts[0])
    return (*left, *t[len(parts[0]) :], *(word for time in times for word in time)) if times else t


def inward(head: Tokens, body: Tokens) -> tuple[Tokens, Tokens]:
    """Put the phrase that opens a clause to the noun that needs it: "In episode 5, the guest is Bo"."""
    if len(head) > 1 and len(body) > 2 and body[1] in ("be", "was") and not SCOPE.intersection(head):
        guest = head[0] == "in" and body[0] in _GUESTS
        if guest or (head[0] == "for" and body[0] in _ON_NOUNS):
            return (), (body[0], *head, *body[1:])
    return head, body


def _owned_subject(t: Tokens, lexicon: Lexicon) -> Tokens:
    """Read "The warranty on X expires" as "X's warranty expires"."""
    if t[1:2] in (("on",), ("for",)) and t[0] in _ON_NOUNS and len(t) > 3:
        verb = next((i for i, word in enumerate(t) if i > 2 and _finite(word, lexicon)), 0)
        if verb and t[verb] not in ("be", "was", "have", "had") and _np(t[2:verb], lexicon):
            return (t[0], "of", *t[2:verb], *t[verb:])
    return t


def _finite(word: str, lexicon: Lexicon) -> bool:
    found = lexicon.words.get(word)
    return word in AUXILIARIES or word in ("do", "did") or word in EXPIRES or (found is not None and found.predicate)


def _set(t: Tokens, lexicon: Lexicon) -> Tokens:
    """Read "the value of `x` in P is 5", "P has `x` set to 5", "P: `x` = 5" as "`x` is set to 5 in P"."""
    if t[:2] == ("value", "of") and "be" in t and t[2:3] and t[2][:2] == "i:":
        at = t.index("be")
        value = t[at + 1 + (t[at + 1 : at + 2] == ("not",)) :]
        if len(value) == 1 and value[0][:2] == "n:" and (at == 3 or (t[3] in ("in", "on") and _np(t[4:at], lexicon, True))):
            return (t[2], *t[at : len(t) - 1], "set", "to", *value, *t[3:at])
    for i, word in enumerate(t[:-2]):
        if word in ("have", ":") and i and "flag" in t[i + 1 : -1] and _np(t[:i], lexicon, plain=True):
            flag = t[i + 1 : -1 if word == "have" else -2]
            if t[-1] in _ON and _np(flag, lexicon, plain=True) and (word == "have" or t[-2] == "i:="):
                return (*flag, "be", _ON[t[-1]], "in", *t[:i])
        if word in ("have", ":") and i and t[i + 1][:2] == "i:" and _np(t[:i], lexicon, plain=True):
            tail = t[i + 2 :]
            same = tail[:2] == ("set", "to") if word == "have" else tail[:1] == ("i:=",)
            value = tail[1 + (word == "have") :]
            if same and len(value) == 1 and value[0][:2] == "n:":
                return (t[i + 1], "be", "set", "to", *value, "in", *t[:i])
    return t


_RULES: tuple[tuple[frozenset[str], Callable[[Tokens, Lexicon], Tokens]], ...] = (
    (bag("apart from between"), _apart),
    (bag("have value :"), _set),
    (bag("pays pay paid"), _paid),
    (bag("runs did spent"), _placed),
    (_ON_NOUNS, _owned_subject),
    (bag("have had"), _having),
    (bag("be was"), _copular),
    (bag("allows allow allowed contains contain contained :"), _bounded),
    (_RANKS | bag("comes came performs performed lost won precedes preceded"), _turned),
)


def related(t: Tokens, lexicon: Lexicon) -> Tokens:
    """The clause with its relation in one form; unchanged where no rule fits."""
    if _BARRED.intersection(t):
        return t
    for words, rule in _RULES:
        if not words.isdisjoint(t):
            t = rule(t, lexicon)
    return t

