"""What could be a login is masked, in whatever scheme, and nothing else is."""

from __future__ import annotations

import pytest

from anyurl.cli import caret
from anyurl.errors import URLSyntaxError
from anyurl.url import URL
from anyurl.url.masking import mask


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("sip:bob:pw@h", "sip:bob:***@h"),
        ("SIPS:bob:pw@h;x=y?z", "SIPS:bob:***@h;x=y?z"),
        ("view-source:http://bob:pw@h/", "view-source:http://bob:***@h/"),
        ("view-source:sip:bob:pw@h", "view-source:sip:***@h"),
        ("http://bob:pw@h/http://eve:pw@i/", "http://bob:***@h/http://eve:***@i/"),  # pasted as one argument
        ("http://h/http://eve:pw@i/", "http://h/http://eve:***@i/"),
        ("http://h/?u=http://eve:pw@i/", "http://h/?u=http://eve:***@i/"),
        ("http://h/#ftp://eve:pw@i/", "http://h/#ftp://eve:***@i/"),
        ("http://h/sip:bob:pw@i", "http://h/sip:bob:***@i"),
        ("foo:a:p@w@h", "foo:a:***@h"),
        ("mailto:bob:pw@h", "mailto:bob:***@h"),
        # what is no login
        ("mailto:%22a:b%22@h", "mailto:%22a:b%22@h"),
        ("news:a:b@h", "news:a:b@h"),
        ("mailto:bob@h?subject=a:b@c", "mailto:bob@h?subject=a:b@c"),
        ("http://h:80/@a", "http://h:80/@a"),
        ("http://h/a:b@c", "http://h/a:b@c"),
        ("sip:bob@h:5060", "sip:bob@h:5060"),
        ("http://[::1]/@", "http://[::1]/@"),
    ],
)
def test_what_could_be_a_password_is_masked(text: str, shown: str) -> None:
    url = URL(text)
    assert (url.masked, repr(url), mask(shown)) == (shown, f"URL({shown!r})", shown)
    assert caret.masked(text) == shown or text.count("pw") > 1  # the command shows all between two as one


@pytest.mark.parametrize("text", ["sip:bob:s3cret@h o", "foo:bob:s3cret@h\\", "view-source:http://bob:s3cret@h/ x"])
def test_so_is_it_in_a_text_that_is_no_url(text: str) -> None:
    with pytest.raises(URLSyntaxError) as caught:
        URL(text)
    shown = "\n".join(caret.point_out(text, caught.value.diagnostics))
    assert "s3cret" not in shown + mask(text) + str(caught.value) + repr(caught.value)


def test_masking_is_linear() -> None:
    for text in ("//a:" * 16_000 + "@", " a:b:" * 13_000, "/mailto:a" * 7_000, "a:" * 30_000 + "@"):
        assert len(mask(text)) <= len(text) + 3
