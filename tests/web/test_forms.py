"""What a person fills in is shown as it will be sent, and sent once, after a yes."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlencode

import pytest

from anyurl.access.form import Form
from anyurl.errors import LocalProtocolError
from anyurl.url import URL
from anyurl.web.forms import MAX_PENDING, answers_of, letter
from anyurl.world import World
from tests.servers import Connection, Server
from tests.web.running import Browser
from tests.web.test_browse import page

NO = b'HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm="x"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'
GUEST_BOOK = "00/guest-book%09%09?"


def test_a_form_is_answered_after_a_question(browser: Browser, world: World) -> None:
    asked = browser.go(f"{world.roots['gopher']}{GUEST_BOOK}")
    fields = asked.form("answer")
    assert (fields["a0"], fields["a1"]) == ("A visitor", "")
    given = {**fields, "a0": "Ada", "a1": "s3cret", "a2": "One.\r\nTwo.", "a3": "very good"}
    question = browser.post("answer", given)
    assert question.title == "Send these answers?"
    assert all(line in question.text for line in ("&gt; Ada", "&gt; One.", "&gt; Two.", "&gt; very good"))
    assert "s3cret" not in question.text
    pending = question.form("send")
    answer = browser.post("send", pending)
    assert answer.status == 200
    assert all(word in answer.text for word in ("Ada", "One.", "Two.", "very good"))
    again = browser.post("send", pending)
    assert again.fault.endswith("nothing was sent now.")


def test_a_letter_is_delivered_after_a_question(browser: Browser, world: World) -> None:
    fields = browser.go(world.urls["mailto"]).form("mail")
    assert fields["subject"] == "A visit"
    question = browser.post("mail", {**fields, "subject": "Gr\u00fc\u00dfe <b>", "body": "One.\r\nTwo."})
    assert question.title == "Send this letter?"
    assert "To: guest@world.example" in question.text
    assert "<b>" not in question.text
    sent = browser.post("send", question.form("send"))
    assert (sent.status, sent.title) == (200, "It is sent")
    assert "250" in sent.text or "It was taken" in sent.text


@pytest.mark.parametrize("form", ["mail", "answer", "send", "login"])
def test_nothing_is_sent_without_the_key(browser: Browser, world: World, form: str) -> None:
    fields = browser.go(world.urls["mailto"]).form("mail")
    assert browser.post(form, {**fields, "key": "guessed"}).status == 403


def test_what_a_page_names_gets_no_letter(browser: Browser) -> None:
    def play(link: Connection) -> None:
        link.head()
        link.send(page('<a href="mailto:victim@example.org">x</a>', "Content-Type: text/html"))

    with Server(play) as there:
        answer = browser.go(f"http://127.0.0.1:{there.port}/")
    box = browser.get(answer.links["mailto:victim@example.org"])
    refused = browser.post("mail", {**box.form("mail"), "body": "spam"})
    assert (refused.status, "delivery-hop" in refused.text) == (403, True)


def test_what_waits_too_long_is_forgotten(browser: Browser, world: World) -> None:
    fields = browser.go(world.urls["mailto"]).form("mail")
    first = browser.post("mail", fields).form("send")
    for _ in range(MAX_PENDING):
        browser.post("mail", fields)
    assert browser.post("send", first).fault.endswith("nothing was sent now.")


def test_a_login_is_asked_for_and_kept(browser: Browser) -> None:
    heads = []

    def play(link: Connection) -> None:
        head = link.head()
        heads.append(head)
        if b"Authorization: Basic Z3Vlc3Q6czNjcmV0" in head or b"authorization: Basic Z3Vlc3Q6czNjcmV0" in head:
            link.send(page("Welcome in.", "Content-Type: text/plain"))
        else:
            link.send(NO)

    with Server(play) as there:
        url = f"http://127.0.0.1:{there.port}/"
        asked = browser.go(url)
        assert asked.title == "It wants a login"
        answer = browser.post("login", {**asked.form("login"), "user": "guest", "password": "s3cret"})
        assert "s3cret" not in answer.headers["location"]
        assert "Welcome in." in browser.get(answer.headers["location"]).text
    assert "s3cret" not in browser.get("").text


def test_only_the_persons_own_url_gets_a_login(browser: Browser) -> None:
    def play(link: Connection) -> None:
        link.head()
        link.send(NO)

    with Server(play) as there:
        url = f"http://127.0.0.1:{there.port}/"
        stranger = browser.get("view?" + urlencode({"u": url}))
        assert stranger.status == 403
        assert "password" not in stranger.text


def test_a_login_where_a_url_has_none_says_so(browser: Browser) -> None:
    named = browser.post("go", {"u": "gopher://127.0.0.1/"}).headers["location"]
    answer = browser.post("login", {**dict(parse_qsl(named.partition("?")[2])), "user": "guest", "password": "s3cret"})
    assert (answer.status, answer.title) == (400, "This is not a URL")
    assert "no user name and no password" in answer.fault


@pytest.mark.parametrize(
    ("url", "subject", "body", "made"),
    [
        ("mailto:a@h?subject=x&cc=b@h", "y z", "1\r\n2\n", "mailto:a@h?cc=b@h&subject=y%20z&body=1%0D%0A2%0D%0A"),
        ("mailto:a@h?body=x", "", "", "mailto:a@h"),
    ],
)
def test_a_letter_is_what_was_written(url: str, subject: str, body: str, made: str) -> None:
    assert letter(URL(url), subject, body) == URL(made)


def test_a_letter_goes_to_a_mailbox() -> None:
    with pytest.raises(LocalProtocolError, match="names no mailbox"):
        letter(URL("http://h/"), "", "")


def test_the_answers_are_in_the_order_of_the_questions() -> None:
    form = Form(
        [{"kind": "Note", "prompt": "n"}, {"kind": "Ask", "prompt": "a"}, {"kind": "Select", "prompt": "s"},
         {"kind": "AskL", "prompt": "l"}]
    )  # fmt: skip
    assert answers_of(form, {"a0": "x", "a2": "1\r\n2\r\n"}) == ("x", "0", "1\n2")
    assert answers_of(form, {"a1": "1"}) == ("", "1", "")
