"""What the offline judge decides, what it leaves open, and that it is symmetric, total and bounded."""

from __future__ import annotations

import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reverie.judge.questions import Related, Verdict
from reverie.judge.rules import relate, says_no_more, update_marker
from reverie.text import slots as text_slots
from reverie.text.analysis import analyse
from reverie.text.slots import CLAUSES, SLOTS, facts, slots


def pairs(text: str) -> list[tuple[str, str]]:
    return [(a, b) for a, _, b in (line.partition(" | ") for line in text.strip().splitlines())]


CLASHES = {
    "residence": """
Bea Adler is based in Quito. | Bea Adler moved to Turin.
Bea Adler's home is in Oslo. | Bea Adler moved to Turin.
Bea lives in Quito. | Bea has moved from Quito to Turin.
The user lives in Lisbon with her partner. | The user moved to Porto last month.
My home is in Berlin. | I now live in Hamburg.
""",
    "employer": """
Tom works at Acme. | Tom left Acme and now works at Globex.
Tom is employed by Acme. | Tom doesn't work at Acme anymore.
Tom's employer is Acme. | Tom's employer changed from Acme to Globex.
""",
    "port": """
The API listens on port 8080. | The API listens on port 9090.
Ana runs Postgres on port 5432. | Ana moved Postgres to port 5433.
Redis port: 6379 | Redis port: 6380
""",
    "version": """
Ana pinned Kotlin to version 9. | Ana upgraded Kotlin to version 10.
Postgres is at version 14. | Postgres was upgraded to version 16.
""",
    "deadline": """
The report is due on Friday. | The report is due on Monday.
The deadline for the report is Friday. | The deadline for the report was moved to Monday.
The launch is on May 1, 2026. | The launch was postponed to May 15, 2026.
""",
    "polarity": """
Mira is vegetarian. | Mira is not vegetarian.
Mira eats meat. | Mira never eats meat.
Mira likes cilantro. | Mira hates cilantro.
Dark mode is on. | Dark mode is off.
Tests can be skipped. | Tests cannot be skipped.
There is no printer in the office. | There is a printer in the office.
I have never met Kelly at a book club. | I met Kelly at the book club in October.
""",
    "role": """
The owner of the billing service is Mira. | The owner of the billing service is Jo.
Ana's manager is Bob. | Ana's manager is Carol.
Bob is Ana's manager. | Bob is no longer Ana's manager.
""",
    "schedule": """
The stand-up is at 9:15. | The stand-up moved to 9:30.
The weekly sync is on Tuesdays at 10:00. | The weekly sync is on Thursdays at 10:00.
The backup job runs daily at 02:00. | The backup job runs daily at 04:00.
""",
    "value": """
The default theme is dark. | The default theme is light.
The timeout is 30 seconds. | The timeout is 45 seconds.
The rent is 900 euros per month. | The rent is 950 euros per month.
Harborlight has 42 employees. | Harborlight now has 57 employees.
Ana's favourite colour is blue. | Ana's favourite colour is green.
Ana uses vim. | Ana switched from vim to emacs.
Ana usually orders tea. | Ana now orders coffee instead.
""",
}
COMPATIBLE = {
    "many values": """
Ana likes tea. | Ana likes coffee.
Ana speaks French. | Ana speaks German.
Ana uses Postgres. | Ana uses Redis.
Ana has a dog. | Ana has a cat.
Ana's brother is Tom. | Ana's brother is Max.
Ana owes Orbital 3299 euros. | Ana owes Deltamax 231 euros.
Ana runs Postgres on port 5432. | Ana runs Redis on port 6379.
The meeting with Acme is on Tuesday at 10:00. | The meeting with Globex is on Thursday at 14:00.
Ana booked flight 101 to Oslo. | Ana booked flight 345 to Oslo.
Ana swims on Mondays. | Ana swims on Fridays.
Mira owns the billing service. | Jo owns the billing service too.
""",
    "other subject": """
Issue 12 is open. | Issue 13 is closed.
The car is red. | The bike is blue.
Ana lives in Oslo. | Ana's brother lives in Bergen.
He lives in Oslo. | He lives in Bergen.
She is the manager. | She is not the manager.
""",
    "environment": """
In staging the timeout is 30 seconds. | In production the timeout is 45 seconds.
The staging server listens on port 8080. | The production server listens on port 9090.
""",
    "time": """
In 2023 the budget was 5000 euros. | In 2024 the budget was 6000 euros.
Ana met Bob on Tuesday. | Ana met Bob on Friday.
Ana lives in Oslo. | Ana used to live in Bergen.
Ana lives in Oslo. | Ana lived in Bergen.
The build passed on Monday. | The build did not pass on Tuesday.
""",
    "not stated": """
Ana lives in Oslo. | Ana plans to move to Bergen.
Ana lives in Oslo. | Ana might move to Bergen.
Ana lives in Oslo. | Bob said Ana lives in Bergen.
Ana lives in Oslo. | If Ana lived in Bergen, she would ski.
Ana lives in Oslo. | Does Ana live in Bergen?
The job may fail. | The job may not fail.
""",
    "part": """
Ana lives in Oslo. | Ana lives in Norway.
Ana lives in Oslo. | Ana lives in a small flat.
Ana works at Acme. | Ana works as a nurse.
Some jobs run at night. | Some jobs do not run at night.
5 of 20 tests failed. | 5 of 20 tests did not fail.
The timeout is 60 seconds. | The timeout is 1 minute.
At least 5 servers are needed. | At least 6 servers are needed.
""",
}


@pytest.mark.parametrize("family", CLASHES)
def test_another_value_of_one_attribute_contradicts(family):
    for a, b in pairs(CLASHES[family]):
        assert relate(a, b).verdict is Verdict.CONTRADICTS, (a, b)


@pytest.mark.parametrize("family", COMPATIBLE)
def test_what_can_be_true_together_does_not_contradict(family):
    for a, b in pairs(COMPATIBLE[family]):
        assert relate(a, b).verdict not in (Verdict.CONTRADICTS, Verdict.SAME), (a, b)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Jonas Weber works at Harborlight.", "Jonas Weber is employed by Harborlight."),
        ("Note: the stand-up is at 9:15 am.", "The stand-up is at 09:15"),
    ],
)
def test_what_the_guard_clears_is_the_same(a, b):
    assert relate(a, b).verdict is Verdict.SAME


@pytest.mark.parametrize(
    ("a", "b", "reason"),
    [
        ("Ana Abbott lives in Lisbon.", "Bo Castro lives in Lisbon.", "subject"),
        ("Ana likes tea.", "Ana likes coffee.", "values"),
        ("The dev cluster has 3 nodes.", "The prod cluster has 3 nodes.", "environment"),
        ("Ana Abbott lives in Lisbon.", "Ivo Kaldor painted a heron.", "apart"),
    ],
)
def test_surely_another_matter_is_unrelated(a, b, reason):
    assert relate(a, b) == Related(Verdict.UNRELATED, reason)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Ana manages Bo.", "Bo manages Ana."),
        ("Someone is cutting a tomato.", "The person is slicing a vegetable."),
        ("Ana Berg lives in Lisbon.", "Berg lives in Lisbon."),
    ],
)
def test_what_no_rule_is_sure_of_is_unsure(a, b):
    assert relate(a, b).verdict is Verdict.UNSURE


def test_reasons_name_what_decided():
    reasons = {
        ("Bea lives in Quito.", "Bea lives in Turin."): "slot:residence",
        ("The API listens on port 80.", "The API listens on port 81."): "number",
        ("The timeout is 30 seconds.", "The timeout is 30 minutes."): "unit",
        ("The report is due on Friday.", "The report is due on Monday."): "date",
        ("Mira is vegetarian.", "Mira is not vegetarian."): "negation",
        ("Mira likes tea.", "Mira hates tea."): "antonym",
    }
    assert {pair: relate(*pair).reason for pair in reasons} == reasons


UPDATES = """
Bea moved to Turin. | Bea is based in Quito. | moved to
Bea moved from Quito to Turin. | Bea is based in Quito. | moved to
Bea no longer lives in Quito. | Bea lives in Quito. | no longer
Bea used to live in Quito. | Bea lives in Quito. | used to
Ana switched from vim to emacs. | Ana uses vim. | switched to
Ana now orders coffee instead. | Ana usually orders tea. | instead
Ana does not use Jenkins any more. | Ana uses Jenkins. | anymore
Ana's Atlas team has grown to 12 people. | Ana leads the Atlas team of 8 people. | grown to
Correction: Ana was born on May 3. | Ana was born on May 5. | correction
The report is now due on Monday. | The report is due on Friday. | now
As of May, the office is in Bergen. | The office is in Oslo. | as of
Anna wohnt nicht mehr in Berlin. | Anna wohnt in Berlin. | nicht mehr
Marie habite désormais à Lyon. | Marie habite à Paris. | désormais
Ana ya no vive en Lima. | Ana vive en Lima. | ya no
"""
NO_UPDATES = """
Bea plans to move to Turin. | Bea is based in Quito.
Did Bea move to Turin? | Bea is based in Quito.
Bea has not moved to Turin. | Bea is based in Quito.
Tom says Bea moved to Turin. | Bea is based in Quito.
Tom moved to Turin. | Bea is based in Quito.
Bea is based in Quito. | Bea moved to Turin.
Bea is busy right now. | Bea works at Acme.
Bea no longer likes tea. | Bea likes coffee.
Bea now likes tea. | Bea likes coffee.
Bea now also speaks German. | Bea speaks French.
Anna wohnt nicht mehr in Rom. | Anna wohnt in Berlin.
Ana switched from vim to emacs. | Ana uses Jenkins.
The team uses Redis instead of Kafka. | The team uses Redis rather than Kafka.
Wenn Anna umgezogen ist, rufen wir an. | Anna wohnt in Berlin.
Logo.svg was moved from exports to private. | Flora moved logo.svg from exports to private.
"""


def test_an_update_is_told_by_its_own_words():
    for line in UPDATES.strip().splitlines():
        newer, older, mark = line.split(" | ")
        assert update_marker(newer, older) == mark, line


def test_no_update_is_read_into_a_plan_a_question_or_another_matter():
    for newer, older in pairs(NO_UPDATES):
        assert update_marker(newer, older) is None, (newer, older)


def test_explicit_is_a_contradiction_that_says_of_itself_what_changed():
    assert relate("Bea is based in Quito.", "Bea moved to Turin.").explicit
    assert relate("Bea moved to Turin.", "Bea is based in Quito.").explicit
    assert not relate("Bea is based in Quito.", "Bea lives in Turin.").explicit
    assert not relate("Bea is based in Quito.", "Bea plans to move to Turin.").explicit


@pytest.mark.parametrize(
    ("older", "more"),
    [
        ("Bea is based in Quito.", False),
        ("Bea is based in Quito. She has two cats.", True),
        ("Bea is based in Quito, and Tom works at Acme.", True),
        ("Since I have increased my snack budget to $65, can you suggest a film that we all would like to see?", True),
    ],
)
def test_an_update_replaces_only_what_says_no_more(older, more):
    newer = (
        "Bea moved to Turin."
        if "Bea" in older
        else "I have now increased my snack budget to $75 for the whole weekend."
    )
    assert says_no_more(older, newer) is not more
    assert says_no_more(older, f"{newer} {older}")


def test_slots_of_one_attribute_share_a_key_whatever_the_wording():
    told = ["Bea Adler is based in Quito", "Bea Adler moved to Turin", "Bea Adler's home is in Oslo"]
    found = [next(slot for slot in slots(text) if slot.value) for text in told]
    assert len({slot.key for slot in found}) == 1
    assert [slot.value for slot in found] == ["quito", "turin", "oslo"]
    assert all(slot.single and not slot.negated and len(slot.key) == 16 for slot in found)
    assert found[0].label == "bea adler · lives in"


def test_what_takes_many_values_is_not_single():
    for text in ("Ana likes tea.", "Ana uses Redis.", "Ana speaks French.", "Ana knows Rust.", "Ana owns the shop."):
        assert not any(slot.single for slot in slots(text) if slot.value not in ("", "for")), text


VOCABULARY = (
    "Ana Bo lives works moved not never no longer now at in to from on port 80 81 5 May is the of 's was , . : ? if "
    "Oslo Turin red blue staging production instead switched have been i my likes hates version owner manager"
)
WORDS = st.lists(st.sampled_from(VOCABULARY.split()), max_size=14).map(" ".join)
TEXT = WORDS | st.text(alphabet=string.printable + "äßé中😀\u200b\u00a0", max_size=60)


@settings(max_examples=300, deadline=None)
@given(TEXT, TEXT)
def test_relate_is_symmetric_deterministic_and_total(a, b):
    answer = relate(a, b)
    assert answer == relate(b, a) == relate(a, b)
    assert answer.explicit is (
        answer.verdict is Verdict.CONTRADICTS and bool(update_marker(a, b) or update_marker(b, a))
    )


@settings(max_examples=200, deadline=None)
@given(TEXT)
def test_slots_are_total_bounded_and_never_clash_with_themselves(text):
    told = slots(text)
    assert told == slots(text)
    assert len(told) <= SLOTS
    assert relate(text, text).verdict is not Verdict.CONTRADICTS


class Counted:
    """Counts the calls of a function of the slots."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
        self.calls = 0
        real = getattr(text_slots, name)

        def counting(*args: object) -> object:
            self.calls += 1
            return real(*args)

        monkeypatch.setattr(text_slots, name, counting)


UNITS = ["Ana lives in Oslo. ", "not never no ", "moved to ", "i have never met ", "now instead of x to ", "a, ", "Ä "]


@pytest.mark.parametrize("unit", UNITS)
def test_of_a_text_beyond_the_limits_of_the_analysis_no_slot_is_read(unit, monkeypatch):
    read = Counted(monkeypatch, "readings")
    long = (unit * (32_768 // len(unit) + 1))[:32_768]
    assert analyse(long).too_long
    assert relate(long, long[:-9] + "other 81.").verdict is not Verdict.SAME
    assert facts(long) == ()
    assert read.calls == 0


def test_only_the_first_clauses_of_a_text_are_read(monkeypatch):
    read, told = Counted(monkeypatch, "readings"), Counted(monkeypatch, "facts_of")
    many = "".join(f"Ana{n} likes tea. " for n in range(100))
    assert not analyse(many).too_long
    assert len(slots(many)) <= SLOTS
    assert read.calls == CLAUSES
    assert told.calls <= 6 * CLAUSES
