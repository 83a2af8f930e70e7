"""The deterministic text guard: canonical forms, typed tokens, and the ruling on two texts."""
