"""Frontier: a polite crawl of a table of URLs, shard by shard, in one process or by an engine of Arrow tables.

Rule: all URLs of a registered domain are in one shard, and one client requests a shard, so that the limits of its hosts
hold. A shard is a web archive and a table, of which the table is written last: a shard with a table is done, and never
requested again; one that was killed is crawled anew.
"""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import Any

from anyurl.access import Client
from anyurl.batch.arrays import arrow, row_texts, text_column
from anyurl.batch.check.run import LIMIT
from anyurl.batch.check.site_rules import SiteRules
from anyurl.batch.check.state import MAX_REQUESTS, CheckItem
from anyurl.batch.check.table import DOCUMENT, check_rows, links_of, shard_of
from anyurl.batch.columns import columns
from anyurl.batch.tables import Table, with_arrays, write_table
from anyurl.client.mapper import Result
from anyurl.errors import LocalFileError, escape
from anyurl.errors.reasons import reason_of
from anyurl.guard.policy import Policy
from anyurl.net.loop.task import RequestBudget
from anyurl.saving.robots import robots_of
from anyurl.saving.tree import SITES
from anyurl.text import find
from anyurl.url import URL
from anyurl.url.arguments import checked
from anyurl.warc.captures import captures
from anyurl.warc.cdxj import FILES, lines_of, read_line

__all__ = ["crawl", "seeds", "shards"]

DELAY = 1.0
"""Seconds between two requests to a host, unless the caller's clients have another delay."""

MAX_PER_HOST = 1000
"""URLs of one host that are requested, unless the caller allows another number."""

SEEDS_AT_ONCE = 65_536
"""Rows of a batch of `seeds`."""

MAX_SITEMAP = 50 * 1024 * 1024
"""Octets of a sitemap (sitemaps.org)."""


@checked
def seeds(path: str, column: str | None = None) -> Iterator[Any]:
    """The URLs in a file, as record batches with one column, ``url``.

    Args:
        path: An index (``.cdxj``) or web archive (``.warc``, ``.warc.gz``), which give what was captured; a sitemap
            (``.xml``, ``.xml.gz``); or a table of any format of `anyurl.batch`.
        column: The column of a table; None for the only one.

    Raises:
        MissingExtraError: pyarrow is not installed.
        ValueError: The name has none of these endings, the table no such column, or the sitemap names only others.
        LocalFileError: It can't be read.
    """
    pa = arrow()
    read = next((read for ending, read in _SEEDS.items() if path.lower().endswith(ending)), None)
    if read is None:
        for batch in (table := Table(path, column)):
            yield pa.record_batch([batch.column(table.column)], ["url"])
        return
    try:
        texts = read(path)
        while some := list(islice(texts, SEEDS_AT_ONCE)):
            yield pa.record_batch([pa.array(some, pa.string())], ["url"])
    except (OSError, EOFError, zlib.error) as error:
        raise LocalFileError(f"{escape(path)} can't be read: {reason_of(error)}.") from None


def _indexed(path: str) -> Iterator[str]:
    with open(path, "rb") as file:
        for line in lines_of(file):
            if (told := read_line(line.decode("utf-8", "replace"))) is not None:
                yield told["url"]


def _captured(path: str) -> Iterator[str]:
    with open(path, "rb") as file:
        for capture in captures(file.fileno(), 0, os.fstat(file.fileno()).st_size):
            yield capture.url


def _mapped(path: str) -> Iterator[str]:
    with gzip.open(path) if path.lower().endswith(".gz") else open(path, "rb") as file:
        text = file.read(MAX_SITEMAP).decode("utf-8", "replace")
    if "<sitemapindex" in text:
        raise ValueError(f"{escape(path)} is an index: seeds are in the sitemaps that it names")
    for found in find(text, format="html"):  # in its text `&amp;` is decoded
        if found.context == "html-text":
            yield str(found.url)


_SEEDS: dict[str, Callable[[str], Iterator[str]]] = {
    ".cdxj": _indexed, **dict.fromkeys(FILES, _captured), ".xml": _mapped, ".xml.gz": _mapped,
}  # fmt: skip


@checked
def shards(batch: Any, column: str, count: int) -> Any:
    """Append the number of the shard of each URL, ``COLUMN_shard``: the same for all hosts of a registered domain.

    Args:
        batch: A pyarrow record batch or table.
        column: The name of the column of URLs.
        count: The number of shards. A shard takes as long as the largest of its hosts, so some hundred are better than
            one for each worker.

    Raises:
        MissingExtraError: pyarrow or publicsuffixlist is not installed.
        TypeError: The column is not a column of text.
        ValueError: There is no such column, there is a ``COLUMN_shard`` already, or `count` is below 1.
    """
    if count < 1:
        raise ValueError(f"there is at least one shard, not {count}")
    pa = arrow()
    hosts = columns(batch, ["host"], layout="string", column=column)
    names = (pa.chunked_array(hosts) if isinstance(hosts, pa.Array) else hosts).combine_chunks().field("host")
    of = {host: shard_of(host, count) for host in names.unique().to_pylist()}
    return with_arrays(batch, column, {"shard": pa.array((of[host] for host in names.to_pylist()), pa.int32())})


@checked
def crawl(
    batch: Any, column: str, folder: str, *, client: Callable[..., Client] | None = None, limit: int = LIMIT,
    max_per_host: int = MAX_PER_HOST, robots: bool = True,
) -> Any:  # fmt: skip
    """Crawl the shards of a table into a folder: for each, a web archive and a table of the outcomes of its URLs.

    An engine calls it for each group of ``COLUMN_shard``. A URL that robots.txt forbids is ``not-checkable``, one
    beyond a host's budget ``deferred``.

    Args:
        batch: A pyarrow record batch or table with the columns of `shards`; all rows of a shard.
        column: The name of the column of URLs.
        folder: Made if there is none. Gets ``00000.warc.gz``, and then ``00000.parquet``, for shard 0. A shard with a
            table is not crawled again.
        client: Makes the client of a shard, with the argument `warc`; None for one of `Policy.untrusted` with a delay
            of `DELAY` seconds.
        limit: The number of parallel transfers of a shard.
        max_per_host: The number of URLs of a host that are requested, of those in one shard.
        robots: Obey robots.txt.

    Returns:
        A table of the rows, by shard, with the columns of `anyurl.batch.check.check`; string views become strings.

    Raises:
        MissingExtraError: pyarrow is not installed.
        TypeError: The column is not a column of text.
        ValueError: There is no such column, or no ``COLUMN_shard`` without nulls; or the folder has results for other
            URLs.
        LocalFileError: The folder can't be written.
    """
    pa = arrow()
    table = _without_views(batch if isinstance(batch, pa.Table) else pa.Table.from_batches([batch]))
    name = f"{column}_shard"
    if name not in table.column_names or table[name].null_count:
        raise ValueError(f"there is no column {name!r} without nulls: anyurl.batch.frontier.shards makes it")
    make = client or partial(Client, Policy.untrusted(), delay=DELAY)
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise LocalFileError(f"{escape(folder)} can't be written: {reason_of(error)}.") from error
    made = []
    for number, rows in sorted(_by_shard(table, name).items()):
        path = os.path.join(folder, f"{number:05}")
        done = _done(rows, column, f"{path}.parquet")
        if done is None:
            with suppress(FileNotFoundError):  # of a shard that was killed
                os.unlink(f"{path}.warc.gz")
            with make(warc=f"{path}.warc.gz") as own:
                done = _crawled(rows, column, own, limit, max_per_host, robots)
            write_table(done.to_batches(), done.schema, f"{path}.parquet")
        made.append(done)
    if not made:
        return check_rows(table, column, None)
    return pa.concat_tables(made, promote_options="permissive")  # a file may hold seconds as milliseconds


def _without_views(table: Any) -> Any:
    """The table with string views as strings: pyarrow can't select rows of views."""
    pa = arrow()
    schema = table.schema
    for number, field in enumerate(schema):
        if field.type in (pa.string_view(), pa.binary_view()):
            kind = pa.large_string() if field.type == pa.string_view() else pa.large_binary()
            schema = schema.set(number, field.with_type(kind))
    return table.cast(schema)


def _by_shard(table: Any, name: str) -> dict[int, Any]:
    """The rows of each shard, in their order. Batch by batch, because pyarrow can't sort 2 GiB of text."""
    parts: dict[int, list[Any]] = {}
    for batch in table.to_batches():
        ordered = batch.sort_by(name)  # stable
        start = 0
        for number, count in zip(*ordered[name].value_counts().flatten(), strict=True):
            parts.setdefault(number.as_py(), []).append(ordered.slice(start, count.as_py()))
            start += count.as_py()
    return {number: arrow().Table.from_batches(some) for number, some in parts.items()}


def _done(rows: Any, column: str, path: str) -> Any:
    """The table of a shard that was crawled, or None. Raises ValueError if it is about other URLs."""
    if not os.path.exists(path):
        return None
    read = Table(path, column)
    made = arrow().Table.from_batches(list(read), read.schema)
    if column not in made.column_names or _texts(made, column) != _texts(rows, column):
        raise ValueError(f"{escape(path)} has the results of other URLs; crawl these into another folder")
    return made


def _texts(table: Any, column: str) -> list[bytes | None]:
    return [text for texts in text_column(table, column)[0] for text in row_texts(texts.plain()).to_pylist()]


def _crawled(rows: Any, column: str, client: Client, limit: int, max_per_host: int, robots: bool) -> Any:
    rules = SiteRules()
    if robots:
        _learn(rules, rows, column, client, limit)
    return check_rows(rows, column, client, limit=limit, read=_read, max_per_host=max_per_host, refusal=rules.refusal)


def _learn(rules: SiteRules, rows: Any, column: str, client: Client, limit: int) -> None:
    """Read the robots.txt of each site."""
    sites = {link.origin: link for link in links_of(rows, column) if isinstance(link, URL) and link.scheme in SITES}
    sites.pop(None, None)
    for result in client.map(map(_robots, sites.values()), limit):
        item: Any = result.url
        rules.learn(item.url.origin, partial(_opened, result))


def _robots(url: URL) -> CheckItem:
    item = CheckItem(0, 0, robots_of(url), DOCUMENT, 0)
    item.budget = RequestBudget(MAX_REQUESTS)
    return item


def _opened(result: Result[Any]) -> Any:
    if result.error is not None:
        raise result.error
    return result.resource


def _read(_item: CheckItem, resource: Any) -> tuple[str, ...]:
    """Read a resource, so that all of it is in the archive."""
    if resource.kind == "document":
        for _ in resource.iter_bytes():
            pass
    elif resource.kind == "listing":
        for _ in resource.entries():
            pass
    return ()
