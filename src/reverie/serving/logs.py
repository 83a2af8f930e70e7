"""What a server and its curator log: one JSON object a line on stderr. No text of a memory, no key, no name of a namespace."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any


class Lines(logging.Formatter):
    """One JSON object a line. What is logged is ours: no text of a memory, no key, no name of a namespace."""

    def format(self, record: logging.LogRecord) -> str:
        told: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(), "log": record.name,
        }  # fmt: skip
        fields = getattr(record, "fields", None)
        told |= fields if isinstance(fields, dict) else {"message": record.getMessage()}
        if record.exc_info:
            told["trace"] = _where(record.exc_info)
        return json.dumps(told, ensure_ascii=True)


def _where(info: Any) -> list[str]:
    """Where it happened, and what kind of error it was. Not its message: that may quote what somebody sent."""
    _, error, trace = info
    found = [type(error).__name__]
    while trace is not None:
        code = trace.tb_frame.f_code
        found.append(f"{Path(code.co_filename).name}:{trace.tb_lineno} {code.co_name}")
        trace = trace.tb_next
    return found


def to_stderr(level: int) -> None:
    """Log as JSON lines."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Lines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger("reverie").setLevel(level)
    logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
