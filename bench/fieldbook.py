"""Deterministic generator of synthetic agent memories with ground truth: a second, independent set of families.

Run: python fieldbook.py N OUT.jsonl [--seed 7]. Records are as in memories.py: id, text, fact, kind, near, and two
records are duplicates if and only if their `fact` is equal. The kinds base, exact, surface and paraphrase state their
fact; unrelated stands alone; every other kind is a near miss of the fact in `near` and has a fact of its own.
A paraphrase may also restate an earlier near miss. Notation of FIELDS (|| parts entries, a deeper line continues one):
  @name a=spec; n=2-90 !flags   slots: a word list's name, a list, a number range, a pattern (# is a digit), date, time
                                flags: q (a qualifier may stand before n), sym (a and b may change places)
  = form | form                 phrasings of the same fact
  - form | form                 denied; the forms of one entry state one fact
  > form | form                 a change of state, a fact of its own
  ~kind form | form             another near miss
  /kind old>new; old>new        a near miss made from any phrasing which has an old part
"""

import argparse
import json
import random
import re
from pathlib import Path

WORDS = """
first: Adaeze,Bjarne,Cosima,Delphine,Eamon,Freya,Gideon,Henrike,Ismael,Jolanta,Katarzyna,Lorcan,Maite,Nikolai,Orla,
  Petra,Rhiannon,Stellan,Tamsin,Ulrich,Valeria,Willem,Xanthe,Yannick,Zuzana,Anselm,Birgit,Corentin,Dagny,Esme
last: Aaltonen,Bakshi,Cavendish,Delacroix,Etxeberria,Fontaine,Grimaldi,Halloran,Ishikawa,Jorgensen,Kovalenko,Lundgren,
  Mbeki,Nystrom,Oyelaran,Pellegrini,Quintero,Rasmussen,Szymanski,Thackeray,Ugarte,Vandermeer,Whitlock,Yamaguchi,
  Zielinski,Brankovic,Castellano,Dragomir,Eklund,Ferreira
city: Rotterdam,Antwerp,Gdansk,Trieste,Valencia,Hamburg,Marseille,Tallinn,Bordeaux,Seville,Basel,Linz,Brno,Nantes,
  Aarhus,Turku,Kaunas,Leipzig,Utrecht,Odense
club: Redmoor,Saltash,Eastvale,Highgarth,Port Arden,Millbrook,Kingsferry,Oakhurst
book: *The Salt Road*,*Winter Ledger*,*A Field of Clocks*,*Nine Bridges*,*The Glass Ferry*,*Letters to Ostrava*,
  *The Beekeeper's Map*,*Low Tide*,*The Copper Stair*,*Paper Kites*
lang: Finnish,Catalan,Hungarian,Swahili,Greek,Korean,Welsh,Bengali,Icelandic
course: statistics,botany,ceramics,welding,phonetics,geometry,drawing,first aid
env: production,staging,the demo cluster,the test lab,the training sandbox
pet: Biscuit,Nimble,Mochi,Pepper,Tofu,Ziggy,Pickle,Waffle,Juno,Otis,Kiki
species: cat,dog,rabbit,ferret,parrot,tortoise
days: Mondays,Tuesdays,Wednesdays,Thursdays,Fridays,Saturdays,Sundays
compound: the zinc resin,the blue catalyst,the citrate buffer,the silica gel,the wax coating,the nickel alloy
layout: bullet points,full sentences,tables,numbered steps,short paragraphs
step: badge check,briefing,sound test,head count,fire drill,key handover
months: January,February,March,April,May,June,July,August,September,October,November,December
ones: zero,one,two,three,four,five,six,seven,eight,nine,ten,eleven,twelve,thirteen,fourteen,fifteen,sixteen,seventeen,
  eighteen,nineteen
tens: zero,ten,twenty,thirty,forty,fifty,sixty,seventy,eighty,ninety
ordinals: zeroth,first,second,third,fourth,fifth,sixth,seventh,eighth,ninth,tenth,eleventh,twelfth
qualifiers: at least,at most,about,more than,only,almost
leads: Note:,FYI:,For the record:,NB:,Memo:,To remember:,Just so it's written down:,-
who: glassblower,ferryman,botanist,cartographer,locksmith,juggler,baker,falconer,weaver,acrobat
did: sketched,misplaced,auctioned,rehearsed on,untangled,varnished,copied,dismantled,sharpened,buried
what: barometer,tapestry,bellows,sundial,hourglass,anvil,periscope,gramophone,trellis,pulley,abacus,sledge
where: under the viaduct,beside the quarry,behind the mill,at the lighthouse,in the orchard,on the pier
when: during the storm,after the parade,at low tide,before the eclipse,over the holidays,in the fog
"""
FIELDS = """
@sample a=S-####; b=K,L,M,N,P,Q,R,T; n=2-9
= Sample {a} is stored on shelf {n} of freezer {b}. | Shelf {n} of freezer {b} is where sample {a} is stored. | Sample
  {a} is kept on shelf {n} of freezer {b}. | Storage place of sample {a}: freezer {b}, shelf {n}. | In freezer {b}, on
  shelf {n}, sample {a} is stored.
- Sample {a} is not stored on shelf {n} of freezer {b}. | Shelf {n} of freezer {b} is not where sample {a} is stored. ||
  > Sample {a} has been moved to shelf {n} of freezer {b}. || ~fromto Sample {a} has been moved from shelf {n} of
  freezer {b}. || /tense is stored>was stored; is kept>was kept || /modality is stored>should be stored; is kept>should
  be kept
@recipe a=lentil soup,plum cake,onion tart,rye bread,pumpkin curry,fish pie; b=flour,butter,sugar,rice; n=60-900 !q
= The {a} recipe calls for {n} grams of {b}. | The recipe for {a} requires {n} g of {b}. | {n} grams of {b} are called
  for in the {a} recipe. | In the {a} recipe, the quantity of {b} is {n} grams.
- The {a} recipe does not call for {n} grams of {b}. | The recipe for {a} doesn't call for {n} g of {b}. || > In the {a}
  recipe, the quantity of {b} has been cut to {n} grams. || /unit grams>ounces; g>oz || /variant of {b}>of organic {b}
  || /variant The {a} recipe>The old {a} recipe; the {a} recipe>the old {a} recipe; recipe for {a}>old recipe for {a} ||
  ~modality The {a} recipe might call for {n} grams of {b}.
@garden a=tomato plants,rose bushes,dahlias,leeks,currant bushes; b=north,south,lower,upper,gravel,herb; n=3-48 !q
= There are {n} {a} in the {b} bed. | The {b} bed has {n} {a}. | In the {b} bed there are {n.w} {a}. | The number of {a}
  in the {b} bed is {n}. | The {b} bed contains {n.w} {a}.
- There are not {n} {a} in the {b} bed. | The {b} bed does not contain {n.w} {a}. || > Another {n} {a} were planted in
  the {b} bed. | {n} more {a} were planted in the {b} bed. || /tense There are>There were; there are>there were;
  has>had; bed is>bed was; contains>contained || /variant {a}>diseased {a} || ~modality There should be {n} {a} in the
  {b} bed. || ~predicate {n} {a} in the {b} bed died.
@practice a=person; b=cello,oboe,harp,trombone,mandolin,accordion; n=15-95 !q
= {a} practises the {b} for {n} minutes every day. | Every day {a} practises the {b} for {n} minutes. | {a}'s daily {b}
  practice lasts {n} minutes. | {a} does {n} minutes of {b} practice a day.
- {a} does not practise the {b} for {n} minutes every day. | It isn't true that {a} practises the {b} for {n} minutes
  every day. || > {a} has gone up to {n} minutes of {b} practice a day. | {a}'s daily {b} practice has gone up to {n}
  minutes. || /frequency every day>every week; Every day>Every week; daily>weekly; a day>a week || /predicate practises
  the {b}>teaches the {b} || /condition every day>every day before a concert || ~tense {a} used to practise the {b} for
  {n} minutes every day. || ~modality {a} wants to practise the {b} for {n} minutes every day.
@match a=club; b=club; n=3-7; m=0-2; d=date
= {a} beat {b} {n}-{m} on {d}. | On {d}, {b} lost {n}-{m} to {a}. | {b} were beaten {n}-{m} by {a} on {d.us}. | {a} won
  {n}-{m} against {b} on {d}. | {d}: {a} beat {b} {n}-{m}.
- {a} did not beat {b} {n}-{m} on {d}. || > The {n}-{m} win of {a} over {b} on {d} was annulled. | {a}'s {n}-{m} win
  over {b} on {d} was annulled. || /modality beat>could beat; lost>could lose || /condition on {d}>after extra time on
  {d}; on {d.us}>after extra time on {d.us} || ~predicate {a} led {b} {n}-{m} at half-time on {d}.
@loan a=person; b=book; d=date
= {a}'s loan of {b} is due on {d}. | The due date of {a}'s loan of {b} is {d.us}. | Loan of {b} to {a}: due {d.iso}. |
  {a} has {b} on loan; it is due on {d}. | {b}, on loan to {a}, is due on {d.us}.
- {a}'s loan of {b} is not due on {d}. | {d} is not the due date of {a}'s loan of {b}. || > {a}'s loan of {b} was
  extended to {d}. | {a} had the loan of {b} extended to {d.us}. || /tense loan of {b} is due>loan of {b} was due ||
  /order due on>due before; due {d.iso}>due before {d.iso} || ~predicate {a} returned {b} on {d}. | {b} was returned by
  {a} on {d}.
@clause a=harbour lease,licence agreement,merger deed,supply contract,tenancy; b=subletting,arbitration,late
  delivery,confidentiality,force majeure,site inspection; n=2-40
= Clause {n} of the {a} covers {b}. | In the {a}, clause {n} deals with {b}. | {b} is covered by clause {n} of the {a}.
  | The {a} covers {b} in clause {n}.
- Clause {n} of the {a} does not cover {b}. | {b} is not covered by clause {n} of the {a}. || > Clause {n} of the {a}
  was amended to cover {b}. || /predicate covers>excludes; is covered>is excluded || /variant Clause>Schedule;
  clause>schedule || /qualifier covers>partly covers; deals>partly deals; is covered>is partly covered || /tense
  covers>covered; deals>dealt; is covered>was covered
@excess a=person; b=home,travel,bicycle,boat,dental; n=50-950 !q
= The excess on {a}'s {b} policy is {n} euros. | {a}'s {b} policy has an excess of {n} euros. | {a}, {b} policy: excess
  of €{n}. | For {a}'s {b} policy, the excess is {n} euros.
- The excess on {a}'s {b} policy is not {n} euros. | {a}'s {b} policy does not have an excess of {n} euros. || > The
  excess on {a}'s {b} policy went up to {n} euros. | {a}'s {b} policy excess rose to {n} euros. || /unit euros>dollars
  || /predicate excess>annual premium; an excess>an annual premium || /variant policy>group policy || /tense is {n}>was
  {n}; has an>had an
@shipment a=SH-####; b=city; c=city
= Shipment {a} goes from {b} to {c}. | Shipment {a}: from {b} to {c}. | From {b} shipment {a} goes to {c}. | The origin
  of shipment {a} is {b} and its destination is {c}. | Shipment {a} has {c} as its destination and {b} as its origin.
- Shipment {a} does not go from {b} to {c}. | It is not from {b} to {c} that shipment {a} goes. || > Shipment {a} was
  rerouted from {b} to {c}. || /tense goes>went || /modality goes>might go || /variant Shipment {a}>Return shipment {a};
  shipment {a}>return shipment {a} || ~predicate Shipment {a} is insured from {b} to {c}.
@meter a=M####; n=1000-9899; d=date !q
= Meter {a} read {n} kWh on {d}. | On {d}, meter {a} showed {n} kWh. | Meter {a}, {d.iso}: reading {n.k} kWh. | The
  reading of meter {a} on {d.us} was {n} kWh. | Meter {a} had a reading of {n.k} kWh on {d}.
- Meter {a} did not read {n} kWh on {d}. | The reading of meter {a} on {d.us} was not {n} kWh. || > Meter {a} was reset
  to {n} kWh on {d}. || /unit kWh>MWh || /predicate read>fed in; showed>fed in || ~predicate Consumption at meter {a} on
  {d} was {n} kWh. | On {d}, consumption at meter {a} was {n} kWh. || ~order Meter {a} read {n} kWh before {d}.
@museum a=bronze owl,ivory comb,pewter flask,star atlas,silk banner,bog oak canoe; b=person; n=1890-2019
= {b} donated the {a} to the museum in {n}. | The {a} was donated to the museum by {b} in {n}. | In {n}, the {a} was
  donated to the museum by {b}. | It was {b} who donated the {a} to the museum in {n}. | In {n}, {b} gave the {a} to the
  museum as a donation.
- {b} did not donate the {a} to the museum in {n}. | The {a} was not donated to the museum by {b} in {n}. || > The
  museum gave the {a} back to {b} in {n}. | The {a} was given back to {b} by the museum in {n}. || /predicate
  donated>lent; as a donation>as a loan || /order in {n}>before {n}; In {n}>Before {n} || /modality donated the>promised
  to donate the || /variant the {a}>the replica of the {a}; The {a}>The replica of the {a}
@translation a=person; b=book; c=lang; e=lang
= {a} translated {b} from {c} into {e}. | {b} was translated by {a} from {c} into {e}. | It was {a} who translated {b}
  from {c} into {e}. | The translation of {b} from {c} into {e} was done by {a}. | From {c} into {e}, {b} was translated
  by {a}.
- {a} did not translate {b} from {c} into {e}. | {b} was not translated from {c} into {e} by {a}. || > {a} gave up
  translating {b} from {c} into {e}. || /variant {b}>half of {b} || /modality translated {b}>offered to translate {b} ||
  /predicate The translation of>The proofreading of the translation of || ~tense {a} is translating {b} from {c} into
  {e}. | {b} is being translated from {c} into {e} by {a}.
@podcast a=*Slow Signals*,*Kitchen Physics*,*The Night Tram*,*Root Access*,*Borrowed Maps*; n=3-240; b=person
= {b} is the guest in episode {n} of {a}. | Episode {n} of {a} has {b} as its guest. | In episode {n} of {a}, the guest
  is {b}. | Guest in episode {n} of {a}: {b}.
- {b} is not the guest in episode {n} of {a}. | Episode {n} of {a} does not have {b} as its guest. || > {b} stepped in
  for the guest in episode {n} of {a}. || /predicate guest>host; Guest>Host || /variant Episode>Bonus episode;
  episode>bonus episode || ~order {b} is the guest in the episode of {a} right after episode {n}. || ~modality {b} was
  asked to be the guest in episode {n} of {a}.
@bug a=BUG-####; b=importer,login page,scheduler,PDF export,search index,billing job; c=person
= Bug {a} in the {b} is assigned to {c}. | {c} is the assignee of bug {a} in the {b}. | The assignee of bug {a} in the
  {b} is {c}. | **{a}** (bug in the {b}) – assignee: {c}.
- Bug {a} in the {b} is not assigned to {c}. | {c} is not the assignee of bug {a} in the {b}. || > Bug {a} in the {b}
  has been reassigned to {c}. || /predicate assigned to>reported by; assignee>reporter || /tense is the>was the; is
  {c}>was {c} || /modality is assigned>should be assigned || ~predicate Bug {a} in the {b} was fixed by {c}. | {c} fixed
  bug {a} in the {b}.
@blocker a=T-####; b=T-####
= Ticket {a} blocks ticket {b}. | Ticket {b} is blocked by ticket {a}. | Ticket {a} is a blocker of ticket {b}. | Ticket
  {b} has ticket {a} as a blocker.
- Ticket {a} does not block ticket {b}. | Ticket {b} is not blocked by ticket {a}. || > Ticket {a} no longer blocks
  ticket {b}. | Ticket {b} is no longer blocked by ticket {a}. || /predicate blocks>duplicates; is blocked>is
  duplicated; blocker>duplicate || /tense blocks>blocked; is blocked>was blocked; is a>was a; has>had || /modality
  blocks>may block; is blocked>may be blocked
@ratelimit a=geocoding,weather,payments,catalogue,messaging,ledger; n=20-900; b=v1,v2,v3,v4
= The {a} API {b} allows at most {n} requests per minute. | The {a} API {b} has a limit of {n} requests per minute. | At
  most {n} requests per minute are allowed by the {a} API {b}. | {a} API {b}: max. {n} requests per minute. | The rate
  limit of the {a} API {b} is {n} requests a minute.
- The {a} API {b} does not have a limit of {n} requests per minute. | The rate limit of the {a} API {b} is not {n}
  requests a minute. || > The rate limit of the {a} API {b} was raised to {n} requests per minute. || /unit per
  minute>per second; a minute>a second || /condition per minute>per minute for each key; a minute>a minute for each key
  || /variant requests>write requests || /tense allows>allowed; has>had; are allowed>were allowed; {b} is>{b} was ||
  ~qualifier The {a} API {b} guarantees at least {n} requests per minute.
@setting a=max_connections,work_mem_mb,checkpoint_minutes,pool_size,vacuum_workers,lock_wait_s; b=env; n=2-500
= In {b}, `{a}` is set to {n}. | `{a}` is set to {n} in {b}. | The value of `{a}` in {b} is {n}. | {b} has `{a}` set to
  {n}. | {b}: `{a}` = {n}.
- In {b}, `{a}` is not set to {n}. | {n} is not the value of `{a}` in {b}. || > In {b}, `{a}` was raised to {n}. | `{a}`
  was raised to {n} in {b}. || /modality is set>should be set; is {n}>should be {n} || /tense is {n}>was {n}; has>had ||
  ~predicate The default of `{a}` in {b} is {n}. || ~condition In {b}, `{a}` is set to {n} during the nightly load.
@experiment a=E-###; b=compound; c=compound
= In experiment {a}, {b} outperformed {c}. | {c} was outperformed by {b} in experiment {a}. | {b} performed better than
  {c} in experiment {a}. | In experiment {a}, {c} performed worse than {b}.
- {b} did not outperform {c} in experiment {a}. | In experiment {a}, {c} was not outperformed by {b}. || > In experiment
  {a}, {b} was swapped out for {c}. || /qualifier outperformed>slightly outperformed; better>slightly better;
  worse>slightly worse || /modality outperformed {c}>was expected to outperform {c} || /condition experiment {a}>the
  cold phase of experiment {a} || ~predicate In experiment {a}, {b} performed as well as {c}.
@key a=person; b=boiler room,darkroom,server room,roof terrace,print shop,archive,bike cellar
= {a} has the key to the {b}. | The key to the {b} is with {a}. | {a} is the one who has the key to the {b}. | Key to
  the {b}: with {a}. | The {b} key is in {a}'s possession.
- {a} does not have the key to the {b}. | The key to the {b} is not with {a}. || > {a} handed in the key to the {b}. |
  The key to the {b} was handed in by {a}. || /variant the key>the spare key; The key>The spare key; Key>Spare key; The
  {b} key>The spare {b} key || /tense has>had; key to the {b} is>key to the {b} was; key is>key was || /modality has
  the>should have the; is with>should be with || ~predicate {a} lost the key to the {b}.
@fee a=person; b=Papertrail,Cloudnest,Tunefold,Mapwise,Readwell,Gymloop; n=4-89 !q
= {a} pays {n} euros a month for Premium access to {b}. | For Premium access to {b}, {a} pays €{n} per month. | {a} pays
  a monthly fee of {n} euros for Premium access to {b}. | Every month {a} pays {n} euros for Premium access to {b}.
- {a} does not pay {n} euros a month for Premium access to {b}. || > {a} stopped paying {n} euros a month for Premium
  access to {b}. || /unit a month>a year; per month>per year; monthly>yearly; Every month>Every year || /variant
  Premium>Basic || ~modality {a} would pay {n} euros a month for Premium access to {b}. || /tense pays>paid
@warranty a=dishwasher,projector,heat pump,scanner,drill press,freezer; b=Velmar,Osterk,Brintel,Kaldi; d=date
= The warranty on the {b} {a} expires on {d}. | The {b} {a}'s warranty runs out on {d.us}. | {d} is the expiry date of
  the warranty on the {b} {a}. | Warranty on the {b} {a}: expires {d.iso}.
- The warranty on the {b} {a} does not expire on {d}. | {d} is not the expiry date of the warranty on the {b} {a}. || >
  The warranty on the {b} {a} was extended to {d}. || /tense expires>expired; runs out>ran out || /predicate
  expires>starts; runs out>starts; expiry>start || /variant warranty>battery warranty; Warranty>Battery warranty ||
  /order on {d}>after {d}; on {d.us}>after {d.us}; expires {d.iso}>expires after {d.iso}
@invoice a=INV-####; b=Halden Foods,Tessera Print,Orrin & Vale,Bluewick Ltd,Quayside Labs; n=1100-9890 !q
= Invoice {a} to {b} is for {n} euros. | The amount of invoice {a} to {b} is {n.k} euros. | Invoice {a}, addressed to
  {b}, is for €{n}. | Invoice {a} (to {b}) – amount: {n.k} euros.
- Invoice {a} to {b} is not for {n} euros. | The amount of invoice {a} to {b} is not {n.k} euros. || > Invoice {a} to
  {b} was corrected to {n} euros. || /unit euros>dollars || /fromto to {b}>from {b}; addressed to {b}>sent by {b} ||
  /variant Invoice>Draft invoice; invoice>draft invoice || /condition euros>euros plus VAT || ~predicate {b} has paid
  {n} euros on invoice {a}.
@class a=course; b=person; e=days; t=time
= {b} teaches the {a} class on {e} at {t}. | The {a} class on {e} at {t} is taught by {b}. | On {e} at {t.p}, {b}
  teaches the {a} class. | The teacher of the {a} class on {e} at {t} is {b}.
- {b} does not teach the {a} class on {e} at {t}. | The {a} class on {e} at {t.p} is not taught by {b}. || > {b} took
  over the {a} class on {e} at {t}. | The {a} class on {e} at {t} was taken over by {b}. || /predicate teaches>attends;
  taught>attended || /tense teaches>taught; is taught>was taught; is {b}>was {b} || /variant the {a}>the advanced {a};
  The {a}>The advanced {a} || ~modality {b} might teach the {a} class on {e} at {t}.
@exam a=course; b=B12,B14,C03,C07,D21,D22,E05; d=date
= The {a} exam is on {d} in room {b}. | The {a} exam takes place in room {b} on {d.us}. | Room {b} is where the {a} exam
  is on {d}. | {a} exam: {d.iso}, room {b}.
- The {a} exam is not on {d} in room {b}. || > The {a} exam was moved to {d} in room {b}. || /variant exam>resit exam ||
  /tense is on>was on; takes>took || /modality The {a} exam is on>The {a} exam might be on; takes place>might take place
  || ~predicate Registration for the {a} exam is on {d} in room {b}.
@volunteer a=person; b=spring fair,river cleanup,book swap,food bank,night shelter,tree count; n=2-36 !q
= {a} volunteered for {n} hours at the {b}. | At the {b}, {a} volunteered for {n} hours. | {a} did {n} hours of
  volunteering at the {b}. | {a} spent {n.w} hours volunteering at the {b}.
- {a} did not volunteer for {n} hours at the {b}. | At the {b}, {a} didn't volunteer for {n.w} hours. || > {a} cut back
  to {n} hours of volunteering at the {b}. || /unit hours>days || /modality volunteered>signed up to volunteer ||
  /predicate volunteered>did paid work; of volunteering>of paid work; hours volunteering>hours on paid work || ~tense
  {a} is volunteering for {n} hours at the {b}.
@vaccine a=pet; b=species; c=rabies,distemper,parvovirus,tetanus,leptospirosis; d=date
= {a} the {b} was vaccinated against {c} on {d}. | On {d}, {a} the {b} had a {c} vaccination. | {a} the {b} got
  vaccinated against {c} on {d.us}. | Patient {a} ({b}): {c} vaccination done on {d.iso}.
- {a} the {b} was not vaccinated against {c} on {d}. | {a} the {b} didn't get vaccinated against {c} on {d.us}. || > The
  vet put off vaccinating {a} the {b} against {c} to {d}. || /predicate vaccinated against>tested for; a {c}
  vaccination>a {c} test; vaccination done>test done || /modality was vaccinated>should have been vaccinated; had>should
  have had || /order on {d}>before {d}; On {d}>Before {d}; on {d.us}>before {d.us}; on {d.iso}>before {d.iso}
@train a=IC ###; b=city; c=city; t=time
= Train {a} from {b} to {c} leaves at {t}. | Train {a} from {b} to {c} departs at {t.p}. | At {t}, train {a} from {b} to
  {c} leaves. | The departure time of train {a} from {b} to {c} is {t}.
- Train {a} from {b} to {c} does not leave at {t}. | Train {a} from {b} to {c} doesn't depart at {t.p}. || > Train {a}
  from {b} to {c} has been rescheduled to {t}. || /predicate leaves at>arrives at; departs>arrives; departure>arrival ||
  /tense leaves>left; departs>departed || /order leaves at>leaves before; departs at>departs before; At {t}>Before {t}
  || /condition leaves>leaves on holidays; departs>departs on holidays
@hike a=Larch Ridge,Otter Gorge,Three Huts,Old Salt,Chapel,Moraine,Heron Lake; b=red,yellow,green,white; n=4-64 !q
= The {b} {a} route is {n} km long. | The length of the {b} {a} route is {n} kilometres. | The {b} {a} route has a
  length of {n} km. | {b} {a} route, length: {n.w} kilometres.
- The {b} {a} route is not {n} km long. | The length of the {b} {a} route isn't {n} kilometres. || > The {b} {a} route
  was shortened to {n} km. || /unit km>miles; kilometres>miles || /tense is>was; has>had || /condition route>winter
  route || ~predicate There are {n} km left on the {b} {a} route.
@style a=person; b=layout; c=weekly reports,code reviews,travel plans,bug summaries,meeting notes; e=layout
= In {c}, {a} prefers {b} to {e}. | {a} prefers {b} over {e} in {c}. | {b} rather than {e} are what {a} prefers in {c}.
  | {a} has a preference for {b} over {e} in {c}. | {a} likes {b} better than {e} in {c}.
- {a} does not prefer {b} to {e} in {c}. | In {c}, {a} doesn't prefer {b} over {e}. || > {a} has switched from {b} to
  {e} in {c}. || /tense prefers>preferred; likes>liked; has a>had a || /modality prefers>might prefer; likes>might like
  || /qualifier prefers>sometimes prefers; likes>sometimes likes || /condition {c}>urgent {c}
@query a=####; b=orders_2025,audit_log,user_sessions,stock_moves,price_history; n=3-980 !q
= In session {a}, the query on `{b}` returned {n} rows. | {n} rows were returned by the query on `{b}` in session {a}. |
  In session {a}, the query on `{b}` gave back {n} rows. | Session {a}, query on `{b}`: {n} rows returned.
- In session {a}, the query on `{b}` did not return {n} rows. || > In session {a}, the query on `{b}` was limited to {n}
  rows. || /predicate returned>deleted; gave back>deleted || /unit rows>pages || /variant query on>cached query on ||
  /modality returned {n}>should have returned {n}; gave back>should have given back
@tests a=build ####; n=2-19; m=25-95
= In {a}, {n} of the {m} tests failed. | {n} of the {m} tests in {a} failed. | Of the {m} tests in {a}, {n} failed. |
  {a} had {m} tests, {n} of which failed. | {n.w} out of the {m.w} tests failed in {a}.
- It is not true that {n} of the {m} tests in {a} failed. || > A rerun of {a} brought the failures to {n} of the {m}
  tests. || /predicate failed>passed || /predicate failed>were skipped || /variant tests>slow tests || ~modality In {a},
  {n} of the {m} tests could fail.
@decision a=board,parents' council,editorial team,choir committee,steering group; b=postpone the launch,hire an
  editor,adopt the new logo,drop the paper edition,raise the fee,rent the larger hall,end the pilot; d=date
= On {d}, the {a} decided to {b}. | The decision to {b} was made by the {a} on {d}. | {d.iso}: the {a} decided to {b}. |
  It was on {d.us} that the {a} decided to {b}. | On {d}, the {a} made the decision to {b}.
- The {a} did not decide on {d} to {b}. | On {d.us}, the {a} didn't decide to {b}. || > On {d}, the {a} reversed its
  decision to {b}. | The {a}'s decision to {b} was reversed by it on {d}. || /negation decided to>decided not to;
  decision to>decision not to || ~modality On {d}, the {a} proposed to {b}. || /predicate decided to>discussed whether
  to || /order On {d}>Before {d}; on {d}>before {d}; on {d.us}>before {d.us}
@flag a=new_checkout,dark_header,fast_sync,bulk_edit,beta_search,geo_cache; b=env
= Feature flag `{a}` is on in {b}. | In {b}, feature flag `{a}` is enabled. | {b} has feature flag `{a}` enabled. | {b}:
  feature flag `{a}` = on. | Feature flag `{a}` is switched on in {b}.
- Feature flag `{a}` is off in {b}. | In {b}, feature flag `{a}` is not enabled. | Feature flag `{a}` is disabled in
  {b}. || > Feature flag `{a}` was turned off in {b}. | In {b}, feature flag `{a}` got turned off. || /condition in
  {b}>for admins in {b}; In {b}>For admins in {b} || /modality is on>should be on; is enabled>should be enabled; is
  switched>should be switched || /tense is on>was on; has>had
@steps a=take-off,opening night,kiln firing,release,field trip; b=step; c=step
= On the {a} checklist, the {b} comes before the {c}. | On the {a} checklist, the {c} comes after the {b}. | The {c}
  comes later than the {b} on the {a} checklist. | The {b} precedes the {c} on the {a} checklist.
- On the {a} checklist, the {b} does not come before the {c}. | The {b} doesn't precede the {c} on the {a} checklist. ||
  > On the {a} checklist, the {b} has been replaced by the {c}. || /qualifier comes before>comes right before; comes
  after>comes right after; precedes>immediately precedes || /tense comes>came; precedes>preceded || /modality
  comes>should come
@doors a=spice,tool,medicine,music,linen,chemical; b=city; c=grey,teal,maroon,beige,navy,ochre
= The {a} cabinet in the {b} office has {c} doors. | The doors of the {a} cabinet in the {b} office are {c}. | {c} is
  the colour of the doors of the {a} cabinet in the {b} office. | {b} office, {a} cabinet: {c} doors. | In the {b}
  office, the {a} cabinet's doors are {c}.
- The doors of the {a} cabinet in the {b} office are not {c}. | In the {b} office, the {a} cabinet does not have {c}
  doors. || > The doors of the {a} cabinet in the {b} office were repainted {c}. || /colour {c}>light {c} || /predicate
  doors>handles || /tense has>had; are>were; is>was
@race a=person; b=harbour mile,winter relay,hill sprint,canal regatta,night marathon; n=2-12; d=date
= {a} came {n.o} in the {b} on {d}. | On {d}, {a} finished in {n.ow} place in the {b}. | {a} took {n.o} place in the {b}
  on {d.us}. | {a} finished {n.ow} in the {b} on {d}.
- {a} did not come {n.o} in the {b} on {d}. | On {d}, {a} did not finish in {n.ow} place in the {b}. || > {a} was moved
  up to {n.o} place in the {b} of {d}. || /condition in the {b}>in the heats of the {b} || /modality came>hoped to come;
  finished>hoped to finish; took>hoped to take || /predicate came>was lying; finished>was lying; took>was lying in
@mentor a=person; b=person
= {a} mentors {b}. | {b} is mentored by {a}. | {b}'s mentor is {a}. | {a} is the mentor of {b}. | {b} has {a} as mentor.
- {a} does not mentor {b}. | {b} is not mentored by {a}. | {a} is not the mentor of {b}. || > {a} has stopped mentoring
  {b}. | {b} is no longer mentored by {a}. || /predicate mentors>manages; mentored>managed; mentor>manager || /tense
  mentors>mentored; is>was; has>had || /modality mentors>may mentor; is mentored>may be mentored
@distance a=city; b=city; n=21-940 !q sym
= The distance between {a} and {b} is {n} km. | {a} and {b} are {n} kilometres apart. | {b} is {n} km from {a}. | {a} is
  {n} kilometres away from {b}. | There is a distance of {n} km between {b} and {a}.
- The distance between {a} and {b} is not {n} km. | {b} and {a} are not {n} kilometres apart. || > With the new tunnel,
  the distance between {a} and {b} falls to {n} km. || /unit km>miles; kilometres>miles || /predicate distance>rail
  distance || ~modality {a} and {b} might be {n} kilometres apart.
"""
W = {k: v.split(",") for k, v in (x.split(": ", 1) for x in WORDS.replace(",\n  ", ",").strip().splitlines())}


def parse(text):
    """Read FIELDS: name -> (slots, flags, phrasings, near misses)."""
    fams = {}
    for entry in text.replace("\n  ", " ").replace(" || ", "\n").strip().splitlines():
        mark, _, body = entry.partition(" ")
        if mark[0] == "@":
            body, _, flags = body.partition(" !")
            slots, forms, near = dict(s.split("=") for s in body.split("; ")), [], []
            fams[mark[1:]] = slots, flags, forms, near
        elif mark == "=":
            forms += body.split(" | ")
            for q in W["qualifiers"] if "q" in flags else ():
                made = {i: re.sub(r"(?<![€-])\{n", q + " {n", f, count=1) for i, f in enumerate(forms)}
                near.append(("qualifier", {i: f for i, f in made.items() if q in f}))
        elif mark[0] == "/":
            made = {i: replace(f, [p.split(">") for p in body.split("; ")]) for i, f in enumerate(forms)}
            near.append((mark[1:], {i: f for i, f in made.items() if f != forms[i]}))
            assert near[-1][1], entry
        else:
            near.append(({"-": "negation", ">": "change"}.get(mark, mark[1:]), dict(enumerate(body.split(" | ")))))
    return fams


def replace(form, pairs):
    """The form with every old part replaced by the new one."""
    new, olds = dict(pairs), sorted((re.escape(p[0]) for p in pairs), key=len, reverse=True)
    return re.sub(rf"(?<!\w)({'|'.join(olds)})(?!\w)", lambda m: new[m[0]], form)


def spell(v, how):
    """One value in one spelling."""
    if isinstance(v, int):
        o = f"{v}{'th' if v in (11, 12, 13) else {1: 'st', 2: 'nd', 3: 'rd'}.get(v % 10, 'th')}"
        w = W["ones"][v] if v < 20 else (W["tens"][v // 10 % 10] + f"-{W['ones'][v % 10]}").removesuffix("-zero")
        return {"w": w, "o": o, "ow": W["ordinals"][v % 13], "k": f"{v:,}"}.get(how, str(v))
    if isinstance(v, tuple) and len(v) == 2:
        return f"{v[0] % 12 or 12}:{v[1]:02} {'pm' if v[0] > 11 else 'am'}" if how == "p" else f"{v[0]:02}:{v[1]:02}"
    if isinstance(v, tuple):
        (y, m, d), name = v, W["months"][v[1] - 1]
        return {"us": f"{name} {d}, {y}", "iso": f"{y}-{m:02}-{d:02}"}.get(how, f"{d} {name} {y}")
    return v


def render(form, vals):
    """The sentence of a form."""
    t = re.sub(r"\{(\w)(?:\.(\w+))?\}", lambda m: spell(vals[m[1]], m[2]), form)
    return re.sub(r"^\**[a-z]", lambda m: m[0].upper(), t)


def draw(r, spec):
    """A random value of a slot."""
    if spec == "person":
        return f"{r.choice(W['first'])} {r.choice(W['last'])}"
    if spec == "date":
        return (r.randint(2024, 2027), r.randint(1, 12), r.randint(1, 28))
    if spec == "time":
        return (r.randint(7, 21), r.choice((0, 5, 10, 15, 20, 30, 40, 45)))
    if "#" in spec:
        return re.sub("#", lambda _: str(r.randint(1, 9)), spec)
    if re.fullmatch(r"\d+-\d+", spec):
        return r.randint(*map(int, spec.split("-")))
    return r.choice(W.get(spec) or spec.split(","))


def nearby(r, spec, v):
    """Another value of a slot, often close to this one, and the kind of the near miss."""
    w, kind = draw(r, spec), spec if spec in ("date", "time") else "entity"
    if spec == "person" and r.random() < 0.7:
        w = f"{v.split()[0]} {w.split()[1]}" if r.random() < 0.5 else f"{w.split()[0]} {v.split()[1]}"
    elif spec == "time" and r.random() < 0.3:
        w = ((v[0] + 12) % 24, v[1])
    elif isinstance(v, tuple) or "#" in spec:  # one part or one digit
        i = r.choice([i for i in range(len(v)) if "#" not in spec or spec[i] == "#"])
        w, kind = v[:i] + w[i : i + 1] + v[i + 1 :], "code" if "#" in spec else kind
    elif isinstance(v, int):
        lo, hi = map(int, spec.split("-"))
        w, kind = min(hi, max(lo, v + r.choice((-10, -2, -1, 1, 2, 10)))) if r.random() < 0.4 else w, "number"
    return (w, kind) if w != v else nearby(r, spec, v)


def surface(r, t):
    """Same words, other casing, spacing, markup or a harmless lead-in."""
    bare, k = t.replace("*", "").replace("`", ""), r.randrange(5)
    if k == 4 and bare != t:
        return bare
    if k == 1:  # no family tells two facts apart by case
        return t.lower()
    if k == 2:
        i = r.choice([i for i, c in enumerate(t) if c == " "])
        return t[:i] + " " + t[i:]
    if k == 3:
        return f"{r.choice(W['leads'])} {t[0].lower() + t[1:] if t.startswith(('The ', 'In ', 'On ', 'There ')) else t}"
    return t.rstrip(".")


def clear(slots, vals):
    """Slots of one type have different values."""
    return len({(s, vals[k]) for k, s in slots.items()}) == len(slots)


def records(n, seed=7):
    """Yield n records, always the same for the same (n, seed)."""
    r, fams, ids, pool, twins = random.Random(seed), parse(FIELDS), {}, [], []

    def fact(*key):
        return ids.setdefault(key, len(ids))

    def flat(name, vals):
        v = list(vals.values())
        return name, *(sorted(v[:2]) + v[2:] if "sym" in fams[name][1] else v)

    def near_miss(name, vals, i):
        slots, flags, forms, near = fams[name]
        if r.random() < 0.42:  # another value, or two values swapped
            form = forms[i if r.random() < 0.7 else r.randrange(len(forms))]
            pairs = [(x, y) for x in slots for y in slots if x < y and slots[x] == slots[y]]
            if pairs and "sym" not in flags and r.random() < 0.5:
                x, y = r.choice(pairs)
                new, kind = {**vals, x: vals[y], y: vals[x]}, "swap"
            else:
                new = vals
                while new == vals or not clear(slots, new):
                    x = r.choice(list(slots))
                    w, kind = nearby(r, slots[x], vals[x])
                    new = {**vals, x: w}
            return render(form, new), fact(*flat(name, new)), kind
        kind = r.choice(sorted({x[0] for x in near}))
        j = r.choice([j for j, x in enumerate(near) if x[0] == kind])
        if kind == "change" and r.random() < 0.5:
            x = r.choice(list(slots)[1:])
            new = {**vals, x: nearby(r, slots[x], vals[x])[0]}
            vals = new if clear(slots, new) else vals
        made, f = near[j][1], fact(*flat(name, vals), kind, j)
        k = i if i in made else r.choice(list(made))
        if len(made) > 1:
            twins.append((render(made[r.choice([x for x in made if x != k])], vals), f))
        return render(made[k], vals), f, kind

    for out in range(n):
        x = r.random()
        if x < 0.15:
            t = "The {} {} the {} {} {}.".format(*(r.choice(W[k]) for k in ("who", "did", "what", "where", "when")))
            rec = (t, fact("u", t), "unrelated", None)
        elif x < 0.50 or not pool:  # a new fact
            fresh = False
            while not fresh:
                name = r.choice(list(fams))
                vals = {k: draw(r, s) for k, s in fams[name][0].items()}
                fresh = clear(fams[name][0], vals) and flat(name, vals) not in ids
            i = r.randrange(len(fams[name][2]))
            pool.append((name, vals, i))
            del pool[:-5000]
            rec = (render(fams[name][2][i], vals), fact(*flat(name, vals)), "base", None)
        else:  # something about an earlier fact
            name, vals, i = r.choice(pool)
            forms, base, y = fams[name][2], fact(*flat(name, vals)), r.random()
            t = render(forms[i], vals)
            if y < 0.25:
                rec = (t, base, "exact", None) if y < 0.11 else (surface(r, t), base, "surface", None)
            elif y < 0.29 and twins:  # the same near miss in other words
                rec = (*twins.pop(r.randrange(len(twins))), "paraphrase", None)
            elif y < 0.54:
                rec = (render(r.choice(forms[:i] + forms[i + 1 :]), vals), base, "paraphrase", None)
            else:
                rec = (*near_miss(name, vals, i), base)
        yield dict(zip(("id", "text", "fact", "kind", "near"), (out, *rec), strict=True))


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("n", type=int)
    ap.add_argument("out")
    ap.add_argument("--seed", type=int, default=7)
    a = ap.parse_args()
    lines = (json.dumps(rec, ensure_ascii=False) + "\n" for rec in records(a.n, a.seed))
    Path(a.out).write_text("".join(lines), encoding="utf-8")
