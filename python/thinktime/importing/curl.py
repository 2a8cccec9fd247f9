"""curl's command lines, from a file: as they are typed, or as browsers copy them.

Source: https://curl.se/docs/manpage.html
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import quote, quote_plus

from thinktime import InputError
from thinktime.importing import content, keys, shell
from thinktime.importing.addresses import address, one_origin
from thinktime.importing.draft import Body, Draft, Request, a_visit, method_of, name_of, stem
from thinktime.importing.notes import Notes
from thinktime.importing.secrets import masked_pairs


def _options(names: str) -> frozenset[str]:
    return frozenset(names.split())


WITH_VALUE = _options(
    """
    -X --request -H --header -d --data --data-raw --data-binary --data-ascii --data-urlencode
    --json -F --form --form-string -u --user -A --user-agent -e --referer -b --cookie -c
    --cookie-jar --url --url-query --oauth2-bearer -o --output -w --write-out -m --max-time
    --connect-timeout --retry --retry-delay --retry-max-time --cacert --capath -E --cert --key
    -x --proxy -U --proxy-user --resolve --connect-to -T --upload-file -D --dump-header -K
    --config --limit-rate -r --range --max-redirs --interface --ciphers --unix-socket --noproxy
    --aws-sigv4 -t --telnet-option --trace --trace-ascii --stderr -z --time-cond --tls-max
    --rate -C --continue-at -Y -y --cert-type --key-type --output-dir --netrc-file --dns-servers
    --local-port --keepalive-time --socks5 --socks5-hostname --abstract-unix-socket --hostpubmd5
    --request-target --variable --expand-url --expand-data --expand-header
    """
)
SILENT = _options(
    """
    -s --silent -S --show-error -v --verbose -o --output -w --write-out -i --include -#
    --progress-bar --no-progress-meter -D --dump-header -N --no-buffer -g --globoff --trace
    --trace-ascii --stderr -O --remote-name -J --remote-header-name -f --fail --fail-with-body
    --output-dir -Z --parallel --create-dirs --no-keepalive -c --cookie-jar --path-as-is
    """
)
"""Options that do not change the request, or only affect the handling of the answer."""

INSTEAD = {
    "-k": "say `--insecure` to `thinktime run`",
    "--insecure": "say `--insecure` to `thinktime run`",
    "--cacert": "say `--ca FILE` to `thinktime run`",
    "-m": "put `timeout` into the request",
    "--max-time": "put `timeout` into the request",
    "--retry": "put `retry` into the request",
    "-T": "files are not read; `body_file` names one",
    "--upload-file": "files are not read; `body_file` names one",
    "--http2": "say `--protocol` to `thinktime run`",
}
DATA = ("-d", "--data", "--data-ascii", "--data-raw", "--data-binary", "--data-urlencode", "--json")


@dataclass
class Command:
    """One command line: its options in their order, and its URLs."""

    options: list[tuple[str, str]] = field(default_factory=list)
    urls: list[str] = field(default_factory=list)

    def values(self, *names: str) -> list[str]:
        """The values of all options with one of these names."""
        return [given for name, given in self.options if name in names]

    def has(self, *names: str) -> bool:
        """Whether one of the options is there."""
        return any(name in names for name, _ in self.options)


def draft(text: str, file: str, name: str) -> Draft:
    """The workload of a file of commands: one request each, in their order.

    Raises:
        InputError: No command could be taken.
    """
    notes = Notes()
    requests: list[Request] = []
    cookies = redirects = False
    hints: dict[str, None] = {}
    for number, line in shell.lines(text):
        place = f"line {number}"
        try:
            found = shell.words(line)
        except ValueError as error:
            notes.add(place, f"left out: its quotes do not match: {error}")
            continue
        if found[:1] == ["sleep"] and requests:
            requests[-1].think = _seconds(found)
        if found[:1] != ["curl"]:
            if found and found[0] != "sleep":
                notes.add(place, f"left out: `{found[0]}` is no curl command")
            continue
        for words in _between_next(found[1:]):
            command = _command(words, place, notes)
            cookies = cookies or command.has("-b", "--cookie", "-c", "--cookie-jar")
            redirects = redirects or command.has("-L", "--location")
            hints |= dict.fromkeys(_hints(command))
            requests += _requests(command, place, notes)
    origin, requests = one_origin(requests, notes)
    if not requests:
        raise InputError(f"{file}: has no curl command with a URL of http or https")
    population = a_visit(requests, "the commands are taken as the requests of one visit")
    population.hints = list(hints)
    if cookies:
        population.session["cookies"] = True
    if redirects:
        population.session["redirects"] = 50
    return Draft(stem(name), f"{name} (curl)", [population], notes, origin)


def _seconds(words: list[str]) -> str | None:
    found = re.fullmatch(r"(\d{1,9}(?:\.\d{1,9})?)(s|m|h|)", words[1]) if len(words) > 1 else None
    return found[1] + {"m": "min", "h": "h"}.get(found[2], "s") if found else None


def _between_next(words: list[str]) -> Iterator[list[str]]:
    """Several transfers of one command, between which `--next` stands."""
    part: list[str] = []
    for word in words:
        if word in ("--next", "-:", ";", "&&", "|"):
            yield part
            part = []
            if word not in ("--next", "-:"):
                return  # what follows is no word of curl
        else:
            part.append(word)
    yield part


def _command(words: list[str], place: str, notes: Notes) -> Command:
    command = Command()
    queue = list(reversed(words))
    while queue:
        word = queue.pop()
        if re.match(r"^\d?>|^<", word):
            if re.fullmatch(r"\d?>>?|<", word) and queue:
                queue.pop()
        elif word == "-" or not word.startswith("-"):
            command.urls.append(word)
        elif word.startswith("--"):
            name, mark, given = word.partition("=")
            if not mark and name in WITH_VALUE:
                given = queue.pop() if queue else ""
            command.options.append((name, given))
        elif word[:2] in WITH_VALUE:
            given = word[2:] or (queue.pop() if queue else "")
            command.options.append((word[:2], given))
        else:
            command.options.append((word[:2], ""))
            if len(word) > 2:
                queue.append("-" + word[2:])
    command.urls += command.values("--url")
    _note_options(command, place, notes)
    return command


_TAKEN = _options(
    """
    -X --request -H --header -F --form --form-string -u --user -A --user-agent -b --cookie -I
    --head -G --get --url --url-query --compressed --oauth2-bearer -L --location -r --range -e
    --referer --location-trusted --max-redirs
    """
)


def _note_options(command: Command, place: str, notes: Notes) -> None:
    for name, _ in command.options:
        if name not in _TAKEN and name not in SILENT and name not in DATA:
            instead = f": {INSTEAD[name]}" if name in INSTEAD else ""
            notes.add(place, f"option `{name}` left out{instead}")


def _hints(command: Command) -> Iterator[str]:
    fields = [given.lower() for given in command.values("-H", "--header")]
    if command.has("--oauth2-bearer") or any("authorization: bearer" in one for one in fields):
        yield keys.bearer_hint()
    if command.has("-u", "--user") or any("authorization: basic" in one for one in fields):
        yield keys.basic_hint()


def _requests(command: Command, place: str, notes: Notes) -> Iterator[Request]:
    if not command.urls:
        notes.add(place, "left out: it has no URL")
    for url in command.urls:
        split = (given.partition(":") for given in command.values("-H", "--header"))
        pairs = [(name, given) for name, _, given in split]
        pairs += [("User-Agent", given) for given in command.values("-A", "--user-agent")]
        pairs += [("Referer", given) for given in command.values("-e", "--referer")]
        pairs += [("Range", f"bytes={given}") for given in command.values("-r", "--range")]
        if command.has("--compressed"):
            pairs.append(("Accept-Encoding", "deflate, gzip, br, zstd"))
        pairs = [(name, given) for name, given in pairs if given.strip()]
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
        found = address(url if "://" in url else f"http://{url}", place, notes)
        if found is None:
            continue
        method = _method(command, body)
        request = Request(name_of(method, found.target), method, found.target, fields, body)
        request.origin, request.place, request.about = found.origin, place, place.capitalize() + "."
        yield request


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
        if given.startswith("@") and name != "--data-raw":
            notes.add(
                place, f"`{name} {given}` left out: files are not read; `body_file` names one"
            )
        elif name == "--data-urlencode":
            yield _encoded(given)
        else:
            yield given


def _encoded(given: str) -> str:
    name, mark, text = given.partition("=")
    if not mark:
        return quote_plus(given)
    return f"{name}={quote(text, safe='')}" if name else quote(text, safe="")


def _body(
    command: Command, data: list[str], fields: dict[str, str], place: str, notes: Notes
) -> Body | None:
    parts = [given.partition("=")[::2] for given in command.values("-F", "--form")]
    texts = [(name, given) for name, given in parts if not given.startswith(("@", "<"))]
    if len(texts) < len(parts):
        notes.add(place, "the files of the form are left out: files are not read")
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
