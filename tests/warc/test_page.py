"""A listing as a page: every name is escaped, and every link leads where its entry does."""

from __future__ import annotations

from anyurl.dialogue import Entry
from anyurl.url import URL
from anyurl.warc.known_secrets import KnownSecrets
from anyurl.warc.page import ListingPage


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
    assert '<a href="ftp://h/a&#x27;%22b">&lt;script&gt;' in text
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
