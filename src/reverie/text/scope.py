"""Words that hold others: quantifiers, agents that are none, phrases that cling to the noun before them."""

from __future__ import annotations

from reverie.text.concepts import PREPOSITIONS, Lexicon
from reverie.text.lexicon import bag

Tokens = tuple[str, ...]

MODALS = bag("will can must should may might could would shall")
AUXILIARIES = MODALS | {"be", "was", "have", "had"}
SCOPE = bag(
    "all every most any some no none nobody nothing few many several both either neither each not never only "
    "everyone everything somebody someone something anyone anybody a~ except half"
)
BAD_AGENT = bag(
    "hand default email post mail bus car train plane bike foot design mistake accident law phone then now telephone "
    "using far chance name night day air sea land rail road cash card itself himself herself themselves"
)
# After the agent these may belong to it ("by the man in the kitchen") unless what follows is a value.
CLINGS = PREPOSITIONS - bag("of as to into onto before after during within via for")
VALUE_WORDS = bag("staging production development testing winter summer spring autumn")

# A clause inside the clause: an opening phrase is about the outer one, a final phrase perhaps about the inner one.
SUBORDINATORS = bag(
    "because when if while whenever unless although though so whether whereas once that who which whose whom where why "
    "how but or than"
)
EMBEDDERS = SUBORDINATORS | bag(
    "say says said think thinks thought know knows knew known believe believes believed ask asks asked tell tells told "
    "plan planned decide decides decided want wants wanted hope hopes hoped promise promises promised agree agrees "
    "agreed claim claimed announce announces announced argue argues argued assume assumes assumed expect expects "
    "expected feel feels felt hear hears heard learn learns learned learnt mention mentions mentioned noted notice "
    "noticed propose proposes proposed realise realises realised realize realizes realized refuse refuses refused "
    "remember remembers remembered forget forgets forgot remind reminds reminded request requested suggest suggests "
    "suggested suspect suspects suspected swear swears swore understand understands understood warn warns warned wish "
    "wishes wished wonder wonders wondered worry worries worried insist insists insisted intend intends intended "
    "threaten threatens threatened persuade persuades persuaded convince convinces convinced advise advises advised "
    "recommend recommends recommended allow allowed let lets offer offers offered try tries tried regret regrets "
    "regretted deny denies denied admit admits admitted confirm confirms confirmed predict predicts predicted saw "
    "reported explained explains demand demands demanded saying thinking hoping planning asking telling wanting "
    "consider considers considered imagine imagines imagined doubt doubts doubted fear fears feared guess guesses "
    "guessed mean means meant see sees seem seems seemed appear appears appeared going supposed used able willing "
    "ready likely unlikely happy glad sorry sure afraid"
)


def value(word: str) -> bool:
    """A token that no restrictive phrase is about: a typed value, an environment, a season."""
    return word[1:2] == ":" or word in VALUE_WORDS


def verbish(word: str, lexicon: Lexicon) -> bool:
    """Whether a word is a verb or may be a form of one."""
    found = lexicon.words.get(word)
    if word in AUXILIARIES or (found is not None and (found.predicate or "ing" in found.verbs)):
        return True
    return len(word) > 4 and word.isalpha() and word.endswith(("ing", "ed"))


def chunk_end(tokens: Tokens, start: int) -> int:
    """Where the noun phrase at `start` ends: before the next preposition other than "of"."""
    at = start
    while at < len(tokens) and (tokens[at] == "of" or tokens[at] not in PREPOSITIONS):
        at += 1
    return at
