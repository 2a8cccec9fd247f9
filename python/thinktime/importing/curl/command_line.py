"""The options and URLs of one command line of curl.

Source: https://curl.se/docs/manpage.html
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from thinktime.importing.notes import Notes


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
    --request-target --variable --expand-url --expand-data --expand-header --alt-svc
    --create-file-mode --crlfile --curves --delegation --dns-interface --dns-ipv4-addr
    --dns-ipv6-addr --doh-url --ech --egd-file --engine --etag-compare --etag-save
    --expect100-timeout --ftp-account --ftp-alternative-to-user --ftp-method --ftp-port
    --ftp-ssl-ccc-mode --happy-eyeballs-timeout-ms --haproxy-clientip --hostpubsha256 --hsts
    --ip-tos --keepalive-cnt --krb --libcurl --login-options --mail-auth --mail-from --mail-rcpt
    --max-filesize --parallel-max --parallel-max-host --pass --pinnedpubkey --preproxy --proto
    --proto-default --proto-redir --proxy-cacert --proxy-capath --proxy-cert --proxy-cert-type
    --proxy-ciphers --proxy-crlfile --proxy-header --proxy-key --proxy-key-type --proxy-pass
    --proxy-pinnedpubkey --proxy-service-name --proxy-tls13-ciphers --proxy-tlsauthtype
    --proxy-tlspassword --proxy-tlsuser --proxy1.0 --pubkey --quote --random-file --sasl-authzid
    --service-name --sigalgs --socks4 --socks4a --socks5-gssapi-service --speed-limit
    --speed-time --tftp-blksize --tls13-ciphers --tlsauthtype --tlspassword --tlsuser
    --trace-config --upload-flags --vlan-priority -P -Q
    """
)
SILENT = _options(
    """
    -s --silent -S --show-error -v --verbose -o --output -w --write-out -i --include -#
    --progress-bar --no-progress-meter -D --dump-header -N --no-buffer -g --globoff --trace
    --trace-ascii --stderr -O --remote-name -J --remote-header-name -f --fail --fail-with-body
    --output-dir --create-dirs --no-keepalive -c --cookie-jar --path-as-is
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
    "-Z": "requests are sent one after the other",
    "--parallel": "requests are sent one after the other",
    "--http2": "say `--protocol` to `thinktime run`",
}
DATA = ("-d", "--data", "--data-ascii", "--data-raw", "--data-binary", "--data-urlencode", "--json")


@dataclass
class Command:
    """One command line: its options in their order, and its URLs."""

    options: list[tuple[str, str]] = field(default_factory=list)
    urls: list[str] = field(default_factory=list)
    stdin: str | None = None
    """What the command line itself gives as the standard input."""

    def values(self, *names: str) -> list[str]:
        """The values of all options with one of these names."""
        return [given for name, given in self.options if name in names]

    def has(self, *names: str) -> bool:
        """Whether one of the options is there."""
        return any(name in names for name, _ in self.options)


def command(words: list[str], place: str, notes: Notes) -> Command:
    """The command that words after `curl` make; options that change it and are lost are noted."""
    found = Command()
    queue = list(reversed(words))
    while queue:
        word = queue.pop()
        if word.startswith("<<<"):
            found.stdin = (word[3:] or (queue.pop() if queue else "")) + "\n"
        elif re.match(r"^[\d&]?>|^<", word):
            if re.fullmatch(r"[\d&]?>>?|<|<<-?", word) and queue:
                queue.pop()
        elif word == "-" or not word.startswith("-"):
            found.urls.append(word)
        elif word.startswith("--"):
            name, mark, given = word.partition("=")
            if not mark and name in WITH_VALUE:
                given = queue.pop() if queue else ""
            found.options.append((name, given))
        elif word[:2] in WITH_VALUE:
            given = word[2:] or (queue.pop() if queue else "")
            found.options.append((word[:2], given))
        else:
            found.options.append((word[:2], ""))
            if len(word) > 2:
                queue.append("-" + word[2:])
    found.urls += found.values("--url")
    _note_options(found, place, notes)
    return found


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
