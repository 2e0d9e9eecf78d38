"""The http dialogues, played from lists of answers: what is asked, what is told, how it ends."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyurl.dialogue import (
    Options,
    Relay,
    Request,
    Response,
    Resume,
)
from anyurl.dialogue.http import HttpOptions
from anyurl.errors import (
    AnyURLError,
    AuthRequiredError,
    DeniedError,
    NotFoundError,
    RemoteProtocolError,
    ReplyError,
    Truncated,
    UnavailableError,
    URLSyntaxError,
)
from anyurl.schemes.http.verbs import NO_HEAD, HttpParts, get, put, stat, target
from anyurl.url import URL, parse
from tests.rows import each_row
from tests.schemes.http.played import Play, answer, play

# --- parts ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "parts"),
    [
        pytest.param("http://h", HttpParts("", None), id="RFC 1738 3.3: the slash may be omitted"),
        pytest.param("http://h/", HttpParts("", None), id="the same"),
        pytest.param("http://h/a/b?c=d", HttpParts("a/b", "c=d"), id="path and search part"),
        pytest.param("http://h?c", HttpParts("", "c"), id="a search part without a path"),
        pytest.param("http://h/a?", HttpParts("a", ""), id="an empty search part is one"),
        pytest.param("https://h//a", HttpParts("/a", None), id="a path that begins with a slash"),
        pytest.param("http://h/%2F%7e", HttpParts("%2F%7e", None), id="nothing is decoded"),
    ],
)
def test_parts_are_read(url: str, parts: HttpParts) -> None:
    assert URL(url).parts == parts


@pytest.mark.parametrize("text", ["https:////", "https://h:80..%5C", "https://127.0.0.1?", "https:"])
def test_parts_of_a_url_without_a_host_write_it_again(text: str) -> None:
    url = parse(text, "rfc1738")  # which knows no https, and reads a host in none of them
    assert url.host is None
    assert url.replace(parts=url.parts) == url


def test_parts_can_be_looked_into() -> None:
    parts = HttpParts("a%2Fb/c%20d/", "q=a+b%26c&x&&y=1=2&%FF=")
    assert parts.segments == ("a/b", "c d", "")
    assert parts.pairs == (("q", "a b&c"), ("x", ""), ("y", "1=2"), ("\udcff", ""))
    assert HttpParts("").pairs == ()


def test_parts_encode_what_must_be_encoded() -> None:
    assert HttpParts('a b?c#"é', "x y?#\udcff").url_path() == "a%20b%3Fc%23%22%C3%A9?x%20y?%23%FF"


@pytest.mark.parametrize("text", ["%", "a%2", "%zz", "100%/x"])
def test_parts_refuse_a_lone_percent_sign(text: str) -> None:
    for arguments in ((text,), ("", text)):
        with pytest.raises(URLSyntaxError, match="a '%' must be followed by two hexadecimal digits"):
            HttpParts(*arguments)


# --- the request ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "sent"),
    [
        pytest.param("http://h", "/", id="RFC 9112 3.2.1: never empty"),
        pytest.param("http://h?q", "/?q", id="a slash before the search part"),
        pytest.param("http://h/a%7e%2E./../b?c=%20+#d", "/a%7e%2E./../b?c=%20+", id="octet for octet, no fragment"),
        pytest.param("http://h/a?", "/a?", id="an empty search part"),
        pytest.param("http://h//x", "//x", id="two slashes"),
    ],
)
def test_the_target_is_the_url_octet_for_octet(url: str, sent: str) -> None:
    assert target(URL(url)) == sent
    request = play(url, answer(200)).request
    assert (request.method, str(request.url), request.target) == ("GET", url, sent)
    assert (list(request.headers), request.upload, request.authorization, request.decode) == ([], False, None, True)


# --- what is told --------------------------------------------------------------------------------------------------


def test_a_document_is_described() -> None:
    played = play(
        "http://h/x",
        answer(
            200,
            ("server", "nginx"),
            ("content-type", "text/HTML; charset=UTF-8"),
            ("content-length", "5"),
            ("last-modified", "Sun, 06 Nov 1994 08:49:37 GMT"),
            ("etag", '"abc"'),
            ("content-disposition", 'attachment; filename="../x"'),
            ("content-location", "/x.en"),
            ("link", "<a>; rel=next"),
            ("link", "<b>; rel=prev"),
            ("set-cookie", "secret=1"),
            ("www-authenticate", "Basic"),
            ("x-powered-by", "curiosity"),
            version="2",
        ),
        octets=5,
    )
    assert played.names == ["Request", "Describe", "Relay"]
    told = played.description
    assert (told.kind, told.type, told.size, told.modified) == ("document", "text/html", 5, 784111777)
    assert (told.etag, told.name, told.start) == ('"abc"', "../x", 0)
    assert told.attributes == {
        "status": 200,
        "version": "2",
        "server": "nginx",
        "content-disposition": 'attachment; filename="../x"',
        "content-location": "/x.en",
        "link": "<a>; rel=next, <b>; rel=prev",
        "charset": "utf-8",
    }
    assert played.ended is None


def test_a_bare_answer_is_described_by_what_it_has() -> None:
    told = play("http://h/", answer(200)).description
    assert (told.type, told.size, told.modified, told.etag, told.name) == (None, None, None, None, None)
    assert told.attributes == {"status": 200, "version": "1.1"}


@pytest.mark.parametrize(
    ("response", "size"),
    [
        pytest.param(answer(200, ("content-length", "9"), ("content-encoding", "gzip")), None, id="of the coded form"),
        pytest.param(answer(200, ("content-length", "9"), ("content-encoding", "identity")), 9, id="no coding"),
        pytest.param(answer(200, ("content-length", "9"), ("transfer-encoding", "chunked")), None, id="overruled"),
        pytest.param(answer(204), 0, id="no content"),
        pytest.param(answer(205), 0, id="no content either"),
        pytest.param(answer(203, ("content-length", "9")), 9, id="any other success is a document"),
    ],
)
def test_the_size_is_that_of_the_content(response: Response, size: int | None) -> None:
    assert play("http://h/", response, octets=9).description.size == size


def test_an_endless_field_is_cut() -> None:
    told = play("http://h/", answer(200, *[("link", "x" * 5000)] * 100)).description
    assert len(told.attributes["link"]) == 8192


def test_a_document_that_breaks_off_is_no_success() -> None:
    error = play("http://h/", answer(200, ("content-length", "10")), octets=4).error
    assert isinstance(error, Truncated)
    assert (str(error), error.received, error.expected) == ("The document broke off after 4 of 10 octets.", 4, 10)


def test_a_part_that_nobody_asked_for_is_an_error() -> None:
    error = play("http://h/", answer(206, ("content-range", "bytes 0-1/9"))).error
    assert isinstance(error, RemoteProtocolError)
    assert str(error) == "The server sent a part (206) in reply to a request for the whole document."


@each_row(
    ("status", "kind", "words"),
    [
        (304, ReplyError, "not modified, the answer to a condition that was not set"),
        (302, ReplyError, "it has moved, and the reply does not say where (no Location)"),
        (305, ReplyError, "it is given out by a proxy only"),
        (399, ReplyError, "there are several, and none is named"),  # RFC 9110 15: as 300
        (400, ReplyError, "it does not understand the request"),
        (403, DeniedError, "it does not allow it"),
        (404, NotFoundError, "there is no such document"),
        (407, AuthRequiredError, "the proxy wants a login"),
        (410, NotFoundError, "the document is gone"),
        (425, UnavailableError, "it does not risk to take a request so early"),  # RFC 8470 5.2
        (429, UnavailableError, "too many requests"),
        (451, DeniedError, "it is withheld for legal reasons"),
        (499, ReplyError, "it does not understand the request"),
        (500, UnavailableError, "the server is in trouble"),
        (508, ReplyError, "its contents form a loop"),
        (520, UnavailableError, "the server is in trouble"),  # Cloudflare's; RFC 9110 15: as 500
        (599, UnavailableError, "the server is in trouble"),
        (777, ReplyError, "it does not fit the request"),
    ],
)
@each_row("verb", [get, stat])
def test_a_no_is_an_error_of_its_kind(verb: Any, status: int, kind: type[ReplyError], words: str) -> None:
    answers = [answer(status)] * (2 if verb is stat and status in NO_HEAD else 1)
    error = play("http://u:p@h/x", *answers, verb=verb).error
    assert type(error) is kind
    assert isinstance(error, ReplyError)
    assert (error.code, error.text) == (status, words)
    assert str(error) == f"The server answered {status} for http://u:***@h/x: {words}."


class TestStat:
    def test_asks_for_the_head(self) -> None:
        played = play("http://h/x", answer(200, ("content-length", "7")), verb=stat)
        assert played.names == ["Request", "Describe"]
        assert (played.request.method, played.description.size) == ("HEAD", 7)

    @pytest.mark.parametrize("status", NO_HEAD)
    def test_asks_otherwise_where_nobody_knows_head(self, status: int) -> None:
        played = play("http://h/x", answer(status), answer(200, ("content-length", "7")), verb=stat)
        assert played.names == ["Request", "Note", "Request", "Describe"]
        assert [request.method for request in played.of(Request)] == ["HEAD", "GET"]
        assert played.notes == [f"the server answered HEAD with {status}: its answer to GET is described"]

    def test_follows(self) -> None:
        assert str(play("http://h/x", answer(301, ("location", "/y")), verb=stat).follow.url) == "http://h/y"


# --- redirections --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("status", "permanent"), [(301, True), (302, False), (303, False), (307, False), (308, True)])
def test_a_redirection_ends_the_dialogue(status: int, permanent: bool) -> None:
    played = play("http://h/a/b", answer(status, ("location", "c?d")))
    assert played.names == ["Request"]
    follow = played.follow
    assert (str(follow.url), follow.reason, follow.permanent) == ("http://h/a/c?d", str(status), permanent)


@each_row(
    ("url", "location", "aim"),
    [
        pytest.param("http://h/a/b?c", "//k/x", "http://k/x", id="another host"),
        pytest.param("http://h/a/b?c", "https://h/", "https://h/", id="absolute"),
        pytest.param("http://h/a/b?c", " /x\t", "http://h/x", id="white space around it"),
        pytest.param("http://h/a/b?c", "?d", "http://h/a/b?d", id="a search part"),
        pytest.param("http://h/a/b", "../../../x", "http://h/x", id="dot segments"),
        pytest.param("http://h/a#f", "/x", "http://h/x#f", id="RFC 9110 10.2.2: the fragment goes along"),
        pytest.param("http://h/a#f", "/x#g", "http://h/x#g", id="unless there is another"),
        pytest.param("http://h/", "ftp://k/x", "ftp://k/x", id="another scheme: the policy's affair"),
        pytest.param("http://h/", '/a b"<>^`{|}', "http://h/a%20b%22%3C%3E%5E%60%7B%7C%7D", id="unsafe characters"),
        pytest.param("http://h/", "/?a[]=1", "http://h/?a%5B%5D=1", id="brackets, as PHP writes them"),
        pytest.param("http://h/", "//[::1]/?a[]", "http://[::1]/?a%5B%5D", id="but not those of an address"),
        pytest.param("http://h/", "/100%/%41", "http://h/100%25/%41", id="a lone percent sign"),
        pytest.param("http://h/", "/é", "http://h/%C3%A9", id="UTF-8"),
        pytest.param("http://h/", "/\udce9", "http://h/%E9", id="octets that are not UTF-8"),
        pytest.param("http://h/", "http://bücher.example/", "http://xn--bcher-kva.example/", id="a host of the world"),
        pytest.param("http://u:p@h/a", "/b", "http://u:p@h/b", id="our login stays in its origin"),
        pytest.param("http://u:p@h/a", "http://h/b", "http://u:p@h/b", id="also when the server leaves it out"),
        pytest.param("http://u:p@h/a", "http://H:80/b", "http://u:p@H:80/b", id="the same origin, written otherwise"),
        pytest.param("http://u:p%2F@h/a", "/b", "http://u:p%2F@h/b", id="whatever it holds"),
        pytest.param("http://u:p@h/a", "http://k/b", "http://k/b", id="and goes to no other host"),
        pytest.param("http://u:p@h/a", "http://h:8080/b", "http://h:8080/b", id="nor port"),
        pytest.param("http://u:p@h/a", "https://h/b", "https://h/b", id="nor scheme"),
    ],
)
def test_where_a_redirection_leads(url: str, location: str, aim: str) -> None:
    played = play(url, answer(302, ("location", location)))
    assert str(played.follow.url) == aim
    assert played.notes == []


@pytest.mark.parametrize(
    ("url", "location", "aim"),
    [
        pytest.param("http://h/", "http://x:y@k/", "http://k/", id="to another host"),
        pytest.param("http://h/", "http://x:y@h/", "http://h/", id="to the same"),
        pytest.param("http://u:p@h/", "http://x:y@h/", "http://u:p@h/", id="instead of ours"),
        pytest.param("http://u:p@h/", "//u:p@k/", "http://k/", id="ours, elsewhere"),
        pytest.param("http://h/", "ftp://x:y@k/", "ftp://k/", id="in another scheme"),
    ],
)
def test_a_login_that_a_server_writes_is_dropped(url: str, location: str, aim: str) -> None:
    played = play(url, answer(302, ("location", location)))
    assert str(played.follow.url) == aim
    bare = aim.replace("u:p@", "")
    assert played.notes == [
        f"The user and password in {bare}, which the server at http://h wrote, were dropped: only yours are sent."
    ]


def test_the_password_that_a_server_writes_for_our_user_is_ours_again() -> None:
    played = play("http://u:p@h/", answer(302, ("location", "http://u:other@h/x")))
    assert str(played.follow.url) == "http://u:p@h/x"


@each_row(
    ("location", "sample"),
    [
        pytest.param("http://good\\@evil/", "http://good\\@evil/", id="a backslash: two readers, two hosts"),
        pytest.param("/a\x1bb", r"/a\x1bb", id="a control character"),
        pytest.param("/a\x7f", r"/a\x7f", id="DEL"),
        pytest.param("http://", "http://", id="no host"),
        pytest.param("http://h:99999/", "http://h:99999/", id="no port"),
        pytest.param("http://a%2fb/", "http://a%2fb/", id="an escape in a host"),
        pytest.param("/" + "a" * 70_000, "/" + "a" * 199 + "...", id="too long"),
        pytest.param("http://\udcff/", r"http://\xff/", id="a host that is no text"),
        pytest.param("http://u:p@h:99999/", "http://u:***@h:99999/", id="our own password, repeated"),
        pytest.param("http://u:p@p@h:99999/", "http://u:***@h:99999/", id="one that holds an @"),
        pytest.param("http://u:p/p?#@h/", "http://u:***@h/", id="one that holds what ends an authority"),
        pytest.param("http:\\\\u:p@h\\", "http:\\\\u:***@h\\", id="one behind backslashes"),
        pytest.param("HTTP:/u:p@h/", "HTTP:/u:***@h/", id="one behind a single slash"),
        pytest.param("http:127.0.0.1", "http:127.0.0.1", id="a path to browsers, an error to curl"),
        pytest.param("HTTP:/127.0.0.1/", "HTTP:/127.0.0.1/", id="a path to browsers, a host to curl"),
        pytest.param("http://127.0.0.1%2F@k/", "http://127.0.0.1%2F@k/", id="a login that looks like a host"),
        pytest.param("//a:%5c@k/", "//a:***@k/", id="the same, in the password"),
    ],
)
def test_a_redirection_to_what_is_no_url_is_an_error(location: str, sample: str) -> None:
    error = play("http://u:p@h/x", answer(302, ("location", location))).error
    assert isinstance(error, RemoteProtocolError)
    told = f"http://u:***@h/x redirects to text that is not a URL: “{sample}”"
    assert (str(error), error.sample) == (told, sample)


@pytest.mark.parametrize("headers", [(), (("location", " "),)])
def test_a_redirection_to_nowhere_is_a_no(headers: Sequence[tuple[str, str]]) -> None:
    error = play("http://h/", answer(302, *headers)).error
    assert isinstance(error, ReplyError)
    assert error.code == 302
    assert str(error).endswith(": it has moved, and the reply does not say where (no Location).")


# --- the rest of a document ----------------------------------------------------------------------------------------

DATE = "Sun, 06 Nov 1994 08:49:37 GMT"
REST = (("content-range", "bytes 4-9/10"), ("content-length", "6"))


def rest(*answers: Response, resume: Resume | None = None, **how: Any) -> Play:
    return play("http://h/", *answers, options=Options(resume=resume or Resume(4, '"v1"', None, 10)), **how)


class TestResume:
    def test_asks_for_the_rest_of_the_same_document(self) -> None:
        played = rest(answer(206, *REST, ("etag", '"v1"')), octets=6)
        assert played.names == ["Request", "Describe", "Relay"]
        assert list(played.request.headers) == [("Range", "bytes=4-"), ("If-Range", '"v1"')]
        assert played.request.decode is False
        assert (played.description.start, played.description.size) == (4, 10)
        assert (played.notes, played.ended) == ([], None)

    @pytest.mark.parametrize(
        ("resume", "validator"),
        [
            pytest.param(Resume(4, None, 784111777.0), DATE, id="a date"),
            pytest.param(Resume(4, 'W/"v1"', 784111777.5), DATE, id="RFC 9110 13.1.5: never a weak tag"),
            pytest.param(Resume(4, '"v1"', 784111777.0), '"v1"', id="a strong tag rather than a date"),
        ],
    )
    def test_names_what_proves_it_is_the_same(self, resume: Resume, validator: str) -> None:
        played = rest(answer(206, *REST), resume=resume, octets=6)
        assert dict(played.request.headers)["If-Range"] == validator

    @pytest.mark.parametrize("resume", [Resume(4), Resume(4, 'W/"v1"'), Resume(4, "v1"), Resume(4, None, 1e18)])
    def test_starts_again_when_nothing_proves_it(self, resume: Resume) -> None:
        played = rest(answer(200), resume=resume)
        assert list(played.request.headers) == []
        assert played.description.start == 0
        assert played.notes == ["there is no proof that the document is unchanged: it is downloaded from the beginning"]

    def test_of_nothing_is_a_plain_get(self) -> None:
        played = rest(answer(200), resume=Resume(0, '"v1"'))
        assert (list(played.request.headers), played.notes) == ([], [])

    def test_takes_a_whole_that_is_another_document(self) -> None:
        played = rest(answer(200, ("content-length", "8"), ("etag", '"v2"')), octets=8)
        assert (played.description.start, played.description.size) == (0, 8)
        assert played.notes == ["the document has changed: it is downloaded from the beginning"]

    def test_takes_the_whole_of_the_same_document_to_compare_it(self) -> None:
        played = rest(answer(200, ("content-length", "10"), ("etag", '"v1"')), octets=10)
        assert (played.description.start, played.description.size) == (0, 10)
        assert played.notes == [
            "the server sends no parts: the whole document is sent, and the partial file is compared with it"
        ]

    @pytest.mark.parametrize("status", [200, 206])
    def test_asks_for_the_whole_when_a_content_coding_is_in_the_way(self, status: int) -> None:
        coded = answer(status, *REST, ("content-encoding", "gzip"))
        played = rest(coded, answer(200, ("etag", 'W/"v1"')))
        assert [request.decode for request in played.of(Request)] == [False, True]
        assert (list(played.of(Request)[1].headers), played.description.start) == ([], 0)
        assert played.notes == [
            "the server sends the rest in a content coding: the whole document is requested",
            "the whole document is sent, and the partial file is compared with it",
        ]

    def test_is_complete_when_nothing_is_left(self) -> None:
        played = rest(answer(416, ("content-range", "bytes */4")))
        assert played.names == ["Request", "Describe"]
        told = played.description
        assert (told.start, told.size, told.etag, told.attributes["status"]) == (4, 4, '"v1"', 416)

    def test_is_complete_when_all_had_come_that_was_announced(self) -> None:
        played = rest(answer(416), resume=Resume(4, '"v1"', size=4))
        assert played.names == ["Request", "Describe"]
        assert (played.description.start, played.description.size) == (4, 4)

    @pytest.mark.parametrize(
        "headers",
        [
            pytest.param((("content-range", "bytes */3"),), id="it became shorter"),
            pytest.param((), id="nobody says how long it is"),
            pytest.param((("content-range", "bytes */4"), ("etag", '"v2"')), id="it is another one"),
        ],
    )
    def test_asks_for_the_whole_when_the_document_became_shorter(self, headers: tuple[tuple[str, str], ...]) -> None:
        played = rest(answer(416, *headers), answer(200, ("etag", '"v2"')))
        assert (played.description.start, len(played.notes)) == (0, 2)
        assert "(416)" in played.notes[0]

    @pytest.mark.parametrize(
        ("headers", "reason"),
        [
            pytest.param((), "the server does not say which part it sent", id="no range"),
            pytest.param((("content-range", "bytes 5-9/10"),), "the server sent another part", id="a later start"),
            pytest.param((("content-range", "bytes 0-3/10"),), "the server sent another part", id="what is there"),
            pytest.param((("content-range", "bytes */10"),), "the server does not say which part", id="no start"),
            pytest.param((("content-range", "bytes 4-10/11"),), "the server sent a part of another", id="another size"),
            pytest.param((*REST, ("etag", '"v2"')), "the server sent a part of another", id="another entity tag"),
            pytest.param(
                (REST[0], ("content-length", "10")), "the server sent 10 octets as the part", id="more octets"
            ),
        ],
    )
    def test_never_joins_what_does_not_belong_together(self, headers: tuple[tuple[str, str], ...], reason: str) -> None:
        played = rest(answer(206, *headers), answer(200, ("etag", '"v1"')))
        assert played.notes[0].startswith(reason)
        assert (len(played.of(Request)), played.description.start) == (2, 0)

    def test_sees_another_date(self) -> None:
        part = answer(206, *REST, ("last-modified", "Sun, 06 Nov 1994 08:49:38 GMT"))
        played = rest(part, answer(200, ("etag", '"v2"')), resume=Resume(4, '"v1"', 784111777))
        assert played.notes[0].startswith("the server sent a part of another document")

    def test_of_an_unknown_size_takes_what_comes(self) -> None:
        played = rest(answer(206, ("content-range", "bytes 4-9/*")), octets=3)
        assert (played.description.size, played.ended) == (None, None)

    def test_sees_that_the_part_is_short(self) -> None:
        played = rest(answer(206, ("content-range", "bytes 4-6/10")), octets=3)
        assert isinstance(played.error, Truncated)
        assert (played.error.received, played.error.expected) == (3, 6)

    def test_follows_and_refuses_as_a_plain_get(self) -> None:
        assert str(rest(answer(302, ("location", "/x"))).follow.url) == "http://h/x"
        assert isinstance(rest(answer(404)).error, NotFoundError)


# --- put -----------------------------------------------------------------------------------------------------------


class TestPut:
    def test_sends_the_source(self) -> None:
        played = play(
            "http://h/x",
            answer(201, ("location", "/x"), ("etag", '"v1"')),
            verb=put,
            options=Options(upload_size=5, upload_type="text/plain"),
        )
        assert played.names == ["Request", "Describe", "Relay"]
        request = played.request
        assert (request.method, request.target, request.upload) == ("PUT", "/x", True)
        assert list(request.headers) == [("Content-Type", "text/plain")]
        assert (played.description.kind, played.description.etag) == ("document", '"v1"')
        assert played.description.attributes == {"status": 201, "version": "1.1", "location": "/x"}

    def test_a_password_that_the_server_repeats_is_masked(self) -> None:
        location = ("location", "http://u:s3cret@h/x?a:b@c")
        told = play("http://u:s3cret@h/x", answer(201, location), verb=put).description
        assert told.attributes["location"] == "http://u:***@h/x?a:b@c"
        elsewhere = ("location", "http://u:s3cret@k/x")
        error = play("http://u:s3cret@h/x", answer(307, elsewhere), verb=put).error
        assert "s3cret" not in str(error)

    @pytest.mark.parametrize("status", [301, 302, 307, 308])
    def test_goes_on_within_the_origin(self, status: int) -> None:
        assert str(play("http://h/x", answer(status, ("location", "/y")), verb=put).follow.url) == "http://h/y"

    def test_says_nothing_of_a_type_that_nobody_gave(self) -> None:
        assert list(play("http://h/x", answer(204), verb=put).request.headers) == []

    @pytest.mark.parametrize("status", [200, 201, 202, 204, 303])
    def test_is_done_when_the_server_says_so(self, status: int) -> None:
        assert play("http://h/x", answer(status, ("location", "/y")), verb=put).ended is None

    @pytest.mark.parametrize("status", [301, 302, 307, 308])
    def test_sends_a_source_to_no_place_that_a_server_names(self, status: int) -> None:
        error = play("http://h/x", answer(status, ("location", "http://k/\x1b")), verb=put).error
        assert type(error) is ReplyError
        assert str(error) == (
            f"The server answered {status} for http://h/x: it is to be sent to “http://k/\\x1b”; "
            "nothing is sent there unless you name it."
        )

    @pytest.mark.parametrize(("status", "kind"), [(403, DeniedError), (404, NotFoundError), (405, DeniedError)])
    def test_a_no_is_an_error(self, status: int, kind: type[ReplyError]) -> None:
        assert type(play("http://h/x", answer(status), verb=put).error) is kind

    def test_where_expectations_are_not_known_it_is_sent_without_one(self) -> None:
        played = play("http://h/x", answer(417), answer(201), verb=put)
        assert played.ended is None
        assert [list(request.headers) for request in played.of(Request)] == [[], [("Expect", "")]]
        assert played.names == ["Request", "Rewind", "Close", "Rewind", "Request", "Describe", "Relay"]

    def test_what_can_be_read_once_is_sent_once(self) -> None:
        played = play("http://h/x", answer(417), verb=put, rewinds=False)
        assert (type(played.error), played.names) == (ReplyError, ["Request", "Rewind"])

    def test_a_post_is_repeated_for_no_such_answer(self) -> None:
        http = HttpOptions("POST", content=True)
        played = play("http://h/x", answer(417), options=Options(http=http))
        assert (type(played.error), played.names) == (ReplyError, ["Request"])

    def test_a_conflict_may_be_that_of_a_collection_that_is_not_there(self) -> None:
        assert "the collection for it does not exist" in str(play("http://h/x", answer(409), verb=put).error)
        assert "collection" not in str(play("http://h/x", answer(409)).error)


def test_how_long_a_server_wants_to_be_left_alone_is_told() -> None:
    error = play("http://h/x", answer(503, ("retry-after", "100000"))).error
    assert isinstance(error, UnavailableError)
    assert error.retry_after == 100_000
    assert str(error).endswith("is not available now; it may be requested again in 100,000 s at the earliest.")
    assert str(play("http://h/x", answer(503, ("retry-after", "0"))).error).endswith("is not available now.")
    for text in ("\u0661", "-1", "1.5", "soon", ""):
        error = play("http://h/x", answer(503, ("retry-after", text))).error
        assert isinstance(error, UnavailableError)
        assert error.retry_after is None
    at = ("retry-after", "Fri, 31 Dec 9999 23:59:59 GMT")
    for date, known in ((), True), ((("date", "Fri, 31 Dec 9999 23:59:49 GMT"),), True), ((("date", "soon"),), False):
        error = play("http://h/x", answer(503, at, *date)).error
        assert isinstance(error, UnavailableError)
        assert (error.retry_after is not None) is known
        assert (error.retry_after == 10) is (len(date) == 1 and known)


# --- anything ------------------------------------------------------------------------------------------------------

NAMES = (
    "content-disposition", "content-encoding", "content-length", "content-range", "content-type", "etag",
    "last-modified", "location", "transfer-encoding", "www-authenticate",
)  # fmt: skip
VALUES = st.text(max_size=40) | st.text("bytes 0123456789-/*=;,\"'%:@[]\\#?ah.\udcff", max_size=40)
HEADERS = st.lists(st.tuples(st.sampled_from(NAMES), VALUES), max_size=6)
STATUSES = st.sampled_from((200, 201, 204, 206, 300, 301, 302, 304, 307, 400, 401, 404, 405, 416, 500)) | st.integers()


@pytest.mark.parametrize("verb", [get, stat, put])
def test_whatever_a_server_answers_only_errors_of_the_tree_come_out(verb: Any) -> None:
    @given(st.lists(st.tuples(STATUSES, HEADERS), min_size=3, max_size=3), st.sampled_from((None, Resume(4, '"v1"'))))
    def check(answers: list[tuple[int, list[tuple[str, str]]]], resume: Resume | None) -> None:
        left = [answer(status, *headers) for status, headers in answers]
        dialogue = verb(URL("http://u@h/x"), Options(resume=resume))
        reply: Any = None
        with contextlib.suppress(StopIteration, AnyURLError):
            while True:
                ask = dialogue.send(reply)
                reply = left.pop(0) if isinstance(ask, Request) else 0 if isinstance(ask, Relay) else None

    check()


# --- codings that are none --------------------------------------------------------------------------------------------

PACKED = ("content-encoding", "x-gzip"), ("content-length", "5")


def test_an_archive_comes_as_it_is() -> None:
    """Servers call the format of a file its coding: undone, x.gz would be saved unpacked under its name."""
    played = play("http://h/x.tar.GZ", answer(200, *PACKED), octets=5)
    assert (played.request.decode, played.description.size) == (False, 5)
    played = play("http://h/x.tar", answer(200, *PACKED), octets=9)
    assert (played.request.decode, played.description.size) == (True, None)
    played = play("http://h/x.zip", answer(200, *PACKED), verb=stat)
    assert (played.request.decode, played.description.size) == (False, 5)


def test_the_rest_of_an_archive_is_asked_for_whatever_it_is_called() -> None:
    options = Options(resume=Resume(2, '"a"', None, 5))
    part = answer(206, ("content-encoding", "x-gzip"), ("content-range", "bytes 2-4/5"), ("etag", '"a"'))
    played = play("http://h/x.gz", part, options=options, octets=3)
    assert (played.description.start, played.notes) == (2, [])


def test_stat_asks_for_no_coding() -> None:
    assert play("http://h/x", answer(200), verb=stat).request.decode is False
    requests = play("http://h/x", answer(501), answer(200), verb=stat).of(Request)
    assert [request.decode for request in requests] == [False, False]


def test_what_may_be_gone_on_with_is_asked_for_without_a_coding() -> None:
    options = Options(resume=Resume(0))
    played = play("http://h/x", answer(200, ("content-length", "5")), options=options, octets=5)
    assert (played.request.decode, played.description.size) == (False, 5)
    forced = play("http://h/x", answer(200, *PACKED), answer(200, *PACKED), options=options, octets=9)
    assert [request.decode for request in forced.of(Request)] == [False, True]


@pytest.mark.parametrize(
    ("coding", "noted"), [("utf-8", False), ("none", False), ("aws-chunked", False), ("zip", True), ("gzip", False)]
)
def test_a_coding_that_nobody_knows_is_a_remark(coding: str, noted: bool) -> None:
    played = play("http://h/x", answer(200, ("content-encoding", coding), ("content-length", "3")), octets=3)
    assert played.ended is None
    assert played.description.size == (None if coding == "gzip" else 3)
    assert [("is unknown: the content is as it was sent" in note) for note in played.notes] == [True] * noted


@each_row(
    ("url", "fields"),
    [
        ("http://h/download?id=5", [("content-type", "application/gzip")]),
        ("http://h/download", [("content-type", "application/x-tar")]),
        ("http://h/download", [("content-disposition", 'attachment; filename="d.tar.gz"')]),
        ("http://h/a.svgz", [("content-type", "image/svg+xml")]),
    ],
)
@each_row("resume", [None, Resume(0)])
def test_what_is_packed_stays_packed(url: str, fields: list[tuple[str, str]], resume: Resume | None) -> None:
    coded = answer(200, ("content-encoding", "x-gzip"), ("content-length", "9"), *fields)
    first = resume is None and not url.endswith("svgz")
    played = play(url, *[coded] * (2 if first else 1), octets=9, options=Options(resume=resume))
    assert [request.decode for request in played.of(Request)] == ([True, False] if first else [False])
    assert (played.ended, played.description.size) == (None, 9)


def test_a_page_that_is_coded_is_decoded() -> None:
    coded = answer(200, ("content-encoding", "gzip"), ("content-type", "text/html"))
    assert [request.decode for request in play("http://h/", coded).of(Request)] == [True]
