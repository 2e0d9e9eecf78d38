"""Mail servers that nobody here wrote: OpenSMTPD as it is packaged, and aiosmtpd, which has TLS, logins and SMTPUTF8.

Rule: each listens on loopback, for one test, and leaves nothing. OpenSMTPD knows one place for its queue and its
socket: it gets a mount namespace of its own or, where none can be made, has this machine's to itself. That takes root.
What is not there skips the test.
"""

from __future__ import annotations

import fcntl
import os
import pwd
import signal
import smtplib
import ssl
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest

from tests.needs import need
from tests.peers.ftp_servers import HOST, program
from tests.servers import WAIT_SECONDS, free_port

MAX_SIZE = 100_000
"""Octets of a message that OpenSMTPD takes here."""

CONFIG = """\
smtp max-message-size {size}
table users {{ "guest" = "nobody", "other" = "nobody" }}
listen on 127.0.0.1 port {port} hostname mail.example
action "keep" maildir "{folder}/mail" virtual <users>
match from any for domain "world.example" action "keep"
"""

RUN = """\
set -e
mkdir -p /var/spool/smtpd
if [ -n "$3" ]; then
    chmod 711 /var/spool/smtpd
else
    mount --bind "$1/spool" /var/spool/smtpd
    mount -t tmpfs none /run
fi
exec "$2" -d -f "$1/smtpd.conf"
"""

LOCK = Path(tempfile.gettempdir()) / "anyurl-opensmtpd.lock"
"""Held by the one that has this machine's own queue and socket."""


class OpenSmtpd:
    """OpenSMTPD: it keeps mail to guest and other at world.example in a maildir, and takes no other.

    Its TLS is not used: Debian 12 builds it against an OpenSSL 3 with which it can't sign.
    """

    def __init__(self, folder: Path) -> None:
        need("root")
        binary, unshare = program("smtpd"), program("unshare")
        try:
            pwd.getpwnam("opensmtpd")
        except KeyError:
            pytest.skip("OpenSMTPD has no user of its own: its package is not installed")
        self._folder = folder
        self.port = free_port()
        for name in ("spool", "mail"):
            (folder / name).mkdir()
        os.chmod(folder / "mail", 0o777)
        os.chmod(folder / "spool", 0o711)
        for parent in (folder, *folder.parents[:3]):  # what keeps the mail is nobody, and has to get there
            os.chmod(parent, os.stat(parent).st_mode | 0o711)
        config = folder / "smtpd.conf"
        config.write_text(CONFIG.format(size=MAX_SIZE, port=self.port, folder=folder), "ascii")
        os.chmod(config, 0o600)
        apart = [unshare, "--mount"]
        probe = subprocess.run([*apart, "mount", "-t", "tmpfs", "none", "/run"], capture_output=True, check=False)
        self._lock = None if probe.returncode == 0 else LOCK.open("w")
        if self._lock is not None:
            fcntl.flock(self._lock, fcntl.LOCK_EX)
        command = ["sh", "-c", RUN, "sh", str(folder), binary, "" if self._lock is None else "here"]
        self._process = subprocess.Popen(
            command if self._lock is not None else [*apart, *command],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        self._wait()

    def _wait(self) -> None:
        """Until it greets."""
        deadline = time.monotonic() + WAIT_SECONDS
        while True:
            if self._process.poll() is not None:
                said = self._process.stdout.read().decode("utf-8", "replace") if self._process.stdout else ""
                self.close()
                raise AssertionError(f"smtpd ended: {said}")
            try:
                smtplib.SMTP(HOST, self.port, timeout=2).quit()
                return
            except (OSError, smtplib.SMTPException):
                assert time.monotonic() < deadline, "smtpd does not listen"
                time.sleep(0.02)

    def messages(self, count: int) -> list[bytes]:
        """So many messages that it has delivered, by time."""
        deadline = time.monotonic() + WAIT_SECONDS
        while len(found := list((self._folder / "mail" / "new").glob("*"))) < count:
            assert time.monotonic() < deadline, f"{len(found)} of {count} messages were delivered"
            time.sleep(0.02)
        return [file.read_bytes() for file in sorted(found, key=lambda file: file.stat().st_mtime_ns)]

    def close(self) -> None:
        """End it, and its children, which are in a session of their own."""
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGTERM)
        self._process.wait(WAIT_SECONDS)
        if self._process.stdout is not None:
            self._process.stdout.close()
        if self._lock is not None:
            self._lock.close()


class Aiosmtpd:
    """aiosmtpd in a thread: STARTTLS, PLAIN and LOGIN, SMTPUTF8; it keeps everything.

    Attributes:
        envelopes: What it got.
        authenticated: For each of them, whether its sender had logged in.
        port: Where it listens.
    """

    def __init__(
        self, context: ssl.SSLContext | None, *, user: str = "", password: str = "", smtps: bool = False
    ) -> None:
        pytest.importorskip("aiosmtpd", reason="aiosmtpd is not installed")
        from aiosmtpd.controller import Controller
        from aiosmtpd.smtp import AuthResult, LoginPassword

        self.envelopes: list[Any] = []
        self.authenticated: list[bool] = []

        def check(_server: Any, _session: Any, _envelope: Any, _mechanism: str, data: Any) -> Any:
            right = isinstance(data, LoginPassword) and (data.login, data.password) == (
                user.encode(),
                password.encode(),
            )
            return AuthResult(success=right, handled=False)

        class Keep:
            async def handle_DATA(inner, server: Any, session: Any, envelope: Any) -> str:
                self.envelopes.append(envelope)
                self.authenticated.append(session.authenticated)
                return "250 2.0.0 Kept"

        how: dict[str, Any] = {"ssl_context": context} if smtps else {"tls_context": context}
        if user:
            how |= {"authenticator": check, "auth_required": not smtps, "auth_require_tls": not smtps}
        self._controller = Controller(Keep(), hostname=HOST, port=0, enable_SMTPUTF8=True, ready_timeout=20, **how)
        self._controller.port = free_port()
        self._controller.start()
        self.port: int = self._controller.port

    def close(self) -> None:
        """End it."""
        self._controller.stop()
