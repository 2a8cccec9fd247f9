"""Scripts and styles within a page, and the policy by which a browser runs these alone."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from importlib import resources


def content_policy(scripts: Sequence[str]) -> str:
    """Only these scripts may run, and nothing may be fetched, whatever a name contains."""
    digests = [hashlib.sha256(script.encode()).digest() for script in scripts]
    hashes = " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
    scripts_allowed = hashes or "'none'"
    return (
        f"default-src 'none'; script-src {scripts_allowed}; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none';"
    )


def asset(name: str) -> str:
    """A text file of the package, in the form that the page needs."""
    text = resources.files("thinktime.present").joinpath("assets", name).read_text("utf-8")
    return text.strip()
