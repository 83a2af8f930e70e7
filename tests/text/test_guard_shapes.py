"""General English moves (fronting, passive, clefts, datives) with words that no lexicon lists, and near misses.

Each mechanism has pairs that must clear and, at least as many, pairs that look like it and must not."""

from __future__ import annotations

import pytest

from reverie.text.guard import Outcome, analyse, compare

CLEAR: dict[str, list[tuple[str, str]]] = {
    "fronting": [
        ("In Graz, the blimp zorbs the gate.", "The blimp zorbs the gate in Graz."),
        ("For zorble, Mira greases the hinge.", "Mira greases the hinge for zorble."),
        ("Until 24 August 2024, the vat is rented.", "The vat is rented until 2024-08-24."),
        ("On 2026-05-10 at 6:15 pm, Mira tunes the harp.", "Mira tunes the harp on 10 May 2026 at 18:15."),
        ("When the flow is above 48 %, the valve shuts.", "The valve shuts when the flow is above 48%."),
        ("If the vat leaks, the horn blares.", "The horn blares if the vat leaks."),
        ("In winter the pipes are drained.", "The pipes are drained in winter."),
        ("Before a merge in `x/y`, the bot pings Mira.", "The bot pings Mira before a merge in `x/y`."),
        ("Every Saturday, Mira waters the ferns.", "Mira waters the ferns on Saturdays."),
        ("The blue bin is emptied every Friday in Graz.", "In Graz, the blue bin is emptied every Friday."),
        ("The pass for Bo in Graz lapses on 3 May 2026.", "In Graz, the pass for Bo lapses on 2026-05-03."),
        ("At 14:00 every day, the pump starts.", "The pump starts every day at 2 pm."),
        ("On April 15, 2026, Mira rents a kiln.", "Mira rents a kiln on 15 April 2026."),
    ],
    "passive": [
        ("The garage was frobbed blue by Cora.", "Cora frobbed the garage blue."),
        ("The crate was stolen by Cora.", "Cora stole the crate."),
        ("The hive is tended by Cora.", "Cora tends the hive."),
        ("The form will be stamped by Cora.", "Cora will stamp the form."),
        ("The form has been stamped by Cora.", "Cora has stamped the form."),
        ("The form was not stamped by Cora.", "Cora did not stamp the form."),
        ("The form must be stamped by the clerk.", "The clerk must stamp the form."),
        ("Bo was introduced to Dina by Cora.", "Cora introduced Bo to Dina."),
        ("Ferrum was bought by Korda for 5 million euros in 2019.", "Korda bought Ferrum for 5 million euros in 2019."),
    ],
    "cleft": [
        ("It was Cora who frobbed the gate.", "Cora frobbed the gate."),
        ("It is Cora who keeps the key.", "Cora keeps the key."),
        ("It was the disk that caused the outage.", "The disk caused the outage."),
        ("Cora is the one who keeps the key.", "Cora keeps the key."),
        ("The one who approved the budget was Cora.", "Cora approved the budget."),
        ("What the parser needs is a schema.", "The parser needs a schema."),
        ("It was in Turin that Eva met Karl.", "Eva met Karl in Turin."),
    ],
    "arguments": [
        ("Cora sold Bo a red kayak.", "Cora sold a red kayak to Bo."),
        ("Bo bought a red kayak from Cora.", "Cora sold a red kayak to Bo."),
        ("A red kayak was sold to Bo by Cora.", "Cora sold Bo a red kayak."),
        ("Cora lent Bo 20 euros.", "Bo borrowed 20 euros from Cora."),
        ("Cora teaches Bo knitting.", "Bo is taught knitting by Cora."),
        ("Cora supplies Bo with clay.", "Cora supplies clay to Bo."),
        ("Bo takes over the rota from Cora.", "Cora hands over the rota to Bo."),
    ],
    "noun": [
        ("The gauge of the boiler is green.", "The boiler's gauge is green."),
        ("Fritillary is the emblem of the club.", "The club's emblem is Fritillary."),
        ("**Emblem of the club:** Fritillary", "The emblem of the club is Fritillary."),
        ("Ewa, Cora's niece, is in year six.", "Cora's niece Ewa is in year 6."),
        ("Cora has a white newt whose name is Pickle.", "Cora has a white newt named Pickle."),
        ("Cora has a white newt called Pickle.", "Cora has a white newt named Pickle."),
        ("There are 14 looms in the mill.", "The mill has 14 looms."),
        ("The kayak with the green stripe belongs to Cora.", "Cora owns the kayak with the green stripe."),
        ("In Cora's house the fuse box is located in the attic.", "The fuse box is in the attic in Cora's house."),
        ("Bo has a lamb named Ida.", "Bo's lamb is called Ida."),
        ("The name of Bo's lamb is Ida.", "Bo's lamb is Ida."),
        ("The build of Vat takes 12 minutes.", "Vat's build takes 12 minutes."),
        ("Bo moved from Oslo to Graz in 2021.", "In 2021, Bo moved to Graz from Oslo."),
        ("The lamp of the loft is switched on.", "The lamp of the loft is on."),
    ],
    "comparison": [
        ("Ida is 13 years older than Bo.", "Bo is 13 years younger than Ida."),
        ("Ida is older than Bo by 13 years.", "Ida is 13 years older than Bo."),
        ("Ida is taller than Bo.", "Bo is shorter than Ida."),
        ("Cora prefers tea over coffee.", "Cora prefers tea to coffee."),
        ("Given the choice between tea and coffee, Cora prefers tea.", "Cora prefers tea to coffee."),
        ("Use uv rather than pip.", "Use uv instead of pip."),
        ("The cache holds no more than 500 entries.", "The cache holds at most 500 entries."),
    ],
    "and": [
        ("Cora runs on Wednesdays and swims on Fridays.", "Cora swims on Fridays and runs on Wednesdays."),
        ("Cora leads Fern, and Bo leads Moss.", "Fern is led by Cora, and Moss is led by Bo."),
        ("Vat uses Redis in staging and Kafka in production.", "Vat uses Kafka in production and Redis in staging."),
        ("In staging Vat uses Redis, and in production Vat uses Kafka.",
         "Vat uses Redis in staging and Kafka in production."),
        ("Cora speaks both Tamil and Welsh.", "Cora speaks Welsh and Tamil."),
    ],
    "spelling": [
        ("Cora eats no eggs on Mondays.", "Cora doesn't eat eggs on Mondays."),
        ("The vat is at minus five degrees Celsius.", "The vat is at -5 °C."),
        ("A dozen eggs are left.", "12 eggs are left."),
        ("Each guest pays 9 euros.", "Every guest pays 9 euros."),
        ("The train leaves at 9.15 pm.", "The train leaves at 21:15."),
        ("The dentist is at 3 o'clock in the afternoon.", "The dentist is at 15:00."),
        ("Cora can't knit.", "Cora cannot knit."),
        ("The limit is 30 km/h.", "The limit is 30 kilometres per hour."),
        ("The fee must be paid.", "The fee has to be paid."),
    ],
    "case": [
        ("It is on DuckDB at Juniper-Labs.", "it is on duckdb at juniper-labs"),
        ("The variable is `Token`.", "The variable is Token."),
        ("Cora uses `UserStore` here.", "Cora uses UserStore here."),
    ],
}  # fmt: skip
APART: dict[str, list[tuple[str, str]]] = {
    "fronting": [
        ("In staging Cora uses Redis and Bo uses Kafka.", "Cora uses Redis and in staging Bo uses Kafka."),
        ("In staging, Cora uses Redis and Bo uses Kafka.", "Cora uses Redis and Bo uses Kafka in staging."),
        ("The user in Oslo called the boss.", "The user called the boss in Oslo."),
        ("The server in Oslo mirrors the server.", "The server mirrors the server in Oslo."),
        ("In Oslo, the server mirrors Graz.", "In Graz, the server mirrors Oslo."),
        ("Before the merge, the bot pings Mira after the build.", "After the merge, the bot pings Mira before the build."),
        ("Copy the file from Oslo to Graz.", "Copy the file from Graz to Oslo."),
        ("Only in staging, the bot pings Mira.", "In staging, the bot pings only Mira."),
        ("In all regions, one server runs.", "In one region, all servers run."),
        ("In every region, some server runs.", "Some server runs in every region."),
        ("If the vat leaks, the horn blares.", "If the horn blares, the vat leaks."),
        ("When the vat leaks, the horn blares.", "If the vat leaks, the horn blares."),
        ("Unless it rains, Cora walks.", "If it rains, Cora walks."),
        ("Until 3 May, the vat is rented.", "From 3 May, the vat is rented."),
        ("On Mondays, Cora knits.", "Not on Mondays, Cora knits."),
        ("Because it rained, Cora did not go.", "Cora did not go because it rained."),
        ("The meeting on Monday is moved to Friday.", "The meeting on Friday is moved to Monday."),
        ("The report of Monday is due on Friday.", "The report of Friday is due on Monday."),
        ("Cora moved the meeting on Monday to Graz.", "Cora moved the meeting to Graz on Tuesday."),
        ("The manager in Oslo has 3 offices.", "The manager has 3 offices in Oslo."),
        ("Every other Saturday, Cora knits.", "Every Saturday, Cora knits."),
        ("Without Bo, Cora runs the shop.", "With Bo, Cora runs the shop."),
        ("The pass for Bo in Graz lapses.", "The pass in Graz for Cora lapses."),
        ("The bin is emptied every Friday in Graz.", "The bin is emptied in Graz every second Friday."),
        ("At work, Cora swims and runs.", "Cora runs and swims at work."),
        ("By Friday, Cora mends the gate.", "On Friday, Cora mends the gate."),
    ],
    "passive": [
        ("Cora frobbed Bo.", "Bo frobbed Cora."),
        ("Bo was frobbed by Cora.", "Bo frobbed Cora."),
        ("Bo was frobbed by Cora.", "Cora was frobbed by Bo."),
        ("Bo is led by Cora.", "Cora led Bo."),
        ("The gate has been painted by Cora.", "Cora painted the gate."),
        ("The gate was painted by Cora.", "Cora has painted the gate."),
        ("The gate will be painted by Cora.", "Cora would paint the gate."),
        ("The gate was not painted by Cora.", "Cora painted the gate."),
        ("The gate was painted by Friday.", "Friday painted the gate."),
        ("The gate was painted by hand.", "Hand painted the gate."),
        ("The pot in the kitchen was found by the man.", "The man in the kitchen found the pot."),
        ("The pot was found by the man in the kitchen.", "The pot in the kitchen was found by the man."),
        ("All tests were not run by Cora.", "Cora did not run all tests."),
        ("Every file is read by some job.", "Some job reads every file."),
        ("Each file is read by one job.", "Only one job reads each file."),
        ("The gate was painted by Cora and Bo.", "Cora painted the gate and Bo."),
        ("The gate is being painted by Cora.", "Cora paints the gate."),
        ("Bo was introduced to Dina by Cora.", "Cora introduced Dina to Bo."),
        ("Bo was moved to Dina's team by Cora.", "Dina was moved to Bo's team by Cora."),
        ("The gate can be painted by Cora.", "Cora painted the gate."),
    ],
    "cleft": [
        ("It was Cora who frobbed the gate.", "It was not Cora who frobbed the gate."),
        ("It was Cora who frobbed Bo.", "It was Bo who frobbed Cora."),
        ("It was Cora that Bo frobbed.", "Cora frobbed Bo."),
        ("It was only Cora who frobbed the gate.", "Cora frobbed the gate."),
        ("It was Cora who keeps the key.", "Cora kept the key."),
        ("Cora is the one who keeps the key.", "Cora is not the one who keeps the key."),
        ("What Cora needs is Bo.", "What Bo needs is Cora."),
        ("Was it Cora who frobbed the gate?", "It was Cora who frobbed the gate."),
    ],
    "arguments": [
        ("Cora sold a red kayak to Bo.", "Bo sold a red kayak to Cora."),
        ("Cora sold a red kayak to Bo.", "Cora bought a red kayak from Bo."),
        ("A red kayak was sold to Bo by Cora.", "A red kayak was sold by Bo to Cora."),
        ("Cora lent Bo 20 euros.", "Cora borrowed 20 euros from Bo."),
        ("Cora lent Bo 20 euros.", "Cora gave Bo 20 euros."),
        ("Cora supplies Bo with clay.", "Bo supplies Cora with clay."),
        ("Cora supplies clay to Bo.", "Cora supplies Bo to clay."),
        ("Bo takes over the rota from Cora.", "Cora takes over the rota from Bo."),
        ("Bo takes over the rota from Cora.", "Bo hands over the rota to Cora."),
        ("Cora sent the crate from Oslo to Graz.", "Cora sent the crate from Graz to Oslo."),
        ("Cora sent the crate to Bo.", "Cora sent the crate for Bo."),
        ("Cora will lend Bo a saw.", "Cora lent Bo a saw."),
        ("Cora introduced Bo to Dina.", "Cora introduced Dina to Bo."),
        ("Cora owes Bo 5 euros.", "Bo owes Cora 5 euros."),
    ],
    "noun": [
        ("The gauge of the boiler is green.", "The boiler of the gauge is green."),
        ("Cora is a friend of Bo's boss.", "Bo is a friend of Cora's boss."),
        ("Cora's rival is Bo.", "Bo's rival is Cora."),
        ("Bo is the rival of Cora.", "Cora is the rival of Bo."),
        ("Ewa, Cora's niece, is in year six.", "Ewa Cora's niece is in year six."),
        ("Ewa, Cora's niece, is in year six.", "Cora, Ewa's niece, is in year six."),
        ("Ewa Chen's niece is ill.", "Ewa, Chen's niece, is ill."),
        ("Cora has a white newt named Pickle.", "Cora has a white newt, Pickle has none."),
        ("Cora called Bo.", "Cora named Bo."),
        ("Cora has called Bo.", "Cora has named Bo."),
        ("There are 14 looms in the mill.", "There are 14 mills in the loom."),
        ("There were 14 looms in the mill.", "The mill has 14 looms."),
        ("There are no looms in the mill.", "The mill has looms."),
        ("The kayak belongs to Cora.", "Cora belongs to the kayak."),
        ("The kayak belonged to Cora.", "Cora owns the kayak."),
        ("Bo has a lamb named Ida.", "Ida has a lamb named Bo."),
        ("Bo has a lamb named Ida.", "Bo has a black lamb named Ida."),
        ("Bo moved from Oslo to Graz.", "Bo moved to Oslo from Graz."),
        ("The build of Vat takes 12 minutes.", "The vat of the build takes 12 minutes."),
        ("The lamp is switched on by Cora.", "The lamp is on."),
        ("The lamp is switched on.", "The lamp is switched off."),
        ("The emblem of the club was a fern.", "The emblem of the club is a fern."),
        ("The emblem of the club is not a fern.", "The emblem of the club is a fern."),
        ("Part of the club is green.", "The club is green."),
        ("Bo's view: red", "Red's view: Bo"),
    ],
    "comparison": [
        ("Ida is 13 years older than Bo.", "Ida is 13 years younger than Bo."),
        ("Ida is 13 years older than Bo.", "Bo is 13 years older than Ida."),
        ("Ida is taller than Bo.", "Ida is longer than Bo."),
        ("The rope is longer than the wire.", "The wire is shorter than the hose."),
        ("Ida is older than Bo.", "Ida is as old as Bo."),
        ("Ida was older than Bo.", "Bo is younger than Ida."),
        ("Cora prefers tea to coffee.", "Cora prefers coffee to tea."),
        ("Given the choice between tea and coffee, Cora prefers tea.",
         "Given the choice between tea and coffee, Cora prefers coffee."),
        ("Use uv rather than pip.", "Use pip rather than uv."),
        ("The cache holds no more than 500 entries.", "The cache holds more than 500 entries."),
        ("The cache holds no more than 500 entries.", "The cache holds no fewer than 500 entries."),
        ("The kite flew over Graz.", "The kite flew to Graz."),
        ("Ida is almost 3 years older than Bo.", "Bo is 3 years younger than Ida."),
    ],
    "and": [
        ("Cora runs on Wednesdays and swims on Fridays.", "Cora swims on Wednesdays and runs on Fridays."),
        ("Cora leads Fern, and Bo leads Moss.", "Cora leads Moss, and Bo leads Fern."),
        ("Vat uses Redis in staging and Kafka in production.", "Vat uses Kafka in staging and Redis in production."),
        ("Cora drinks green tea and coffee.", "Cora drinks green coffee and tea."),
        ("Old men and women came.", "Women and old men came."),
        ("Cora knits cats and dogs from Oslo.", "Cora knits dogs and cats from Oslo."),
        ("Cora married Bo and moved to Oslo.", "Cora moved to Oslo and married Bo."),
        ("Set width and height to 3 and 5.", "Set height and width to 3 and 5."),
        ("Cora runs and Bo does not swim.", "Bo does not run and Cora swims."),
        ("Cora leads Fern, and Bo led Moss.", "Cora led Fern, and Bo leads Moss."),
        ("Cora and Bo lead Fern.", "Cora or Bo leads Fern."),
        ("Cora picks the lock and it opens.", "It opens and Cora picks the lock."),
        ("Cora's dog and cat are ill.", "Cora's cat and dog are lost."),
    ],
    "spelling": [
        ("Cora eats no eggs on Mondays.", "Cora eats eggs on no Mondays."),
        ("Cora eats no more eggs.", "Cora does not eat more eggs."),
        ("The vat is at minus five degrees Celsius.", "The vat is at 5 °C."),
        ("The vat is at -5 °C.", "The vat is at -5 °F."),
        ("Ten minus five is the score.", "Ten, -5 is the score."),
        ("A dozen eggs are left.", "10 eggs are left."),
        ("Half a dozen eggs are left.", "12 eggs are left."),
        ("The dentist is at 3 o'clock in the afternoon.", "The dentist is at 3:00."),
        ("The dentist is at 3 o'clock in the afternoon.", "The dentist is at 3 o'clock in the morning."),
        ("The train leaves at 9.15 pm.", "The train leaves at 9.15 am."),
        ("The dose is 5 mg.", "The dose is 5 mcg."),
        ("The fee does not have to be paid.", "The fee must not be paid."),
        ("Every guest pays 9 euros.", "Every other guest pays 9 euros."),
    ],
    "case": [
        ("Keep US out of the loop.", "Keep us out of the loop."),
        ("Ask WHO about the vaccine.", "Ask who about the vaccine."),
        ("The variable is `Token`.", "The variable is `token`."),
        ("The class is `Httpclient`.", "The class is `HttpClient`."),
        ("The class is UserStore.", "The class is userStore."),
        ("The password is Hunter2.", "The password is hunter2."),
        ("The dose is 5 mg.", "The dose is 5 Mg."),
        ("In Graz, the class is `Foo`.", "The class is `foo` in Graz."),
    ],
}  # fmt: skip


@pytest.mark.parametrize(("a", "b"), [pair for pairs in CLEAR.values() for pair in pairs])
def test_clears(a: str, b: str) -> None:
    assert compare(a, b).outcome is Outcome.SAME
    assert analyse(a).signature == analyse(b).signature


@pytest.mark.parametrize(("a", "b"), [pair for pairs in APART.values() for pair in pairs])
def test_does_not_clear(a: str, b: str) -> None:
    assert compare(a, b).outcome is not Outcome.SAME
    assert compare(b, a).outcome is not Outcome.SAME


def test_near_misses_of_each_mechanism_are_not_fewer_than_its_pairs() -> None:
    assert CLEAR.keys() == APART.keys()
    assert all(len(APART[name]) >= len(CLEAR[name]) for name in CLEAR)


def test_a_missing_article_that_turns_a_noun_into_a_verb_is_no_restatement():
    """Found by an adversarial generator written without sight of the guard (bench/dispatches.py)."""
    pairs = [
        ("Enzo made Abel a promise to wash the van.", "Enzo made Abel promise to wash the van."),
        ("Ida saw Bo the watch over the gate.", "Ida saw Bo watch over the gate."),
    ]
    for a, b in pairs:
        assert compare(a, b).outcome is not Outcome.SAME
    assert compare("Ana Abbott has a grey cat.", "Ana Abbott has the grey cat.").outcome is Outcome.SAME
