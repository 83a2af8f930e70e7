"""What every door of a server shares: keys and rights, open namespaces, jobs, limits, answers that come again."""
