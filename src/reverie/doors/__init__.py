"""Doors: each calls the façade and nothing below it."""
