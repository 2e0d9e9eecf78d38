"""The formats of texts, how they are recognised, and their readers.

Rule: a reader is one small module of this package, and does one of three things. It *decodes*: removes the markup of
its format, and gives the place of each piece of text. It *looks*: reads the finder's buffer unchanged, for links that
only its format has. Or it *unpacks* the texts in a container. Third-party readers are added by `register_reader`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from typing import Any, TypeAlias

from anyurl.text.finder import Finder
from anyurl.text.limits import Budget
from anyurl.text.runs import Decoder
from anyurl.url import URL
from anyurl.values import Value

Look: TypeAlias = Callable[[Finder, URL | None], Callable[[], None]]
Unpack: TypeAlias = Callable[[Any, Budget], Iterator[tuple[str, Any]]]

TEXT = "text"
"""The format of running text."""

AUTO = "auto"
"""The format that is recognised by the name of a file, or by its first octets."""


PARQUET, ARROW, STREAM = b"PAR1", b"ARROW1", b"\xff\xff\xff\xff"
"""The first octets of tables in binary: Parquet, Arrow's file, and its stream (which begins with a continuation)."""


def is_table(head: bytes) -> bool:
    """Whether a file with this beginning is a table in binary, whose rows are searched, and not its octets."""
    return head.startswith((PARQUET, ARROW, STREAM))


class Reader(Value, kw_only=True):
    """A reader of one kind of text; it has one of `decode`, `look` and `unpack`.

    Attributes:
        name: The name of the format.
        summary: A short description of the format.
        suffixes: Suffixes of file names, in lower case.
        types: Media types of the format.
        begins: Whether a text with these first octets has the format.
        within: The format that it is a kind of: a file with a name of that one has this one if it begins so.
        decode: Makes a decoder (`anyurl.text.runs.Decoder`).
        then: The format of the decoded text.
        look: For a `Finder` and a base URL, makes the function that is called whenever the finder's buffer has grown.
        unpack: For an open file and a `Budget`, yields the name and the open file of each member. Such a file may have
            a `format`, if the container says it.
        located: The name of a member is the URL that it came from, and the base of its links.
    """

    name: str
    summary: str
    suffixes: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    begins: Callable[[bytes], bool] | None = None
    within: str = ""
    decode: Callable[[], Decoder] | None = None
    then: str = TEXT
    look: Look | None = None
    unpack: Unpack | None = None
    located: bool = False


_OWN = {
    "bzip2": "compressed", "css": "css", "csv": "csv", "gemtext": "gemtext", "gzip": "compressed", "har": "har",
    "html": "html", "ical": "folded",
    "jsonl": "json", "json": "json", "latex": "latex", "log": "log", "mail": "mail", "man": "man",
    "markdown": "markdown", "notebook": "notebook", "office": "office", "pdf": "pdf", "po": "po",
    "properties": "folded", "rst": "rst", "tar": "archives", "tsv": "csv", "warc": "warc", "xml": "xml",
    "xz": "compressed", "zip": "archives", "zstd": "compressed",
}  # fmt: skip
"""The built-in readers and the module of each, in the order in which they check first octets."""

_registered: dict[str, Reader] = {}


def register_reader(reader: Reader) -> None:
    """Register a reader by its name, with priority over existing ones.

    Raises:
        TypeError: It is not a `Reader`.
        ValueError: Its name is taken, or it does not have exactly one of `decode`, `look` and `unpack`.
    """
    if not isinstance(reader, Reader):
        raise TypeError(f"{reader!r} is not a Reader: register_reader(Reader(name=..., summary=..., decode=...))")
    if sum(way is not None for way in (reader.decode, reader.look, reader.unpack)) != 1:
        raise ValueError(f"the reader {reader.name!r} must have exactly one of decode, look and unpack")
    if reader.name in formats():
        raise ValueError(f"there is a reader {reader.name!r} already")
    _registered[reader.name] = reader


def formats() -> tuple[str, ...]:
    """The names of all formats."""
    return (TEXT, *_OWN, *_registered)


def find_reader(name: str) -> Reader | None:
    """The reader of a format; None for running text, which needs none.

    Raises:
        ValueError: The format is unknown.
    """
    if name == TEXT:
        return None
    if name in _registered:
        return _registered[name]
    if name not in _OWN:
        raise ValueError(f"there is no format {name!r}; there are {', '.join(formats())}")
    return _own(name)


@cache
def _own(name: str) -> Reader:
    """A built-in reader, whose module is imported when it is first asked for."""
    file = import_module(f"anyurl.text.readers.{_OWN[name]}")
    found: Reader = next(each for each in file.READERS if each.name == name)
    return found


@cache
def _all_own() -> tuple[Reader, ...]:
    return tuple(map(_own, _OWN))


def _readers() -> tuple[Reader, ...]:
    """All readers: first the registered ones, the latest first."""
    return (*reversed(_registered.values()), *_all_own())


def tell(name: str, head: bytes, is_text: bool = False) -> str:
    """The format of a file with this name and these first octets.

    Archives and compressed files are recognised only by their octets, and never if the source is str.
    """
    ends = name.lower()
    known = _readers()
    for reader in known:
        if not is_text and reader.unpack is not None and reader.begins is not None and reader.begins(head):
            return reader.name
    for reader in known:
        if reader.unpack is None and ends.endswith(reader.suffixes):
            kinds = (each for each in known if each.within == reader.name and each.begins is not None)
            return next((each.name for each in kinds if each.begins is not None and each.begins(head)), reader.name)
    for reader in known:
        if reader.unpack is None and reader.begins is not None and reader.begins(head):
            return reader.name
    return TEXT


def unpacked(file: Any, head: bytes) -> Any:
    """The content of a compressed file, unpacked as it is read; the file itself if it is not compressed, or an archive.

    Args:
        head: Its first octets, which remain in the file.
    """
    reader = find_reader(tell("", head))
    if reader is None or reader.unpack is None or reader.name in ("pdf", "tar", "warc", "zip"):
        return file
    from anyurl.text.limits import Budget

    return next(reader.unpack(file, Budget()))[1]


def unpacked_name(name: str, reader: Reader) -> str:
    """The name of a compressed file without its suffix."""
    for suffix in reader.suffixes:
        if name.lower().endswith(suffix):
            return name[: -len(suffix)]
    return name


def of_type(type: str) -> str:
    """The format of a media type; running text for other types of text, "" if it is not text."""
    for reader in _readers():
        if reader.unpack is None and type in reader.types:
            return reader.name
    if type.endswith(("+json", "+xml")):
        return type[-4:].lstrip("+")
    return TEXT if type.startswith("text/") else ""
