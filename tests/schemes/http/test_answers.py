"""What an answer means: a description, another place, or a no; and what of it is never shown."""

from __future__ import annotations

import pytest

from anyurl import errors
from anyurl.errors import RemoteProtocolError, ReplyError, UnavailableError
from anyurl.schemes.http.answers import (
    ATTRIBUTES,
    MAX_ATTRIBUTE,
    MEANINGS,
    REASONS,
    RefusedLogin,
    aim_of,
    attributes,
    description,
    redirection,
    response_error,
    target,
)
from anyurl.schemes.kit.meanings import CLASSES
from anyurl.url import URL
from tests.rows import each_row
from tests.schemes.http.played import answer

HERE = URL("http://h/x")


@pytest.mark.parametrize(
    ("url", "sent"),
    [
        ("http://h", "/"), ("http://h/", "/"), ("http://h?q", "/?q"), ("http://h/a%20b?", "/a%20b?"),
        ("http://h/a?b?c#d", "/a?b?c"), ("http://u:p@h/a;b", "/a;b"),
    ],
)  # fmt: skip
def test_the_target(url: str, sent: str) -> None:
    """RFC 9112 3.2.1."""
    assert target(URL(url)) == sent


def test_the_fields_that_are_shown() -> None:
    for name in ATTRIBUTES:
        assert attributes(answer(200, (name, "x"), version="2")) == {"status": 200, "version": "2", name: "x"}
    hidden = ("set-cookie", "www-authenticate", "authorization", "x-a", "content-type", "proxy-authenticate")
    assert attributes(answer(204, *[(name, "x") for name in hidden])) == {"status": 204, "version": "1.1"}
    found = attributes(answer(200, ("link", "a"), ("vary", "v"), ("link", "b")), "utf-8")
    assert found == {"status": 200, "version": "1.1", "link": "a, b", "vary": "v", "charset": "utf-8"}


@pytest.mark.parametrize("size", [MAX_ATTRIBUTE - 1, MAX_ATTRIBUTE, MAX_ATTRIBUTE + 1])
def test_a_long_field_is_cut(size: int) -> None:
    assert len(attributes(answer(200, ("link", "x" * size)))["link"]) == min(size, MAX_ATTRIBUTE)
    halves = answer(200, ("link", "x" * (size - 3)), ("link", "y"))
    assert len(attributes(halves)["link"]) == min(size, MAX_ATTRIBUTE)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("http://u:secret@h/", "http://u:***@h/"), ("HTTPS://u:se@cret@h/", "HTTPS://u:***@h/"),
        ("//u:secret@h/", "//u:***@h/"), ("mailto:a@h", "mailto:a@h"), ("http://h:80/@", "http://h:80/@"),
        ("http://u@h/", "http://u@h/"),
    ],
)  # fmt: skip
def test_a_password_in_a_field_is_not_shown(value: str, shown: str) -> None:
    assert attributes(answer(200, ("location", value)))["location"] == shown


@each_row(
    ("headers", "more", "size", "start"),
    [
        ((("content-length", "9"),), {}, 9, 0),
        ((("content-length", "0"),), {}, 0, 0),
        ((("content-length", "9" * 15),), {}, int("9" * 15), 0),
        ((("content-length", "9" * 16),), {}, int("9" * 16), 0),
        ((("content-length", "9"), ("content-length", "9")), {}, 9, 0),  # RFC 9110 8.6: the same again
        ((("content-length", "9"), ("transfer-encoding", "chunked")), {}, None, 0),
        ((("content-length", "9"), ("content-encoding", "gzip")), {}, None, 0),
        ((("content-length", "9"), ("content-encoding", "gzip")), {"as_sent": True}, 9, 0),
        ((("content-length", "4"),), {"size": 9, "start": 5}, 9, 5),
        ((), {}, None, 0),
    ],
)
def test_the_size_of_a_document(
    headers: tuple[tuple[str, str], ...], more: dict[str, int], size: int | None, start: int
) -> None:
    told = description(answer(200, *headers), **more)  # type: ignore[arg-type]
    assert (told.kind, told.size, told.start) == ("document", size, start)


def test_documents_without_content_and_lengths_that_are_none() -> None:
    assert [description(answer(status)).size for status in (204, 205, 200, 206)] == [0, 0, None, None]
    for wrong in ("-1", "1x", "+1", "\u0661", "1, 2"):
        with pytest.raises(RemoteProtocolError):
            description(answer(200, ("content-length", wrong)))
    with pytest.raises(RemoteProtocolError):
        description(answer(200, ("content-length", "1"), ("content-length", "2")))


def test_the_first_field_of_a_name_wins() -> None:
    told = description(
        answer(
            200, ("content-type", "text/HTML; charset=UTF-8"), ("etag", '"a"'), ("etag", '"b"'),
            ("last-modified", "Sun, 06 Nov 1994 08:49:37 GMT"), ("content-disposition", 'attachment; filename="x"'),
        )
    )  # fmt: skip
    assert (told.type, told.etag, told.modified, told.name) == ("text/html", '"a"', 784111777, "x")
    assert told.attributes["charset"] == "utf-8"
    bare = description(answer(200))
    assert (bare.type, bare.etag, bare.modified, bare.name) == (None, None, None, None)


# --- errors ----------------------------------------------------------------------------------------------------------


@each_row("status", [*REASONS, 299, 306, 418, 499, 599])
def test_each_no(status: int) -> None:
    error = response_error(HERE, answer(status))
    known = status if status in REASONS else status // 100 * 100
    reason = REASONS.get(known, "it does not fit the request")
    assert (error.code, error.text) == (status, reason)
    assert str(error).startswith(f"The server answered {status} for http://h/x: {reason}")
    assert str(error).endswith(".")
    assert error.meaning == MEANINGS.get(known, "other")
    assert type(error) is CLASSES[error.meaning]


def test_who_writes_is_told_otherwise() -> None:
    def kind(status: int, *, writing: bool = False) -> tuple[type, str]:
        error = response_error(HERE, answer(status), writing=writing)
        return type(error), error.meaning

    assert kind(405) == kind(400) == (ReplyError, "other")
    assert kind(405, writing=True) == kind(501, writing=True) == (errors.DeniedError, "read-only")
    said = str(response_error(HERE, answer(409), writing=True))
    assert said.endswith("it conflicts with the current state, or the collection for it does not exist.")
    moved = response_error(HERE, answer(307, ("location", "http://u:pw@k/\x1b")), writing=True)
    assert str(moved) == (
        r"The server answered 307 for http://h/x: it is to be sent to “http://u:***@k/\x1b”; "
        "nothing is sent there unless you name it."
    )


def test_a_login_that_is_wanted() -> None:
    said = answer(401, ("www-authenticate", 'Basic realm="\x1b pw"'), ("x", "pw"))
    plain = str(response_error(HERE, said))
    assert plain.endswith(r'it wants a login (“Basic realm="\x1b pw"”); it does not accept the content.')
    refused = RefusedLogin(said, "it was refused", ("pw", ""))
    assert (refused.header("www-authenticate"), refused.header("x")) == ('Basic realm="\x1b ***"', "pw")
    error = response_error(HERE, refused)
    assert (type(error), str(error).endswith('***"”); it was refused.')) == (errors.AuthRequiredError, True)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ((("retry-after", "120"),), 120.0),
        ((("date", "Sun, 06 Nov 1994 08:49:37 GMT"), ("retry-after", "Sun, 06 Nov 1994 08:50:07 GMT")), 30.0),
        ((("retry-after", "0"),), 0.0),
        ((("retry-after", "soon"),), None),
        ((), None),
    ],
)
def test_when_to_ask_again(headers: tuple[tuple[str, str], ...], seconds: float | None) -> None:
    error = response_error(HERE, answer(503, *headers))
    assert isinstance(error, UnavailableError)
    assert error.retry_after == seconds
    assert ("it may be requested again in" in str(error)) is bool(seconds)


# --- redirections ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_where_it_leads(status: int) -> None:
    follow, note = redirection(URL("http://h/a/b#f"), answer(status, ("location", "\tc?d ")))
    assert (str(follow.url), follow.reason, follow.permanent) == ("http://h/a/c?d#f", str(status), status in (301, 308))
    assert (follow.cookie, note) == (False, None)
    follow, _ = redirection(HERE, answer(status, ("location", "/y#g"), ("set-cookie", "a=b")))
    assert (str(follow.url), follow.cookie) == ("http://h/y#g", True)
    for nowhere in ((), (("location", " \t"),)):
        with pytest.raises(ReplyError, match=r"does not say where \(no Location\)\.$"):
            redirection(HERE, answer(status, *nowhere))


@pytest.mark.parametrize(
    ("url", "location", "aim", "noted"),
    [
        ("http://u:p@h/", "/y", "http://u:p@h/y", False),  # the login of a URL stays within its origin
        ("http://u:p@h/", "http://k/", "http://k/", False),
        ("http://u:p@h/", "http://u:q@h/", "http://u:p@h/", False),
        ("http://h/", "http://x:y@k/", "http://k/", True),
        ("http://u:p@h/", "https://u:p@h/", "https://h/", True),
    ],
)
def test_logins_on_the_way(url: str, location: str, aim: str, noted: bool) -> None:
    follow, note = redirection(URL(url), answer(302, ("location", location)))
    assert (str(follow.url), note is not None) == (aim, noted)


@pytest.mark.parametrize(
    ("location", "aim"),
    [
        ('/a b"<>^`{|}[]', "http://h/a%20b%22%3C%3E%5E%60%7B%7C%7D%5B%5D"), ("/100%/%41%g0", "http://h/100%25/%41%25g0"),
        ("//[::1]/?a[]", "http://[::1]/?a%5B%5D"), ("/\udce9", "http://h/%E9"), ("../..", "http://h/"),
    ],
)  # fmt: skip
def test_what_servers_forget_to_encode(location: str, aim: str) -> None:
    assert str(aim_of(HERE, location)) == aim


@each_row(
    "location",
    ["a\\b", "/a\x1fb", "/a\x7f", "/a\tb", "http:/k/", "HTTPS:k", "http://k:99999/", "http://", "http://a%2Fb@k/"],
)
def test_what_is_no_url_is_refused(location: str) -> None:
    with pytest.raises(RemoteProtocolError, match=r"^http://h/x redirects to text that is not a URL: ") as caught:
        aim_of(HERE, location)
    assert caught.value.stage == "reply"
