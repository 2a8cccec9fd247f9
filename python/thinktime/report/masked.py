"""Files as a page shows them: without the passwords and tokens that somebody wrote into them.

A page is handed on. What a run needs to be done again stays in its result directory.
"""

from __future__ import annotations

import re
from urllib.parse import unquote_plus

from thinktime.importing.secrets import REMOVED, is_secret

_KEPT_ELSEWHERE = ("env:", "file:", "$")
"""So begin texts that only say where a secret is, or how it is found in a response."""

_COOKIES = ("cookie", "set-cookie")
_PAIR = re.compile(
    r"""(?P<name>(?<![\w.-])[\w.-]{1,80}|"[^"\n]{0,80}"|'[^'\n]{0,80}')(?P<mark>\s*[=:]\s*\[?\s*)"""
    r"""(?:(?P<long>"{3}|'{3})(?P<text>(?:\\.|[^\\])*?)(?P=long)"""
    r"""|(?P<quote>\\?"|')(?P<value>(?:\\.|[^\\\n])*?)(?P=quote))"""
)
_ESCAPED = re.compile(r"""(?P<begin>\\"(?P<name>[^"\\\n]*)\\"\s*:\s*\\")(?P<value>[^"\\\n]*)""")
_PARAMETER = re.compile(r"""(?P<begin>[?&"'\n](?P<name>[^=&\s"'#?]+)=)(?P<value>[^&\s"'#]+)""")
_PASSWORD = re.compile(r"(?P<begin>[a-z][a-z0-9+.-]*://[^/\s:@\"']*:)[^/\s@\"']+(?=@)")


def without_secrets(text: str) -> str:
    """A file's text with the values of what is called like a secret replaced."""
    text = _PASSWORD.sub(rf"\g<begin>{REMOVED}", text)
    for pattern in (_PARAMETER, _ESCAPED):
        text = pattern.sub(_of_name, text)
    return _PAIR.sub(_of_pair, text)


def _of_name(found: re.Match[str]) -> str:
    return found["begin"] + (REMOVED if is_secret(unquote_plus(found["name"])) else found["value"])


def _of_pair(found: re.Match[str]) -> str:
    name = found["name"].strip("\"'")
    quote, value = found["quote"] or found["long"], found["value"] or found["text"] or ""
    if value.startswith(_KEPT_ELSEWHERE):
        return found[0]
    told = is_secret(name) or name.lower() in _COOKIES
    inner = REMOVED if told and value else _PAIR.sub(_of_pair, value)
    return f"{found['name']}{found['mark']}{quote}{inner}{quote}"
