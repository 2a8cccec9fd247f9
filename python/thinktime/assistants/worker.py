"""One piece of work, in a process of its own: `python -P -m thinktime.assistants.worker`.

It reads the call as a line of JSON, and writes lines of JSON: progress, and at last the answer or
the error. Its standard input stays open for as long as anybody wants the answer.
"""

from __future__ import annotations

import json
import os
import signal
import threading
import time
import traceback
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, TextIO

from thinktime import InputError, RunError
from thinktime.assistants import confinement, quoting
from thinktime.assistants.call import Call
from thinktime.operations import target_allowlist

GRACE_S = 20.0
"""The time for keeping an unfinished result, once the server is gone."""

_OFTEN_S = 0.2
"""The least time between two reports of progress."""


def main() -> None:
    """Carry out the call on standard input."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what libraries print is no answer
    with open(0, "rb", closefd=False) as line:
        asked = json.loads(line.readline())
    # Only now, so that no file below /proc/self shows the user's variables.
    os.environ.update(asked["environment"])
    directory = Path(asked["directory"])
    os.chdir(directory)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    confinement.confine([directory, Path(os.environ["TMPDIR"])])
    threading.Thread(target=_end_with_server, daemon=True).start()
    target_allowlist.limit(asked["allow"])
    _write(answers, _done(asked, directory, answers))
    os._exit(0)  # a thread still waits for the end of the input


def _done(asked: Mapping[str, Any], directory: Path, answers: TextIO) -> dict[str, Any]:
    """The answer, or the error in the program's own words."""
    module, name = asked["do"]
    call = Call(asked["tool"], asked["arguments"], directory, _Progress(answers))
    try:
        # Only what this tool needs is imported.
        return {"answer": getattr(import_module(module), name)(call).as_dict()}
    except (InputError, RunError) as error:
        return {"error": quoting.text(str(error))}
    except KeyboardInterrupt:
        return {"error": "cancelled"}
    except OverflowError as error:
        return {"error": quoting.text(f"a number is out of its range: {error}")}
    except OSError as error:
        named = f"{error.filename}: {error.strerror}" if error.filename else str(error)
        return {"error": quoting.text(named)}
    except Exception as error:
        traceback.print_exc()  # on the server's standard error
        words = f"an error of Thinktime itself, {type(error).__name__}: {error}"
        return {"error": quoting.text(words)}


class _Progress:
    """Writes progress, not too often."""

    def __init__(self, answers: TextIO) -> None:
        self._answers = answers
        self._next_s = 0.0

    def __call__(self, done: float, whole: float | None, words: str) -> None:
        now_s = time.monotonic()
        if now_s >= self._next_s:
            self._next_s = now_s + _OFTEN_S
            _write(self._answers, {"progress": [done, whole, quoting.text(words)]})


def _write(answers: TextIO, line: Mapping[str, Any]) -> None:
    try:
        answers.write(json.dumps(line) + "\n")
        answers.flush()
    except BrokenPipeError:
        pass  # nobody reads it; `_end_with_server` sees to the rest


def _end_with_server() -> None:
    """Wait until the server is gone, then end as by Ctrl-C; after `GRACE_S`, kill all."""
    while os.read(0, 4096):
        pass
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(GRACE_S)
    os.killpg(os.getpgid(0), signal.SIGKILL)


if __name__ == "__main__":
    main()
