"""Tell how old IANA's registry of URI schemes is here, or write it anew from IANA's file: ``scripts/registry [CSV]``.

The file is ``uri-schemes-1.csv`` of https://www.iana.org/assignments/uri-schemes/, which somebody with a network has
downloaded; its date is that of the file unless ``--updated YYYY-MM-DD`` tells the registry's own. Ends with 1 where the
registry is older than a year.
"""

from __future__ import annotations

import argparse
import csv
import datetime
import re
import sys
from pathlib import Path

FILE = Path(__file__).resolve().parent.parent / "src" / "anyurl" / "schemes" / "iana.tsv"
OLD_DAYS = 365
HEAD = (
    "# IANA, Uniform Resource Identifier (URI) Schemes: https://www.iana.org/assignments/uri-schemes/uri-schemes.xhtml"
)


def converted(text: str, updated: str) -> str:
    """The file of record, from the registry's CSV: without persons, whom it names in the reference."""
    rows = []
    for row in csv.DictReader(text.splitlines()):
        name = row["URI Scheme"].partition(" ")[0].lower()
        found = re.findall(r"\[?(RFC\s?[0-9]+|draft-[\w-]+)", row["Reference"])
        reference = ", ".join(re.sub(r"^RFC\s?", "RFC ", one) for one in dict.fromkeys(found))
        rows.append("\t".join((name, row["Status"].lower(), row["Template"], reference)))
    return "\n".join([HEAD, f"# updated\t{updated}", "name\tstatus\ttemplate\treference", *sorted(rows)]) + "\n"


def told(text: str, today: datetime.date) -> tuple[str, bool]:
    """A sentence about the age of a file of record, and whether that is more than a year."""
    date = re.search(r"^# updated\t(.*)$", text, re.MULTILINE)
    assert date is not None
    days = (today - datetime.date.fromisoformat(date[1])).days
    said = f"{text.count(chr(10)) - 3} names as of {date[1]}, {days:,} days ago."
    if days <= OLD_DAYS:
        return said, False
    return f"{said} Older than a year: make it anew from IANA's uri-schemes-1.csv (scripts/registry CSV).", True


def main(arguments: list[str]) -> int:
    """Write the file, if there is a CSV; tell its age."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("csv", nargs="?", type=Path)
    parser.add_argument("--updated")
    given = parser.parse_args(arguments)
    if given.csv is not None:
        changed = datetime.datetime.fromtimestamp(given.csv.stat().st_mtime, datetime.UTC).date().isoformat()
        FILE.write_text(converted(given.csv.read_text(encoding="utf-8"), given.updated or changed), encoding="ascii")
    said, is_old = told(FILE.read_text(encoding="ascii"), datetime.datetime.now(datetime.UTC).date())
    sys.stdout.write(f"{said}\n")
    return int(is_old)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
