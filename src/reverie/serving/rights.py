"""Which right each verb of the façade takes: the one table that every door asks. A verb that is not in it goes through none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from reverie.checks import name, required_name
from reverie.errors import InvalidInput

READ, WRITE, EDIT, CURATE, DECIDE, EXPORT, ERASE, ADMIN = RIGHTS = (
    "read", "write", "edit", "curate", "decide", "export", "erase", "admin",
)  # fmt: skip

OPERATOR = "operator"
"""What no key can have: it is for whoever holds the store itself."""
PERSONS = frozenset({"import_export"})
"""Verbs that a key must have the channel person for, beside the right."""
COUNTED = frozenset({"remember", "feedback", "revise", "forget", "restore", "pin", "verify", "reclassify", "weigh"})
"""Verbs of which each call is one write against a key's limits. Those that write many are counted by the item."""

VERBS: Mapping[str, str] = {
    # reading
    "recall": READ, "know": READ, "context": READ, "get": READ, "memories": READ, "each": READ, "browse": READ,
    "history": READ, "stats": READ, "briefing": READ, "journal": READ, "runs": READ, "activity": READ, "signals": READ,
    "review": READ, "review_item": READ, "parked": READ, "check_journal": READ, "doctor": READ,
    # writing
    "remember": WRITE, "remember_many": WRITE, "import_stream": WRITE, "feedback": WRITE,
    # changing what stands there
    "revise": EDIT, "forget": EDIT, "restore": EDIT, "reclassify": EDIT, "weigh": EDIT,
    # curation
    "plan": CURATE, "apply": CURATE, "curate": CURATE,
    # what a person decides: an agent that reads what strangers write could be talked into it
    "accept": DECIDE, "reject": DECIDE, "undo": DECIDE, "pin": DECIDE, "verify": DECIDE,
    # all of it
    "export": EXPORT,
    "import_export": ADMIN,  # it writes trust and origin as the file says them
    "erase": ERASE, "erasures": ERASE, "finish_erasures": ERASE, "reapply": ERASE,
    "set": ADMIN,
    "calibrate": OPERATOR,  # the record is the whole store's, of every tenant
    # of the server itself: no verbs of the façade
    "keys": ADMIN, "metrics": ADMIN,
}  # fmt: skip

ROLES: Mapping[str, tuple[str, ...]] = {
    "reader": (READ,),
    "agent": (READ, WRITE, EDIT, CURATE),
    "person": (READ, WRITE, EDIT, CURATE, DECIDE, EXPORT),
    "owner": RIGHTS,
}
"""Rights that go together, by a name that a person would choose."""


def expanded(given: Iterable[str]) -> tuple[str, ...]:
    """Roles, rights and verbs as rights and verbs, in order. Raises InvalidInput for what is none of them."""
    found: list[str] = []
    for one in given:
        if one in ROLES:
            found += ROLES[one]
        elif one in RIGHTS or (one in VERBS and VERBS[one] != OPERATOR):
            found.append(one)
        else:
            known = ", ".join((*ROLES, *RIGHTS))
            raise InvalidInput(f"there is no right {str(one)[:40]!r}; give roles or rights ({known}) or single verbs")
    if not found:
        raise InvalidInput("a key needs at least one right")
    return tuple(dict.fromkeys(found))


def allows(rights: Iterable[str], verb: str) -> bool:
    """Whether rights and verbs cover a verb. A verb that the table lacks is covered by nothing."""
    right = VERBS.get(verb)
    return right is not None and right != OPERATOR and any(r in (right, verb) for r in rights)


def covers(namespaces: Iterable[str], namespace: str) -> bool:
    """Whether a namespace is one of those named; a name that ends in ``*`` stands for all that begin so."""
    return any(namespace.startswith(n[:-1]) if n.endswith("*") else namespace == n for n in namespaces)


def patterns(given: Iterable[str]) -> tuple[str, ...]:
    """Names of namespaces, checked. Raises InvalidInput."""
    found = tuple(dict.fromkeys(required_name(n, "a namespace") for n in given))
    if not found:
        raise InvalidInput("a key needs at least one namespace; * stands for all of its tenant")
    for n in found:
        if "*" in n[:-1]:
            raise InvalidInput(f"{n!r}: a * may stand at the end only")
        name(n, "a namespace")
    return found
