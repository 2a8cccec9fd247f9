"""A result's summary of the link that its run crossed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def words_of(summary: Mapping[str, Any]) -> str:
    """The link with its congestion control, for people; empty if the run crossed none."""
    return "; ".join(_parts(summary))


def text_of(summary: Mapping[str, Any]) -> str:
    """The same in the form that `--link` takes."""
    asked, *control = _parts(summary) or [""]
    return ", ".join([asked, *(f"congestion_control = {one}" for one in control)])


def spoilt_by_link(summary: Mapping[str, Any]) -> str | None:
    """Why the link spoils the result; None if it does not, or there was no link."""
    link = summary.get("link")
    why = link.get("spoilt") if isinstance(link, Mapping) else None
    return why if isinstance(why, str) else None


def _parts(summary: Mapping[str, Any]) -> list[str]:
    """The requested link, and the congestion control if the request does not name it."""
    link = summary.get("link")
    if not isinstance(link, Mapping):
        return []
    asked, control = str(link.get("asked")), str(link.get("congestion_control"))
    return [asked] if control in asked else [asked, control]
