"""IANA's registry of URI schemes, as data: which names are registered, in which status, and by which document.

Rule: ``iana.tsv`` is the file of record, with the date of the registry that it was made from; it has the same facts,
without the persons named there. anyurl's own facts about a scheme are in `anyurl.url.syntax`. The registry's CSV does
not say when a name was registered: the date is that of the whole.
"""

from __future__ import annotations

from functools import cache
from typing import Literal

from anyurl.values import Value

Status = Literal["permanent", "provisional", "historical"]

FILE = "iana.tsv"
TEMPLATES = "https://www.iana.org/assignments/uri-schemes/"
"""The base of template URLs; the file holds their paths."""


class Registration(Value):
    """A registered name (RFC 7595).

    Attributes:
        name: The scheme, in lower case.
        status: ``permanent``, ``provisional`` or ``historical``.
        template: The URL of the registration's template; empty where a document registers the name.
        reference: The documents that define it; empty where the template does.
        updated: The date of the registry that says so: ``2022-11-18``.
    """

    name: str
    status: Status
    template: str
    reference: str
    updated: str


@cache
def registrations() -> dict[str, Registration]:
    """All registered names, in alphabetical order."""
    from importlib.resources import files

    lines = files("anyurl.schemes").joinpath(FILE).read_text("ascii").splitlines()
    updated = next(line.split("\t")[1] for line in lines if line.startswith("# updated"))
    rows = [line.split("\t") for line in lines if not line.startswith("#")][1:]
    return {
        name: Registration(name, status, template and TEMPLATES + template, reference, updated)  # type: ignore[arg-type]
        for name, status, template, reference in rows
    }
