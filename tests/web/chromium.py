"""The gateway in Chromium: every kind of page, by mouse and keyboard, and pages that would do harm.

Run by `.ci/full`: ``python -m tests.web.chromium AXE [FOLDER]``. AXE is axe-core's script, which looks for what a
screen reader or a keyboard stumbles over; screenshots go to FOLDER. Ends with what is wrong.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any

from playwright.sync_api import Browser as Chromium
from playwright.sync_api import Dialog, Page, Request, sync_playwright

from anyurl import Client
from anyurl.guard.policy import Policy
from anyurl.web.app import StartPlace
from anyurl.world import World
from tests.servers import PATIENCE, Connection, Server
from tests.web.running import Browser, running

PROGRAM = "/usr/bin/chromium"
OPTIONS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--host-resolver-rules=MAP evil.test 127.0.0.1",
)  # fmt: skip
MINUTE = 60_000  # milliseconds
ENTRIES = Policy.default().limits.listing_entries
SERIOUS = ("serious", "critical")
OWNED = "<script>window.top.document.title = 'owned'; alert(1)</script><img src=x onerror=alert(1)>"


class Visitor:
    """Chromium at a gateway."""

    def __init__(self, chromium: Chromium, gateway: Browser, axe: str, folder: Path | None) -> None:
        self._chromium = chromium
        self._axe = axe
        self._folder = folder
        self.gateway = gateway
        self.link = gateway.link
        self.base = self.link.partition("?")[0]
        self.faults: list[str] = []

    @contextmanager
    def page(self, **context: Any) -> Iterator[Page]:
        """A page that has come in; what a script says, and what the browser complains of, is a fault."""
        opened = self._chromium.new_context(**context)
        page = opened.new_page()

        def say(dialog: Dialog) -> None:
            self.faults.append(f"a dialog: {dialog.message}")
            dialog.dismiss()

        page.on("dialog", say)
        page.goto(self.link)
        page.wait_for_selector("#address")
        page.wait_for_load_state()  # with its script
        yield page
        opened.close()

    def check(self, holds: object, what: str) -> None:
        """Note what does not hold."""
        if not holds:
            self.faults.append(what)

    def go(self, page: Page, text: object) -> None:
        """Type that into the address bar."""
        page.fill("#address", str(text))
        with page.expect_navigation():
            page.keyboard.press("Enter")

    def follow(self, page: Page, what: str) -> None:
        """Click there, and wait for the page that it leads to."""
        with page.expect_navigation():
            page.click(what)

    def shoot(self, page: Page, name: str, *, full_page: bool = True) -> None:
        """Take a picture."""
        if self._folder is not None:
            page.screenshot(path=self._folder / f"{name}.png", full_page=full_page)

    def look(self, page: Page, name: str) -> None:
        """Take a picture, and ask axe; nothing is wider than the window."""
        page.wait_for_load_state()  # with its style
        self.shoot(page, name)
        width = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        self.check(width <= 0, f"{name}: {width} pixels wider than the window")
        # Not as an element of the page, whose policy has no inline script: as the tools of a developer do.
        found = page.evaluate(f"() => {{ {self._axe}; return axe.run(document, {{iframes: false}}); }}")
        for one in found["violations"]:
            if one["impact"] in SERIOUS:
                self.faults.append(f"{name}: {one['id']}: {one['help']}: {one['nodes'][0]['html'][:200]}")


def see_every_page(visitor: Visitor, world: World) -> None:
    """Each kind of page of each scheme, light and wide, dark and narrow."""
    gopher = world.roots["gopher"]
    places = {
        **world.roots, "text": world.urls["gopher"], "picture": world.urls["http"], "letter": world.urls["mailto"],
        "article": world.urls["news"], "group": f"{world.roots['news']}world.notes",
        "form": f"{gopher}00/guest-book%09%09?", "index": f"{gopher}77/search",
        "refused": "http://h:25/", "missing": f"{world.roots['ftp']}nothing",
        "asked": f"{world.roots['gemini']}search", "secret": f"{world.roots['gemini']}door",
        "reserved": "nfs://h/x",
    }  # fmt: skip
    for look, context in (
        ("light", {"color_scheme": "light", "viewport": {"width": 1100, "height": 800}}),
        ("dark", {"color_scheme": "dark", "viewport": {"width": 360, "height": 740}}),
    ):
        with visitor.page(**context) as page:
            visitor.look(page, f"start-{look}")
            for name, url in places.items():
                visitor.go(page, url)
                visitor.look(page, f"{name}-{look}")
            for name, url, form in (
                ("post", places["group"], "Write an article"), ("upload", world.roots["ftp"], "Put a file here"),
            ):  # fmt: skip
                visitor.go(page, url)
                visitor.follow(page, f"text={form}")
                page.wait_for_selector("main .ask")
                visitor.look(page, f"{name}-{look}")
            visitor.go(page, gopher)
            visitor.follow(page, "text=Bookmark")
            page.wait_for_selector("text=Recently visited")
            visitor.look(page, f"kept-{look}")
            visitor.go(page, gopher)
            visitor.follow(page, "text=About this URL")
            page.wait_for_selector(".anatomy")
            visitor.look(page, f"about-{look}")
            visitor.follow(page, "text=Explain")
            page.fill("#text", "http://good.example\\@evil.example/")
            visitor.follow(page, "main .ask button")
            page.wait_for_selector(".anatomy")
            visitor.look(page, f"explain-{look}")
            for _ in range(20):  # the browser lays out a page some time after its width has changed
                read = page.locator(".readings").evaluate("one => one.scrollWidth - one.parentElement.clientWidth")
                if read <= 0:
                    break
                page.wait_for_timeout(50)
            visitor.check(read <= 0, f"explain-{look}: {read} pixels of the readings are out of sight")


def use_it_without_a_script(visitor: Visitor, world: World) -> None:
    """Menus, sorting, a search, and a form up to its question."""
    with visitor.page(java_script_enabled=False) as page:
        visitor.go(page, world.roots["ftp"])
        visitor.follow(page, "th.size a")
        visitor.check(page.locator("td.name a").first.inner_text() == "motd.txt", "no script: sorted by size")
        visitor.go(page, f"{world.roots['gopher']}77/search")
        page.fill("#words", "locator")
        visitor.follow(page, "main .ask button")
        visitor.check(page.locator("td.name a").count() > 0, "no script: a search")
        visitor.go(page, f"{world.roots['gopher']}00/guest-book%09%09?")
        visitor.follow(page, "main .ask button")
        visitor.follow(page, "text=Send it")
        visitor.check("A visitor" in page.inner_text("main"), "no script: an answered form")


def use_it_by_keyboard(visitor: Visitor, world: World) -> None:
    """The first step skips to the content; a slash leads to the address bar; a link is followed."""
    with visitor.page() as page:
        page.keyboard.press("Tab")
        visitor.check(page.evaluate("document.activeElement.className") == "skip", "keyboard: skip")
        page.keyboard.press("/")
        visitor.check(page.evaluate("document.activeElement.id") == "address", "keyboard: slash")
        page.keyboard.type(str(world.roots["gopher"]))
        page.keyboard.press("Enter")
        page.wait_for_selector("td.name a")
        page.locator("td.name a").nth(1).focus()
        page.keyboard.press("Enter")
        page.wait_for_selector("pre.text")
        visitor.check(page.inner_text("h1") == "motd.txt", "keyboard: a link")
    ended = Event()

    def play(link: Connection) -> None:
        link.line()
        link.send(_menu(50))
        ended.wait(PATIENCE)

    with Server(play) as there, visitor.page() as page:
        page.fill("#address", f"gopher://127.0.0.1:{there.port}/")
        page.keyboard.press("Enter")
        page.wait_for_selector("td.name a")
        for _ in range(20):
            page.keyboard.press("/")
            if page.evaluate("document.activeElement.id") == "address":
                break
            page.wait_for_timeout(100)
        else:
            visitor.faults.append("keyboard: slash on a page that is still coming")
        ended.set()


def see_a_huge_menu(visitor: Visitor, world: World) -> None:
    """As many entries as a listing may have: the first ones soon, and then all; it costs at most twice its fetch."""
    for name, context in (
        ("light", {"color_scheme": "light", "viewport": {"width": 1100, "height": 800}}),
        ("dark", {"color_scheme": "dark", "viewport": {"width": 360, "height": 740}}),
    ):
        with _server(_menu(1000) + b".\r\n") as there, visitor.page(**context) as page:
            visitor.go(page, f"gopher://127.0.0.1:{there.port}/")
            visitor.check(page.locator("table").count() == 3, "long: it is no table in pieces")
            visitor.look(page, f"long-{name}")
            page.locator("td.name a").nth(439).evaluate("row => row.scrollIntoView({block: 'center'})")
            visitor.shoot(page, f"pieces-{name}", full_page=False)
    with _server(_menu(ENTRIES) + b".\r\n") as there, visitor.page(viewport={"width": 1100, "height": 800}) as page:
        url = f"gopher://127.0.0.1:{there.port}/"
        both = [(_work_of_the_client(url), _work_of_the_gateway(visitor.gateway, url)) for _ in range(3)]
        fetched, spent = map(
            min, zip(*both, strict=True)
        )  # what else the machine does adds to a time, and takes nothing
        visitor.check(spent <= 2 * fetched, f"huge: {spent:.2f} s for the page, {fetched:.2f} s for its entries alone")
        page.fill("#address", url)
        start = time.perf_counter()
        with page.expect_navigation(wait_until="commit"):
            page.keyboard.press("Enter")
        page.wait_for_selector("td.name a")
        first = time.perf_counter() - start
        page.wait_for_load_state(timeout=MINUTE)
        whole = time.perf_counter() - start
        rows = page.locator("td.name a").count()
        visitor.check(rows == ENTRIES, f"huge: {rows} rows")
        start = time.perf_counter()
        page.locator("td.name a").last.scroll_into_view_if_needed(timeout=MINUTE)
        page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        seen = time.perf_counter() - start
        sys.stdout.write(
            f"{rows:,} entries: the first after {first:.1f} s, all after {whole:.1f} s, the last seen in {seen:.1f} s; "
            f"{spent:.2f} s of work, {spent / fetched:.2f} times that of the entries alone\n"
        )
        visitor.shoot(page, "huge", full_page=False)
        page.locator("td.name a").last.click()
        page.wait_for_selector("main .fault")  # nobody listens there


def _work_of_the_client(url: str) -> float:
    """Seconds of a processor for as many entries as a listing may have."""
    start = time.thread_time()
    with Client() as client:
        assert sum(1 for _ in client.list(url).entries()) == ENTRIES
    return time.thread_time() - start


def _work_of_the_gateway(gateway: Browser, url: str) -> float:
    """The same for their page, for a browser that takes nothing from the gateway."""
    start = time.clock_gettime(gateway.clock)
    assert gateway.go(url).text.count('<td class="name') == ENTRIES
    return time.clock_gettime(gateway.clock) - start


def use_a_terminal(visitor: Visitor, world: World) -> None:
    """A service in the page: keys, sizes, the way out; it goes on until it is hung up, and says so."""
    for look, context in (
        ("light", {"color_scheme": "light", "viewport": {"width": 1100, "height": 800}}),
        ("dark", {"color_scheme": "dark", "viewport": {"width": 360, "height": 740}}),
    ):
        with visitor.page(**context) as page:
            page.on("console", lambda said: visitor.check(said.type != "error", f"terminal: {said.text}"))
            prompts = page.locator(".xterm-rows > div", has_text="command:")
            visitor.go(page, world.urls["telnet"])
            visitor.follow(page, "main .ask button")
            prompts.nth(0).wait_for()
            page.keyboard.type("find locator\n")
            prompts.nth(1).wait_for()
            page.set_viewport_size({"width": 500, "height": 700})
            page.keyboard.type("terminal\n")
            prompts.nth(2).wait_for()
            visitor.look(page, f"terminal-{look}")
            page.keyboard.press("Control+]")
            visitor.check(page.evaluate("document.activeElement.id") == "leave", "terminal: the way out")
            page.keyboard.press("Enter")
            page.locator("#said", has_text="You have hung up.").wait_for()
    octets = (
        b"\x1b]0;owned\x07\x1b]52;c;b3duZWQ=\x07\x1b]8;;http://evil.test/\x07link\x1b]8;;\x07\x1b[c" + OWNED.encode()
    )
    with Server(lambda link: link.send(octets)) as there, visitor.page() as page:
        visitor.go(page, f"telnet://127.0.0.1:{there.port}/")
        visitor.follow(page, "main .ask button")
        page.locator("#said", has_text="The service has closed").wait_for()
        visitor.check(page.title() != "owned", "a service has set the title")
        visitor.check(page.locator(".terminal a, .terminal img, .terminal script").count() == 0, "a service wrote HTML")
    with visitor.page(java_script_enabled=False) as page:
        visitor.go(page, world.urls["telnet"])
        visitor.follow(page, "main .ask button")
        visitor.check("anyurl get telnet:" in page.inner_text("noscript"), "no script: a terminal")


def be_attacked_by_content(visitor: Visitor, world: World) -> None:
    """Scripts in a menu, a page, a picture, an article and a file of it: none runs, and none gets at the gateway."""
    menu = f"0{OWNED}\t/x\t127.0.0.1\t70\r\ni{OWNED}\t\t\t\r\n.\r\n"
    steal = f"{OWNED}<script>fetch('{visitor.base}', {{credentials: 'include'}})</script>"
    replies = {
        "menu": ("gopher", menu.encode()),
        "page": ("http", _answer("text/html", steal)),
        "svg": ("http", _answer("image/svg+xml", f'<svg xmlns="http://www.w3.org/2000/svg">{steal}</svg>')),
        "article": ("http", _answer("message/rfc822", f"Subject: {OWNED}\r\nFrom: {OWNED}\r\n\r\n{OWNED}")),
        "text": ("http", _answer("text/plain", OWNED)),
    }
    for name, (scheme, reply) in replies.items():
        with _server(reply) as there, visitor.page() as page:
            asked: list[str] = []
            page.on("request", lambda request, asked=asked: asked.append(request.resource_type))
            visitor.go(page, f"{scheme}://127.0.0.1:{there.port}/")
            visitor.check(page.title() != "owned", f"a script in a {name} has run")
            octets = page.locator('a[href*="/octets"]')
            if octets.count():
                target = str(octets.first.get_attribute("href")).removesuffix("&save=1")
                if name in ("page", "svg"):  # the others are offered to be saved, or are no HTML
                    page.goto(visitor.base.partition("/")[0] + "//" + visitor.base.split("/")[2] + target)
                visitor.check(page.title() != "owned", f"a script in the octets of a {name} has run")
            visitor.check("fetch" not in asked, f"a script in a {name} has fetched")


def be_attacked_by_other_pages(visitor: Visitor, world: World) -> None:
    """A form of another site, one of another server on this machine, and a name that leads here by now."""
    form = (
        f'<form method="post" action="{visitor.base}go"><input name="u" value="{world.roots["http"]}">'
        '<input name="key" value="guessed"></form><script>document.forms[0].submit()</script>'
    )
    leads = f'<meta http-equiv="refresh" content="0; url={visitor.base}view?u={world.roots["http"]}&o=0&s=x">'
    for host in ("evil.test", "127.0.0.1"):
        for name, content in (("form", form), ("link", leads)):
            with _server(_answer("text/html", content)) as there, visitor.page() as page:
                with page.expect_response(lambda answer: "/go" in answer.url or "/view" in answer.url) as caught:
                    page.goto(f"http://{host}:{there.port}/")
                status = caught.value.status
                visitor.check(status == 403, f"a {name} of {host}:{there.port} was answered {status}")
    socket = visitor.base.replace("http", "ws") + "session?name=x"
    parts = (
        f'<img src="{visitor.base}"><iframe src="{visitor.base}"></iframe><script src="{visitor.base}static/page.js">'
        f'</script><link rel="stylesheet" href="{visitor.base}static/style.css"><object data="{visitor.base}"></object>'
        f'<audio src="{visitor.base}static/style.css" preload="auto"></audio><p>'
        f"<script>fetch('{visitor.base}', {{mode: 'no-cors', credentials: 'include'}}).catch(() => 0);"
        f"fetch('{visitor.base}explain', {{method: 'POST', mode: 'no-cors', credentials: 'include', body: 'u=x'}})"
        f".catch(() => 0); const said = (word) => document.querySelector('p').append(word);"
        f"const socket = new WebSocket('{socket}'); socket.onopen = () => said('open');"
        f"socket.onclose = () => said('closed')</script>"
    )
    for host in ("evil.test", "127.0.0.1"):
        with _server(_answer("text/html", parts)) as there, visitor.page() as page:
            asked: list[Request] = []
            page.on("requestfinished", lambda request, asked=asked: asked.append(request))
            page.on("requestfailed", lambda request, asked=asked: asked.append(request))
            page.goto(f"http://{host}:{there.port}/")
            page.locator("p", has_text="closed").wait_for()
            visitor.check("open" not in page.inner_text("p"), f"a page of {host} has opened a WebSocket")
            ours = [one for one in asked if one.url.startswith(visitor.base) and not one.url.endswith("/anyurl.svg")]
            visitor.check(len(ours) >= 8, f"a page of {host} has asked for {len(ours)} of its parts only")
            for request in ours:  # what the browser has not given to the page has failed
                answer = None if request.failure else request.response()
                visitor.check(not answer or answer.status == 403, f"a part of a page of {host}: {request.url}")
    with visitor.page() as page:
        answer = page.goto(visitor.base.replace("127.0.0.1", "evil.test"))
        status = answer.status if answer else 0
        visitor.check(status == 421, f"under another name it was answered {status}")


def _menu(entries: int) -> bytes:
    return b"".join(b"0Entry number %d\t/files/%d.txt\t127.0.0.1\t1\r\n" % (one, one) for one in range(entries))


def _answer(type: str, body: str) -> bytes:
    head = (
        f"HTTP/1.1 200 OK\r\nContent-Type: {type}\r\nContent-Length: {len(body.encode())}\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + body.encode()


def _server(reply: bytes) -> Server:
    def play(link: Connection) -> None:
        if b" HTTP/" in link.line():
            link.head()
        link.send(reply)

    return Server(play)


PARTS: tuple[Callable[[Visitor, World], None], ...] = (
    see_every_page, see_a_huge_menu, use_it_without_a_script, use_it_by_keyboard, use_a_terminal,
    be_attacked_by_content, be_attacked_by_other_pages,
)  # fmt: skip


def main(axe: str, folder: str = "") -> str | None:
    """What is wrong, if anything is."""
    script = Path(axe).read_text(encoding="utf-8")
    shots = Path(folder) if folder else None
    with World() as world, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=PROGRAM, args=list(OPTIONS))
        policy = Policy.default().replace(allow_ports=[world.roots["gopher"].port or 70])
        places = tuple(StartPlace(scheme, url) for scheme, url in world.roots.items())
        with running(places, policy=policy, **world.settings) as browser:
            visitor = Visitor(chromium, browser, script, shots)
            for part in PARTS:
                part(visitor, world)
        chromium.close()
    return "\n".join(visitor.faults) or None


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
