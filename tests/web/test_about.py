"""What is said about a URL."""

from __future__ import annotations

from anyurl.grammar import explain
from anyurl.guard.hops import named_in
from anyurl.guard.policy import Policy
from anyurl.url import URL
from anyurl.values import USER
from anyurl.web.about import anatomy, explained, who
from anyurl.world import World
from tests.web.running import Browser


def test_the_anatomy_is_the_whole_text_in_pieces() -> None:
    text = "ftp://joe@host.dom:21/a/b;type=i"
    pieces = anatomy(explain(text))
    assert "".join(piece.text for piece in pieces) == text
    named = {piece.name: (piece.text, piece.production) for piece in pieces if piece.name}
    assert named["host"] == ("host.dom", "production host of RFC 1738, section 5")
    assert named["typecode"][0] == "i"


def test_four_readings_and_where_they_differ() -> None:
    told = explained("http://good.example\\@evil.example/", Policy.untrusted())
    assert [one["grammar"] for one in told["readings"]] == ["current", "rfc1738", "rfc1738-draft07", "browser"]
    assert [loud for loud, _ in told["differences"]][:1] == [True]
    assert dict(told["components"])["host"] == ["", "", "", "good.example"]
    assert "password" not in dict(told["components"])
    assert told["verdict"][0] == ("bad", "policy untrusted: nothing to judge, this is not a URL")


def test_the_verdict_is_that_of_who_named_it() -> None:
    page = named_in(URL("http://public.example/"))
    mine, theirs = (explained("http://127.0.0.1/", Policy.default(), who) for who in (USER, page))
    assert mine["verdict"][0] == ("good", "policy default: allowed")
    assert theirs["verdict"][0] == ("bad", "policy default: refused (address-hop)")
    assert (mine["who"], mine["provenance"]) == ("You named it.", [])
    assert theirs["who"] == "It was named by a document at http://public.example."
    assert ("host", "public.example") in theirs["provenance"]
    assert who(page) == theirs["who"]


def test_no_password_is_told() -> None:
    for text in ("ftp://joe:s3cret@h/", "http://a:s3cret@good.example\\@evil.example/", "x:joe:s3cret@h"):
        told = explained(text, Policy.default())
        assert "s3cret" not in str(told) + "".join(piece.text for piece in told["pieces"])


def test_every_page_leads_to_what_was_said(browser: Browser, world: World) -> None:
    about = browser.get(browser.go(world.urls["gopher"]).links["About this URL"])
    assert about.title == "About this URL"
    assert "&gt; 0/pub/notes.txt" in about.text
    for heading in ("Anatomy", "The four readings", "The guard&#39;s verdict", "Who named it", "The wire"):
        assert heading.replace("&#39;", "'") in about.text
    assert "You named it." in about.text


def test_explain_is_a_page(browser: Browser) -> None:
    assert "textarea" in browser.get("explain").text
    answer = browser.post("explain", {"text": "http://joe:s3cret@h:99999/<script>"})
    assert answer.status == 200
    assert "port" in answer.text
    assert "<script>" not in answer.text.partition("</head>")[2]
    assert "s3cret" not in answer.text
    hint = "Each letter of what may be a password is shown as x, and each digit as 0."
    assert hint in answer.text
    assert hint not in browser.post("explain", {"text": "http://h/"}).text
    assert (
        '<p class="good">Policy default: allowed, as far as its text goes.</p>'
        in browser.post("explain", {"text": "http://h/"}).text
    )
