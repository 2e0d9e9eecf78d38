"""What is got is in the file as it came, in every scheme; what is secret is not. Read by warcio."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import os
import subprocess
import sys
import zlib
from collections.abc import Generator, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from anyurl import AsyncClient, Client, CookieJar, Login, Policy, Secret
from anyurl.dialogue import Resume
from anyurl.errors import AccessError, AnyURLError, LimitError, LocalFileError, NotFoundError, Truncated
from anyurl.warc.block import AROUND_AT_MOST, AT_ONCE, IN_MEMORY, LINES_AT_MOST, RecordBlock
from anyurl.warc.capture import REVISIT
from anyurl.world import World
from tests.client.test_requests import serving
from tests.servers import Connection, Server, free_port, reply

warcio = pytest.importorskip("warcio.archiveiterator", reason="warcio is not installed")


class Read:
    """A record as warcio reads it."""

    def __init__(self, record: Any) -> None:
        self.kind: str = record.rec_type
        self.url: str = record.rec_headers.get_header("WARC-Target-URI")
        self.type: str = record.rec_headers.get_header("Content-Type")
        self.http = record.http_headers
        self._fields = record.rec_headers
        self.body: bytes = record.raw_stream.read()

    def __getitem__(self, name: str) -> str | None:
        value: str | None = self._fields.get_header(name)
        return value


def records(path: Path, *kinds: str) -> list[Read]:
    with path.open("rb") as file:
        found = [Read(record) for record in warcio.ArchiveIterator(file, check_digests="raise")]
    return [each for each in found if each.kind in kinds] if kinds else found


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.warc.gz"


# --- every scheme ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    with World() as made:
        yield made


DOCUMENTS = ("file", "gopher", "wais", "prospero", "news", "nntp", "ftp")


@pytest.mark.parametrize("scheme", DOCUMENTS)
def test_a_document_of_each_scheme(world: World, scheme: str, path: Path) -> None:
    url = world.urls[scheme]
    with Client(warc=path, **world.settings) as client, client.get(url) as resource:
        content, type = resource.read(), resource.content_type
    found = {each.kind: each for each in records(path)}
    assert {each.url for each in found.values() if each.kind != "warcinfo"} == {str(url)}
    assert (found["resource"].body, found["resource"].type) == (content, type)
    assert found["resource"]["WARC-Payload-Digest"] == found["resource"]["WARC-Block-Digest"]
    protocol = {"file": None, "news": "nntp"}.get(scheme, scheme)
    assert {found[kind]["WARC-Protocol"] for kind in found if kind in ("request", "response", "resource")} == {protocol}
    is_once = scheme == "nntp"  # what came is the content, and some lines
    wire = set() if scheme == "file" else {"request"} if is_once else {"request", "response"}
    assert set(found) == {"warcinfo", "resource", "metadata"} | wire
    if wire:
        answer = found["resource" if is_once else "response"]
        assert found["request"]["WARC-Concurrent-To"] == answer["WARC-Record-ID"]
        assert answer["WARC-IP-Address"] == "127.0.0.1"
        assert answer.type == (type if is_once else f"application/x-{scheme}; msgtype=response")
    said = found["metadata"].body.decode().splitlines()
    assert {"verb: get", "named-by: user", "policy: default", "verdict: allowed: the policy allows it"} <= set(said)


def test_a_line_scheme_as_it_went_over_the_wire(world: World, path: Path) -> None:
    with Client(warc=path, **world.settings) as client:
        client.get(world.urls["gopher"]).read()
        client.get(world.urls["ftp"]).read()
        client.get(world.urls["nntp"]).read()
    sent = [each.body for each in records(path, "request")]
    assert sent[0] == b"0/pub/notes.txt\r\n"
    assert b"USER anonymous\r\nPASS ***\r\n" in sent[1]
    assert b"RETR notes.txt\r\n" in sent[1]
    assert b"ARTICLE" in sent[2]
    came = [each.body for each in records(path, "response")]
    assert came[1].startswith(b"220 ")
    assert b"\r\n226 " in came[1]
    said = [each.body for each in records(path, "metadata")]
    assert b"answer: 200 " in said[2]
    assert rb"answer-end: .\x0d\x0a" in said[2].splitlines()


@pytest.mark.parametrize("scheme", ["file", "gopher", "prospero", "news", "ftp"])
def test_a_listing_is_there_as_it_came_and_as_a_page(world: World, scheme: str, path: Path) -> None:
    with Client(warc=path, **world.settings) as client:
        entries = list(client.list(world.roots[scheme]).entries())
    found = {each.kind: each for each in records(path)}
    page = found["conversion"].body.decode()
    assert page.count("<li>") == len(entries)
    if scheme != "file":
        assert found["conversion"]["WARC-Refers-To"] == found["response"]["WARC-Record-ID"]
    if scheme == "ftp":
        assert b"motd.txt" in found["resource"].body


def test_what_is_sent_and_what_is_a_session_is_not_kept(world: World, path: Path) -> None:
    with Client(warc=path, ask_consent=lambda _: True, **world.settings) as client:
        client.append(world.urls["mailto"], b"Subject: private\n\nwords of mine")
        with client.session(world.urls["telnet"]) as session:
            session.expect(b".")
    assert not path.exists()


def test_tls_is_a_protocol_of_its_own(world: World, path: Path) -> None:
    with Client(warc=path, **world.settings) as client:
        client.get(world.urls["gemini"]).read()
    for kind in ("request", "resource"):
        (found,) = records(path, kind)
        fields = [value for name, value in found._fields.headers if name == "WARC-Protocol"]
        assert fields[0] == "gemini"
        assert fields[1].startswith("tls/1.")


def returned(steps: Generator[None, None, tuple[bytes, bytes] | None]) -> tuple[bytes, bytes] | None:
    while True:
        try:
            next(steps)
        except StopIteration as end:
            found: tuple[bytes, bytes] | None = end.value
            return found


@pytest.mark.parametrize("changed", [0, AT_ONCE + 1])
def test_a_content_is_looked_for_in_its_own_time(changed: int) -> None:
    """Each line may be the first one of a content of line ends, of which one is another."""
    content = b"\n" * AT_ONCE * 4
    with closing(RecordBlock()) as sent, closing(RecordBlock()) as body:
        sent.write(b"\n" * (AROUND_AT_MOST - 1) + content)
        body.write(content[:changed] + b"\r" + content[changed + 1 :])
        steps = list(sent.around(body))
    assert len(steps) <= 4 + LINES_AT_MOST


@pytest.mark.parametrize(
    ("before", "after", "is_once"),
    [(b"", b"", True), (b"\n", b"\r\n.\r\n", True), (b"x" * AROUND_AT_MOST, b"", False), (b"3 gone\t\t\n", b"", True)],
)
def test_a_content_is_stored_once(before: bytes, after: bytes, is_once: bool, path: Path) -> None:
    content = os.urandom(IN_MEMORY * 5)
    with closing(RecordBlock()) as sent, closing(RecordBlock()) as body:
        for piece in (before, content, after):
            sent.write(piece)
        body.write(content)
        assert returned(sent.around(body)) == ((before, after) if is_once else None)
        body.write(b"more")
        assert returned(sent.around(body)) is None

    def part(connection: Connection) -> None:
        connection.line()
        connection.send(content)

    with Server(part) as server, Client(warc=path) as client:
        client.get(f"gopher://{server.authority}/9/x").read()
    assert [each.kind for each in records(path) if content in each.body] == ["resource"]


@pytest.mark.parametrize("scheme", ["ftp", "http", "file"])
def test_no_rest_stands_there_as_the_whole(world: World, scheme: str, path: Path) -> None:
    url = f"{world.roots[scheme]}pub/picture.png"
    with Client(**world.settings) as client, client.get(url) as resource:
        whole = resource.read()
        resume = Resume(100, resource.etag, resource.modified, resource.size, resource.content_type)
    with Client(warc=path, **world.settings) as client, client.get(url, resume=resume) as resource:
        assert (resource.start, resource.read()) == (0, whole)
        assert any("from the beginning" in note for note in resource.notes)
    assert [each.body for each in records(path, "resource", "response") if each.body[:4] == whole[:4]] == [whole]


# --- http ------------------------------------------------------------------------------------------------------------


def test_http_as_text_with_the_transfer_coding_undone(path: Path) -> None:
    chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: text/plain\r\n\r\n4\r\nfour\r\n0\r\n\r\n"
    with serving(lambda *_: chunked) as (url, said), Client(warc=path, user_agent="test/1") as client:
        assert client.get(f"{url}/a?b=c#d").read() == b"four"
    answer, request, _ = records(path)[1:]
    assert answer.url == f"{url}/a?b=c"
    assert answer.body == b"four"
    assert answer.http.statusline == "200 OK"
    assert answer.http.get_header("content-length") == "4"
    assert answer.http.get_header("transfer-encoding") is None
    assert answer["WARC-Protocol"] == "http/1.1"
    assert answer["WARC-IP-Address"] == "127.0.0.1"
    sent = {name.lower().encode(): value.encode() for name, value in request.http.headers}
    assert (request.http.statusline, sent) == ("/a?b=c HTTP/1.1", said[0][1])  # the very fields that the server saw


def test_a_content_coding_stays_as_it_was_sent(path: Path) -> None:
    text = b"the content " * 1000
    coded = gzip.compress(text)
    with (
        serving(lambda *_: reply(coded, "Content-Encoding: gzip", "Content-Type: text/plain")) as (url, _),
        Client(warc=path) as client,
    ):
        assert client.get(url).read() == text
    [answer] = records(path, "response")
    assert answer.body == coded
    assert answer.http.get_header("content-encoding") == "gzip"
    assert answer["WARC-Payload-Digest"] == f"sha256:{base32(coded)}"


def base32(octets: bytes) -> str:
    from base64 import b32encode

    return b32encode(hashlib.sha256(octets).digest()).decode()


def test_redirections_and_refusals_are_kept_whole(path: Path) -> None:
    def answer(line: bytes, _fields: object, _body: object) -> bytes:
        if line.startswith(b"GET /old"):
            return reply(b"moved", "Location: /gone", status="301 Moved")
        return reply(b"the page that says no", status="404 Not Found")

    with serving(answer) as (url, _), Client(warc=path) as client, pytest.raises(NotFoundError):
        client.get(f"{url}/old")
    assert [(each.url, each.http.get_statuscode(), each.body) for each in records(path, "response")] == [
        (f"{url}/old", "301", b"moved"), (f"{url}/gone", "404", b"the page that says no"),
    ]  # fmt: skip
    first, second = [each.body.decode() for each in records(path, "metadata")]
    assert f"leads-to: {url}/gone (301)" in first
    assert f"via: {url}/old" in second
    assert "error: NotFoundError" in second
    assert f"named-by: server at {url.rpartition(':')[0]}" in second


def test_the_same_content_refers_to_the_first(path: Path) -> None:
    with serving(lambda *_: reply(b"the same", "Content-Type: text/plain")) as (url, _):
        for name in "ab":
            with Client(warc=path) as client:
                client.get(f"{url}/{name}").read()
    [original] = records(path, "response")
    [revisit] = records(path, "revisit")
    assert revisit.url == f"{url}/b"
    assert revisit.body == b""
    assert revisit.http.get_header("content-length") == "8"
    assert revisit["WARC-Profile"] == REVISIT
    assert revisit["WARC-Refers-To"] == original["WARC-Record-ID"]
    assert revisit["WARC-Refers-To-Target-URI"] == f"{url}/a"
    assert revisit["WARC-Refers-To-Date"] == original["WARC-Date"]
    assert revisit["WARC-Payload-Digest"] == original["WARC-Payload-Digest"]


def test_the_same_content_refers_to_what_another_process_has_written(path: Path) -> None:
    program = "import sys, anyurl; anyurl.Client(warc=sys.argv[1]).get(sys.argv[2]).read()"
    with serving(lambda *_: reply(b"the same", "Content-Type: text/plain")) as (url, _):
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        for name in "ab":
            subprocess.run([sys.executable, "-c", program, path, f"{url}/{name}"], check=True, env=environment)
        with Client(warc=path) as client:
            client.get(f"{url}/c").read()
    [original] = records(path, "response")
    assert original.url == f"{url}/a"
    assert [each.url for each in records(path, "revisit")] == [f"{url}/b", f"{url}/c"]
    assert {each["WARC-Refers-To"] for each in records(path, "revisit")} == {original["WARC-Record-ID"]}


def test_many_at_once_and_the_mirror(path: Path, tmp_path: Path) -> None:
    pages = {b"/": b"<a href=a>a</a><a href=b>b</a>", b"/a": b"page a", b"/b": b"page b"}

    def answer(line: bytes, _fields: object, _body: object) -> bytes:
        body = pages.get(line.split(b" ")[1])
        kind = "Content-Type: text/html"
        return reply(b"none", status="404 Not Found") if body is None else reply(body, kind)

    with serving(answer) as (url, _), Client(warc=path) as client:
        for result in client.map([f"{url}/a?{number}" for number in range(50)]):
            assert result.error is not None
        list(client.mirror(f"{url}/", tmp_path / "mirror"))
    answered = [each.url.removeprefix(url) for each in records(path, "response", "revisit")]
    assert sorted(answered) == sorted([f"/a?{number}" for number in range(50)] + ["/robots.txt", "/", "/a", "/b"])


def test_a_large_body_goes_through_with_little_memory(path: Path) -> None:
    octets = os.urandom(1 << 20) * 24

    async def fetch(url: str) -> int:
        async with AsyncClient(warc=path) as client:
            resource = await client.get(url)
            return sum([len(piece) async for piece in resource.iter_bytes()])

    with serving(lambda *_: reply(octets)) as (url, _):
        assert asyncio.run(fetch(url)) == len(octets)
    [answer] = records(path, "response")
    assert answer["WARC-Payload-Digest"] == f"sha256:{base32(octets)}"


def test_what_breaks_off_is_kept_and_says_so(path: Path) -> None:
    def part(connection: Connection) -> None:
        connection.head()
        connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")

    with Server(part) as server, Client(warc=path) as client:
        with pytest.raises(Truncated):
            client.get(f"http://127.0.0.1:{server.port}/").read()
    [answer] = records(path, "response")
    assert (answer.body, answer["WARC-Truncated"]) == (b"half", "disconnect")


def test_a_limit_cuts_and_reads_no_further(path: Path) -> None:
    with serving(lambda *_: reply(b"x" * 1_000_000)) as (url, _), Client(warc=path, max_bytes=1000) as client:
        with pytest.raises(LimitError):
            client.get(url).read()
    [answer] = records(path, "response")
    assert answer["WARC-Truncated"] == "length"


def test_who_leaves_early_leaves_what_has_come(path: Path) -> None:
    with Client(warc=path) as client, serving(lambda *_: reply(b"x" * 5_000_000)) as (url, _):
        with client.get(url) as resource:
            next(iter(resource.iter_bytes()))
    [answer] = records(path, "response")
    assert answer["WARC-Truncated"] == "unspecified"
    assert 0 < len(answer.body) < 5_000_000


def test_a_whole_document_is_whole_although_its_end_is_not_read(path: Path) -> None:
    with Client(warc=path) as client, serving(lambda *_: reply(b"x" * 500)) as (url, _):
        with client.get(url) as resource:
            assert next(iter(resource.iter_bytes())) == b"x" * 500
    [answer] = records(path, "response")
    assert answer["WARC-Truncated"] is None


def test_a_trace_counts_contents_as_before(path: Path) -> None:
    told: list[list[str]] = []
    with serving(lambda *_: reply(b"a page")) as (url, _):
        for archive in (None, path):
            lines: list[str] = []
            with Client(warc=archive, trace=lines.append) as client:
                client.get(url).read()
            told.append(lines)
    assert told[0] == told[1]
    assert "< (6 octets)" in told[0]


def test_head_and_post_are_not_kept(path: Path) -> None:
    with serving(lambda *_: reply(b"")) as (url, _), Client(warc=path) as client:
        client.stat(url)
        client.request("POST", url, form={"password": "hunter2"}).read()
        client.request("HEAD", url).read()
    assert not path.exists()


def test_a_connection_that_is_refused_leaves_no_file(path: Path) -> None:
    port = free_port()
    for scheme in ("http", "gopher", "ftp"):
        with Client(warc=path) as client, pytest.raises(AccessError):
            client.get(f"{scheme}://127.0.0.1:{port}/")
    assert not path.exists()


def test_a_file_that_can_not_be_written_is_an_error(path: Path, tmp_path: Path) -> None:
    with serving(lambda *_: reply(b"x")) as (url, _), Client(warc=path) as client:
        path.mkdir()
        with pytest.raises(LocalFileError):
            client.get(url).read()
    with pytest.raises(LocalFileError):
        Client(warc=tmp_path)


def test_what_was_cut_off_is_a_note(path: Path) -> None:
    with serving(lambda *_: reply(b"x")) as (url, _), Client(warc=path) as client:
        client.get(url).read()
        os.truncate(path, path.stat().st_size - 1)
        client.get(url).read()
        resource = client.get(url)
        resource.read()
    assert len(records(path, "response", "revisit")) == 3


# --- what is secret ---------------------------------------------------------------------------------------------------

SECRETS = (b"hunter2word", b"aHVudGVyMndvcmQ", b"c2lkOmh1bnRlc", b"sid-of-mine", b"bearer-of-mine", b"key-of-mine")
"""A password, in base64 alone and with its user, a cookie, a token."""


def unpacked(path: Path) -> bytes:
    octets, found = path.read_bytes(), b""
    while octets:
        unpacker = zlib.decompressobj(31)
        found += unpacker.decompress(octets)
        octets = unpacker.unused_data
    return found


def check_none(path: Path) -> bytes:
    text = unpacked(path)
    assert [word for word in SECRETS if word in text] == []
    return text


def echo(line: bytes, fields: dict[bytes, bytes], _body: bytes) -> bytes:
    """A page that shows all that it was sent."""
    return reply(line + b"\n" + b"\n".join(name + b": " + value for name, value in fields.items()))


@pytest.mark.parametrize("coding", [False, True])
def test_no_login_of_the_web_is_in_it(path: Path, coding: bool) -> None:
    def answer(line: bytes, fields: dict[bytes, bytes], body: bytes) -> bytes:
        if not coding:
            return echo(line, fields, body)
        page = gzip.compress(b"\n".join(fields.values()))
        return reply(page, "Content-Encoding: gzip")

    with serving(answer) as (url, said), Client(warc=path, auth={url: Login.bearer("bearer-of-mine")}) as client:
        client.get(url).read()
        client.get(url, headers={"X-Api-Key": "key-of-mine", "X-Mine": Secret("hunter2word")}).read()
    assert said[1][1][b"x-mine"] == b"hunter2word"
    text = check_none(path)
    assert text.count(b"Authorization: Bearer ***") == 2
    assert b"Anyurl-Replaced: authorization" in text


def test_no_basic_login_is_in_it(path: Path) -> None:
    def answer(line: bytes, fields: dict[bytes, bytes], body: bytes) -> bytes:
        if b"authorization" in fields:
            return echo(line, fields, body)
        return reply(b"log in", 'WWW-Authenticate: Basic realm="r"', status="401 Unauthorized")

    with serving(answer) as (url, said), Client(warc=path) as client:
        host = url.removeprefix("http://")
        client.get(f"http://sid:hunter2word@{host}/a").read()
    assert b"authorization" in said[1][1]
    text = check_none(path)
    assert f"WARC-Target-URI: {url}/a\r\n".encode() in text


def test_no_digest_is_in_it(path: Path) -> None:
    challenge = 'WWW-Authenticate: Digest realm="r", nonce="n", qop="auth", algorithm=SHA-256'

    def answer(line: bytes, fields: dict[bytes, bytes], body: bytes) -> bytes:
        if b"authorization" in fields:
            return echo(line, fields, body)
        return reply(b"log in", challenge, status="401 Unauthorized")

    with serving(answer) as (url, said), Client(warc=path, auth={url: Login.digest("sid", "hunter2word")}) as client:
        client.get(url).read()
    digest = said[1][1][b"authorization"].split(b'response="')[1].split(b'"')[0]
    text = check_none(path)
    assert digest not in text
    assert b"Authorization: Digest ***" in text
    assert [each.http.get_statuscode() for each in records(path, "response")] == ["401", "200"]


def test_no_cookie_is_in_it(path: Path) -> None:
    def answer(line: bytes, fields: dict[bytes, bytes], body: bytes) -> bytes:
        page = b"your session: sid-of-mine " + b"\n".join(fields.values())
        return reply(page, "Set-Cookie: sid=sid-of-mine; Path=/")

    with serving(answer) as (url, said), Client(warc=path, cookies=CookieJar()) as client:
        client.get(url).read()
        client.get(url).read()
    assert said[1][1][b"cookie"] == b"sid=sid-of-mine"
    text = check_none(path)
    assert b"set-cookie: ***" in text
    assert b"Cookie: ***" in text


def test_no_password_of_a_redirection_is_in_it(path: Path) -> None:
    def answer(line: bytes, _fields: object, _body: object) -> bytes:
        if line.startswith(b"GET / "):
            return reply(b"", f"Location: {place}/there", f"Link: <{place}>; rel=next", status="302 Found")
        return reply(b"here")

    with serving(answer) as (url, _), Client(warc=path) as client:
        place = url.replace("http://", "http://sid:hunter2word@")
        client.get(url).read()
        client.get(f"{url}/x?next=http%3A%2F%2Fsid%3Ahunter2word%40h%2F", headers={"Referer": place}).read()
    check_none(path)


def test_no_password_of_ftp_is_in_it(path: Path) -> None:
    with World(["ftp"]) as world:
        root = world.roots["ftp"]
        with Client(warc=path) as client, pytest.raises(AnyURLError):
            client.get(root.replace(user="sid", password="hunter2word")).read()
        with Client(warc=path, ask_secret=lambda *_: Secret("hunter2word")) as client, pytest.raises(AnyURLError):
            client.get(root.replace(user="sid")).read()
    text = check_none(path)
    assert text.count(b"PASS ***\r\n") == 2
    assert f"WARC-Target-URI: {root.replace(user='sid')}\r\n".encode() in text


def test_no_password_of_news_is_in_it(path: Path) -> None:
    def part(connection: Connection) -> None:
        connection.send(b"200 welcome\r\n")
        while line := connection.line():
            if line.startswith(b"AUTHINFO USER"):
                connection.send(b"381 more\r\n")
            elif line.startswith(b"AUTHINFO PASS"):
                connection.send(b"481 no: " + line + b"\r\n")  # a server that is careless
            elif line.startswith((b"CAPABILITIES", b"MODE")):
                connection.send(b"500 what\r\n")
            else:
                connection.send(b"480 log in\r\n")

    with Server(part) as server:
        place = f"sid@127.0.0.1:{server.port}"
        with Client(warc=path, news_server=place, ask_secret=lambda *_: Secret("hunter2word")) as client:
            with pytest.raises(AnyURLError):
                client.get("news:a@b.example").read()
    text = check_none(path)
    assert b"AUTHINFO PASS ***\r\n" in text
    assert b"481 no: AUTHINFO PASS ***********\r\n" in text


def test_no_answer_to_a_form_is_in_it(path: Path) -> None:
    with World(["gopher"]) as world:
        root = world.roots["gopher"]
        policy = Policy.open().replace(allow_ports=(root.port or 0,))
        with Client(policy, warc=path, ask_consent=lambda _: True) as client:
            form = client.get(f"{root}00/guest-book%09%09?")
            assert form.form is not None
            asked = form.form.asked
            answers = [each.choices[0] if each.choices else "hunter2word" for each in asked]
            form.close()
            lines = "".join(f"{line}%0D%0A" for line in ("Ada", "hunter2word", "1", "hello", "good"))
            assert "hunter2word" in client.get(form.url, answers=answers).text()
            client.get(f"{root}00/guest-book%09%09+%091%0D%0A+-1%0D%0A{lines}.%0D%0A").read()
    check_none(path)
    assert len(records(path, "metadata")) == 1  # of the form itself
