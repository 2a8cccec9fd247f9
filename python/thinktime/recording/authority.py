"""The certificate authority of a recording: clients that trust it can be recorded over HTTPS."""

from __future__ import annotations

import base64
import hashlib
import os
import secrets
import shutil
import ssl
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from thinktime import InputError, _core

DAYS = 365
"""The validity of an authority, and of its certificates."""

HOSTS_MAX = 1000
"""The number of kept certificates of hosts; further ones are made again."""

CERTIFICATE, KEY = "authority.pem", "authority.key"


class Authority:
    """An authority and the certificates that it makes on demand.

    Attributes:
        file: Its certificate in PEM form, which clients have to trust.
    """

    def __init__(self, folder: Path | None = None) -> None:
        """Make a temporary one, or take that of a ``folder``, which gets one if it has none.

        Raises:
            InputError: What is in the folder is not whole, is not valid any more, or can be read by
                others.
            OSError: The folder cannot be read or written.
        """
        self._place = Path(tempfile.mkdtemp(prefix="thinktime-record-"))
        self._contexts: dict[str, ssl.SSLContext] = {}
        try:
            self.file = (folder or self._place) / CERTIFICATE
            self._take(folder)
        except BaseException:
            self.close()
            raise

    def _take(self, folder: Path | None) -> None:
        if folder is None:
            made, self._key = _made()
            self.file.write_text(made)
        else:
            self._key = _kept(folder)
        self._name, self._until_s = _of_certificate(self.file)

    def context(self, host: str) -> ssl.SSLContext:
        """The server side of TLS as this host, with a certificate for it."""
        if host not in self._contexts:
            if len(self._contexts) >= HOSTS_MAX:
                self._contexts.clear()
            self._contexts[host] = self._new_context(host)
        return self._contexts[host]

    def _new_context(self, host: str) -> ssl.SSLContext:
        from_s = int(time.time()) - 86_400  # clocks differ
        made = _core.host_certificate(host, self._name, self._key, from_s, self._until_s)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.set_alpn_protocols(["http/1.1"])
        # The library takes certificates and keys from files only. The authority's certificate goes
        # with it, so that browsers find the key that they were told to trust.
        number, name = tempfile.mkstemp(dir=self._place)
        try:
            with os.fdopen(number, "w") as file:
                file.write(made[0] + self.file.read_text() + made[1])
            context.load_cert_chain(name)
        finally:
            Path(name).unlink()
        return context

    @property
    def key_hash(self) -> str:
        """The SHA-256 of its public key in base64, by which Chromium can be told to trust it."""
        return base64.b64encode(hashlib.sha256(_core.public_key(self._key)).digest()).decode()

    def close(self) -> None:
        """Remove a temporary authority."""
        shutil.rmtree(self._place, ignore_errors=True)


def _made() -> tuple[str, str]:
    now = datetime.now(UTC)
    # A browser can tell two of them apart, and its user can find this one to remove it.
    name = f"Thinktime recording {now:%Y-%m-%d %H:%M} {secrets.token_hex(2)}"
    now_s = int(now.timestamp())
    return _core.certificate_authority(name, now_s - 86_400, now_s + DAYS * 86_400)


def _kept(folder: Path) -> str:
    """The key of the authority in a folder; a missing one is made."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    certificate, key = folder / CERTIFICATE, folder / KEY
    if not certificate.exists() and not key.exists():
        made = _made()
        with os.fdopen(os.open(key, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
            file.write(made[1])
        certificate.write_text(made[0])
    for one in (certificate, key):
        if not one.is_file():
            other = KEY if one is certificate else CERTIFICATE
            raise InputError(f"{one}: is missing, but {other} is there: remove it, or name another")
    if key.stat().st_mode & 0o077:
        raise InputError(f"{key}: others may read it: `chmod 600` makes it yours alone")
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key)
    except ssl.SSLError:
        raise InputError(f"{folder}: {KEY} is not the key of {CERTIFICATE}: remove both") from None
    return key.read_text()


def _of_certificate(file: Path) -> tuple[str, int]:
    """The name of an authority, and the end of its validity, in seconds since 1970."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(file)
    found: list[Any] = context.get_ca_certs()
    parts = dict(pair for part in found[0]["subject"] for pair in part) if found else {}
    if not parts.get("commonName", "").startswith("Thinktime recording "):
        raise InputError(f"{file}: is no certificate that `thinktime record` has made")
    until_s = int(ssl.cert_time_to_seconds(found[0]["notAfter"]))
    if until_s < time.time() + 86_400:
        raise InputError(f"{file}: is no longer valid: remove it and {KEY}, to have a new one")
    return parts["commonName"], until_s
