"""Which attributes take one value at a time. What is not listed, or of two minds, counts as taking many."""

from __future__ import annotations

from functools import cache

from reverie.text.lexicon import bag, lines

# The holder of these is one: the value is part 1 of the relation.
HELD_BY_ONE = bag("manage lead chair own")
HOLDERS = bag("manager boss leader lead owner proprietor chair chairman chairwoman chairperson captain head")
COUNTED = bag("need require contain comprise hold limit support capacity include")
COUNTING = bag("needs need requires require contains contain holds hold seats seat supports support")
PLACES = bag("headquarters home office residence seat base")
PERIODS = bag("ms second minute hour day week month year")
# Kinds of value that a relation takes: n number, o ordinal, d date, t time of day, p address. "@": a noun on its own.
VALUED = {
    "port": "n", "version": "nv", "age": "n", "born": "d", "budget": "n", "deadline": "dto", "owe": "n", "cost": "n",
    "earn": "n", "weight": "n", "height": "n", "capacity": "n", "opens": "t", "closes": "t", "starts": "dt", "ends": "dt",
    "wake": "t", "bedtime": "t", "email": "p", "telephone": "n", "run": "t", "lead": "n", "@": "ndtov",
    "flight": "n", "implementation": "n", "plan": "n",
}  # fmt: skip
DAILY = bag("starts ends opens closes wake bedtime run")
SCHEDULED = bag(
    "job jobs backup backups cron script task pipeline build sync report export import scan check rotation cleanup digest "
    "rebuild sweep export reindex crawler migration"
)
SEVERAL = bag("flight")  # of these one may have several, unless a text says that it replaces one
ATTITUDE = {"like": "for", "love": "for", "enjoy": "for", "dislike": "against", "hate": "against"}
COMPLEMENT = {
    "off": "on", "disabled": "enabled", "false": "true", "unavailable": "available", "inactive": "active",
    "offline": "online", "forbidden": "allowed", "prohibited": "allowed", "banned": "allowed", "disallowed": "allowed",
    "invalid": "valid", "unsupported": "supported", "incompatible": "compatible", "unlocked": "locked",
    "unpaid": "paid", "unsigned": "signed", "unverified": "verified", "unmarried": "married", "disconnected": "connected",
}  # fmt: skip
# Classes of words (`data/slots.txt`) of which a thing is one at a time, as the predicate of "be".
STATES = bag("colour state level")
# Where the named relation may well hold of several at once.
_MANY = bag(
    "contact repository subsidiary medication condition diagnosis topic subject goal handle id fine sponsor url domain "
    "anniversary publisher insurer insurance provider vendor model bank editor framework shell terminal frontend backend "
    "database genre score grade rating competitor customer account seat floor locker room office role title branch license "
    "linter formatter llm ide address o:1 endpoint user-name"
) | frozenset(
    (
        "order number", "tracking number", "invoice number", "account number", "flight number", "room number",
        "seat number", "user id", "backup contact", "main sponsor", "point of contact", "user name", "fine",
        "doctor's appointment", "biggest customer", "top customer", "ip address", "home number", "mobile number",
        "favourite food", "favourite book", "favourite film", "favourite movie", "favourite song", "favourite band",
        "main language", "favourite drink", "tech lead", "lead engineer", "lead developer", "architect", "cfo",
        "project manager", "account manager", "product manager", "engineering manager", "president",
    )
)  # fmt: skip
_RELATIONS = bag(
    "live employ origin profession name mother-tongue marriage diet implementation nickname born age weight height "
    "email telephone plan believe"
)
_KIN = frozenset(
    (
        "husband", "wife", "mother", "father", "fiance", "fiancee", "mother-in-law", "father-in-law", "best friend",
        "landlord", "landlady", "dentist", "gp", "physician", "emergency contact", "next of kin", "physiotherapist",
        "hairdresser", "barber", "predecessor", "successor", "deputy", "accountant", "therapist", "vet",
    )
)  # fmt: skip
# Nouns that the lexicon of relations has no entry for.
NOUNS = bag(
    "manager boss owner leader captain landlord dentist deadline budget price salary rent status priority severity default "
    "password capital headquarters timeout limit threshold quota version port colour color size birthday age assignee "
    "maintainer destination origin warranty expiry name dermatologist cardiologist optician paediatrician employer home "
    "residence hometown timezone currency doors weight height length width depth temperature capacity duration rate"
)
# Descriptions of a dwelling that agree with any place.
DESCRIBED = bag(
    "flat apartment house city town village country countryside suburb suburbs area mountains centre downtown abroad "
    "dormitory hostel van boat cabin cottage studio street north south east west n:1 near room building household "
    "neighbourhood district region place same own parents family small big large"
)
EVENT = bag(
    "did had was went came took gave got made sold bought lent met saw read ran won lost beat found sent paid spent ate "
    "drank wrote left flew drove born became began broke brought built chose held kept led said told taught thought wore"
)
BOUNDS = bag(
    "least most than about around approximately roughly nearly almost over under up within between from until before after "
    "since exactly only every another per under above below minus plus times year version-of against"
)
AFTER_MEASURE = bag("every daily weekly monthly yearly nightly hourly long wide tall deep old apart . ,")
# What has one date or one time: beside these words a date is the value.
DATED = bag(
    "due deadline expires expire expiry birthday starts ends opens closes launch release stand-up standup meeting retro "
    "sync review demo exam wedding party conference workshop job backup alarm warranty lease contract scheduled kickoff"
)


def is_single(attribute: str) -> bool:
    """Whether an attribute, by its noun or the name of its relation, takes one value at a time. Undecided is False."""
    return attribute in _single()


@cache
def _single() -> frozenset[str]:
    """The nouns of `data/concepts.txt` that name one value of a thing or one standing meeting, without `_MANY`."""
    nouns: set[str] = set()
    for line in lines("concepts"):
        flags, _, rest = line.partition("|")
        if flags.strip() in ("@each slm", "@each rs"):
            listed = rest.partition("n1 ")[2].partition("|")[0]
            nouns.update(word.strip() for word in listed.split(","))
    return frozenset((nouns | _RELATIONS | _KIN) - _MANY)
