"""The http client of the command line: what goes out, in curl's words, and what nobody sees."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from anyurl import URL
from tests.cli.runner import call, run
from tests.client.test_requests import Said, serving
from tests.servers import reply


@pytest.fixture
def echo() -> Iterator[tuple[str, Said]]:
    with serving(lambda line, fields, body: reply(line + b"|" + body)) as (url, said):
        yield url, said


def test_a_header_a_method_and_a_content(echo: tuple[str, Said], tmp_path: Path) -> None:
    url, said = echo
    (tmp_path / "body").write_bytes(b"\0octets")
    (tmp_path / "fields").write_text("X-One: 1\n\nX-Two: 2\n")
    (tmp_path / "up.csv").write_text("1,2")
    commands = [
        ["get", url, "-H", "X-A: b", "--header", f"@{tmp_path}/fields"],
        ["get", url, "-d", "a=b"],
        ["get", url, "--data", f"@{tmp_path}/body", "-H", "Content-Type: image/x"],
        ["get", url, "--method", "PATCH", "--json-data", '{"a": 1}'],
        ["get", url, "-F", "a=b c", "--form", "d=e"],
        ["get", url, "-F", "a=b", "-F", f"f=@{tmp_path}/up.csv"],
        ["get", url, "--request", "DELETE", "--query", "a=b c", "--url-query", "d=e"],
        ["stat", url, "-H", "X-A: b"],
        ["put", url, str(tmp_path / "body"), "-H", "X-A: b"],
    ]
    for command in commands:
        done = run(*command)
        assert done.exit_code == 0, done.output
    assert run("get", url, "-d", "@-", input=b"typed").exit_code == 0
    lines = [line.removesuffix(b" HTTP/1.1") for line, _, _ in said]
    assert lines == [
        b"GET /", b"POST /", b"POST /", b"PATCH /", b"POST /", b"POST /", b"DELETE /?a=b%20c&d=e", b"HEAD /", b"PUT /",
        b"POST /",
    ]  # fmt: skip
    form = b"application/x-www-form-urlencoded"
    types = [fields.get(b"content-type", b"").partition(b";")[0] for _, fields, _ in said]
    assert types == [
        b"", form, b"image/x", b"application/json", *[b"multipart/form-data"] * 2, b"", b"", b"", form,
    ]  # fmt: skip
    assert [body for _, _, body in said[:4]] == [b"", b"a=b", b"\0octets", b'{"a": 1}']
    assert b'filename="up.csv"' in said[5][2]
    assert b"1,2" in said[5][2]
    assert said[9][2] == b"typed"
    assert [said[0][1].get(name) for name in (b"x-a", b"x-one", b"x-two")] == [b"b", b"1", b"2"]
    assert (said[7][1][b"x-a"], said[8][1][b"x-a"]) == (b"b", b"b")


def test_resolve_names_the_address_of_a_host_and_port(echo: tuple[str, Said]) -> None:
    """No name server is asked, and the address is judged as one that it would have told."""
    url, said = echo
    port = URL(url).port
    place = f"http://h.invalid:{port}/"
    done = run("get", "--resolve", f"h.invalid:{port}:127.0.0.1", place, "--allow-private")
    assert (done.exit_code, done.stdout[:4]) == (0, "GET "), done.output
    assert said[-1][1][b"host"] == f"h.invalid:{port}".encode()
    refused = run("get", "--resolve", f"h.invalid:{port}:127.0.0.1", place, "--policy", "untrusted")
    assert refused.exit_code == 5
    assert "127.0.0.1" in refused.stderr


@pytest.mark.needs("curl")
def test_curl_sends_the_same(echo: tuple[str, Said], tmp_path: Path) -> None:
    url, said = echo
    words = ["-H", "X-A: b", "-X", "PUT", "-d", "a=b&c", "-A", "bot/1"]
    assert run("get", url, *words).exit_code == 0
    assert os.spawnlp(os.P_WAIT, "curl", "curl", "-s", "-o", str(tmp_path / "out"), url, *words) == 0
    ours, theirs = said
    ours[1].pop(b"accept-encoding")
    assert ours == theirs


@pytest.mark.needs("curl")
def test_a_form_is_the_one_that_curl_sends(echo: tuple[str, Said], tmp_path: Path) -> None:
    url, said = echo
    (tmp_path / "text").write_text("of a file")
    words = ["-F", "a=b c", "-F", f"d=<{tmp_path}/text", "-F", "e=x&y=z", "-F", "f="]
    assert run("get", url, *words).exit_code == 0
    assert os.spawnlp(os.P_WAIT, "curl", "curl", "-s", "-o", str(tmp_path / "out"), url, *words) == 0
    for _, fields, body in said:
        type, _, boundary = fields[b"content-type"].partition(b"; boundary=")
        parts = body.split(b"--" + boundary)
        assert type == b"multipart/form-data"
        assert [part.strip(b"\r\n") for part in parts] == [
            b"", b'Content-Disposition: form-data; name="a"\r\n\r\nb c',
            b'Content-Disposition: form-data; name="d"\r\n\r\nof a file',
            b'Content-Disposition: form-data; name="e"\r\n\r\nx&y=z',
            b'Content-Disposition: form-data; name="f"', b"--",
        ]  # fmt: skip


def test_contents_that_are_said_one_by_one_are_all_sent(echo: tuple[str, Said], tmp_path: Path) -> None:
    url, said = echo
    (tmp_path / "more").write_bytes(b"e=f")
    for words in (["-d", "a=b", "--data", "c=d", "-d", f"@{tmp_path}/more"], ["-d", ""]):
        assert run("get", url, *words).exit_code == 0
    assert [(line[:4], body) for line, _, body in said] == [(b"POST", b"a=b&c=d&e=f"), (b"POST", b"")]


def test_a_file_of_a_form_is_what_is_said_of_it(echo: tuple[str, Said], tmp_path: Path) -> None:
    url, said = echo
    for name in ("up", "up;x=y"):
        (tmp_path / name).write_bytes(b"1,2")
    path = tmp_path / "up"
    for value in (
        path,
        f"{path};type=text/csv",
        f"{path};filename=t.json",
        f"{path};type=a/b;filename=c",
        f"{path};x=y",
    ):
        assert run("get", url, "-F", f"f=@{value}").exit_code == 0
    heads = [body.split(b"filename=")[1].split(b"\r\n\r\n")[0] for _, _, body in said]
    assert heads == [
        b'"up"\r\nContent-Type: application/octet-stream', b'"up"\r\nContent-Type: text/csv',
        b'"t.json"\r\nContent-Type: application/json', b'"c"\r\nContent-Type: a/b',
        b'"up;x=y"\r\nContent-Type: application/octet-stream',
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["-H", "no colon"], "not a header field"),
        (["-H", "Host: x"], "can't be set"),
        (["--query", "x"], "NAME=VALUE"),
        (["-F", "x"], "NAME=VALUE"),
        (["-F", "a=b;type=text/plain"], "';type=' can only describe a file"),
        (["-F", "a=</nowhere/at/all"], "Can't read"),
        (["-d", "a", "--json-data", "{}"], "Only one of"),
        (["-d", "a", "-F", "a=b"], "Only one of"),
        (["--json-data", "{"], "--json-data is not JSON from character 2 on."),
        (["-d", "@/nowhere/at/all"], "Can't read"),
        (["-X", "A B"], "not a method"),
        (["-A", "é"], "user agent"),
        (["-o", "x", "-O"], "-o FILE"),
        (["-d", "x", "-o", "x", "--continue"], ""),
    ],
)
def test_what_is_wrong_is_told_before_anything_is_sent(
    echo: tuple[str, Said], words: list[str], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    url, said = echo
    done = run("get", url, *words)
    if told:
        assert done.exit_code in (2, 7, 9)
        assert told in done.stderr
        assert said == []
    else:
        assert done.exit_code == 0


def test_what_is_said_is_shown_without_secrets(echo: tuple[str, Said], monkeypatch: pytest.MonkeyPatch) -> None:
    url, _ = echo
    monkeypatch.setenv("MY_WORD", "s3cret")
    login = ("--user", "u", "--basic", "--password-variable", "MY_WORD")
    done = run("get", "-v", url, "-H", "X-Api-Key: s3cret", "-H", "X-A: b", *login)
    assert "> GET / HTTP\n" in done.stderr
    assert "> X-A: b\n" in done.stderr
    assert "> X-Api-Key: ***\n> X-A: b\n> Authorization: Basic ***\n" in done.stderr
    assert "< HTTP/1.1 200\n" in done.stderr
    assert "s3cret" not in done.stderr
    planned = run("get", "--explain", url, "-X", "POST", "-H", "Authorization: s3cret", "--query", "a=b")
    assert "> POST /?a=b HTTP/1.1" in planned.stdout
    assert "> Authorization: ***" in planned.stdout
    assert "s3cret" not in planned.stdout


@pytest.mark.skipif(not os.path.exists("/proc/self/cmdline"), reason="this system has no /proc")
def test_a_credential_is_not_in_the_list_of_processes() -> None:
    def answer(*_said: object) -> bytes:
        listed.append(Path(f"/proc/{child()}/cmdline").read_bytes())
        return reply(b"ok")

    def child() -> str:
        found = [path.parent.name for path in Path("/proc").glob("[0-9]*/cmdline") if b"anyurl" in _read(path)]
        return next(each for each in found if str(port).encode() in _read(Path(f"/proc/{each}/cmdline")))

    listed: list[bytes] = []
    with serving(answer) as (url, said):
        port = url.rpartition(":")[2]
        done = call("get", url, "-H", "Authorization: Bearer s3cret", "-H", "X-A: seen")
    assert (done.returncode, done.stdout) == (0, b"ok")
    assert said[0][1][b"authorization"] == b"Bearer s3cret"
    assert b"X-A: seen" in listed[0]
    assert b"s3cret" not in listed[0]


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def test_a_download_with_a_header_goes_on(tmp_path: Path) -> None:
    whole = bytes(range(256)) * 40

    def answer(_line: bytes, fields: dict[bytes, bytes], _body: bytes) -> bytes:
        if b"authorization" not in fields:
            return b"HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n"
        span = fields.get(b"range")
        start = 0 if span is None else int(span[6:-1])
        head = b"HTTP/1.1 200 OK\r\n" if span is None else b"HTTP/1.1 206 Part\r\n"
        if span is not None:
            head += f"Content-Range: bytes {start}-{len(whole) - 1}/{len(whole)}\r\n".encode()
        head += f'ETag: "a"\r\nContent-Length: {len(whole) - start}\r\n'.encode()
        end = 3000 if span is None else len(whole)
        return head + b"Connection: close\r\n\r\n" + whole[start:end] + (b"" if span else b"\r\n" * 0)

    # The server closes after 3000 octets because its connection is used no more.
    target = str(tmp_path / "file")
    with serving(answer) as (url, said):
        first = call("get", url, "-o", target, "--continue", "-H", "Authorization: Bearer x", "--timeout", "2")
        assert first.returncode == 7
        done = call("get", url, "-o", target, "--continue", "-H", "Authorization: Bearer x")
    assert done.returncode == 0, done.stderr
    assert Path(target).read_bytes() == whole
    assert said[-1][1][b"range"] == b"bytes=3000-"
    assert len(said) == 2
