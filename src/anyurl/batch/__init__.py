"""Columns of URLs: what `URL` says of one, said of each row of an Arrow column (the extra ``batch``).

Rule: every row gets the answer that `URL` gives, and no row raises; what is no URL has a fault and its place. `pyarrow`
is imported when a function is called, and by this room alone.
"""

from anyurl.batch.columns import FIELDS, columns
from anyurl.batch.faults import fault_names
from anyurl.batch.rows import find, join, normalize, registered_domain

__all__ = ["FIELDS", "columns", "fault_names", "find", "join", "normalize", "registered_domain"]
