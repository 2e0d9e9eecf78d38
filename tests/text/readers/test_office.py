"""The parts of office documents: beside the libraries that everybody reads them with, and by hand."""

from __future__ import annotations

import io
import zipfile
from typing import Any

import pytest

from anyurl.text import find
from anyurl.text.readers import registry
from tests.rows import each_row
from tests.text.readers.contract import Contract

WORD = b'<?xml version="1.0"?>\n<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
SLIDE = b'<p:sld xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main">'
OPEN = b'<office:text xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:xlink="http://www.w3.org/1999/xlink">'
RELATIONS = b'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'


class TestOffice(Contract):
    format = "office"
    samples = [
        (
            WORD + b"<w:p><w:r><w:t>http://h/</w:t></w:r>\n <w:r><w:rPr><w:b/>"
            b"<w:rPrChange><w:rPr><w:i/></w:rPr></w:rPrChange></w:rPr><w:t>a&amp;b</w:t></w:r></w:p><w:p><w:r><w:t>http://i/</w:t><w:br/><w:t>no</w:t></w:r></w:p>",
            [
                (
                    "http://h/a&b",
                    "*",
                    "bare",
                ),
                ("http://i/", "http://i/", "bare"),
            ],
        ),
        (  # a field, what was deleted, a hyphen, a number of a cell
            WORD + b'<w:r><w:instrText xml:space="preserve"> HYPERLINK "http://h/</w:instrText></w:r><w:r>'
            b'<w:instrText>a" \\o "x"</w:instrText></w:r><w:fldSimple w:instr=" HYPERLINK &quot;http://i/&quot; "/>'
            b"<w:p><w:del><w:r><w:t>http://no/</w:t></w:r></w:del><w:t>http://j/a</w:t><w:noBreakHyphen/><w:t>b</w:t></w:p>",
            [
                ("http://h/a", "http://h/</w:instrText></w:r><w:r><w:instrText>a", "bare"),
                ("http://i/", "http://i/", "bare"),
                ("http://j/a-b", "http://j/a</w:t><w:noBreakHyphen/><w:t>b", "bare"),
            ],
        ),
        (
            RELATIONS
            + b'<Relationship Type="http://schemas.openxmlformats.org/hyperlink" Target="http://h/a b?c=&quot;d&quot;."'
            b' TargetMode="External"/><Relationship Type="http://schemas.openxmlformats.org/x" Target="http://no/"/>',
            [("http://h/a%20b?c=%22d%22.", "http://h/a b?c=&quot;d&quot;.", "link")],
        ),
        (  # kinds of things, and a description
            SLIDE
            + b'<a:graphicData uri="http://no/"><p:pic descr="see http://h/a."/><a:t>ftp://i/</a:t></a:graphicData>'
            b'<a:r><a:t>ftp://j/</a:t></a:r><a:r><a:rPr lang="en"><a:hlinkClick r:id="r1"/></a:rPr><a:t>b</a:t></a:r>',
            [
                ("http://h/a", "http://h/a", "bare"),
                ("ftp://i/", "ftp://i/", "bare"),
                ("ftp://j/b", "*", "bare"),
            ],
        ),
        (  # text between elements counts in OpenDocument
            OPEN
            + b'<text:p>see http://h/<text:span>a</text:span>b <text:a xlink:type="simple" xlink:href="http://i/a&amp;b!">'
            b"http://i/</text:a>c<text:line-break/>http://j/<text:s/>d</text:p><text:tracked-changes>http://no/"
            b"</text:tracked-changes><!-- http://no/ --><text:h>http://k/</text:h>",
            [
                ("http://h/ab", "http://h/<text:span>a</text:span>b", "bare"),
                ("http://i/a&b!", "http://i/a&amp;b!", "link"),
                ("http://i/c", "http://i/</text:a>c", "bare"),
                ("http://j/", "http://j/", "bare"),
                ("http://k/", "http://k/", "bare"),
            ],
        ),
        (
            WORD + b"<w:t>http://h/&nbsp;a http://i/&#xE9;&#9;x</w:t><w:t>http://j/&am",
            [
                ("http://h/", "http://h/", "bare"),
                ("http://i/%C3%A9", "http://i/&#xE9;", "bare"),
                ("http://j/&am", "*", "bare"),
            ],
        ),
    ]
    pieces = (
        b"<w:p>", b"</w:p>", b"<w:r>", b"</w:r>", b"<w:t>", b"</w:t>", b"<w:rPr>", b"</w:rPr>", b"<w:br/>",
        b"&amp;", b"&", b'<x Target="', b'<x href="', b'"/>', b"<!--", b"-->", b"<", b">", b" ",
        b'<Relationship TargetMode="External" Target="',
    )  # fmt: skip
    hostile = (b"<w:t>&amp;", b"<w:rPr>", b"<w:t", b"<!--", b'<a href="http://h/ &amp;"/>', b"&", b"</", b"<x a='")


def told(data: bytes) -> list[tuple[str, str]]:
    return [(str(found), found.context) for found in find(data, format="auto")]


def saved(document: Any) -> bytes:
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


@pytest.mark.parametrize("library", ["docx", "pptx", "openpyxl"])
def test_an_empty_document_has_no_links(library: str) -> None:
    module = pytest.importorskip(library, reason=f"{library} is not installed (the extra test)")
    make = {"docx": "Document", "pptx": "Presentation", "openpyxl": "Workbook"}[library]
    assert told(saved(getattr(module, make)())) == []


def test_what_python_docx_reads_as_a_paragraph_is_one_text() -> None:
    docx = pytest.importorskip("docx", reason="python-docx is not installed (the extra test)")
    shared = pytest.importorskip("docx.oxml.shared")
    document = docx.Document()
    runs = (
        "See http://h",
        ".example/",
        "a_(b)",
        " and <",
        "https://x.org/?a=1&b=2",
        ">; ftp://i/",
        "\n",
        "c\t",
        "http://j/d-",
        "e",
    )
    for count in range(1, 5):
        paragraph = document.add_paragraph(f"{count}. ")
        for number, text in enumerate(runs):
            run = paragraph.add_run(text)
            run.bold = number % count == 0
    target = "http://rel.example/a?b=c&d#e"
    link = shared.OxmlElement("w:hyperlink")
    link.set(shared.qn("r:id"), document.part.relate_to(target, docx.opc.constants.RELATIONSHIP_TYPE.HYPERLINK, True))
    run = shared.OxmlElement("w:r")
    run.text = "and http://k/ "
    link.append(run)
    document.paragraphs[-1]._p.append(link)
    document.add_table(1, 2).cell(0, 0).text = "http://cell/"
    data = saved(document)
    read = docx.Document(io.BytesIO(data))
    wanted = [str(found) for paragraph in read.paragraphs for found in find(paragraph.text)]
    wanted += [str(found) for table in read.tables for cell in table._cells for found in find(cell.text)]
    assert sorted(told(data)) == sorted(
        [*((url, "angle" if "x.org" in url else "bare") for url in wanted), (target, "link")]
    )
    assert len(wanted) == 18


def test_what_python_pptx_and_openpyxl_have_linked_is_found() -> None:
    pptx = pytest.importorskip("pptx", reason="python-pptx is not installed (the extra test)")
    openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed (the extra test)")
    slides = pptx.Presentation()
    paragraph = slides.slides.add_slide(slides.slide_layouts[5]).shapes.title.text_frame.paragraphs[0]
    for text in ("see ftp://h", "/x", "y "):
        paragraph.add_run().text = text
    run = paragraph.add_run()
    run.text, run.hyperlink.address = "here", "https://i.example/?a=1&b=2"
    assert told(saved(slides)) == [("ftp://h/xy", "bare"), ("https://i.example/?a=1&b=2", "link")]
    book = openpyxl.Workbook()
    book.active["A1"] = "http://j/a"
    book.active["A1"].hyperlink = "http://k/b#c?x=1&y=2"
    book.active["A2"] = '=HYPERLINK("http://l/","x")'
    assert told(saved(book)) == [("http://j/a", "bare"), ("http://l/", "bare"), ("http://k/b#c?x=1&y=2", "link")]


def test_an_open_document_is_read_as_one() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.text")
        archive.writestr(
            "content.xml",
            b'<?xml version="1.0" encoding="UTF-8"?>\n' + OPEN + b"<text:p>http://h/<text:span>a</text:span>",
        )
        archive.writestr(
            "META-INF/manifest.xml", '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:x"/>'
        )
    assert told(file.getvalue()) == [("http://h/a", "bare")]


@each_row(
    ("name", "head", "format"),
    [
        ("word/document.xml", WORD, "office"),
        ("a.xml", b'\xef\xbb\xbf<?xml version="1.0"?>' + SLIDE, "office"),
        ("content.xml", OPEN, "office"),
        ("", OPEN, "office"),
        ("_rels/.rels", b"", "office"),
        ("a.fodt", b"", "office"),
        ("vmlDrawing1.vml", b'<xml xmlns:v="urn:schemas-microsoft-com:vml">', "office"),
        ("a.xml", b"<feed xmlns='http://www.w3.org/2005/Atom'>", "xml"),
        ("a.xml", b"<a><w:document xmlns:w='http://schemas.openxmlformats.org/x'>", "xml"),
        ("a.svg", b"<svg xmlns:v='urn:schemas-microsoft-com:vml'>", "xml"),
        ("a.html", b"<html xmlns:v='urn:schemas-microsoft-com:vml'>", "html"),
        ("a.txt", b"see <w:document xmlns:w='http://schemas.openxmlformats.org/x'>", "text"),
    ],
)
def test_a_part_is_told_by_the_namespaces_of_its_first_element(name: str, head: bytes, format: str) -> None:
    assert registry.tell(name, head) == format
