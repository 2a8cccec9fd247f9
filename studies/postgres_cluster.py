"""PostgreSQL in a private cluster, which is made for a block and taken away at its end.

with serving("max_connections=60") as database:
    database.sql("select 1")
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

_DEBIAN = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
_PATH = os.pathsep.join([os.environ.get("PATH", ""), *map(str, _DEBIAN)])
USER = "tester"


class NotInstalledError(Exception):
    """A program of PostgreSQL is missing."""


class FailedError(Exception):
    """PostgreSQL did not carry out a command."""


def program(name: str) -> str:
    """The path of a program of PostgreSQL.

    Raises:
        NotInstalledError: The program is missing.
    """
    found = shutil.which(name, path=_PATH)
    if found is None:
        raise NotInstalledError(f"{name} of the system package postgresql is not installed")
    return found


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _as_nobody(command: list[str]) -> list[str]:
    """The command as another user than root, as which PostgreSQL refuses to run."""
    if os.geteuid() != 0:
        return command
    setpriv = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
    return [*setpriv, *command]


@dataclass
class Database:
    """A cluster, and the server that runs on it."""

    directory: Path
    port: int
    process: subprocess.Popen[bytes] | None = None
    settings: list[str] = field(default_factory=list)

    @property
    def url(self) -> str:
        """The target by TCP."""
        return f"postgresql://{USER}@127.0.0.1:{self.port}/postgres"

    @property
    def socket(self) -> Path:
        """The Unix socket."""
        return self.directory / f".s.PGSQL.{self.port}"

    def start(self, *settings: str) -> None:
        """Start the server with these settings, as in `max_connections=5`, and wait for it.

        Raises:
            FailedError: It ends, or does not answer for five minutes.
        """
        options = ["fsync=off", "shared_buffers=16MB", "listen_addresses=127.0.0.1", *settings]
        given = [part for option in options for part in ("-c", option)]
        command = [program("postgres"), "-D", str(self.directory / "data"), *given]
        command += ["-k", str(self.directory), "-p", str(self.port)]
        with (self.directory / "log").open("ab") as log:
            self.process = subprocess.Popen(_as_nobody(command), stdout=log, stderr=log)
        end = time.monotonic() + 300
        while self.sql("select 1", check=False) != "1":
            if self.process.poll() is not None:
                raise FailedError(f"PostgreSQL has ended: {self.log()}")
            if time.monotonic() > end:
                raise FailedError("PostgreSQL does not answer")
            time.sleep(0.05)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Stop the server: by SIGINT without waiting for its clients, by SIGQUIT as in a crash."""
        assert self.process is not None
        self.process.send_signal(how)
        self.process.wait(timeout=300)

    def sql(self, text: str, *, check: bool = True) -> str:
        """The output of psql for statements, over the Unix socket, which everybody may use.

        Raises:
            FailedError: They fail, and `check` is true.
        """
        command = [program("psql"), "-h", str(self.directory), "-p", str(self.port), "-U", USER]
        command += ["-d", "postgres", "-v", "ON_ERROR_STOP=1", "-qAtc", text]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        if done.returncode and check:
            raise FailedError(done.stderr)
        return done.stdout.strip()

    def log(self) -> str:
        """The server's output."""
        return (self.directory / "log").read_text()


@contextmanager
def cluster(*, authentication: str = "trust") -> Iterator[Database]:
    """A cluster whose server is not started yet, and is stopped at the end.

    `authentication` is that of TCP; all clients of the Unix socket are trusted. Root has it run by
    `nobody`, and any other user by himself.

    Raises:
        NotInstalledError: A program of PostgreSQL is not here.
    """
    initdb = program("initdb")
    with TemporaryDirectory(prefix="thinktime-") as name:
        directory = Path(name)
        if os.geteuid() == 0:
            shutil.chown(directory, "nobody", "nogroup")
        made = [initdb, "-D", str(directory / "data"), "-U", USER, "--no-sync", "-E", "UTF8"]
        made += ["--locale=C", "--auth-local=trust", f"--auth-host={authentication}"]
        if authentication != "trust":
            secret = directory / "password"
            secret.write_text("hunter2\n")
            if os.geteuid() == 0:
                shutil.chown(secret, "nobody", "nogroup")
            made += [f"--pwfile={secret}"]
        subprocess.run(_as_nobody(made), check=True, capture_output=True, timeout=300)
        database = Database(directory, free_port())
        try:
            yield database
        finally:
            if database.process is not None and database.process.poll() is None:
                database.stop()


@contextmanager
def serving(*settings: str, authentication: str = "trust") -> Iterator[Database]:
    """A database with these settings that takes connections."""
    with cluster(authentication=authentication) as database:
        database.start(*settings)
        yield database
