"""The graph's projection follows what changed: vertices with heat, pin, gist and state; archived ones flagged, edges kept."""

from __future__ import annotations

import pytest

import reverie


class Graph:
    """A graph database that keeps what it is told, and can be down."""

    def __init__(self):
        self.vertices, self.links, self.calls, self.down = {}, set(), 0, False

    def put(self, scope, vertices, links):
        self.calls += 1
        if self.down:
            raise ConnectionError("no route to host")
        for v in vertices:
            self.vertices[v.memory] = v
        self.links |= {(k.source, k.relation.value, k.target) for k in links}


@pytest.fixture
def graph():
    return Graph()


@pytest.fixture
def mem(url, clock, ids, graph):
    with reverie.open(
        url, embedder="hashing", clock=clock, ids=ids, channel="person", projection=graph, settings={"sync_cap": 10}
    ) as opened:
        yield opened


def vertex(mem, id_):
    with mem._scope.read() as r:
        return next(iter(r.vertices([id_])), None)


def test_what_is_new_and_what_changed_goes_to_the_graph(mem, graph, clock):
    a = mem.remember("Robin lives in Berlin.").id
    b = mem.remember("The kiln is hot.", gist="hot kiln").id
    run = mem.curate()
    assert run.counts["synced"] == 2 and set(graph.vertices) == {a, b}
    v = vertex(mem, b)
    assert (v.label, v.heat, v.pinned, v.state, v.kind) == ("hot kiln", 1.0, False, "live", "fact")
    assert mem.curate().counts["synced"] == 0 and graph.calls == 1
    clock.advance(days=30)
    mem.pin(a)
    mem.curate()
    assert vertex(mem, a).pinned and vertex(mem, a).heat == pytest.approx(0.5)
    assert graph.vertices[a].pinned


def test_what_the_run_itself_changes_goes_with_it_and_edges_stay(mem, graph, clock):
    old = mem.remember("Robin lives in Berlin.").id
    clock.advance(days=1)
    new = mem.remember("Robin moved to Lisbon.").id
    mem.curate()
    assert vertex(mem, old).state == "superseded" and vertex(mem, new).state == "live"
    assert (old, "superseded_by", new) in graph.links
    mem.forget(new)
    mem.curate()
    assert graph.vertices[new].state == "archived" and (old, "superseded_by", new) in graph.links
    assert [k.relation for k in mem.history(new).links]


def test_the_cap_holds_and_the_rest_is_counted_and_comes_next(mem, graph):
    mem.remember_many([{"text": f"Lamp number {n} is lit."} for n in range(25)])
    seen = []
    for _ in range(4):
        run = mem.curate()
        seen.append(run.counts["synced"])
        left = mem.activity(1)[0]["left_over"]
        assert left.get("graph_sync", 0) == 25 - sum(seen)
    assert seen == [10, 10, 5, 0] and len(graph.vertices) == 25


def test_a_graph_that_is_down_stops_nothing_else_and_is_told_again(mem, graph):
    graph.down = True
    id_ = mem.remember("The kiln is hot.").id
    run = mem.curate()
    assert "no route" in run.errors["graph_sync"] and run.counts["curated"] == 1 and vertex(mem, id_) is None
    assert mem.doctor()["level"] == "red"
    graph.down = False
    assert mem.curate().counts["synced"] == 1 and mem.doctor()["level"] == "green"


def test_an_undo_is_followed_too(mem, graph, clock):
    a = mem.remember("Robin lives in Berlin.").id
    clock.advance(days=1)
    mem.remember("Robin moved to Lisbon.")
    run = mem.curate()
    mem.undo(run.id)
    mem.curate()
    assert graph.vertices[a].state == "live"
