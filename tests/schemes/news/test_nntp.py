from __future__ import annotations

import pytest

from anyurl.errors import RefusedError, URLSyntaxError
from anyurl.schemes.news.nntp import NntpParts, check
from anyurl.url import URL
from tests.rows import each_row


@pytest.mark.parametrize(
    ("url", "parts"),
    [
        pytest.param("nntp://h/a.b", NntpParts("a.b"), id="a group"),
        pytest.param("nntp://h/a.b/12", NntpParts("a.b", 12), id="an article"),
        pytest.param("nntp://h/a.b/007", NntpParts("a.b", 7), id="a number, not a text"),
        pytest.param("nntp://h/a.b/1-20", NntpParts("a.b", 1, 20), id="a range, as older clients write it"),
        pytest.param("nntp://h/a.n%2Fa/12345", NntpParts("a.n/a", 12345), id="RFC 5538: an encoded slash"),
        pytest.param("nntp://h/a/9999999999999999", NntpParts("a", 10**16 - 1), id="RFC 5538: 16 digits"),
        pytest.param("nntps://h/a", NntpParts("a"), id="over TLS"),
    ],
)
def test_reads(url: str, parts: NntpParts) -> None:
    assert URL(url).parts == parts


@pytest.mark.parametrize(
    ("parts", "path"),
    [(NntpParts("a/b"), "a%2Fb"), (NntpParts("a", 1), "a/1"), (NntpParts("a+b", 1, 2), "a+b/1-2")],
)
def test_writes(parts: NntpParts, path: str) -> None:
    assert parts.url_path() == path


@each_row(
    ("url", "message"),
    [
        ("nntp://h/", "an nntp URL must name a group: nntp://host/group"),
        ("nntp://h", "an nntp URL must name a group: nntp://host/group"),
        ("nntp://h/a/12a", "an article number has 1 to 16 digits, not '12a'"),
        ("nntp://h/*/1", "an article number follows one group, whose name has no '*'"),
        ("nntp://h/a.%2A/1-2", "an article number follows one group, whose name has no '*'"),
        ("nntp://h/a/", "an article number has 1 to 16 digits; without the slash the URL names the group"),
        ("nntp://h/a/1-", "an article number has 1 to 16 digits, not ''"),
        ("nntp://h/a/1-2-3", "an article number has 1 to 16 digits, not '2-3'"),
        ("nntp://h/a/12345678901234567", "an article number has 1 to 16 digits, not '12345678901234567'"),
        ("nntp://h/a/%31", "an article number has 1 to 16 digits, not '%31'"),
    ],
)
def test_says_what_is_wrong(url: str, message: str) -> None:
    with pytest.raises(URLSyntaxError) as caught:
        URL(url).parts  # noqa: B018
    assert caught.value.diagnostics[0].message == message


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("a", None, 2), "a range of articles needs its first number"),
        (("*", 1), "an article number follows one group, whose name has no '*'"),
        (("a", -1), "an article number has 1 to 16 digits"),
        (("a", 1, 10**16), "an article number has 1 to 16 digits"),
    ],
)
def test_refuses_to_be_what_cannot_be_written(arguments: tuple[str, int | None], message: str) -> None:
    with pytest.raises(URLSyntaxError) as caught:
        NntpParts(*arguments)
    assert caught.value.diagnostics[0].message == message


@pytest.mark.parametrize("octet", ["%0D", "%0A", "%00"])
def test_line_ends_are_refused(octet: str) -> None:
    with pytest.raises(RefusedError, match=f"The url path of nntp://h/a{octet}b holds"):
        check(URL(f"nntp://h/a{octet}b"))
    check(URL("nntp://h/a.b/1"))
