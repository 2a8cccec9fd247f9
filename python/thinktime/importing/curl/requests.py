"""The requests of one command line of curl: their targets, header fields and bodies.

Source: https://curl.se/docs/manpage.html
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import quote, quote_plus

from thinktime.importing import content
from thinktime.importing.addresses import address
from thinktime.importing.curl import globs
from thinktime.importing.curl.command_line import DATA, Command
from thinktime.importing.draft import Body, Request, method_of, name_of
from thinktime.importing.notes import Notes
from thinktime.importing.secrets import masked_pairs

_OPEN_HOST = re.compile(
    r"(?:https?://)?[^/?#$]*(?P<name>\$(?:[A-Za-z_]\w*|\{[A-Za-z_][^{}]*\}|\([^()]*\)))[^/?#]*"
)


def requests(command: Command, place: str, notes: Notes) -> Iterator[Request]:
    """A request for each URL that the command asks."""
    if not command.urls:
        notes.add(place, "left out: it has no URL")
    for url in _urls(command, place, notes):
        pairs = list(_fields(command, place, notes))
        pairs += [("User-Agent", given) for given in command.values("-A", "--user-agent")]
        pairs += [("Referer", given) for given in command.values("-e", "--referer")]
        pairs += [("Range", f"bytes={given}") for given in command.values("-r", "--range")]
        if command.has("--compressed"):
            pairs.append(("Accept-Encoding", "deflate, gzip, br, zstd"))
        fields = content.headers(pairs, place, notes)
        for name in ("-b", "--cookie"):
            if command.has(name):
                notes.add(place, f"option `{name}` left out: sessions keep the cookies they get")
        for name in ("-u", "--user", "--oauth2-bearer"):
            if command.has(name):
                notes.add(place, f"option `{name}` left out: it holds a secret")
        data = list(_data(command, place, notes))
        if command.has("-G", "--get"):
            data, query = [], "&".join(data)
            url += ("&" if "?" in url else "?") + query if query else ""
        for given in command.values("--url-query"):
            url += ("&" if "?" in url else "?") + _encoded(given)
        body = _body(command, data, fields, place, notes)
        url, variable = without_open_host(url)
        if variable:
            text = f"`{variable}` has no value here: say the host as `--target`"
            notes.add(place, text)
        elif "://" not in url:
            url = f"http://{url}"
        found = address(url, place, notes)
        if found is None:
            continue
        method = _method(command, body)
        request = Request(name_of(method, found.target), method, found.target, fields, body)
        request.origin, request.place, request.about = found.origin, place, place.capitalize() + "."
        yield request


def without_open_host(url: str) -> tuple[str, str]:
    """A URL without a host that is a variable of the shell, and that variable; else no variable."""
    found = _OPEN_HOST.match(url)
    if found is None:
        return url, ""
    rest = url[found.end() :]
    return (rest if rest.startswith("/") else f"/{rest}"), found["name"]


def _urls(command: Command, place: str, notes: Notes) -> Iterator[str]:
    for url in command.urls:
        is_literal = command.has("-g", "--globoff")
        if not is_literal and globs.LONG.search(url):
            notes.add(place, "left out: a range in its URL has a number of more than 18 digits")
            continue
        found, many = ([url], 1) if is_literal else globs.expanded(url)
        if many > len(found):
            number = many if many < globs.COUNT_MAX else f"more than {globs.COUNT_MAX:,}"
            notes.add(place, f"stands for {number} URLs: the first {len(found)} are taken")
        yield from found


def _fields(command: Command, place: str, notes: Notes) -> Iterator[tuple[str, str]]:
    """The header fields that are given; one without a value takes a field of curl away."""
    for given in command.values("-H", "--header"):
        name, mark, held = given.partition(":")
        if given.startswith("@"):
            notes.add(place, f"`-H {given}` left out: files are not read")
        elif held.strip():
            yield name, held
        elif not mark and name.endswith(";"):
            yield name.removesuffix(";"), ""


def _method(command: Command, body: Body | None) -> str:
    asked = command.values("-X", "--request")
    method = method_of(asked[-1]) if asked else None
    if method is not None:
        return method
    if command.has("-I", "--head"):
        return "HEAD"
    if command.has("-T", "--upload-file"):
        return "PUT"
    # A body that was left out, such as that of a file, still sets the method.
    sends = command.has(*DATA, "-F", "--form", "--form-string") and not command.has("-G", "--get")
    return "POST" if body is not None or sends else "GET"


def _data(command: Command, place: str, notes: Notes) -> Iterator[str]:
    for name, given in command.options:
        if name not in DATA:
            continue
        if given == "@-" and name != "--data-raw" and command.stdin is not None:
            yield _of_stdin(name, command.stdin)
            continue
        coded = name == "--data-urlencode"
        of_file = "@" in given.partition("=")[0] if coded else given.startswith("@")
        if of_file and name != "--data-raw":
            notes.add(
                place, f"`{name} {given}` left out: files are not read; `body_file` names one"
            )
        elif coded:
            yield _encoded(given)
        else:
            yield given


def _of_stdin(name: str, given: str) -> str:
    """What curl sends of its standard input: `-d` leaves the ends of lines out."""
    if name == "--data-urlencode":
        return quote(given, safe="")
    return given if name in ("--data-binary", "--json") else re.sub(r"[\r\n]", "", given)


def _encoded(given: str) -> str:
    name, mark, text = given.partition("=")
    if not mark:
        return quote_plus(given)
    return f"{name}={quote(text, safe='')}" if name else quote(text, safe="")


def _part(given: str, place: str, notes: Notes) -> tuple[str, str]:
    """The name and the text of a field of a form, without what curl takes from its end."""
    name, _, held = given.partition("=")
    text, *rest = re.split(r";\s*(?:type|filename|headers|encoder)=", held, maxsplit=1)
    if rest and not held.startswith(("@", "<")):
        notes.add(place, f"the type of the part `{name}` is left out")
    return name, text


def _body(
    command: Command, data: list[str], fields: dict[str, str], place: str, notes: Notes
) -> Body | None:
    parts = [_part(given, place, notes) for given in command.values("-F", "--form")]
    texts = [(name, given) for name, given in parts if not given.startswith(("@", "<"))]
    if len(texts) < len(parts):
        files = [given[1:] for _, given in parts if given.startswith(("@", "<"))]
        notes.add(place, content.without_files(files))
    texts += [given.partition("=")[::2] for given in command.values("--form-string")]
    if texts:
        return content.of_parts(masked_pairs(texts, place, notes), fields)
    if not data:
        return None
    if command.has("--json"):
        if not content.content_type(fields):
            content.set_type(fields, "application/json")
        if "accept" not in map(str.lower, fields):
            fields["Accept"] = "application/json"
        return content.body("".join(data), fields, place, notes)
    if not content.content_type(fields):
        content.set_type(fields, "application/x-www-form-urlencoded")
    return content.body("&".join(data), fields, place, notes)
