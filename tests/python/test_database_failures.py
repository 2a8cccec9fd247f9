"""Databases that refuse, go away and end their connections; and outputs without a password."""

from __future__ import annotations

import base64
import hashlib
import time
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import command_copies
import polars as pl
import pytest
from postgres_server import USER, Database, serving

import thinktime as tt

WAIT_S = 300
HEAD = 'name = "db"\n[arrivals]\nmodel = "closed"\nclients = {}\n[session]\nthink = "{}"\n'
ONE = '[[request]]\nname = "one"\nsql = "select 1"\n'


def until(holds: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + WAIT_S
    while not holds():
        assert time.monotonic() < end, what
        time.sleep(0.02)


def while_running(
    workload: tt.Workload, url: str, duration: float, meanwhile: Callable[[], None]
) -> tt.Result:
    """The result of a run with another action beside it."""
    ended: list[tt.Result] = []
    thread = Thread(target=lambda: ended.append(tt.run(workload, url, duration=duration)))
    thread.start()
    try:
        meanwhile()
    finally:
        thread.join(WAIT_S)
    (result,) = ended
    return result


def test_who_may_not_log_in_is_counted_and_the_run_goes_on() -> None:
    """28000: by the role, which may log in later; and by the server's rules, which refuse all."""
    text = (
        'name = "db"\n[arrivals]\nmodel = "open"\nrate = "50/s"\n'
        '[clients]\nconnections = "per-request"\n'
        '[[request]]\nname = "come"\nsql = "insert into visit values (1)"\n'
    )
    with serving() as database:
        database.sql("create role guest login; create table visit (n int)")
        database.sql("grant insert on visit to guest")
        workload = tt.Workload(text, "w.toml")
        url = database.url.replace(USER, "guest")

        def meanwhile() -> None:
            until(lambda: int(database.sql("select count(*) from visit")) >= 20, "nobody came")
            database.sql("alter role guest nologin")
            until(lambda: "is not permitted to log in" in database.log(), "nobody was refused")
            database.sql("alter role guest login")

        result = while_running(workload, url, 5, meanwhile)
        assert set(result.summary["errors_by_kind"]) == {"sqlstate_28000"}
        assert result.requests is not None
        found = pl.DataFrame(result.requests).sort("scheduled_ns")
        assert found["error"].is_null().head(10).all()
        assert found["error"].is_null().tail(10).all()

        database.stop()
        rules = database.directory / "data/pg_hba.conf"
        rules.write_text(f"host all guest 127.0.0.1/32 reject\n{rules.read_text()}")
        database.start()
        refused = tt.run(workload, url, requests=10).summary
        assert refused["errors_by_kind"] == {"sqlstate_28000": 10}


def test_a_connection_that_the_server_ends_is_counted_and_another_one_opened(
    tmp_path: Path,
) -> None:
    """57P01, as `pg_terminate_backend` has it: the last word over a connection."""
    text = HEAD.format(3, "0s") + (
        "[clients]\nconnections = 2\n"
        '[[request]]\nname = "gone"\nsql = "select pg_terminate_backend(pg_backend_pid())"\n'
        '[[request]]\nname = "good"\nsql = "select 1"\n'
    )
    with serving() as database:
        result = tt.run(tt.Workload(text, str(tmp_path / "w.toml")), database.url, requests=100)
        ended = database.log().count("terminating connection due to administrator command")
    summary = result.summary
    gone = summary["by_request"]["gone"]["errors"]
    assert summary["errors_by_kind"] == {"sqlstate_57P01": gone}
    assert summary["by_request"]["good"]["requests"] == 100 - gone
    assert 0 < gone < 100
    assert ended >= gone


def test_what_is_under_way_at_a_shutdown_is_counted_by_its_kind() -> None:
    """Each client nearly always waits for a long statement when the server receives the signal to
    stop."""
    text = HEAD.format(4, "5ms") + '[[request]]\nname = "slow"\nsql = "select pg_sleep(0.3)"\n'
    with serving() as database:
        workload = tt.Workload(text, "w.toml")
        busy = "select count(*) from pg_stat_activity where query like '%pg_sleep(0.3)'"

        def meanwhile() -> None:
            until(lambda: int(database.sql(busy)) >= 4, "nobody came")
            database.stop()
            database.start()

        result = while_running(workload, database.url, 6, meanwhile)
    kinds = result.summary["errors_by_kind"]
    assert kinds["sqlstate_57P01"] > 0
    assert set(kinds) <= {"sqlstate_57P01", "sqlstate_57P03", "refused", "closed", "reset"}, kinds
    assert result.requests is not None
    last = pl.DataFrame(result.requests).sort("scheduled_ns")["error"].tail(4)
    assert last.is_null().all()


SECRETS = {"right": "hunter2", "wrong": "swordfish-7281"}


def shapes(secret: str) -> list[bytes]:
    """A password verbatim, and in forms that no other text has by accident: encoded, or its
    hash."""
    whole = secret.encode()
    hashed = hashlib.md5(whole + USER.encode()).hexdigest()
    return [whole, base64.b64encode(whole), whole.hex().encode(), hashed.encode()]


def thinktime(folder: Path, environment: dict[str, str], *words: str) -> bytes:
    """All that a command says, well done or not."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("PGPASSWORD", raising=False)
        for name, value in environment.items():
            patch.setenv(name, value)
        done = command_copies.thinktime(words, folder, timeout_s=WAIT_S)
    return (done.stdout + done.stderr).encode()


@pytest.mark.parametrize(
    ("proof", "kept"),
    [
        ("scram-sha-256", "in PGPASSWORD"),
        ("scram-sha-256", "in a file"),
        ("md5", "in a variable"),
        ("password", "in a variable"),
    ],
)
def test_no_password_is_told_whether_right_or_wrong(proof: str, kept: str, tmp_path: Path) -> None:
    """Neither in the command's output, nor in reports, nor in any file that it leaves."""
    with serving(authentication=proof) as database:
        if proof == "md5":
            database.sql(f"set password_encryption = md5; alter role {USER} password 'hunter2'")
        for right, secret in SECRETS.items():
            folder = tmp_path / right
            folder.mkdir()
            said = told(folder, database, secret, kept)
            assert (b"sqlstate_28P01" in said) == (right == "wrong"), said
            assert (folder / "out" / "summary.json").exists(), said
            assert (folder / "report.html").exists(), said
            shown = [said, *(file.read_bytes() for file in folder.rglob("*") if file.is_file())]
            found = [one for one in shapes(secret) if any(one in text for text in shown)]
            assert not found, right


def told(folder: Path, database: Database, secret: str, kept: str) -> bytes:
    """The output of runs and of a report if the password is kept like this: a file with it lies
    beside the folder."""
    file = folder.with_suffix(".secret")
    file.write_text(f"{secret}\n")
    environment, clients = {
        "in PGPASSWORD": ({"PGPASSWORD": secret}, ""),
        "in a variable": ({"SHOP_PASSWORD": secret}, 'password = "env:SHOP_PASSWORD"\n'),
        "in a file": ({}, f'password = "file:{file}"\n'),
    }[kept]
    (folder / "w.toml").write_text(HEAD.format(1, "0s") + f"[clients]\n{clients}" + ONE)
    run = ["run", "w.toml", "--target", database.url, "--requests", "5", "--show-errors"]
    said = thinktime(folder, environment, *run, "--output", "out")
    return said + thinktime(folder, environment, "report", "out", "--output", "report.html")
