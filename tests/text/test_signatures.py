"""A frozen table of signatures: a change of the guard that gives any text another one must raise GRAMMAR.

After raising it: `python tests/text/test_signatures.py --write` makes the table anew from the texts in it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from reverie.text.signatures import GRAMMAR, signatures

TABLE = Path(__file__).with_name("signatures.json")


def _load() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(TABLE.read_text(encoding="utf-8"))
    return found


def _made(texts: list[str]) -> dict[str, str]:
    return {text: signatures(text)[0].hex() for text in texts}


def test_no_signature_changed_without_another_grammar() -> None:
    table = _load()
    changed = [text for text, hex_ in _made(list(table["signatures"])).items() if table["signatures"][text] != hex_]
    assert table["grammar"] == GRAMMAR and not changed, (
        f"{len(changed)} signatures changed (grammar {table['grammar']} in the table, {GRAMMAR} in the code): {changed}. "
        "Stores keep signatures: raise GRAMMAR in src/reverie/text/signatures.py (not needed before the first release), "
        "then run `python tests/text/test_signatures.py --write`."
    )


def test_the_table_covers_enough_and_tells_facts_apart() -> None:
    table = _load()["signatures"]
    assert len(table) >= 60
    assert len(set(table.values())) >= 45


def main() -> None:
    """Make the table anew for the texts that it holds; only with `--write`."""
    if "--write" not in sys.argv[1:]:
        sys.exit("usage: python tests/text/test_signatures.py --write")
    table = {"grammar": GRAMMAR, "signatures": _made(list(_load()["signatures"]))}
    TABLE.write_text(json.dumps(table, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
