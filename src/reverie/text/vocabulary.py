"""Tables of harmless words: contractions, abbreviations, articles, lead-ins, the function words of languages."""

from __future__ import annotations

from reverie.text.lexicon import bag

CONTRACTED = {
    "can't": ["can", "not"],
    "cannot": ["can", "not"],
    "won't": ["will", "not"],
    "shan't": ["shall", "not"],
    "isn't": ["be", "not"],
    "aren't": ["be", "not"],
    "wasn't": ["was", "not"],
    "weren't": ["was", "not"],
    "doesn't": ["do", "not"],
    "don't": ["do", "not"],
    "didn't": ["did", "not"],
    "hasn't": ["have", "not"],
    "haven't": ["have", "not"],
    "hadn't": ["had", "not"],
    "wouldn't": ["would", "not"],
    "shouldn't": ["should", "not"],
    "couldn't": ["could", "not"],
    "mustn't": ["must", "not"],
    "needn't": ["need", "not"],
    "mightn't": ["might", "not"],
    "i'm": ["i", "be"],
    "let's": ["let's"],
}
BE_AFTER = bag("it that there he she who what where here this how when")
AGREE = {"is": "be", "are": "be", "am": "be", "were": "was", "has": "have", "does": "do"}
SAFE = {
    "repo": "repository",
    "repos": "repositories",
    "docs": "documentation",
    "config": "configuration",
    "configs": "configurations",
    "db": "database",
    "dbs": "databases",
    "app": "application",
    "apps": "applications",
    "info": "information",
    "approx": "approximately",
    "dept": "department",
    "vs": "versus",
    "etc": "etcetera",
    "ok": "okay",
    "admin": "administrator",
    "admins": "administrators",
    "env": "environment",
    "envs": "environments",
    "dir": "directory",
    "dirs": "directories",
    "kubernetes": "k8s",
    "postgresql": "postgres",
    "e-mail": "email",
    "e-mails": "emails",
    "favorite": "favourite",
    "favorites": "favourites",
    "color": "colour",
    "colors": "colours",
    "colored": "coloured",
    "organization": "organisation",
    "organizations": "organisations",
    "center": "centre",
    "licence": "license",
    "pct": "percent",
    "behavior": "behaviour",
    "neighbor": "neighbour",
    "program": "programme",
    "theater": "theatre",
    "gray": "grey",
    "kid": "child",
    "kids": "children",
    "till": "until",
    "thru": "through",
    "amongst": "among",
    "whilst": "while",
    "temp": "temporary",
    "photo": "photograph",
    "photos": "photographs",
    "phone": "telephone",
    "mum": "mother",
    "mom": "mother",
    "dad": "father",
    "a.m": "am",
    "p.m": "pm",
    "e.g": "for-example",
    "eg": "for-example",
    "i.e": "that-is",
    "ie": "that-is",
    "prod": "production",
    "&": "and",
    "standup": "stand-up",
    "standups": "stand-ups",
    "realtime": "real-time",
    "each": "every",
    "dr": "doctor",
}
ARTICLES = frozenset(("a", "an", "the"))
# "vitamin A", "plan A", "A is": there the letter is a name, not an article.
LETTERED = bag(
    "vitamin plan option class grade type hepatitis group series team block building section point terminal gate "
    "exhibit appendix "
    "side schedule level tier phase category column row room wing step variant part zone platform unit influenza "
    "blood "
    "candidate branch node site cluster choice model version"
)
NOT_A_NOUN = bag(
    "be was have had do did will would can could should may might must shall and or but in on at to of for from "
    "by with as if then "
    "than not is are has does runs fails passes"
)
# Words that open a clause with a phrase, and those after which an article belongs to the same phrase.
OPENING = bag("in at on during before after since until by within under for without near")
OPENING_BREAKS = OPENING | bag(
    "of to from with and or but all both half twice quite such what as than into onto over above below between about "
    "against through not only even just , : that which who"
)
PREDICATES = bag("be was have had do did will would can could should may might must shall")
# Verbs with an object and a bare infinitive, where a missing article turns a noun into a verb.
BARE_INFINITIVE = bag("make makes made let lets help helps helped see sees saw hear hears heard watch watches watched")
QUANTITY = bag("few little lot bit number couple dozen great hundred thousand million")
PERIODS = bag("second minute hour day night week month quarter year")
RATES = bag(
    "times once twice euros euro dollars dollar pounds usd eur gbp requests hours minutes days km miles kilometres"
)
LEADS: dict[str, list[tuple[str, ...]]] = {}
for _lead in [
    "note : ",
    " note that ",
    " reminder : ",
    " reminder that ",
    " remember : ",
    " remember that ",
    " remember this : ",
    " fyi ",
    " fyi : ",
    " important : ",
    " til ",
    " til : ",
    " til that ",
    " nb ",
    " nb : ",
    " n.b ",
    " n.b : ",
    " p.s ",
    " ps : ",
    " heads up ",
    " heads up : ",
    " heads-up : ",
    " heads-up ",
    " tip : ",
    " info : ",
    " information : ",
    " memo : ",
    " fact : ",
    " for record ",
    " for record : ",
    " for reference ",
    " for reference : ",
    " quick note : ",
    " side note : ",
    " please note ",
    " please note : ",
    " please note that ",
    " please remember ",
    " please remember : ",
    " please remember that ",
    " just note : ",
    " note to self : ",
    " note to self ",
    " do not forget : ",
    " do not forget that ",
    " do not forget ",
    " keep in mind ",
    " keep in mind : ",
    " keep in mind that ",
    " bear in mind that ",
    " just so you know ",
    " just so you know : ",
    " just so we be clear ",
    " so you know ",
    " as reminder ",
    " as reminder : ",
    " just reminder : ",
    " just reminder that ",
    " quick reminder : ",
    " quick reminder that ",
    " friendly reminder : ",
    " friendly reminder that ",
    " for your information ",
    " for your information : ",
    " be aware that ",
    " be aware : ",
    " it be worth noting that ",
    " worth noting : ",
    " worth noting that ",
    " it should be noted that ",
    " i should remember that ",
    " we should remember that ",
    " worth remembering : ",
    " worth remembering that ",
    " memory : ",
    " btw ",
    " btw : ",
    " by way ",
    " by way : ",
    " good to know : ",
    " for what it be worth ",
    " fwiw ",
    " fwiw : ",
    " important to note : ",
    " important to note that ",
    " important to remember : ",
    " important to remember that ",
    " it be important to note that ",
    " it be important to remember that ",
    " it be worth remembering that ",
    " to remember : ",
    " key fact : ",
    " user fact : ",
    " note for later : ",
    " for later : ",
    " save this : ",
    " remember for later : ",
    " as you know ",
    " as fyi ",
    " just fyi ",
    " just fyi : ",
    " quick fyi : ",
    " i want you to remember that ",
    " please keep in mind that ",
    " please keep in mind : ",
    " please save that ",
    " make note that ",
    " make note : ",
    " take note : ",
    " take note that ",
    " also note that ",
    " also note :",
    " noted : ",
    " just noting : ",
    " just noting that ",
    " written down : ",
    " so it be written down : ",
    " just so it be written down : ",
    " so that it be written down : ",
    " just so it be on record : ",
    " mental note : ",
    " to keep in mind : ",
    " jotted down : ",
]:
    _words = tuple(_lead.split())
    LEADS.setdefault(_words[0], []).append(_words)
for _list in LEADS.values():
    _list.sort(key=len, reverse=True)

ENGLISH = bag(
    "the is are was were has have does do did of and to for with on at by that this not it its in from will his "
    "her their my your our "
    "be been or but when who which where 's can as"
)
FOREIGN = (
    bag(
        "der das und ist nicht ein eine einen dem den mit auf für von zu el los las es una que del por para con en "
        "une est pas aux dans sur avec il gli di che sono nel och att det är inte på som het een niet op voor zijn "
        "nie jest że się bir ve için ich wir sie ihr não dos você og ikke til jeg af"
    )
    - ENGLISH
)
