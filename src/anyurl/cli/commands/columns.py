"""``anyurl columns``: the components of a column of URLs, written as further columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from anyurl.cli import exits
from anyurl.cli.arguments import Parameter, UsageError, as_command
from anyurl.cli.options import json_option, plugin_option
from anyurl.cli.terminal.console import Console

if TYPE_CHECKING:
    from anyurl.batch.tables import Table

RESULT = ("rows", "faults", "written", "saved")
"""The keys of the JSON object of a run that wrote a file."""


def _to_fields(_console: Console, value: str | None) -> tuple[str, ...] | None:
    return None if value is None else tuple(name.strip() for name in value.split(","))


@as_command("columns")
@Parameter("file", metavar="FILE", required=True)
@Parameter("--column", metavar="NAME", help="The column with the URLs; required if there are several columns.")
@Parameter(
    "--output",
    "-o",
    metavar="OUT",
    help="Write a .parquet, .arrow, .csv, .tsv or .jsonl file instead of JSON lines to standard output.",
)
@Parameter(
    "--fields",
    metavar="NAMES",
    convert=_to_fields,
    help="The fields to write, as in host,registered_domain,query:page; all components but the password by default.",
)
@Parameter(
    "--only",
    choices=("valid", "faulty"),
    metavar="ROWS",
    help="Write only the rows that are URLs (valid), or that are not (faulty); rows without a value are in neither.",
)
@Parameter("--threads", between=(1, 64), default="1", metavar="N", help="The number of threads that parse.")
@plugin_option
@json_option
def command(
    console: Console,
    /,
    file: str,
    column: str | None,
    output: str | None,
    fields: tuple[str, ...] | None,
    only: str | None,
    threads: int,
) -> int:
    """Add the components of a column of URLs.

    FILE is a .parquet, .arrow, .csv, .tsv or .jsonl file. Its columns are kept, followed by those of the URL, each
    named after the column: url_scheme, url_host, url_port ... A row that is not a URL has a number in url_fault, and
    the position of the error in url_fault_at. Exits with 1 if there is such a row.

    Other fields are registered_domain, public_suffix, origin, name, suffix (of the name), normal (the normal form), key
    (the same without the fragment), fault_name (url_fault in a word), query:NAME (the first value of that name) and
    query_map (all of them).
    """
    from anyurl.batch.columns import FIELDS
    from anyurl.batch.tables import Table, format_of, json_lines, with_columns, write_carried, write_table

    wanted = tuple(name for name in FIELDS if name != "password") if fields is None else fields
    try:
        if output is not None:
            format_of(output)
        table = Table(file, column, reader="options")
        counted, written = _Count(table, wanted, threads, only), None
        if only is None and table.carries("jsonl" if output is None else format_of(output)):
            if output is not None:
                write_carried(counted.carried(), output)
            else:
                for octets in counted.carried():
                    if console.is_terminal:
                        console.lines(octets.decode("utf-8", "surrogateescape").splitlines())
                    else:
                        console.octets(octets)
        elif output is None:
            for batch in counted:
                console.lines(json_lines(batch))
        else:
            schema = with_columns(table.empty(), table.column, wanted).schema
            written = write_table(counted, schema, output, table.compression)
    except (ValueError, TypeError) as error:
        sentence = str(error)
        raise UsageError(f"{sentence[:1].upper()}{sentence[1:]}.") from None
    written = counted.rows if written is None else written
    if output is not None and console.json:
        console.record(dict(zip(RESULT, (counted.rows, counted.faults, written, output), strict=True)))
    elif output is not None:
        passed = "" if only is None else f"; {written:,} written"
        console.tell(f"{output}: {counted.rows:,} rows, {counted.faults:,} of them no URL{passed}.")
    return exits.FAULTS if counted.faults else exits.OK


class _Count:
    """The batches of a table with the components of its URLs, counted as they pass.

    Attributes:
        rows: Rows so far.
        faults: Rows that are not a URL.
    """

    def __init__(self, table: Table, wanted: tuple[str, ...], threads: int, only: str | None) -> None:
        self.rows = self.faults = 0
        self._table = table
        self._wanted = wanted
        self._threads = threads
        self._only = only

    def __iter__(self) -> Iterator[Any]:
        from anyurl.batch.tables import only, with_columns

        extra = () if "fault" in self._wanted else ("fault",)
        for batch in self._table:
            made = with_columns(batch, self._table.column, (*self._wanted, *extra), self._threads)
            self._count(made)
            made = made if self._only is None else only(made, self._table.column, self._only)
            yield made.select(made.schema.names[:-1]) if extra else made

    def carried(self) -> Iterator[bytes]:
        """The unchanged octets of the rows, followed by the components."""
        for octets, batch in self._table.carried(self._wanted, self._threads):
            if batch is not None:
                self._count(batch)
            yield octets

    def _count(self, batch: Any) -> None:
        from anyurl.batch.tables import count_faults

        self.rows += batch.num_rows
        self.faults += count_faults(batch, self._table.column)
