"""Random but meaningful notes: few people, places and values, so that restatements and near misses are common."""

from __future__ import annotations

from hypothesis import strategies as st

PEOPLE = ["Ana Abbott", "Bea Bauer", "Carlos Castro"]
PLACES = ["Lisbon", "Oslo", "Kyoto"]
FORMS = [
    "{s} lives in {o}.", "{s}'s home is in {o}.", "{o} is where {s} lives.", "{s} does not live in {o}.",
    "{s} works on port {n}.", "The port of {s} is {n}.", "{s} moved to {o}.", "Note: {s} lives in {o}",
    "{s} lives in {o}. The port of {s} is {n}.", "{s} reports to {t}.", "{t} reports to {s}.",
]  # fmt: skip

texts = st.builds(
    lambda form, s, t, o, n: form.format(s=s, t=t, o=o, n=n),
    st.sampled_from(FORMS), st.sampled_from(PEOPLE), st.sampled_from(PEOPLE), st.sampled_from(PLACES),
    st.sampled_from([80, 443, 5432]),
)  # fmt: skip
kinds = st.sampled_from(["fact", "fact", "fact", "preference"])
channels = st.sampled_from(["agent", "agent", "person", "web"])
items = st.fixed_dictionaries(
    {"text": texts, "kind": kinds, "channel": channels, "importance": st.sampled_from([0.1, 0.5, 0.9])}
)
