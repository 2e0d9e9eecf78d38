"""A resource by itself: what is known before it is read, its text, and each way to read it."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from anyurl import Client, Resource
from anyurl.client.resource import (
    MAX_ANSWER_BYTES,
    NOT_KEPT,
    Description,
    Hop,
    Whole,
    as_url,
    check_process,
)
from anyurl.dialogue import Describe, Entry
from anyurl.errors import LimitError, LocalProtocolError, URLSyntaxError
from anyurl.guard.hops import GATEWAY
from anyurl.saving.pieces import uri_list
from anyurl.url import URL
from tests.rows import each_row

HTTP = URL("http://h/a")


def described(*history: Hop, kind: str = "document", **facts: object) -> Description:
    return Description(HTTP, Describe(kind, **facts), history, [])  # type: ignore[arg-type]


# --- what is known before --------------------------------------------------------------------------------------------


def test_what_a_description_says() -> None:
    found = described(
        type="text/html", size=3, start=1, modified=5.0, etag='"x"', name="n",
        attributes={"status": 200, "version": "1.1", "charset": "utf-8"}, headers=[("a", "b")],
    )  # fmt: skip
    assert (found.url, found.kind, found.type, found.content_type) == (HTTP, "document", "text/html", "text/html")
    assert (found.size, found.start, found.modified, found.etag, found.name) == (3, 1, 5.0, '"x"', "n")
    assert (found.status, found.version, found.charset, found.headers["A"]) == (200, "1.1", "utf-8", "b")
    assert repr(found) == "<Description document http://h/a>"


def test_what_nobody_says() -> None:
    found = Description(URL("http://u:pw@h/"), None, (), ["note"])
    assert (found.kind, found.size, found.start, found.notes, found.history) == ("document", None, 0, ["note"], ())
    assert [found.type, found.modified, found.etag, found.name, found.status, found.version, found.charset] == [
        None
    ] * 7
    assert (dict(found.attributes), len(found.headers), found.form) == ({}, 0, None)
    assert repr(found) == "<Description document http://u:***@h/>"
    odd = described(attributes={"status": "200", "version": 1, "charset": 7})
    assert (odd.status, odd.version, odd.charset) == (None, None, None)


def test_the_base_is_what_a_gateway_answered_for() -> None:
    def hop(url: str, reason: str) -> Hop:
        return Hop(URL(url), reason, False)

    one, two = hop("x-a:1", GATEWAY), hop("x-b:2", GATEWAY)
    moved = hop("http://h/old", "301")
    assert described().base == described(moved).base == described(one, moved).base == HTTP
    assert described(moved, one).base == URL("x-a:1")
    assert described(one, two).base == URL("x-a:1")
    assert described(one, moved, two).base == URL("x-b:2")


def test_a_form_has_its_questions_and_nothing_else_has_any() -> None:
    questions = [{"kind": "Ask", "prompt": "Name", "default": "", "choices": []}]
    form = described(kind="form", attributes={"questions": questions}).form
    assert form is not None
    assert [question.prompt for question in form.questions] == ["Name"]
    assert described(attributes={"questions": questions}).form is None


TEXTS = [
    (b"", None, None, ""),
    ("ü".encode(), None, None, "ü"),
    (b"\xfc", None, None, "ü"),
    (b"\xfc", None, "utf-8", "ü"),  # what is not what it says is Latin-1
    (b"\xe1", None, "iso-8859-7", "α"),
    (b"\xef\xbb\xbf\xce\xb1", None, "iso-8859-1", "α"),  # the mark goes first
    ("α".encode("utf-16"), None, "utf-8", "α"),
    (b"\xfe\xff\x03\xb1", None, None, "α"),
    (b"\xff\xfe\xb1\x03", "text/plain", None, "α"),
    (b"\xff\xfe\xb1", None, None, "\ufffd"),  # a text in UTF-16 that was cut
    (b"\xce\xb1", None, "nope", "α"),
    (b'<meta charset="iso-8859-7">\xe1', "text/html", None, '<meta charset="iso-8859-7">α'),
    (b"<meta charset=iso-8859-7>\xe1", None,
     None, "<meta charset=iso-8859-7>α"),
    (b'<?xml version="1.0" encoding="iso-8859-7"?>\xe1', "image/svg+xml", None,
     '<?xml version="1.0" encoding="iso-8859-7"?>α'),
    (b'<?xml version="1.0" encoding="utf-16"?>\xce\xb1', "text/xml", None, '<?xml version="1.0" encoding="utf-16"?>α'),
    (b"<meta charset=iso-8859-7>\xe1", "text/plain", None, "<meta charset=iso-8859-7>á"),
    (b"<meta charset=iso-8859-7>\xe1", "text/html", "iso-8859-1", "<meta charset=iso-8859-7>á"),
    (b" " * 1024 + b"<meta charset=iso-8859-7>\xe1", "text/html", None, " " * 1024 + "<meta charset=iso-8859-7>á"),
]  # fmt: skip


@each_row(("data", "type", "charset", "text"), TEXTS)
def test_texts(data: bytes, type: str | None, charset: str | None, text: str) -> None:
    """WHATWG HTML 13.2.3.2: the mark, what is declared, what the text itself names; then UTF-8, else Latin-1."""
    assert described(type=type, attributes={} if charset is None else {"charset": charset}).decode(data) == text


# --- the whole -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pieces", [[], [b"abc"], [b"", b"abc"], [b"a", b"bc"], [b"a", b"b", b"", b"c"]])
def test_the_whole_is_all_pieces(pieces: list[bytes]) -> None:
    whole = Whole(described(), 3, None)
    for piece in pieces:
        whole.add(piece)
    assert whole.octets() == b"".join(pieces)
    whole.clear()
    assert whole.octets() == b""


@pytest.mark.parametrize(
    ("most", "limit", "name", "words"),
    [
        (3, None, "max_read",
         ("http://h/a has more than 3 octets: the limit allows no more; in pieces (iter_bytes) or to a file (save) "
          "it may be larger.")),
        (99, 3, "read", "http://h/a has more than 3 octets: the limit allows no more."),
        (None, 3, "read", "http://h/a has more than 3 octets: the limit allows no more."),
    ],
)  # fmt: skip
def test_no_more_than_a_limit_is_held(most: int | None, limit: int | None, name: str, words: str) -> None:
    whole = Whole(described(), most, limit)
    whole.add(b"abc")
    with pytest.raises(LimitError) as caught:
        whole.add(b"d")
    assert (caught.value.limit, str(caught.value)) == (name, words)
    free = Whole(described(), 1, 9)  # the caller's own word goes before the policy's
    free.add(b"abc")
    assert free.octets() == b"abc"


# --- reading ---------------------------------------------------------------------------------------------------------

LINES = b"one\ntwo\n\nlast"


@contextmanager
def opened(folder: Path, data: bytes = LINES) -> Iterator[Resource]:
    (folder / "a.txt").write_bytes(data)
    with Client() as client, client.get((folder / "a.txt").as_uri()) as resource:
        yield resource


def test_it_is_a_binary_file(tmp_path: Path) -> None:
    with opened(tmp_path) as resource:
        assert isinstance(resource, io.BufferedIOBase)
        assert [resource.readable(), resource.writable(), resource.isatty(), resource.closed] == [True] + [False] * 3
        assert (resource.flush(), resource.seekable()) == (None, True)
        with pytest.raises(io.UnsupportedOperation, match="has no descriptor"):
            resource.fileno()
        assert (resource.readline(), resource.readline(2), resource.readline(None)) == (b"one\n", b"tw", b"o\n")
        assert (resource.tell(), resource.seek(4), resource.read(3), resource.readlines()) == (
            8, 4, b"two", [b"\n", b"\n", b"last"],
        )  # fmt: skip
        assert (resource.seek(-4, 2), resource.read1(), resource.read(), resource.readline()) == (9, b"last", b"", b"")
        resource.seek(0)
        assert list(resource) == LINES.splitlines(keepends=True)
    assert resource.closed
    with pytest.raises(ValueError, match="this resource is closed"):
        resource.readline()


def test_each_way_goes_on_where_the_other_has_ended(tmp_path: Path) -> None:
    with opened(tmp_path) as resource:
        buffer = bytearray(2)
        assert (resource.readinto(buffer), bytes(buffer), resource.readinto1(memoryview(buffer)[:1])) == (2, b"on", 1)
        assert bytes(buffer) == b"en"
        assert b"".join(resource.iter_bytes()) == LINES[3:]
        assert resource.complete
    for size in (-1, None):
        with opened(tmp_path) as resource:
            assert (resource.read(3), resource.read(size)) == (LINES[:3], LINES[3:])
    with opened(tmp_path) as resource:
        assert (resource.next_octets(), resource.next_octets()) == (LINES, None)
    with opened(tmp_path, "grün".encode()) as resource:
        assert resource.text() == "grün"
    with opened(tmp_path) as resource, pytest.raises(LimitError, match="more than 5 octets"):
        resource.read(limit=5)
    with opened(tmp_path) as resource:
        assert resource.read(limit=len(LINES)) == LINES


def test_a_listing_is_entries_or_a_list_of_urls(tmp_path: Path) -> None:
    for name in ("a", "b c"):
        (tmp_path / name).touch()
    url = f"{tmp_path.as_uri()}/"
    with Client() as client:
        assert sorted(entry.name for entry in client.list(url).entries()) == ["a", "b c"]
        assert sorted(client.list(url).read().splitlines()) == [f"{url}a".encode(), f"{url}b%20c".encode()]
        piece = client.list(url).next_octets()
        assert sorted((piece or b"").splitlines()) == [f"{url}a".encode(), f"{url}b%20c".encode()]
    entries = [Entry("x", URL("ftp://u:pw@h/")), Entry("a\nb", None), Entry("ü", None)]
    assert uri_list(entries).startswith(b"ftp://u:***@h/\r\n# a\\x0ab\r\n# ")
    assert uri_list([]) == b""


def test_an_answer_is_kept_to_be_read_later_if_it_is_short(tmp_path: Path) -> None:
    for size in (0, 5, MAX_ANSWER_BYTES):
        with opened(tmp_path, bytes(size)) as resource:
            resource.keep_answer()
            assert (len(resource.read()), resource.notes) == (size, [])
    with opened(tmp_path, bytes(MAX_ANSWER_BYTES + 1)) as resource:
        resource.keep_answer()
        assert (resource.closed, resource.notes) == (True, [NOT_KEPT])
    assert NOT_KEPT == "the server's answer has more than 1,048,576 octets and was not kept"


def test_it_is_of_the_process_that_opened_it() -> None:
    with Client() as client:
        scheduler = client._scheduler()
        check_process(scheduler)
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            try:
                check_process(scheduler)
            except LocalProtocolError as error:
                os.write(writing, str(error).encode())
            os._exit(0)
        os.close(writing)
        os.waitpid(child, 0)
        with open(reading, "rb") as said:
            assert said.read() == b"This resource belongs to the process that opened it, and this is a child of it."


def test_what_is_opened_is_a_url() -> None:
    assert as_url(HTTP) is HTTP
    assert as_url("http://h/a") == HTTP
    with pytest.raises(URLSyntaxError):
        as_url("http://h:x/")
    for other in (b"http://h/", None, 7):
        with pytest.raises(TypeError, match=f"^expected a URL or a str, not {type(other).__name__}$"):
            as_url(other)  # type: ignore[arg-type]
