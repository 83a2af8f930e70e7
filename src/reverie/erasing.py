"""The verb that destroys: a memory, all that a principal has said, or a whole namespace, and no byte is left. Part of the façade.

Only a person may ask for it (law 2). It is looked at first and confirmed, and it cannot be taken back.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from reverie.checks import REASON_MAX, flag, known_id, required_name, whole
from reverie.errors import Conflict, InvalidInput, NotFound, PolicyRefusal, StoreError
from reverie.handle import Handle
from reverie.model import Channel, State
from reverie.store.erasing import NOBODY
from reverie.store.records import Vertex
from reverie.store.verbs import Tx

if TYPE_CHECKING:
    from reverie.erasure.finding import Found
    from reverie.erasure.target import Erasure, Target

LIMIT_MAX = 2**31
AGAIN = "an erasure applied again"


class Erasing(Handle):
    """A handle that can erase. The rest of the façade is `reverie.memory.Reverie`."""

    def erase(
        self, *, memory: str | None = None, principal: str | None = None, everything: bool = False,
        confirm: str | None = None, reason: str = "asked by a person", wipe: bool = True,
    ) -> Erasure:  # fmt: skip
        """Erase for good. Without ``confirm`` nothing changes: it tells what would go, and gives the token to confirm it with.

        Args:
            memory: one memory, with what was merged into it, its versions by the same author, and what was derived from it.
            principal: all that only this principal has said; what others said too stays in their words.
            everything: every row of this namespace. Exactly one of these three.
            confirm: the preview's ``token``.
            reason: 1 to 2,000 characters. It stays in the journal and in the receipt: it must not hold what is erased.
            wipe: overwrite the bytes at once; False: with the next erasure, or `finish_erasures`.

        Returns:
            An `Erasure`: ``ids``, ``counts``, ``also`` (memories that stay, of which you should know), and once done the receipt.
            ``wiped_at`` None: the rows are gone, and bytes may linger; ``beyond`` says why, health is yellow, and
            `finish_erasures` tries again.

        Raises:
            NotFound: no such memory, or it is erased already. PolicyRefusal: the caller is not a person.
            Conflict: what would go has changed since the preview. LeaseHeld: a curator is at work.
            InvalidInput. StoreError: the store failed, and nothing was erased.
        """
        from reverie.erasure.target import Target  # late, here and below: opening needs none of it

        self._check_person()
        if sum((memory is not None, principal is not None, flag(everything, "everything"))) != 1:
            raise InvalidInput("say what to erase: one memory, one principal, or everything")
        if principal is not None:
            target = Target("principal", principal=required_name(principal, "the principal"))
            if principal == NOBODY:
                raise InvalidInput(
                    f"{NOBODY!r} stands where a principal was erased; there is nothing more to erase of it"
                )
        else:
            target = Target("memory", (known_id(memory),)) if memory is not None else Target("everything")
        return self._erase(target, confirm, reason, wipe=flag(wipe, "wipe"))

    def reapply(
        self, receipts: Iterable[Mapping[str, Any]], *, confirm: str | None = None, wipe: bool = True
    ) -> Erasure:  # fmt: skip
        """Erase again what earlier receipts name: after a backup or an older export was restored.

        ``receipts``: as `erasures` gives them, or ``to_dict()`` of an erasure, whose key finds the same texts under other ids
        too. Without ``confirm`` a preview, as in `erase`. Raises InvalidInput for a receipt that was edited; others as `erase`.
        """
        from reverie.erasure.again import named, principals
        from reverie.erasure.target import Target

        self._check_person()
        given = list(receipts)
        with self._scope.read() as r:
            ids, people = named(r.traces(), given), principals(r.traces(), given)
        if people and len(given) > 1:
            raise InvalidInput("give the receipt of a principal by itself: all that they said is looked for again")
        target = Target("principal", principal=people[0]) if people else Target("again", ids)
        return self._erase(target, confirm, AGAIN, wipe=flag(wipe, "wipe"))

    def erasures(self, limit: int = 100) -> list[dict[str, Any]]:
        """Receipts of what was erased here, newest first, each with ``wiped_at``; no word of it is in one."""
        from reverie.erasure.again import told

        self._check_open()
        whole(limit, "limit", 0, LIMIT_MAX)
        with self._scope.read() as r:
            return [told(record) for record in r.erasures(limit)]

    def finish_erasures(self) -> int:
        """Overwrite what bytes of erased rows may linger in the store's files. How many erasures were waiting for it.

        Raises StoreBusy while others keep them, PolicyRefusal where the caller is not a person.
        """
        self._check_person()
        with self._scope.read() as r:
            waiting = r.unwiped()
        return self._wipe()[0] if waiting else 0

    def _erase_again(self) -> int:
        """Erase once more what receipts of this namespace name and an import has brought back. How many memories.

        Whoever imports need not be a person: a person has asked for it, then.
        """
        from reverie.erasure.again import named
        from reverie.erasure.target import Target

        with self._scope.read() as r:
            receipts = [record.body for record in r.erasures(LIMIT_MAX)]
            ids = named(r.traces(), receipts) if receipts else ()
        if not ids:
            return 0
        target = Target("again", ids)
        token = self._erase(target, None, AGAIN, wipe=False).token
        return len(self._erase(target, token, AGAIN, wipe=True))

    def _check_person(self) -> None:
        self._check_open()
        if self._origin.channel is not Channel.PERSON:
            raise PolicyRefusal("only a person erases: open the memory with channel='person'")

    def _erase(self, target: Target, confirm: str | None, reason: str, *, wipe: bool) -> Erasure:
        from reverie.erasure.doing import carry_out
        from reverie.erasure.finding import find

        self._check_open()
        reason = required_name(reason, "the reason", most=REASON_MAX)
        self._hits.flush()
        if confirm is None:
            with self._scope.read() as r:
                found = find(r.traces(), target)
            self._check(found, reason)
            return found.preview()
        confirm = required_name(confirm, "the token")

        def work(tx: Tx) -> tuple[Found, Erasure]:
            lease.guard(tx)
            found = find(tx.traces(), target)
            self._check(found, reason)
            if found.token != confirm:
                raise Conflict("what would be erased is not what the token stands for any more: look again")
            if found.preview().empty:
                return found, found.preview()
            given = {"actor": self._origin, "clock": self._clock, "ids": self._ids}
            return found, carry_out(tx, found, reason=reason, **given)  # type: ignore[arg-type]

        with self._leasehold() as lease:
            found, made = self._scope.transact(work)
        if not made.done:
            return made
        made = dataclasses.replace(made, beyond=self._let_go(found))
        if not wipe:
            return made
        try:
            beyond = self._wipe()[1]
        except (
            StoreError
        ) as error:  # told with the receipt, whose key would be lost with an exception; health tells it too
            return dataclasses.replace(made, beyond=(*made.beyond, str(error)))
        return dataclasses.replace(made, wiped_at=self._clock.now(), beyond=(*made.beyond, *beyond))

    def _wipe(self) -> tuple[int, list[str]]:
        """How many erasures of this scope are finished by it, and what lies beyond the store's reach."""
        with self._scope.read() as r:
            waiting = r.unwiped()
        beyond = self._store.wipe()
        now = self._clock.now()
        self._scope.transact(lambda tx: tx.eraser().wiped(waiting, now))
        return len(waiting), beyond

    @staticmethod
    def _check(found: Found, reason: str) -> None:
        target = found.target
        if target.sort == "memory" and not found.lineage.rows:
            raise NotFound(f"there is no memory {target.ids[0]!r} in this namespace, or it is erased already")
        named = target.principal is not None and target.principal in reason and reason != "asked by a person"
        if named or found.words.quotes(reason):
            raise InvalidInput("the reason stays for good, and holds what is to be erased: word it otherwise")

    def _let_go(self, found: Found) -> tuple[str, ...]:
        """Nothing in this process's memory holds on to what was erased; what could not be reached, in words."""
        with self._made.lock:
            self._made.index = self._made.words = None
        self._embedding.forget()
        whole_scope = found.target.sort == "everything"
        if whole_scope:
            self.look_again()  # the overrides of settings are gone too
        gone = set(found.lineage.rows)
        self._hits.forget(lambda query, ids: whole_scope or not gone.isdisjoint(ids) or found.words.speaks(query))
        for name in ("reverie.text.analysis", "reverie.text.slots"):
            if name in sys.modules:
                sys.modules[name].forget()
        return self._tell_graph(found)

    def _tell_graph(self, found: Found) -> tuple[str, ...]:
        """A graph database that follows the store is told at once; why not, in words."""
        rows, now = found.lineage.rows, self._clock.now()
        given = [Vertex(i, m.kind.value, "", 0.0, False, State.ERASED.value, now) for i, m in sorted(rows.items())]
        if self._projection is None or not given:
            return ()
        try:
            self._projection.put(self._scope.scope, given, [])
        except Exception as error:  # noqa: BLE001 - a user's own projection may raise anything; the caller is told
            return (
                f"the graph database was not told ({type(error).__name__}): take {len(given)} vertices out of it yourself",
            )
        return ()


__all__ = ["Erasing"]
