from __future__ import annotations

import re

import pytest

from anyurl.errors import RefusedError, URLSyntaxError
from anyurl.schemes.news.verbs import NewsParts, check
from anyurl.url import URL
from tests.rows import each_row


@each_row(
    ("url", "parts"),
    [
        pytest.param("news:comp.lang.c", NewsParts("comp.lang.c"), id="a group"),
        pytest.param("news:*", NewsParts(wildmat="*"), id="RFC 1738 3.6: all groups"),
        pytest.param("news:example.group.*", NewsParts(wildmat="example.group.*"), id="RFC 5538: a pattern"),
        pytest.param("news:a.b@c.d", NewsParts(message_id="a.b@c.d"), id="an article"),
        pytest.param("news:a%40b", NewsParts(message_id="a@b"), id="nothing is reserved: an encoded @ is an @"),
        pytest.param("news://h/a.b", NewsParts("a.b"), id="RFC 5538: a server"),
        pytest.param("news://h/a.th%3Fse", NewsParts(wildmat="a.th?se"), id="RFC 5538: a ? is written encoded"),
        pytest.param("news://h/a.th?se", NewsParts(wildmat="a.th?se"), id="and read as it is, too"),
        pytest.param("news://h/x@%5B10.2.3.4%5D", NewsParts(message_id="x@[10.2.3.4]"), id="RFC 5538: a literal"),
        pytest.param("news://h/a/b@c", NewsParts(message_id="a/b@c"), id="RFC 1738 5: an article may have slashes"),
        pytest.param("news://h/", NewsParts(), id="RFC 5538: the server itself"),
        pytest.param("news://h", NewsParts(), id="the same"),
        pytest.param("news:%3Ca@b%3E", NewsParts(message_id="a@b"), id="an identifier in its brackets"),
        pytest.param("news://h/a@b?group=g&key=12", NewsParts(message_id="a@b"), id="a query of Thunderbird"),
        pytest.param("news://h/a?b@c", NewsParts(message_id="a?b@c"), id="RFC 1738 5: a ? before the @ is data"),
        pytest.param("news://h/a@b%3Fc", NewsParts(message_id="a@b?c"), id="an encoded ? is data"),
        pytest.param("news://h/a.b/", NewsParts("a.b"), id="a slash behind a group"),
        pytest.param("news:a%2Fb", NewsParts("a/b"), id="RFC 5538: an encoded slash"),
        pytest.param("news://h/%2F", NewsParts("/"), id="an encoded slash alone is a name"),
        pytest.param("news://h/a%2F*/", NewsParts(wildmat="a/*"), id="an encoded slash in a pattern"),
        pytest.param("snews://h/a.b", NewsParts("a.b"), id="over TLS"),
    ],
)
def test_reads(url: str, parts: NewsParts) -> None:
    assert URL(url).parts == parts


@pytest.mark.parametrize(
    ("parts", "path"),
    [
        (NewsParts("a.b-c_d+e"), "a.b-c_d+e"),
        (NewsParts("a/b/"), "a%2Fb%2F"),
        (NewsParts(wildmat="a.*,!a.b.?"), "a.*,!a.b.%3F"),
        (NewsParts(message_id="x/y$z@h[1]"), "x%2Fy$z@h%5B1%5D"),
        (NewsParts(), ""),
    ],
)
def test_writes(parts: NewsParts, path: str) -> None:
    assert parts.url_path() == path


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"group": "a", "wildmat": "*"}, "a news URL names one thing: a group, a message-id or a wildmat"),
        ({"group": "a@b"}, "an '@' would make a message-id of the name of a group"),
        ({"wildmat": "*@b"}, "an '@' would make a message-id of the name of a group"),
        ({"message_id": "ab"}, "a message-id has an '@'"),
        ({"group": ""}, "the name is empty"),
        ({"group": "a.*"}, "the group has a wildcard: it is a pattern (one of * ? , !)"),
        ({"wildmat": "a.b"}, "the pattern has no wildcard: it is a group (one of * ? , !)"),
    ],
)
def test_refuses_to_be_what_would_be_read_otherwise(fields: dict[str, str], message: str) -> None:
    with pytest.raises(URLSyntaxError) as caught:
        NewsParts(**fields)
    assert caught.value.diagnostics[0].message == message


@pytest.mark.parametrize("octet", ["%0D", "%0A", "%00"])
def test_line_ends_are_refused(octet: str) -> None:
    with pytest.raises(RefusedError, match=f"The url path of news:a{octet}b holds"):
        check(URL(f"news:a{octet}b"))
    check(URL("news:a.b@c"))


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("news://h/a.b/12", "nntp://host/group/number"),
        ("news:%3Ca%3E@b", "a message-id in a URL has no '<' and '>'"),
        ("nntp://h/a.b/%3Cx@y%3E", "news://host/identifier names it by its identifier"),
        ("nntp://h/a.b/x", "an article number has 1 to 16 digits"),
        ("nntp://h/a.b/", "without the slash the URL names the group"),
    ],
)
def test_what_no_server_is_asked_names_the_form_that_works(url: str, message: str) -> None:
    with pytest.raises(URLSyntaxError, match=re.escape(message)):
        _ = URL(url).parts
