"""The program that is a hostile client: `python -m thinktime.lab.hostile KIND SETTINGS`.

It refuses to act outside of a host of a running lab. At the end it prints, as JSON, its counts, and
the times of its beginning and end.
"""

from __future__ import annotations

import contextlib
import json
import signal
import sys
import time
from importlib import import_module
from ipaddress import IPv4Network

from thinktime.lab.hostile import guard, kinds
from thinktime.lab.hostile.client import Client, Settings


def main(arguments: list[str]) -> int:
    """Be the client that the arguments name; returns the exit status."""
    if len(arguments) != 2 or arguments[0] not in kinds.KINDS:
        print(f"give a kind and its settings: there are {', '.join(kinds.KINDS)}", file=sys.stderr)
        return 2
    said = json.loads(arguments[1])
    said["target"] = (said["target"][0], int(said["target"][1]))
    said["spoofed"] = IPv4Network(said["spoofed"])
    module = import_module(f"thinktime.lab.hostile.{arguments[0].replace('-', '_')}")
    try:
        client: Client = module.Client(Settings(**said))
        began = time.time()
        with contextlib.suppress(KeyboardInterrupt):
            client.attack()
    except guard.RefusedError as refused:
        print(f"refused: a hostile client runs in a lab only: {refused}", file=sys.stderr)
        return 2
    print(json.dumps({"began": began, "ended": time.time(), "counts": client.counts}))
    return 0


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.exit(main(sys.argv[1:]))
