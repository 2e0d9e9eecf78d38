"""Proxies that nobody here wrote: tinyproxy, squid (its own port also over TLS), microsocks.

Rule: each listens on loopback, on a port that the system chose; its process is ended by its id. A program that is not
installed skips the test and is named.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.needs import program
from tests.servers import WAIT_SECONDS, free_port

HOST = "127.0.0.1"
USER, PASSWORD = "proxy-user", "proxy-word"

TINYPROXY = """
Port {port}
Listen 127.0.0.1
Timeout 20
MaxClients 50
Allow 127.0.0.1
LogFile "{root}/log"
LogLevel Connect
{login}
"""
SQUID = """
http_port 127.0.0.1:{port}
{tls}
pid_filename {root}/pid
access_log stdio:{root}/log
cache_log {root}/cache.log
cache_store_log none
cache deny all
coredump_dir {root}
netdb_filename none
shutdown_lifetime 0 seconds
visible_hostname proxy.test
{login}
"""
SQUID_BASIC = "auth_param basic program /usr/lib/squid/basic_ncsa_auth {root}/users"
SQUID_DIGEST = """
auth_param digest program /usr/lib/squid/digest_file_auth -c {root}/digests
auth_param digest realm proxy.test
auth_param digest nonce_max_count {count}
"""
SQUID_LOGIN = """
acl known proxy_auth REQUIRED
http_access allow known
http_access deny all
"""


@contextlib.contextmanager
def running(command: Sequence[str], port: int, log: Path) -> Iterator[None]:
    """Run a proxy until the block ends."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until = time.monotonic() + WAIT_SECONDS
        while True:
            try:
                socket.create_connection((HOST, port), 1).close()
                break
            except OSError:
                told = log.read_text(errors="replace") if log.exists() else ""
                assert process.poll() is None, f"{command[0]} has ended: {told}"
                assert time.monotonic() < until, f"{command[0]} does not listen: {told}"
                select_nothing()
        yield
    finally:
        process.kill()
        process.wait()


def select_nothing() -> None:
    """Let the other process have the machine."""
    os.sched_yield()


@contextlib.contextmanager
def tinyproxy(root: Path, *, login: bool = False) -> Iterator[str]:
    port = free_port()
    config = root / "tinyproxy.conf"
    config.write_text(TINYPROXY.format(port=port, root=root, login=f"BasicAuth {USER} {PASSWORD}" if login else ""))
    with running([program("tinyproxy"), "-d", "-c", str(config)], port, root / "log"):
        yield f"http://{f'{USER}:{PASSWORD}@' if login else ''}{HOST}:{port}"


@contextlib.contextmanager
def squid(
    _root: Path, *, login: bool = False, certificate: Path | None = None, kinds: str = "basic", count: int = 50
) -> Iterator[str]:
    """Squid.

    Args:
        kinds: The logins that it offers: ``basic``, ``digest`` or both (Digest with MD5: it knows no other).
        count: How often it takes an answer to one nonce.
    """
    port, secured = free_port(), free_port()
    # Not in a folder of pytest's, which nobody but its owner may enter: squid gives its rights away.
    with tempfile.TemporaryDirectory() as folder:
        rules = _squid_login(Path(folder), kinds, count) if login else "http_access allow all"
        yield from _squid(Path(folder), port, secured, rules, certificate)


def _squid_login(root: Path, kinds: str, count: int) -> str:
    users, digests = root / "users", root / "digests"
    hashed = subprocess.run(
        [program("openssl"), "passwd", "-apr1", PASSWORD], capture_output=True, text=True, check=True
    )
    users.write_text(f"{USER}:{hashed.stdout.strip()}\n")
    key = hashlib.md5(f"{USER}:proxy.test:{PASSWORD}".encode(), usedforsecurity=False).hexdigest()
    digests.write_text(f"{USER}:proxy.test:{key}\n")
    for file in users, digests:
        file.chmod(0o644)
    basic = SQUID_BASIC.format(root=root) if "basic" in kinds else ""
    digest = SQUID_DIGEST.format(root=root, count=count) if "digest" in kinds else ""
    return digest + basic + SQUID_LOGIN


def _squid(root: Path, port: int, secured: int, rules: str, certificate: Path | None) -> Iterator[str]:
    root.chmod(0o777)
    if certificate is not None:
        certificate = Path(shutil.copy(certificate, root))
        certificate.chmod(0o644)
    tls = "" if certificate is None else f"https_port 127.0.0.1:{secured} tls-cert={certificate}"
    config = root / "squid.conf"
    config.write_text(SQUID.format(port=port, root=root, tls=tls, login=rules))
    with running([program("squid"), "-N", "-f", str(config)], port, root / "cache.log"):
        named = f"{USER}:{PASSWORD}@" if "proxy_auth" in rules else ""
        yield f"http://{named}{HOST}:{port}" if certificate is None else f"https://{named}{HOST}:{secured}"


@contextlib.contextmanager
def microsocks(root: Path, *, login: bool = False) -> Iterator[str]:
    port = free_port()
    more = ["-u", USER, "-P", PASSWORD] if login else []
    with running([program("microsocks"), "-i", HOST, "-p", str(port), *more], port, root / "log"):
        yield f"socks5://{f'{USER}:{PASSWORD}@' if login else ''}{HOST}:{port}"
