"""A result's summary of the link that its run crossed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from thinktime._core_types import Summary


def words_of(summary: Summary) -> str:
    """The link with its congestion control, for people; empty if the run crossed none."""
    return "; ".join(_parts(summary))


def text_of(summary: Summary) -> str:
    """The same in the form that `--link` takes."""
    asked, *control = _parts(summary) or [""]
    return ", ".join([asked, *(f"congestion_control = {one}" for one in control)])


def spoilt_by_link(summary: Summary) -> str | None:
    """Why the link spoils the result; None if it does not, or there was no link."""
    link = summary.get("link")
    return None if link is None else link.get("spoilt")


def _parts(summary: Summary) -> list[str]:
    """The requested link, and the congestion control if the request does not name it."""
    link = summary.get("link")
    if link is None:
        return []
    asked, control = link["asked"], link["congestion_control"]
    return [asked] if control in asked else [asked, control]
