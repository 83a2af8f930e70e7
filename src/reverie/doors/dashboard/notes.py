"""What a page says after a form was sent. The browser carries a word of this list and a number, never a text."""

from __future__ import annotations

NOTES = {
    "remembered": "Remembered.",
    "restated": "It was known already: this is the memory that states it.",
    "pinned": "Pinned: nothing merges, retires or rewords it.",
    "unpinned": "No longer pinned.",
    "verified": "Verified: it never goes stale, and nothing retires it.",
    "unverified": "No longer verified.",
    "forgotten": "Archived: out of recall, whole, and restorable.",
    "restored": "Back among the live memories.",
    "weighed": "Its weight is set.",
    "reclassified": "Its kind is corrected.",
    "told": "Noted, for the models that learn from it.",
    "revised": "The new wording has taken the place of the old one, which stays readable.",
    "undone": "Taken back: {n} changes.",
    "undone_one": "Taken back.",
    "accepted": "Done as you said. It can be undone.",
    "rejected": "Turned down. It will not be asked again.",
    "applied": "The plan is applied: {n} moves.",
    "stopping": "It ends after the transaction in hand.",
    "revoked": "The key is out of force, and its sessions with it.",
    "out": "You are logged out.",
}
