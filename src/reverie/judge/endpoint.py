"""Which addresses a judge may be sent to: the operator's own, over TLS, or on this machine (reliability notes S8)."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit

from reverie.errors import InvalidInput

__all__ = ["Endpoint", "endpoint"]


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A base address without a slash at its end, and its host (with the port where one was given) for `model_id`."""

    url: str
    host: str


def endpoint(url: str, *, allow_http: bool = False) -> Endpoint:
    """The address of a judge, examined.

    Raises InvalidInput: not http or https, no host, user, password, query or fragment in it, plain http to another machine
    without ``allow_http``, or the address of one API where the base address belongs. The address is never repeated.
    """
    shown = url.strip()
    try:
        parts = urlsplit(shown)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise InvalidInput("the address of the judge is not a URL") from None
    if parts.scheme not in ("http", "https") or not host:
        raise InvalidInput("the address of the judge starts with http:// or https:// and names a host")
    if "@" in parts.netloc or "?" in shown or "#" in shown:
        raise InvalidInput("the address of the judge has no user, password, query or fragment; give the key by itself")
    if not shown.isascii() or not shown.isprintable() or " " in shown or "\\" in shown:
        raise InvalidInput("the address of the judge holds characters that no URL may hold")
    if parts.scheme == "http" and not _loopback(host) and not allow_http:
        raise InvalidInput("plain http would send notes and the key unencrypted to another machine; use https")
    path = parts.path.rstrip("/")
    if path.endswith(("/chat/completions", "/responses", "/completions")):
        raise InvalidInput(
            "give the base address of the judge, such as https://api.openai.com/v1, without the API's path"
        )
    netloc = f"[{host}]" if ":" in host else host
    netloc += f":{port}" if port is not None else ""
    return Endpoint(f"{parts.scheme}://{netloc}{path}", netloc)


def _loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:  # decimal, octal and shortened forms are names here, and no loopback
        return False
