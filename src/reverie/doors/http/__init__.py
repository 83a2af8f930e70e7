"""Reverie over HTTP. Needs the extra ``reverie[serve]``."""

from reverie.doors.http.app import build

__all__ = ["build"]
