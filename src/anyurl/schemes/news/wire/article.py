"""Parsing articles: the message, its text, and the files in it (RFC 5536, RFC 2045; yEnc and uuencode).

Rule: parts are decoded only on request, and the result is never larger than the article, as none of the codings
compresses. Whatever a hostile article makes Python's e-mail package raise, callers only see errors of the tree.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from anyurl.errors import LimitError, RemoteProtocolError
from anyurl.schemes.news.wire.binaries import find_files
from anyurl.schemes.news.wire.headers import decode_field
from anyurl.url.arguments import checked
from anyurl.url.charsets import codec_of
from anyurl.values import Value

if TYPE_CHECKING:
    from email.message import EmailMessage

MAX_ARTICLE_BYTES = 64 * 1024 * 1024
"""Octets of an article to parse, which is done in memory: servers accept at most one to some ten MiB."""

MAX_PARTS = 1_000
"""MIME parts of one article: more is an attack."""

MAX_NESTING = 20
"""Depth of nested messages and multiparts: each line is compared with the boundaries of all enclosing ones. ClamAV
allows 17, Postfix 100."""

TEXT = "text/plain"
OCTETS = "application/octet-stream"


class Part(Value):
    """One part of an article, with its transfer coding decoded.

    Attributes:
        number: 1, 2, ... in the order of the article.
        type: Media type, in lower case, without parameters.
        name: The file name from the sender, or None. Hostile: `anyurl.saving.save.safe_name` makes a safe name of it.
        data: Its octets.
        charset: The charset of a text, or None.
        coding: ``mime``, ``yenc``, ``uuencode`` or ``base64``.
        fault: Its fault, or None.
        span: For one part of a multi-part file: its number, the number of parts, and the offset of its first octet.
    """

    number: int
    type: str
    data: bytes
    name: str | None = None
    charset: str | None = None
    coding: str = "mime"
    fault: str | None = None
    span: tuple[int, int | None, int] | None = None

    @property
    def text(self) -> str:
        """Its octets decoded: by the given charset, else as UTF-8, else as Latin-1; never raises."""
        for charset in (self.charset, "utf-8"):
            try:
                return self.data.decode(codec_of(charset or "utf-8"))
            except (LookupError, ValueError):
                continue
        return self.data.decode("latin-1")

    def __repr__(self) -> str:
        return f"Part({self.number}, {self.type!r}, {len(self.data)} octets, name={self.name!r})"


class Article:
    """An article.

    Args:
        data: Its octets, as received from a news server.

    Raises:
        LimitError: It has more than `MAX_ARTICLE_BYTES`.
    """

    __slots__ = ("data", "_message", "__weakref__")

    def __repr__(self) -> str:
        return f"<Article of {len(self.data):,} octets>"

    @checked
    def __init__(self, data: bytes) -> None:
        if len(data) > MAX_ARTICLE_BYTES:
            raise LimitError(
                f"The article has {len(data):,} octets: the limit of {MAX_ARTICLE_BYTES:,} allows no more.",
                limit="MAX_ARTICLE_BYTES",
            )
        self.data: bytes = data
        self._message: EmailMessage | None = None

    @property
    def message(self) -> EmailMessage:
        """The article, as parsed by Python's e-mail package.

        Raises:
            RemoteProtocolError: The package can't parse it.
            LimitError: Parts are nested deeper than `MAX_NESTING`.
        """
        if self._message is None:
            from email import message_from_bytes, policy

            made: Any = policy.default.clone(message_factory=_nesting_counted())
            try:
                message: Any = message_from_bytes(self.data, policy=made)
            except LimitError:
                raise
            except Exception as error:  # the package may raise anything for hostile input
                raise _unreadable(error) from error
            self._message = message
        assert self._message is not None
        return self._message

    @property
    def text(self) -> str:
        """The first text part, with LF line ends; empty if there is none. Raises as `message`."""
        texts = (part for part in self.parts() if part.type.startswith("text/") and part.coding == "mime")
        first = next(texts, None)
        return "" if first is None else first.text.replace("\r\n", "\n")

    def parts(self) -> list[Part]:
        """Every MIME part without subparts; each text is followed by the yEnc- or uuencoded files in it.

        Raises:
            RemoteProtocolError: Python's e-mail package can't parse the article.
            LimitError: There are more than `MAX_PARTS`, or they are nested deeper than `MAX_NESTING`.
        """
        found: list[Part] = []
        for type, name, charset, data, fault in self._leaves():
            found.append(Part(len(found) + 1, type, data, name=name, charset=charset, fault=fault))
            if type == TEXT:
                for file in find_files(data):
                    span = None if file.part is None else (file.part, file.total, file.begin)
                    found.append(
                        Part(
                            len(found) + 1, _guess(file.name), file.data, name=_name(file.name), coding=file.coding,
                            fault=file.fault, span=span,
                        )
                    )  # fmt: skip
            if len(found) > MAX_PARTS:
                raise LimitError(
                    f"The article has more than {MAX_PARTS:,} parts: the limit allows no more.", limit="MAX_PARTS"
                )
        return found

    def _leaves(self) -> Iterator[tuple[str, str | None, str | None, bytes, str | None]]:
        message = self.message
        try:
            cut = _cut(message)
            for count, part in enumerate(message.walk()):
                if count > MAX_PARTS:
                    raise LimitError(
                        f"The article has more than {MAX_PARTS:,} parts: the limit allows no more.", limit="MAX_PARTS"
                    )
                if part.is_multipart():
                    continue
                data: Any = part.get_payload(decode=True)
                fault = _fault(part.defects) or ("its end is missing" if part is cut else None)
                yield (
                    part.get_content_type(),
                    _named(part.get_filename()),
                    part.get_content_charset(),
                    bytes(data or b""),
                    fault,
                )
        except LimitError:
            raise
        except Exception as error:  # the same
            raise _unreadable(error) from error


@cache
def _nesting_counted() -> type[EmailMessage]:
    """A message class that counts its nesting depth: the package's parser calls `attach` before it parses a part."""
    from email.message import EmailMessage

    class Nested(EmailMessage):
        depth = 0

        def attach(self, payload: Any) -> None:
            payload.depth = self.depth + 1
            if payload.depth > MAX_NESTING:
                text = f"More than {MAX_NESTING} parts of the article are nested: the limit allows no more."
                raise LimitError(text, limit="MAX_NESTING")
            super().attach(payload)

    return Nested


def _named(name: str | None) -> str | None:
    return None if name is None else decode_field(name)


def _cut(message: Any) -> Any:
    """The part at whose end the boundary is missing that closes its multipart; None if there is none."""
    from email.errors import CloseBoundaryNotFoundDefect

    last, cut = message, False
    while last.is_multipart():
        cut = cut or any(isinstance(defect, CloseBoundaryNotFoundDefect) for defect in last.defects)
        last = last.get_payload()[-1]
    return last if cut else None


def _fault(defects: Iterable[Exception]) -> str | None:
    """The fault found while decoding a part."""
    from email import errors

    wrong = (errors.InvalidBase64PaddingDefect, errors.InvalidBase64LengthDefect)
    return "its base64 is cut" if any(isinstance(defect, wrong) for defect in defects) else None


def _unreadable(error: Exception) -> RemoteProtocolError:
    return RemoteProtocolError("The article can't be parsed: its MIME structure is broken.")


def _name(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _guess(name: bytes) -> str:
    import mimetypes

    type, coding = mimetypes.guess_type(_name(name).rpartition("/")[2])
    return type if type is not None and coding is None else OCTETS
