"""A memory for AI agents that looks after itself."""
