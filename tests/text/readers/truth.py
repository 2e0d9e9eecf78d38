"""What the libraries that everybody reads such texts with find in them, to compare the readers with.

On the documents of this project (test_truth.py), and on the files that packages of Debian and PyPI brought to a machine
(``bench/truth.py``).
"""

from __future__ import annotations

import csv
import email
import email.policy
import io
import json
import os
import re
import sysconfig
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest

from anyurl.text import find
from anyurl.url import URL

ROOT = Path(__file__).resolve().parents[3]
RFCS = ("https://tools.ietf.org/html/rfc", "https://datatracker.ietf.org/doc/html/rfc", "https://peps.python.org/")
BASE = "http://base.example/a/b"
ADDRESS = re.compile(r"mailto:[\w.%+-]+@[\w-]+(\.[\w-]+)+")
"""docutils takes any a@b for an address (``crashkernel=64M@16M``), with the quotation mark before it."""
PLACES = (Path("/usr/share"), Path("/usr/lib/python3"), Path(sysconfig.get_path("purelib")))


def documents() -> list[tuple[Path, bytes]]:
    """This project's own pages."""
    return [(path, path.read_bytes()) for path in sorted((*ROOT.glob("docs/*.md"), *ROOT.glob("*.md")))]


def files(suffixes: tuple[str, ...], size: int, places: Iterable[Path] = PLACES) -> Iterator[tuple[Path, bytes]]:
    """Files of the machine with one of these ends, so many octets of them, the same ones on each run."""
    left = size
    for place in places:
        for folder, folders, names in os.walk(place):
            folders.sort()
            for path in (Path(folder, name) for name in sorted(names) if name.endswith(suffixes)):
                if not path.is_file() or path.is_symlink() or path.stat().st_size > 4 << 20:
                    continue
                data = path.read_bytes()
                left -= len(data)
                if left < 0:
                    return
                yield path, data


def texts(data: bytes) -> list[str]:
    """The paragraphs of a page: with every kind of character, and with URLs."""
    return [text for text in data.decode().split("\n\n") if text]


def in_quotes(text: str) -> list[str]:
    """What is found in a text that stands between quotation marks."""
    return [str(item) for item in find(f'"{text}"')]


def found(data: bytes, format: str) -> list[str]:
    return [str(item) for item in find(data, format=format)]


def strings(value: Any) -> Iterator[str]:
    """The strings of what JSON holds, in order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)


def missed(wanted: Iterable[str], got: Iterable[str]) -> list[str]:
    """What is wanted more often than it was got."""
    return list((Counter(wanted) - Counter(got)).elements())


def joined(reference: str) -> str | None:
    """What a reference leads to, or None where it is none for anyurl."""
    try:
        return str(URL(BASE).join(reference.strip(" \t\n\r\f").replace("\n", "").replace(" ", "%20")))
    except ValueError:
        return None


def of_json(data: bytes) -> tuple[list[str], list[str]]:
    wanted = [url for text in strings(json.loads(data)) if ":" in text for url in in_quotes(text)]
    return wanted, found(data, "json")


def of_csv(data: bytes) -> tuple[list[str], list[str]]:
    rows = csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""))
    wanted = [url for row in rows for cell in row for url in in_quotes(cell)]
    return wanted, found(data, "csv")


def of_mail(data: bytes) -> tuple[list[str], list[str]]:
    message = email.message_from_bytes(data, policy=email.policy.default)
    wanted = []
    for part in message.walk():
        if part.get_content_maintype() == "text":
            format = "html" if part.get_content_subtype() == "html" else "text"
            text = part.get_content()
            if "\ufffd" in text:  # octets whose encoding nobody declared: email has none, we read them as UTF-8
                text = part.get_payload(decode=True).decode("utf-8", "surrogateescape")
            wanted += [str(item) for item in find(text, format=format)]
    return wanted, found(data, "mail")


def of_html(data: bytes) -> tuple[list[str], list[str]]:
    html = pytest.importorskip("lxml.html", reason="lxml is not installed (the extra test)")
    tree = html.document_fromstring(data)
    values = [
        element.get(name)
        for element in tree.iter()
        for name in ("href", "src")
        if isinstance(element.tag, str) and element.get(name) and element.tag != "base"
    ]
    wanted = [url for value in values if (url := joined(value)) is not None]
    return wanted, [str(item) for item in find(data, format="html", base=BASE, encoding="auto")]


def of_xml(data: bytes) -> tuple[list[str], list[str]]:
    etree = pytest.importorskip("lxml.etree", reason="lxml is not installed (the extra test)")
    tree = etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True))
    wanted = []
    for element in tree.iter():
        if isinstance(element.tag, str):
            names = [value for name, value in element.items()]
            wanted += [url for value in (*names, element.text or "") for url in in_quotes(value)]
        wanted += in_quotes(element.tail or "")
    return wanted, [str(item) for item in find(data, format="xml", encoding="auto")]


def of_markdown(data: bytes) -> tuple[list[str], list[str]]:
    parser = pytest.importorskip("markdown_it", reason="markdown-it-py is not installed").MarkdownIt()
    parser.validateLink = lambda _: True
    parser.normalizeLink = lambda link: link
    values = [
        token.attrs.get("href") or token.attrs.get("src")
        for block in parser.parse(data.decode())
        for token in block.children or ()
        if token.type in ("link_open", "image") and token.markup != "autolink"
    ]
    wanted = sorted(
        {url for value in values if value and (url := joined(value)) is not None}
    )  # a definition serves many
    return wanted, [str(item) for item in find(data, format="markdown", base=BASE)]


def of_rst(data: bytes) -> tuple[list[str], list[str]]:
    core = pytest.importorskip("docutils.core", reason="docutils is not installed (the extra test)")
    nodes = pytest.importorskip("docutils.nodes")
    tree = core.publish_doctree(
        data.decode(), settings_overrides={"report_level": 5, "halt_level": 5, "file_insertion_enabled": False}
    )
    values = [
        node["refuri"]
        for node in tree.findall(nodes.reference)
        # :rfc:`2396` is no URL in the text: docutils makes one of it
        if "refuri" in node
        and (node["refuri"][:7] != "mailto:" or ADDRESS.match(node["refuri"]))
        and (not node["refuri"].startswith(RFCS) or node["refuri"].encode() in data)
    ]
    wanted = sorted({url for value in values if (url := joined(value)) is not None})  # a definition serves many
    return wanted, [str(item) for item in find(data, format="rst", base=BASE, emails=True)]


def of_po(data: bytes) -> tuple[list[str], list[str]]:
    polib = pytest.importorskip("polib", reason="polib is not installed (the extra test)")
    try:
        catalogue = polib.pofile(data.decode(), encoding="utf-8")
    except OSError as error:  # what the library raises for a text that is none
        raise ValueError(str(error)) from error
    wanted = [str(item) for item in find(catalogue.header)]
    for entry in [catalogue.metadata_as_entry(), *catalogue]:
        texts = (entry.msgid, entry.msgstr, entry.msgid_plural, entry.msgctxt, *entry.msgstr_plural.values())
        former = (entry.previous_msgid, entry.previous_msgid_plural, entry.previous_msgctxt)
        wanted += [url for text in (*texts, *former) if text and ":" in text for url in in_quotes(text)]
        wanted += [str(item) for text in (entry.comment, entry.tcomment) for item in find(text)]
    return wanted, found(data, "po")


def as_po(data: bytes) -> bytes:
    """The paragraphs of a page as the texts of a catalogue, wrapped as msgmerge does it."""
    polib = pytest.importorskip("polib", reason="polib is not installed (the extra test)")
    catalogue = polib.POFile(wrapwidth=40)
    for number, text in enumerate(texts(data)):
        catalogue.append(polib.POEntry(msgid=f"{number} {text}", msgstr=text))
    return str(catalogue).encode()


def packed_mail(pages: list[tuple[Path, bytes]]) -> Iterator[tuple[Path, bytes]]:
    """Each page as mail: in every coding, as text and as HTML."""
    for number, (path, data) in enumerate(pages):
        message = EmailMessage()
        message["Subject"] = "pages"
        coding = ("quoted-printable", "base64", "8bit")[number % 3]
        message.set_content(data.decode(), cte=coding)
        message.add_alternative(
            f"<pre>{data.decode().replace('&', '&amp;').replace('<', '&lt;')}</pre>", subtype="html"
        )
        yield path, bytes(message)


def rows(data: bytes) -> bytes:
    """A page as a table, each paragraph in a cell of its own."""
    file = io.StringIO(newline="")
    csv.writer(file).writerows([number, text, "x"] for number, text in enumerate(texts(data)))
    return file.getvalue().encode()


def rendered(data: bytes) -> bytes:
    parser = pytest.importorskip("markdown_it", reason="markdown-it-py is not installed").MarkdownIt()
    return f"<!DOCTYPE html><meta charset=utf-8>{parser.render(data.decode())}".encode()


def as_rst(data: bytes) -> bytes:
    """The links of a page, written as targets."""
    urls = sorted({str(item) for item in find(data) if "`" not in item.raw and str(item)[-1:] != "_"})
    return "\n\n".join(f"`link {number} <{url}>`_" for number, url in enumerate(urls)).encode()


OWN: dict[str, tuple[Callable[[bytes], Any], Callable[[], Iterable[tuple[Path, bytes]]]]] = {
    "json": (of_json, lambda: [(path, json.dumps(texts(data)).encode()) for path, data in documents()]),
    "json with slashes": (
        of_json,
        lambda: [(path, json.dumps({"a": texts(data)}).replace("/", "\\/").encode()) for path, data in documents()],
    ),
    "csv": (of_csv, lambda: [(path, rows(data)) for path, data in documents()]),
    "mail": (of_mail, lambda: packed_mail(documents())),
    "html": (of_html, lambda: [(path, rendered(data)) for path, data in documents()]),
    "xml": (of_xml, lambda: [(path, path.read_bytes()) for path in sorted(ROOT.glob("docs/*.svg"))]),
    "markdown": (of_markdown, documents),
    "rst": (of_rst, lambda: [(path, as_rst(data)) for path, data in documents()]),
    "po": (of_po, lambda: [(path, as_po(data)) for path, data in documents()]),
}


def of_packed_mail(data: bytes) -> tuple[list[str], list[str]]:
    """A page as mail: in a coding that hangs on its length."""
    message = EmailMessage()
    message.set_content(
        data.decode(errors="replace"), subtype="html", cte=("quoted-printable", "base64", "8bit")[len(data) % 3]
    )
    return of_mail(bytes(message))


def of_packed_csv(data: bytes) -> tuple[list[str], list[str]]:
    return of_csv(rows(data.decode(errors="replace").encode()))


FILES = {
    "json": (of_json, (".json", ".ipynb")),
    "csv": (of_csv, (".csv",)),
    "csv packed": (of_packed_csv, (".rst", ".rst.txt", ".md")),
    "mail": (of_mail, ("METADATA", ".eml")),
    "mail packed": (of_packed_mail, (".html", ".htm")),
    "html": (of_html, (".html", ".htm")),
    "xml": (of_xml, (".xml", ".svg", ".rng", ".xsl")),
    "markdown": (of_markdown, (".md",)),
    "rst": (of_rst, (".rst", ".rst.txt")),
    "po": (of_po, (".po", ".pot")),
}
"""What reads which files of a machine; few have much mail or many tables, so pages are packed as such, too."""
