"""Requests as a caller makes them: what goes out, what comes back, and what goes nowhere."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

import anyurl
from anyurl import AsyncClient, Client, Policy, Resource, Secret
from anyurl.client.requests import form_encoded, http_options, pairs
from anyurl.errors import (
    LocalProtocolError,
    NotFoundError,
    RefusedError,
    ReplyError,
    UnsupportedError,
)
from tests.rows import each_row
from tests.servers import Connection, Server, reply

Said = list[tuple[bytes, dict[bytes, bytes], bytes]]
Answer = Callable[[bytes, dict[bytes, bytes], bytes], bytes]


def fields_of(head: bytes) -> dict[bytes, bytes]:
    lines = [line.partition(b":") for line in head.strip().split(b"\r\n")[1:]]
    return {name.lower(): value.strip() for name, _, value in lines}


@contextmanager
def serving(answer: Answer) -> Iterator[tuple[str, Said]]:
    """A server that keeps its connections; what each request said, in order."""
    said: Said = []

    def part(connection: Connection) -> None:
        while head := connection.head():
            fields = fields_of(head)
            if fields.get(b"transfer-encoding") == b"chunked":
                body = b""
                while size := int(connection.line(), 16):
                    body += connection.take(size)
                    connection.line()
                connection.line()
            else:
                body = connection.take(int(fields.get(b"content-length", b"0")))
            line = head.partition(b"\r\n")[0]
            said.append((line, fields, body))
            connection.send(answer(line, fields, body))

    with Server(part) as server:
        yield f"http://127.0.0.1:{server.port}", said


def fine(*_said: object) -> bytes:
    return reply(b"fine")


def test_each_kind_of_content() -> None:
    with serving(fine) as (url, said), Client() as client:
        client.request("POST", url, content=b"abc", type="text/plain").read()
        client.request("POST", url, content=iter([b"a", b"bc"])).read()
        client.request("PATCH", url, json={"ä": [1, None]}).read()
        client.request("POST", url, form={"a": "b c&", "n": [1, 2]}).read()
        client.request("POST", url).read()
        client.request("DELETE", url).read()
        client.request("QUERY", url, content=io.BytesIO(b"select")).read()
    lines = [line.split()[0] for line, _, _ in said]
    assert lines == [b"POST", b"POST", b"PATCH", b"POST", b"POST", b"DELETE", b"QUERY"]
    types = [fields.get(b"content-type") for _, fields, _ in said]
    form = b"application/x-www-form-urlencoded"
    assert types == [b"text/plain", None, b"application/json", form, None, None, None]
    assert [body for _, _, body in said] == [
        b"abc", b"abc", '{"ä":[1,null]}'.encode(), b"a=b+c%26&n=1&n=2", b"", b"", b"select",
    ]  # fmt: skip
    lengths = [fields.get(b"content-length") for _, fields, _ in said]
    assert lengths == [b"3", None, b"15", b"16", b"0", None, b"6"]


def test_the_same_everywhere() -> None:
    """Module, client and asyncio; get, open, stat, put and map."""

    async def later(url: str) -> None:
        async with AsyncClient() as client:
            await (await client.request("POST", url, json=1, headers={"X-A": "b"})).read()
            await (await client.get(url, headers={"X-A": "b"})).read()
            async for result in client.map([url], headers={"X-A": "b"}, query={"m": 1}):
                assert result.resource is not None

    with serving(fine) as (url, said), Client() as client:
        anyurl.request("POST", url, json=1, headers={"X-A": "b"}).read()
        anyurl.get(url, headers={"X-A": "b"}, query={"q": "a b"}).read()
        client.open(url, headers={"X-A": "b"}).read()
        client.stat(url, headers={"X-A": "b"})
        client.put(url, b"x", headers={"X-A": "b"})
        assert [each.error for each in client.map([url, url], headers={"X-A": "b"}, query="m=1")] == [None, None]
        asyncio.run(later(url))
    assert {fields.get(b"x-a") for _, fields, _ in said} == {b"b"}
    assert [line.partition(b" HTTP")[0] for line, _, _ in said] == [
        b"POST /", b"GET /?q=a%20b", b"GET /", b"HEAD /", b"PUT /", b"GET /?m=1", b"GET /?m=1", b"POST /", b"GET /",
        b"GET /?m=1",
    ]  # fmt: skip


def test_who_asks() -> None:
    with serving(fine) as (url, said):
        for agent in (None, "bot/1 (me@example.org)", ""):
            with Client(user_agent=agent) as client:
                client.get(url).read()
        with Client() as client:
            client.get(url, headers={"user-agent": "own"}).read()
    agents = [fields.get(b"user-agent") for _, fields, _ in said]
    assert agents == [f"anyurl/{anyurl.__version__}".encode(), b"bot/1 (me@example.org)", None, b"own"]
    for agent in ("a\r\nX: y", "ü", "a\0"):
        with pytest.raises(ValueError, match="user agent"):
            Client(user_agent=agent)


def test_conditions() -> None:
    def answer(line: bytes, fields: dict[bytes, bytes], _body: bytes) -> bytes:
        return b"HTTP/1.1 304 Not Modified\r\n\r\n" if b"if-none-match" in fields else reply(b"new")

    with serving(answer) as (url, said), Client() as client:
        same = client.get(url, etag='"a"', modified=784111777.0)
        assert (same.status, same.read()) == (304, b"")
        assert client.get(url, modified=784111777.0).read() == b"new"
        client.put(url, b"x", etag='"a"')
        client.request("DELETE", url, modified=784111777.0)
    conditions = [
        {name.decode(): value for name, value in fields.items() if name.startswith(b"if-")} for _, fields, _ in said
    ]
    date = b"Sun, 06 Nov 1994 08:49:37 GMT"
    assert conditions == [
        {"if-none-match": b'"a"', "if-modified-since": date}, {"if-modified-since": date}, {"if-match": b'"a"'},
        {"if-unmodified-since": date},
    ]  # fmt: skip


def test_an_error_or_the_answer() -> None:
    def answer(*_said: object) -> bytes:
        return b"HTTP/1.1 404 No\r\nX-Why: gone\r\nContent-Length: 4\r\n\r\nnone"

    with serving(answer) as (url, _), Client() as client:
        with pytest.raises(NotFoundError):
            client.get(url)
        with client.get(url, check=False) as resource:
            assert (resource.status, resource.version, resource.headers["x-why"]) == (404, "1.1", "gone")
            assert resource.read() == b"none"


def elsewhere(status: int, where: str) -> Answer:
    def answer(line: bytes, _fields: dict[bytes, bytes], _body: bytes) -> bytes:
        if b" /there" in line:
            return reply(b"there")
        return f"HTTP/1.1 {status} Moved\r\nLocation: {where}/there\r\nContent-Length: 0\r\n\r\n".encode()

    return answer


@each_row(
    ("method", "status", "after"),
    [
        ("POST", 301, b"GET"), ("POST", 302, b"GET"), ("POST", 303, b"GET"), ("POST", 307, b"POST"),
        ("POST", 308, b"POST"), ("PATCH", 301, b"PATCH"), ("PATCH", 303, b"GET"), ("DELETE", 303, b"GET"),
        ("DELETE", 302, b"DELETE"), ("OPTIONS", 303, b"OPTIONS"), ("HEAD", 303, b"HEAD"),
    ],
)  # fmt: skip
def test_the_method_after_a_redirection(method: str, status: int, after: bytes) -> None:
    content = None if method in ("OPTIONS", "HEAD", "DELETE") else b"abc"
    with serving(elsewhere(status, "")) as (url, said), Client() as client:
        client.request(method, url, content=content, type="text/plain", headers={"X-A": "b"})
    assert said[1][0].split()[0] == after
    assert said[1][2] == (content or b"" if after == method.encode() else b"")
    assert (b"content-type" in said[1][1]) is (after == method.encode())
    assert said[1][1][b"x-a"] == b"b"


@each_row(("status", "requests"), [(301, 2), (302, 2), (303, 1), (307, 2), (308, 2)])
@each_row("headers", [None, {"X-A": "b"}])
def test_an_upload_stays_one_after_a_redirection(status: int, requests: int, headers: dict[str, str] | None) -> None:
    """303 leads to a report on what is done (RFC 9110 15.4.4)."""
    with serving(elsewhere(status, "")) as (url, said), Client() as client:
        client.put(url, b"abc", headers=headers)
    assert [(line.split()[0], body) for line, _, body in said] == [(b"PUT", b"abc")] * requests


def test_a_source_that_is_gone_is_not_sent_again() -> None:
    with serving(elsewhere(307, "")) as (url, said), Client() as client:
        with pytest.raises(ReplyError, match="can't be read again"):
            client.request("POST", url, content=iter([b"a"]))
        client.request("POST", url, content=[b"a", b"b"])
    assert [body for _, _, body in said] == [b"a", b"ab", b"ab"]


CREDENTIALS = {"Authorization": "Bearer s3cret", "Cookie": "a=s3cret", "X-Api-Key": "s3cret", "X-Own": Secret("s3cret")}


def test_a_credential_goes_to_no_other_origin_and_that_is_remarked() -> None:
    with serving(fine) as (other, heard), serving(elsewhere(302, other)) as (url, said), Client() as client:
        resource = client.get(url, headers={**CREDENTIALS, "X-Plain": "p"})
        assert resource.read() == b"fine"
    assert {b"authorization", b"cookie", b"x-api-key", b"x-own"} <= said[0][1].keys()
    assert heard[0][1][b"x-plain"] == b"p"
    assert b"s3cret" not in repr(heard).encode()
    assert any("Authorization, Cookie, X-Api-Key, X-Own" in note and other in note for note in resource.notes)
    assert "s3cret" not in " ".join(resource.notes)


def test_a_credential_stays_on_the_way_within_an_origin_and_does_not_come_back() -> None:
    with serving(elsewhere(302, "")) as (url, said), Client() as client:
        client.get(url, headers=CREDENTIALS).read()
    assert b"authorization" in said[1][1]

    def back(line: bytes, _fields: dict[bytes, bytes], _body: bytes) -> bytes:
        return elsewhere(302, home[0])(b"GET / HTTP/1.1", {}, b"")

    home: list[str] = []
    with serving(back) as (other, _), serving(elsewhere(302, other)) as (url, said), Client() as client:
        home.append(url)
        client.get(url, headers=CREDENTIALS).read()
    assert [b"authorization" in fields for _, fields, _ in said] == [True, False]


def test_a_credential_is_not_for_a_url_that_somebody_else_named() -> None:
    with serving(fine) as (url, said), Client(Policy.default().replace(allow_private=True)) as client:
        page = client.get(url)
        resource = client.get(url, headers=CREDENTIALS, came_from="http://127.0.0.2/page")
        assert b"s3cret" not in repr(said).encode()
        assert len(resource.notes) == 1
        client.get(url, headers=CREDENTIALS, came_from=page).read()  # the very server that the user named
        assert b"authorization" in said[-1][1]


def test_what_changes_something_follows_no_redirection_elsewhere() -> None:
    with serving(fine) as (other, heard), serving(elsewhere(307, other)) as (url, _), Client() as client:
        for method in ("POST", "DELETE", "PUT", "PURGE"):
            with pytest.raises(ReplyError, match="nothing is sent there unless you name it"):
                client.request(method, url, content=b"x" if method != "DELETE" else None)
        with pytest.raises(ReplyError):
            client.put(url, b"x")
        client.get(url, headers={"X-A": "b"}).read()
    assert [line.split()[0] for line, _, _ in heard] == [b"GET"]


def test_the_policy_holds_for_every_method() -> None:
    with serving(fine) as (url, said), Client(Policy.untrusted()) as client:
        for method in ("GET", "POST", "DELETE"):
            with pytest.raises(RefusedError):
                client.request(method, url)
    assert said == []


@pytest.mark.parametrize(
    "arguments",
    [
        {"headers": {"Host": "x"}}, {"headers": {"Content-Length": "0"}}, {"headers": {"X": "a\r\nY: b"}},
        {"headers": {"X Y": "a"}}, {"modified": 1e18}, {"etag": 'a\r\nX: y'},
    ],
)  # fmt: skip
def test_nothing_is_sent_that_would_break_a_request(arguments: Any) -> None:
    with serving(fine) as (url, said), Client() as client:
        with pytest.raises(LocalProtocolError):
            client.get(url, **arguments)
        with pytest.raises(LocalProtocolError):
            client.request("GE T", url)
        with pytest.raises(LocalProtocolError, match="leave out one of them"):
            client.get(url.replace("//", "//u:p@"), headers={"Authorization": "Bearer x"})
    assert said == []


def test_what_is_no_argument_is_a_mistake_of_the_caller() -> None:
    with Client() as client:
        mistakes: list[Callable[[], object]] = [
            lambda: client.get("http://127.0.0.1/", header={}),  # type: ignore[call-arg]
            lambda: client.request("POST", "http://127.0.0.1/", content=b"", json=1),
            lambda: client.request("POST", "http://127.0.0.1/", form={"a": True}),
            lambda: client.request("POST", "http://127.0.0.1/", form={"a": None}),  # type: ignore[dict-item]
            lambda: list(client.map([], heades={})),  # type: ignore[call-arg]
        ]
        for mistake in mistakes:
            with pytest.raises(TypeError):
                mistake()


def test_other_schemes_have_no_such_requests() -> None:
    with Client() as client:
        for url in ("ftp://127.0.0.1/x", "gopher://127.0.0.1/", "file:///etc/hostname"):
            with pytest.raises(UnsupportedError, match="for http and https"):
                client.request("POST", url)
            with pytest.raises(UnsupportedError):
                client.get(url, headers={"X-A": "b"})


def test_the_search_part_is_added_to() -> None:
    with serving(fine) as (url, said), Client() as client:
        client.get(f"{url}/?a=%7e", query=[("b", 1), ("ü", "/&= ")]).read()
        client.get(f"{url}/?", query="x=1").read()
        client.get(f"{url}/", query={}).read()
        client.get(f"{url}/", query="a#b").read()
    assert [line.split()[1] for line, _, _ in said] == [b"/?a=%7e&b=1&%C3%BC=%2F%26%3D%20", b"/?x=1", b"/", b"/?a%23b"]


def test_forms_are_encoded() -> None:
    assert form_encoded({"a b": "c+d", "*-._": "~", "n": [1, 2.5]}) == "a+b=c%2Bd&*-._=~&n=1&n=2.5"
    assert pairs([("a", 1), ("a", 2)]) == [("a", "1"), ("a", "2")]


def test_no_secret_is_shown() -> None:
    http = http_options("GET", {"headers": CREDENTIALS})
    assert "s3cret" not in repr(http) + str(http.fields)


def created(_line: bytes, _fields: object, content: bytes) -> bytes:
    return reply(b"x" * 2_000_000 if content == b"much" else b'{"id": 17}', "Content-Type: application/json")


def test_what_a_server_says_to_a_put_can_be_read() -> None:
    with serving(created) as (url, _), Client() as client:
        made = client.put(url, b"a")
        assert (made.read(4), made.tell(), made.read(), made.closed) == (b'{"id', 4, b'": 17}', False)
        assert json.load(client.put(url, b"a")) == {"id": 17}
        assert client.put(url, b"a").text() == '{"id": 17}'
        assert list(client.put(url, b"a").iter_bytes()) == [b'{"id": 17}']
        much = client.put(url, b"much")
        assert (much.status, much.closed) == (200, True)
        assert much.notes == ["the server's answer has more than 1,048,576 octets and was not kept"]


def test_what_a_server_says_to_a_put_can_be_awaited() -> None:
    async def put() -> None:
        async with AsyncClient() as client:
            made = await client.put(url, b"a")
            assert (await made.read(4), made.tell(), await made.read()) == (b'{"id', 4, b'": 17}')
            assert await (await client.put(url, b"a")).text() == '{"id": 17}'
            much = await client.put(url, b"much")
            assert (much.status, much.closed, len(much.notes)) == (200, True, 1)

    with serving(created) as (url, _):
        asyncio.run(put())


@pytest.mark.parametrize(
    ("value", "octets"),
    [("\ud800", b'"\\ud800"'), ({"\u00e4\udfff": 1}, b'{"\\u00e4\\udfff":1}'), ("\U0001f600", '"\U0001f600"'.encode())],
)
def test_json_is_utf_8(value: object, octets: bytes) -> None:
    """RFC 8259 8.1: half of a pair has no UTF-8, and goes as an escape."""
    with serving(fine) as (url, said), Client() as client:
        client.request("POST", url, json=value).read()
    assert [body for _, _, body in said] == [octets]


@pytest.mark.parametrize("value", [float("nan"), [float("inf")], {"a": -float("inf")}, [float("nan"), "\ud800"]])
def test_what_json_has_no_number_for_is_not_sent(value: object) -> None:
    """RFC 8259 6."""
    with serving(fine) as (url, said), Client() as client, pytest.raises(ValueError, match="JSON"):
        client.request("POST", url, json=value)
    assert said == []


def test_an_answer_is_json() -> None:
    with serving(lambda *_: reply(b'{"a": 1}')) as (url, _), Client() as client:
        found: Resource = client.request("POST", url, json={})
        assert json.loads(found.text()) == {"a": 1}
