"""How fast each reader is, beside what people read such texts with: ``python bench/readers.py``.

Every peer reads the same text in the same run, takes the text out, and finds URLs in it by ``re.findall``, as fast as
Python can; html.parser, selectolax and lxml take the values of href. It ends with 1 if links in HTML are not found 20
times as fast as by html.parser. Peers that are not installed are left out. `bench/find.py` ends with this table.
"""

from __future__ import annotations

import argparse
import bz2
import csv
import email
import email.policy
import gzip
import html.parser
import io
import json
import lzma
import re
import sys
import tarfile
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


def table(text: list[str], mark: str = ",") -> bytes:
    file = io.StringIO(newline="")
    csv.writer(file, delimiter=mark).writerows([number, line, "x"] for number, line in enumerate(text))
    return file.getvalue().encode()


def as_zip(text: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.txt", text)
    return file.getvalue()


def as_tar(text: bytes) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        info = tarfile.TarInfo("a.txt")
        info.size = len(text)
        archive.addfile(info, io.BytesIO(text))
    return file.getvalue()


def as_zstd(text: bytes) -> bytes:
    packed: bytes = zstd().compress(text)
    return packed


def zstd() -> Any:
    return import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")


def notebook(text: list[str]) -> bytes:
    return json.dumps({"cells": [{"cell_type": "markdown", "source": text}]}).encode()


def har(text: list[str]) -> bytes:
    content = "\n".join(text[:50])
    entry = {
        "request": {"url": "https://h.example/"},
        "response": {"content": {"mimeType": "text/plain", "text": content}},
    }
    return json.dumps({"log": {"entries": [entry] * (len(text) // 50)}}).encode()


def pdf(text: list[str]) -> bytes:
    """A tenth of the text, at most 20 pages of it: what a library takes to read one is not the number of its octets."""
    document = import_module("fpdf").FPDF()
    document.set_font("Helvetica", size=8)
    for start in range(0, min(len(text), 1000), 50):
        document.add_page()
        document.multi_cell(0, 5, "\n".join(line[:100] for line in text[start : start + 50]))
    return bytes(document.output())


def by_pypdf(data: bytes) -> list[str]:
    pages = import_module("pypdf").PdfReader(io.BytesIO(data)).pages
    return [url for page in pages for url in URLS.findall(page.extract_text())]


def by_har(data: bytes) -> list[str]:
    texts = [entry["response"]["content"]["text"] for entry in json.loads(data)["log"]["entries"]]
    return [url for text in texts for url in URLS.findall(text)]


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


def by_attributes(data: bytes) -> list[str]:
    return [str(value) for value in import_module("lxml.etree").fromstring(data).xpath("//@href")]


def by_etree(data: bytes) -> list[str]:
    tree = import_module("lxml.etree").fromstring(data)
    return [url for element in tree.iter() for url in URLS.findall(element.text or "")]


def by_email(data: bytes) -> list[str]:
    return URLS.findall(email.message_from_bytes(data, policy=email.policy.default).get_content())


def by_csv(data: bytes, mark: str = ",") -> list[str]:
    rows = csv.reader(io.StringIO(data.decode()), delimiter=mark)
    return [url for row in rows for cell in row for url in URLS.findall(cell)]


def by_json(data: bytes) -> list[str]:
    return [url for line in json.loads(data) for url in URLS.findall(line)]


def by_json_lines(data: bytes) -> list[str]:
    return [url for line in data.splitlines() for url in URLS.findall(json.loads(line)["text"])]


def by_notebook(data: bytes) -> list[str]:
    return [url for cell in json.loads(data)["cells"] for line in cell["source"] for url in URLS.findall(line)]


def without(escapes: str, written: str) -> Callable[[bytes], list[str]]:
    """What takes the escapes of a format out by one pattern, and looks for URLs in the rest."""
    pattern = re.compile(escapes)
    return lambda data: URLS.findall(pattern.sub(written, data.decode()))


def unpacked(unpack: Callable[[bytes], bytes]) -> Callable[[bytes], list[str]]:
    return lambda data: URLS.findall(unpack(data).decode())


def by_markdown_it(data: bytes) -> list[str]:
    blocks = import_module("markdown_it").MarkdownIt().parse(data.decode())
    return [str(token.attrs["href"]) for block in blocks for token in block.children or () if token.type == "link_open"]


def by_docutils(data: bytes) -> list[str]:
    options = {"report_level": 5}
    tree = import_module("docutils.core").publish_doctree(data.decode(), settings_overrides=options)
    nodes = import_module("docutils.nodes")
    return [node["refuri"] for node in tree.findall(nodes.reference) if "refuri" in node]


def by_tinycss2(data: bytes) -> list[str]:
    sheet = import_module("tinycss2").parse_stylesheet(data.decode())
    return [token.value for rule in sheet for token in rule.content or () if token.type == "url"]


def of_zip(data: bytes) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return archive.read("a.txt")


def of_tar(data: bytes) -> bytes:
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        file = archive.extractfile("a.txt")
        return file.read() if file else b""


Peer = tuple[str, Callable[[bytes], Any], float]
"""Its name, what it does, and how much of the text it is given."""


def kinds(size: int) -> list[tuple[str, bytes, list[Peer]]]:
    """Format, text, and peers of each kind."""
    text = lines(size)
    plain = "\n".join(text).encode()
    urls = URLS.findall(plain.decode())
    return [
        ("text", plain, [("re.findall", lambda data: URLS.findall(data.decode()), 1)]),
        ("json", json.dumps(text).replace("/", "\\/").encode(), [("json.loads", by_json, 1)]),
        ("jsonl", "".join(json.dumps({"text": line}) + "\n" for line in text).encode(),
         [("json.loads", by_json_lines, 1)]),
        ("notebook", notebook(text), [("json.loads", by_notebook, 1)]),
        ("csv", table(text), [("csv.reader", by_csv, 1)]),
        ("tsv", table(text, "\t"), [("csv.reader", lambda data: by_csv(data, "\t"), 1)]),
        ("office", b"<w:p xmlns:w='http://schemas.openxmlformats.org/'>" + b"".join(
            b"<w:r><w:rPr><w:b/></w:rPr><w:t>https://h%d.example/?a&amp;b=%d </w:t></w:r>\n" % (i, i)
            for i in range(size // 90)
        ) + b"</w:p>", [("lxml", by_etree, 1)]),
        ("po", "".join(f'msgid ""\n"{line}\\n"\nmsgstr ""\n' for line in text).encode(),
         [("re.sub", without(r'"\n"|\\n', ""), 1)]),
        ("log", "\n".join(f"\x1b[32m{line}\x1b[0m" for line in text).encode(),
         [("re.sub", without(r"\x1b\[[0-9;]*[A-Za-z]", ""), 1)]),
        ("mail", mail(text), [("email", by_email, 0.5)]),
        ("latex", re.sub(rb"([_%&#])", rb"\\\1", plain), [("re.sub", without(r"\\([_%&#])", r"\1"), 1)]),
        ("man", plain.replace(b"-", b"\\-"), [("re.sub", without(r"\\(-)", r"\1"), 1)]),
        ("markdown", "\n\n".join(f"[a]({url})" for url in urls).encode(),
         [("markdown-it-py", by_markdown_it, 0.2)]),
        ("rst", "\n\n".join(f"`a{number} <{url}>`_" for number, url in enumerate(urls)).encode(),
         [("docutils", by_docutils, 0.02)]),
        ("html", page(size).encode(),
         [("html.parser", by_html_parser, 0.3), ("selectolax", by_selectolax, 1), ("lxml", by_lxml, 1)]),
        ("xml", f"<ul>{page(size)}</ul>".encode(),
         [("html.parser", by_html_parser, 0.3), ("lxml", by_attributes, 1)]),
        ("xml", b"<?xml version='1.0'?><urlset>" + b"".join(
            b"<url><loc>https://h%d.example/?a&amp;b=%d</loc></url>\n" % (i, i) for i in range(size // 60)
        ) + b"</urlset>", [("lxml", by_etree, 1)]),
        ("css", "\n".join(f".a{number} {{ background: url('{url}') }}" for number, url in enumerate(urls)).encode(),
         [("tinycss2", by_tinycss2, 0.05)]),
        ("har", har(text), [("json.loads", by_har, 1)]),
        ("pdf", pdf(text), [("pypdf", by_pypdf, 1)]),
        ("gzip", gzip.compress(plain), [("gzip", unpacked(gzip.decompress), 1)]),
        ("bzip2", bz2.compress(plain), [("bz2", unpacked(bz2.decompress), 1)]),
        ("xz", lzma.compress(plain, preset=1), [("lzma", unpacked(lzma.decompress), 1)]),
        ("zstd", as_zstd(plain), [("zstd", unpacked(lambda data: bytes(zstd().decompress(data))), 1)]),
        ("zip", as_zip(plain), [("zipfile", unpacked(of_zip), 1)]),
        ("tar", as_tar(plain), [("tarfile", unpacked(of_tar), 1)]),
    ]  # fmt: skip


def compare(size: int) -> bool:
    """Print a row for each reader; whether the bar is reached."""
    reached = True
    for format, data, peers in kinds(size):
        mine = rate(lambda f=format, d=data: exhaust(find(d, format=f)), len(data), 3)  # type: ignore[misc]
        print(f"  {format:10} {len(data) / 1e6:5.1f} MB {mine:8.1f} MB/s", end="")
        for name, read, share in peers:
            # html and Markdown may be cut anywhere; what may not be is given whole
            part = (
                data
                if share == 1 or format in ("mail", "xml", "pdf")
                else data[: data.rindex(b"\n", 0, int(len(data) * share))]
            )
            try:
                theirs = rate(lambda r=read, p=part: r(p), len(part), 2)  # type: ignore[misc]
            except ImportError:
                print(f"   {name} is not installed", end="")
                continue
            print(f"   {name} {theirs:.1f}, {mine / theirs:.1f} times", end="")
            reached &= (format, name) != ("html", "html.parser") or mine >= BAR * theirs
        print(flush=True)
    return reached


def main() -> int:
    """Print the table; 1 if the bar is not reached."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--size", type=float, default=10, help="MB of each text (10)")
    options = parser.parse_args()
    print(f"Python {sys.version.split()[0]}, {'compiled' if hypertext.COMPILED else 'pure'} kernel")
    return int(not compare(int(options.size * 1e6)))


if __name__ == "__main__":
    raise SystemExit(main())
