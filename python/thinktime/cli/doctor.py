"""`thinktime doctor`."""

from __future__ import annotations

import json as json_module

import typer

from thinktime.cli import options, plain_text


def command(
    json: options.JsonObject = False,
) -> None:
    """Show what this machine allows: connections, punctuality, cores; and what to change."""
    from thinktime.doctor import examine

    findings = examine()
    if json:
        typer.echo(json_module.dumps({"findings": [one.to_dict() for one in findings]}, indent=2))
        return
    width = max(len(one.name) for one in findings)
    for one in findings:
        mark = "  " if one.enough else "! "
        plain_text.say(f"{mark}{one.name:{width}}  {one.found}: {one.allows}")
        if one.change:
            plain_text.say(f"  {'':{width}}  to change it: {one.change}")
