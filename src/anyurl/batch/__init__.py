"""Columns of URLs: the operations of `URL` on every row of an Arrow column (the extra ``batch``).

Rule: every row has the same result as `URL`, and no row raises: a row that is not a URL has a fault and its position.
`pyarrow` is imported only by this package, when a function is called.
"""

from anyurl.batch.columns import FIELDS, columns
from anyurl.batch.faults import fault_names
from anyurl.batch.functions import register_duckdb, register_pandas, register_polars
from anyurl.batch.rows import find, join, normalize, registered_domain

__all__ = [
    "FIELDS", "columns", "fault_names", "find", "join", "normalize", "register_duckdb", "register_pandas",
    "register_polars", "registered_domain",
]  # fmt: skip
