"""A listing as a page: every name is escaped, and every link leads where its entry does."""

from __future__ import annotations

from anyurl.dialogue import Entry
from anyurl.url import URL
from anyurl.warc.known_secrets import KnownSecrets
from anyurl.warc.page import ListingPage
from tests.rows import each_row


def test_nothing_of_a_listing_runs() -> None:
    page = ListingPage("ftp://h/<b>/", KnownSecrets())
    page.add([
        Entry("<script>alert(1)</script>\x1b", URL("ftp://h/a'%22b")), Entry("words", None),
        Entry("login", URL("ftp://bob:word@h/")),
    ])  # fmt: skip
    text = b"".join(page.end().pieces()).decode()
    page.close()
    assert "<script>" not in text
    assert "<b>" not in text
    assert "\x1b" not in text
    assert '<a href="../a&#x27;%22b">&lt;script&gt;' in text
    assert "<li>words\n" in text
    assert "word@" not in text
    assert text.endswith("</ul></html>\n")


def test_a_listing_that_echoes_the_password_does_not_show_it() -> None:
    secrets = KnownSecrets()
    secrets.know("s<cr>et")
    page = ListingPage("ftp://h/", secrets)
    page.add([Entry("welcome s<cr>et.txt", URL("ftp://h/welcome%20s%3Ccr%3Eet.txt"))])
    text = b"".join(page.end().pieces()).decode()
    page.close()
    assert "welcome" in text
    assert "et.txt" not in text


@each_row(
    ("page", "url", "reference"),
    [
        ("ftp://h/a/b/", "ftp://h/a/b/c:d", "./c:d"), ("ftp://h/a/b/", "ftp://h/a/b//x", ".//x"),
        ("gopher://h:70/11/p/%09%09+", "gopher://h:70/00/p/a?b", "../../00/p/a?b"),
        ("ftp://h/a", "ftp://h/a/b", "./a/b"), ("ftp://h/a/", "ftp://h/a/", "./"),
        ("gopher://h", "gopher://h/00/x", "gopher://h/00/x"),
        ("gopher://h/1a?b/c", "gopher://h/0a?b/d", "gopher://h/0a?b/d"), ("ftp://h/", "ftp://h2/", "ftp://h2/"),
        ("ftp://h/", "http://h/", "http://h/"), ("news:a.b", "news:1@x", "news:1@x"),
    ],
)  # fmt: skip
def test_a_link_to_the_same_server_is_relative(page: str, url: str, reference: str) -> None:
    """Below another address, too, it leads a browser to the same URL."""
    listing = ListingPage(page, KnownSecrets())
    listing.add([Entry("x", URL(url))])
    text = b"".join(listing.end().pieces()).decode()
    listing.close()
    assert f'<a href="{reference}">x</a>' in text
    led = URL(f"http://127.0.0.1:80/{page}").join(reference)
    assert str(led) in (f"http://127.0.0.1:80/{url}", url)
