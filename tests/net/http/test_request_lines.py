"""The lines of a request: what they say, and what must not begin a line of its own."""

from __future__ import annotations

import pytest

from anyurl import URL
from anyurl.dialogue import Authorization, Request, Secret
from anyurl.errors import LocalProtocolError
from anyurl.net.http.request_lines import USER_AGENT, codings, header_lines, refuse_line_breaks
from tests.rows import each_row

URL_ = URL("http://h.dom/")


@pytest.mark.promise("delimiters")
@each_row("octet", ["\r", "\n", "\0"])
@each_row("place", ["method", "target", "name", "value"])
def test_nothing_begins_a_line_of_its_own(place: str, octet: str) -> None:
    """Attack: it would begin a second request (RFC 9112 11.2)."""
    said = {"method": "PUT", "target": "/x", "name": "X-Name", "value": "y"}
    said[place] += octet + "z"
    ask = Request(said["method"], URL_, said["target"], headers=[(said["name"], said["value"])])
    with pytest.raises(LocalProtocolError, match="no CR, LF or NUL"):
        refuse_line_breaks(ask)


def test_the_lines() -> None:
    ask = Request(
        "GET",
        URL_,
        "/",
        headers=[("X-A", "b"), ("X-Empty", ""), ("X-U", "\u00fc")],
        authorization=Authorization("Basic", Secret("dTpw"), Secret("u:p")),
    )
    assert header_lines(ask) == [
        "X-A: b",
        "X-Empty;",  # libcurl sends a field without a value only so
        "X-U: \u00fc".encode(),
        f"User-Agent: {USER_AGENT}",
        f"Accept-Encoding: {codings()}",
        "Authorization: Basic dTpw",
    ]


def test_a_body_that_is_kept_as_it_is_is_asked_for_without_codings() -> None:
    assert header_lines(Request("GET", URL_, "/", decode=False)) == [
        f"User-Agent: {USER_AGENT}",
        "Accept-Encoding: identity",
    ]


def test_who_asks() -> None:
    ask = Request("GET", URL_, "/", headers=[("user-agent", "own/1")], decode=False)
    assert header_lines(ask, "other/2")[:1] == ["user-agent: own/1"]
    ask = Request("GET", URL_, "/", decode=False)
    assert header_lines(ask, "other/2")[:1] == ["User-Agent: other/2"]
    assert header_lines(ask, "")[:1] == ["User-Agent:"]
    assert USER_AGENT.startswith("anyurl/")


def test_a_secret_goes_out_as_it_is_and_breaks_no_line() -> None:
    ask = Request("GET", URL_, "/", headers=[("Authorization", Secret("Bearer x"))])
    assert header_lines(ask)[0] == "Authorization: Bearer x"
    with pytest.raises(LocalProtocolError):
        refuse_line_breaks(Request("GET", URL_, "/", headers=[("Authorization", Secret("x\r\nY: z"))]))


@pytest.mark.promise("delimiters")
def test_a_login_begins_no_line_of_its_own() -> None:
    token = Authorization("Bearer", Secret("a\r\nX: y"), Secret("a"))
    with pytest.raises(LocalProtocolError, match="no CR, LF or NUL") as caught:
        refuse_line_breaks(Request("GET", URL_, "/", authorization=token))
    assert "X: y" not in str(caught.value)


def test_a_field_without_a_value_goes_out_so_but_for_expect_which_it_takes_away() -> None:
    asked = Request("PUT", URL_, "/", headers=[("X", ""), ("Expect", "")], decode=False)
    assert header_lines(asked)[:2] == ["X;", "Expect:"]
