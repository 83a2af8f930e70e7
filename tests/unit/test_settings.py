"""Settings: one table, five sources in order, and clear refusals."""

from __future__ import annotations

import pytest

import reverie
from reverie.errors import UnknownSetting
from reverie.settings import TABLE, Settings, load


@pytest.mark.parametrize("setting", TABLE, ids=lambda s: s.name)
def test_every_default_is_within_its_own_bounds_and_explained(setting):
    assert setting.parse(setting.default) == setting.default
    assert setting.help.endswith(".") and setting.source


def test_order_of_precedence(tmp_path):
    file = tmp_path / "reverie.toml"
    file.write_text("demote_days = 10\nstale_days = 11\nrecall_limit = 12\n")
    found = load({"recall_limit": 3}, toml=file, environ={"REVERIE_STALE_DAYS": "5"})
    assert (found.demote_days, found.stale_days, found.recall_limit, found.demote_cap) == (10.0, 5.0, 3, 100)


def test_a_namespace_keeps_its_overrides_in_the_store(mem, url):
    mem.set("recall_limit", 2)
    with reverie.open(url, embedder="hashing") as again:
        assert again.settings.recall_limit == 2
        again.set("recall_limit", None)
        assert again.settings.recall_limit == 10
    with reverie.open(url, "other", embedder="hashing") as other:
        assert other.settings.recall_limit == 10


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("demote_days", 0, "below 1 days"), ("demote_days", "soon", "not a float"), ("recall_limit", 2.5, "not a int"),
        ("secrets", "ignore", "not one of"), ("demote_dayz", 1, "no setting"), ("blast_run_share", 2, "above 1"),
        ("recall_limit", True, "not a int"), ("demote_days", float("nan"), "below"),
    ],
)  # fmt: skip
def test_bad_settings_are_refused_with_the_reason(name, value, why):
    with pytest.raises(UnknownSetting, match=why):
        Settings({name: value})


def test_a_broken_file_names_itself(tmp_path):
    file = tmp_path / "reverie.toml"
    file.write_text("demote_days = \n")
    with pytest.raises(UnknownSetting, match=r"reverie\.toml"):
        load(toml=file, environ={})
