"""Check as a function of tables: the rows of a batch with the outcomes of their URLs, for any engine of Arrow batches.

Rule: a batch is checked by one client, which keeps the limits of each host for the URLs of this batch alone. So an
engine has to bring all URLs of a registered domain into one batch (`shard_of`).
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any

from anyurl.access import Client
from anyurl.batch.arrays import arrow, as_table, row_texts, text_column
from anyurl.batch.check.links import Link, MalformedLink
from anyurl.batch.check.outcome import Finding
from anyurl.batch.check.run import LIMIT, Run, way_of
from anyurl.batch.check.state import CheckItem, CheckState
from anyurl.batch.tables import with_arrays
from anyurl.errors import URLSyntaxError
from anyurl.guard.policy import Policy
from anyurl.url import URL
from anyurl.url.arguments import checked
from anyurl.url.suffixes import registered_domain
from anyurl.values import Provenance

FIELDS = ("outcome", "status", "error", "message", "target", "permanent")
"""The columns that `check` adds: the attributes of a `Finding`."""

DOCUMENT = Provenance("document")
"""Who named the URLs of a table: a stranger, whose URLs lead to public addresses only."""


@checked
def check(
    batch: Any,
    column: str,
    *,
    client: Client | None = None,
    limit: int = LIMIT,
    accept: Collection[int] = (),
) -> Any:
    """Request each distinct URL of a column once, and append its outcome: ``COLUMN_outcome`` and so on.

    An engine calls it for each partition: `map_batches` of Ray Data, `mapInArrow` of Spark, `map_partitions` of Dask.

    Args:
        batch: A pyarrow record batch or table, or a data frame of pandas or polars. All URLs of a host should be in it:
            limits and delays of a host are kept within one call.
        column: The name of the column of URLs.
        client: The client, whose policy judges each URL as one that a document named; None for a new one of
            `Policy.untrusted`.
        limit: The number of parallel transfers.
        accept: Status codes that count as ok.

    Returns:
        The same rows in the same order, with ``outcome`` (string: a name of `Outcome`), ``status`` (int32), ``error``,
        ``message``, ``target`` (string), and ``permanent`` (bool): the attributes of `Finding`. A null row has nulls.
        A data frame comes back as a table.

    Raises:
        MissingExtraError: pyarrow is not installed.
        TypeError: It is no table, or the column is not a column of text.
        ValueError: There is no such column, or there is a column of such a name already.
    """
    return check_rows(as_table(batch), column, client, limit=limit, accept=accept)


def check_rows(batch: Any, column: str, client: Client | None, **more: Any) -> Any:
    """`check` with all that `findings` takes."""
    found: list[Finding | None] = [None] * batch.num_rows
    for rows, finding in findings(((link, DOCUMENT) for link in links_of(batch, column)), client, **more):
        for row in rows:
            found[row] = finding
    return with_arrays(batch, column, columns_of(found))


def links_of(batch: Any, column: str) -> Iterator[Link | None]:
    """The link in each row, None for null. Raises as `check`."""
    arrays, _ = text_column(batch, column)
    return (_link(text) for texts in arrays for text in row_texts(texts.plain()).to_pylist())


def findings(
    links: Iterable[tuple[Link | None, Provenance]],
    client: Client | None,
    *,
    limit: int = LIMIT,
    accept: Collection[int] = (),
    read: Callable[[CheckItem, Any], Sequence[str]] | None = None,
    **more: Any,
) -> Iterator[tuple[list[int], Finding]]:
    """The rows of each distinct link, from 0, and its outcome, as soon as it is known.

    Args:
        links: The link of each row, None for none, and who named it.
        read: Reads the content of each, as `look` of `Run`; None if it is not requested.
        more: Other arguments of `Run`.
    """
    state = CheckState(None, "", resume=False, now=time.time())
    own = client or Client(Policy.untrusted())
    try:
        rows: dict[int, list[int]] = {}
        for row, (link, origin) in enumerate(links):
            if link is not None:
                rows.setdefault(state.add(link, origin, way_of(link, read=read is not None)), []).append(row)
        state.commit()
        for each in Run(own, state, limit=limit, accept=tuple(accept), look=read, **more):
            yield rows[each.number], each.finding
    finally:
        state.close()
        if client is None:
            own.close()


def columns_of(found: Iterable[Finding | None]) -> dict[str, Any]:
    """The columns of `check`, by name."""
    pa = arrow()
    kinds = {"status": pa.int32(), "permanent": pa.bool_()}
    every = list(found)
    return {
        field: pa.array([each and (getattr(each, field) if field == "permanent" else getattr(each, field) or None)
                         for each in every], kinds.get(field, pa.string()))
        for field in FIELDS
    }  # fmt: skip


def shard_of(host: str | None, shards: int) -> int:
    """The number of the shard, from 0, to which a host belongs; all hosts of a registered domain belong to one.

    Raises:
        MissingExtraError: publicsuffixlist is not installed.
    """
    name = host or ""
    domain = registered_domain(name, extra="batch", what="Shards of hosts") or name
    return zlib.crc32(domain.encode()) % shards


def _link(text: bytes | None) -> Link | None:
    if text is None:
        return None
    try:
        return URL(text)
    except URLSyntaxError as error:
        return MalformedLink(error.text)
