"""Judges: closed questions about texts, and whoever answers them. Knows no store, no clock and no step."""
