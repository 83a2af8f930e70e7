"""Work in the background: what is due, and the worker that does it."""
