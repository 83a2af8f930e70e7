"""Deterministic generator of adversarial agent memories with ground truth (precision check of a merge guard).

Run: python dispatches.py N OUT.jsonl [--seed 7] [--case]

Records have the format of memories.py: id, text, fact, kind, near.  Two records are duplicates if and only if
`fact` is equal.  kind is base, exact, surface or paraphrase (mergeable), unrelated, or the name of a near miss:
  role       the same kind of sentence with two participants exchanged
  value      one name, number, unit, time, version or identifier replaced
  plain      the main statement of a family, near to one of its twisted ones
  verb tense modal neg scope report ask cond order list part time attach amount   a twisted statement
Families: "@name slot=pool .. ~xy =pq ; 1:macro ; tag phrasing | phrasing ; ..".  ~xy may be exchanged, giving another
fact; =pq are kept sorted; "tag%ab" marks a statement in which the order of a and b is immaterial; $1 is a macro.
Slots a, b and c are people.  A fact is keyed by (family, statement, values of the slots that the statement uses).
--case adds identifiers that differ by letter case alone; without it no two facts share a case-folded text.
"""

import argparse
import json
import random
import re
from pathlib import Path

POOLS = """
who: Abel, Agnes, Alma, Amir, Anton, Astrid, Basil, Beatrix, Berta, Boris, Camille, Cedric, Cosima, Dagmar, Darius,
Edda, Edgar, Eloise, Enzo, Esther, Fabian, Felix, Flora, Gideon, Gloria, Gustav, Hector, Helga, Henrik, Ida, Igor,
Imogen, Isaac, Jasmin, Joel, Judith, Kasper, Klara, Leopold, Lina ; thing: drill, ladder, tent, projector, kayak,
telescope, trailer, camera, tripod, wheelbarrow, cello, sander ; svc: billing, checkout, search, catalog, ledger,
pricing, shipping, identity, invoicing, messaging, reporting, scheduling ; repo: atlas-api, atlas-app, wren-core,
wren-cli, otter-web, otter-sdk, finch-ui, finch-db, heron-jobs, heron-docs, lynx-auth, lynx-audit ; event: disk alert,
deploy freeze, queue backlog, failover, cache flush, memory spike, network outage, login storm, schema change, index
rebuild, clock drift, certificate rollover ; clause: the build was slow, the tests were skipped, the team was small,
the budget was cut, the release slipped, the docs were outdated, the queue was full, the client was unhappy, the office
was closed, the servers were idle, the audit was postponed, the backlog was long ; step: rotate the keys, stop the
workers, drain the queue, restore the dump, run the migration, clear the cache, warm the replica, lock the tables, tag
the release, page the on-call engineer, snapshot the volume ; group: contractors, interns, auditors, partners,
analysts, editors, volunteers, trainees, resellers, moderators ; res: price list, release calendar, vendor register,
risk log, salary sheet, firewall rules, style guide, incident archive, roadmap, mailing list ; machine: lathe, kiln,
forklift, generator, compressor, loom, pallet jack, band saw, milling machine, drill press, air dryer, laser cutter ;
town: Aarhus, Basel, Cadiz, Delft, Exeter, Faro, Gdansk, Haifa, Innsbruck, Jena, Kiel, Lille ; day: Monday, Tuesday,
Wednesday, Thursday, Friday, Saturday, Sunday ; file: budget.xlsx, notes.md, roster.csv, plan.pdf, logo.svg,
minutes.docx, survey.ods, index.html, seeds.sql ; folder: inbox, drafts, archive, shared, legal, finance, public,
private, exports, templates ; shelf: flour, rice, lentils, salt, sugar, candles, batteries, lightbulbs, napkins, tea
tins, jam jars, spare fuses ; kin: manager, landlord, dentist, tutor, accountant, cousin, neighbour, lawyer, trainer,
flatmate, editor, coach ; drug: metformin, methimazole, hydroxyzine, hydralazine, clonidine, clonazepam, prednisone,
prednisolone, levothyroxine, levofloxacin, lamotrigine, lamivudine ; doc: Aldridge, Bellamy, Castellan, Drummond,
Ellwood, Fairley, Grantham, Hollis, Ingram, Jessop ; subject: algebra, chemistry, Latin, drawing, history, physics,
geography, Spanish, statistics, grammar ; club: rowing, chess, theatre, debating, running, photography, gliding,
quilting, beekeeping, astronomy ; env: staging, production, sandbox, preview, testing, training ; tool: make, ninja,
bazel, nox, tox, hatch, gradle, meson, invoke ; lang: Elixir, Scala, Haskell, Lua, Perl, Julia, Erlang, Zig, Clojure,
Nim, Fortran, Ada ; proj: Amberjack, Bluefin, Cuttlefish, Dorado, Flounder, Grouper, Halibut, Mackerel, Pollock,
Sturgeon ; treat: rye bread, oolong, cider, plum cake, lemonade, miso soup, goat cheese, dark chocolate, kefir,
porridge ; job: lint, smoke, backup, export, import, license, coverage, nightly, sync, digest, scan, canary ; chore:
water the plants, feed the cat, paint the fence, book the hall, print the badges, wash the van, mend the net, carry the
luggage, call the plumber, lock the gate ; motto: slow is smooth, smooth is slow, less is more, more is less, always
ask why, always ask why not, work to live, live to work, think before you speak, speak before you think, trust but
verify, verify but trust ; firm: Arcadine, Belvora, Cindermill, Dunmoor, Eskdale, Fennimore, Galtree, Hexham, Inkwell,
Jorvik ; plan: starter, basic, team, business, premium, enterprise, annual, monthly, student, partner ; paper: lease,
petition, waiver, timesheet, will, contract, inspection form, guest book, purchase order, charter ; dish: goulash,
risotto, curry, paella, chowder, ratatouille, pilaf, stew, ragout, laksa ; food: onions, carrots, tomatoes, mushrooms,
peppers, beans, leeks, potatoes, olives, lentils ; caseid: getKey, getkey, GetKey, mapId, mapID, MapId, tmpDir, TmpDir,
tmpdir, runAll, runall, RunAll ; item: raft, sundial, lighthouse, bakery, tapestry, viaduct, barometer, greenhouse,
haystack, quill, pier, cellar ; look: mossy, crimson, lopsided, gilded, soaked, spotless, creaky, striped, tiny,
hollow, chequered ; does: whistled, sank, glowed, froze, vanished, wobbled, caught fire, fell silent, changed colour,
split
"""
POOLS = {k: v.split(", ") for k, v in (x.strip().split(": ") for x in POOLS.replace("\n", " ").split(" ; "))}
FAMILIES = """
@loan x=thing y=thing ~ab ; 1:the $x ; 2:$1 to $b ; 3:lend $b $1 ; 4:$a lent ; 5:from $a ; 6:lend $2 ; plain $4 $b $1. |
$4 $2. | $b borrowed $1 $5. | $1 was lent to $b by $a. | $1 was borrowed $5 by $b. ; verb $a gave $b $1 for good. | $a
gave $2 for good. ; verb $b returned $1 to $a. | $b gave $1 back to $a. | $b gave $a $1 back. ; verb $a sold $b $1. | $b
bought $1 $5. | $a sold $2. | $1 was sold to $b by $a. ; neg $a did not $3. | $a didn't $6. | $b did not borrow $1 $5. ;
modal $a might $3. | $a might $6. ; tense $a will $3. | $b will borrow $1 $5. | $a will $6. ; report $c says that $4 $b
$1. | $c says $4 $2. ; ask Did $a $3? | Did $a $6? ; verb $a offered to $3. | $a offered to $6. ; attach $4 $b's $x to
$c. | $4 $c $b's $x. | $c borrowed $b's $x $5. ; list%xy $4 $b $1 and the $y. | $b borrowed $1 and the $y $5.
@review n=num r=repo ; 1:pull request $n in $r ; 2:$a approved ; 3:PR $n in $r ; 4:approved by ; plain $2 $1. | $1 was
$4 $a. | In $r, $2 PR $n. | $3 was $4 $a. ; verb $a reviewed $1. | $1 was reviewed by $a. ; verb $a opened $1. | $1 was
opened by $a. ; verb $a closed $1. | $1 was closed by $a. | In $r, $a closed PR $n. ; verb $a merged $1. | $3 was merged
by $a. ; verb $a reverted $1. | $3 was reverted by $a. ; neg $a has not approved $1. | $1 has not been $4 $a. ; scope
Only $2 $1. | Nobody but $2 $1. ; scope In $r, $2 only pull request $n. | In $r, $2 pull request $n and no other. ;
scope Everyone except $2 $1. | Everyone but $2 $3. ; verb $a was asked to approve $1. ; cond $a approves $1 only if $b
approves it. ; cond $a approves $1 unless $b approves it. ; list%ab Both $a and $b approved $1. | $1 was $4 $b and $a. ;
list%ab Either $a or $b approved $1.
@depends s=svc t=svc u=svc ~st ; 1:the $s service ; 2:the $t service ; 3:depends on ; 4:$1 $3 $2 ; 5:depend on $2 ;
6:the $u service ; 7:a dependency ; plain $4. | $2 is $7 of $1. | $1 has $7 on $2. ; neg $1 does not $5. | $2 is not $7
of $1. ; tense $1 no longer $3 $2. | $1 does not $5 any more. ; tense $1 will $5. ; verb $1 calls $2. | $2 is called by
$1. ; verb $1 sends events to $2. | $2 receives events from $1. ; verb $1 blocks $2. | $2 is blocked by $1. ; scope $1
depends only on $2. | $1 $3 nothing but $2. ; scope Only $4. | Nothing except $4. ; list%tu $4 and $6. ; list%tu $4 or
$6. ; list%tu $1 $3 neither $2 nor $6. ; scope $1 $3 everything except $2. ; scope Everything except $4. ; ask Why does
$1 $5?
@cause e=event f=event ~ef ; 1:caused the $f ; 2:was caused by the $e ; 3:the $f ; 4:the $e ; 5:caused by $4 ; plain $4
$1. | $3 $2. | The cause of $3 was $4. | It was $4 that $1. ; neg $4 did not cause $3. | $3 was not $5. ; modal $4 might
have $1. | $3 might have been $5. ; time $4 happened before $3. | $3 happened after $4. ; verb $4 prevented $3. | $3 was
prevented by $4. ; verb $4 ended $3. | $3 was ended by $4. ; report $a suspects that $4 $1. | $a suspects that $3 $2. ;
report $a denies that $4 $1. | $a denies that $3 $2. ; ask Did $4 cause $3? | Was $3 $5? ; neg Nobody knows whether $4
$1. | No one knows if $3 $2. ; scope $4 was not the only cause of $3.
@because c=clause d=clause ~cd ; 1:because $c ; 2:reason why $d is that $c ; plain $d $1. | $1, $d. | The $2. ; verb $d
although $c. | Although $c, $d. ; time $d after $c. | After $c, $d. ; time $d until $c. | Until $c, $d. ; neg $d, but
not $1. ; scope $d whenever $c. | Whenever $c, $d. ; report $a claims that $d $1. ; ask Is it true that $d $1? ; modal
Perhaps $d $1. ; scope $d only $1. | The only $2.
@steps r=repo x=step y=step z=step ~xy ~yz ; 1:the $r runbook ; 2:$1 says to ; 3:According to $1, ; 4:first $x and then
$y ; 5:first $x, then $y and finally $z ; plain $2 $4. | $1 says first to $x and then to $y. | $3 $4. | $3 $x first, and
then $y. ; list%xy $2 either $x or $y. | $3 either $y or $x. ; neg $2 $x but not to $y. | $2 $x and not to $y. ; time%xy
$2 $x and $y at the same time. ; cond $2 $x if you cannot $y. | $1 says that if you cannot $y, you should $x. ; part $2
$x. | $3 $x. ; order $2 $5. | $3 $5. ; neg $1 says never to $x right after you $y. ; tense $1 used to say to $4. ; modal
$1 should say to $4.
@permit g=group h=group q=res ~gh ; 1:may edit the $q ; 2:every one of the $g ; 3:all $g $1 ; 4:$g may read the $q ;
5:edit the $q ; plain Only $g $1. | Nobody but $g $1. | No one except $g $1. ; verb Only $4. | Nobody but $4. | No one
except $4. ; scope $3. | $2 $1. ; scope Not $3. | Not $2 $1. ; neg No $g $1. | None of the $g $1. ; scope Everyone
except $g $1. | Everyone but $g $1. ; modal All $g must $5. | $2 must $5. ; list%gh Only $g and $h $1. | Nobody but $g
and $h $1. ; cond $3 without approval. | $2 $1 without approval. ; cond All $g need approval to $5. | To $5, all $g need
approval. ; scope $3 except on weekends. | Except on weekends, $3. ; scope $3 only on weekends. ; list $3, but the $h
may not.
@tally n=few m=many h=hall ; 1:of the $m sensors in hall $h ; 2:$n $1 failed ; 3:$n failed ; 4:of the $m sensors failed
; plain $1, $3. | $2. | In hall $h, $n $4. | In hall $h, $n out $4. ; neg $1, $n did not fail. | $n $1 did not fail. ;
amount At least $2. | $1, at least $3. ; amount At most $2. | $1, at most $3. ; amount Sensor $2. | $1, sensor $3. ;
amount The first $2. ; tense $1, $n will fail. | $n $1 will fail. ; verb $1, $n were replaced. | $n $1 were replaced. ;
amount About $2. ; time $2 twice. | $1, $3 twice.
@weight x=machine y=machine n=num ~xy ; 1:the $x ; 2:the $y ; 3:heavier than $2 ; 4:lighter than $1 ; 5:less than $1 ;
6:more than $2 ; plain $1 is $3. | $2 is $4. | $2 weighs $5. | $1 weighs $6. ; neg $1 is not $3. | $1 does not weigh $6.
; amount%xy $1 weighs exactly as much as $2. | $1 and $2 weigh exactly the same. ; amount $1 is $n kg $3. | $2 is $n kg
$4. | $2 weighs $n kg $5. ; amount $1 is $n pounds $3. | $2 is $n pounds $4. ; amount $1 is at least $n kg $3. ; verb $1
is newer than $2. | $2 is older than $1. ; verb $1 costs $6. | $2 costs $5. ; tense $1 used to be $3. | $2 used to be
$4. ; report $a thinks that $1 is $3. | $a thinks $2 is $4. ; ask Is $1 $3? | Is $2 $4?
@train c=town d=town k=day ~cd ; 1:the train from $c to $d ; 2:$a is taking ; 3:the train from $c ; 4:on $k ; 5:$4, $a
is travelling from $c to $d by ; 6:$a is meeting $3 in $d ; plain $2 $1 $4. | $4 $2 $1. | $5 train. ; verb $2 the bus
from $c to $d $4. | $5 bus. ; attach $2 $3 via $d $4. | $4, $2 $3 via $d. ; neg $a is not taking $1 $4. ; time Every $k
$a takes $1. | $a takes $1 every $k. ; tense $a took $1 last $k. | Last $k, $a took $1. ; verb $a missed $1 $4. | $4 $a
missed $1. ; attach $6 $4. | $4, $6. ; cond $2 $1 $4 unless $b drives. ; cond $2 $1 $4 only if $b drives. ; list $2 $1
and back $4.
@files f=file x=folder y=folder ~xy ; 1:the $x folder ; 2:the $y folder ; 3:$f was moved ; 4:from $1 to $2 ; 5:$a moved
$f ; 6:to move $f ; 7:out of $1 ; plain $5 $4. | $5 $7 into $2. | $3 $4 by $a. ; verb $a copied $f $4. | $f was copied
$4 by $a. ; part $5 $7. | $3 $7 by $a. ; part $5 into $1. | $3 into $1 by $a. ; neg $5 from $1, but not to $2. ; modal
$a wants $6 $4. | $a wants $6 $7 into $2. ; tense $a is about $6 $4. ; verb $a found $f in $1, not in $2. | $a found $f
not in $2 but in $1. ; list $a moved everything except $f $4. ; report $a asked $b $6 $4. ; verb%xy $a deleted $f from
$1 and $2. | $f was deleted from $1 and $2 by $a.
@shelves x=shelf y=shelf ~xy ; 1:directly above the $y ; 2:directly below the $x ; 3:$a keeps the ; 4:keep the ; plain
$3 $x $1. | $3 $y $2. | $1, $3 $x. ; attach $3 $x to the left of the $y. | $3 $y to the right of the $x. ; attach%xy $3
$x inside the same box as the $y. ; attach $3 $x in front of the $y. | $3 $y behind the $x. ; neg $a does not $4 $x $1.
| $a does not $4 $y $2. ; tense $a used to $4 $x $1. | $a used to $4 $y $2. ; verb $a found the $x $1. | $a found the $y
$2. ; modal $a should $4 $x $1. | $a should $4 $y $2.
@chain r=kin s=kin c=town ~rs ; 1:'s $r's $s ; 2:the $s of $a's $r ; 3:$a's $r's $s ; 4:live in $c ; 5:lives in $c ;
6:$a's $r ; plain $3 $5. | $2 $5. | $c is where $3 lives. | $c is home to $2. ; part $6 $5. | The $r of $a $5. | $c is
where $6 lives. ; list%rs $6 and $a's $s $4. | Both $a's $s and $6 $4. ; verb $3 works in $c. | $2 works in $c. | $c is
where $3 works. ; tense $3 used to $4. | $2 used to $4. ; neg $3 does not $4. | $2 does not $4. ; attach $3 in $c is
ill. ; report $6 says that $a's $s $5. | According to $6, $a's $s $5. ; modal $3 wants to $4. | $2 wants to $4.
@boss ~ab ; 1:line manager ; 2:$b was hired by ; 3:$b's $1 ; 4:the $1 of ; plain $a is $3. | $3 is $a. | $a is $4 $b. ;
tense $a used to be $3. | $3 used to be $a. ; tense $a will be $3. | $3 will be $a. ; neg $a is not $3. | $3 is not $a.
; verb $a hired $b. | $2 $a. | It was $a who hired $b. ; verb $a mentors $b. | $b is mentored by $a. ; modal $a wants to
be $3. | $a wants to be $4 $b. ; part%ab $a and $b have the same $1. | $4 $a is also $4 $b. ; attach $a's $1 hired $b. |
$2 $a's $1. | $2 $4 $a. ; attach $a hired $3. | $3 was hired by $a. | $4 $2 $a. ; report $c says that $a hired $b. | $c
says $2 $a. ; verb $a fired $b. | $b was fired by $a. | It was $a who fired $b.
@pills m=drug n=drug ~mn ; 1:before breakfast ; 2:$a takes $m ; 3:take $m ; 4:breakfast, $2 ; 5:$1, $a ; plain $2 $1. |
$1, $2. | $m is taken by $a $1. ; time $2 after breakfast. | After $4. ; attach $2 with breakfast. | With $4. ; attach
$2 instead of breakfast. | Instead of $4. ; scope $a takes only $m $1. | $5 takes nothing but $m. ; scope $2 only $1. |
$2 $1 and at no other time. ; neg $a does not $3 $1. | $5 does not $3. ; tense $a used to $3 $1. | $5 used to $3. ;
modal $a must not $3 $1. | $5 must not $3. ; modal $a should $3 $1. | $5 should $3. ; list%mn $2 or $n $1. ; verb $a
prescribes $m $1. ; verb $a forgot to $3 $1. | $5 forgot to $3.
@visit l=doc k=day t=clock ~ab ; 1:an eye appointment with Dr $l ; 2:the eye appointment with Dr $l ; 3:on $k at $t ;
4:$a has no eye appointment with Dr $l ; 5:$a has $1 ; 6:$a moved $2 ; plain $5 $3. | $3, $5. | $a has an eye
appointment $3 with Dr $l. ; verb $a cancelled $2 $3. ; verb $a missed $2 $3. ; verb $6 to $k at $t. | $6 to $t on $k. ;
verb $6 from $k at $t. | $6 from $t on $k. ; modal $a would like $1 $3. ; time $5 on $k before $t. | On $k before $t,
$5. ; time $5 on $k after $t. ; list $a booked $b $1 $3. | For $b, $a booked $1 $3. ; attach $a's mother has $1 $3. ;
ask Does $a have $1 $3? ; neg $4 $3. | $3, $4.
@lesson j=subject ~ab ; 1:to teach ; 2:$a teaches ; 3:$2 $b $j ; 4:taught $j by $a ; 5:$j to $b ; 6:even if $c does not
pay ; 7:with a tutor named $c ; plain $3. | $2 $5. | $b is $4. ; verb%ab $a and $b study $j $7. | $7, $a and $b study
$j. ; verb $a examines $b in $j. | $b is examined in $j by $a. ; tense $a used $1 $b $j. | $a used $1 $5. | $b used to
be $4. ; tense $a will teach $b $j. | $a will teach $5. ; neg $a does not teach $b $j. | $b is not $4. ; scope $2 only
$b $j. | $2 $j only to $b. | $2 $j to nobody but $b. ; scope Only $3. | Nobody but $3. | Nobody but $2 $5. ; scope $2 $b
only $j. | $2 $b nothing but $j. ; modal $a refuses $1 $b $j. | $a refuses $1 $5. ; cond $3 if $c pays. | If $c pays,
$3. ; cond $3 $6. | $6, $3.
@club h=club y=year ; 1:joined the $h club ; 2:the $h club ; 3:in $y ; 4:chaired $2 ; 5:$a $1 ; 6:$a was expelled from
$2 ; plain $5 $3. | $3, $5. | It was $3 that $5. ; verb $a founded $2 $3. | $3, $a founded $2. | $2 was founded by $a
$3. ; verb $a left $2 $3. | $3, $a left $2. | It was $3 that $a left $2. ; time $5 before $y. | Before $y, $5. ; time $5
after $y. | After $y, $5. ; modal $a wanted to join $2 $3. ; neg $a did not join $2 $3. | $3, $a did not join $2. ; time
$a has $4 since $y. | Since $y, $a has $4. ; time $a $4 until $y. | Until $y, $a $4. ; list%ab Both $a and $b $1 $3. |
$3, both $b and $5. ; verb $6 $3. | $3, $6.
@setting e=var v=num w=num i=env j=env =ij ~vw ; 1:is set to ; 2:in $i, $e ; 3:$v in $i ; 4:$e $1 ; 5:was changed from
$v to $w ; 6:be set to ; plain $4 $3 and to $w in $j. | In $i $4 $v, and in $j it $1 $w. | $4 $w in $j and to $3. | The
value of $e is $3 and $w in $j. ; part $4 $3. | $2 $1 $v. | The value of $e in $i is $v. ; list%ij $4 $v in both $i and
$j. | In $i and $j alike, $4 $v. | In both $j and $i, $4 $v. ; neg $4 $3 but not in $j. | In $i, but not in $j, $4 $v. ;
neg $e is not set to $3. | $2 is not set to $v. ; modal $e must $6 $3. | $2 must $6 $v. ; tense $e used to $6 $3. | $2
used to $6 $v. ; amount $e must be at least $3. | $2 must be at least $v. ; verb $e defaults to $3. | $2 defaults to $v.
; order $2 $5. | $e $5 in $i.
@build r=repo x=tool y=tool ~xy ; 1:build with $x ; 2:use $x to build ; 3:in $r, ; 4:test with $y ; 5:$y is installed ;
plain $3 $1 and $4. | $3 $4 and $1. | $3 $2 and $y to test. ; part $3 $1. | $3 $2. ; list $3 build and test with $x. |
$3 use $x both to build and to test. ; neg $3 $1 but do not $4. | $3 do not $4 but $1. ; list%xy $3 build with either $x
or $y. | $3 use either $y or $x to build. ; verb $3 $1 and deploy with $y. | $3 $2 and $y to deploy. ; neg $3 never $1.
| $3 never $2. ; tense $3 we used to $1 and $4. | $3 we used to $4 and $1. ; cond $3 $1 unless $5. | Unless $5, $1 in
$r. ; cond $3 $1 if $5. | If $5, $1 in $r.
@mix x=lang y=lang p=proj q=proj =pq ~xy ; 1:$a writes $x ; 2:for $p ; 3:$a writes ; 4:for $q ; plain $1 $2 and $y $4. |
$2 $1, and $4 $y. | $3 $y $4 and $x $2. ; part $1 $2. | $2, $1. ; list%xy $3 both $x and $y $2. | $2, $3 both $y and $x.
; neg $1 $2 but not $4. | $2, but not $4, $1. ; list $1 $2, and $b writes $y $4. | $b writes $y $4, and $1 $2. ; tense
$a used to write $x $2. | $2, $a used to write $x. ; tense $a is learning $x $2. | $2, $a is learning $x. ; scope $3
only $x $2. | $2, $3 nothing but $x. ; scope $1 only $2. | $1 for nothing but $p. ; scope Only $1 $2. | Nobody but $1
$2. | $2, nobody but $1. ; order $a ported $p from $x to $y. | $p was ported from $x to $y by $a.
@taste x=treat y=treat ~xy ~ab ; 1:$a likes $x ; 2:more than $y ; plain $1 $2. | $1 better than $y. | $a prefers $x to
$y. | $a likes $y less than $x. ; amount%xy $1 just as much as $y. | $1 and $y equally. | $a likes $y and $x equally. ;
tense $a used to like $x $2. | $a used to prefer $x to $y. | $a used to like $y less than $x. ; report $b thinks that $1
$2. | $b thinks that $a prefers $x to $y. ; attach $1 more than $b does. | $b likes $x less than $a does. ; list%xy $a
likes neither $x nor $y. | $a likes neither $y nor $x. ; verb $a orders $x more often than $y. | $a orders $y less often
than $x. ; neg $a does not like $x $2. | $a does not like $x better than $y. ; attach $1 with $y. | With $y, $1. ;
attach $1 without $y. | Without $y, $1. ; cond $1 unless there is $y. | Unless there is $y, $1.
@rule x=job y=job ~xy ; 1:the $x job fails ; 2:the $y job is cancelled ; 3:the $y job ; 4:the $x job ; 5:$3 was
cancelled ; 6:if $1 ; plain $6, $2. | $2 $6. | Should $4 fail, $2. | In the event that $1, $2. ; cond $2 only $6. | Only
$6 is $3 cancelled. ; cond $2 unless $1. | Unless $1, $2. ; cond $2 even if $4 passes. | Even if $4 passes, $2. ; neg $3
is not cancelled $6. | $6, $3 is not cancelled. ; cond If $4 is cancelled, $3 fails. | $3 fails if $4 is cancelled. ;
time $5 before $4 failed. | Before $4 failed, $5. ; tense $4 failed and $5. ; cond If $4 does not fail, $3 is started. |
$3 is started if $4 does not fail. ; verb $6, $3 is retried. | $3 is retried $6. ; list%xy If either job fails, $x or
$y, both are cancelled. ; modal $6, $3 may be cancelled. | $3 may be cancelled $6.
@told ~ab ~bc ; 1:that $c is resigning ; 2:$b was told by $a ; 3:is resigning ; 4:$a told $b ; 5:that $c is not
resigning ; 6:told by $a $1 ; plain $4 $1. | $2 $1. | It was $a who told $b $1. ; verb $a asked $b whether $c $3. | $b
was asked by $a whether $c $3. ; neg $a did not tell $b $1. | $b was not $6. ; neg $4 $5. | $2 $5. ; verb $4 why $c $3.
| $2 why $c $3. ; part $c $3. ; tense $a will tell $b $1. | $b will be $6. ; modal $a should tell $b $1. | $b should be
$6. ; report $4 not to tell $c. | $2 not to tell $c. ; attach $4 that $c knows who $3. | $2 that $c knows who $3. ;
list%bc $4 and $c about resigning. | $a told $c and $b about resigning. ; ask Who told $a $1?
@promise x=chore ~ab ; 1:to $x ; 2:promise $1 ; 3:$a promised ; 4:$b $1 ; 5:$a made $b ; plain $3 $4. | $5 a $2. | The
$2 was made to $b by $a. ; verb $a asked $4. | $b was asked by $a $1. ; verb $a allowed $4. | $b was allowed by $a $1. ;
verb $a reminded $4. | $b was reminded by $a $1. ; verb $5 $2. | $b was made to $2 by $a. ; neg $3 $b not $1. | $5 a
promise not $1. ; neg $a did not promise $4. | $5 no $2. ; tense $a broke the promise to $4. ; tense $a kept the promise
to $4. ; attach $3 to help $4. | $a made a promise to help $4. ; attach $3 $b that $c would $x. | $b was promised by $a
that $c would $x. ; modal $a cannot promise $4.
@motto q=motto ; 1:the motto ; 2:$a's motto ; 3:"$q" is ; 4:is "$q" ; plain $2 $4. | $3 $2. | $1 of $a $4. | $3 $1 of
$a. ; tense $2 used to be "$q". | "$q" used to be $2. | $1 of $a used to be "$q". ; attach $a's team's motto $4. | $3 $1
of $a's team. | $1 of $a's team $4. ; neg $2 is not "$q". | $3 not $2. ; verb $a hates $1 "$q". | $1 $3 hated by $a. |
$3 a motto that $a hates. ; verb $a quoted "$q" to $b. | $a quoted to $b "$q". | "$q" was quoted to $b by $a. ; verb $a
misquoted "$q" to $b. | "$q" was misquoted to $b by $a. ; report $a says that $b's motto $4. | $a says that $3 $b's
motto.
@lease o=firm p=firm c=town ~op ; 1:the $c office ; 2:$1 to $o ; 3:$1 from $p ; 4:$p leases ; plain $4 $2. | $o leases
$3. | $1 is leased to $o by $p. | $1 is leased from $p by $o. ; verb $p sold $2. | $o bought $3. | $1 was sold to $o by
$p. ; verb $p cleans $1 for $o. | $1 is cleaned for $o by $p. ; tense $p used to lease $2. | $o used to lease $3. ;
tense $p will lease $2. | $o will lease $3. ; modal $p may not lease $2. ; neg $p does not lease $2. | $o does not lease
$3. ; list%op $o and $p share $1. | $1 is shared by $p and $o. ; verb $o sued $p over $1. | $p was sued by $o over $1. |
Over $1, $o sued $p. ; attach $o leases $1 of $p from the city. ; scope $4 only $2. | $4 nothing but $2. ; scope $4 $1
only to $o. | $4 $1 to nobody but $o.
@plans o=firm x=plan y=plan ~xy ; 1:from the $x plan ; 2:to the $y plan ; 3:$o switched ; 4:the $x plan ; 5:switch $1 $2
; 6:switch $2 $1 ; 7:the $y plan ; plain $3 $1 $2. | $3 $2 $1. | $1, $3 $2. ; verb $o asked to $5. | $o asked to $6. ;
tense $o will $5. | $o will $6. ; neg $o did not $5. | $o did not $6. ; verb $o refused to $5. | $o refused to $6. ;
verb $o compared $4 $2. | $4 was compared $2 by $o. ; list%xy $o pays for both $4 and $7. | $o pays for both $7 and $4.
; scope Only $3 $1 $2. | Nobody but $3 $1 $2. ; scope Everyone but $3 $1 $2. ; attach $o left $4 without trying $7. |
Without trying $7, $o left $4.
@outage s=svc k=day t=clock q=span ; 1:the $s outage on $k ; 2:on $k, the $s outage ; 3:at $t ; 4:was noticed ; 5:$1
started ; 6:$1 lasted ; plain $1 began $3. | $2 began $3. | $5 $3. ; verb $1 ended $3. | $2 ended $3. ; verb $1 $4 $3. |
$2 $4 $3. ; time $1 began before $t. | $5 before $t. ; time $1 began after $t. | $5 after $t. ; amount $6 $q. | $2
lasted $q. ; time $1 $4 after $q. | $2 $4 after $q. ; amount $6 more than $q. | $6 longer than $q. ; amount $6 less than
$q. ; report $a says that $1 began $3. | $a says $5 $3. ; modal $1 may have begun $3. | $1 may have started $3.
@photo ~ab ~bc ; 1:the photo of $b ; 2:$a sent ; 3:$c the photo ; 4:sent to $c by $a ; plain $2 $c $1. | $2 $1 to $c. |
$1 was $4. ; attach $2 $3 taken by $b. | $2 the photo taken by $b to $c. ; attach $2 $c $1's mother. | $2 $1's mother to
$c. ; list $2 $c $1 and $c together. | $2 $3 of $c and $b together. ; verb $a showed $c $1. | $a showed $1 to $c. | $1
was shown to $c by $a. ; neg $a did not send $c $1. | $1 was not $4. ; tense $a will send $c $1. | $1 will be $4. ;
report $a told $b to send $3. | $b was told by $a to send $3.
@sensor u=code q=span ; 1:sensor $u ; 2:every $q ; 3:$1 reports ; 4:$1 reported ; plain $3 $2. | $2, $3. | $3 once $2. ;
amount $3 twice $2. | $2, $3 twice. ; amount $3 at least $2. | At least $2, $3. ; time $4 for $q. | For $q, $4. ; time
$3 after $q. | After $q, $3. ; tense $4 $q ago. | $q ago, $4. ; neg $1 has not reported for $q. | For $q, $1 has not
reported. ; modal $1 should report $2. | $2, $1 should report. ; tense $1 used to report $2. | $2, $1 used to report. ;
verb $1 restarts $2. | $2, $1 restarts. | $1 restarts once $2.
@require r=repo x=lang v=ver w=ver ~vw ; 1:$x $v or newer ; 2:$r requires ; 3:required by $r ; 4:$x $v ; 5:$r works with
every $x ; plain $2 $1. | $2 at least $4. | $1 is $3. ; amount $2 $4 or older. | $2 at most $4. | $4 or older is $3. ;
amount $2 exactly $4. | Exactly $4 is $3. ; verb $r recommends $1. | $1 is recommended by $r. ; neg $r does not work
with $1. | With $1, $r does not work. ; tense $r will require $1. | $1 will be $3. ; scope $5 except $v. | Except for
$v, $5. ; order $r went from $4 to $x $w. | $r went to $x $w from $4. ; cond $r needs no patch with $1. | With $1, $r
needs no patch.
@ticket i=tick j=tick ~ab ~ij ; 1:ticket $i ; 2:assigned to $b by $a ; 3:ticket $j ; 4:$a closed $1 ; plain $a assigned
$1 to $b. | $1 was $2. | $b was assigned $1 by $a. ; verb $a took $1 away from $b. | $1 was taken away from $b by $a. ;
order $1 was reassigned from $a to $b. | $1 was reassigned to $b from $a. ; verb $1 blocks $3. | $3 is blocked by $1. ;
verb $1 duplicates $3. | $1 is a duplicate of $3. ; list%ij $a assigned tickets $i and $j to $b. | Tickets $j and $i
were $2. ; neg $a did not assign $1 to $b. | $1 was not $2. ; modal $a could not assign $1 to $b. | $1 could not be $2.
; time $4 before $b closed $3. | $b closed $3 after $4. ; time $4 while $b reopened $3.
@oncall p=proj k=day ; 1:on call for $p ; 2:$1 on $k ; 3:$b and ; 4:on $k, ; plain%abc $a, $3 $c are $2. | $4 $c, $a and
$b are $1. | $c, $3 $a are $2. ; part%ab $a and $b are $2. | $4 $3 $a are $1. ; list%abc One of $a, $3 $c is $2. | $4
one of $c, $3 $a is $1. ; neg%ab $a and $b, but not $c, are $2. | $4 $3 $a, but not $c, are $1. ; neg%ab Neither $a nor
$b is $2. | $4 neither $b nor $a is $1. ; tense%abc $a, $3 $c were $1 last $k. | Last $k, $b, $c and $a were $1. ; order
$a is $2, then $b. | $4 first $a and then $b is $1. ; verb $a replaces $b $2. | $4 $b is replaced by $a $1.
@knows x=paper ~ab ; 1:the $x was not signed by $b ; 2:$b did not sign the $x ; 3:$a knows that ; 4:signed the $x ;
5:the $x was signed by $b ; 6:$a does not know that ; 7:$b didn't sign the $x ; plain $3 $2. | $3 $1. | $a knows $7. ;
neg $6 $b $4. | $6 $5. ; neg $3 $b $4. | $3 $5. ; ask $a knows whether $b $4. | $a knows whether $5. ; report $a regrets
that $2. | $a regrets that $1. ; report $a pretends that $2. | $a pretends that $1. ; modal $3 $b cannot sign the $x. |
$3 the $x cannot be signed by $b. ; part $2. | $1. | $7. ; order $a $4 before $b did. | $b $4 after $a did.
@cooking d=dish x=food y=food ~xy ; 1:for the $d,  ; 2:for the $d, ; 3:add the $x ; 4:the $y ; 5:$4 after the $x ;
6:before $4 ; plain $2 $3 $6. | $2 add $5. | $2 $6 $3. ; attach%xy $2 $3 together with $4. | $2 add $4 together with the
$x. ; attach $2 $3 instead of $4. | $2 instead of $4 $3. ; neg $2 do not $3 $6. | $2 do not add $5. ; amount $2 add
twice as many $x as $y. | $2 add half as many $y as $x. ; verb $2 chop the $x $6. | $2 chop $5. ; list $2 $3 but leave
out $4. | $2 leave out $4 but $3. ; cond $2 $3 unless you have $y. | $2 unless you have $y, $3.
@exam g=group j=subject ; 1:passed the $j exam ; 2:of the $g ; 3:the $j exam ; 4:every one $2 ; 5:Not all $2 ; plain $5
$1. | Not $4 $1. | Not every single one $2 $1. ; neg None $2 $1. | Not one $2 $1. | Not a single one $2 $1. ; scope All
$2 $1. | $4 $1. ; scope Only the $g $1. | Nobody but the $g $1. ; scope The $g passed only $3. | The $g passed nothing
but $3. ; verb $5 took $3. | Not $4 took $3. ; amount Most $2 $1. | $3 was passed by most $2. ; amount Exactly half $2
$1. | $3 was passed by exactly half $2. ; modal $5 must pass $3. ; tense $5 will pass $3. | Not $4 will pass $3.
@pump h=hall ; 1:the pump in hall $h ; 2:in hall $h, the pump ; 3:leaks oil ; 4:in hall $h ; 5:leak oil ; 6:it is cold ;
plain $1 $3. | $2 $3. | Oil leaks from $1. ; amount The two pumps $4 $5. | $4, the two pumps $5. ; scope Every pump $4
$3. | $4, every pump $3. ; neg No pump $4 $3. | $4, no pump $3. | None of the pumps $4 $3. ; tense $1 used to $5. | $2
used to $5. ; modal $1 might $5. | $2 might $5. ; cond $1 $3 unless $6. | Unless $6, $1 $3. ; cond $1 $3 only if $6. |
Only if $6 does $1 $5. ; attach Oil leaks into $1. | Into $1, oil leaks. ; verb $1 needs oil. | $2 needs oil.
@alias! i=caseid ; 1:the function ; plain $1 to call is $i. | Call $1 $i. ; neg $1 to call is not $i. | Do not call $1
$i.
"""


def parse(block):
    """One family: name, case flag, slot pools, swaps, sorted slots, [(tag, immaterial order, slots, phrasings)]."""
    head, *rest = [x.strip() for x in re.sub(r"\s+", " ", block).split(" ; ")]
    name, *opts = head.split()
    pools = {"a": "who", "b": "who", "c": "who"} | dict(o.split("=") for o in opts if o[0] not in "~=")
    macros = {x[0]: x[2:] for x in rest if x[0].isdigit()}
    said = []
    for x in rest[len(macros) :]:
        tag, _, text = x.partition(" ")
        while re.search(r"\$\d", text):
            text = re.sub(r"\$(\d)", lambda m: macros[m[1]], text)
        forms = text.split(" | ")
        used = [set(re.findall(r"\$([a-z])", f)) for f in forms]
        assert all(u == used[0] <= pools.keys() for u in used), (name, forms)
        tag, _, free = tag.partition("%")
        said.append((tag, free, sorted(used[0]), forms))
    swaps, keep = [o[1:] for o in opts if o[0] == "~"], [o[1:] for o in opts if o[0] == "="]
    return name.rstrip("!"), name.endswith("!"), pools, swaps, keep, said


FAMS = [parse(b) for b in FAMILIES.split("@")[1:]]


def draw(r, pool):
    """A value of a pool."""
    if pool in POOLS:
        return r.choice(POOLS[pool])
    letters = "bcdfghjkmnpqrstvwxz"
    return {
        "num": lambda: str(r.randint(210, 9890)),
        "few": lambda: str(r.randint(2, 9)),
        "many": lambda: str(r.randint(20, 60)),
        "year": lambda: str(r.randint(1981, 2024)),
        "hall": lambda: f"{r.choice(letters).upper()}{r.randint(2, 19)}",
        "clock": lambda: f"{r.randint(1, 11)}:{r.choice(['05', '15', '30', '50'])} {r.choice(['am', 'pm'])}",
        "span": lambda: f"{r.randint(12, 59)} {r.choice(['milliseconds', 'seconds', 'minutes', 'hours', 'days'])}",
        "ver": lambda: f"{r.randint(1, 9)}.{r.randint(0, 9)}.{r.randint(0, 9)}",
        "tick": lambda: f"{r.choice(['OPS', 'OPT', 'WEB', 'WEP'])}-{r.randint(210, 9890)}",
        "code": lambda: f"{r.choice(letters)}{r.randint(2, 9)}-{r.choice(letters)}{r.randint(2, 9)}{r.choice(letters)}",
        "var": lambda: f"{r.choice(['MAX', 'MIN', 'IDLE'])}_{r.choice(['CONN', 'CONNS', 'JOBS', 'WAIT', 'RETRIES'])}",
    }[pool]()


def alter(r, pool, old):
    """Another value; of numbers and identifiers one that looks almost like the old one."""
    if pool in ("num", "tick") and r.random() < 0.6 and old[-1] != old[-2]:
        return old[:-2] + old[-1] + old[-2]
    new = [x for x in (draw(r, pool) for _ in range(40)) if x != old]
    return new[0] if pool in POOLS else min(new, key=lambda x: sum(map(str.__ne__, x, old)) + abs(len(x) - len(old)))


def surface(r, t, case):
    """The same words with other casing, spacing or final punctuation."""
    ways = [" " + t.replace(" ", "  ", 2)] + [t.lower()] * (not case)
    return r.choice(ways + ([t[:-1], t[:-1] + "!"] if t.endswith(".") else []))


def unrelated(r):
    """A sentence that has nothing to do with the families."""
    (x, y), (s, t), (v, w) = (r.sample(POOLS[k], 2) for k in ("item", "look", "does"))
    return f"In chapter {r.randint(2, 40)} the {s} {x} {v} while the {t} {y} {w}."


def records(n, seed=7, case=False):
    """Yield n records, always the same for the same (n, seed, case)."""
    r = random.Random(seed)
    fams = [f for f in FAMS if case or not f[1]]
    ids, seen, pool = {}, set(), []  # fact key -> number; texts so far; facts open for variants

    def sort(fam, v):
        for group in fam[4]:
            v.update(zip(group, sorted(v[s] for s in group), strict=True))
        return v

    def key(fam, i, v):
        _, free, used, _ = fam[5][i]
        loose = iter(sorted(v[s] for s in free))
        return (fam[0], i, *(next(loose) if s in free else v[s] for s in used))

    def say(fam, i, v, form):
        t = re.sub(r"\$([a-z])", lambda m: v[m[1]], fam[5][i][3][form])
        return t[0].upper() + t[1:]

    def fresh(fam):
        v = {}
        for s, p in fam[2].items():
            while s not in v or v[s] in [v[o] for o in v if o != s and fam[2][o] == p]:
                v[s] = draw(r, p)
        return sort(fam, v)

    def twist(fam, i, v):
        """A near miss: other statement, exchanged participants or another value."""
        x, v2 = r.random(), dict(v)
        if x < 0.2 and fam[3]:
            s, t = r.choice(fam[3])
            v2[s], v2[t] = v[t], v[s]
            return "role" if {s, t} <= set(fam[5][i][2]) else "value", i, v2
        if x < 0.4:
            s = r.choice(fam[5][i][2])
            v2[s] = alter(r, fam[2][s], v[s])
            if v2[s] in [v[o] for o in v if o != s and fam[2][o] == fam[2][s]]:
                return "value", i, v
            return "value", i, sort(fam, v2)
        j = r.randrange(len(fam[5])) if r.random() < 0.8 else 0
        return fam[5][j][0], j, v

    for out in range(n):
        x = r.random()
        if x < 0.12:
            t = unrelated(r)
            rec = t, ("unrelated", t), "exact" if t in seen else "unrelated", None
        elif x < 0.47 or not pool:  # a new fact
            while True:
                fam = r.choice(fams)
                i, v = (0 if r.random() < 0.5 else r.randrange(len(fam[5]))), fresh(fam)
                k = key(fam, i, v)
                if fam[1] or k not in ids:
                    break
            form = r.randrange(len(fam[5][i][3]))
            t = say(fam, i, v, form)
            rec = t, k, ("base" if k not in ids else "exact" if t in seen else "paraphrase"), None
            pool.append((fam, i, v, form))
        elif x < 0.69:  # a restatement
            fam, i, v, form = r.choice(pool)
            y, forms = r.random(), len(fam[5][i][3])
            kind = "exact" if y < 0.12 else "surface" if y < 0.27 else "paraphrase"
            while kind == "paraphrase" and forms < 2:
                fam, i, v, form = r.choice(pool)
                forms = len(fam[5][i][3])
            alt = r.choice([f for f in range(forms) if f != form]) if kind == "paraphrase" else form
            t = say(fam, i, v, alt)
            rec = (surface(r, t, fam[1]) if kind == "surface" else t), key(fam, i, v), kind, None
        else:  # a near miss
            while True:
                fam, i, v, form = r.choice(pool)
                tag, j, v2 = twist(fam, i, v)
                k, base = key(fam, j, v2), key(fam, i, v)
                if k != base:
                    break
            alt = form if j == i and r.random() < 0.5 else r.randrange(len(fam[5][j][3]))
            rec = say(fam, j, v2, alt), k, tag, ids[base]
            if r.random() < 0.3:
                pool.append((fam, j, v2, alt))
        del pool[:-5000]
        seen.add(rec[0])
        yield {"id": out, "text": rec[0], "fact": ids.setdefault(rec[1], len(ids)), "kind": rec[2], "near": rec[3]}


if __name__ == "__main__":
    a = argparse.ArgumentParser()
    a.add_argument("n", type=int)
    a.add_argument("out")
    a.add_argument("--seed", type=int, default=7)
    a.add_argument("--case", action="store_true")
    a = a.parse_args()
    lines = [json.dumps(rec, ensure_ascii=False) + "\n" for rec in records(a.n, a.seed, a.case)]
    Path(a.out).write_text("".join(lines), encoding="utf-8")
