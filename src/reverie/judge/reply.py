"""What one exchange with a provider came to: the model's words and what they cost, or why there are none.

Total: any status and any bytes. Nothing of the reply's prose goes into a detail, as providers echo keys and texts there; an
error's code does where it looks like one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, Literal

from reverie.judge.parse import read_object
from reverie.judge.questions import Cause, Unanswered

__all__ = ["Api", "Fault", "Got", "Lost", "Outcome", "fault", "outcome", "seconds"]

Api = Literal["responses", "chat"]

_RETRIED = frozenset({408, 409, 425, 429})
_FILTERED = frozenset({"content_filter", "content_policy_violation", "invalid_prompt", "ResponsibleAIPolicyViolation"})
_SPENT = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})
_WINDOW = re.compile(r"context[ _](?:length|window|size)|maximum context|too many tokens|prompt is too long")
_CODE = re.compile(r"[A-Za-z][A-Za-z0-9_.\[\]]{0,63}")


@dataclass(frozen=True, slots=True)
class Got:
    """A whole reply. ``after``: seconds from its Retry-After header, or None."""

    status: int
    body: bytes
    after: float | None


@dataclass(frozen=True, slots=True)
class Lost:
    """No whole reply, and why (UNAVAILABLE, TIMEOUT or TOO_LARGE)."""

    cause: Cause
    detail: str


@dataclass(frozen=True, slots=True)
class Fault:
    """What an error reply says: its code and parameter where they look like such, else ""; ``text`` stays in here."""

    code: str
    param: str
    text: str

    @property
    def shown(self) -> str:
        """For people: ``""`` or `` (code, parameter)``."""
        named = ", ".join(word for word in (self.code, self.param) if word)
        return f" ({named})" if named else ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One exchange. Without a cause, ``text`` is what the model said; tokens are None where the reply does not tell them.

    again: the same request may be sent once more. halt: no other request would fare better, so stop. divide: a prompt of
    fewer items may fare better. broken: what came is no reply of this API at all. after: seconds the provider asks to wait.
    """

    text: str = ""
    cause: Cause | None = None
    detail: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None
    again: bool = False
    halt: bool = False
    divide: bool = False
    broken: bool = False
    after: float | None = None


def outcome(got: Got | Lost, api: Api) -> Outcome:
    """Read what came back from one request."""
    if isinstance(got, Lost):
        unreached = got.cause is Cause.UNAVAILABLE
        return Outcome(cause=got.cause, detail=got.detail, again=unreached, broken=not unreached)
    status, body, after = got.status, got.body, got.after
    if 200 <= status < 300:
        return _said(body, api)
    if status in (401, 403):
        return Outcome(cause=Cause.LOGIN, detail=f"the login was refused ({status}); check the key", halt=True)
    if 300 <= status < 400:
        return Outcome(
            cause=Cause.MISCONFIGURED, detail=f"a redirect ({status}); redirects are not followed", halt=True
        )
    told = fault(body)
    detail = f"the service answered {status}{told.shown}"
    if told.code in _FILTERED:
        return Outcome(cause=Cause.REFUSED, detail=detail, divide=True)
    if status == 429:
        spent = told.code in _SPENT
        return Outcome(cause=Cause.RATE_LIMITED, detail=detail, again=not spent, halt=spent, after=after)
    if status in _RETRIED or status >= 500:
        return Outcome(cause=Cause.UNAVAILABLE, detail=detail, again=True, after=after)
    if status == 413 or _WINDOW.search(f"{told.code} {told.text}".lower()):
        return Outcome(cause=Cause.TOO_LARGE, detail=f"more text than the model takes; {detail}", divide=True)
    return Outcome(cause=Cause.MISCONFIGURED, detail=detail, halt=status in (404, 405))


def fault(body: bytes) -> Fault:
    """The error object of a reply, in any of its usual forms; empty where there is none."""
    found = read_object(body[:65_536])
    if isinstance(found, Unanswered):
        return Fault("", "", body[:4096].decode("utf-8", "replace"))
    error = found.get("error", found)
    if not isinstance(error, dict):
        return Fault("", "", str(error)[:4096])
    inner = error.get("innererror")
    code = _word(error.get("code")) or _word(inner.get("code") if isinstance(inner, dict) else None)
    text = error.get("message", error.get("detail", ""))
    return Fault(code or _word(error.get("type")), _word(error.get("param")), str(text)[:4096])


def seconds(after: str | None, date: str | None) -> float | None:
    """A Retry-After header in seconds, at least 0. An HTTP date is held against the reply's own Date: no clock is asked."""
    if after is None:
        return None
    try:
        if after.strip().isascii() and after.strip().isdigit():
            return float(after)
        if date is None:
            return None
        return max((parsedate_to_datetime(after) - parsedate_to_datetime(date)).total_seconds(), 0.0)
    except (ValueError, TypeError, OverflowError):
        return None


def _said(body: bytes, api: Api) -> Outcome:
    found = read_object(body)
    if isinstance(found, Unanswered):
        return Outcome(cause=found.cause, detail=f"the reply cannot be read: {found.detail}", broken=True)
    usage = _dict(found.get("usage"))
    names = ("input_tokens", "output_tokens") if api == "responses" else ("prompt_tokens", "completion_tokens")
    used_in, used_out = (_count(usage.get(name)) for name in names)
    text, cause, detail = _response(found) if api == "responses" else _choice(found)
    foreign = (
        not isinstance(found.get("output" if api == "responses" else "choices"), list) and cause is Cause.MALFORMED
    )
    return Outcome(
        text=text, cause=cause, detail=detail, tokens_in=used_in, tokens_out=used_out,
        again=cause is Cause.UNAVAILABLE, divide=cause in (Cause.TRUNCATED, Cause.REFUSED), broken=foreign,
    )  # fmt: skip


_Words = tuple[str, Cause | None, str]


def _choice(found: dict[str, Any]) -> _Words:
    choices = found.get("choices")
    choice = _dict(choices[0]) if isinstance(choices, list) and choices else {}
    message = _dict(choice.get("message"))
    if choice.get("finish_reason") == "length":
        return "", Cause.TRUNCATED, "the model ran out of tokens"
    if choice.get("finish_reason") == "content_filter" or message.get("refusal"):
        return "", Cause.REFUSED, "the model or its filter refused"
    text = message.get("content")
    if not isinstance(text, str):
        return "", Cause.MALFORMED, "a reply without a message"
    return text, None, ""


def _response(found: dict[str, Any]) -> _Words:
    status, why = found.get("status"), _dict(found.get("incomplete_details")).get("reason")
    if status == "incomplete":
        if why == "content_filter":
            return "", Cause.REFUSED, "the model or its filter refused"
        return "", Cause.TRUNCATED, "the model ran out of tokens"
    if status == "failed":
        code = _word(_dict(found.get("error")).get("code"))
        return "", Cause.UNAVAILABLE, f"the service failed{f' ({code})' if code else ''}"
    parts: list[str] = []
    output = found.get("output")
    for item in output if isinstance(output, list) else []:
        content = _dict(item).get("content")
        if _dict(item).get("type") != "message" or not isinstance(content, list):
            continue  # reasoning, tools
        for part in content:
            if _dict(part).get("type") == "refusal":
                return "", Cause.REFUSED, "the model or its filter refused"
            text = _dict(part).get("text")
            if _dict(part).get("type") == "output_text" and isinstance(text, str):
                parts.append(text)
    if not parts:
        return "", Cause.MALFORMED, "a reply without a message"
    return "".join(parts), None, ""


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _count(value: Any) -> int | None:
    return value if type(value) is int and 0 <= value < 10**9 else None


def _word(value: Any) -> str:
    return value if isinstance(value, str) and _CODE.fullmatch(value) else ""
