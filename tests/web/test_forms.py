"""What a person fills in is shown as it will be sent, and sent once, after a yes."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, urlencode

import pytest

from anyurl.client.form import Form
from anyurl.errors import LocalProtocolError
from anyurl.url import URL
from anyurl.web.forms import MAX_PENDING, answers_of, article, letter
from anyurl.world import World
from anyurl.world.tree import PASSWORD, USER
from tests.servers import Connection, Server
from tests.web.running import Answer, Browser, running
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
    assert (again.status, again.title) == (400, "This can't be done")
    assert again.fault.endswith("nothing was sent now.")


def test_a_letter_is_delivered_after_a_question(browser: Browser, world: World) -> None:
    fields = browser.go(world.urls["mailto"]).form("mail")
    assert fields["subject"] == "A visit"
    question = browser.post("mail", {**fields, "subject": "Gr\u00fc\u00dfe <b>", "body": "One.\r\nTwo."})
    assert question.title == "Send this letter?"
    assert "To: guest@world.example" in question.text
    assert "<b>" not in question.text
    sent = browser.post("send", question.form("send"))
    assert (sent.status, sent.title) == (200, "Sent")
    assert "250" in sent.text or "The server took it" in sent.text


def test_a_form_that_would_be_refused_says_so_before_it_is_filled_in(world: World) -> None:
    with running() as browser:  # the policy of a person has no port but 70 for forms
        asked = browser.go(f"{world.roots['gopher']}{GUEST_BOOK}")
    assert (asked.status, "Show what would be sent" in asked.text) == (200, False)
    assert "goes to the scheme" in asked.fault
    assert "would allow a form" in asked.fault


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
        assert asked.title == "A login is needed"
        answer = browser.post("login", {**asked.form("login"), "user": "guest", "password": "s3cret"})
        assert "s3cret" not in answer.headers["location"]
        assert "Welcome in." in browser.get(answer.headers["location"]).text
    assert "s3cret" not in browser.get("").text


def test_what_nobody_may_see_is_answered_in_a_field_of_its_own(browser: Browser, world: World) -> None:
    place = world.roots["gemini"]
    asked = browser.go(str(place.join("door")))
    assert "The word that everybody knows?" in asked.fault
    assert ">Answer</button>" in asked.text
    answer = browser.post("login", {**asked.form("login"), "password": PASSWORD})
    assert PASSWORD not in answer.headers["location"]
    assert "Come in." in browser.get(answer.headers["location"]).text
    assert "/login" not in browser.go(str(place.join("members"))).text  # a certificate is no word


def test_only_the_persons_own_url_gets_a_login(browser: Browser) -> None:
    def play(link: Connection) -> None:
        link.head()
        link.send(NO)

    with Server(play) as there:
        url = f"http://127.0.0.1:{there.port}/"
        stranger = browser.get("view?" + urlencode({"u": url}))
        assert stranger.status == 403
        assert "password" not in stranger.text


def test_a_link_gets_no_login_and_says_who_does(browser: Browser) -> None:
    """The server that a menu leads to learns no password; the page says what to do, which no file of logins does."""

    def play(link: Connection) -> None:
        link.send(NO if b" /in " in link.head() else page('<a href="in">in</a>', "Content-Type: text/html"))

    with Server(play) as there:
        inner = browser.go(f"http://127.0.0.1:{there.port}/").links["in"]
        led = browser.get(inner)
        assert (led.title, 'type="password"' in led.text) == ("A login is needed", False)
        assert "A link led here, and only a URL of your own is given a login. Press <b>Go</b>" in led.text
        own = browser.go(f"http://127.0.0.1:{there.port}/in")
        assert own.form("login")
        assert "A link led here" not in own.text


def test_a_login_where_a_url_has_none_says_so(browser: Browser) -> None:
    named = browser.post("go", {"u": "gopher://127.0.0.1/"}).headers["location"]
    answer = browser.post("login", {**dict(parse_qsl(named.partition("?")[2])), "user": "guest", "password": "s3cret"})
    assert (answer.status, answer.title) == (400, "This is not a URL")
    assert "can't have a user name or password" in answer.fault


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


def test_an_article_is_posted_after_a_question(browser: Browser, world: World) -> None:
    group = f"{world.roots['news']}world.notes"
    page_of_it = browser.go(group)
    form = browser.get(page_of_it.links["Write an article"]).form("post")
    given = {**form, "from": "Ada <ada@h.example>", "subject": "Gr\u00fc\u00dfe <b>", "body": "One.\r\n.\r\nTwo."}
    assert browser.post("post", {**given, "key": "guessed"}).status == 403
    question = browser.post("post", given)
    assert question.title == "Post this article?"
    assert "<b>" not in question.text
    assert "Subject: =?utf-8?" in question.text
    wants = browser.post("send", question.form("send"))
    assert wants.title == "A login is needed"
    question = browser.post("login", {**wants.form("login"), "user": USER, "password": PASSWORD})
    assert question.title == "Post this article?"
    assert PASSWORD not in question.text.partition("<h1>")[2]
    sent = browser.post("send", question.form("send"))
    assert (sent.status, sent.title) == (200, "Sent"), sent.fault
    assert any("Gr\u00fc\u00dfe" in name for name in browser.go(group).links)
    assert browser.post("send", question.form("send")).fault.endswith("nothing was sent now.")


def test_a_file_is_put_after_a_question(browser: Browser, world: World) -> None:
    folder = f"{world.roots['ftp'].replace(user=USER, password=PASSWORD)}pub/"
    form = browser.get(browser.go(folder).links["Put a file here"]).form("upload")
    data = bytes(range(256)) * 4 + b"\r\n--x\n"
    assert put(browser, {**form, "key": "guessed"}, "new.bin", data).status == 403
    question = put(browser, form, "C:\\me\\new.bin", data)
    assert question.title == "Put this file there?"
    assert "new.bin: 1,030 octets, replacing any file of that name." in question.text
    assert browser.go(f"{folder}new.bin").status == 404
    sent = browser.post("send", question.form("send"))
    assert (sent.status, sent.title) == (200, "Sent"), sent.fault
    assert PASSWORD not in sent.text
    back = sent.text.partition('aria-label="Breadcrumbs"')[2].partition("<h1>")[0]
    assert re.findall(r">([^<]+)</a>", back) == [f"ftp://{world.roots['ftp'].authority}", "pub", "new.bin"]
    got = browser.go(f"{folder}new.bin")
    assert browser.get(got.links["Save"]).body == data
    other = put(browser, {**form, "name": "other name"}, "new.bin", b"")
    assert "pub/other%20name" in other.text
    for name in ("..", "a/b", "x\r\nDELE y"):
        assert put(browser, {**form, "name": name}, "new.bin", data).fault
    assert put(browser, form, None, data).fault == "This form sends no file to a directory."
    assert "names no newsgroup" in browser.post("post", {**form, "from": "a@h", "subject": "x"}).fault


def put(browser: Browser, fields: dict[str, str], name: str | None, data: bytes) -> Answer:
    """Send a form with a file, as a browser does (RFC 7578)."""
    parts = [f'form-data; name="{key}"\r\n\r\n{value}'.encode() for key, value in fields.items()]
    if name is not None:
        parts.append(f'form-data; name="file"; filename="{name}"\r\n\r\n'.encode() + data)
    body = b"".join(b"--frontier\r\nContent-Disposition: " + part + b"\r\n" for part in parts) + b"--frontier--\r\n"
    type = "multipart/form-data; boundary=frontier"
    return browser.ask("POST", f"{browser.base}upload", body, {"Content-Type": type})


def test_what_a_page_names_gets_no_article(browser: Browser, world: World) -> None:
    url = f"{world.roots['news']}world.notes"

    def play(link: Connection) -> None:
        link.head()
        link.send(page(f'<a href="{url}">x</a>', "Content-Type: text/html"))

    with Server(play) as there:
        answer = browser.go(f"http://127.0.0.1:{there.port}/")
    group = browser.get(answer.links[url])
    refused = browser.get(group.links["Write an article"])
    assert (refused.status, "delivery-hop" in refused.text) == (403, True)
    fields = dict(parse_qsl(group.links["Write an article"].partition("?")[2]))
    assert browser.post("post", {**fields, "from": "a@h", "subject": "x"}).status == 403


@pytest.mark.parametrize(
    ("sender", "subject"), [("", "x"), ("a@h", " "), ("a@h", "x\r\nControl: cancel <a@b>"), ("a@h\nX: y", "x")]
)
def test_an_article_has_its_fields_and_no_others(sender: str, subject: str) -> None:
    with pytest.raises(LocalProtocolError):
        article(URL("news://h/comp.lang.c"), sender, subject, "text")
    with pytest.raises(LocalProtocolError, match="names no newsgroup"):
        article(URL("gopher://h/"), "a@h", "x", "text")


def test_an_article_as_it_is_written() -> None:
    written = article(URL("news://h/comp.lang.c"), "Ada <ada@h>", "x", "One.\r\nTwo.").partition(b"\r\n\r\n")
    assert written[0].split(b"\r\n")[:3] == [b"From: Ada <ada@h>", b"Newsgroups: comp.lang.c", b"Subject: x"]
    assert written[2] == b"One.\r\nTwo.\r\n"
