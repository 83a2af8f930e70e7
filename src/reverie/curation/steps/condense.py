"""Give a long text that is seldom recalled a gist beside it, and the survivor of merges one of them all. Never touches a text."""

from __future__ import annotations

from dataclasses import dataclass

from reverie.curation.plan import Proposal, StepPlan
from reverie.curation.step import Rules, Verdicts, candidate
from reverie.curation.view import View
from reverie.judge.questions import Composed, Question, Unanswered
from reverie.judge.questions import Condense as Shorten
from reverie.model import Memory, Trust
from reverie.text import guard
from reverie.text.gists import appended, cut, faithful, sentences
from reverie.transitions import SetGist


@dataclass(frozen=True, slots=True)
class _Wanted:
    """One gist to write: of a row, from its own text and those of rows that went into it."""

    row: Memory
    others: tuple[Memory, ...] = ()
    limit: int = 0

    @property
    def sources(self) -> tuple[Memory, ...]:
        return (self.row, *self.others)

    def question(self) -> Shorten:
        return Shorten(tuple(candidate(m) for m in self.sources), self.limit)


class Condense:
    """``wording = select``: the text's own first words. ``condense``: a model's words, held against the text [S1, design 3]."""

    name = "condense"

    def ask(self, view: View, rules: Rules) -> list[Question]:
        if rules.settings.wording != "condense":
            return []
        return [w.question() for w in self._wanted(view, rules)[0]]

    def plan(self, view: View, rules: Rules, verdicts: Verdicts) -> StepPlan:
        wanted, total = self._wanted(view, rules)
        proposals, waits, refused = [], total - len(wanted), 0
        for w in wanted:
            reply = verdicts.on(w.question()) if rules.settings.wording == "condense" else None
            gist, model, tokens = None, None, 0
            if reply is not None and isinstance(reply.answer, Composed) and reply.answer.text is not None:
                if _accepted(w, reply.answer.text):
                    gist, model, tokens = reply.answer.text, reply.model, reply.tokens
                else:
                    refused += 1
            elif not w.others and rules.settings.wording == "condense" and rules.asks and _later(reply):
                waits += 1  # the judge is away for now: better a good gist tomorrow
                continue
            if gist is None:
                gist = _without_model(w, rules)
            if gist is None or gist == w.row.gist:
                continue
            how = "a model's words, checked" if model else "the text's own words"
            sources = {"sources": [m.id for m in w.sources]}
            expects = {m.id: m.revision for m in w.sources if m.id == w.row.id}
            proposals.append(Proposal(SetGist(w.row.id, gist), how, expects, sources, model, tokens))
        return StepPlan(
            self.name, tuple(proposals), left_over=waits,
            counts={"summarized": len(proposals), "gists_refused": refused},
        )  # fmt: skip

    def _wanted(self, view: View, rules: Rules) -> tuple[list[_Wanted], int]:
        known: tuple[list[_Wanted], int] | None = view.recalled(self.name)
        if known is not None:
            return known
        s = rules.settings
        cap = int(s.condense_cap)
        merged = _survivors(view, rules) if s.wording == "condense" else []
        long, total = view.verbose(int(s.condense_chars), int(s.condense_recalls), cap)
        mine = {w.row.id for w in merged}
        single = [_Wanted(m, limit=int(s.gist_chars)) for m in long if m.id not in mine]
        found = (merged + sorted(single, key=lambda w: w.row.id))[:cap]
        made: tuple[list[_Wanted], int] = view.remember(self.name, (found, total + len(merged)))
        return made


def _survivors(view: View, rules: Rules) -> list[_Wanted]:
    """Rows that took others in by this plan. Of lower trust than theirs, nothing enters a gist (law 11)."""
    found = []
    rows = view.by_id(view.survivors())
    for id_ in view.survivors():
        row = rows.get(id_)
        if row is None:
            continue
        others = tuple(m for m in view.taken_in(id_) if m.trust is Trust.TRUSTED or row.trust is not Trust.TRUSTED)
        if any(m.text != row.text for m in others):
            found.append(_Wanted(row, others, int(rules.settings.merge_gist_chars)))
    return found


def _accepted(w: _Wanted, gist: str) -> bool:
    """A trusted memory's gist must be proven by the guard to stand in its text; another's must deny nothing that it says."""
    texts = [m.text for m in w.sources]
    if w.row.trust is Trust.TRUSTED:
        parts = [p for t in texts for p in (t, *sentences(t))]
        return all(_stands_in(sentence, parts) for sentence in sentences(gist))
    return faithful(gist, texts)


def _stands_in(sentence: str, texts: list[str]) -> bool:
    mine = guard.analyse(sentence)
    for text in texts:
        ruling = guard.compare(mine, guard.analyse(text))
        if ruling.outcome is guard.Outcome.SAME and ruling.keeps != "a":
            return True
    return False


def _without_model(w: _Wanted, rules: Rules) -> str | None:
    """[S1]: cut at a word boundary; of merged texts, the survivor's with the others behind it. Made of texts, never of gists."""
    s = rules.settings
    if not w.others:
        return cut(w.row.text, int(s.cut_chars))
    return appended(w.row.text, [m.text for m in w.others], int(s.cut_chars), int(s.merge_gist_chars))


def _later(reply: object) -> bool:
    """Whether a judge may yet answer: it was not asked in this run, or could not be reached."""
    answer = getattr(reply, "answer", None)
    return reply is None or (isinstance(answer, Unanswered) and answer.cause.of_provider)
