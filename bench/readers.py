"""How fast each reader is, beside what people read such texts with: ``python bench/readers.py``.

Every peer reads the same text in the same run, takes the text out, and finds URLs in it by ``re.findall``, as fast as
Python can; html.parser, selectolax and lxml take the values of href. It ends with 1 if links in HTML are not found 20
times as fast as by html.parser. Peers that are not installed are left out.
"""

from __future__ import annotations

import argparse
import csv
import email
import email.policy
import gzip
import html.parser
import io
import json
import re
import sys
import zipfile
from collections.abc import Callable
from email.message import EmailMessage
from importlib import import_module
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from find import exhaust, rate, text_with_urls

from anyurl.text import find, hypertext

BAR = 20
"""How many times as fast as html.parser, on a page of nothing but links."""
URLS = re.compile(r"[a-z][a-z0-9+.-]*://[^\s\"'<>]+")


def lines(size: int) -> list[str]:
    return text_with_urls(size, 250).splitlines()


def page(size: int) -> str:
    link = "https://www.host{0}.example.org/docs/page{0}.html"
    item = f'<li><a href="{link}" class="ref" title="Page {{0}}">Page {{0}}</a></li>\n'
    return "".join(item.format(number) for number in range(size // 120))


def mail(text: list[str]) -> bytes:
    message = EmailMessage()
    message["Subject"] = "bench"
    message.set_content("\n".join(text), cte="quoted-printable")
    return bytes(message)


def table(text: list[str]) -> bytes:
    file = io.StringIO(newline="")
    csv.writer(file).writerows([number, line, "x"] for number, line in enumerate(text))
    return file.getvalue().encode()


def packed(text: list[str]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.txt", "\n".join(text))
    return file.getvalue()


class Links(html.parser.HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.links += [value for name, value in attrs if name == "href" and value]


def by_html_parser(data: bytes) -> list[str]:
    parser = Links()
    parser.feed(data.decode())
    return parser.links


def by_selectolax(data: bytes) -> list[str]:
    parser = import_module("selectolax.lexbor").LexborHTMLParser(data.decode())
    return [node.attributes["href"] for node in parser.css("[href]")]


def by_lxml(data: bytes) -> list[str]:
    return [str(value) for value in import_module("lxml.html").document_fromstring(data).xpath("//@href")]


def by_etree(data: bytes) -> list[str]:
    tree = import_module("lxml.etree").fromstring(data)
    return [url for element in tree.iter() for url in URLS.findall(element.text or "")]


def by_email(data: bytes) -> list[str]:
    return URLS.findall(email.message_from_bytes(data, policy=email.policy.default).get_content())


def by_csv(data: bytes) -> list[str]:
    return [url for row in csv.reader(io.StringIO(data.decode())) for cell in row for url in URLS.findall(cell)]


def by_markdown_it(data: bytes) -> list[str]:
    blocks = import_module("markdown_it").MarkdownIt().parse(data.decode())
    return [str(token.attrs["href"]) for block in blocks for token in block.children or () if token.type == "link_open"]


def by_docutils(data: bytes) -> list[str]:
    options = {"report_level": 5}
    tree = import_module("docutils.core").publish_doctree(data.decode(), settings_overrides=options)
    nodes = import_module("docutils.nodes")
    return [node["refuri"] for node in tree.findall(nodes.reference) if "refuri" in node]


def by_zipfile(data: bytes) -> list[str]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return [url for name in archive.namelist() for url in URLS.findall(archive.read(name).decode())]


Peer = tuple[str, Callable[[bytes], Any], float]
"""Its name, what it does, and how much of the text it is given."""


def kinds(size: int) -> list[tuple[str, bytes, list[Peer]]]:
    """Format, text, and peers of each kind."""
    text = lines(size)
    urls = URLS.findall("\n".join(text))
    escapes = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
    return [
        ("json", json.dumps(text).replace("/", "\\/").encode(),
         [("json.loads", lambda data: [url for line in json.loads(data) for url in URLS.findall(line)], 1)]),
        ("csv", table(text), [("csv.reader", by_csv, 1)]),
        ("log", "\n".join(f"\x1b[32m{line}\x1b[0m" for line in text).encode(),
         [("re.sub", lambda data: URLS.findall(escapes.sub("", data.decode())), 1)]),
        ("mail", mail(text), [("email", by_email, 0.5)]),
        ("markdown", "\n\n".join(f"[a]({url})" for url in urls).encode(),
         [("markdown-it-py", by_markdown_it, 0.2)]),
        ("rst", "\n\n".join(f"`a{number} <{url}>`_" for number, url in enumerate(urls)).encode(),
         [("docutils", by_docutils, 0.02)]),
        ("html", page(size).encode(),
         [("html.parser", by_html_parser, 0.3), ("selectolax", by_selectolax, 1), ("lxml", by_lxml, 1)]),
        ("xml", b"<?xml version='1.0'?><urlset>" + b"".join(
            b"<url><loc>https://h%d.example/?a&amp;b=%d</loc></url>\n" % (i, i) for i in range(size // 60)
        ) + b"</urlset>", [("lxml", by_etree, 1)]),
        ("gzip", gzip.compress("\n".join(text).encode()),
         [("gzip.decompress", lambda data: URLS.findall(gzip.decompress(data).decode()), 1)]),
        ("zip", packed(text), [("zipfile", by_zipfile, 1)]),
    ]  # fmt: skip


def main() -> int:
    """Print the table; 1 if the bar is not reached."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--size", type=float, default=10, help="MB of each text (10)")
    options = parser.parse_args()
    print(f"Python {sys.version.split()[0]}, {'compiled' if hypertext.COMPILED else 'pure'} kernel")
    reached = True
    for format, data, peers in kinds(int(options.size * 1e6)):
        mine = rate(lambda f=format, d=data: exhaust(find(d, format=f)), len(data), 3)  # type: ignore[misc]
        print(f"  {format:10} {len(data) / 1e6:5.1f} MB {mine:8.1f} MB/s", end="")
        for name, read, share in peers:
            # html and Markdown may be cut anywhere; what may not be is given whole
            part = data if share == 1 or format == "mail" else data[: data.rindex(b"\n", 0, int(len(data) * share))]
            try:
                theirs = rate(lambda r=read, p=part: r(p), len(part), 2)  # type: ignore[misc]
            except ImportError:
                print(f"   {name} is not installed", end="")
                continue
            print(f"   {name} {theirs:.1f}, {mine / theirs:.1f} times", end="")
            reached &= name != "html.parser" or mine >= BAR * theirs
        print(flush=True)
    return int(not reached)


if __name__ == "__main__":
    raise SystemExit(main())
