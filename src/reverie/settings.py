"""Every setting, in one table: name, default, unit, bounds, help, source. The doors, the docs and the parser read it.

Order of precedence: the table's default < ``reverie.toml`` < ``REVERIE_<NAME>`` in the environment < the argument
``settings=`` of `open` < the overrides that a namespace keeps in its store.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reverie.errors import UnknownSetting

Value = int | float | str | bool


@dataclass(frozen=True, slots=True)
class Setting:
    """One row of the table. ``low``/``high`` bound numbers, ``choices`` or ``pattern`` (its form: ``unit``) strings."""

    name: str
    default: Value
    unit: str
    help: str
    source: str
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    pattern: str = ""

    @property
    def of_process(self) -> bool:
        """Read once when a store is opened, so that no namespace can override it."""
        return self.name in OF_PROCESS

    def parse(self, raw: object) -> Value:
        """The value in the setting's own type.

        Raises:
            UnknownSetting: the value has the wrong type or lies outside the bounds; the message says which.
        """
        value = self._typed(raw)
        if self.choices and value not in self.choices:
            raise UnknownSetting(f"setting {self.name}: {value!r} is not one of {', '.join(self.choices)}")
        if self.pattern and not re.fullmatch(self.pattern, str(value)):
            raise UnknownSetting(f"setting {self.name}: {value!r} is not of the form {self.unit}")
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            if self.low is not None and not value >= self.low:
                raise UnknownSetting(f"setting {self.name}: {value} is below {self.low:g} {self.unit}".rstrip())
            if self.high is not None and not value <= self.high:
                raise UnknownSetting(f"setting {self.name}: {value} is above {self.high:g} {self.unit}".rstrip())
        return value

    def _typed(self, raw: object) -> Value:
        kind = type(self.default)
        try:
            if kind is bool:
                if isinstance(raw, bool):
                    return raw
                return {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False,
                        "off": False}[str(raw).strip().lower()]  # fmt: skip
            if kind is int:
                if isinstance(raw, bool) or (isinstance(raw, float) and raw != int(raw)):
                    raise ValueError
                return int(str(raw).split(".")[0]) if isinstance(raw, float) else int(str(raw))
            if kind is float:
                return float(str(raw))
        except (ValueError, KeyError, OverflowError):
            raise UnknownSetting(f"setting {self.name}: {raw!r} is not a {kind.__name__}") from None
        if not isinstance(raw, str):
            raise UnknownSetting(f"setting {self.name}: {raw!r} is not a string")
        return raw


OF_PROCESS = frozenset(
    {
        "serve_host",
        "serve_port",
        "serve_names",
        "serve_proxies",
        "serve_body_bytes",
        "serve_import_bytes",
        "serve_grace_seconds",
        "worker_nice",
        "judge_url",
        "judge_model",
        "judge_api",
        "judge_azure_version",
        "judge_seconds",
        "judge_retries",
        "judge_concurrency",
        "judge_output_tokens",
        "judge_price_in",
        "judge_price_out",
        "judge_mask",
        "judge_plain_http",
        "judge_day_cost",
        "exact_rows_max",
        "embedder",
        "embedder_threads",
        "busy_seconds",
        "synchronous",
        "worker_look_seconds",
        "worker_stalled_seconds",
        "transaction_seconds",
    }
)


def _s(
    name: str,
    default: Value,
    unit: str,
    text: str,
    source: str,
    *bounds: float | None,
    choices: tuple[str, ...] = (),
    pattern: str = "",
) -> Setting:
    low, high = (*bounds, None, None)[:2]
    return Setting(name, default, unit, text, source, low, high, choices, pattern)


TABLE: tuple[Setting, ...] = (
    # writing
    _s("text_max_bytes", 32_768, "bytes", "Longest text that is taken; longer ones are refused.", "design 7", 1, 1_048_576),
    _s("metadata_max_bytes", 16_384, "bytes", "Largest metadata (as JSON) that is taken.", "design 7", 2, 1_048_576),
    _s("secrets", "refuse", "", "What happens to a text that holds a credential.", "S4, design 7",
       choices=("refuse", "mask", "keep")),
    _s("restate_similarity", 0.97, "cosine", "Nearest row at or over this, and the guard: a restatement.", "S2", 0, 1),
    _s("default_kind", "fact", "", "Kind of a memory that names none.", "design 4",
       choices=("episode", "fact", "preference", "procedure", "concept", "problem")),
    # finding near copies
    _s("similarity", "calibrated", "", "'source' keeps the sources' bands to the letter.", "design 3",
       choices=("calibrated", "source")),
    _s("propose_similarity", 0.92, "cosine", "Pairs at or over this are reported when they are left alone.", "S1", 0, 1),
    _s("merge_similarity", 0.95, "cosine", "With similarity = source, no pair under this merges.", "S2", 0, 1),
    _s("left_alone_max", 200, "pairs", "How many near misses a plan lists with their reasons.", "design 9", 0, 10_000),
    _s("candidate_similarity", 0.0, "cosine", "Pairs at or over this are candidates for a judge; 0: the embedder's calibrated floor.", "design 3", 0, 1),
    _s("neighbours", 8, "rows", "A pair is a candidate if each is among so many nearest of the other, or of a new memory.", "design 2", 1, 1_000),
    # curation
    _s("collapse_cap", 20, "pairs", "Most pairs that a judge is asked about in one pass, to merge them.", "S1", 0, 10_000),
    _s("reconcile_cap", 40, "pairs", "Most pairs that a judge is asked about in one pass, to find contradictions.", "design 9", 0, 10_000),
    _s("contradict_similarity", 0.75, "cosine", "Contradictions are looked for from here up; below, only about one subject.", "S2", 0, 1),
    _s("retire_trusted", "review", "", "What a model's word alone does to a trusted memory: it goes to review, or it is acted on.", "design 2",
       choices=("review", "act")),
    _s("wording", "select", "", "select: gists are cut from the text itself; condense: a model writes them, checked.", "S1, S2, design 3",
       choices=("select", "condense")),
    _s("condense_chars", 500, "characters", "A longer text, recalled seldom, gets a gist.", "S1", 500, 1_048_576),
    _s("condense_recalls", 3, "recalls", "Recalled this often, a long text needs no gist.", "S1", 1, 10**9),
    _s("condense_cap", 30, "rows", "Most gists written in one pass.", "S1", 0, 100_000),
    _s("cut_chars", 200, "characters", "With no model a gist is the text cut at a word boundary here.", "S1", 20, 10_000),
    _s("gist_chars", 500, "characters", "Longest gist of one long text.", "S1", 50, 10_000),
    _s("merge_gist_chars", 2_000, "characters", "Longest gist of several merged texts.", "S1", 50, 100_000),
    _s("sync_cap", 100, "rows", "Most changed memories that go to the graph in one pass.", "S1", 0, 100_000),
    _s("reclassify_epochs", 100, "interactions", "Never recalled and this far behind: its kind is to be looked at again.", "S1", 1, 10**9),
    _s("reclassify_cap", 50, "rows", "Most memories flagged so in one pass.", "S1", 0, 100_000),
    _s("demote_days", 90.0, "days", "An unused, unimportant memory older than this is archived.", "S2", 1, 36_500),
    _s("demote_importance", 0.3, "", "Only memories under this importance are demoted.", "S2", 0, 1),
    _s("demote_cap", 100, "rows", "Most memories demoted in one pass.", "design 9", 0, 100_000),
    _s("stale_days", 30.0, "days", "Not recalled for this long: confidence becomes stale.", "S1", 1, 36_500),
    _s("stale_cap", 500, "rows", "Most memories marked stale in one pass.", "design 9", 0, 100_000),
    _s("embed_cap", 500, "rows", "Most texts embedded in one pass; the rest waits and is counted.", "design 9", 0, 1_000_000),
    _s("blast_run_share", 0.05, "share", "Most of the live rows that may leave without a survivor in one run.", "design 5", 0, 1),
    _s("blast_run_rows", 5, "rows", "A run may always retire this many.", "design 5", 0, 1_000),
    _s("blast_month_share", 0.10, "share", "Most that may leave without a survivor in 30 days.", "design 5", 0, 1),
    _s("lease_seconds", 120.0, "seconds", "A curator that is not heard of for this long has lost its namespace to the next.", "design 2", 1, 86_400),
    _s("slice_rows", 500, "moves", "Moves that one transaction of the executor holds.", "design 6", 1, 100_000),
    # the schedule
    _s("curate_interval_seconds", 1_800, "seconds", "Time between two tidy cycles, on a grid that all hosts share.", "S1", 10, 604_800),
    _s("start_stagger_seconds", 15, "seconds", "A worker that has just started waits this long.", "S1", 0, 3_600),
    _s("idle_seconds", 600, "seconds", "A namespace not used for this long is tidied first.", "S1", 1, 604_800),
    _s("model_interval_seconds", 3_600, "seconds", "Steps of tidy that call a model run at most once in this time.", "design 3", 0, 2_592_000),
    _s("quiet_hours", 24.0, "hours", "With nothing waiting and no use, tidy runs only once in this time.", "design 9", 1, 8_760),
    _s("rehearse_interval_seconds", 3_600, "seconds", "Time between two rehearse cycles.", "S3", 10, 604_800),
    _s("sleep_at", "02:17", "HH:MM UTC", "When the night begins.", "S4", pattern="([01][0-9]|2[0-3]):[0-5][0-9]"),
    _s("sleep_wake_episodes", 5, "episodes", "So many waiting experiences make a night.", "S4", 1, 1_000_000),
    _s("sleep_wake_days", 3.0, "days", "So does one that has waited this long.", "S4", 0, 3_650),
    _s("sleep_min_age_minutes", 30, "minutes", "Younger experiences are left for the next night.", "S4", 0, 525_600),
    _s("paused", False, "", "Stops sleep, and nothing else.", "S4, design 3"),
    # recall
    _s("recall_limit", 10, "memories", "How many memories a recall gives by default.", "design 11", 1, 1_000),
    _s("recall_candidates", 60, "memories", "Candidates taken from each of vector and text search.", "design 11", 1, 10_000),
    _s("weight_similarity", 1.0, "", "Weight of the fused similarity.", "S3", 0, 100),
    _s("weight_confidence", 0.03, "", "Weight of confidence and trust.", "S3", 0, 100),
    _s("weight_recency", 0.03, "", "Weight of how lately it was stated.", "S3", 0, 100),
    _s("weight_utility", 0.03, "", "Weight of utility.", "S3", 0, 100),
    _s("weight_importance", 0.03, "", "Weight of importance.", "S2", 0, 100),
    _s("text_share", 0.5, "share", "Share of the text score in the fused similarity; the rest is the vector's.", "design 11", 0, 1),
    _s("recency_days", 30.0, "days", "Recency halves in this time.", "S4", 0.01, 36_500),
    _s("strength_days", 30.0, "days", "Strength halves in this time.", "S4", 0.01, 36_500),
    _s("exact_rows_max", 20_000, "rows", "On PostgreSQL, a namespace with more live rows is searched by an HNSW index of its own; up "
       "to this many are searched exactly, in memory. The embedded store always searches exactly.", "stack notes 3", 0, 10_000_000),
    _s("collapse_similarity", 0.95, "cosine", "Near copies over this, and the guard: one of them is shown.", "S2", 0, 1),
    # the judge
    _s("judge_url", "", "", "Base URL of an OpenAI-compatible endpoint; empty: no model is called.", "S1"),
    _s("judge_model", "", "", "Name of the model (on Azure: of the deployment).", "S1"),
    _s("judge_api", "auto", "", "Which API the endpoint speaks.", "S1", choices=("auto", "responses", "chat")),
    _s("judge_azure_version", "", "", "api-version of an Azure endpoint that is not under /openai/v1/.", "S1"),
    _s("judge_seconds", 60.0, "seconds", "One deadline for a call, retries and all.", "design 10", 0.1, 3_600),
    _s("judge_retries", 3, "retries", "Retries after 408, 409, 429, 5xx and lost connections.", "design 10", 0, 20),
    _s("judge_concurrency", 4, "calls", "Calls that may be in hand at one time.", "design 10", 1, 64),
    _s("judge_output_tokens", 2_000, "tokens", "Most that the model may write in one call.", "design 10", 16, 100_000),
    _s("judge_price_in", 0.0, "per million tokens", "Price of what is sent, for the ledger.", "design 10", 0, 1_000_000),
    _s("judge_price_out", 0.0, "per million tokens", "Price of what is written.", "design 10", 0, 1_000_000),
    _s("judge_night_tokens", 200_000, "tokens", "Most that one run of curation may use.", "design 10", 0, 10**12),
    _s("judge_day_tokens", 1_000_000, "tokens", "Most that a namespace may use in a UTC day.", "design 10", 0, 10**12),
    _s("judge_day_cost", 0.0, "currency", "Most that the whole store may spend in a UTC day; 0: no such cap.", "design 10", 0, 10**9),
    _s("judge_mask", True, "", "Personal data is masked before a text is sent, and put back.", "design 10"),
    _s("judge_plain_http", False, "", "Plain http is allowed to other hosts than this one.", "design 17"),
    # the machine
    _s("worker_look_seconds", 15.0, "seconds", "A worker looks what is due at least this often.", "design 9", 0.05, 3_600),
    _s("worker_stalled_seconds", 30.0, "seconds", "Jobs of a worker not heard of for this long are given to others (PostgreSQL).", "design 15", 0.3, 3_600),
    _s("embedder", "onnx", "", "onnx, hashing, none, or http:MODEL@URL.", "design 10"),
    _s("embedder_threads", 1, "threads", "Threads of the local model.", "stack notes 1.4", 1, 64),
    _s("busy_seconds", 30.0, "seconds", "How long a write waits for another process.", "field notes 52", 0, 3_600),
    _s("worker_nice", 10, "", "How far `reverie worker` steps back from other processes (nice; 0: not at all).", "design 2", 0, 19),
    _s("transaction_seconds", 10.0, "seconds", "A transaction that its process leaves hanging for this long is ended by the server "
       "(PostgreSQL).", "design 2", 0.1, 3_600),
    _s("serve_host", "127.0.0.1", "", "Address that `reverie serve` listens at.", "design 16"),
    _s("serve_port", 7373, "", "Port that it listens at.", "design 16", 0, 65_535),
    _s("serve_names", "", "names", "Names that it goes by besides this machine's own and its address, with commas between; *: any.", "design 17"),
    _s("serve_proxies", "", "addresses", "Proxies whose X-Forwarded-For and -Proto are believed, with commas between.", "design 17"),
    _s("serve_body_bytes", 8_388_608, "bytes", "Largest body of a request.", "design 17", 1_024, 1_073_741_824),
    _s("serve_import_bytes", 1_073_741_824, "bytes", "Largest body of an import.", "design 17", 1_024, 2**40),
    _s("serve_grace_seconds", 10.0, "seconds", "How long requests in hand may take when it is told to stop.", "design 16", 0, 600),
    _s("synchronous", "full", "", "full survives a power cut; normal only a crash.", "design 15",
       choices=("full", "normal", "off")),
)  # fmt: skip

BY_NAME: Mapping[str, Setting] = {s.name: s for s in TABLE}


class Settings(Mapping[str, Value]):
    """Immutable settings. ``settings.demote_days`` and ``settings["demote_days"]`` are the same."""

    __slots__ = ("_given",)

    def __init__(self, given: Mapping[str, object] | None = None) -> None:
        self._given = {name: _row(name).parse(raw) for name, raw in (given or {}).items()}

    def __getitem__(self, name: str) -> Value:
        return self._given[name] if name in self._given else _row(name).default

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self[name]

    def __iter__(self) -> Iterator[str]:
        return iter(BY_NAME)

    def __len__(self) -> int:
        return len(BY_NAME)

    def over(self, given: Mapping[str, object]) -> Settings:
        """These settings with others laid over them."""
        return Settings({**self._given, **given})

    def given(self) -> dict[str, Value]:
        """Only what differs from the table because somebody set it."""
        return dict(self._given)


def _row(name: str) -> Setting:
    try:
        return BY_NAME[name]
    except KeyError:
        near = [n for n in BY_NAME if name.lower().replace("-", "_") in n or n.split("_")[0] == name.split("_")[0]]
        hint = f"; did you mean {', '.join(near[:4])}?" if near else ""
        raise UnknownSetting(f"there is no setting {name!r}{hint}") from None


def load(
    given: Mapping[str, object] | None = None,
    *,
    toml: Path | None = None,
    environ: Mapping[str, str] | None = None,
) -> Settings:
    """Read the settings of this process.

    Args:
        given: what the caller set; wins over file and environment.
        toml: a file to read; by default ``$REVERIE_CONFIG``, else ``reverie.toml`` in the working folder if there.
        environ: the environment (default: the process's own).

    Raises:
        UnknownSetting: a name that the table lacks, or a value out of bounds, wherever it came from.
    """
    env = os.environ if environ is None else environ
    named = toml or (Path(env["REVERIE_CONFIG"]) if env.get("REVERIE_CONFIG") else None)
    path = named or Path("reverie.toml")
    merged: dict[str, object] = {}
    if named or path.is_file():
        try:
            merged.update(tomllib.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError) as error:
            raise UnknownSetting(f"the settings file {path} cannot be read: {error}") from error
    for setting in TABLE:
        raw = env.get(f"REVERIE_{setting.name.upper()}")
        if raw is not None:
            merged[setting.name] = raw
    merged.update(given or {})
    return Settings(merged)
