"""PDF: pages, links, damage; beside pypdf, which reads it."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from anyurl.cli import exits
from anyurl.errors import LimitError, MissingExtraError
from anyurl.text import Budget, find
from anyurl.text.readers import registry
from fuzz.readers import check_growth
from tests.cli.runner import run

pytestmark = pytest.mark.skipif(find_spec("pypdf") is None, reason="pypdf is not installed (the extra pdf)")

TARGETS = ("https://rel.example/a?b=c&d=e#f", "mailto:joe@example.org", "https://rel.example/a b.")


def document() -> bytes:
    fpdf = pytest.importorskip("fpdf", reason="fpdf2 is not installed (the extra test)")
    pdf = fpdf.FPDF()
    pdf.set_font("Helvetica", size=12)
    for number, target in enumerate(TARGETS):
        pdf.add_page()
        pdf.cell(text=f"Page {number}: see http://text.example/{number}-a.", new_x="LMARGIN", new_y="NEXT")
        pdf.cell(text="here", link=target)
    return bytes(pdf.output())


def told(data: object, **options: object) -> list[tuple[str, str]]:
    return [(str(found), found.member) for found in find(data, format="auto", **options)]  # type: ignore[call-overload]


EXPECTED = [
    ("http://text.example/0-a", "page 1"), (TARGETS[0], "page 1 links"),
    ("http://text.example/1-a", "page 2"), (TARGETS[1], "page 2 links"),
    ("http://text.example/2-a", "page 3"), ("https://rel.example/a%20b.", "page 3 links"),
]  # fmt: skip


def test_pages_and_links_are_found_as_the_library_has_them(tmp_path: Path) -> None:
    data = document()
    assert told(data) == EXPECTED
    assert told([data[at : at + 100] for at in range(0, len(data), 100)]) == EXPECTED
    path = tmp_path / "a.pdf"
    path.write_bytes(data)
    with path.open("rb") as file:
        assert told(file) == EXPECTED
    pypdf = pytest.importorskip("pypdf")
    pages = pypdf.PdfReader(io.BytesIO(data)).pages
    texts = [str(found) for page in pages for found in find(page.extract_text())]
    links = [str(entry.get_object()["/A"]["/URI"]) for page in pages for entry in page["/Annots"]]
    assert [url for url, member in EXPECTED if "links" not in member] == texts
    assert [url.replace("%20", " ") for url, member in EXPECTED if "links" in member] == links


def test_what_is_damaged_or_locked_is_told() -> None:
    data = document()
    for broken in (data[:200], b"%PDF-1.7\n", data.replace(b"/Pages", b"/Sages")):
        try:
            assert len(told(broken)) <= len(EXPECTED)
        except OSError as error:
            assert "damaged" in str(error)
    pypdf = pytest.importorskip("pypdf")
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(data))
    writer.encrypt("secret", algorithm="RC4-128")
    locked = io.BytesIO()
    writer.write(locked)
    with pytest.raises(OSError, match="password"):
        told(locked.getvalue())


def written(*objects: bytes) -> bytes:
    """A file of these objects, the first of which is its catalogue."""
    out, places = b"%PDF-1.4\n", []
    for number, each in enumerate(objects, 1):
        places.append(b"%010d 00000 n \n" % len(out))
        out += b"%d 0 obj\n%b\nendobj\n" % (number, each)
    table = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1) + b"".join(places)
    return out + table + b"trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, len(out))


def stream(data: bytes, of: bytes = b"") -> bytes:
    return b"<<%b/Length %d>>\nstream\n%b\nendstream" % (of, len(data), data)


CATALOGUE, FONT = b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
PAGES = b"<</Type/Pages/Kids[%b]/Count %d/MediaBox[0 0 9 9]>>"
PAGE = b"<</Type/Page/Parent 2 0 R/Resources<</Font<</F 3 0 R>>/XObject<</X 5 0 R>>>>/Contents 4 0 R/Annots[%b]>>"
WORDS = b"BT /F 9 Tf (see http://h/) Tj (a and) Tj ET "
LINK = b"<</Subtype/Link/A<</S/URI/URI(http://h/b)>>>>"


def forms(levels: int, pages: int) -> bytes:
    """Pages that draw a form, which draws another one twice, and so on."""
    of = b"/Type/XObject/Subtype/Form/Resources<</Font<</F 3 0 R>>/XObject<</X %d 0 R>>>>"
    drawn = [stream(b"/X Do /X Do", of % (6 + level)) for level in range(levels)]
    kids = b"".join(b"%d 0 R " % (6 + levels + number) for number in range(pages))
    return written(
        CATALOGUE, PAGES % (kids, pages), FONT, stream(b"/X Do"), *drawn, stream(WORDS, of % 5), *[PAGE % b""] * pages
    )


@pytest.mark.parametrize(
    ("what", "count", "repeated"),
    [
        ("pages", 2, lambda n: written(
            CATALOGUE, PAGES % (b"".join(b"%d 0 R " % (5 + i) for i in range(n)), n), FONT, stream(WORDS),
            *[PAGE % b""] * n,
        )),
        ("links", 12, lambda n: written(CATALOGUE, PAGES % (b"5 0 R", 1), FONT, stream(b""), PAGE % (LINK * n))),
        ("words", 4, lambda n: written(CATALOGUE, PAGES % (b"5 0 R", 1), FONT, stream(WORDS * n), PAGE % b"")),
    ],
)  # fmt: skip
def test_four_times_as_much_costs_four_times_the_work(what: str, count: int, repeated: Callable[[int], bytes]) -> None:
    assert len(told(repeated(count))) == count
    check_growth(what, told, repeated, count)


def test_forms_in_forms_end() -> None:
    assert len(told(forms(3, 2))) == 16
    with pytest.raises(LimitError, match="unpacks to too much"):
        told(forms(40, 1), budget=Budget(octets=500))


if "ANYURL_SLOW" in os.environ:  # the library needs seconds for so many

    def test_forms_in_forms_are_a_bomb_whatever_is_allowed() -> None:
        with pytest.raises(LimitError, match="draws far more than it holds"):
            told(forms(40, 40))


def test_pages_and_octets_are_counted() -> None:
    with pytest.raises(LimitError, match="too many members"):
        told(document(), budget=Budget(members=2))
    with pytest.raises(LimitError, match="unpacks to too much"):
        told(document(), budget=Budget(octets=10))


def test_without_the_library_a_pdf_is_a_file_as_any_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anyurl.text.readers.pdf.find_spec", lambda _: None)
    assert registry.tell("a.pdf", b"%PDF-1.7") == "text"
    monkeypatch.setitem(sys.modules, "pypdf", None)
    with pytest.raises(MissingExtraError, match=r"'\.\[pdf\]'"):
        list(find(document(), format="pdf"))


def test_what_is_no_pdf_is_said_to_be_none(tmp_path: Path) -> None:
    (tmp_path / "no.pdf").write_text("http://a.example/ and no PDF")
    done = run("find", "--format", "pdf", str(tmp_path / "no.pdf"))
    assert (done.exit_code, done.stdout) == (exits.LOCAL_FILE, "")
    assert done.stderr == f"anyurl: {tmp_path}/no.pdf can't be read: it is not a PDF, which begins with %PDF-.\n"
    assert run("find", str(tmp_path / "no.pdf")).stdout == "http://a.example/\n"
