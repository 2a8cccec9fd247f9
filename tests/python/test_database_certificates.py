"""Clients' certificates at PostgreSQL: a client without one, or with another one, is refused."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from postgres_server import USER, cluster
from test_database_connections import certificate

import thinktime as tt

RULES = """local all all trust
hostssl all all 127.0.0.1/32 trust clientcert=verify-full
"""
TEXT = """
name = "db"
[arrivals]
model = "closed"
clients = 2
[session]
think = "1ms"
[[request]]
name = "one"
sql = "select client_dn from pg_stat_ssl where pid = pg_backend_pid()"
checks = { who = { of = "json:$[0].client_dn", is = "/CN=tester" } }
"""


def openssl(*words: str) -> None:
    program = shutil.which("openssl")
    if program is None:
        pytest.skip("the system package openssl is not installed")
    subprocess.run([program, *words], check=True, capture_output=True, timeout=300)


def make_authority(folder: Path, name: str) -> None:
    """The authority that vouches for others: NAME.crt and NAME.key."""
    made = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    made += ["-days", "2", "-subj", f"/CN={name}"]
    openssl(*made, "-keyout", str(folder / f"{name}.key"), "-out", str(folder / f"{name}.crt"))


def make_client(folder: Path, user: str, authority: str) -> dict[str, Path]:
    """The certificate of a user of this name, vouched for by the authority: the options."""
    begin = str(folder / f"{user}-by-{authority}")
    asked = ["req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    openssl(*asked, "-subj", f"/CN={user}", "-keyout", f"{begin}.key", "-out", f"{begin}.csr")
    (folder / "version-3").write_text("basicConstraints = critical, CA:FALSE\n")
    made = ["x509", "-req", "-days", "2", "-in", f"{begin}.csr", "-out", f"{begin}.crt"]
    made += ["-CA", str(folder / f"{authority}.crt"), "-CAkey", str(folder / f"{authority}.key")]
    openssl(*made, "-set_serial", "1", "-extfile", str(folder / "version-3"))
    return {"certificate": Path(f"{begin}.crt"), "key": Path(f"{begin}.key")}


def test_a_database_may_want_a_certificate(tmp_path: Path) -> None:
    """`clientcert=verify-full`: by an authority that the server knows, for the user who logs in."""
    for name in ("authority", "stranger"):
        make_authority(tmp_path, name)
    own = make_client(tmp_path, USER, "authority")
    of_another = make_client(tmp_path, "somebody", "authority")
    by_another = make_client(tmp_path, USER, "stranger")
    workload = tt.Workload(TEXT, str(tmp_path / "w.toml"))
    with cluster() as database:
        data = database.directory / "data"
        certificate(data)
        shutil.copy(tmp_path / "authority.crt", data / "authority.crt")
        (data / "authority.crt").chmod(0o644)
        (data / "pg_hba.conf").write_text(RULES)
        database.start("ssl=on", "ssl_ca_file=authority.crt")
        url = f"{database.url}?sslmode=verify-full".replace("127.0.0.1", "localhost")
        given = {"ca_file": data / "server.crt", "requests": 20}

        done = tt.run(workload, url, **given, **own, output=tmp_path / "result")
        assert done.summary["errors"] == 0, done.summary["errors_by_kind"]
        assert done.summary["checks"]["who"] == {"passed": 20, "failed": 0}
        assert "PRIVATE" not in (tmp_path / "result" / "run.toml").read_text()
        for shown in ({}, of_another):
            refused = tt.run(workload, url, **given, **shown).summary
            assert refused["errors_by_kind"] == {"sqlstate_28000": 20}, shown
        unknown = tt.run(workload, url, **given, **by_another).summary
        assert unknown["errors_by_kind"] == {"tls_client_certificate": 20}
        assert any("--certificate FILE" in one for one in unknown["warnings"])
        with pytest.raises(tt.InputError, match=r"`certificate` goes with .*\?sslmode=require"):
            tt.run(workload, database.url, requests=1, **own)
