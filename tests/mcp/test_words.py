"""What strangers say stands between the marks and nowhere else: every reply of every scheme, through every tool."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from anyurl.access import AsyncClient
from anyurl.errors import ReplyError, SecretNeededError
from anyurl.guard.limits import Limits
from anyurl.guard.policy import Policy
from anyurl.mcp.answers import OPTIONS, answer, for_a_model, refusal
from anyurl.mcp.tools import Rights, Tools, restricted
from anyurl.net.wire.connector import Network
from anyurl.schemes.prospero.wire.messages import Complaint, Forwarded
from anyurl.schemes.wais.wire.records import Diagnosis
from anyurl.values import PeerText, without_quotations
from tests.evil import cells_prospero, cells_wais, ftp_session, news_session
from tests.evil.certificates import certificates
from tests.evil.player import Player, expect, head, send
from tests.evil.prospero_player import ArdpPlayer, listing, say
from tests.mcp.conftest import facts
from tests.rows import each_row

CANARY = "IGNORE-CANARY-7f3a"
SAID = CANARY.encode()
HOST = "evil.test"

EVERY = 1 if os.environ.get("ANYURL_SLOW") else 3
"""Which of the conversations are played: ANYURL_SLOW has them all."""

SCHEMES = ["http", "https", "ftp", "gopher", "news", "nntp", "wais", "prospero", "dict", "gemini"]
POLICY = restricted(Policy.untrusted().replace(allow_schemes=SCHEMES, limits=Limits(connect=0.5, idle=0.3, total=2.0)))
MARKED = re.compile(r"<untrusted (\w{18})>\n.*?\n</untrusted \1>", re.DOTALL)


class Case:
    """A conversation with a server that says the canary.

    Args:
        url: What the tool is asked for, below ``evil.test`` if it is no whole URL.
        script: What the server plays.
        tool: The tool.
        rights: What the server of tools lets a model do.
    """

    def __init__(self, url: str, script: Any, tool: str = "fetch", /, player: Any = Player, **given: Any) -> None:
        self.url = url if ":" in url else f"http://{HOST}{url}"
        self.script = script
        self.tool = tool
        self.player = player
        self.given = given

    def play(self, **rights: Any) -> Any:
        scheme = self.url.partition(":")[0]
        context = certificates()["good"][0] if scheme == "gemini" else None
        given = Rights(policy=POLICY, heeds_robots=False, **rights)

        async def main(server: Any) -> Any:
            def place(endpoint: tuple[str, int]) -> tuple[str, int]:
                return server.host, server.port if endpoint[1] < 10_000 else endpoint[1]

            network = Network(lambda host: ["93.184.216.34"], place)
            async with AsyncClient(given.policy, network=network) as client:
                tools = Tools(client, given)
                try:
                    return await getattr(tools, self.tool)(self.url, **self.given)
                finally:
                    tools.close()

        scripts = self.script if isinstance(self.script, tuple) else (self.script,)
        with self.player(*scripts, context=context) as server:
            return asyncio.run(main(server))


def http(status: int, *headers: str, reason: str = "Said", body: str = "no") -> list[Any]:
    lines = [f"HTTP/1.1 {status} {reason}", f"Content-Length: {len(body)}", *headers, "Connection: close", "", body]
    return [head(), send("\r\n".join(lines).encode())]


def raw(data: bytes) -> list[Any]:
    return [head(), send(data)]


def http_cases() -> Iterator[tuple[str, Case]]:
    for status in (
        *range(300, 309),
        400,
        401,
        402,
        403,
        404,
        405,
        407,
        409,
        410,
        416,
        418,
        429,
        451,
        500,
        503,
        511,
        599,
    ):
        yield f"{status}", Case("/x", http(status, reason=CANARY, body=CANARY))
        yield f"{status} put", Case("/x", http(status, f"Location: /{CANARY}", reason=CANARY), "put", content="x")
    for name, value in (
        ("WWW-Authenticate", f'Basic realm="{CANARY}"'), ("WWW-Authenticate", f'{CANARY} realm="x"'),
        ("WWW-Authenticate", f'Digest realm="{CANARY}", nonce="{CANARY}", qop="{CANARY}"'),
    ):  # fmt: skip
        yield f"401 {value}", Case("/x", http(401, f"{name}: {value}"))
        yield f"401 {value}, a login", Case(f"http://joe:pw@{HOST}/x", http(401, f"{name}: {value}"))
    for number, location in enumerate((
        f"http://h:99999/{CANARY}", f"\\\\{CANARY}", f"/{CANARY}\x01", f"http:{CANARY}", f"http://{CANARY}/x",
        f"https://{CANARY}.test/", f"ftp://{CANARY}.test/", f"file:///{CANARY}", f"gopher://h/0{CANARY}%0d%0ax",
        f"http://10.0.0.1/{CANARY}", f"http://10.0.0.1/?{CANARY}", f"http://10.0.0.1/#{CANARY}",
        f"http://{CANARY}@10.0.0.1/", f"http://{CANARY}.localhost/", f"http://h:25/{CANARY}", f"/{CANARY}",
        f"/{CANARY.replace('-', '%2d')}", f"http://{HOST}/x?{CANARY}", f"telnet://{CANARY}/", f"{CANARY}:x",
        f"data:,{CANARY}", f"http://xn--{CANARY}/",
    )):  # fmt: skip
        for status in (301, 302, 303, 307, 308):
            yield f"{status} to {number}", Case("/x", (http(status, f"Location: {location}"), http(404)))
        yield (
            f"302 to {number}, and there is something",
            Case("/x", (http(302, f"Location: {location}"), http(200, "Content-Type: text/plain"))),
        )
    for field in (
        f"Content-Type: text/{CANARY}", f"Content-Type: text/plain; charset={CANARY}", f"Content-Type: {CANARY}",
        f"Content-Encoding: {CANARY}", f"Transfer-Encoding: {CANARY}", f"Content-Range: {CANARY}", f"ETag: {CANARY}",
        f"Content-Range: bytes 0-1/{CANARY}", f"Last-Modified: {CANARY}", f"Retry-After: {CANARY}", f"Link: <{CANARY}>",
        f"Content-Disposition: attachment; filename={CANARY}", f"Content-Language: {CANARY}", f"Server: {CANARY}",
        f"Content-Length: {CANARY}", f"Set-Cookie: {CANARY}={CANARY}", f"Refresh: 0; url={CANARY}",
    ):  # fmt: skip
        for status in (200, 206, *[503] * field.startswith("Retry")):
            yield f"{status} {field}", Case("/x", http(status, field))
        yield f"list {field}", Case("/x/", http(200, field), "list")
    yield "no head", Case("/x", raw(SAID + b"\r\n\r\n"))
    yield "a head of words", Case("/x", raw(b"HTTP/1.1 " + SAID + b"\r\n\r\n"))
    yield "a field of words", Case("/x", raw(b"HTTP/1.1 200 Ok\r\n" + SAID + b"\r\n\r\n"))
    yield "a chunk of words", Case("/x", raw(b"HTTP/1.1 200 Ok\r\nTransfer-Encoding: chunked\r\n\r\n" + SAID + b"\r\n"))
    yield "a document", Case("/x", http(200, "Content-Type: text/plain", body=CANARY))
    yield "a page", Case("/x", http(200, "Content-Type: text/html", body=f"<title>{CANARY}</title><a href='{CANARY}'>"))
    yield "a page that is listed", Case("/x", http(200, "Content-Type: text/html", body=f"<a href='{CANARY}'>"), "list")
    for field in (f"Content-Disposition: attachment; filename={CANARY}", "Content-Type: text/plain"):
        for status in (200, 404):
            yield f"a file, {status} {field}", Case("/x", http(status, field, body=CANARY), format="file")
        yield (
            f"a file behind a redirect, {field}",
            Case("/x", (http(302, f"Location: /{CANARY}"), http(200, field)), format="file"),
        )
    for url in (f"http://10.0.0.1/{CANARY}", f"http://{CANARY}.test/", f"ftp://{CANARY}@{HOST}/", f"/{CANARY}",
                f"gopher://{HOST}/0{CANARY}", f"telnet://{HOST}/{CANARY}", f"http://{HOST}:25/{CANARY}"):  # fmt: skip
        for tool in ("fetch", "list", "check_url"):
            yield f"{tool} what a page named, {url}", Case(url, http(404), tool, came_from=f"http://{HOST}/")


def gopher_cases() -> Iterator[tuple[str, Case]]:
    asked = expect(rb"\r\n$")

    def case(path: str, data: bytes, tool: str = "fetch", **given: Any) -> Case:
        return Case(f"gopher://{HOST}{path}", [asked, send(data)], tool, **given)

    yield "type 3", case("/0x", b"3" + SAID + b"\terror.host\t1\r\n.\r\n")
    yield "type 3 in a menu", case("/1x", b"3" + SAID + b"\terror.host\t1\r\n.\r\n", "list")
    for number in (1, 2, 3, 7):
        refused = b"--1\r\n%d %s <a@%s>\r\n%s\r\n.\r\n" % (number, SAID, SAID, SAID)
        yield f"gopher+ {number}", case("/0x%09%09+", refused)
        item = b"0%s\t%s\t%s\t70\t+\r\n.\r\n" % (SAID, SAID, SAID)
        yield f"gopher+ {number} moved", case("/0x%09%09+", b"--1\r\n%d a\r\n%s" % (number, item))
    yield "a length", case("/0x%09%09+", b"+" + SAID + b"\r\n")
    yield "no end", case("/0x%09%09+", b"-" + SAID)
    for data in (SAID, SAID + b"\r\n", b"0" + SAID + b"\0\tx\th\t70\r\n", b"0%s\t%s\t%s\t70\r\n" % (SAID, SAID, SAID)):
        for tool in ("fetch", "list"):
            yield f"a menu, {tool} {data!r}", case("/1", data + b"\r\n.\r\n", tool)
        yield f"hits {data!r}", case("/7", data, "search", words="x")
        yield f"attributes {data!r}", case("/1x%09%09$", b"+-1\r\n" + data + b"\r\n.\r\n", "list")


def gemini_cases() -> Iterator[tuple[str, Case]]:
    for status in range(10, 70):
        for meta in (SAID, b"/" + SAID, b"gemini://10.0.0.1/" + SAID, b"http://" + SAID + b"/"):
            if meta == SAID or status in (30, 31):
                yield (
                    f"{status} {meta!r}",
                    Case(f"gemini://{HOST}/x", [expect(rb"\n$"), send(b"%d %s\r\n" % (status, meta))]),
                )
    for line in (b"", SAID, b"99 " + SAID, b"5 " + SAID, SAID * 100):
        yield f"{line[:40]!r}", Case(f"gemini://{HOST}/x", [expect(rb"\n$"), send(line + b"\r\n")])
    yield "list", Case(f"gemini://{HOST}/x", [expect(rb"\n$"), send(b"20 text/%s\r\n" % SAID)], "list")


def session_cases() -> Iterator[tuple[str, Case]]:
    codes = (200, 211, 220, 229, 230, 350, 400, 421, 430, 480, 500, 502, 530, 550, 552)
    for code in (*codes, 0, 999):
        said = send(b"%03d %s\r\n" % (code, SAID))
        both = send(b"%03d-%s\r\n%03d %s\r\n" % (code, SAID, code, SAID))
        for steps, kind in ((said, ""), (both, " in lines")):
            yield f"ftp greets {code}{kind}", Case(f"ftp://{HOST}/x", ftp_session.Session(greeting=steps))
            if not kind:
                yield f"news greets {code}", Case(f"nntp://{HOST}/a.b/1", news_session.Session(greeting=said))
                yield f"dict greets {code}", Case(f"dict://{HOST}/d:x", [said, expect(rb"\n$"), said])
                yield (
                    f"dict answers {code}",
                    Case(
                        f"dict://{HOST}/d:x", [send(b"220 h <1@h>\r\n"), expect(rb"\n$"), said, expect(rb"\n$"), said]
                    ),
                )
        for verb in (b"USER", b"PASS", b"CWD", b"TYPE", b"EPSV", b"RETR", b"LIST", b"SIZE", b"FEAT", b"SYST", b"PWD"):
            for path, tool in (("a/x", "fetch"), ("a/", "list")):
                yield (
                    f"ftp {verb.decode()} {code} {tool}",
                    Case(f"ftp://{HOST}/{path}", ftp_session.Session(replies={verb: said}), tool),
                )
        yield (
            f"ftp ends with {code}",
            Case(f"ftp://{HOST}/x", ftp_session.Session(send(b"x"), ending=b"%03d %s" % (code, SAID))),
        )
        for verb in (b"CAPABILITIES", b"MODE", b"GROUP", b"ARTICLE", b"OVER", b"LIST", b"HDR", b"HEAD"):
            for path, tool in (("a.b/1", "fetch"), ("a.b", "list"), ("", "list")):
                yield (
                    f"news {verb.decode()} {code} {tool} {path}",
                    Case(f"nntp://{HOST}/{path}", news_session.Session(replies={verb: said}), tool),
                )
    for line in (SAID, b"\x00" + SAID, SAID + b"\rx", b"227 " + SAID, b"229 " + SAID, b"150 Opening (%s bytes)" % SAID):
        steps = send(line + b"\r\n")
        yield f"ftp greets {line!r}", Case(f"ftp://{HOST}/x", ftp_session.Session(greeting=steps))
        yield f"news greets {line!r}", Case(f"nntp://{HOST}/a.b/1", news_session.Session(greeting=steps))
        yield f"dict greets {line!r}", Case(f"dict://{HOST}/d:x", steps)
        yield f"ftp {line!r}", Case(f"ftp://{HOST}/x", ftp_session.Session(replies={b"EPSV": steps, b"PASV": steps}))
    for data in (SAID + b"\r\n", b"-rw-r--r-- 1 a a 5 Jan 1 2020 %s\r\n" % SAID, b"drwxr-xr-x " + SAID + b"\r\n"):
        yield f"ftp lists {data!r}", Case(f"ftp://{HOST}/a/", ftp_session.Session(send(data)), "list")
    yield "news lists", Case(f"nntp://{HOST}/a.b", news_session.Session(overview=SAID + b"\r\n"), "list")
    for data in (SAID, b"Subject: " + SAID, b"From: " + SAID + b"\r\n\r\n" + SAID, b"Content-Type: text/" + SAID):
        article = news_session.block(b"220 1 <1@h> " + SAID, data + b"\r\n")
        yield f"an article {data!r}", Case(f"nntp://{HOST}/a.b/1", news_session.Session(article))


def packet_cases() -> Iterator[tuple[str, Case]]:
    for code in ("S1", "S3", "S5", "T1", "T3", "T4", "D1", "SF", "Q9"):
        no = [cells_wais.asked, send(cells_wais.reply(Diagnosis(code, SAID)))]
        yield f"wais {code} search", Case(f"wais://{HOST}/db", no, "search", words="x")
        yield f"wais {code} fetch", Case(f"wais://{HOST}{cells_wais.DOCUMENT}", no)
        yield f"wais {code} list", Case(f"wais://{HOST}/db?x", no, "list")
    yield "wais, no message", Case(f"wais://{HOST}/db?x", [cells_wais.asked, send(SAID * 9)], "list")
    yield "wais, hits", Case(f"wais://{HOST}/db?x", cells_wais.menu([SAID]), "list")
    yield "wais, a headline with NUL", Case(f"wais://{HOST}/db?x", cells_wais.menu([SAID + b"\0x"]), "list")
    for name in ("NOT-FOUND", "NOT-AUTHORIZED", "NOT-A-DIRECTORY", "SERVER-FAILED", "AUTHENTICATION-DATA", CANARY, ""):
        for word in (b"FAILURE", b"ERROR", b"WARNING"):
            for tool in ("fetch", "list"):
                script = [say(Complaint(word, name.encode(), SAID))]
                yield f"prospero {word!r} {name} {tool}", Case(f"prospero://{HOST}//x", script, tool, player=ArdpPlayer)
    for number, lines in enumerate((
        SAID + b"\n", b"VERSION-NOT-SUPPORTED " + SAID + b"\n", b"LINK " + SAID + b"\n", b"UNRESOLVED " + SAID + b"\n",
        b"FORWARDED " + SAID + b"\n", b"ATTRIBUTE " + SAID + b"\n", b"LINK '" + SAID + b"\n", b"\0" + SAID + b"\n",
    )):  # fmt: skip
        for tool in ("fetch", "list"):
            script = [cells_prospero.packets(cells_prospero.Packet(1, payload=lines))]
            yield f"prospero line {number} {tool}", Case(f"prospero://{HOST}//x", script, tool, player=ArdpPlayer)
            yield (
                f"prospero text {number} {tool}",
                Case(f"prospero://{HOST}//x", [lambda talk, lines=lines: talk.send(lines)], tool, player=ArdpPlayer),
            )
    yield "prospero, names", Case(f"prospero://{HOST}//x", listing([SAID]), "list", player=ArdpPlayer)
    for host in (b"10.0.0.1", SAID):
        there = say(Forwarded(cells_prospero.link(SAID, SAID, host)))
        yield f"prospero forwards to {host!r}", Case(f"prospero://{HOST}//x", [there], player=ArdpPlayer)


COLUMNS = [http_cases, gopher_cases, gemini_cases, session_cases, packet_cases]


def outside(result: Any) -> str:
    """All of an answer that stands between no marks."""
    texts = [MARKED.sub("", block.text) for block in result.content]
    return "\n".join([*texts, json.dumps(result.structured_content)])


class Lines(logging.Handler):
    """The records that a program's log gets."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


@pytest.fixture
def log() -> Iterator[list[str]]:
    logger, handler = logging.getLogger("anyurl"), Lines()
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    yield handler.lines
    logger.removeHandler(handler)
    logger.setLevel(level)


def is_quoted(line: str) -> bool:
    """Whether a record has the canary in quotation marks only, or in a URL, which has neither space nor control."""
    return CANARY not in re.sub(r"“[^”]*”|[\w+.-]+:\S+", "", line)


@pytest.mark.promise("words")
@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: column.__name__)
def test_what_a_stranger_says_stands_between_the_marks_only(column: Any, tmp_path: Path, log: list[str]) -> None:
    faults, heard, number = [], 0, 0
    for number, (label, case) in enumerate(islice(column(), 0, None, EVERY), 1):
        folder = tmp_path / str(number)
        folder.mkdir()
        result = case.play(folder=str(folder))
        text = outside(result)
        if CANARY.lower() in text.lower():
            faults.append(f"{label}: {text}")
        heard += CANARY.lower() in "".join(block.text for block in result.content).lower()
        assert "fault of anyurl" not in text, label
        faults += [f"{label}, log: {line}" for line in log if not is_quoted(line)]
        log.clear()
    assert not faults, "\n".join([f"{len(faults)} of {number}", *faults[:40]])
    assert heard > number / 4, f"the canary was told in {heard} of {number} answers"


def test_a_verdict_has_the_words_of_a_server_in_a_block_of_their_own() -> None:
    error = ReplyError(f"h does not give x: {PeerText(b'51 do as I say')}. Ask again.", code=51)
    result = refusal(error)
    told = facts(result)
    assert told["sentence"] == "h does not give x: [1]. Ask again."
    assert result.structured_content == told
    block = result.content[1].text  # type: ignore[union-attr]
    assert MARKED.sub("", block).count("do as I say") == 0
    assert "\n[1] 51 do as I say\n</untrusted " in block


def test_no_quotation_ends_another() -> None:
    said: list[str] = []
    text = f"h says {PeerText('a” b “c')} and {PeerText('d')}, {PeerText('d')}"
    assert without_quotations(text, said) == "h says [1] and [2], [2]"
    assert said == ["a\\u201d b \\u201cc", "d"]


def test_a_url_that_a_redirect_named_is_a_strangers_word_in_a_page_and_in_the_next() -> None:
    page = http(200, "Content-Type: text/plain", body="x\n" * 2000)
    case = Case("/x", (http(302, f"Location: /{CANARY}"), page))
    result = case.play(page=1000)
    told = facts(result)
    assert (told["url"], told["asked"]) == ("[1]", f"http://{HOST}/x")
    assert f"[1] http://{HOST}/{CANARY}\n" in result.content[2].text
    assert CANARY not in outside(result)


def test_a_model_reads_its_own_words_again() -> None:
    told = facts(answer({"text": "“http://h/”"}, quotes=False))
    assert told["text"] == "“http://h/”"


# --- what it is advised ----------------------------------------------------------------------------------------------


@pytest.mark.promise("words")
@each_row(
    ("text", "told"),
    [
        (
            ("The server answered 401 for http://h/: it requires a login ([1]); write the user into the URL (it would "
            "go in clear): user@host; the password is asked for, or .netrc has it."),
            "The server answered 401 for http://h/: it requires a login ([1]).",
        ),
        (
            "h asks for the password of 'joe', and neither netrc nor a terminal can give it.",
            "h asks for the password of 'joe'.",
        ),
        ("You have given no certificate (--cert FILE).", "You have given no certificate."),
        ("Another certificate may be accepted (--cert).", "Another certificate may be accepted."),
        ("'d' is a directory of h, not a file: `anyurl ls`, or a URL with '/' at its end, lists it ([1]).",
         "'d' is a directory of h, not a file: the tool `list`, or a URL with '/' at its end, lists it ([1])."),
        ("this is an index: it answers to words, as `anyurl search URL WORDS` sends them",
         "this is an index: it answers to words, as the tool `search` sends them"),
        ("The transfer took longer than 3 seconds (--timeout allows more).",
         "The transfer took longer than 3 seconds (--timeout allows more)."),
        ("The server answered 404 for http://h/.netrc: there is no such document.",
         "The server answered 404 for http://h/.netrc: there is no such document."),
        ("--basic sends it.", "It needs a feature that is not available here."),
    ],
)  # fmt: skip
def test_a_model_is_told_what_it_can_do(text: str, told: str) -> None:
    assert for_a_model(text) == told


@pytest.mark.promise("words")
def test_what_is_advised_is_there() -> None:
    """No answer to any of the cases names an option that this server lacks, nor a file or a prompt of the command."""
    login = 'WWW-Authenticate: Basic realm="x"'
    digest = 'WWW-Authenticate: Digest realm="x", nonce="n"'
    cases = [
        *(Case(f"http://{user}{HOST}/x", http(401, *fields)) for user in ("", "joe@", "joe:pw@")
          for fields in ([], [login], [digest], [login, digest], ["WWW-Authenticate: Bearer"])),
        Case("/x", http(401, login), "put", content="x"),
        *(Case(f"ftp://{user}{HOST}/x", ftp_session.Session(replies={b"PASS": send(b"530 no\r\n")}))
          for user in ("", "joe@", "joe:pw@")),
        *(Case(f"nntp://{user}{HOST}/a.b/1", news_session.Session(greeting=send(b"480 who?\r\n")))
          for user in ("", "joe@", "joe:pw@")),
        *(Case(f"gemini://{HOST}/x", [expect(rb"\n$"), send(b"%d x\r\n" % status)]) for status in (10, 11, 60, 61, 62)),
        Case(f"gopher://{HOST}/7x", [expect(rb"\n$"), send(b".\r\n")]),
    ]  # fmt: skip
    for case in cases:
        text = outside(case.play())
        assert set(re.findall(r"--[a-z-]+", text)) <= set(OPTIONS), text
        assert not re.search(r"netrc|terminal|`anyurl (?!mcp)|is asked for|write the user", text), text


def test_the_options_are_those_of_the_command() -> None:
    from tests.cli.runner import run

    told = run("mcp", "--help").output
    assert set(OPTIONS) <= set(re.findall(r"--[a-z-]+", told))


def test_a_secret_that_is_needed_has_no_advice_of_the_command() -> None:
    told = facts(refusal(SecretNeededError("h asks for a login, and neither netrc nor a terminal can give it.")))
    assert (told["sentence"], told["code"]) == ("h asks for a login.", "login")
    assert "only a login that the URL itself has is sent" in told["remedy"]
