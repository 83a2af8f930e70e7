"""One call to a provider through the `openai` SDK (extra `judge`): status and body, or why there are none.

Imported when the first question is asked, never before. The SDK is kept from what it would take from the environment: its
transport is wrapped so that only known headers leave, the key goes to the configured host alone, and no more than
`SIZE` bytes come in, compressed or not. It retries nothing; `asking` does.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import openai

from reverie.judge.parse import SIZE
from reverie.judge.questions import Cause
from reverie.judge.reply import Got, Lost, seconds

__all__ = ["Client"]

_SENT = frozenset({"host", "content-type", "content-length", "accept", "user-agent"})


class Client:
    """Connections to one endpoint. Made and used in one event loop.

    url: base address. azure: the API version of an Azure resource, or "" for every other endpoint. key: "" sends none.
    proxy: address of an HTTP proxy, or None; the environment's is not looked at.
    """

    def __init__(self, url: str, key: str, azure: str, proxy: str | None) -> None:
        header = ("api-key", key) if azure else ("authorization", f"Bearer {key}")
        transport = _Guarded(httpx2.URL(url), header if key else None, proxy)
        http = httpx2.AsyncClient(transport=transport, follow_redirects=False, trust_env=False)
        # The key is put in by the transport: what the SDK would send as one is stripped there.
        shared: dict[str, Any] = {"api_key": "none", "max_retries": 0, "http_client": http}
        self._sdk: openai.AsyncOpenAI = (
            openai.AsyncAzureOpenAI(azure_endpoint=url, api_version=azure, **shared)
            if azure
            else openai.AsyncOpenAI(base_url=url, **shared)
        )

    async def post(self, path: str, body: dict[str, Any], within: float) -> Got | Lost:
        """One request and its whole reply within so many seconds, however slowly the other side drips. Raises nothing."""
        try:
            async with asyncio.timeout(within):
                reply = await self._sdk.post(
                    path, cast_to=httpx2.Response, body=body, options={"timeout": httpx2.Timeout(within)}
                )
        except TimeoutError:
            return Lost(Cause.TIMEOUT, f"no whole reply in {within:.0f} s")
        except openai.APIStatusError as error:
            reply = error.response
        except openai.APITimeoutError:
            return Lost(Cause.TIMEOUT, f"no whole reply in {within:.0f} s")
        except _Refused as error:
            return Lost(error.cause, str(error))
        except openai.APIConnectionError as error:
            return Lost(Cause.UNAVAILABLE, f"no connection or a broken one ({type(error.__cause__).__name__})")
        except Exception as error:  # noqa: BLE001 - foreign code; what it throws is a failed call
            return Lost(Cause.UNAVAILABLE, f"the client failed ({type(error).__name__})")
        return Got(
            reply.status_code, reply.content, seconds(reply.headers.get("retry-after"), reply.headers.get("date"))
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._sdk.close()


class _Refused(Exception):
    """A reply, or a request, that the transport does not let through."""

    def __init__(self, cause: Cause, detail: str) -> None:
        super().__init__(detail)
        self.cause = cause


class _Guarded(httpx2.AsyncBaseTransport):
    def __init__(self, url: httpx2.URL, key: tuple[str, str] | None, proxy: str | None) -> None:
        self._origin = (url.scheme, url.host, url.port)
        self._key = key
        # The certificate bundle that SSL_CERT_FILE names is honoured, as companies need it; proxies are not taken from there.
        self._inner = httpx2.AsyncHTTPTransport(proxy=proxy)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        if (request.url.scheme, request.url.host, request.url.port) != self._origin:
            raise _Refused(Cause.MISCONFIGURED, "a request to another host than the configured one")
        for name in [n for n in request.headers if n.lower() not in _SENT]:
            del request.headers[name]
        request.headers["accept-encoding"] = "identity"  # so that the limit holds for what is received and what is held
        if self._key:
            request.headers[self._key[0]] = self._key[1]
        response = await self._inner.handle_async_request(request)
        length = response.headers.get("content-length", "")
        packed = response.headers.get("content-encoding", "identity").strip().lower() not in ("", "identity")
        if packed or (length.isdigit() and int(length[:20]) > SIZE):
            await response.aclose()
            if packed:
                raise _Refused(Cause.MALFORMED, "a compressed reply, which was not asked for")
            raise _Refused(Cause.TOO_LARGE, f"a reply of more than {SIZE} bytes")
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        return httpx2.Response(
            response.status_code,
            headers=response.headers,
            stream=_Limited(response.stream),
            extensions=response.extensions,
        )

    async def aclose(self) -> None:
        await self._inner.aclose()


class _Limited(httpx2.AsyncByteStream):
    def __init__(self, inner: httpx2.AsyncByteStream) -> None:
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        taken = 0
        async for chunk in self._inner:
            taken += len(chunk)
            if taken > SIZE:
                raise _Refused(Cause.TOO_LARGE, f"a reply of more than {SIZE} bytes")
            yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()
