"""Operations on each row of a column: normalize, join, registered domain, and finding URLs in texts.

Rule: each row has the result of the method of `URL`, or of `anyurl.find`, for that row alone; if that raises, the row
is null. A URL never spans two rows.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from itertools import repeat
from typing import Any

from anyurl.batch.arrays import WIDE_FROM, Memory, arrow, made_of, memory, row_texts, text_column, together
from anyurl.batch.columns import NORMAL, Columns, Layout, columns
from anyurl.batch.finds import Fields, read_rows
from anyurl.errors import LimitError, URLSyntaxError
from anyurl.text.find import find as find_in
from anyurl.text.finder import Finder
from anyurl.text.found import Found
from anyurl.text.kinds import Kinds
from anyurl.text.scan import anchors
from anyurl.url import URL, suffixes
from anyurl.url.arguments import checked

ROWS_AT_ONCE = 4_096
"""Rows whose texts are copied at once: enough to make the overhead of a kernel call small."""


@checked
def normalize(data: Any, *, layout: Layout = "view", column: str | None = None) -> Any:
    """The normal form of each URL: `URL.normalize` (RFC 3986 6.2.2 and 6.2.3).

    Args:
        data: A column of text, as `columns` takes it.
        layout: ``view`` points into `data` where a URL is in its normal form already, as nearly all are; ``string``
            copies.
        column: The column's name, where `data` has several.

    Returns:
        A string_view or string array (chunked when `data` came so): null where the text is null or no URL.

    Raises:
        MissingExtraError: pyarrow is not installed.
        TypeError: `data` is not a column of text.
        ValueError: A layout or column is not known.

    >>> normalize(["HTTP://Host.dom:80/a/../b"]).to_pylist()
    ['http://host.dom/b']
    """
    if layout not in ("view", "string"):
        raise ValueError(f"a layout is 'view' or 'string', not {layout!r}")
    pa = arrow()
    arrays, several = text_column(data, column)
    made = []
    kind = pa.string_view() if layout == "view" else pa.string()
    for texts in arrays:
        urls = Columns(memory(texts.array), [NORMAL])
        urls.fill(row_texts(texts.array))
        if texts.indices is not None:
            urls.take(texts.indices)
        is_large = layout == "string" and urls.is_wide()
        made.append(urls.array(NORMAL, pa.large_string() if is_large else kind))
    return together(made, kind) if several else made[0]


@checked
def join(data: Any, base: Any, *, column: str | None = None) -> Any:
    """Resolve each reference against a base: `URL.join` (RFC 3986 5).

    Args:
        data: A column of references, as `columns` takes a column of URLs.
        base: One URL or its text, or a column of as many.
        column: The column's name, where `data` has several.

    Returns:
        A string array (chunked when `data` came so): null where the reference or the base is null or makes no URL.

    Raises:
        MissingExtraError: pyarrow is not installed.
        TypeError: `data` or `base` is not a column of text.
        ValueError: A column is not known, or the columns differ in length.
        URLSyntaxError: The one base is not a URL.

    >>> join(["../c", None], "http://host.dom/a/b").to_pylist()
    ['http://host.dom/c', None]
    """
    arrays, several = text_column(data, column)
    references = [texts.plain() for texts in arrays]
    rows = sum(map(len, references))
    bases: list[bytes | None] = []
    one: URL | None = None
    if isinstance(base, (str, bytes, URL)):
        one = base if isinstance(base, URL) else URL(base)
    else:
        bases = [text for texts in text_column(base)[0] for text in row_texts(texts.plain()).to_pylist()]
        if len(bases) != rows:
            raise ValueError(f"there are {rows} references and {len(bases)} bases")
    joined = _Joiner(one, bases)
    made = [made_of([joined(text) for text in row_texts(array).to_pylist()]) for array in references]
    return together(made, arrow().string()) if several else made[0]


class _Joiner:
    """Joins references one by one; a repeated base is parsed once."""

    def __init__(self, base: URL | None, bases: list[bytes | None]) -> None:
        self.url = base
        self.bases = iter(bases) if base is None else None
        self.text: bytes | None = None

    def __call__(self, reference: bytes | None) -> str | None:
        if self.bases is not None:
            text = next(self.bases)
            if text != self.text:
                self.text = text
                try:
                    self.url = None if text is None else URL(text)
                except URLSyntaxError:
                    self.url = None
        if reference is None or self.url is None:
            return None
        try:
            return str(self.url.join(reference.decode("utf-8", "surrogateescape")))
        except URLSyntaxError:
            return None


@checked
def registered_domain(data: Any, *, column: str | None = None) -> Any:
    """The registered domain of each URL's host: the public suffix and one more label.

    Args:
        data: A column of URLs, as `columns` takes it.
        column: The column's name, where `data` has several.

    Returns:
        A string array (chunked when `data` came so): null where the text is not a URL, its host is an address or a
        public suffix itself, or there is none.

    Raises:
        MissingExtraError: pyarrow or publicsuffixlist is not installed.
        TypeError: `data` is not a column of text.
        ValueError: A column is not known.

    >>> registered_domain(["http://www.bbc.co.uk/news"]).to_pylist()
    ['bbc.co.uk']
    """
    pa = arrow()
    own: Any = partial(suffixes.registered_domain, extra="batch", what="Registered domains")
    own("")  # raises if the package is missing, even if no row has a host
    hosts = columns(data, ["host"], layout="string", column=column)
    several = isinstance(hosts, pa.ChunkedArray)
    made = []
    for chunk in hosts.chunks if several else [hosts]:
        distinct = chunk.flatten()[0].dictionary_encode()
        domains = [own(host) for host in distinct.dictionary.to_pylist()]
        longest = max((len(domain) for domain in domains if domain is not None), default=0)
        is_large = longest * len(chunk) >= WIDE_FROM
        made.append(pa.array(domains, pa.large_string() if is_large else pa.string()).take(distinct.indices))
    return together(made, pa.string()) if several else made[0]


@checked
def find(
    data: Any,
    *,
    schemes: Collection[str] | None = None,
    emails: bool = False,
    www: bool = False,
    refang: bool = False,
    bare: bool = False,
    base: URL | str | None = None,
    format: str | None = None,
    grammar: str = "current",
    column: str | None = None,
) -> Any:
    """Find the URLs in each text of a column: `anyurl.find` for each row (RFC 1738 appendix).

    Args:
        data: A column of text, as `columns` takes it.
        schemes: Report only these; all when None.
        emails: Report e-mail addresses as ``mailto:`` URLs, too.
        www: Report names that begin with ``www.`` as ``http://`` URLs, too.
        refang, bare, base, format, grammar: As in `anyurl.find`, which then reads row by row. A row that cannot be
            read in this format (a damaged archive) is null.
        column: The column's name, where `data` has several.

    Returns:
        A list array (chunked when `data` came so) of structs: ``url`` and ``fragment`` (string), ``start`` and ``end``
        (int32, in characters of the row), ``context`` (string). A null row is a null list.

    Raises:
        MissingExtraError: pyarrow is not installed, or `bare` is given and publicsuffixlist is not.
        TypeError: `data` is not a column of text.
        ValueError: A column or format is not known.
        UnsupportedError: There is no such grammar.
        URLSyntaxError: `base` is not a URL.

    >>> find(["see <URL:ftp://ds.internic.net/rfc>", ""]).to_pylist()[0][0]["url"]
    'ftp://ds.internic.net/rfc'
    """
    pa = arrow()
    arrays, several = text_column(data, column)
    search: Any = partial(
        find_in, schemes=schemes, emails=emails, www=www, refang=refang, bare=bare, base=base, format=format,
        grammar=grammar,
    )  # fmt: skip
    search("")  # raises for an option that is not one, even if there is no row
    if refang or bare or base is not None or format is not None or grammar != "current":
        made = [_found_by(search, one.plain()) for one in arrays]
    else:
        names = None if schemes is None else frozenset(name.lower() for name in schemes)
        kinds = Kinds(emails=emails, www=www)
        made = [_found(one.plain(), Finder(names, kinds, "surrogateescape"), kinds.flags) for one in arrays]
    return pa.chunked_array(made, _found_type()) if several else made[0]


def _found_type() -> Any:
    pa = arrow()
    return pa.list_(
        pa.struct([
            ("url", pa.string()), ("fragment", pa.string()), ("start", pa.int32()), ("end", pa.int32()),
            ("context", pa.string()),
        ])
    )  # fmt: skip


def _found_by(search: Callable[[bytes], Iterable[Found]], array: Any) -> Any:
    """The findings of a search in each row of an array."""

    def found(text: bytes) -> list[tuple[Any, ...]] | None:
        try:
            return [(str(one.url), one.fragment, *one.span, one.context) for one in search(text)]
        except (LimitError, OSError):  # of an archive
            return None

    texts = row_texts(array).to_pylist()
    return arrow().array([None if text is None else found(text) for text in texts], _found_type())


def _found(array: Any, finder: Finder, flags: int) -> Any:
    """The URLs found in the rows of an array."""
    pa = arrow()
    given = memory(array)
    kind = _found_type()
    fields: Fields = ([], [], [], [], [])
    ends: list[int] = []
    for numbers, texts in _searched(array, given, flags):
        read_rows(finder, numbers, texts, fields, ends)
    ends.extend(repeat(len(fields[0]), given.rows + 1 - len(ends)))
    structs = pa.StructArray.from_arrays(
        [pa.array(values, kind.value_type[i].type) for i, values in enumerate(fields)], fields=list(kind.value_type)
    )
    places = pa.array(ends, pa.int32()).buffers()[1]
    return pa.ListArray.from_buffers(kind, given.rows, [given.valid, places], given.nulls, 0, [structs])


def _searched(array: Any, given: Memory, flags: int) -> Iterator[tuple[list[int], list[bytes]]]:
    """The numbers and octets of rows that may contain URLs."""
    if not anchors.COMPILED:
        texts = row_texts(array).to_pylist()
        numbers = [row for row, text in enumerate(texts) if text]
        yield numbers, [texts[row] for row in numbers]
    elif given.data is not None:
        valid = 0 if given.valid is None else given.valid.address
        anchored = anchors.Anchored(given.data.address, given.offsets, given.is_wide, valid, flags)
        for first in range(0, given.rows, ROWS_AT_ONCE):
            yield anchored.run(first, min(first + ROWS_AT_ONCE, given.rows))
