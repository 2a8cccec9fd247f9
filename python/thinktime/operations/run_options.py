"""The options of `run`, as the compiled half takes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from thinktime.inputs.options import options_json


def run_options_json(values: Mapping[str, Any]) -> str:
    """As `options_json`, with the link as text: its file may be another one by then.

    Raises:
        InputError: As `options_json` says, or the link is none.
    """
    if values.get("link") is None:
        return options_json("run", values)
    from thinktime.lab.run_link import parse_link

    return options_json("run", {**values, "link": parse_link(str(values["link"])).text})
