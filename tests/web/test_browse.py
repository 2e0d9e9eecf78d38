"""URLs as pages, each scheme by its server; what hostile servers write does no harm."""

from __future__ import annotations

import re
from urllib.parse import urlencode

import pytest

from anyurl import Policy
from anyurl.schemes.prospero import archie
from anyurl.url import URL
from anyurl.web.listing import COLUMNS
from anyurl.web.octets import SANDBOX
from anyurl.world import World
from tests.schemes.gemini.serving import saying
from tests.servers import Connection, Server
from tests.web.running import Answer, Browser, running

SCRIPT = "<script>alert(1)</script>"


def server(reply: bytes) -> Server:
    """Answers a line, or the head of a request, with this."""

    def play(link: Connection) -> None:
        first = link.line()
        if b" HTTP/" in first:
            link.head()
        link.send(reply)

    return Server(play)


def page(body: str, *headers: str) -> bytes:
    head = [f"HTTP/1.1 200 OK\r\nContent-Length: {len(body.encode())}\r\nConnection: close", *headers, "", ""]
    return "\r\n".join(head).encode() + body.encode()


def assert_harmless(octets: Answer) -> None:
    assert octets.headers["content-security-policy"] == SANDBOX
    assert SANDBOX.startswith("sandbox; default-src 'none'")
    assert (octets.headers["x-content-type-options"], octets.headers["referrer-policy"]) == ("nosniff", "no-referrer")
    assert octets.headers["cross-origin-resource-policy"] == "same-origin"
    assert octets.headers["set-cookie"] is None


@pytest.mark.parametrize(
    ("scheme", "names"),
    [
        ("file", ["index.html", "motd.txt", "pub"]),
        ("ftp", ["index.html", "motd.txt", "pub"]),
        ("gopher", ["index.html", "motd.txt", "pub", "Search the texts", "Sign the guest book"]),
        ("prospero", ["index.html", "motd.txt", "pub", "union"]),
        ("news", ["world.announce", "world.notes", "world.pictures"]),
    ],
)
def test_a_listing_is_a_table(browser: Browser, world: World, scheme: str, names: list[str]) -> None:
    answer = browser.go(world.roots[scheme])
    assert answer.status == 200
    assert set(names) <= set(answer.links)
    assert answer.text.count("</html>") == 1
    assert answer.headers["content-type"] == "text/html; charset=utf-8"


@pytest.mark.parametrize("scheme", ["file", "ftp", "gopher", "prospero"])
def test_what_can_be_added_to_is_written_to_from_its_page(browser: Browser, world: World, scheme: str) -> None:
    link = re.search(r'<a href="[^"]*/compose[^"]*">([^<]*)</a>', browser.go(world.roots[scheme]).text)
    assert (link and link[1]) == {"ftp": "Put a file here"}.get(scheme)


def test_an_article_is_written_from_the_page_of_its_group(browser: Browser, world: World) -> None:
    groups = browser.go(world.roots["news"])
    assert "/compose" not in groups.text
    assert "Write an article" in browser.get(groups.links["world.notes"]).text


@pytest.mark.parametrize("scheme", ["file", "ftp", "gopher", "http", "prospero"])
def test_a_text_is_reached_by_its_link(browser: Browser, world: World, scheme: str) -> None:
    answer = browser.get(browser.go(world.roots[scheme]).links["motd.txt"])
    assert (answer.status, answer.title) == (200, "motd.txt")
    assert "Every server here runs on your own machine" in answer.text
    assert answer.text.count("text/plain") == 1


def test_kind_size_and_date_stand_in_the_table(browser: Browser, world: World) -> None:
    text = browser.go(world.roots["ftp"]).text
    row = re.search(r"<tr>.*motd\.txt.*", text)[0]  # type: ignore[index]
    assert re.findall(r'<td class="(\w+)"[^>]*>([^<]*)</td>', row) == [
        ("kind", "text"), ("size", "159 B"), ("date", "1994-12-20 00:00"),
    ]  # fmt: skip
    assert 'class="name i-text"' in row


@pytest.mark.parametrize(
    ("column", "first"), [("Name", ["index.html", "motd.txt", "pub"]), ("Size", ["motd.txt", "index.html", "pub"])]
)
def test_a_listing_is_sorted(browser: Browser, world: World, column: str, first: list[str]) -> None:
    listing = browser.go(world.roots["ftp"])
    up = browser.get(listing.links[column])
    assert [name for name in up.links if name in first] == first
    assert 'aria-sort="ascending"' in up.text
    down = browser.get(up.links[f"{column} \u25b2"])
    assert [name for name in down.links if name in first] == first[::-1]


def test_what_is_no_url_has_no_page_about_it(browser: Browser) -> None:
    assert "About this URL" not in browser.go("http://[").text
    assert "About this URL" in browser.go("http://127.0.0.1:1/").text


def test_a_script_in_a_menu_is_a_text(browser: Browser) -> None:
    line = f'0{SCRIPT}"onload="x\t{SCRIPT}\t127.0.0.1\t70\r\ni{SCRIPT}\t\t\t\r\n'
    with server(f"{line}.\r\n".encode()) as there:
        answer = browser.go(f"gopher://127.0.0.1:{there.port}/")
    assert SCRIPT not in answer.text
    assert answer.text.count("&lt;script&gt;alert(1)&lt;/script&gt;") == 2
    assert "onload" not in re.sub(r">[^<]*<", "><", answer.text)


@pytest.mark.promise("web-gateway")
@pytest.mark.parametrize("type", ["text/plain", "text/html", "message/rfc822", "application/json"])
def test_a_script_in_a_document_is_a_text(browser: Browser, type: str) -> None:
    body = f'Subject: {SCRIPT}\r\n\r\n{SCRIPT}<img src=x onerror=alert(1)>\n<a href="javascript:alert(1)">x</a>'
    with server(page(body, f"Content-Type: {type}")) as there:
        answer = browser.go(f"http://127.0.0.1:{there.port}/")
    assert answer.status == 200
    assert SCRIPT not in answer.text
    assert "<img src=x" not in answer.text
    assert 'href="javascript' not in answer.text


@pytest.mark.promise("web-gateway")
@pytest.mark.parametrize(
    "target", ["http://169.254.169.254/", "file:///etc/passwd", "http://[::ffff:169.254.169.254]/latest"]
)
def test_a_page_leads_to_no_private_place(browser: Browser, target: str) -> None:
    """The page may be this machine's own; what it names is not the person's word."""
    with server(page(f'<a href="{target}">x</a>', "Content-Type: text/html")) as there:
        answer = browser.go(f"http://127.0.0.1:{there.port}/")
        assert answer.status == 200
    led = browser.get(answer.links[target])
    assert (led.status, led.title) == (403, "Refused")
    assert re.search("requested directly|address-link-hop", led.text)


@pytest.mark.promise("web-gateway")
def test_a_link_of_nobody_leads_to_no_private_place(browser: Browser, world: World) -> None:
    for url in (world.roots["http"], world.roots["file"]):
        answer = browser.get("view?" + urlencode({"u": str(url), "o": "0", "s": "forged"}))
        assert (answer.status, answer.title) == (403, "Refused")
        assert browser.go(url).status == 200


@pytest.mark.parametrize(
    ("text", "status", "sentence"),
    [
        ("http://127.0.0.1:{unheard}/", 502, "127.0.0.1"),
        ("no-such-scheme:x", 501, "no-such-scheme"),
        ("ftp://{ftp}/no-such-file", 404, "no-such-file"),
        ("http://h:25/", 403, "Port 25 belongs to another service"),
        ("", 400, ""),
    ],
)
def test_what_goes_wrong_is_a_sentence(
    browser: Browser, world: World, unheard: int, text: str, status: int, sentence: str
) -> None:
    ftp = world.roots["ftp"].authority
    answer = browser.go(text.format(unheard=unheard, ftp=ftp))
    assert answer.status == status
    assert sentence in answer.fault
    assert answer.fault.endswith(".") or "RFC" in answer.fault
    assert "Traceback" not in answer.text


def test_a_listing_that_breaks_off_says_so(browser: Browser) -> None:
    def play(link: Connection) -> None:
        link.line()
        link.send(b"0one\t/1\t127.0.0.1\t70\r\n0two\t/2\t127.0.0.1\t70\r\n")
        link.reset()

    with Server(play) as there:
        answer = browser.go(f"gopher://127.0.0.1:{there.port}/")
    assert answer.text.rstrip().endswith("</html>")
    assert answer.status == 502 or answer.fault.startswith("The listing breaks off here.")


def test_a_long_listing_is_a_table_in_pieces(browser: Browser) -> None:
    """A browser lays out each piece alone, when it is looked at; each says what its columns are."""
    menu = b"".join(b"0Entry %d\t/%d\t127.0.0.1\t70\r\n" % (one, one) for one in range(1000))
    with server(menu) as there:
        listing = browser.go(f"gopher://127.0.0.1:{there.port}/")
        ordered = browser.get(listing.links["Name"])
    for text, pieces in ((listing.text, [440, 400, 160]), (ordered.text, [800, 200])):
        tables = re.findall(r"<table>(.*?)</table>\n</div>", text, re.DOTALL)
        assert [table.count('<td class="name') for table in tables] == pieces
        assert all(re.findall(r'<th scope="col" class="(\w+)"', table) == list(COLUMNS) for table in tables)
        assert text.count("<div") == text.count("</div>")
        assert '<p class="count unsized undated">1,000 entries</p>' in text


def test_no_password_is_shown(browser: Browser, world: World) -> None:
    url = URL(str(world.roots["ftp"])).replace(user="guest", password="welcome")
    answer = browser.go(url)
    assert "motd.txt" in answer.links
    assert "welcome" not in answer.text.partition("<table")[0]
    about = browser.get(answer.links["About this URL"])
    assert "PASS ***" in about.text
    assert "welcome" not in about.text.lower().replace("welcome to", "")
    assert "guest@127.0.0.1" in browser.get("").text


@pytest.mark.parametrize("text", ["guest:welcome@127.0.0.1", "guest:welcome@127.0.0.1:21/pub"])
def test_a_login_without_a_scheme_stands_in_no_link(browser: Browser, text: str) -> None:
    answer = browser.go(text)
    assert (answer.status, "welcome" in answer.text) == (400, False)
    assert answer.fault == "A login needs a scheme before it, as in ftp://user@host."


def test_a_document_that_is_its_own_url_is_no_page_of_ours(browser: Browser) -> None:
    url = URL("data:text/html;charset=utf-8,%3Cscript%3Ealert(1)%3C/script%3E")
    answer = browser.go(url)
    assert (answer.status, SCRIPT in answer.text) == (200, False)
    source = re.search(r'[^"]*/octets[^"]*', answer.text)[0]  # type: ignore[index]
    octets = browser.get(source.replace("&amp;", "&").removesuffix("&save=1"))
    assert_harmless(octets)
    assert octets.text == SCRIPT
    menu = server(f"hx\tURL:{url}\th\t70\r\n.\r\n".encode())
    with menu:
        assert f'href="{url}"' not in browser.go(URL(f"gopher://127.0.0.1:{menu.port}/1")).text


@pytest.mark.parametrize(
    ("scheme", "said"),
    [("telnet", "anyurl get telnet://guest@127.0.0.1"), ("mailto", ">guest@world.example<"), ("wais", "pub/notes.txt"),
     ("nntp", "nobody@world.example"), ("http", "The picture at this URL"), ("file", "Welcome to the world.")],
)  # fmt: skip
def test_what_the_demo_gets_is_a_page(browser: Browser, world: World, scheme: str, said: str) -> None:
    answer = browser.go(world.urls[scheme])
    assert answer.status == 200
    assert said in answer.text


def test_archie_is_asked_with_a_sort_of_search(browser: Browser, world: World) -> None:
    form = browser.go(f"prospero://{world.roots['prospero'].authority}/ARCHIE")
    assert form.text.count("<option") == len(archie.TYPES) + 1
    exact, part = (
        browser.get("view?" + urlencode({**form.form("view"), "words": "1738", "match": match}))
        for match in ("exact", "substring")
    )
    assert ("rfc1738.txt" in exact.text, "rfc1738.txt" in part.text) == (False, True)
    assert "<option selected>substring</option>" in part.text
    assert "match=substring" in part.links["Name"]
    assert "<option" not in browser.go(world.roots["prospero"]).text


def test_a_search_is_a_form(browser: Browser, world: World) -> None:
    menu = browser.go(world.roots["gopher"])
    form = browser.get(menu.links["Search the texts"])
    fields = {**form.form("view"), "words": "locator"}
    found = browser.get("view?" + urlencode(fields))
    assert "A resource locator says where something is and how to get it." in found.links


def test_isindex_searches_with_nothing_but_words_in_the_query(browser: Browser, world: World) -> None:
    """What old browsers put behind the link of the page: a question mark and the words."""
    menu = browser.go(world.roots["gopher"])
    page = browser.get(menu.links["Search the texts"])
    found = browser.get(f"{page.isindex}?resource+locator")
    assert found.form("view")["words"] == "resource locator"
    by_form = browser.get("view?" + urlencode({**page.form("view"), "words": "resource locator"}))
    assert by_form.isindex == found.isindex == page.isindex
    told = "A resource locator says where something is and how to get it."
    assert (told in found.links, told in by_form.links) == (True, True)
    own = browser.go(f"gopher://{world.roots['gopher'].authority}/77/search").isindex
    assert browser.get(f"{own}?locator").status == 200
    changed = browser.get(f"{own.replace('/index/0/', '/index/1/')}?locator")
    assert changed.status == 403  # a link that this gateway did not write is a stranger's, who leads nowhere private
    assert browser.get(f"{page.isindex}?").form("view")["words"] == ""


@pytest.mark.parametrize(
    ("scheme", "place", "asks"),
    [("gopher", "77/search", "Search for"), ("gemini", "search", "Words to look for")],
)
def test_an_index_asks_in_its_page_and_not_for_a_command(
    browser: Browser, world: World, scheme: str, place: str, asks: str
) -> None:
    answer = browser.go(f"{world.roots[scheme]}{place}")
    assert f'<label for="words">{asks}</label>' in answer.text
    assert "anyurl search" not in answer.text


def test_what_is_the_name_of_the_page_is_no_crumb(browser: Browser, world: World) -> None:
    for scheme in ("ftp", "gopher", "telnet"):
        assert 'aria-label="Breadcrumbs"' not in browser.go(world.roots[scheme]).text
    assert 'aria-label="Breadcrumbs"' in browser.go(world.urls["ftp"]).text


def test_what_a_page_is_called_says_something(browser: Browser, world: World) -> None:
    assert browser.go(world.roots["news"]).title == str(world.roots["news"])
    assert browser.go("data:text/plain,a/b").title == "data.txt"


def test_relative_links_of_a_text_lead_on_where_its_format_is_known(browser: Browser) -> None:
    with server(page("see [x](/there) and http://h/", "Content-Type: text/markdown")) as there:
        answer = browser.go(f"http://127.0.0.1:{there.port}/a/r.md")
        assert list(answer.links)[-3:-1] == ["/there", "http://h/"]
        assert f"u=http://127.0.0.1:{there.port}/there&" in answer.links["/there"]


@pytest.mark.parametrize(
    ("reply", "said", "empty"),
    [
        (".\r\n", "There are no entries here.", "none unsized undated"),
        ("iHello\t\t\t\r\n0a\t/a\th\t70\r\n.\r\n", "1 entry", "unsized undated"),
    ],
)
def test_what_stands_below_a_listing(browser: Browser, reply: str, said: str, empty: str) -> None:
    with server(reply.encode()) as there:
        answer = browser.go(f"gopher://127.0.0.1:{there.port}/")
    assert f'<p class="count {empty}">{said}</p>' in answer.text


def test_a_column_that_says_something_is_there(browser: Browser, world: World) -> None:
    assert '<p class="count">3 entries</p>' in browser.go(world.roots["ftp"]).text


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (b"HTTP/1.1 401 x\r\nWWW-Authenticate: Basic realm=\"r\"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
         'it wants a login (“Basic realm="r"”).'),
        (b"HTTP/1.1 401 x\r\nWWW-Authenticate: Digest realm=\"r\", nonce=\"n\"\r\nContent-Length: 0\r\n\r\n",
         'it wants a login (“Digest realm="r", nonce="n"”).'),
    ],
)  # fmt: skip
def test_a_page_that_asks_for_a_login_sends_nobody_elsewhere(browser: Browser, reply: bytes, said: str) -> None:
    with server(reply) as there:
        answer = browser.go(f"http://127.0.0.1:{there.port}/x")
    assert answer.title == "A login is needed"
    assert answer.fault == f"The server answered 401 for http://127.0.0.1:{there.port}/x: {said}"


def test_a_question_of_gemini_is_no_login(browser: Browser, world: World) -> None:
    answer = browser.go(f"{world.roots['gemini']}door")
    assert (answer.title, "netrc" in answer.text) == ("The server asks a question", False)
    assert answer.fault.endswith("and wants the answer kept secret; none was given.")


def test_where_a_refused_redirect_leads_is_a_link() -> None:
    with saying(b"30 https://web.example/target\r\n") as server, running(policy=Policy.open()) as there:
        refused = there.go(f"gemini://{server.authority}/")
    assert (refused.status, refused.title) == (403, "Refused")
    assert "view?u=https://web.example/target" in refused.links["https://web.example/target"]
