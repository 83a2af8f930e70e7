"""Names, labels and kinds by rule: only what equals or stands verbatim, never a guess."""

from __future__ import annotations

import re
from collections.abc import Sequence

from reverie.model import Kind
from reverie.text.concepts import load
from reverie.text.lexicon import bag
from reverie.text.normalise import norm_text
from reverie.text.slots import facts

_SCAN = 16_384  # characters of a text in which names are looked for
_NAMES = 64
_ALIAS = re.compile(r"^\s*(?:alias(?:es)?|aka|also known as|names?)\s*[:=]\s*(.+)$", re.IGNORECASE | re.MULTILINE)
_SPLIT = re.compile(r"\s*[,;|]\s*")


def label_of(text: str) -> str:
    """The label of a thing: its first line, normalised."""
    return norm_text(text.strip().partition("\n")[0])


def same_labels(texts: Sequence[str]) -> tuple[tuple[int, ...], ...]:
    """Groups of numbers whose labels are equal once normalised; what stands alone is left out."""
    groups: dict[str, list[int]] = {}
    for number, text in enumerate(texts):
        label = label_of(text)
        if label:
            groups.setdefault(label, []).append(number)
    return tuple(tuple(group) for group in groups.values() if len(group) > 1)


def known_by(about: str, known: Sequence[str]) -> int | None:
    """The number of the one known thing whose label or listed alias equals the text; None for none, or several."""
    wanted = norm_text(about)
    found = [number for number, text in enumerate(known) if wanted and wanted in _aliases(text)]
    return found[0] if len(found) == 1 else None


def _aliases(text: str) -> set[str]:
    out = {label_of(text)}
    for match in _ALIAS.finditer(text):
        out.update(norm_text(name) for name in _SPLIT.split(match[1]))
    return out - {""}


# Capitalised words, joined by a space; particles may stand within.
_RUN = re.compile(
    r"(?<![\w'’./@#-])[A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ]+(?:[-'’][A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ]+)*"
    r"(?:[ ](?:(?:van|von|de|da|del|di|der|den|la|le|el|bin|al|du|dos)[ ]){0,2}"
    r"(?:[A-ZÀ-ÖØ-Þ]['’])?[A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ]+(?:[-'’][A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ]+)*)+(?![\w@./-]\w)"
)
_TITLED = re.compile(
    r"\b(?:Mr|Mrs|Ms|Dr|Prof|Sir|Frau|Herr|Mme|Señora?)\.? ([A-ZÀ-Þ][a-zß-ÿ]+(?:[ -][A-ZÀ-Þ][a-zß-ÿ]+)?)"
)
# What only people do or have, right after a name; what only people are called by, right before one.
_DOES = re.compile(
    r"(?:,? (?:who|and I)\b|[’']s (?:birthday|wife|husband|mother|father|brother|sister|son|daughter|partner|manager|boss|team|"
    r"email|e-mail|phone|number|address|desk|flat|house|job|employer|favourite|favorite|age|mentor|doctor|idea|opinion)\b|"
    r" (?:also |now |still |never |usually |often |always )?(?:lives|lived|works|worked|said|says|met|likes|liked|loves|loved|"
    r"prefers|preferred|enjoys|hates|dislikes|manages|managed|mentors|mentored|teaches|taught|joined|wrote|asked|told|thinks|"
    r"thought|wants|wanted|knows|knew|speaks|spoke|moved to|was born|is (?:\d+ years|allergic|married|from|a vegetarian|vegan|"
    r"retired|a (?:doctor|nurse|teacher|lawyer|engineer|student))|reports to|owes|owed|called|phoned|emailed|promised|agreed|"
    r"decided|suggested|recommended|complained|apologi[sz]ed|graduated|resigned|retired|approved|reviewed|leads|led|heads|owns|"
    r"orders|drinks|eats|sings|plays|studies|studied|hired|lent|borrowed|sold|bought)\b)"
)
_CALLED = re.compile(
    r"(?:\b(?:met|told|asked|called|named|emailed|phoned|thanked|hired|married|invited|interviewed|mentors|manages|teaches|owes|"
    r"(?:reports|reported|talked|spoke|belongs|assigned|lent|sold|married|wrote|introduced) to|(?:name|manager|boss|mentor|"
    r"friend|colleague|wife|husband|mother|father|brother|sister|son|daughter|partner|owner|doctor|dentist|lawyer|landlord|"
    r"founders?|author|assignee|reviewer|CEO|CTO) (?:is |was |be |named |called )?|(?:led|managed|owned|written|created|approved|"
    r"reviewed|hired|signed|taught|mentored|founded|maintained|sent|kept|borrowed|sold|bought|set|painted|composed) by)|"
    r"\b(?:I am|I['’]m|[Mm]y name is|[Dd]ear|[Hh]i|[Hh]ello|[Tt]hanks,|[Bb]y author|is where|is the name of))\s*$"
)
_NO_PERSON = bag(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september "
    "october november december new san santa saint st los las north south east west northern southern eastern western great "
    "street road avenue square park bridge river lake mount valley beach bay island islands city town county state states "
    "kingdom republic university school college institute academy hospital hotel museum library church airport station "
    "inc ltd llc corp gmbh ag company group bank labs lab foods works systems solutions software cloud studio team project "
    "platform service services server client api sdk app database data center centre office department ministry agency "
    "committee council board club league cup union association foundation society festival conference summit award prize "
    "the this that these those a an and or but not no yes it its he she they we you i my our your his her their if when "
    "while since after before during on in at by for from to with as of into over under note update correction reminder "
    "meeting review plan report policy guide manual book edition version release sprint deadline budget happy merry good "
    "every each all both some many most old big little red blue green black white golden silver royal national "
    "international global world american british french german spanish italian english european asian african chinese "
    "japanese google microsoft apple amazon visual power open source pull request issue ticket bug feature flag step "
    "chapter section page table figure part type level phase stage unit room floor building tower house home garden night "
    "today tomorrow yesterday morning evening christmas easter dear hello hi thanks thank please user users admin"
)
_STARTERS = bag("yesterday today tomorrow then later when while if and but our the with from after since because")
_PERSONAL = bag(
    "live employ born:d age:n marriage mother-tongue origin nationality manage lead likes attitude allergy speak"
)


def people(text: str) -> tuple[str, ...]:
    """Names of people that stand in the text, as written, each once, at most 64. Misses many; invents none."""
    text = text[:_SCAN]
    found: dict[str, None] = {}
    for match in _TITLED.finditer(text):
        found[match[1]] = None
    told = {fact.subject.partition("\x1f")[0] for fact in facts(text) if fact.attribute in _PERSONAL}
    for match in _RUN.finditer(text):
        words = match[0].split(" ")
        while len(words) > 2 and words[0].lower() in _STARTERS:
            words = words[1:]
        name = " ".join(words)
        if not 2 <= len(words) <= 5 or any(word.lower() in _NO_PERSON for word in words):
            continue
        start, end = match.end() - len(name), match.end()
        if name.lower() in told or _DOES.match(text, end) or _CALLED.search(text[max(0, start - 24) : start]):
            found[name] = None
    for who in sorted(told):
        # A single name is a person's where the text says of it what only people have.
        if who.isalpha() and who not in _NO_PERSON and who not in load().words:
            at = re.search(rf"(?<!\w){re.escape(who.capitalize())}(?!\w)", text)
            if at and not any(at[0] in name.split() for name in found):
                found[at[0]] = None
    return tuple(found)[:_NAMES]


_HOW = re.compile(
    r"^\s*(?:how to\b|to \w+[^.:\n]{2,80}[,:] (?:run|use|open|click|set|go|call|first|add|copy|press|start)\b)", re.I
)
_STEPS = re.compile(r"^\s*1[.)] .+\n\s*2[.)] ", re.MULTILINE)
_PROBLEM = re.compile(r"^\s*(?:open (?:problem|question)|unsolved|unresolved|todo)\b\s*:", re.IGNORECASE)
_PREFERENCE = bag("attitude likes prefer")


def kind_label(text: str, choices: Sequence[str]) -> str | None:
    """The kind of memory that a text plainly is, among the choices; None where no rule is sure or it is no choice."""
    text = text[:_SCAN]
    label: Kind | None = None
    if _PROBLEM.search(text):
        label = Kind.PROBLEM
    elif _HOW.search(text) or _STEPS.search(text):
        label = Kind.PROCEDURE
    else:
        told = facts(text)
        if told and told[0].attribute in _PREFERENCE:
            label = Kind.PREFERENCE
    return label.value if label is not None and label.value in choices else None
