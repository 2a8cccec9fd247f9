"""`thinktime record`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from thinktime.cli import common, function_options, options, signals
from thinktime.recording import Recorder
from thinktime.results.files import check_folder, write_whole

LOOK_EVERY_S = 0.2

Targets = Annotated[
    list[str] | None,
    typer.Option(
        "--target",
        help="The only host to record, as in shop.example, shop.example:8443 or *.shop.example; "
        "other traffic passes through unread. May be given several times.",
        metavar="HOST",
    ),
]
Har = Annotated[
    Path | None,
    typer.Option("--har", help="Write the recording as HAR 1.2, too.", metavar="FILE"),
]


@function_options.of(Recorder.__init__, but=("targets",))
def command(
    output: options.WorkloadOutput = None,
    target: Targets = None,
    har: Har = None,
    *,
    listen: str,
    **given: Any,
) -> None:
    """Record a visit through a proxy, and write a workload with its journey.

    Send a browser or a program through the proxy: its requests pass unchanged and are noted.
    Ctrl-C ends it. HTTPS is recorded if the client trusts the certificate authority that is made
    for this; the first lines on standard error say how. Secrets are not written.
    """
    with common.mapped_errors():
        for place in filter(None, (output, har)):
            check_folder(place)  # now, and not after the recording
        recorder = Recorder(listen, targets=target or (), **given)
        with recorder:
            _until_interrupted(recorder)
        _write(recorder, output, har)


def _say(text: str, *, whole: bool = False) -> None:
    """A line for people; a command stays whole, for copying."""
    common.errors.print(text, markup=False, soft_wrap=True, no_wrap=whole)


def _say_how(recorder: Recorder) -> None:
    url, file = recorder.url, recorder.authority
    host, _, port = url.removeprefix("http://").rpartition(":")
    _say(f"recording on {url}; Ctrl-C ends it and writes what was recorded")
    if not host.startswith(("127.", "[::1]", "localhost")):
        _say(f"warning: everybody who reaches {host} can use this proxy")
    _say("To record, for example:")
    _say(f"  curl --proxy {url} --cacert {file} https://shop.example/", whole=True)
    _say(
        f"  chromium --user-data-dir=$(mktemp -d) --proxy-server={url} "
        f"--proxy-bypass-list='<-loopback>' "
        f"--ignore-certificate-errors-spki-list={recorder.key_hash}",
        whole=True,
    )
    _say(
        f"  Firefox: Settings, Network Settings, Manual proxy: {host}, port {port}, also for HTTPS;"
        f" Settings, View Certificates, Authorities, Import: {file} (for websites)"
    )
    _say("Remove the certificate from the browser afterwards.")


def _until_interrupted(recorder: Recorder) -> None:
    named_hosts: set[str] = set()

    def tell() -> None:
        while recorder.messages:
            text = recorder.messages.popleft()
            if text not in named_hosts and len(named_hosts) < 100:
                named_hosts.add(text)
                _say(f"note: {text}")

    try:
        _say_how(recorder)
        with _line(recorder) as show:
            while recorder.running:
                tell()
                show()
                time.sleep(LOOK_EVERY_S)
    except KeyboardInterrupt:
        pass
    recorder.stop()
    tell()


@contextmanager
def _line(recorder: Recorder) -> Iterator[Callable[[], None]]:
    """The size of the recording so far, in one line that changes; nothing without a terminal."""
    if not common.errors.is_terminal:
        yield lambda: None
        return
    with common.errors.status(_counted(recorder)) as status:
        yield lambda: status.update(_counted(recorder))


def _counted(recorder: Recorder) -> str:
    requests, pages = recorder.requests, recorder.pages
    return (
        f"{requests:,} request{'' if requests == 1 else 's'} of {pages:,} "
        f"page{'' if pages == 1 else 's'} recorded"
    )


def _write(recorder: Recorder, output: Path | None, har: Path | None) -> None:
    if recorder.lost:
        _say(f"warning: {recorder.lost:,} requests were not recorded: there is no more room")
    hosts = recorder.passed_by
    if hosts:
        more = f" and {len(hosts) - 5} more" if len(hosts) > 5 else ""
        _say(f"not recorded, as they are not among --target: {', '.join(hosts[:5])}{more}")
    if not recorder.requests:
        _say("nothing was recorded: no request was answered")
        raise typer.Exit(signals.status())
    if har is not None:
        write_whole(har, recorder.har())
        _say(f"written: {har}")
    made = recorder.workload(output.stem if output else "recording")
    import_module("thinktime.cli.import").show(made, output)
