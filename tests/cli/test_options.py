"""What is typed for a URL: the guess is said on standard error, and there are those for whom nothing is guessed."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.runner import records, run


class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", "5")
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(b"found")

    do_HEAD = do_GET

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def place() -> Iterator[str]:
    """``localhost:PORT`` of a server over http."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def said(place: str) -> str:
    return f"anyurl: Read as http://{place}: a host without a scheme, of a kind that seldom has a certificate.\n"


def test_what_is_typed_is_got_and_the_guess_is_said(place: str) -> None:
    port = place.rpartition(":")[2]
    result = run("get", "--allow-port", port, f"{place}/x")
    assert (result.exit_code, result.stdout) == (0, "found")
    assert result.stderr == said(f"{place}/x")
    result = run("stat", "--json", "--allow-port", port, place)
    assert (result.exit_code, result.stderr) == (0, said(place))
    assert records(result)[0]["url"].startswith(f"http://{place}")


@pytest.mark.parametrize(
    "args",
    [
        ("get", "--exact"),
        ("stat", "--exact"),
        ("ls", "--exact"),
        ("get", "--policy", "untrusted"),
        ("get", "--came-from", "http://h/"),
        ("get", "--grammar", "rfc1738"),
        ("mirror",),
        ("append",),
        ("put",),
    ],
)
def test_nothing_is_guessed_where_the_text_is_not_the_users(args: tuple[str, ...], tmp_path: Path) -> None:
    target = [str(tmp_path / "x")] if args[0] in ("mirror", "append", "put") else []
    result = run(*args, "//127.0.0.1:9/x", *target)
    assert (result.exit_code, result.stdout) == (3, "")
    assert "Read as" not in result.stderr
    assert "was http: left out?" in result.stderr


@pytest.mark.parametrize("line", [b"127.0.0.1:9/x\n", b'{"url": "127.0.0.1:9/x"}\n'])
def test_nothing_is_guessed_from_standard_input(line: bytes) -> None:
    result = run("get", "--from", "-", input=line)
    assert result.exit_code != 0
    assert "Read as" not in result.stderr
    assert "Connecting" not in result.stderr


def test_a_policy_of_the_settings_counts_too(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text('policy = "untrusted"\n')
    result = run("get", "//127.0.0.1:9/x", env={"ANYURL_CONFIG": str(file)})
    assert (result.exit_code, "Read as" in result.stderr) == (3, False)


def test_https_is_never_tried_again_as_http(place: str) -> None:
    """A server that speaks http alone: what was typed as https fails."""
    port = place.rpartition(":")[2]
    result = run("get", "--allow-port", port, f"https://{place}/x")
    assert (result.exit_code, result.stdout) == (6, "")


def test_a_guess_shows_no_password() -> None:
    for text in ("user:s3cr3t@127.0.0.1:9/x", "http//user:s3cr3t@127.0.0.1:9/", " ftp://u:s3cr3t@127.0.0.1:9/x"):
        for flags in ([], ["--json"]):
            result = run("get", *flags, "--", text)
            assert "s3cr3t" not in result.output + result.stderr


def test_both_readings_of_a_template_and_of_a_defanged_text_are_refused() -> None:
    assert "a part of it must be filled in first" in run("get", "https://<host>/x").stderr
    assert "made unusable on purpose" in run("get", "hxxp://evil[.]com").stderr


@pytest.mark.parametrize("command", ["parse", "explain"])
def test_texts_are_read_from_standard_input(command: str) -> None:
    lines = b"http://h/\n\nftp://h/x\r\n"
    given = run(command, "--json", "http://h/", "ftp://h/x")
    assert run(command, "--json", "-", input=lines).stdout == given.stdout
    assert [record["text"] for record in records(given)] == ["http://h/", "ftp://h/x"]


def test_parse_remarks_on_what_is_meant_otherwise() -> None:
    result = run("parse", "localhost:80")
    assert result.exit_code == 0
    assert "was http://localhost:80 meant?" in result.stdout
    # A remedy of the beginning is no whole URL: file:///C: alone would be another one
    assert "was file:///C:... meant?" in run("parse", "C:/data/me").stdout


def test_a_path_has_no_fault_but_that_it_has_no_scheme() -> None:
    (record,) = records(run("explain", "--json", "/etc/hosts"))
    current = next(one for one in record["readings"] if one["grammar"] == "current")
    assert [(one["code"], one["fix"]) for one in current["diagnostics"]] == [("no-scheme", "file://")]


@pytest.mark.parametrize("name", ["README.md", "Makefile", "my photo.jpeg", "a{b}.txt", "sub/notes", "folder/"])
def test_a_file_that_exists_is_meant_where_no_host_is(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / name
    if name.endswith("/"):
        path.mkdir()
    else:
        path.parent.mkdir(exist_ok=True)
        path.write_text("x")
    result = run("stat", "--json", name)
    assert (result.exit_code, records(result)[0]["url"]) == (0, path.as_uri() + name[-1] * name.endswith("/"))
    assert "on this machine" in result.stderr
    assert "this machine" not in run("stat", "--exact", name).stderr
    assert "this machine" not in run("stat", "--policy", "untrusted", name).stderr


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
def test_a_host_stays_one_whatever_files_there_are(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).mkdir()
    assert f"Read as http://{name}" in run("stat", "--timeout", "0.1", name).stderr


def test_a_mark_beyond_ascii_behind_a_url_is_not_got(place: str) -> None:
    port = place.rpartition(":")[2]
    result = run("get", "--allow-port", port, f"http://{place}/x\N{IDEOGRAPHIC FULL STOP}")
    assert (result.exit_code, result.stdout) == (0, "found")
    assert f"Read as http://{place}/x: " in result.stderr
