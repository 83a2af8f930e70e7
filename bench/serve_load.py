"""A server under load, as its clients see it: 100 clients that remember and recall while curation runs, on each store.

Usage: python bench/serve_load.py [--stores sqlite postgres] [--seconds 60] [--clients 100] [--think-ms 0] [--notes 2000]
Then the same server with nothing to do but a pass whose judge takes 2 s a call: what `/health/live` takes meanwhile, against
what it takes when nothing runs. Clients are a process of their own and share the machine's processors with the server.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx2 as httpx

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "judge"))

from judge_server import MOODS, Call, JudgeServer

from server_process import started

PEOPLE = ("Ana", "Bea", "Carlos", "Dmitri", "Elif", "Farah", "Grete", "Hiro", "Ines", "Jonas", "Kemal", "Lena", "Marek")
PLACES = ("Lisbon", "Oslo", "Prague", "Turin", "Kyoto", "Leeds", "Porto", "Graz", "Bergen", "Quito")
FORMS = (
    "{p} lives in {o}, house {n}.",
    "The parcel {n} of {p} went to {o}.",
    "{p} met team {n} in {o}.",
    "Office {n} in {o} is {p}'s.",
)
HERE = "/v1/namespaces/default"


def note(rng: random.Random) -> str:
    return rng.choice(FORMS).format(p=rng.choice(PEOPLE), o=rng.choice(PLACES), n=rng.randrange(100_000))


def thinking(call: Call) -> Any:
    """A judge that thinks for two seconds and then answers as it should."""
    time.sleep(2.0)
    return MOODS["right"](call)


def cpu(process: subprocess.Popen[bytes]) -> float:
    parts = Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")


async def load(address: str, key: str, seconds: float, clients: int, think: float) -> dict[str, Any]:
    """Clients that write three times in ten and ask seven, one request after another; curation is asked for all the time."""
    taken: dict[str, list[float]] = {"remember": [], "recall": []}
    errors: dict[str, int] = {}
    end = time.monotonic() + seconds
    limits = httpx.Limits(max_connections=clients + 5, max_keepalive_connections=clients + 5)
    headers = {"authorization": f"Bearer {key}"}
    runs = 0

    async with httpx.AsyncClient(base_url=address, headers=headers, limits=limits, timeout=60) as client:

        async def one(number: int) -> None:
            rng = random.Random(number)
            while time.monotonic() < end:
                verb = "remember" if rng.random() < 0.3 else "recall"
                body = {"text": note(rng)} if verb == "remember" else {"query": note(rng)}
                start = time.perf_counter()
                try:
                    got = await client.post(f"{HERE}/{'memories' if verb == 'remember' else 'recall'}", json=body)
                    if got.status_code not in (200, 201):
                        errors[str(got.status_code)] = errors.get(str(got.status_code), 0) + 1
                except httpx.HTTPError as error:
                    errors[type(error).__name__] = errors.get(type(error).__name__, 0) + 1
                taken[verb].append(time.perf_counter() - start)
                await asyncio.sleep(think * rng.random() * 2)

        async def curating() -> None:
            nonlocal runs
            while time.monotonic() < end:
                job = (await client.post(f"{HERE}/curate", json={})).json()["id"]
                while (await client.get(f"{HERE}/jobs/{job}")).json()["status"] in ("waiting", "running"):
                    await asyncio.sleep(0.5)
                runs += 1

        await asyncio.gather(curating(), *(one(n) for n in range(clients)))
    return {"taken": taken, "errors": errors, "runs": runs}


async def live(address: str, seconds: float) -> list[float]:
    """What `/health/live` takes, asked twenty times a second."""
    found = []
    end = time.monotonic() + seconds
    async with httpx.AsyncClient(base_url=address) as client:
        while time.monotonic() < end:
            start = time.perf_counter()
            assert (await client.get("/health/live")).status_code == 200
            found.append(time.perf_counter() - start)
            await asyncio.sleep(0.05)
    return found


def at(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))] * 1e3 if values else float("nan")


def fill(client: httpx.Client, texts: list[str]) -> None:
    for start in range(0, len(texts), 500):
        items = [{"text": t} for t in texts[start : start + 500]]
        client.post(f"{HERE}/memories/bulk", json={"items": items}).raise_for_status()


def under_load(url: str, options: argparse.Namespace) -> None:
    rng = random.Random(1)
    with started(url) as server, server.client() as client:
        fill(client, [note(rng) for _ in range(options.notes)])
        before = cpu(server.process)
        got = asyncio.run(
            load(server.address, str(server.key), options.seconds, options.clients, options.think_ms / 1e3)
        )
        used = cpu(server.process) - before
    n = sum(len(v) for v in got["taken"].values())
    rate, each = n / options.seconds, used / max(1, n) * 1e3
    print(
        f"  {options.clients} clients, {options.seconds:.0f} s: {rate:.0f} requests/s, errors {got['errors'] or 0}, ",
        end="",
    )
    print(f"curations {got['runs']}, server {each:.2f} cpu-ms a request")
    for verb, values in got["taken"].items():
        p50, p99, most = (at(values, share) for share in (0.5, 0.99, 1))
        print(f"    {verb:9} {len(values):6}   p50 {p50:7.1f} ms   p99 {p99:7.1f} ms   most {most:7.1f} ms")


def while_a_judge_thinks(url: str, options: argparse.Namespace) -> None:
    with JudgeServer(thinking) as judge:
        env = {"REVERIE_JUDGE_URL": judge.url, "REVERIE_JUDGE_MODEL": "slow", "REVERIE_JUDGE_API": "chat",
               "REVERIE_JUDGE_PLAIN_HTTP": "true", "REVERIE_JUDGE_API_KEY": "none"}  # fmt: skip
        with started(url, **env) as server, server.client() as client:
            judged(server.address, client, judge, options)


def judged(address: str, client: httpx.Client, judge: JudgeServer, options: argparse.Namespace) -> None:
    rng, asked = random.Random(2), 0
    alone: list[float] = []
    during: list[float] = []
    for _ in range(options.rounds):
        fill(
            client,
            [
                f"{rng.choice(PEOPLE)} lives in {rng.choice(PLACES)} and works as number {n}."
                for n in rng.sample(range(10**6), 150)
            ],
        )
        alone += asyncio.run(live(address, 5))
        before = len(judge.requests)
        job = client.post(f"{HERE}/curate", json={}).json()["id"]
        during += asyncio.run(live(address, 5))
        told = client.get(f"{HERE}/jobs/{job}").json()
        asked += len(judge.requests) - before
        print(f"    after 5 s: {told['status']} {told['progress']}")
        while client.get(f"{HERE}/jobs/{job}").json()["status"] in ("waiting", "running"):
            time.sleep(0.2)
    a, d = ((at(v, 0.5), at(v, 0.99)) for v in (alone, during))
    print(f"  /health/live, {len(alone)} + {len(during)} requests, {asked} judge calls of 2 s: ", end="")
    print(f"alone p50 {a[0]:.2f} p99 {a[1]:.2f} ms; during p50 {d[0]:.2f} p99 {d[1]:.2f} ms ({d[1] / a[1]:.2f} x)")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--stores", nargs="+", default=["sqlite", "postgres"])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--clients", type=int, default=100)
    parser.add_argument("--think-ms", type=float, default=0)
    parser.add_argument("--notes", type=int, default=2_000)
    parser.add_argument("--rounds", type=int, default=4)
    options = parser.parse_args()
    if "sqlite" in options.stores:
        print("file")
        with tempfile.TemporaryDirectory() as place:
            under_load(str(Path(place) / "notes.db"), options)
            while_a_judge_thinks(str(Path(place) / "judged.db"), options)
    if "postgres" in options.stores:
        from servers import running

        print("postgresql")
        with running() as server:
            under_load(server.database(), options)
            while_a_judge_thinks(server.database(), options)


if __name__ == "__main__":
    main()
