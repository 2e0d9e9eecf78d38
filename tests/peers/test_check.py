"""A web of all kinds, served by nginx: what a check says of each page of it, and how often it asks."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from anyurl.cli import exits
from tests import needs
from tests.cli.runner import records, run
from tests.peers.ftp_servers import HOST, let_through
from tests.servers import free_port

HUGE = 3 * 1024**3
PAGES = 200

CONFIG = """
worker_processes 1; daemon off; pid {root}/pid; error_log {root}/error;
events {{ worker_connections 512; }}
http {{
    access_log {root}/access;
    client_body_temp_path {root}/t1; proxy_temp_path {root}/t2; fastcgi_temp_path {root}/t3;
    uwsgi_temp_path {root}/t4; scgi_temp_path {root}/t5;
    log_format main '$request';
    limit_req_zone $binary_remote_addr zone=few:1m rate=50r/s;
    default_type text/html;
    server {{
        listen 127.0.0.1:{port}; root {root}/www;
        access_log {root}/access main;
        location = /old {{ return 301 /0.html; }}
        location = /for-now {{ return 302 /0.html; }}
        location = /loop {{ return 301 /loop; }}
        location = /circle {{ return 302 /circle2; }}
        location = /circle2 {{ return 302 /circle; }}
        location = /no {{ return 403; }}
        location = /failed {{ return 500; }}
        location = /login {{ auth_basic x; auth_basic_user_file {root}/users; }}
        location = /slow {{ proxy_pass http://127.0.0.1:{silent}; proxy_read_timeout 60s; }}
        location = /no-head {{ if ($request_method = HEAD) {{ return 405; }} try_files /0.html =404; }}
        location /few/ {{ limit_req zone=few burst=2 nodelay; limit_req_status 429; try_files /0.html =404; }}
    }}
    server {{
        listen 127.0.0.1:{resting};
        access_log {root}/access main;
        location / {{ add_header Retry-After 31536000 always; return 429; }}
    }}
}}
"""


class Web:
    """A running nginx.

    Attributes:
        root: Its URL.
        resting: The URL of a server in it that wants to be left alone for a year.
    """

    def __init__(self, folder: Path, port: int, resting: int) -> None:
        self.root = f"http://{HOST}:{port}"
        self.resting = f"http://{HOST}:{resting}"
        self._log = folder / "access"

    def asked(self) -> list[str]:
        """Method and path of each request so far, which nginx has logged by the time that it is asked once more."""
        return [" ".join(line.split(" ")[:2]) for line in self._log.read_text().splitlines()]


@pytest.fixture
def web(tmp_path: Path) -> Iterator[Web]:
    program = needs.program("nginx")
    let_through(tmp_path)
    port, resting, www = free_port(), free_port(), tmp_path / "www"
    www.mkdir()
    for number in range(PAGES):
        (www / f"{number}.html").write_text(f'<p id=x><a href="{number + 1}.html">')
    with open(www / "huge", "wb") as huge:
        huge.truncate(HUGE)
    (tmp_path / "users").write_text("joe:{PLAIN}secret\n")
    with socket.create_server((HOST, 0)) as silent:
        (tmp_path / "conf").write_text(
            ("" if os.getuid() else "user root;")
            + CONFIG.format(root=tmp_path, port=port, resting=resting, silent=silent.getsockname()[1])
        )
        process = subprocess.Popen([program, "-p", str(tmp_path), "-c", str(tmp_path / "conf")], stderr=subprocess.PIPE)
        try:
            while process.poll() is None:
                try:
                    socket.create_connection((HOST, port), 1).close()
                    break
                except ConnectionRefusedError:
                    continue
            assert process.poll() is None, process.communicate()
            yield Web(tmp_path, port, resting)
        finally:
            process.terminate()
            process.communicate()


OUTCOMES = {
    "0.html": "ok", "huge": "ok", "no-head": "ok", "old": "redirected", "for-now": "redirected", "loop": "broken",
    "circle": "broken", "no": "broken", "failed": "broken", "none": "broken", "login": "not-checkable",
    "slow": "timed-out",
}  # fmt: skip


def test_a_web_of_all_kinds(web: Web, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("\n".join(f"{web.root}/{name}" for name in (*OUTCOMES, *OUTCOMES)))
    done = run("check", str(tmp_path / "a.md"), "--allow-private", "--json", "--timeout", "4")
    assert {each["url"].removeprefix(f"{web.root}/"): each["outcome"] for each in records(done)} == OUTCOMES
    assert done.exit_code == exits.FAULTS
    asked = web.asked()
    for name in ("huge", "none", "no", "login"):
        assert asked.count(f"HEAD /{name}") == 1
    assert sorted(line for line in asked if line.startswith("GET")) == [
        "GET /failed",
        "GET /no",
        "GET /no-head",
        "GET /none",
    ]


def test_a_server_that_wants_rest_is_asked_no_more(web: Web, tmp_path: Path) -> None:
    """Those under way when it first says so are all that it gets; the others are deferred, and no fault."""
    (tmp_path / "a.md").write_text("\n".join(f"{web.resting}/{number}" for number in range(200)))
    done = run("check", str(tmp_path / "a.md"), "--allow-private", "--json", "--parallel", "8")
    found = records(done)
    assert [each["outcome"] for each in found] == ["deferred"] * 200
    assert all("429" in each["message"] for each in found)
    assert done.exit_code == exits.OK
    assert len(web.asked()) <= 8


def test_a_server_that_wants_few_gets_few(web: Web, tmp_path: Path) -> None:
    """It answers 429 beyond 50 a second, and no page is called broken for that."""
    (tmp_path / "a.md").write_text("\n".join(f"{web.root}/few/{number}" for number in range(40)))
    done = run("check", str(tmp_path / "a.md"), "--allow-private", "--json")
    outcomes = [each["outcome"] for each in records(done)]
    assert len(outcomes) == 40
    assert set(outcomes) <= {"ok", "deferred"}
    assert outcomes.count("ok") >= 3
    assert done.exit_code == exits.OK


def test_a_site_is_followed_on_to_its_end(web: Web) -> None:
    done = run("check", f"{web.root}/0.html", "--recursive", "--json")
    assert [each["outcome"] for each in records(done)].count("ok") == PAGES
    assert len(records(done)) == PAGES + 1
    asked = web.asked()
    assert len(asked) == len(set(asked)) == PAGES + 2  # and robots.txt
