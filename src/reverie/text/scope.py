"""Words that hold others: quantifiers, agents that are none, phrases that cling to the noun before them."""

from __future__ import annotations

from reverie.text.concepts import PREPOSITIONS
from reverie.text.lexicon import bag

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


def value(word: str) -> bool:
    """A token that no restrictive phrase is about: a typed value, an environment, a season."""
    return word[1:2] == ":" or word in VALUE_WORDS
