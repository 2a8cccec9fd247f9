"""The options of `run`, as the compiled half takes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from thinktime.inputs.options import options_json


def run_options_json(values: Mapping[str, Any]) -> str:
    """Like `options_json`, with the link as text: its file may change later.

    Raises:
        InputError: As in `options_json`, or the link is invalid.
    """
    if values.get("link") is None:
        return options_json("run", values)
    from thinktime.lab.link_option import parse_link

    return options_json("run", {**values, "link": parse_link(str(values["link"])).text})
