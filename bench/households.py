"""Deterministic generator of synthetic agent notes with ground truth: 60 families, 19 kinds.

Install: nothing (standard library only).
Run:     python households.py N OUT.jsonl [--seed 7]

Each record is one note that a memory store could be asked to keep:
  id    running number (insertion order; also the order in time)
  text  the note
  fact  number of the fact that it states.  TWO RECORDS ARE DUPLICATES IF AND ONLY IF their `fact` is equal.
  kind  base | exact | surface | paraphrase           (restate their fact: mergeable)
        number | entity | negation | contradiction | unrelated | role | tense | modality | qualifier | predicate |
        unit | time | colour | environment | partial  (must not merge)
  near  for the kinds that must not merge: the fact that it is a near miss of (None for base and unrelated)

A near miss either states the same sentence about another value (then its fact is that of the other value, so that a
later base of the same value is a duplicate of it) or is one of the family's own wrong sentences (then it has a fact
of its own, keyed by family, values, kind and position).
"""

import argparse
import json
import random
from datetime import date
from pathlib import Path


def words(text):
    """The words of a text."""
    return text.split()


GIVEN = words("""Adaeze Anna Anne Arjun Astrid Benedikt Camille Chiara Dagny Edda Ewa Fabian Femke Gianni Halima Henrik
Ilse Imran Jakub Joana Kaito Katya Laszlo Linnea Magda Marten Mehmet Milan Naomi Noah Oksana Pavel Pilar Rashid Ravi
Renata Ruth Samuel Signe Simone Sunita Tadeusz Tess Thabo Tilda Ulrich Vikram Wanda Xavier Yael""")
FAMILY = words("""Aalto Achterberg Bianchi Brennan Chowdhury Costa Delgado Diallo Eklund Fontaine Fraser Grimaldi Haddad
Hansen Hoang Horvath Ibsen Jankowska Kimura Kovacs Laurent Lindgren Mbeki Mendes Meyer Meier Morales Nilsson Nwosu
O'Brien Okada Pereira Popescu Rahman Reuter Ricci Sandoval Sato Schuster Sharma Sorensen Tanaka Tran Vasquez Vos Walsh
Wojcik Yamada Zamora Zeller""")
POOL = {
    "CITY": words(
        "Aarhus Basel Bologna Bristol Cadiz Cardiff Delft Dresden Exeter Geneva Gdynia Hobart Iasi Jena Kaunas Kiel "
        "Leipzig Lugano Modena Nantes Odense Pecs Plovdiv Rennes Seville Split Tampere Uppsala Vigo Yerevan"
    ),
    "SHOP": words(
        "Greenleaf Cornerstone Millhouse Fairweather Oldgate Sunnyside Tinderbox Brookfield Ashdown Copperfield "
        "Larkspur Merrow Petalworks Saltmarsh Thornbury"
    ),
    "FIRM": words(
        "Avelo Brixton-Foods Calderon Dunmore Eastlight Ferrum Granary Hollis Interlake Jotun-Supply Korda "
        "Lindemann Marlowe Norwell Ostrava-Trading Palisade"
    ),
    "SVC": words(
        "auth-proxy billing-api cart checkout email-relay feed-worker geo-lookup image-resizer inventory "
        "ledger-sync login-ui metrics-hub notifier order-router payment-gw pdf-render search-index session-store"
    ),
    "ENV": ["staging", "production", "the test environment", "the QA environment"],
    "HOST": words(
        "atlas-01 atlas-02 boreal-3 boreal-7 cobalt-11 cobalt-17 delta-a delta-b ember-4 ember-14 fjord-x1 fjord-x2"
    ),
    "JOB": words(
        "log-rotation invoice-export index-rebuild cache-warmup user-sync report-mailer thumbnail-sweep token-cleanup"
    ),
    "BRANCH": words("main develop release/4.1 release/4.2 hotfix/login feature/cart-v2 stable next"),
    "FLAG": words("new_checkout dark_nav fast_search beta_export inline_help two_step_login bulk_edit smart_sort"),
    "REPO": words(
        "tools/formatter tools/reporter web/storefront web/admin infra/modules infra/images data/loader data/models "
        "mobile/app docs/handbook"
    ),
    "LICENCE": words("MIT Apache-2.0 GPL-2.0-only GPL-3.0-only LGPL-3.0-only MPL-2.0 BSD-2-Clause BSD-3-Clause"),
    "DB": words("Postgres MySQL MongoDB Cassandra SQLite CockroachDB Elasticsearch ClickHouse"),
    "DATA": words("sessions invoices audit-logs thumbnails profiles orders"),
    "DAY": words("Monday Tuesday Wednesday Thursday Friday Saturday Sunday"),
    "LANG": words(
        "Czech Danish Dutch Finnish Greek Hebrew Hungarian Norwegian Swahili Swedish Tamil Thai Turkish Welsh"
    ),
    "CODE": words("Go Python Kotlin TypeScript Ruby Elixir"),
    "COLOUR": words("red blue green black white grey yellow brown pink purple"),
    "ANIMAL": words("cat dog rabbit parrot tortoise hamster"),
    "PET": words("Biscuit Clover Domino Figaro Ginger Hazel Juno Miso Nimbus Pepper Pickle Rufus Socks Waffle"),
    "CAR": words("Volvo Skoda Renault Toyota Fiat Kia Mazda Peugeot"),
    "SPEC": words("dentist cardiologist dermatologist optician physiotherapist paediatrician"),
    "KIN": words("son daughter nephew niece grandson granddaughter"),
    "SCHOOL": words("Hillcrest Riverside Northfield Oakwood Elmhurst Westbrook"),
    "DRUG": words("metformin ramipril levothyroxine cetirizine sertraline atorvastatin folic-acid"),
    "HOTEL": words("Grand-Palace Blue-Anchor Old-Mill Station-Inn Harbour-View Cloister"),
    "TEAM": words("payments search mobile platform data growth security support"),
    "PROJ": words("Aurora Basalt Cinder Dune Estuary Fathom Grove Heron Isthmus Juniper Kelp Lichen Moss Nettle"),
    "ROOM": words("kitchen hallway cellar attic garage bathroom bedroom study"),
    "THING": ["fuse box", "water meter", "first-aid kit", "router", "toolbox", "spare-key hook"],
    "PLACE": words("flat cottage garage office boathouse"),
    "MEETROOM": words("Lima Nairobi Osaka Quebec Reykjavik Sofia Tallinn Utrecht"),
    "ITEM": words("kettle toaster lamp rucksack tent blanket saddle ladder"),
    "ITEMS": words("kettles toasters lamps rucksacks tents blankets saddles ladders"),
    "GOODS": words("flour olive-oil cardboard roses timber candles paper-bags honey"),
    "THINGS": words("bicycle piano canoe sofa camera violin wardrobe telescope"),
    "SUBJ": words("algebra chemistry drawing geography history piano statistics Latin"),
    "FOODS": words("meat fish bread cheese sugar eggs"),
    "DOMAIN": words("shop.example.com api.example.com mail.example.org static.example.net login.example.org"),
    "BLOOD": ["A positive", "A negative", "B positive", "B negative", "O positive", "O negative", "AB positive"],
    "PREFA": ["dark mode", "short answers", "bullet lists", "the train", "tea", "e-mail", "window seats", "vim"],
    "PREFB": [
        "light mode",
        "long answers",
        "running text",
        "the plane",
        "coffee",
        "phone calls",
        "aisle seats",
        "nano",
    ],
    "CONFIG": words(
        "/etc/{s}/config.yaml /etc/{s}/config.yml /opt/{s}/settings.toml /opt/{s}/Settings.toml /srv/{s}/app.ini "
        "/srv/{s}/conf/app.ini"
    ),
    "ENDPOINT": words("/v1/orders /v2/orders /v1/users /v1/users/me /v2/export /v1/search /health"),
    "PLUGIN": words("tree-view spell-check git-blame minimap bracket-pairs word-count"),
}
ONES = words("""zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
seventeen eighteen nineteen""")
TENS = words("- - twenty thirty forty fifty sixty seventy eighty ninety")
MONTHS = words("""January February March April May June July August September October November December""")


class Num(int):
    """A number; format `w` writes numbers under 100 in words, `,` groups thousands."""

    def __format__(self, spec):
        if spec == "w" and self < 100:
            return ONES[self] if self < 20 else TENS[self // 10] + ("-" + ONES[self % 10] if self % 10 else "")
        return int.__format__(self, "" if spec == "w" else spec)


class Day(date):
    """A date; formats `iso`, `mdy`, `the`, and day-month-year as the default."""

    def __format__(self, spec):
        month = MONTHS[self.month - 1]
        if spec == "iso":
            return self.isoformat()
        if spec == "mdy":
            return f"{month} {self.day}, {self.year}"
        if spec == "abbr":
            return f"{self.day} {month[:3]} {self.year}"
        return f"{self.day} {month} {self.year}"


class Clock(int):
    """Minutes since midnight; format `12` writes 2 pm or 2:30 pm, `12s` 2pm, the default 14:30."""

    def __format__(self, spec):
        h, m = divmod(self, 60)
        if not spec:
            return f"{h:02d}:{m:02d}"
        half, gap = ("am" if h < 12 else "pm"), ("" if spec == "12s" else " ")
        return f"{(h - 1) % 12 + 1}" + (f":{m:02d}" if m else "") + gap + half


# name: (slots, swaps, phrasings, {kind: wrong sentences})
# slots   letter:POOL, letter:P a person, letter:5-60 a number, letter:DATE, letter:TIME
# swaps   pairs of slots ("ab") whose exchange gives another claim (kind role); "=ab" the claim is symmetric in a and b
# A wrong sentence may use every slot, and {a2} and so on for another value of a slot.
FAM = {
    # -- people ---------------------------------------------------------------------------------------------------
    "manages": (
        "a:P b:P",
        "ab",
        ["{b} is managed by {a}.", "{a} manages {b}.", "{a} is {b}'s manager.", "{b}'s manager is {a}."],
        {
            "negation": ["{a} does not manage {b}.", "{a} no longer manages {b}."],
            "tense": ["{a} managed {b}.", "{a} will manage {b}."],
            "modality": ["{a} might manage {b}.", "{a} wants to manage {b}."],
            "predicate": ["{a} works with {b}.", "{a} hired {b}."],
            "partial": ["{a} manages {b} while the team lead is on leave."],
            "contradiction": ["{b}'s manager changed from {a} to {a2}."],
        },
    ),
    "mentors": (
        "a:P b:P",
        "ab",
        ["{a} mentors {b}.", "{b} is mentored by {a}.", "{a} is {b}'s mentor.", "{b}'s mentor is {a}."],
        {
            "negation": ["{a} refuses to mentor {b}.", "{a} isn't {b}'s mentor."],
            "tense": ["{a} used to mentor {b}."],
            "modality": ["{a} plans to mentor {b}.", "{a} should mentor {b}."],
            "predicate": ["{a} interviewed {b}."],
            "qualifier": ["{a} rarely mentors {b}."],
            "contradiction": ["{b} has a new mentor, {a2}, instead of {a}."],
        },
    ),
    "older": (
        "a:P b:P n:2-19",
        "ab",
        [
            "{a} is {n} years older than {b}.",
            "{b} is {n:w} years younger than {a}.",
            "{a} is older than {b} by {n} years.",
        ],
        {
            "unit": ["{a} is {n} months older than {b}."],
            "negation": ["{a} is not {n} years older than {b}."],
            "qualifier": ["{a} is at least {n} years older than {b}.", "{a} is almost {n} years older than {b}."],
            "predicate": ["{a} is {n} years ahead of {b} at school."],
            "modality": ["{a} is probably {n} years older than {b}."],
        },
    ),
    "languages": (
        "a:P l:LANG m:LANG",
        "=lm",
        [
            "{a} speaks {l} and {m}.",
            "{a} speaks {m} and {l}.",
            "{a} speaks both {l} and {m}.",
            "{l} and {m} are spoken by {a}.",
        ],
        {
            "negation": ["{a} speaks {l} but not {m}.", "{a} speaks neither {l} nor {m}."],
            "qualifier": ["{a} speaks only {l}, a little {m}."],
            "predicate": ["{a} understands {l} and {m}."],
            "modality": ["{a} wants to learn {l} and {m}."],
            "tense": ["{a} used to speak {l} and {m}."],
        },
    ),
    "pet": (
        "a:P c:COLOUR k:ANIMAL p:PET",
        "",
        ["{a} has a {c} {k} named {p}.", "{a} has a {c} {k} called {p}.", "{a} has a {c} {k} whose name is {p}."],
        {
            "negation": ["{a} no longer has a {c} {k} named {p}."],
            "tense": ["{a} had a {c} {k} named {p}."],
            "predicate": ["{a} is looking after a {c} {k} named {p}.", "{a} has found a {c} {k} named {p}."],
            "modality": ["{a} would like to have a {c} {k} named {p}."],
            "contradiction": ["{a} gave away the {c} {k} named {p}."],
        },
    ),
    "car": (
        "a:P c:COLOUR k:CAR n:1000-9999",
        "",
        [
            "{a} owns the {c} {k} with number plate {n}.",
            "The {c} {k} with number plate {n} belongs to {a}.",
            "The {c} {k} with number plate {n} is owned by {a}.",
            "{a} is the owner of the {c} {k} with number plate {n}.",
        ],
        {
            "predicate": [
                "{a} rents the {c} {k} with number plate {n}.",
                "{a} sold the {c} {k} with number plate {n}.",
            ],
            "negation": ["{a} does not own the {c} {k} with number plate {n}."],
            "tense": ["{a} formerly owned the {c} {k} with number plate {n}."],
            "modality": ["{a} may own the {c} {k} with number plate {n}."],
        },
    ),
    "specialist": (
        "a:P k:SPEC b:P",
        "ab",
        ["{a}'s {k} is {b}.", "{b} is {a}'s {k}.", "The {k} of {a} is {b}."],
        {
            "negation": ["{a}'s {k} is not {b}.", "{b} is no longer {a}'s {k}."],
            "tense": ["{a}'s {k} was {b}."],
            "predicate": ["{a}'s {k} recommended {b}."],
            "modality": ["{a}'s next {k} could be {b}."],
            "contradiction": ["{a} changed {k}: from {b} to {b2}."],
        },
    ),
    "email": (
        "a:P n:100-999",
        "",
        [
            "{a}'s work e-mail address is staff{n}@example.org.",
            "staff{n}@example.org is {a}'s work e-mail address.",
            "The work e-mail address of {a} is staff{n}@example.org.",
        ],
        {
            "qualifier": ["{a}'s private e-mail address is staff{n}@example.org."],
            "negation": ["{a}'s work e-mail address is not staff{n}@example.org."],
            "tense": ["{a}'s work e-mail address was staff{n}@example.org."],
            "predicate": ["{a}'s work e-mail login is staff{n}@example.org."],
            "entity": ["{a}'s work e-mail address is staff{n}@example.com."],
            "contradiction": ["{a}'s work e-mail address changed from staff{n}@example.org to staff{n2}@example.org."],
        },
    ),
    "extension": (
        "a:P n:200-899",
        "",
        [
            "{a}'s telephone extension is {n}.",
            "{n} is {a}'s telephone extension.",
            "The telephone extension of {a} is {n}.",
        ],
        {
            "negation": ["{a}'s telephone extension isn't {n}."],
            "tense": ["{a}'s telephone extension used to be {n}."],
            "predicate": ["{a}'s desk number is {n}."],
            "modality": ["{a}'s telephone extension might be {n}."],
            "contradiction": ["{a}'s telephone extension was changed from {n} to {n2}."],
        },
    ),
    "schoolchild": (
        "a:P k:KIN f:GIVEN n:1-9 s:SCHOOL",
        "",
        [
            "{a}'s {k} {f} is in year {n} at {s} School.",
            "At {s} School, {a}'s {k} {f} is in year {n}.",
            "{f}, {a}'s {k}, is in year {n:w} at {s} School.",
        ],
        {
            "negation": ["{a}'s {k} {f} is no longer in year {n} at {s} School."],
            "tense": ["{a}'s {k} {f} was in year {n} at {s} School."],
            "predicate": ["{a}'s {k} {f} teaches year {n} at {s} School."],
            "modality": ["{a}'s {k} {f} is expected to be in year {n} at {s} School."],
            "partial": ["{a}'s {k} {f} is in year {n} at {s} School on a trial basis."],
        },
    ),
    "blood": (
        "a:P b:BLOOD",
        "",
        [
            "{a}'s blood type is {b}.",
            "The blood type of {a} is {b}.",
            "{b} is {a}'s blood type.",
            "{a} has blood type {b}.",
        ],
        {
            "negation": ["{a}'s blood type is not {b}."],
            "modality": ["{a}'s blood type is possibly {b}."],
            "predicate": ["{a} can receive blood type {b}."],
        },
    ),
    "spare_key": (
        "a:P b:P p:PLACE",
        "ab",
        [
            "{b} keeps the spare key to {a}'s {p}.",
            "The spare key to {a}'s {p} is kept by {b}.",
            "It is {b} who keeps the spare key to {a}'s {p}.",
        ],
        {
            "negation": ["{b} refused to keep the spare key to {a}'s {p}."],
            "tense": ["{b} kept the spare key to {a}'s {p}."],
            "predicate": ["{b} lost the spare key to {a}'s {p}."],
            "modality": ["{b} offered to keep the spare key to {a}'s {p}."],
            "contradiction": ["The spare key to {a}'s {p} moved from {b} to {b2}."],
            "partial": ["{b} keeps the spare key to {a}'s {p} during the holidays."],
        },
    ),
    "teaches": (
        "a:P b:P s:SUBJ",
        "ab",
        ["{a} teaches {b} {s}.", "{a} teaches {s} to {b}.", "{b} is taught {s} by {a}."],
        {
            "negation": ["{a} has stopped teaching {b} {s}."],
            "tense": ["{a} taught {b} {s}."],
            "predicate": ["{a} studies {s} with {b}."],
            "modality": ["{a} offered to teach {b} {s}."],
            "qualifier": ["{a} sometimes teaches {b} {s}."],
        },
    ),
    "introduced": (
        "a:P b:P c:P",
        "ab ac",
        ["{a} introduced {b} to {c}.", "{b} was introduced to {c} by {a}.", "It was {a} who introduced {b} to {c}."],
        {
            "negation": ["{a} never introduced {b} to {c}."],
            "modality": ["{a} should introduce {b} to {c}."],
            "tense": ["{a} will introduce {b} to {c}."],
            "predicate": ["{a} compared {b} to {c}."],
        },
    ),
    "lent": (
        "a:P b:P n:20-900 d:DATE",
        "ab",
        [
            "{a} lent {b} {n} euros on {d}.",
            "On {d:iso}, {a} lent {n} euros to {b}.",
            "{b} borrowed {n} euros from {a} on {d:mdy}.",
            "{b} was lent {n} euros by {a} on {d:abbr}.",
        ],
        {
            "unit": ["{a} lent {b} {n} dollars on {d}."],
            "negation": ["{a} did not lend {b} {n} euros on {d}."],
            "predicate": ["{a} gave {b} {n} euros on {d}.", "{a} owed {b} {n} euros on {d}."],
            "modality": ["{a} agreed to lend {b} {n} euros on {d}."],
            "qualifier": ["{a} lent {b} more than {n} euros on {d}.", "{a} lent {b} {n} euros after {d}."],
        },
    ),
    "sold": (
        "a:P b:P c:COLOUR t:THINGS",
        "ab",
        [
            "{a} sold {b} a {c} {t}.",
            "{a} sold a {c} {t} to {b}.",
            "{b} bought a {c} {t} from {a}.",
            "A {c} {t} was sold to {b} by {a}.",
        ],
        {
            "negation": ["{a} decided not to sell {b} a {c} {t}."],
            "modality": ["{a} hopes to sell {b} a {c} {t}."],
            "predicate": ["{a} rented {b} a {c} {t}.", "{a} showed {b} a {c} {t}."],
            "tense": ["{a} is going to sell {b} a {c} {t}."],
        },
    ),
    "commute": (
        "a:P d:DAY",
        "",
        ["{a} cycles to work on {d}s.", "On {d}s, {a} cycles to work.", "Every {d}, {a} cycles to work."],
        {
            "negation": ["{a} never cycles to work on {d}s.", "{a} stopped cycling to work on {d}s."],
            "tense": ["{a} cycled to work on {d}s."],
            "modality": ["{a} would like to cycle to work on {d}s."],
            "predicate": ["{a} drives to work on {d}s.", "{a} cycles home from work on {d}s."],
            "qualifier": ["{a} cycles to work every day except {d}s."],
            "partial": ["{a} cycles to work on {d}s when it is dry."],
        },
    ),
    "diet": (
        "a:P f:FOODS d:DAY",
        "",
        [
            "{a} does not eat {f} on {d}s.",
            "{a} doesn't eat {f} on {d}s.",
            "On {d}s, {a} does not eat {f}.",
            "{a} eats no {f} on {d}s.",
        ],
        {
            "negation": ["{a} eats {f} on {d}s."],
            "qualifier": ["{a} does not eat {f} except on {d}s."],
            "predicate": ["{a} does not buy {f} on {d}s."],
            "tense": ["{a} did not eat {f} on {d}s."],
            "modality": ["{a} should not eat {f} on {d}s."],
        },
    ),
    "sports": (
        "a:P d:DAY e:DAY",
        "de",
        [
            "{a} swims on {d}s and runs on {e}s.",
            "{a} runs on {e}s and swims on {d}s.",
            "On {d}s {a} swims, and on {e}s {a} runs.",
        ],
        {
            "negation": ["{a} swims on {d}s but no longer runs on {e}s."],
            "tense": ["{a} swam on {d}s and ran on {e}s."],
            "modality": ["{a} plans to swim on {d}s and run on {e}s."],
            "predicate": ["{a} swims on {d}s and rows on {e}s."],
        },
    ),
    # -- health ---------------------------------------------------------------------------------------------------
    "dose": (
        "a:P n:5-95 g:DRUG",
        "",
        [
            "{a} takes {n} mg of {g} every morning.",
            "Every morning, {a} takes {n} mg of {g}.",
            "{a} takes {n} milligrams of {g} each morning.",
            "Each morning {a} takes {n} mg of {g}.",
        ],
        {
            "unit": ["{a} takes {n} ml of {g} every morning.", "{a} takes {n} micrograms of {g} every morning."],
            "time": ["{a} takes {n} mg of {g} every evening."],
            "qualifier": [
                "{a} takes up to {n} mg of {g} every morning.",
                "{a} takes {n} mg of {g} every other morning.",
            ],
            "negation": ["{a} has stopped taking {n} mg of {g} every morning."],
            "modality": ["{a} should take {n} mg of {g} every morning."],
            "tense": ["{a} took {n} mg of {g} every morning."],
            "contradiction": ["{a}'s morning dose of {g} was raised from {n} to {n2} mg."],
        },
    ),
    "appointment": (
        "a:P k:SPEC d:DATE t:TIME",
        "",
        [
            "{a} sees the {k} on {d} at {t}.",
            "On {d:iso} at {t:12}, {a} sees the {k}.",
            "At {t:12s} on {d:mdy}, {a} sees the {k}.",
        ],
        {
            "negation": ["{a} does not see the {k} on {d} at {t}."],
            "tense": ["{a} saw the {k} on {d} at {t}."],
            "modality": ["{a} might see the {k} on {d} at {t}."],
            "predicate": ["{a} calls the {k} on {d} at {t}."],
            "qualifier": ["{a} sees the {k} on {d} after {t}."],
        },
    ),
    # -- travel ---------------------------------------------------------------------------------------------------
    "train": (
        "a:P c:CITY e:CITY t:TIME d:DATE",
        "ce",
        [
            "{a} takes the {t} train from {c} to {e} on {d}.",
            "On {d:iso}, {a} takes the {t:12} train from {c} to {e}.",
            "On {d:mdy}, {a} takes the {t} train from {c} to {e}.",
        ],
        {
            "negation": ["{a} does not take the {t} train from {c} to {e} on {d}."],
            "tense": ["{a} took the {t} train from {c} to {e} on {d}."],
            "modality": ["{a} may take the {t} train from {c} to {e} on {d}."],
            "predicate": ["{a} missed the {t} train from {c} to {e} on {d}."],
            "contradiction": ["{a} rebooked from the {t} train to the {t2} train from {c} to {e} on {d}."],
        },
    ),
    "hotel": (
        "a:P h:HOTEL c:CITY d:DATE",
        "",
        [
            "{a} is staying at the {h} hotel in {c} until {d}.",
            "Until {d:iso}, {a} is staying at the {h} hotel in {c}.",
            "{a} is staying until {d:mdy} at the {h} hotel in {c}.",
        ],
        {
            "qualifier": ["{a} is staying at the {h} hotel in {c} from {d}."],
            "negation": ["{a} is not staying at the {h} hotel in {c} until {d}."],
            "tense": ["{a} stayed at the {h} hotel in {c} until {d}."],
            "predicate": ["{a} is working at the {h} hotel in {c} until {d}."],
            "modality": ["{a} considered staying at the {h} hotel in {c} until {d}."],
        },
    ),
    "visa": (
        "a:P c:CITY d:DATE",
        "",
        [
            "{a} collects the visa in {c} on {d}.",
            "On {d:mdy}, {a} collects the visa in {c}.",
            "In {c}, {a} collects the visa on {d:iso}.",
        ],
        {
            "negation": ["{a} won't collect the visa in {c} on {d}."],
            "tense": ["{a} collected the visa in {c} on {d}."],
            "modality": ["{a} hopes to collect the visa in {c} on {d}."],
            "predicate": ["{a} applies for the visa in {c} on {d}."],
            "qualifier": ["{a} collects the visa in {c} before {d}."],
        },
    ),
    # -- devops ---------------------------------------------------------------------------------------------------
    "host": (
        "s:SVC h:HOST e:ENV",
        "",
        [
            "In {e}, the {s} service runs on host {h}.",
            "The {s} service runs on host {h} in {e}.",
            "Host {h} runs the {s} service in {e}.",
        ],
        {
            "negation": ["In {e}, the {s} service does not run on host {h}."],
            "tense": ["In {e}, the {s} service ran on host {h}."],
            "modality": ["In {e}, the {s} service should run on host {h}."],
            "predicate": ["In {e}, the {s} service writes logs to host {h}."],
            "qualifier": ["In {e}, only the {s} service runs on host {h}."],
            "partial": ["In {e}, the {s} service runs on host {h} when the primary is down."],
            "contradiction": ["In {e}, the {s} service moved from host {h} to host {h2}."],
        },
    ),
    "timeout": (
        "s:SVC p:ENDPOINT n:2-90",
        "",
        [
            "Requests to `{p}` of {s} time out after {n} seconds.",
            "After {n} seconds, requests to `{p}` of {s} time out.",
            "Requests to {p} of {s} time out after {n:w} seconds.",
        ],
        {
            "unit": [
                "Requests to `{p}` of {s} time out after {n} milliseconds.",
                "Requests to `{p}` of {s} time out after {n} minutes.",
            ],
            "negation": ["Requests to `{p}` of {s} never time out after {n} seconds."],
            "qualifier": ["Requests to `{p}` of {s} time out after at least {n} seconds."],
            "modality": ["Requests to `{p}` of {s} should time out after {n} seconds."],
            "predicate": ["Requests to `{p}` of {s} are retried after {n} seconds."],
            "contradiction": ["The timeout of requests to `{p}` of {s} went from {n} to {n2} seconds."],
        },
    ),
    "cron": (
        "s:SVC j:JOB t:TIME",
        "",
        [
            "The {j} job of {s} runs every day at {t}.",
            "Every day at {t:12}, the {j} job of {s} runs.",
            "The {j} job of {s} runs daily at {t:12s}.",
            "At {t} every day, the {j} job of {s} runs.",
        ],
        {
            "qualifier": [
                "The {j} job of {s} runs every weekday at {t}.",
                "The {j} job of {s} runs every week at {t}.",
            ],
            "negation": [
                "The {j} job of {s} fails every day at {t}.",
                "The {j} job of {s} does not run every day at {t}.",
            ],
            "predicate": ["The {j} job of {s} finishes every day at {t}."],
            "modality": ["The {j} job of {s} could run every day at {t}."],
            "tense": ["The {j} job of {s} ran every day at {t}."],
        },
    ),
    "merge": (
        "s:SVC x:BRANCH y:BRANCH",
        "xy",
        [
            "For {s}, `{x}` is merged into `{y}` before each release.",
            "Before each release of {s}, `{x}` is merged into `{y}`.",
            "For {s}, `{x}` is merged into `{y}` before every release.",
        ],
        {
            "qualifier": ["For {s}, `{x}` is merged into `{y}` after each release."],
            "negation": ["For {s}, `{x}` is never merged into `{y}` before each release."],
            "modality": ["For {s}, `{x}` should be merged into `{y}` before each release."],
            "tense": ["For {s}, `{x}` was merged into `{y}` before each release."],
            "predicate": ["For {s}, `{x}` is rebased onto `{y}` before each release."],
        },
    ),
    "deploys_from": (
        "s:SVC b:BRANCH e:ENV",
        "",
        [
            "{s} is deployed to {e} from the `{b}` branch.",
            "From the `{b}` branch, {s} is deployed to {e}.",
            "{s} is deployed from the `{b}` branch to {e}.",
        ],
        {
            "negation": ["{s} is not deployed to {e} from the `{b}` branch."],
            "modality": ["{s} can be deployed to {e} from the `{b}` branch."],
            "tense": ["{s} used to be deployed to {e} from the `{b}` branch."],
            "predicate": ["{s} is rolled back in {e} from the `{b}` branch."],
            "partial": ["{s} is deployed to {e} from the `{b}` branch after a manual approval."],
        },
    ),
    "flag": (
        "s:SVC f:FLAG e:ENV",
        "",
        [
            "The feature flag `{f}` of {s} is on in {e}.",
            "In {e}, the feature flag `{f}` of {s} is on.",
            "The feature flag `{f}` of {s} is switched on in {e}.",
        ],
        {
            "negation": [
                "The feature flag `{f}` of {s} is off in {e}.",
                "The feature flag `{f}` of {s} has never been on in {e}.",
            ],
            "modality": ["The feature flag `{f}` of {s} ought to be on in {e}."],
            "tense": ["The feature flag `{f}` of {s} was on in {e}."],
            "partial": ["The feature flag `{f}` of {s} is on in {e} for admin users."],
            "predicate": ["The feature flag `{f}` of {s} is tested in {e}."],
        },
    ),
    "oncall": (
        "s:SVC a:P b:P d:DATE",
        "ab",
        [
            "On {d}, {a} takes over the on-call duty for {s} from {b}.",
            "{a} takes over the on-call duty for {s} from {b} on {d:iso}.",
            "{b} hands over the on-call duty for {s} to {a} on {d:mdy}.",
        ],
        {
            "negation": ["On {d}, {a} refuses to take over the on-call duty for {s} from {b}."],
            "tense": ["On {d}, {a} took over the on-call duty for {s} from {b}."],
            "modality": ["On {d}, {a} might take over the on-call duty for {s} from {b}."],
            "predicate": ["On {d}, {a} shares the on-call duty for {s} with {b}."],
            "qualifier": ["After {d}, {a} takes over the on-call duty for {s} from {b}."],
        },
    ),
    "backup": (
        "s:SVC n:3-90",
        "",
        [
            "Backups of {s} are kept for {n} days.",
            "For {n} days, backups of {s} are kept.",
            "Backups of {s} are kept for {n:w} days.",
        ],
        {
            "unit": ["Backups of {s} are kept for {n} weeks.", "Backups of {s} are kept for {n} hours."],
            "qualifier": [
                "Backups of {s} are kept for at least {n} days.",
                "Some backups of {s} are kept for {n} days.",
            ],
            "negation": ["Backups of {s} are not kept for {n} days."],
            "modality": ["Backups of {s} must be kept for {n} days."],
            "tense": ["Backups of {s} were kept for {n} days."],
            "predicate": ["Logs of {s} are kept for {n} days."],
            "contradiction": ["The time that backups of {s} are kept went from {n} to {n2} days."],
        },
    ),
    "rate": (
        "s:SVC p:ENDPOINT n:10-900",
        "",
        [
            "`{p}` of {s} allows at most {n} requests per minute.",
            "`{p}` of {s} allows no more than {n} requests per minute.",
            "At most {n} requests per minute are allowed by `{p}` of {s}.",
        ],
        {
            "unit": [
                "`{p}` of {s} allows at most {n} requests per second.",
                "`{p}` of {s} allows at most {n} requests per hour.",
            ],
            "qualifier": [
                "`{p}` of {s} allows at least {n} requests per minute.",
                "`{p}` of {s} allows exactly {n} requests per minute.",
            ],
            "negation": ["`{p}` of {s} does not allow {n} requests per minute."],
            "modality": ["`{p}` of {s} should allow at most {n} requests per minute."],
            "predicate": ["`{p}` of {s} received at most {n} requests per minute."],
        },
    ),
    "alert": (
        "s:SVC n:40-99",
        "",
        [
            "An alert fires when the disk usage of {s} is above {n} percent.",
            "When the disk usage of {s} is above {n}%, an alert fires.",
            "An alert fires when the disk usage of {s} is above {n} %.",
        ],
        {
            "qualifier": ["An alert fires when the disk usage of {s} is below {n} percent."],
            "unit": ["An alert fires when the disk usage of {s} is above {n} GB."],
            "negation": ["No alert fires when the disk usage of {s} is above {n} percent."],
            "modality": ["An alert should fire when the disk usage of {s} is above {n} percent."],
            "tense": ["An alert fired when the disk usage of {s} was above {n} percent."],
            "predicate": ["An alert fires when the memory usage of {s} is above {n} percent."],
            "partial": ["An alert fires when the disk usage of {s} is above {n} percent for an hour."],
        },
    ),
    "config": (
        "s:SVC c:CONFIG e:ENV",
        "",
        [
            "The configuration of {s} in {e} is read from `{c}`.",
            "In {e}, the configuration of {s} is read from `{c}`.",
            "The configuration of {s} in {e} is read from {c}.",
        ],
        {
            "negation": ["The configuration of {s} in {e} is not read from `{c}`."],
            "predicate": ["The configuration of {s} in {e} is written to `{c}`."],
            "tense": ["The configuration of {s} in {e} was read from `{c}`."],
            "modality": ["The configuration of {s} in {e} may be read from `{c}`."],
            "qualifier": ["Part of the configuration of {s} in {e} is read from `{c}`."],
        },
    ),
    "cert": (
        "m:DOMAIN d:DATE e:ENV",
        "",
        [
            "The certificate for {m} in {e} expires on {d}.",
            "On {d:iso}, the certificate for {m} in {e} expires.",
            "In {e}, the certificate for {m} expires on {d:mdy}.",
            "The certificate for {m} in {e} expires on {d:abbr}.",
        ],
        {
            "negation": ["The certificate for {m} in {e} does not expire on {d}."],
            "tense": ["The certificate for {m} in {e} expired on {d}."],
            "predicate": ["The certificate for {m} in {e} was issued on {d}."],
            "modality": ["The certificate for {m} in {e} may expire on {d}."],
            "qualifier": ["The certificate for {m} in {e} expires before {d}."],
        },
    ),
    "db_pair": (
        "s:SVC g:DB h:DB",
        "gh",
        [
            "{s} uses {g} in staging and {h} in production.",
            "{s} uses {h} in production and {g} in staging.",
            "In staging {s} uses {g}, and in production {s} uses {h}.",
        ],
        {
            "negation": ["{s} uses {g} in staging but not {h} in production."],
            "tense": ["{s} used {g} in staging and {h} in production."],
            "modality": ["{s} could use {g} in staging and {h} in production."],
            "environment": ["{s} uses {g} in testing and {h} in production."],
        },
    ),
    "stores": (
        "s:SVC k:DATA g:DB",
        "",
        ["{s} stores its {k} in {g}.", "In {g}, {s} stores its {k}.", "{g} is where {s} stores its {k}."],
        {
            "negation": ["{s} does not store its {k} in {g}.", "{s} no longer stores its {k} in {g}."],
            "tense": ["{s} stored its {k} in {g}."],
            "modality": ["{s} will probably store its {k} in {g}."],
            "predicate": ["{s} deletes its {k} in {g}."],
            "qualifier": ["{s} stores some of its {k} in {g}."],
            "contradiction": ["{s} moved its {k} from {g} to {g2}."],
        },
    ),
    "depends": (
        "s:SVC t:SVC",
        "st",
        ["{s} depends on {t}.", "{s} is dependent on {t}.", "{s} has a dependency on {t}."],
        {
            "negation": ["{s} does not depend on {t}.", "{s} no longer depends on {t}."],
            "tense": ["{s} depended on {t}."],
            "modality": ["{s} might depend on {t}."],
            "predicate": ["{s} replaces {t}."],
            "partial": ["{s} depends on {t} for password resets."],
        },
    ),
    # -- repositories, projects, conventions ----------------------------------------------------------------------
    "owns_repo": (
        "a:P r:REPO",
        "",
        [
            "{a} owns the repository `{r}`.",
            "The repository `{r}` is owned by {a}.",
            "{a} is the owner of the repository `{r}`.",
            "The owner of the repository `{r}` is {a}.",
            "**Owner of the repository `{r}`:** {a}.",
        ],
        {
            "negation": ["{a} no longer owns the repository `{r}`.", "{a} does not own the repository `{r}`."],
            "tense": ["{a} owned the repository `{r}`."],
            "modality": ["{a} should own the repository `{r}`."],
            "predicate": ["{a} contributes to the repository `{r}`.", "{a} forked the repository `{r}`."],
            "contradiction": ["The owner of the repository `{r}` changed from {a} to {a2}."],
        },
    ),
    "licence": (
        "r:REPO l:LICENCE",
        "",
        [
            "The repository `{r}` is licensed under {l}.",
            "The licence of the repository `{r}` is {l}.",
            "{l} is the licence of the repository `{r}`.",
            "**Licence of the repository `{r}`:** {l}.",
        ],
        {
            "negation": ["The repository `{r}` is not licensed under {l}."],
            "tense": ["The repository `{r}` was licensed under {l}."],
            "modality": ["The repository `{r}` may be licensed under {l}."],
            "qualifier": ["Part of the repository `{r}` is licensed under {l}."],
            "predicate": ["The repository `{r}` depends on code licensed under {l}."],
            "contradiction": ["The repository `{r}` was relicensed from {l} to {l2}."],
        },
    ),
    "pull": (
        "a:P b:P n:100-9999 r:REPO",
        "ab",
        [
            "{a} approved {b}'s pull request #{n} in `{r}`.",
            "{b}'s pull request #{n} in `{r}` was approved by {a}.",
            "In `{r}`, {a} approved {b}'s pull request #{n}.",
        ],
        {
            "negation": ["{a} refused to approve {b}'s pull request #{n} in `{r}`."],
            "modality": ["{a} wants to approve {b}'s pull request #{n} in `{r}`."],
            "predicate": [
                "{a} rejected {b}'s pull request #{n} in `{r}`.",
                "{a} rebased {b}'s pull request #{n} in `{r}`.",
            ],
            "tense": ["{a} will approve {b}'s pull request #{n} in `{r}`."],
        },
    ),
    "indent": (
        "t:TEAM l:CODE n:2-9",
        "",
        [
            "The {t} team indents {l} code with {n} spaces.",
            "{l} code is indented with {n} spaces by the {t} team.",
            "The {t} team indents {l} code with {n:w} spaces.",
        ],
        {
            "unit": ["The {t} team indents {l} code with {n} tabs."],
            "negation": ["The {t} team refuses to indent {l} code with {n} spaces."],
            "modality": ["The {t} team would prefer to indent {l} code with {n} spaces."],
            "tense": ["The {t} team indented {l} code with {n} spaces."],
            "qualifier": ["The {t} team indents new {l} code with {n} spaces."],
        },
    ),
    "approvals": (
        "t:TEAM r:REPO n:2-9",
        "",
        [
            "In `{r}`, the {t} team needs {n} approvals before a merge.",
            "Before a merge in `{r}`, the {t} team needs {n} approvals.",
            "The {t} team needs {n:w} approvals before a merge in `{r}`.",
        ],
        {
            "negation": ["In `{r}`, the {t} team does not need {n} approvals before a merge."],
            "qualifier": [
                "In `{r}`, the {t} team needs at most {n} approvals before a merge.",
                "In `{r}`, the {t} team needs {n} approvals after a merge.",
            ],
            "tense": ["In `{r}`, the {t} team needed {n} approvals before a merge."],
            "predicate": ["In `{r}`, the {t} team gives {n} approvals before a merge."],
            "partial": ["In `{r}`, the {t} team needs {n} approvals before a merge of a schema change."],
        },
    ),
    "lead_pair": (
        "a:P b:P p:PROJ q:PROJ",
        "ab",
        [
            "{a} leads project {p}, and {b} leads project {q}.",
            "{b} leads project {q}, and {a} leads project {p}.",
            "Project {p} is led by {a}, and project {q} is led by {b}.",
        ],
        {
            "negation": ["{a} leads project {p}, and {b} does not lead project {q}."],
            "tense": ["{a} led project {p}, and {b} leads project {q}."],
            "predicate": ["{a} leads project {p}, and {b} tests project {q}."],
            "modality": ["{a} leads project {p}, and {b} could lead project {q}."],
        },
    ),
    "succeeded": (
        "a:P b:P p:PROJ d:DATE",
        "ab",
        [
            "{a} replaced {b} as owner of project {p} on {d}.",
            "{b} was replaced by {a} as owner of project {p} on {d:mdy}.",
            "On {d:iso}, {a} replaced {b} as owner of project {p}.",
        ],
        {
            "negation": ["{a} did not replace {b} as owner of project {p} on {d}."],
            "tense": ["{a} will replace {b} as owner of project {p} on {d}."],
            "modality": ["{a} was supposed to replace {b} as owner of project {p} on {d}."],
            "predicate": ["{a} advised {b} as owner of project {p} on {d}."],
            "qualifier": ["{a} replaced {b} as owner of project {p} before {d}."],
        },
    ),
    "spent": (
        "p:PROJ t:TEAM n:20-950",
        "",
        [
            "The {t} team has spent {n} thousand euros on project {p}.",
            "On project {p}, the {t} team has spent {n} thousand euros.",
            "The {t} team has spent {n},000 euros on project {p}.",
        ],
        {
            "unit": [
                "The {t} team has spent {n} million euros on project {p}.",
                "The {t} team has spent {n} thousand dollars on project {p}.",
            ],
            "predicate": [
                "The {t} team has budgeted {n} thousand euros for project {p}.",
                "The {t} team has saved {n} thousand euros on project {p}.",
            ],
            "negation": ["The {t} team has not spent {n} thousand euros on project {p}."],
            "tense": ["The {t} team will spend {n} thousand euros on project {p}."],
            "qualifier": ["The {t} team has spent less than {n} thousand euros on project {p}."],
        },
    ),
    "started": (
        "p:PROJ t:TEAM d:DATE",
        "",
        [
            "The {t} team started project {p} on {d}.",
            "Project {p} was started by the {t} team on {d:iso}.",
            "On {d:mdy}, the {t} team started project {p}.",
        ],
        {
            "predicate": ["The {t} team finished project {p} on {d}.", "The {t} team paused project {p} on {d}."],
            "negation": ["The {t} team did not start project {p} on {d}."],
            "tense": ["The {t} team starts project {p} on {d}."],
            "modality": ["The {t} team had planned to start project {p} on {d}."],
            "qualifier": ["The {t} team started project {p} after {d}."],
        },
    ),
    "plugin": (
        "a:P p:PLUGIN n:2-40",
        "",
        [
            "{a} pinned the {p} plugin to version 1.{n}.0.",
            "The {p} plugin was pinned to version 1.{n}.0 by {a}.",
            "It was {a} who pinned the {p} plugin to version 1.{n}.0.",
        ],
        {
            "negation": ["{a} unpinned the {p} plugin from version 1.{n}.0."],
            "modality": ["{a} tried to pin the {p} plugin to version 1.{n}.0."],
            "predicate": ["{a} updated the {p} plugin to version 1.{n}.0."],
            "number": [
                "{a} pinned the {p} plugin to version 1.{n}.1.",
                "{a} pinned the {p} plugin to version 2.{n}.0.",
            ],
            "qualifier": ["{a} pinned the {p} plugin to at least version 1.{n}.0."],
        },
    ),
    # -- shop -----------------------------------------------------------------------------------------------------
    "price": (
        "s:SHOP i:ITEM n:11-290",
        "",
        ["A {i} costs {n} euros at {s}.", "At {s}, a {i} costs {n} euros.", "The price of a {i} at {s} is {n} euros."],
        {
            "unit": ["A {i} costs {n} dollars at {s}."],
            "qualifier": ["A {i} costs more than {n} euros at {s}.", "A used {i} costs {n} euros at {s}."],
            "negation": ["A {i} does not cost {n} euros at {s}."],
            "tense": ["A {i} cost {n} euros at {s} last year."],
            "modality": ["A {i} should cost {n} euros at {s}."],
            "contradiction": ["The price of a {i} at {s} went from {n} to {n2} euros."],
            "partial": ["A {i} costs {n} euros at {s} with a member card."],
        },
    ),
    "stock": (
        "s:SHOP i:ITEMS n:2-95",
        "",
        ["There are {n} {i} in stock at {s}.", "At {s}, there are {n:w} {i} in stock.", "{s} has {n} {i} in stock."],
        {
            "qualifier": ["There are fewer than {n} {i} in stock at {s}.", "There are over {n} {i} in stock at {s}."],
            "negation": ["There are no longer {n} {i} in stock at {s}."],
            "tense": ["There were {n} {i} in stock at {s}."],
            "predicate": ["There are {n} {i} on order at {s}.", "{s} has {n} {i} on loan."],
            "modality": ["There should be {n} {i} in stock at {s}."],
        },
    ),
    "supplier": (
        "f:FIRM s:FIRM g:GOODS",
        "fs",
        ["{f} supplies {s} with {g}.", "{f} supplies {g} to {s}.", "{s} is supplied with {g} by {f}."],
        {
            "negation": ["{f} stopped supplying {s} with {g}.", "{f} declined to supply {s} with {g}."],
            "tense": ["{f} supplied {s} with {g}."],
            "modality": ["{f} offered to supply {s} with {g}."],
            "predicate": ["{f} insures {s}'s stock of {g}."],
            "qualifier": ["{f} only supplies {s} with {g}."],
            "contradiction": ["{s} changed its supplier of {g} from {f} to {f2}."],
        },
    ),
    "opening": (
        "s:SHOP d:DAY t:TIME",
        "",
        [
            "{s} opens at {t} on {d}s.",
            "On {d}s, {s} opens at {t:12}.",
            "On {d}s {s} opens at {t}.",
            "{s} opens on {d}s at {t:12s}.",
        ],
        {
            "predicate": ["{s} closes at {t} on {d}s."],
            "negation": ["{s} does not open at {t} on {d}s."],
            "tense": ["{s} opened at {t} on {d}s."],
            "modality": ["{s} may open at {t} on {d}s."],
            "qualifier": ["{s} opens after {t} on {d}s."],
            "partial": ["{s} opens at {t} on {d}s in summer."],
            "contradiction": ["{s} changed its opening time on {d}s from {t} to {t2}."],
        },
    ),
    "coldstore": (
        "s:SHOP n:2-29",
        "",
        [
            "The cold store of {s} is kept at minus {n} degrees Celsius.",
            "The cold store of {s} is kept at -{n} °C.",
            "The cold store of {s} is kept at -{n} degrees Celsius.",
        ],
        {
            "number": ["The cold store of {s} is kept at plus {n} degrees Celsius."],
            "unit": ["The cold store of {s} is kept at -{n} degrees Fahrenheit."],
            "negation": ["The cold store of {s} is not kept at minus {n} degrees Celsius."],
            "modality": ["The cold store of {s} must be kept at minus {n} degrees Celsius."],
            "qualifier": ["The cold store of {s} is kept below minus {n} degrees Celsius."],
        },
    ),
    "acquired": (
        "x:FIRM y:FIRM n:2-90 z:2001-2025",
        "xy",
        [
            "{x} acquired {y} for {n} million euros in {z}.",
            "In {z}, {x} acquired {y} for {n} million euros.",
            "{y} was acquired by {x} for {n} million euros in {z}.",
        ],
        {
            "unit": [
                "{x} acquired {y} for {n} billion euros in {z}.",
                "{x} acquired {y} for {n} million dollars in {z}.",
            ],
            "negation": ["{x} failed to acquire {y} for {n} million euros in {z}."],
            "modality": ["{x} offered to acquire {y} for {n} million euros in {z}."],
            "predicate": ["{x} sued {y} for {n} million euros in {z}."],
            "qualifier": ["{x} acquired half of {y} for {n} million euros in {z}."],
        },
    ),
    # -- house ----------------------------------------------------------------------------------------------------
    "where": (
        "a:P t:THING r:ROOM",
        "",
        [
            "In {a}'s house, the {t} is in the {r}.",
            "The {t} is in the {r} in {a}'s house.",
            "In {a}'s house the {t} is located in the {r}.",
        ],
        {
            "negation": ["In {a}'s house, the {t} is not in the {r}."],
            "tense": ["In {a}'s house, the {t} was in the {r}."],
            "predicate": ["In {a}'s house, the {t} is for the {r}."],
            "modality": ["In {a}'s house, the {t} may be in the {r}."],
            "qualifier": ["In {a}'s house, the {t} is next to the {r}."],
            "contradiction": ["In {a}'s house, the {t} was moved from the {r} to the {r2}."],
        },
    ),
    "bins": (
        "c:CITY k:COLOUR d:DAY",
        "",
        [
            "In {c}, the {k} bin is emptied every {d}.",
            "Every {d}, the {k} bin is emptied in {c}.",
            "The {k} bin is emptied every {d} in {c}.",
            "The {k} bin is emptied each {d} in {c}.",
        ],
        {
            "qualifier": ["In {c}, the {k} bin is emptied every other {d}."],
            "negation": ["In {c}, the {k} bin is not emptied every {d}."],
            "tense": ["In {c}, the {k} bin was emptied every {d}."],
            "modality": ["In {c}, the {k} bin should be emptied every {d}."],
            "predicate": ["In {c}, the {k} bin is weighed every {d}."],
        },
    ),
    "paint": (
        "a:P r:ROOM c:COLOUR",
        "",
        ["{a} painted the {r} {c}.", "The {r} was painted {c} by {a}.", "It was {a} who painted the {r} {c}."],
        {
            "negation": ["{a} refused to paint the {r} {c}.", "{a} didn't paint the {r} {c}."],
            "modality": ["{a} wants to paint the {r} {c}."],
            "tense": ["{a} will paint the {r} {c}."],
            "qualifier": ["{a} painted half of the {r} {c}.", "{a} painted the {r} light {c}."],
            "contradiction": ["{a} repainted the {r} from {c} to {c2}."],
        },
    ),
    "meetroom": (
        "m:MEETROOM f:CITY n:2-19 k:21-80",
        "",
        [
            "In the {f} office, meeting room {m} is on floor {n} and has {k} seats.",
            "In the {f} office, meeting room {m} has {k} seats and is on floor {n}.",
            "Meeting room {m} in the {f} office is on floor {n} and has {k:w} seats.",
        ],
        {
            "negation": ["In the {f} office, meeting room {m} is not on floor {n} and has {k} seats."],
            "tense": ["In the {f} office, meeting room {m} was on floor {n} and had {k} seats."],
            "predicate": ["In the {f} office, meeting room {m} is on floor {n} and has {k} sockets."],
            "qualifier": ["In the {f} office, meeting room {m} is on floor {n} and has up to {k} seats."],
        },
    ),
    # -- longer notes ---------------------------------------------------------------------------------------------
    "runbook": (
        "s:SVC e:ENV h:HOST n:20-90 a:P",
        "",
        [
            "If {s} stops answering in {e}, restart it on host {h}, wait {n} seconds, and call {a} if the error is still "
            "there.",
            "If {s} stops answering in {e}, restart it on host {h}, wait {n:w} seconds, and if the error is still there, "
            "call {a}.",
            "- If **{s}** stops answering in {e}, restart it on host `{h}`, wait {n} s, and call {a} if the error is "
            "still there.",
        ],
        {
            "negation": [
                "If {s} stops answering in {e}, do not restart it on host {h}; wait {n} seconds, and call {a} "
                "if the "
                "error is still there."
            ],
            "unit": [
                "If {s} stops answering in {e}, restart it on host {h}, wait {n} minutes, and call {a} if the "
                "error is "
                "still there."
            ],
            "predicate": [
                "If {s} stops answering in {e}, restart it on host {h}, wait {n} seconds, and e-mail {a} if the "
                "error is still there."
            ],
            "qualifier": [
                "If {s} stops answering in {e}, restart it on host {h}, wait {n} seconds, and call {a} unless "
                "the "
                "error is still there."
            ],
            "modality": [
                "If {s} stops answering in {e}, you may restart it on host {h}, wait {n} seconds, and call {a} "
                "if the "
                "error is still there."
            ],
        },
    ),
    "onboarding": (
        "t:TEAM r:REPO a:P b:P d:DAY",
        "ab",
        [
            "New people in the {t} team are given access to `{r}` by {a} in the first week, and {b} shows them the release "
            "process on the second {d}.",
            "In the first week, new people in the {t} team are given access to `{r}` by {a}, and on the second {d} {b} "
            "shows "
            "them the release process.",
            "New people in the {t} team are given access to `{r}` by {a} in the first week, and they are shown the release "
            "process by {b} on the second {d}.",
        ],
        {
            "negation": [
                "New people in the {t} team are not given access to `{r}` by {a} in the first week, and {b} shows "
                "them the release process on the second {d}."
            ],
            "number": [
                "New people in the {t} team are given access to `{r}` by {a} in the third week, and {b} shows "
                "them the "
                "release process on the second {d}."
            ],
            "tense": [
                "New people in the {t} team were given access to `{r}` by {a} in the first week, and {b} showed "
                "them the "
                "release process on the second {d}."
            ],
            "qualifier": [
                "New people in the {t} team are given read access to `{r}` by {a} in the first week, and {b} "
                "shows "
                "them the release process on the second {d}."
            ],
            "predicate": [
                "New people in the {t} team are given access to `{r}` by {a} in the first week, and {b} "
                "explains to "
                "them the review process on the second {d}."
            ],
        },
    ),
    "delivery": (
        "f:FIRM s:SHOP g:GOODS d:DAY t:TIME a:P",
        "",
        [
            "{f} delivers {g} to the back door of {s} every {d} before {t}, and {a} counts the boxes and signs for them.",
            "Every {d} before {t:12}, {f} delivers {g} to the back door of {s}, and {a} counts the boxes and signs for "
            "them.",
            "Every {d} before {t}, {f} delivers {g} to the back door of {s}; {a} counts the boxes and signs for them.",
        ],
        {
            "negation": [
                "{f} delivers {g} to the back door of {s} every {d} before {t}, and {a} counts the boxes but "
                "never "
                "signs for them."
            ],
            "qualifier": [
                "{f} delivers {g} to the back door of {s} every {d} after {t}, and {a} counts the boxes and "
                "signs "
                "for them.",
                "{f} delivers {g} to the front door of {s} every {d} before {t}, and {a} counts the boxes and "
                "signs "
                "for them.",
            ],
            "tense": [
                "{f} delivered {g} to the back door of {s} every {d} before {t}, and {a} counted the boxes and "
                "signed "
                "for them."
            ],
            "predicate": [
                "{f} collects {g} from the back door of {s} every {d} before {t}, and {a} counts the boxes and "
                "signs for them."
            ],
            "modality": [
                "{f} should deliver {g} to the back door of {s} every {d} before {t}, and {a} should count the "
                "boxes "
                "and sign for them."
            ],
        },
    ),
    # -- preferences ----------------------------------------------------------------------------------------------
    "prefers": (
        "a:P x:PREFA y:PREFB",
        "xy",
        [
            "{a} prefers {x} to {y}.",
            "{a} prefers {x} over {y}.",
            "Given the choice between {x} and {y}, {a} prefers {x}.",
        ],
        {
            "negation": ["{a} does not prefer {x} to {y}.", "{a} likes neither {x} nor {y}."],
            "tense": ["{a} preferred {x} to {y}."],
            "predicate": ["{a} uses {x} and {y}.", "{a} switched from {y} to {x}."],
            "modality": ["{a} probably prefers {x} to {y}."],
            "qualifier": ["{a} sometimes prefers {x} to {y}."],
            "partial": ["{a} prefers {x} to {y} on the first day of a trip."],
        },
    ),
    "instead": (
        "t:TEAM g:DB h:DB s:SVC",
        "gh",
        [
            "For {s}, the {t} team uses {g} instead of {h}.",
            "The {t} team uses {g} instead of {h} for {s}.",
            "For {s}, the {t} team uses {g} rather than {h}.",
        ],
        {
            "negation": ["For {s}, the {t} team does not use {g} instead of {h}."],
            "predicate": ["For {s}, the {t} team uses {g} on top of {h}."],
            "modality": ["For {s}, the {t} team should use {g} instead of {h}."],
            "tense": ["For {s}, the {t} team used {g} instead of {h}."],
        },
    ),
}
KIND_OF_SLOT = {"COLOUR": "colour", "ENV": "environment", "TIME": "time"}  # else entity, or number for numbers
CASED = {
    "flag",
    "config",
    "merge",
    "deploys_from",
    "owns_repo",
    "licence",
    "pull",
    "approvals",
    "email",
    "timeout",
    "rate",
    "onboarding",
}
THEMES = [
    "the allotment",
    "the choir",
    "the night bus",
    "the chess club",
    "the weather station",
    "the old printer",
    "the lost-and-found box",
    "the bakery course",
    "the school play",
    "the coffee machine",
    "the rooftop garden",
    "the book swap",
    "the bike shed",
    "the notice board",
]
EVENTS = [
    "needs a new roof",
    "was featured on local radio",
    "attracts visitors from three villages",
    "smells of fresh paint",
    "makes a humming noise at dusk",
    "has a waiting list",
    "got a grant from the council",
    "is run by volunteers",
    "was the topic of a long thread",
    "closed early because of the storm",
    "looks better since the spring clean",
    "has its own newsletter",
]
ASIDES = [
    "nobody minded",
    "the children were delighted",
    "the minutes mention it twice",
    "it cost more than expected",
    "the neighbours helped",
    "an old photograph proves it",
    "the mayor sent flowers",
    "the key was found later",
    "the rain came through the window",
    "we laughed about it for days",
]


def unrelated(r):
    """A note about none of the families."""
    theme = r.choice(THEMES).capitalize()
    return f"{theme} near {r.choice(POOL['CITY'])} {r.choice(EVENTS)}, and {r.choice(ASIDES)}."


def surface(r, text, cased):
    """The same words in other dress: spacing, end mark, mark-up, lead-in, case (never where case carries meaning)."""
    text, k = text.removeprefix("- "), r.randrange(8 if cased else 9)
    if k == 0:
        return text.rstrip(".")
    if k == 1:
        return text[:-1] + "!"
    if k == 2:
        return "  " + text.replace(" ", "  ", 1)
    if k == 3:
        return "- " + text
    if k == 4:
        return "Note: " + text
    if k == 5:
        return "**Reminder:** " + text
    if k == 6:
        return text.replace("'", "’").replace(" ", "\u00a0", 1)
    if k == 7:
        head, tail = text[:-1].rsplit(" ", 1)
        return text if "`" in tail else f"{head} **{tail}**."
    return text.lower()


def parse(spec):
    """The slots of a family as {letter: pool name}."""
    return dict(x.split(":", 1) for x in spec.split())


def draw(r, kind):
    """One value for a slot of this kind."""
    if kind in ("P", "GIVEN"):
        return r.choice(GIVEN) if kind == "GIVEN" else f"{r.choice(GIVEN)} {r.choice(FAMILY)}"
    if kind == "DATE":
        return Day(r.randint(2024, 2027), r.randint(1, 12), r.randint(1, 28))
    if kind == "TIME":
        return Clock(r.choice((*range(1, 12), *range(13, 24))) * 60 + r.choice((0, 0, 15, 30, 45)))
    if kind[0].isdigit():
        return Num(r.randint(*map(int, kind.split("-"))))
    return r.choice(POOL[kind])


def other(r, kind, value, taken=()):
    """A value near this one: half a name, the other half of the day, another day of the month, one digit off."""
    while True:
        new = draw(r, kind)
        if kind == "P":
            given, last = value.split(" ", 1)
            new = f"{r.choice(GIVEN)} {last}" if r.random() < 0.6 else f"{given} {r.choice(FAMILY)}"
        elif kind == "TIME" and value % 720 >= 60 and r.random() < 0.5:
            new = Clock((value + 720) % 1440)
        elif kind == "DATE":
            new = r.choice(
                (
                    value.replace(day=r.randint(1, 28)),
                    value.replace(month=r.randint(1, 12)),
                    value.replace(year=r.randint(2024, 2027)),
                )
            )
        if new != value and new not in taken:
            return new


def fill(r, slots):
    """Values for all slots, no two slots of one kind alike."""
    values = {}
    for letter, kind in slots.items():
        while True:
            v = draw(r, kind)
            twins = [values[x] for x in values if slots[x] == kind]
            if v not in twins and not (kind == "P" and v.split()[0] in {t.split()[0] for t in twins}):
                break
        values[letter] = v
    return settle(slots, values)


def settle(slots, values):
    """A path that holds the service's name follows the service."""
    for letter, kind in slots.items():
        if kind == "CONFIG":
            head, leaf = values[letter].split("/")[1], values[letter].split("/", 3)[3]
            values[letter] = f"/{head}/{values['s']}/{leaf}"
        elif kind == "PREFB" and POOL["PREFB"].count(values[letter]):
            values[letter] = POOL["PREFB"][POOL["PREFA"].index(values["x"])]
    return values


def in_order(name, values):
    """The values with those of symmetric slots in alphabetic order."""
    values = dict(values)
    for s in FAM[name][1].split():
        if s[0] == "=" and values[s[1]] > values[s[2]]:
            values[s[1]], values[s[2]] = values[s[2]], values[s[1]]
    return values


def key_of(name, values):
    """The key of the fact that a family states about these values."""
    return (name, *sorted((k, str(v)) for k, v in in_order(name, values).items()))


def near_miss(r, name, values, form):
    """One near miss of a fact: (text, key, kind)."""
    spec, swaps, forms, wrong = FAM[name]
    slots = parse(spec)
    ways = [("wrong", k) for k in wrong] + [("slot", x) for x in slots]
    ways += [("swap", s) for s in swaps.split() if s[0] != "="] * 2
    way, what = r.choice(ways)
    if way == "wrong":
        i = r.randrange(len(wrong[what]))
        changed = [x for x in slots if "{" + x + "2" in wrong[what][i]]
        more = {x + "2": other(r, slots[x], values[x], set(values.values())) for x in changed}
        key = (*key_of(name, values), what, i, *(f"{k}={v}" for k, v in sorted(more.items())))
        return wrong[what][i].format(**values, **more), key, what
    new = dict(values)
    if way == "swap":
        new[what[0]], new[what[1]] = values[what[1]], values[what[0]]
        return forms[form].format(**new), key_of(name, new), "role"
    if slots[what] in ("PREFA", "PREFB"):  # the pair goes together
        pair = r.choice(
            [
                i
                for i, x in enumerate(POOL["PREFA"])
                if x not in values.values() and POOL["PREFB"][i] not in values.values()
            ]
        )
        new["x"], new["y"] = POOL["PREFA"][pair], POOL["PREFB"][pair]
    else:
        twins = {values[x] for x in slots if x != what and slots[x] == slots[what]}
        new[what] = other(r, slots[what], values[what], twins)
    new = new if slots[what] == "PREFB" else settle_config(slots, new)
    kind = KIND_OF_SLOT.get(slots[what], "number" if slots[what][0].isdigit() or slots[what] == "DATE" else "entity")
    return forms[form].format(**new), key_of(name, new), kind


def settle_config(slots, values):
    """Keep a path in step with a changed service."""
    return settle(slots, values) if "CONFIG" in slots.values() else values


def records(n, seed=7):
    """Yield n records, always the same for the same (n, seed)."""
    r = random.Random(seed)
    ids, pool, names = {}, [], list(FAM)

    def fact(key):
        return ids.setdefault(key, len(ids))

    for out in range(n):
        x = r.random()
        if x < 0.08:
            text = unrelated(r)
            rec = (text, fact(("unrelated", text)), "unrelated", None)
        elif x < 0.40 or not pool:
            name = r.choice(names)
            values, form = in_order(name, fill(r, parse(FAM[name][0]))), r.randrange(len(FAM[name][2]))
            pool.append((name, values, form))
            if len(pool) > 5000:
                pool.pop(0)
            key = key_of(name, values)
            fresh = key not in ids
            rec = (FAM[name][2][form].format(**values), fact(key), "base" if fresh else "paraphrase", None)
        else:
            name, values, form = r.choice(pool)
            forms, base, y = FAM[name][2], fact(key_of(name, values)), r.random()
            if y < 0.10:
                rec = (forms[form].format(**values), base, "exact", None)
            elif y < 0.22:
                rec = (surface(r, forms[form].format(**values), name in CASED), base, "surface", None)
            elif y < 0.46:
                form = r.choice([i for i in range(len(forms)) if i != form])
                rec = (forms[form].format(**values), base, "paraphrase", None)
            else:
                text, key, kind = near_miss(r, name, values, form)
                while key == key_of(name, values):  # a path that came out the same
                    text, key, kind = near_miss(r, name, values, form)
                rec = (text, fact(key), kind, base)
        yield {"id": out, "text": rec[0], "fact": rec[1], "kind": rec[2], "near": rec[3]}


def main():
    """Write the records as JSON lines."""
    p = argparse.ArgumentParser(description="Synthetic agent notes with ground truth.")
    p.add_argument("n", type=int)
    p.add_argument("out")
    p.add_argument("--seed", type=int, default=7)
    a = p.parse_args()
    with Path(a.out).open("w", encoding="utf-8") as fh:
        fh.writelines(json.dumps(rec, ensure_ascii=False) + "\n" for rec in records(a.n, a.seed))


if __name__ == "__main__":
    main()
