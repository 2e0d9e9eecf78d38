"""Public reports about programs of the small internet: what their users met, and what comes of it here.

Rule: a row plays the server, or gives the command line, of its report, and looks at what a person gets; or it names the
test that does. `docs/peers.md` has the table, and `tests/peers/test_reports.py` plays it.
"""

from __future__ import annotations

import ssl
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

from anyurl.world.certificate import self_signed, server_context
from tests.cli.runner import run
from tests.schemes.gemini.serving import saying
from tests.schemes.news.wire.nntp_samples import YENC_DATA, yenc_file
from tests.servers import Connection, Server

Scene = Callable[[Path], None]


class Report(NamedTuple):
    """A row.

    Attributes:
        where: The projects, with the numbers of the reports.
        what: What was reported.
        now: What comes of it here.
        held: Plays it, in a folder of its own, and asserts what comes; or the test that does, as pytest names it.
    """

    where: tuple[str, ...]
    what: str
    now: str
    held: Scene | str


def commands(*lines: tuple[list[str], str, str, int]) -> Scene:
    """Command lines: what each writes, a part of what it tells (nothing, if that is empty), and its exit code."""

    def scene(_folder: Path) -> None:
        for words, out, told, code in lines:
            done = run(*words)
            assert (done.exit_code, done.stdout) == (code, out), done.stderr
            assert told in done.stderr if told else not done.stderr, done.stderr

    return scene


def gopher(path: str, said: bytes, out: str, told: str = "", *, asked: bytes | None = None, verb: str = "ls") -> Scene:
    """What comes of an item of a server that says this; a line of `out` is kind, name and URL of an entry."""

    def part(connection: Connection) -> None:
        connection.line()
        connection.send(said)

    def scene(_folder: Path) -> None:
        with Server(part) as server:
            done = run(verb, f"gopher://{server.authority}/{path}")
        assert done.exit_code == 0, done.stderr
        rows = [line.split("\t") for line in done.stdout.splitlines()]
        assert ("".join(f"{row[0]} {row[3]} {row[4]}\n" for row in rows) if verb == "ls" else done.stdout) == out
        assert told in done.stderr if told else not done.stderr, done.stderr
        assert asked is None or bytes(server.received[0]) == asked

    return scene


text = partial(gopher, verb="get")


def gemini(
    said: bytes | Mapping[str, bytes], out: str, told: str = "", *, path: str = "/", cut: bool = False,
    context: ssl.SSLContext | None = None,
) -> Scene:  # fmt: skip
    """What comes of a page of a server that says this, everywhere or by path."""

    def reply(request: bytes) -> bytes:
        return said if isinstance(said, bytes) else said["/" + request.decode().split("/", 3)[3].strip()]

    def scene(folder: Path) -> None:
        with saying(reply, context, cut=cut) as server:
            done = run("get", "--pins", str(folder / "pins"), f"gemini://{server.authority}{path}")
        assert (done.exit_code, done.stdout) == (0, out), done.stderr
        assert told in done.stderr if told else not done.stderr, done.stderr

    return scene


def news(path: str, replies: Mapping[str, bytes], out: str) -> Scene:
    """The columns of kind, name and URL of a listing; ``{}`` is the server's authority."""

    def part(connection: Connection) -> None:
        connection.send(b"200 hello\r\n")
        while line := connection.line():
            words = line.decode().upper().split()
            found = replies.get(" ".join(words[:2]), replies.get(words[0], b"500 what?\r\n"))
            connection.send(found)

    def scene(_folder: Path) -> None:
        with Server(part) as server:
            done = run("ls", "--allow-private", f"news://{server.authority}/{path}")
        assert done.exit_code == 0, done.stderr
        rows = [line.split("\t") for line in done.stdout.splitlines()]
        shown = "".join(f"{row[0]} {row[3]} {row[4]}\n" for row in rows)
        assert shown == out.replace("{}", server.authority), shown

    return scene


def a_file_however_it_comes(folder: Path) -> None:
    """By ARTICLE with an empty line behind the head or none, and by BODY."""
    data = yenc_file(YENC_DATA)
    for head in (b"Subject: s\r\n\r\n", b"Subject: s\r\n"):

        def part(connection: Connection, head: bytes = head) -> None:
            connection.send(b"200 hello\r\n")
            while line := connection.line():
                found = {b"ARTICLE": b"220 5 <a@b>\r\n" + head + data, b"BODY": b"222 5 <a@b>\r\n" + data}
                said = found.get(line.split()[0])
                connection.send(b"500 what?\r\n" if said is None else said + b".\r\n")

        with Server(part) as server:
            for view, content in (("all.bin", YENC_DATA), ("body", data)):
                url, file = f"news://{server.authority}/a@b", folder / "saved"
                done = run("get", "--allow-private", "--view", view, "--force", "-o", str(file), url)
                assert (done.exit_code, done.stderr, file.read_bytes()) == (0, "", content)
                file.unlink()


def asked_for(url: str, *sent: str, told: str = "") -> Scene:
    """What a news URL asks of its server, without its capabilities."""
    lines = "".join(f"> {line}\n" for line in ("CAPABILITIES", *sent))
    return commands((["get", "--explain", url], f"{told}connect to h.example port 119\n{lines}", "", 0))


def draft(url: str, header: str, told: str = "", body: str = "") -> tuple[list[str], str, str, int]:
    """The draft that a mailto URL makes."""
    mime = "MIME-Version: 1.0\nContent-Type: text/plain; charset=us-ascii\nContent-Transfer-Encoding: 7bit\n"
    return (["get", url], f"{header}\n{mime}\n{body}", told, 0)


TELNET = "tests/schemes/telnet/wire"
NEWS = "tests/schemes/news"
PINS = "tests/net/wire/test_pins.py"
QUESTIONS = "tests/cli/terminal/test_questions.py"
END = b".\r\n"

REPORTS = (
    # --- gopher ------------------------------------------------------------------------------------------------------
    Report(
        ("telephil9/gopher #2",), "a sentence without tabs is a menu's first line", "it is shown, and so is the menu",
        gopher("1", b"====: not found\r\n0a\ta\th\t70\r\n" + END, " ====: not found \ndocument a gopher://h/0a\n"),
    ),
    Report(
        ("burrow #37", "lagrange #677"), "`i` lines without fields, or without tabs", "they are text",
        gopher("1", b"iHello\r\ni\r\n0a\ta\th\t70\r\n" + END, " Hello \n  \ndocument a gopher://h/0a\n"),
    ),
    Report(
        ("lagrange #377", "elinks #34"), "lines end with LF; selectors with spaces or slashes are changed",
        "both line ends are read, a selector is sent as it is",
        gopher("1//a%20b/", b"0a\t/a b\th\t70\n1b\tb/\th\t70\n.\n",
               "document a gopher://h/0/a%20b\nlisting b gopher://h/1b/\n", asked=b"//a b/\r\n"),
    ),
    Report(
        ("VF-1 #38", "ncgopher #210"), "the final dot is shown, doubled dots stay", "they are taken away",
        text("0a", b"one\r\n..two\r\n" + END, "one\n.two\n"),
    ),
    Report(
        ("gopher2000 #1",), "a lone dot inside a text ends it", "all of it is kept, with a note",
        text("0a", b"one\r\n.\r\ntwo\r\n", "one\n.\ntwo\n", "is followed by more text: all of it is kept"),
    ),
    Report(
        ("kristall #282", "gophernicus #126"), "`URL:` of other schemes in `h` lines", "any scheme is a URL",
        gopher("1", b"hx\tURL:gemini://a.example/\tnull.host\t70\r\nhy\tURL:magnet:?xt=1\th\t70\r\n" + END,
               "document x gemini://a.example/\ndocument y magnet:?xt=1\n"),
    ),
    Report(
        ("gopher.el #19/#21",), "`/URL:` with a slash", "it is the URL, as lynx takes it",
        gopher("1", b"hx\t/URL:http://a.example/\th\t70\r\n" + END, "document x http://a.example/\n"),
    ),
    Report(
        ("squid #889",), "type `w`", "its selector is the URL, as lynx takes it",
        gopher("1", b"wx\thttp://a.example/\th\t70\r\n" + END, "document x http://a.example/\n"),
    ),
    Report(
        ("lagrange #728",), "`%25` in a selector is encoded twice, or not at all", "once",
        gopher("1/a%2525b", b"1x\t/a%25b\th\t70\r\n" + END, "listing x gopher://h/1/a%2525b\n", asked=b"/a%25b\r\n"),
    ),
    Report(
        ("lagrange #767",), "`%09words` on a menu", "they are sent behind a tab",
        gopher("1/s%09two%20words", b"1x\tx\th\t70\r\n" + END, "listing x gopher://h/1x\n", asked=b"/s\ttwo words\r\n"),
    ),
    Report(
        ("curl #2910", "curl #3369"), "`?` in a selector", "it is data (RFC 4266)",
        text("0/a?b", b"x\r\n" + END, "x\n", asked=b"/a?b\r\n"),
    ),
    Report(
        ("dillo-gopher #3", "ncgopher #78", "Pituophis #16"), "escapes and spaces", "decoded when sent, encoded once",
        gopher("1/a%20b%23", b"0x\t/a b?c#d%\th\t70\r\n" + END, "document x gopher://h/0/a%20b?c%23d%25\n",
               asked=b"/a b#\r\n"),
    ),
    Report(
        ("curl #9089", "curl #14219"), "NUL in a selector", "nothing is sent, and the message says why",
        commands((["get", "gopher://h.example/0a%00b"], "", "holds NUL (%00), which would end or split a command", 5)),
    ),
    Report(
        ("cgo #8", "PocketGopher #5"), "an empty selector; a request without CR", "an empty line with CR LF",
        gopher("", b"0x\t\th\t70\r\n" + END, "document x gopher://h/0\n", asked=b"\r\n"),
    ),
    Report(
        ("fossil #5",), "types `d` and `;`", "documents, with the media types of their names",
        "tests/schemes/gopher/test_items.py::test_the_media_type",
    ),
    Report(
        ("writefreely #1556", "Pituophis #15"), "texts in Latin-1", "they are read on the terminal, as in the gateway",
        "tests/client/test_texts.py::test_a_text_is_the_same_whole_and_octet_by_octet",
    ),
    # --- gemini ------------------------------------------------------------------------------------------------------
    Report(
        ("gig #6", "gemini-diagnostics #4"), "servers that do not end TLS (close_notify)",
        "the page is shown and saved, with a note",
        gemini(b"20 text/gemini\r\n=> a A\r\n", "=> a A\n", "without TLS's end mark", cut=True),
    ),
    Report(
        ("ncgopher #28",), "relative redirects", "they are followed",
        gemini({"/a/b": b"30 ../c\r\n", "/c": b"20 text/plain\r\nhere"}, "here", path="/a/b"),
    ),
    Report(
        ("agate #19",), "a redirect that grows, or repeats", "five are followed, and no more",
        "tests/schemes/gemini/test_verbs.py::test_five_redirections_are_followed_and_no_more",
    ),
    Report(
        ("GemiNaut #19",), "a question, a redirect, another question", "words answer only what they were typed for",
        "tests/hop/test_words.py::test_the_target_is_asked_as_the_server_wrote_it",
    ),
    Report(
        ("rogallo #10",), "prompts", "asked at the terminal; in a pipe the note carries them, `-o` makes no empty file",
        f"{QUESTIONS}::test_a_person_at_the_terminal_answers",
    ),
    Report(
        ("rogallo #1",), "pages of other media types", "their octets",
        gemini(b"20 image/png\r\n\x89PNG", "\ufffdPNG"),
    ),
    Report(
        ("lagrange #72", "lagrange #107", "lagrange #309"), "a certificate has changed; one port is not another",
        "refused, with both fingerprints and what to do; a pin is for host and port",
        f"{PINS}::test_the_first_is_trusted_and_no_other",
    ),
    Report(
        ("lagrange #582",), "a certificate for another name",
        "decided: trusted on first use, whatever name it has, as the specification recommends and lagrange does",
        gemini(b"20 text/plain\r\nx", "x", context=server_context(*self_signed("elsewhere.example"))),
    ),
    Report(
        ("lagrange #434",), "certificates that are renewed every 60 days", "`--trust SHA256` accepts the new one",
        f"{PINS}::test_a_renewed_one_that_its_owner_has_confirmed_replaces_the_first",
    ),
    Report(
        ("jetforce #57",), "`charset=CP437`", "read", gemini(b"20 text/plain; charset=CP437\r\n\x80", "\ufffd"),
    ),
    Report(
        ("stargate #1",), "`charset='utf-8'`, in quotes", "read",
        gemini("20 text/plain; charset='utf-8'\r\nü".encode(), "ü"),
    ),
    Report(("ereandel #38",), "no media type behind 20", "text/gemini", gemini(b"20 \r\n# hi\r\n", "# hi\n")),
    # --- news --------------------------------------------------------------------------------------------------------
    Report(
        ("sabctools #96",), "yEnc sums of 64 bits", "the last eight digits count",
        f"{NEWS}/wire/test_binaries.py::test_a_checksum_is_the_last_eight_digits",
    ),
    Report(
        ("infinidysk #1497", "yenc #2"), "parts whose `total` or `size` is a decoy; only `pcrc32`", "read",
        f"{NEWS}/wire/test_binaries.py::test_a_part_of_a_file_says_which",
    ),
    Report(
        ("infinidysk #393", "altmount #852"), "damage is silent", "an error, and no file of that name",
        f"{NEWS}/test_articles.py::test_a_damaged_file_is_never_saved_under_its_name",
    ),
    Report(
        ("pynntp #99", "nzbget #100"), "yEnc by BODY; no empty line behind the head", "the file is whole",
        a_file_however_it_comes,
    ),
    Report(
        ("pynab #109/#189", "nntpchan #167"), "broken lines of an overview",
        "the others are listed, and one note counts them",
        "tests/schemes/test_unparsed_lines.py::test_one_odd_line_hides_nothing_else",
    ),
    Report(
        ("lbbs #58",), "LF lines in a reply with CR LF", "a second of silence ends it, with a note",
        "tests/schemes/test_kept_open.py::test_a_news_server_whose_lines_end_with_lf_is_not_waited_for",
    ),
    Report(
        ("nntpit #3",), "a low water mark of 0", "the group is listed, and its articles",
        news("g", {
            "GROUP": b"211 2 0 1 g\r\n", "CAPABILITIES": b"101 these\r\nVERSION 2\r\nREADER\r\nOVER\r\n.\r\n",
            "OVER": b"224 these\r\n0\tNull\tme\t\t<0@h>\t\t9\t1\r\n1\tOne\tme\t\t<1@h>\t\t9\t1\r\n.\r\n",
        }, "document Null news://{}/0@h\ndocument One news://{}/1@h\n"),
    ),
    Report(
        ("go-nntp #2", "nzbget #428", "sabnzbd #287"), "480 at MODE READER; 281 at once; no user",
        "the login is asked for, and no password is sent that is not wanted",
        f"{NEWS}/test_verbs.py::test_older_servers",
    ),
    Report(
        ("thunderlink #12",), "identifiers with `$`", "read", asked_for("news://h.example/a$b@c", "ARTICLE <a$b@c>"),
    ),
    Report(
        ("mailcore2 #1318",), "an article without its group", "no group is selected",
        asked_for("news://h.example/a@b", "ARTICLE <a@b>"),
    ),
    Report(
        ("RssBandit #1719",), "`news://host/identifier`, and what Thunderbird copies (`?group=...`)", "the article",
        asked_for("news://h.example/a@b?group=g&key=12", "ARTICLE <a@b>",
                  told="(“?group=g&key=12” is left out: a news URL has no query, and an identifier none of these)\n"),
    ),
    Report(
        ("neomutt #1015", "thunderbird-android #2722"), "a character in two encoded words",
        "their octets are joined before they are decoded",
        f"{NEWS}/wire/test_headers.py::test_words_in_other_charsets",
    ),
    # --- telnet ------------------------------------------------------------------------------------------------------
    Report(
        ("conman #9", "robotframework #1908", "icy_board #14"), "options that are answered for ever; unknown options",
        "each is answered once",
        f"{TELNET}/test_options.py::test_two_sides_that_want_anything_come_to_an_end_and_agree",
    ),
    Report(
        ("9swampy/Telnet #83",), "loops; SEND with an octet more", "answered",
        f"{TELNET}/test_stream.py::test_a_terminal_type_is_sent_whatever_stands_behind_the_request",
    ),
    Report(
        ("dosbox-staging #582",), "a client that begins to negotiate elsewhere than at port 23",
        "there the service begins",
        "tests/schemes/telnet/test_verbs.py::test_a_client_begins_only_at_the_port_of_telnet",
    ),
    Report(
        ("espurna #1750", "telnetspy #3"), "lines with LF are a staircase",
        "a line end, while the service leaves lines to the terminal",
        f"{TELNET}/test_stream.py::test_a_bare_lf_is_a_line_end_on_a_terminal_while_lines_are_edited_here",
    ),
    Report(
        ("blink #1176", "sshwifty #4"), "boards in CP437 or GBK", "`--charset cp437`",
        f"{TELNET}/test_screen.py::test_another_charset_is_shown",
    ),
    # --- mailto ------------------------------------------------------------------------------------------------------
    Report(
        ("nylas-mail #3635", "kMail #1020"), "`;` between addresses, names beside them", "sent to the addresses",
        commands(
            draft("mailto:a@b.example;c@d.example", "To: a@b.example, c@d.example"),
            draft("mailto:Joe%20%3Cj@b.example%3E", "To: j@b.example", "names next to the addresses are left out"),
        ),
    ),
    Report(
        ("jethro #48",), "`;` or `,`", "both, as mutt reads them; `fix` writes `,`",
        commands(
            draft("mailto:a@b.example,%20c@d.example,", "To: a@b.example, c@d.example"),
            (["fix", "mailto:a@b.example; c@d.example"], "mailto:a@b.example,c@d.example\n", "not part of a mailto", 0),
        ),
    ),
    Report(
        ("nylas-mail #397", "pelican-plugins #719"), "`%0D%0A` and `%0A` in a body", "line ends",
        commands(*(draft(f"mailto:a@b.example?body=a{end}b", "To: a@b.example", body="a\nb\n")
                   for end in ("%0D%0A", "%0A"))),
    ),
    Report(
        ("forkcms #2874", "aides-jeunes #527"), "`+` in a subject", "it is a plus (RFC 6068 5)",
        commands(draft("mailto:a@b.example?subject=a+b", "To: a@b.example\nSubject: a+b")),
    ),
)  # fmt: skip
"""The table: 76 reports."""


def section() -> list[str]:
    """The section of docs/peers.md."""
    lines = [
        "## What users of other programs reported",
        "",
        f"{len([where for row in REPORTS for where in row.where])} reports about programs of the small internet, and",
        "what comes of each here. Each row is a test (`tests/peers/test_reports.py`).",
        "",
        "| reports | what was met | here |",
        "|---|---|---|",
    ]
    return [*lines, *(f"| {', '.join(row.where)} | {row.what} | {row.now} |" for row in REPORTS), ""]
