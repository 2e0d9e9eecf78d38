"""PDF (ISO 32000): the text of each page, and the links that lie over it, as pypdf reads them.

Rule: each page is a text of its own, and its links another one; places count from the start of the page's text, as the
file has neither lines nor characters. Without the extra ``pdf`` such a file is read as any other.
"""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

from anyurl.errors import LimitError, MissingExtraError
from anyurl.text.judgement import encode_unsafe
from anyurl.text.limits import Budget
from anyurl.text.readers.registry import Reader
from anyurl.text.source import PIECE

MAX_FILE = 256 << 20
"""Octets of a file that is not seekable, which is held in memory."""

MAX_BEFORE = 1024
"""Octets at the beginning of a file that must hold its mark (ISO 32000-1 Annex H, note 13)."""

MAX_OPERATORS = 50_000
"""Operators of the descriptions of all pages. A form that draws another one twice, and so on, has no end."""

OPERATORS_AN_OCTET = 5
"""Operators more for each octet of the file: a page of ruled lines, well packed, has two."""

_BEGIN = b"%PDF-"
_DAMAGED = "the PDF is damaged, has a password, or is written in a way that is not read here"


@contextmanager
def _noticed() -> Iterator[None]:
    """Turn whatever the library raises, which hostile octets lead it into, into an OSError."""
    try:
        yield
    except (LimitError, MemoryError):
        raise
    except Exception as error:
        raise OSError(_DAMAGED) from error


def _library() -> Any:
    try:
        import pypdf
    except ImportError as error:
        raise MissingExtraError("PDF needs pypdf: in a clone of anyurl, pip install '.[pdf]'.", extra="pdf") from error
    # It warns of everything that it repairs. Without a handler Python would write that to standard error.
    log = logging.getLogger("pypdf")
    if not log.handlers:
        log.addHandler(logging.NullHandler())
    return pypdf


class _DrawnOperators:
    """Counts the operators that the library interprets: it calls this before each. One is taken for an octet."""

    def __init__(self, size: int, budget: Budget) -> None:
        self.left = MAX_OPERATORS + OPERATORS_AN_OCTET * size
        self.budget = budget

    def __call__(self, *_operation: Any) -> None:
        self.take(1)

    def take(self, operators: int) -> None:
        """Count operators. Raises LimitError if there are too many.

        The library ignores errors within a form: this is called again after each page.
        """
        self.budget.take(operators, 0, 1)
        self.left -= operators
        if self.left < 0:
            raise LimitError("The PDF draws far more than it holds: it may be a bomb.", limit="MAX_OPERATORS")


def _sought(file: Any, budget: Budget) -> Any:
    """The file, or a copy of it, in which the library moves about."""
    if file.seekable():
        return file
    copy = io.BytesIO()
    while data := file.read(PIECE):
        budget.take(len(data), 0, 1)
        if copy.tell() + len(data) > MAX_FILE:
            raise LimitError("The PDF is too long to be held in memory.", limit="MAX_FILE")
        copy.write(data)
    copy.seek(0)
    return copy


def _links(page: Any) -> Iterator[str]:
    """The URIs of the annotations of a page (ISO 32000-1 12.6.4.7)."""
    for entry in page.get("/Annots") or ():
        action = entry.get_object().get("/A")
        action = action.get_object() if action is not None else {}
        uri = action.get("/URI") if action.get("/S") == "/URI" else None
        if uri is not None:
            text = uri.decode("utf-8", "replace") if isinstance(uri, bytes) else str(uri)
            yield encode_unsafe(text.replace("\n", "").replace("\r", ""))


def unpack(file: Any, budget: Budget) -> Iterator[tuple[str, Any]]:
    """The pages, and the links of each.

    Raises:
        MissingExtraError: pypdf is not installed.
        OSError, LimitError: The file is damaged; it exceeds the limits.
    """
    pypdf = _library()
    sought = _sought(file, budget)
    sought.seek(0)
    if _BEGIN not in sought.read(MAX_BEFORE):
        raise OSError("it is not a PDF, which begins with %PDF-")
    size = sought.seek(0, io.SEEK_END)
    out = 0
    drawn = _DrawnOperators(size, budget)
    with _noticed():
        document = pypdf.PdfReader(sought, strict=False)
        count = len(document.pages)
    for number in range(count):
        budget.member()
        with _noticed():
            page = document.pages[number]
            links = "".join(f"<{link}>\n" for link in _links(page))
            text = page.extract_text(visitor_operand_before=drawn)
        drawn.take(0)
        for name, part in ((f"page {number + 1}", text), (f"page {number + 1} links", links)):
            data = part.encode("utf-8", "replace")
            out += len(data)
            budget.take(len(data), out, size)
            if data:
                yield name, io.BytesIO(data)


def _is_read(head: bytes) -> bool:
    return head.startswith(_BEGIN) and find_spec("pypdf") is not None


READERS = (
    Reader(
        name="pdf", summary="PDF: the text of its pages and their links (extra `pdf`)", suffixes=(".pdf",),
        types=("application/pdf",), begins=_is_read, unpack=unpack,
    ),
)  # fmt: skip
