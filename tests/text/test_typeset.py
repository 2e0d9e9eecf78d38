"""What real typesetters make of a wrapped URL: printed, and read again, it is the same URL, or one of its readings.

groff fills, hyphenates and breaks the text as a manual page; Chromium sets it as a page of a column in PDF, of which
poppler takes the text. ``python -m tests.text.test_typeset FOLDER`` leaves the pages there to be looked at.
"""

from __future__ import annotations

import html
import os
import subprocess
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from anyurl import URL, find
from anyurl.cli.run import run
from anyurl.grammar import formal_grammar
from anyurl.text import replace, wrap
from tests.rows import each_row

PROSE = "Yes, Jim, I found it under {} but you can probably pick it up from there as well-known pages say it is."
ROFF = str.maketrans({"\\": r"\e", "-": r"\-", "'": r"\(aq", "`": r"\(ga", "~": r"\(ti", "^": r"\(ha"})
"""As whoever writes manual pages has to; a bare hyphen is tried as well, for many don't."""

WRITTEN = (
    "http://www.host.dom/one-two-three-four-five-six/seven-eight-nine-ten?eleven=twelve-thirteen#fourteen-fifteen",
    "ftp://info.cern.ch/pub/www/doc;type=d",
    "gopher://gopher.host.dom:7070/7a-rather-long-selector/with-pieces%09and%20some-words",
    "http://xn--bcher-kva.example/-/--/---/a-b--c---d",
    "news:some-group.with-hyphens.alt-binaries",
    "http://ds.internic.net/instructions/overview.html#WARNING",
    "wais://host-a.dom/data-base/TEXT/%00-%FF-document-identifier-of-some-length",
)


HYPHENATED = (
    "http://information.example.org/documentation/internationalization?characteristic=responsibility/",
    "https://www.internationalization-responsibility.example/documentation-of-communication/implementation/",
)
"""Of words that groff hyphenates; the slash at the end tells the last one from the next word of the sentence."""


BETWEEN = "=" * 20
"""A line between two pages: it fits into the least width."""


def urls() -> list[str]:
    """Some that people wrote, and some that the RFC's productions make."""
    made = formal_grammar("rfc1738").generate(1738, valid=True)
    usable = (text for text in made if 20 < len(text) < 200 and text == str(read(text)))
    return [*WRITTEN, *islice(usable, 40)]


def read(text: str) -> URL | None:
    try:
        return URL(text)
    except ValueError:
        return None


def readings(text: str) -> list[list[str]]:
    """All that `find` reads in a text: of each URL the readings, with their fragments."""
    found = []
    for one in find(text):
        tail = "" if one.fragment is None else f"#{one.fragment}"
        found.append([f"{one.url}{tail}", *map(str, one.alternatives)])
    return found


def is_read(url: str, text: str, *, first: bool) -> None:
    said = readings(text)
    assert any(url in each[: 1 if first else None] for each in said), f"{url} is not in {said} of\n{text.strip()}"


@pytest.mark.parametrize("width", [24, 40, 72])
@pytest.mark.parametrize("device", ["ascii", "utf8"])
@pytest.mark.needs("groff", "troff", "grotty")
def test_groff_prints_what_is_read_as_the_same_url(device: str, width: int) -> None:
    """In its own lines, and filled with the text around it: hyphens as U+2010, words broken with hyphens of its own.

    Where what the writer typed is printed in another way than what groff hyphenates with, the URL is the first reading.
    """
    before, behind = PROSE.split("{}")
    for hyphen in (r"\-", "-"):
        pages = []
        for url in urls():
            wrapped = wrap(url, width=width).translate(ROFF).replace(r"\-", hyphen)
            lines = "\n".join(f"\\&{line}" for line in wrapped.split("\n"))
            pages.append(f".ll {width}n\n.hy 1\n{before}\n.nf\n{lines}\n.fi\n{behind}\n")
        filled = [page.replace(".nf\n", "").replace(".fi\n", "") for page in pages]
        is_told = device == "utf8" and hyphen == r"\-"
        printed = groff([*pages, *filled], device)
        for url, page, flowing in zip(urls(), printed, printed[len(pages) :], strict=False):
            is_read(url, page, first=True)
            is_read(url, flowing, first=is_told)


@pytest.mark.parametrize("width", [24, 40, 72])
@pytest.mark.needs("groff", "troff", "grotty")
def test_a_url_that_groff_has_hyphenated_in_running_text_goes_on(width: int) -> None:
    for url in HYPHENATED:
        page = f".ll {width}n\n.hy 1\n{PROSE.format(url.translate(ROFF))}\n"
        (printed,) = groff([page], "utf8")
        assert width > 40 or "\u2010\n" in printed.partition("://")[2], "groff has hyphenated the URL"
        is_read(url, printed, first=True)


@each_row(
    ("printed", "told"),
    [
        ("http://a.b/c\u2010\nhttp://d.e/f", [["http://a.b/c-"], ["http://d.e/f"]]),
        ("* http://a.b/c\u2010\n* http://d.e/f", [["http://a.b/c-"], ["http://d.e/f"]]),
        ("http://a.b/c\u2010\nWWW.d.org/f", [["http://a.b/c-"], ["http://WWW.d.org/f"]]),
        ("http://a.b/c\u2010\nj@d.e/f", [["http://a.b/c-"]]),
        ("http://a.b/c\u2010\n> d/e", [["http://a.b/c-"]]),
        ("http://a.b/c\u2010\n  next point", [["http://a.b/c-", "http://a.b/cnext"]]),
        ("http://a.b/c\u2010\nnext. And", [["http://a.b/c-", "http://a.b/cnext"]]),
        ("http://a.b/c\u2010\n d\u2010\n e/f", [["http://a.b/cde/f", "http://a.b/cd-e/f"]]),
        ("http://a.b/c\u2010\nd?e", [["http://a.b/cd?e", "http://a.b/c-d?e"]]),
        ("http://a.b\u2010\nand then", [["http://a.b-"]]),
        ("http://a.b\u2010\nand/or", [["http://a.b-"]]),
        ("http://a\u2010\nb.c/d", [["http://ab.c/d", "http://a-b.c/d"]]),
        ("http://a\u2010\nREADME.txt of", [["http://a-"]]),
    ],
)
def test_a_hyphen_at_a_line_end_is_a_typesetters_if_what_follows_is_plainly_of_a_url(
    printed: str, told: list[list[str]]
) -> None:
    """No other URL is swallowed, no word becomes part of a host, and a guess is not the first reading, nor written."""
    for text in (f"{printed}\n", f"see {printed} so", f"see {printed}"):
        found = list(find(text, www=True))
        got = [[str(each), *map(str, each.alternatives)] for each in found]
        assert [each[0] for each in got] == [each[0] for each in told], text
        assert all(set(each) >= set(wanted) for each, wanted in zip(got, told, strict=True)), got
        octets = text.encode()
        for cut in range(len(octets)):
            assert list(find([octets[:cut], octets[cut:]], www=True)) == found, octets[:cut]
        if "\n" in found[0].raw:
            with pytest.raises(ValueError, match="a hyphen breaks at a line end"):
                found[0].replace("http://new/")


@pytest.mark.parametrize("word", ["nd", "nd/or"])
def test_what_a_hyphen_breaks_at_a_line_end_is_not_replaced_by_a_guess(word: str) -> None:
    text = f"http://a.b/c\u2010\n{word} then".encode()
    if "/" in word:
        with pytest.raises(ValueError, match="a hyphen breaks at a line end"):
            replace(text, lambda _: "http://new/")
    else:
        assert replace(text, lambda _: "http://new/") == f"http://new/\n{word} then".encode()


@pytest.mark.parametrize(
    "behind", ["example.org/path", "ftp.example.org/pub/x", "WWW.example.org/path", "http://d.e/f"]
)
def test_what_follows_a_filled_line_is_searched_too(behind: str) -> None:
    text = f"{'http://a.b/c':>79}\n{behind}\n"
    found = [str(each) for each in find(text, www=True, bare=True)]
    assert found == ["http://a.b/c", behind if "//" in behind else f"http://{behind}"]
    octets = text.encode()
    for cut in range(len(octets)):
        assert [str(each) for each in find([octets[:cut], octets[cut:]], www=True, bare=True)] == found


@pytest.mark.parametrize("line", ["http://a.b/c\n", "see http://a.b\n"])
def test_a_line_that_is_not_filled_is_told_before_the_next_one_comes(line: str) -> None:
    told: list[int] = []

    def lines() -> Iterator[str]:
        yield line
        told.append(1)
        yield "next"

    next(iter(find(lines())))
    assert told == []


@pytest.mark.parametrize("width", [80, 100, 132, 250])
def test_a_url_that_fills_the_line_of_a_terminal_may_go_on_in_the_next(width: int) -> None:
    url = "http://www.host.dom/one-two-three/seven-eight-nine-ten?eleven=twelve,thirteen#fourteen"
    for behind in range(len("#fourteen"), len("/seven-eight-nine-ten?eleven=twelve,thirteen#fourteen")):
        shown = f"{'at '.rjust(width - len(url) + behind)}{url} or"
        (said,) = readings(f"{shown[:width]}\n{shown[width:]}\n")
        if shown[width - 1] not in "?,":  # these marks end a sentence where a line ends
            assert said[:2] == [url[:-behind], url]
        (said,) = readings(f"{shown[:width]}\n {shown[width:]}\n")
        assert url not in said


def groff(pages: list[str], device: str) -> list[str]:
    """What it prints of each: they are one document for it, since each start of it takes longer than a page."""
    command = ["groff", f"-T{device}", "-P-c"]
    document = "".join(f"{page}.br\n{BETWEEN}\n.br\n" for page in pages)
    done = subprocess.run(command, input=document.encode(), capture_output=True, check=True, timeout=60)
    printed = done.stdout.decode("utf-8").split(f"{BETWEEN}\n")
    assert len(printed) == len(pages) + 1
    return printed[:-1]


SHEET = """<!DOCTYPE html><html lang="en"><meta charset="utf-8"><style>
@page {{ size: {width}mm 297mm; margin: 8mm }} p {{ font: 11pt serif; hyphens: auto; text-align: justify }}
code {{ font: 10pt monospace; hyphens: none; white-space: {space}; overflow-wrap: anywhere }}
</style>{paragraphs}"""


def sheet(width: int, *, lines: bool, columns: int) -> str:
    paragraphs = []
    for url in urls():
        shown = html.escape(wrap(url, width=columns)) if lines else html.escape(f"<URL:{url}>")
        paragraphs.append(f"<p>{PROSE.format(f'<code>{shown}</code>')}</p>")
    return SHEET.format(width=width, space="pre-wrap" if lines else "normal", paragraphs="".join(paragraphs))


def printed_by_chromium(page: str, folder: Path) -> str:
    (folder / "page.html").write_text(page, encoding="utf-8")
    chromium = [
        "chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync",
        "--disable-background-networking", "--host-resolver-rules=MAP * ~NOTFOUND",
        f"--user-data-dir={folder / 'profile'}",
        "--no-pdf-header-footer", f"--print-to-pdf={folder / 'page.pdf'}", f"file://{folder / 'page.html'}",
    ]  # fmt: skip
    subprocess.run(chromium, check=True, capture_output=True, timeout=240)
    done = subprocess.run(
        ["pdftotext", "-layout", folder / "page.pdf", "-"], check=True, capture_output=True, timeout=60
    )
    return done.stdout.decode("utf-8").replace("\f", "")


if "ANYURL_SLOW" in os.environ:  # a browser is a large package: `.ci/full` has it

    @pytest.mark.needs("chromium", "pdftotext")
    def test_chromium_prints_what_is_read_as_the_same_url(tmp_path: Path) -> None:
        """In the lines of `wrap`, on a page that has room for them, each URL is the first reading."""
        text = printed_by_chromium(sheet(170, lines=True, columns=40), tmp_path)
        for url in urls():
            is_read(url, text, first=True)

    @pytest.mark.needs("chromium", "pdftotext")
    def test_chromium_breaks_a_url_so_that_it_is_among_the_readings(tmp_path: Path) -> None:
        text = printed_by_chromium(sheet(75, lines=False, columns=0), tmp_path)
        for url in urls():
            is_read(url, text, first=False)


def test_the_command_writes_what_find_reads(capsys: pytest.CaptureFixture[str]) -> None:
    for url in urls():
        for width in ("12", "40", "72"):
            assert run(["fix", "--reveal", "--wrap", width, url]) == 0
            printed = capsys.readouterr().out
            assert printed == wrap(url, width=int(width)) + "\n"
            assert readings(printed)[0][0] == url


if __name__ == "__main__":
    sys.stdout.write(printed_by_chromium(sheet(75, lines=False, columns=0), Path(sys.argv[1])))
