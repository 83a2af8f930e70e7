"""Figures for Prometheus: of the server's own work, and of the caller's namespaces as sums. No name and no text is in one."""

from __future__ import annotations

from collections.abc import Iterator

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from reverie.model import Scope
from reverie.serving.host import Caller
from reverie.serving.rights import covers

BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


class Metrics:
    """What one process counts. Each server has a registry of its own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._requests = Counter(
            "reverie_requests", "Requests answered.", ["method", "route", "status"], registry=self.registry
        )
        self._seconds = Histogram(
            "reverie_request_seconds", "Time until a request was answered.", ["route"], buckets=BUCKETS,
            registry=self.registry,
        )  # fmt: skip
        self._verbs = Counter(
            "reverie_verbs", "Verbs of the façade that were called.", ["verb"], registry=self.registry
        )

    def request(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count one request. Methods that HTTP does not know are one."""
        known = method if method in ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS") else "other"
        self._requests.labels(known, route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def verb(self, name: str, n: int = 1) -> None:
        """Count what was done."""
        self._verbs.labels(name).inc(n)

    def page(self, caller: Caller, curator_up: bool = True) -> bytes:
        """Everything, as Prometheus reads it."""
        of_store = CollectorRegistry()
        of_store.register(_OfStore(caller, curator_up))
        return generate_latest(self.registry) + generate_latest(of_store)


class _OfStore(Collector):
    """Sums over the namespaces that a caller may see."""

    def __init__(self, caller: Caller, curator_up: bool) -> None:
        self._caller = caller
        self._up = curator_up

    def describe(self) -> Iterator[GaugeMetricFamily]:
        return iter(())

    def collect(self) -> Iterator[GaugeMetricFamily]:
        caller, now, store = self._caller, self._caller.host.clock.now(), self._caller.host.store
        known = [k for k in store.standings() if self._mine(k.scope)]
        ages = [(now - k.waiting_since).total_seconds() for k in known if k.waiting_since and k.uncurated]
        failing = sum(n for scope, n in store.steps_failing() if self._mine(scope))
        yield GaugeMetricFamily("reverie_curator_up", "Whether the curator beside this server lives.", float(self._up))
        yield GaugeMetricFamily("reverie_namespaces", "Namespaces that hold anything.", len(caller.namespaces()))
        yield GaugeMetricFamily(
            "reverie_uncurated", "Memories that wait for the curator.", sum(k.uncurated for k in known)
        )
        yield GaugeMetricFamily("reverie_backlog_seconds", "Age of the oldest backlog.", max(ages, default=0.0))
        yield GaugeMetricFamily("reverie_steps_failing", "Steps whose last run failed.", failing)

    def _mine(self, scope: Scope) -> bool:
        return scope.tenant == self._caller.key.tenant and covers(self._caller.key.namespaces, scope.namespace)
