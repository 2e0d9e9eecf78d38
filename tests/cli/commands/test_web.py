"""``anyurl web`` as a person starts and stops it; its pages are tested by ``tests/web``."""

from __future__ import annotations

import html
import json
import re
import signal
import socket
import subprocess
import sys
from http.client import HTTPConnection
from pathlib import Path

import pytest

from anyurl import URL, Policy
from anyurl.cli.commands.web import _with_forms
from anyurl.web.app import StartPlace
from tests.cli.runner import CLEAN, PROGRAM, call
from tests.schemes.gopher.test_verbs import says
from tests.servers import Server


@pytest.mark.parametrize("as_json", [False, True])
def test_it_tells_its_link_and_stops(as_json: bool, tmp_path: Path) -> None:
    command = [*PROGRAM, "web", *(["--json", "--world"] if as_json else [])]
    with subprocess.Popen(
        command, env={**CLEAN, "XDG_STATE_HOME": str(tmp_path)}, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            line = process.stdout.readline()
            link = json.loads(line)["url"] if as_json else line.removeprefix("open").strip()
            port = int(link.split("/")[2].rpartition(":")[2])
            asked = HTTPConnection("127.0.0.1", port, timeout=20)
            asked.request("GET", link[link.index("/", 8) :])
            answer = asked.getresponse()
            base = re.findall(r'href="([^"]*)"', answer.read().decode())[0]
            asked.request("GET", base, headers={"Cookie": answer.headers["set-cookie"].partition(";")[0]})
            page = asked.getresponse().read().decode()
            asked.close()
        finally:
            process.send_signal(signal.SIGTERM)
        code = process.wait(20)
    assert ("On this machine" in page) == as_json
    assert code == 143


def test_a_url_that_is_given_is_the_first_page(tmp_path: Path) -> None:
    with Server(says(b"ihello\t\t\t\r\n.\r\n")) as server:
        command = [*PROGRAM, "web", f"gopher://{server.authority}/"]
        with subprocess.Popen(
            command, env={**CLEAN, "XDG_STATE_HOME": str(tmp_path)}, stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout is not None
            try:
                link = process.stdout.readline().removeprefix("open").strip()
                asked = HTTPConnection("127.0.0.1", int(link.split("/")[2].rpartition(":")[2]), timeout=20)
                asked.request("GET", link[link.index("/", 8) :])
                answer = asked.getresponse()
                first = html.unescape(re.findall(r'href="([^"]*)"', answer.read().decode())[0])
                asked.request("GET", first, headers={"Cookie": answer.headers["set-cookie"].partition(";")[0]})
                page = asked.getresponse().read().decode()
                asked.close()
            finally:
                process.send_signal(signal.SIGTERM)
    assert "hello" in page
    assert call("web", "http://h:99999/").returncode == 3


def test_what_undoes_itself_is_not_done(tmp_path: Path) -> None:
    done = call("web", "--install", "--uninstall", env={"HOME": str(tmp_path)})
    assert (done.returncode, done.stdout, list(tmp_path.iterdir())) == (2, b"", [])
    assert done.stderr.startswith(b"anyurl: --install and --uninstall exclude each other")


def test_a_port_that_is_taken_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        done = call("web", "--port", str(port))
    assert (done.returncode, done.stdout) == (9, b"")
    assert str(port).encode() in done.stderr


@pytest.mark.parametrize("package", ["starlette", "uvicorn", "jinja2", "python_multipart", "websockets"])
def test_what_is_missing_is_told(package: str) -> None:
    program = f"import sys; sys.modules[{package!r}] = None; from anyurl.cli.run import run; sys.exit(run(['web']))"
    done = subprocess.run([sys.executable, "-c", program], env=CLEAN, capture_output=True, check=False, timeout=30)
    assert (done.returncode, b"in a clone of anyurl, pip install '.[web]'" in done.stderr) == (4, True)


def test_the_port_of_the_gopher_server_is_allowed_beside_those_that_are() -> None:
    """A form is sent to it, which the policy lets to no port but 70."""
    places = [StartPlace(url.partition(":")[0], URL(url)) for url in ("ftp://h:1/", "gopher://h:2/", "http://h:3/")]
    policy = Policy.untrusted().replace(allow_ports=(80,))
    assert _with_forms(policy, places).allow_ports == (2, 80)
    assert _with_forms(policy, places[::2]).allow_ports == (80,)
