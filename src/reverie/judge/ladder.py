"""What an endpoint can do, found out by being refused, and remembered (design section 10).

From the top: the Responses API, then chat completions; JSON held to a schema, then any JSON object, then plain text; and
parameters that some models refuse. Each refusal costs one call, once; nothing is tried again that was refused. A form is
settled when a request in it has been answered.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from reverie.judge.prompts import Prompt, unbounded
from reverie.judge.reply import Api, fault

__all__ = ["Form", "Ladder", "Rung"]


class Rung(StrEnum):
    """How the form of the answer is asked for. The prompt tells it in words on every rung."""

    SCHEMA = "json_schema"
    OBJECT = "json_object"
    TEXT = "text"


_DOWN = {Rung.SCHEMA: Rung.OBJECT, Rung.OBJECT: Rung.TEXT}
_FORMAT = re.compile(
    r"response[_ ]format|text\.format|json[_ ]schema|json[_ ]object|structured output|json mode|grammar"
)
_PATHS: dict[Api, str] = {"responses": "/responses", "chat": "/chat/completions"}


@dataclass(frozen=True, slots=True)
class Form:
    """How a request is put.

    tokens: the parameter that limits the reply. store: tell the provider to keep nothing. bounds: the schema says how long
    lists may be.
    """

    api: Api
    rung: Rung = Rung.SCHEMA
    tokens: str = "max_tokens"
    temperature: bool = True
    store: bool = True
    bounds: bool = True

    @property
    def path(self) -> str:
        """The path below the base URL."""
        return _PATHS[self.api]

    def __str__(self) -> str:
        return f"{self.api}/{self.rung}"

    def body(self, prompt: Prompt, model: str, max_tokens: int) -> dict[str, Any]:
        """The request's JSON."""
        body: dict[str, Any] = {"model": model}
        schema = {
            "name": prompt.name,
            "schema": prompt.schema if self.bounds else unbounded(prompt.schema),
            "strict": True,
        }
        messages = [{"role": "system", "content": prompt.system}, {"role": "user", "content": prompt.user}]
        if self.temperature:
            body["temperature"] = 0
        if self.api == "responses":
            body |= {"input": messages, "max_output_tokens": max_tokens}
            if self.store:
                body["store"] = False  # the API keeps replies for weeks unless told not to
            if self.rung is Rung.SCHEMA:
                body["text"] = {"format": {"type": "json_schema", **schema}}
            elif self.rung is Rung.OBJECT:
                body["text"] = {"format": {"type": "json_object"}}
            return body
        body |= {"messages": messages, self.tokens: max_tokens}
        if self.rung is Rung.SCHEMA:
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        elif self.rung is Rung.OBJECT:
            body["response_format"] = {"type": "json_object"}
        return body


class Ladder:
    """The form that one endpoint and model are asked in. Used from one thread.

    api: "responses" or "chat" and no other, or "auto": Responses first, and chat where there is none.
    """

    def __init__(self, api: str) -> None:
        self._auto = api == "auto"
        self.form = Form("chat" if api == "chat" else "responses")
        self.settled = False

    def refused(self, sent: Form, status: int, body: bytes, broken: bool = False) -> bool:
        """Whether a refusal was about the form and another is to be tried at once; it then stands in `form`.

        broken: what came with a status of 2xx is no reply of the API: some servers have a page for every path.
        """
        if sent != self.form:
            return broken or status in (400, 404, 405, 422)  # another call has found out meanwhile
        told = fault(body)
        if (broken or status in (404, 405)) and self._auto and not self.settled:
            if sent.api == "responses" and told.code != "model_not_found":
                self.form = replace(sent, api="chat")
                return True
            self.form = replace(sent, api="responses")  # neither is there: the address may yet be mended
            return False
        other = self._other(sent, status, told.param.lower(), told.text.lower())
        if other is None:
            return False
        self.form = other
        return True

    def _other(self, sent: Form, status: int, param: str, text: str) -> Form | None:
        if sent.rung is Rung.SCHEMA and sent.bounds and re.search("m(?:ax|in)items", text) and status != 404:
            return replace(sent, bounds=False)
        # A few servers answer 500 to a response_format that they cannot read (the Python server of llama.cpp does).
        about_format = _FORMAT.search(param) or _FORMAT.search(text)
        if about_format and sent.rung in _DOWN and status in (400, 422, 500, 501):
            return replace(sent, rung=_DOWN[sent.rung])
        if status not in (400, 422):
            return None
        if sent.temperature and (param == "temperature" or "temperature" in text):
            return replace(sent, temperature=False)
        if sent.api == "chat" and sent.tokens == "max_tokens" and "max_completion_tokens" in text:
            return replace(sent, tokens="max_completion_tokens")
        if sent.api == "chat" and sent.tokens == "max_tokens" and param == "max_tokens":
            return replace(sent, tokens="max_completion_tokens")
        if sent.api == "responses" and sent.store and (param == "store" or re.search(r"['\"`]store['\"`]", text)):
            return replace(sent, store=False)
        return None
