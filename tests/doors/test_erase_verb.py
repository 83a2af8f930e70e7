"""The verb `erase` on the command line: look, confirm, keep the receipt, apply it again."""

from __future__ import annotations

import json

import pytest


@pytest.fixture
def told(cli):
    """Two memories; the id of the first."""
    cli("remember", "The port is 80.")
    return cli("remember", "Mira lives in Canal Street.", "--as", "mira", "--json").json["id"]


def test_look_confirm_keep_and_apply_again(cli, told, tmp_path):
    seen = cli("erase", "--memory", told)
    assert seen.code == 0 and "Nothing was changed" in seen.out and told in seen.out
    command = seen.out.strip().splitlines()[-1].split()
    assert command[:2] == ["reverie", "erase"] and command[-2] == "--confirm"
    cli("export", str(tmp_path / "old.jsonl"))
    keep = tmp_path / "receipt.json"
    done = cli(*command[1:], "--keep", str(keep))
    assert done.code == 0 and "No byte is left" in done.out
    assert cli("get", told, "--json").json["state"] == "erased"
    assert "(erased)" in cli("get", told).out and "(erased)" in cli("list", "--state", "all").out
    receipt = json.loads(keep.read_text())
    assert receipt["key"] and "Canal" not in keep.read_text()
    assert receipt["receipt"]["id"] in cli("erase", "--list").out
    assert cli("erase", "--list", "--json").json[0]["receipt"] == receipt["receipt"]
    assert cli("erase", "--finish", "--json").json == {"finished": 0}
    assert cli(*command[1:], "--keep", str(keep)).code == 2  # never over a file that is there
    assert cli("erase", "--memory", told).code == 1
    new = ("--namespace", "restored")
    cli("import", str(tmp_path / "old.jsonl"), *new)
    again = cli("erase", "--receipts", str(keep), "--json", *new).json
    assert again["ids"] == [told] and not again["done"]
    assert cli("erase", "--receipts", str(keep), "--confirm", again["token"], *new).code == 0
    assert "nothing to erase" in cli("erase", "--receipts", str(keep), *new).out
    assert cli("journal", "--check").code == 0 and cli("doctor").code == 0


@pytest.mark.parametrize(
    ("args", "code"),
    [([], 2), (["--everything", "--finish"], 2), (["--receipts", "nowhere.json"], 2), (["--memory", "nothing"], 1),
     (["--everything", "--confirm", "erase-0000000000000000"], 3), (["--everything", "--channel", "agent"], 3)],
)  # fmt: skip
def test_what_is_asked_badly_changes_nothing(cli, told, args, code):
    assert cli("erase", *args).code == code
    assert len(cli("list", "--json").json) == 2


def test_a_principal_and_a_namespace(cli, told):
    seen = cli("erase", "--principal", "mira", "--json").json
    assert seen["ids"] == [told]
    assert cli("erase", "--principal", "mira", "--confirm", seen["token"], "--json").json["done"]
    seen = cli("erase", "--everything", "--json").json
    assert cli("erase", "--everything", "--confirm", seen["token"], "--reason", "a letter", "--json").json["done"]
    assert cli("list", "--state", "all", "--json").json == [] and "nothing to erase" in cli("erase", "--everything").out
