"""Whether two runs crossed the same link."""

from __future__ import annotations

from thinktime import InputError


def differ(one: str, other: str) -> bool:
    """Whether two texts describe different links; an empty one means no link."""
    if one == other:
        return False
    if not one or not other:
        return True
    from thinktime.lab.link_option import parse_link

    try:
        found = [parse_link(text) for text in (one, other)]
    except InputError:  # of another version
        return True
    return len({(link.link, link.congestion_control) for link in found}) > 1
