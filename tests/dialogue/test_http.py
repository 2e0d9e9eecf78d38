"""Header fields: those of a caller are checked before anything is sent, those of an answer are found without case."""

from __future__ import annotations

import pytest

from anyurl.dialogue import Headers, Secret
from anyurl.dialogue.http import HttpOptions, check_fields, check_method, is_credential
from anyurl.errors import LocalProtocolError
from tests.rows import each_row


@pytest.mark.parametrize("octet", ["\r", "\n", "\0", "\r\n X: y", "\x7f", "\x0b", "\x1b"])
def test_a_value_with_a_control_character_is_refused(octet: str) -> None:
    with pytest.raises(LocalProtocolError, match="control character"):
        check_fields({"X-A": f"a{octet}b"})
    with pytest.raises(LocalProtocolError, match="control character"):
        check_fields({"X-A": Secret(f"a{octet}b")})


@each_row("name", ["", "X A", "X:A", "X\r\nHost", "X\0", "Xé", " X", "X\t"])
def test_a_name_that_is_no_token_is_refused(name: str) -> None:
    with pytest.raises(LocalProtocolError, match=r"not the name of a header field"):
        check_fields([(name, "a")])


@each_row(
    "name", ["Host", "content-length", "Transfer-Encoding", "CONNECTION", "Upgrade", "TE", "Trailer", "Expect",
             "HTTP2-Settings", "Keep-Alive", "Proxy-Connection"]
)  # fmt: skip
def test_what_frames_a_request_is_ours(name: str) -> None:
    """Attack: a second length makes two readers of one request see two (RFC 9112 11.2)."""
    with pytest.raises(LocalProtocolError, match=f"The {name} field can't be set"):
        check_fields({name: "a"})


def test_values_are_taken_as_they_are_but_for_space_around_them() -> None:
    assert check_fields([("X-A", " a\tb "), ("X-A", "ü"), ("X-Empty", ""), ("X-B", "\t?a? ")]) == (
        ("X-A", "a\tb"), ("X-A", "ü"), ("X-Empty", ""), ("X-B", "?a?"),
    )  # fmt: skip


@pytest.mark.parametrize("given", [{"X-A": 1}, {1: "a"}, [("X-A", None)]])
def test_what_is_no_text_is_refused(given: object) -> None:
    with pytest.raises(TypeError, match=r"\bheaders\b.* is a str|^the value of the X-A field is a str"):
        check_fields(given)  # type: ignore[arg-type]


@each_row(
    ("name", "holds"),
    [
        ("Authorization", True), ("authorization", True), ("Proxy-Authorization", True), ("Cookie", True),
        ("X-Api-Key", True), ("api_key", True), ("X-Auth-Token", True), ("X-Session", True), ("Private-Token", True),
        ("X-Author", False), ("Accept", False), ("If-None-Match", False), ("X-Monkey", False), ("User-Agent", False),
    ],
)  # fmt: skip
def test_a_credential_is_told_by_its_name(name: str, holds: bool) -> None:
    assert is_credential(name) is holds
    assert isinstance(check_fields({name: "x"})[0][1], Secret) is holds


def test_a_caller_marks_any_field_as_a_credential() -> None:
    http = HttpOptions("GET", check_fields({"X-Own": Secret("s3cret"), "X-Other": "seen"}))
    assert http.secret_names == ["X-Own"]
    assert http.without_secrets().fields == (("X-Other", "seen"),)
    assert "s3cret" not in repr(http) + repr(http.fields)


@pytest.mark.parametrize("method", ["", "GE T", "GET\r\n", "GET/", "É", "CONNECT", "connect"])
def test_what_is_no_method_is_refused(method: str) -> None:
    with pytest.raises(LocalProtocolError):
        check_method(method)


def test_any_other_token_is_a_method() -> None:
    for method in ("GET", "PATCH", "M-SEARCH", "propfind"):
        assert check_method(method) == method
    with pytest.raises(TypeError):
        check_method(b"GET")  # type: ignore[arg-type]


def test_a_request_without_its_content_says_nothing_of_it() -> None:
    fields = check_fields({"Content-Type": "text/plain", "content-language": "de", "X-A": "b"})
    after = HttpOptions("POST", fields, content=True, check=False).without_content("GET")
    assert (after.method, after.fields, after.content, after.check) == ("GET", (("X-A", "b"),), False, False)


@each_row(
    ("method", "content", "acts"),
    [("GET", False, False), ("HEAD", False, False), ("OPTIONS", False, False), ("TRACE", False, False),
     ("GET", True, True),
     ("POST", False, True), ("DELETE", False, True), ("get", False, True)],
)  # fmt: skip
def test_what_may_change_something(method: str, content: bool, acts: bool) -> None:
    assert HttpOptions(method, content=content).acts is acts


def test_the_fields_of_an_answer() -> None:
    headers = Headers([("vary", "a"), ("set-cookie", "x=s3cret"), ("vary", "b")])
    assert headers["Vary"] == "a, b"
    assert headers.all("VARY") == ["a", "b"]
    assert list(headers) == ["vary", "set-cookie"]
    assert len(headers) == 2
    assert "Set-Cookie" in headers
    assert "missing" not in headers
    assert 3 not in headers
    assert headers.get("missing", "-") == "-"
    assert repr(headers) == "Headers(vary, set-cookie)"
    with pytest.raises(KeyError):
        headers["missing"]


def test_a_request_that_asks_for_nothing_of_its_own() -> None:
    plain = HttpOptions()
    assert (plain.method, plain.fields, plain.content, plain.check) == ("GET", (), False, True)


def test_whether_there_is_a_field() -> None:
    options = HttpOptions(fields=(("X-Why", "1"),))
    assert (options.has("x-why"), options.has("x-wh"), HttpOptions().has("x-why")) == (True, False, False)


@pytest.mark.parametrize("given", [7, None, "X-A: b", ["X-A"], [("X-A",)], [("X-A", "b", "c")]])
def test_what_is_no_list_of_fields_is_told_with_its_name(given: object) -> None:
    with pytest.raises(TypeError, match=r"\bheaders\b"):
        check_fields(given)  # type: ignore[arg-type]
