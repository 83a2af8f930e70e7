"""The counts of a cycle under the names of the source [S1], so that what watches those finds them again."""

from __future__ import annotations

from collections.abc import Mapping


def activity_counts(counts: Mapping[str, int]) -> dict[str, int]:
    """What a run did, zeros too: reclassified, consolidated, summarized, revectorized, stale_marked.

    ``counts`` are those of a finished run. They tell what was done and not what was planned; ``revectorized`` counts memories
    that were found to lack a vector, those whose vector could not be made included.
    """
    return {
        "reclassified": counts.get("Signal", 0),
        "consolidated": counts.get("MergeInto", 0),
        "summarized": counts.get("SetGist", 0),
        "revectorized": counts.get("embedded", 0) + counts.get("embed_failed", 0),
        "stale_marked": counts.get("MarkStale", 0),
    }
