"""Connections to PostgreSQL: too many, broken, proved by passwords, and over TLS."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path
from threading import Thread

import pytest
from database_runs import rows, workload
from postgres_server import USER, cluster, serving

import thinktime as tt


def test_too_many_connections_are_counted_and_the_run_goes_on() -> None:
    slow = '[[request]]\nname = "slow"\nsql = "select pg_sleep(0.02)"\n'
    with serving("max_connections=5", "superuser_reserved_connections=2") as database:
        database.sql("create role guest login")
        url = database.url.replace(USER, "guest")
        result = tt.run(workload(slow, clients=8), url, requests=100)
    # Three for guests: later ones get 53300.
    assert set(result.summary["errors_by_kind"]) == {"sqlstate_53300"}
    assert 0 < result.summary["errors"] < 100


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGQUIT])
def test_a_server_that_is_restarted_is_missed_and_found_again(how: signal.Signals) -> None:
    text = (
        'name = "db"\n[arrivals]\nmodel = "open"\nrate = "100/s"\n[[request]]\nname = "one"\n'
        'timeout = "5s"\nsql = "select 1"\n'
    )
    with serving() as database:
        ended: list[tt.Result] = []

        def run() -> None:
            ended.append(tt.run(tt.Workload(text, "w.toml"), database.url, duration=4))

        thread = Thread(target=run)
        thread.start()
        time.sleep(1)
        database.stop(how)
        time.sleep(0.5)
        database.start()
        thread.join(300)
        (result,) = ended
    kinds = set(result.summary["errors_by_kind"])
    words = {"refused", "closed", "reset", "timeout", "sqlstate_57P01", "sqlstate_57P02"}
    assert kinds <= words | {"sqlstate_57P03"}, kinds
    assert "refused" in kinds
    found = rows(result).sort("scheduled_ns")
    assert found["error"].is_null().head(20).all()
    assert found["error"].is_null().tail(20).all()
    assert found["error"].is_not_null().any()


def test_passwords_are_proved_and_never_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = '[[request]]\nname = "one"\nsql = "select 1"\n'
    secret = tmp_path / "secret"
    secret.write_text("hunter2\n")
    monkeypatch.delenv("PGPASSWORD", raising=False)
    with serving(authentication="scram-sha-256") as database:
        missing = tt.run(workload(one), database.url, requests=5)
        assert missing.summary["errors_by_kind"] == {"password_missing": 5}
        given = workload(f'[clients]\npassword = "file:{secret}"\n' + one)
        result = tt.run(given, database.url, requests=5, output=tmp_path / "out")
        assert result.summary["errors"] == 0, result.summary["errors_by_kind"]
        for file in (tmp_path / "out").iterdir():
            assert b"hunter2" not in file.read_bytes(), file
        monkeypatch.setenv("PGPASSWORD", "wrong")
        wrong = tt.run(workload(one), database.url, requests=5)
        assert wrong.summary["errors_by_kind"] == {"sqlstate_28P01": 5}
        monkeypatch.setenv("PGPASSWORD", "hunter2")
        for kind in ("md5", "password"):
            database.sql(f"set password_encryption = md5; alter role {USER} password 'hunter2'")
            hba = database.directory / "data/pg_hba.conf"
            hba.write_text(hba.read_text().replace("scram-sha-256", kind))
            database.sql("select pg_reload_conf()")
            time.sleep(0.2)
            right = tt.run(workload(one), database.url, requests=5)
            assert right.summary["errors"] == 0, (kind, right.summary["errors_by_kind"])


@pytest.mark.parametrize("kept", ["env:NOBODY_HAS_SUCH_A_PASSWORD", "file:/no/such/file"])
def test_a_password_that_is_missing_is_named_with_its_place(kept: str) -> None:
    one = f'[clients]\npassword = "{kept}"\n[[request]]\nname = "one"\nsql = "select 1"\n'
    with pytest.raises(tt.InputError, match=r"w\.toml:8: clients\.password: the secret in [$/]"):
        tt.run(workload(one), "postgresql://somebody@127.0.0.1:1/shop", requests=5)


def test_tls_is_spoken_where_it_is_asked_for(tmp_path: Path) -> None:
    sql = "select ssl::text from pg_stat_ssl where pid = pg_backend_pid()"
    one = f'[[request]]\nname = "one"\nsql = "{sql}"\n' + (
        'checks = { secure = { of = "json:$[0].ssl", is = "true" } }\n'
    )
    with cluster() as database:
        certificate(database.directory / "data")
        database.start("ssl=on")
        secure = f"{database.url}?sslmode=require".replace("127.0.0.1", "localhost")
        authority = str(database.directory / "data/server.crt")
        result = tt.run(workload(one), secure, requests=5, ca_file=authority)
        assert result.summary["errors"] == 0, result.summary["errors_by_kind"]
        assert result.summary["checks"]["secure"] == {"passed": 5, "failed": 0}
        strange = tt.run(workload(one), secure, requests=5)
        assert strange.summary["errors_by_kind"] == {"tls_certificate": 5}
        plain = tt.run(workload(one), database.url, requests=5)
        assert plain.summary["checks"]["secure"] == {"passed": 0, "failed": 5}
        database.stop()
        database.start("ssl=off")
        without = tt.run(workload(one), secure, requests=5, insecure=True)
        assert without.summary["errors_by_kind"] == {"postgresql_no_tls": 5}


def certificate(folder: Path) -> None:
    """A certificate for localhost that signs itself, for the owner of the folder alone."""
    openssl = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    openssl += ["-nodes", "-days", "2", "-subj", "/CN=localhost"]
    openssl += ["-addext", "subjectAltName=DNS:localhost"]
    openssl += ["-addext", "basicConstraints=critical,CA:FALSE"]
    files = ["-keyout", str(folder / "server.key"), "-out", str(folder / "server.crt")]
    subprocess.run([*openssl, *files], check=True, capture_output=True, timeout=300)
    owner = folder.stat()
    for name in ("server.key", "server.crt"):
        (folder / name).chmod(0o600)
        os.chown(folder / name, owner.st_uid, owner.st_gid)
