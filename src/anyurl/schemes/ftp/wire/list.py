"""Single lines of FTP listings, from MLSD or LIST, read into a `ListedName`.

MLSD is the only standard format (RFC 3659 7). LIST has no format (RFC 959 4.1.3: for people), only common styles: Unix,
MS-DOS, VMS, EPLF.

Rule: names are octets, exactly as the server wrote them; invalid facts are left out. Each reader takes one line and
returns a `ListedName`, or None if the line is not of its style; it never raises, and is linear in the length of the
line.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Literal

from anyurl.dates import MONTHS, past_timestamp, timestamp
from anyurl.schemes.ftp.wire.commands import MAX_SIZE, timestamp_of

ItemKind = Literal["document", "listing"]


class ListedName:
    """A name in a listing, with its attributes.

    Attributes:
        name: Octets, as commands must send it back.
        kind: ``document``, ``listing`` (a directory), or None if it may be either (links) or is neither (devices).
        size: Octets, or None.
        modified: Seconds since the epoch, or None. LIST mostly has the server's time zone; it is read as UTC.
        facts: Further attributes, by name.
    """

    __slots__ = ("name", "kind", "size", "modified", "facts")

    def __init__(
        self,
        name: bytes,
        kind: ItemKind | None = None,
        size: int | None = None,
        modified: float | None = None,
        facts: Mapping[str, str] | None = None,
    ) -> None:
        self.name = name
        self.kind: ItemKind | None = kind
        self.size = size if size is None or size <= MAX_SIZE else None
        self.modified = modified
        self.facts: Mapping[str, str] = facts or {}

    def __repr__(self) -> str:
        return f"Item({self.name!r}, {self.kind!r}, size={self.size!r}, modified={self.modified!r}, {self.facts!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ListedName):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self.__slots__)

    def __hash__(self) -> int:
        return hash((self.name, self.kind, self.size, self.modified))


def text(data: bytes) -> str:
    """Octets as text: UTF-8, other octets as surrogates."""
    return data.decode("utf-8", "surrogateescape")


# --- MLSD ----------------------------------------------------------------------------------------------------------


def read_facts(line: bytes) -> ListedName | None:
    """One line of MLSD or MLST: ``Type=file;Size=3; name`` (RFC 3659 7.2); None if it is malformed.

    >>> read_facts(b"type=dir;modify=19941201000000; a name")
    Item(b'a name', 'listing', size=None, modified=786240000.0, {'type': 'dir', 'modify': '19941201000000'})
    """
    head, space, name = line.partition(b" ")
    # RFC 3659 7.2: every fact ends with ";", so a line without ";" before its first space has no facts, or one with a
    # space in it (`UNIX.group=domain users;`), which only the "; " after it separates from the name.
    if head and not head.endswith(b";"):
        head, space, name = line.partition(b"; ") if b"=" in head else (line, b"", b"")
    if not space or not name:
        return None
    facts: dict[str, str] = {}
    for fact in head.split(b";"):
        key, equals, value = fact.partition(b"=")
        if equals and key:
            facts[text(key).lower()] = text(value)
    kind: ItemKind | None = None
    type_ = facts.get("type", "").lower()
    if type_ in ("dir", "cdir", "pdir"):
        kind = "listing"
    elif type_ == "file":
        kind = "document"
    if "type" in facts:
        facts["type"] = type_ if kind else facts["type"]
    size = facts.get("size", "")
    return ListedName(
        name,
        kind,
        int(size) if size.isascii() and size.isdigit() and len(size) <= 19 else None,
        timestamp_of(facts.get("modify", "").encode("utf-8", "surrogateescape")),
        facts,
    )


# --- EPLF ----------------------------------------------------------------------------------------------------------


def read_eplf(line: bytes) -> ListedName | None:
    """One line of EPLF, ``+i8388621.29609,m824255902,/,<TAB>name`` (cr.yp.to/ftp/list/eplf.html), or None."""
    if not line.startswith(b"+"):
        return None
    head, tab, name = line[1:].partition(b"\t")
    if not tab or not name:
        return None
    kind: ItemKind | None = None
    size: int | None = None
    modified: float | None = None
    facts: dict[str, str] = {}
    for fact in head.split(b","):
        value = fact[1:]
        if fact == b"/":
            kind = "listing"
        elif fact == b"r":
            kind = "document"
        elif fact[:1] == b"s" and value.isdigit() and len(value) <= 19:
            size = int(value)
        elif fact[:1] == b"m" and value.isdigit() and len(value) <= 12:
            modified = float(int(value))
        elif fact[:2] == b"up":
            facts["mode"] = text(value[1:])
        elif fact[:1] == b"i":
            facts["unique"] = text(value)
    return ListedName(name, kind, size, modified, facts)


# --- Unix ----------------------------------------------------------------------------------------------------------

_FLAGS = re.IGNORECASE | re.DOTALL
_BRACKET = ord("[")
_UNIX_MODE = re.compile(rb"([bcdlpsDCMnP-])(?:[-rwxsStTlL]{9}| ?\[[-RWCEAFMS ]{8,10}\])[+.@]?(?=[ \t])")
_MONTH = rb"jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
# A size (or the second number of a device), a date in one of three orders, then one space and the name; further spaces
# belong to the name. It begins with a digit, so that a search tries nothing else. Atomic groups keep it linear: 4 KiB
# of digits or spaces must not take quadratic time.
_UNIX_DATE = re.compile(
    rb"(?P<size>\d(?<![^ \t,-]\d)(?>\d*))(?>[ \t]+)"
    rb"(?:(?P<month>" + _MONTH + rb")(?>[ \t]+)(?P<day>\d\d?)"
    rb"|(?P<day2>\d\d?)\.?(?>[ \t]+)(?P<month2>" + _MONTH + rb")"
    rb"|(?P<year3>\d{4})-(?P<month3>\d\d)-(?P<day3>\d\d))(?>[ \t]+)"
    rb"(?:(?P<year>\d{4})"
    rb"|(?P<hour>\d\d?):(?P<minute>\d\d)"
    rb"(?::(?P<second>\d\d)(?:\.(?>\d+))?(?:[ \t](?:(?P<sign>[+-])(?P<zone>\d{4})|(?P<year2>\d{4}))(?=[ \t]))?)?)"
    rb"[ \t](?P<name>.+)\Z",
    _FLAGS,
)
_DEVICE = re.compile(rb"(?<!\d)((?>\d+)),[ \t]*+\Z")

_UNIX_KINDS: Mapping[bytes, ItemKind] = {b"-": "document", b"C": "document", b"n": "document", b"d": "listing"}
_UNIX_TYPES = {b"l": "link", b"b": "device", b"c": "device", b"p": "pipe", b"s": "socket", b"D": "door"}


def read_unix(line: bytes, now: float) -> ListedName | None:
    """One line of ``ls -l``, with or without owner, group and link count, and with a year or a time; or None.

    Args:
        line: The line.
        now: Seconds since the epoch: a date without a year is read as the latest one that is not in the future.
    """
    mode = _UNIX_MODE.match(line)
    date = _UNIX_DATE.search(line, mode.end()) if mode else None
    if mode is None or date is None:
        return None
    letter, name = mode[1], date["name"]
    facts = {"mode": text(mode[0].rstrip(b"+.@"))}
    middle = line[mode.end() : date.start()]
    if letter in _UNIX_TYPES:
        facts["type"] = _UNIX_TYPES[letter]
    if letter in (b"b", b"c") and (device := _DEVICE.search(middle)):
        facts["device"] = text(device[1] + b"," + date["size"])
        middle = middle[: device.start()]
    if _BRACKET in mode[0]:  # NetWare pads with spaces before the name
        name = name.lstrip(b" ")
    if letter == b"l":
        name, arrow, target = name.partition(b" -> ")
        if arrow:
            facts["link"] = text(target)
    if not name:
        return None
    kind = _UNIX_KINDS.get(letter)
    size = int(date["size"]) if kind == "document" and len(date["size"]) <= 19 else None
    if middle[-1:] in (b",", b"-"):  # "1,234,567", or a size that does not fit into the server's 32 bits
        middle, _, start = middle.rpartition(b" ")
        groups = [*start.split(b",")[:-1], date["size"]]
        whole = kind == "document" and start.endswith(b",") and all(group.isdigit() for group in groups)
        size = int(b"".join(groups)) if whole and sum(map(len, groups)) <= 19 else None
    _add_owners(middle.split(), facts)
    return ListedName(name, kind, size, _unix_timestamp(date, now), facts)


def _add_owners(words: list[bytes], facts: dict[str, str]) -> None:
    if words and words[0].isdigit():
        facts["links"] = text(words.pop(0))
    if words:
        facts["owner"] = text(words.pop(0))
    if words:
        facts["group"] = text(b" ".join(words))


def _unix_timestamp(date: re.Match[bytes], now: float) -> float | None:
    month = int(date["month3"] or MONTHS[(date["month"] or date["month2"]).lower()])
    day = int(date["day"] or date["day2"] or date["day3"])
    year = date["year"] or date["year2"] or date["year3"]
    hour, minute, second = int(date["hour"] or 0), int(date["minute"] or 0), int(date["second"] or 0)
    if year is None:
        return past_timestamp(month, day, hour, minute, now=now)
    found = timestamp(int(year), month, day, hour, minute, second)
    if found is not None and date["zone"]:
        offset = int(date["zone"][:2]) * 3600 + int(date["zone"][2:]) * 60
        found += offset if date["sign"] == b"-" else -offset
    return found


# --- MS-DOS --------------------------------------------------------------------------------------------------------


@cache
def _pattern(source: bytes) -> re.Pattern[bytes]:
    """The patterns of rare styles, compiled on first use: compiling takes as long as reading a thousand lines."""
    return re.compile(source, _FLAGS)


_DOS = (
    rb"(?:(?P<month>\d\d)[-/.](?P<day>\d\d)[-/.](?P<year>\d{4}|\d\d)|(?P<year2>\d{4})[-/.](?P<month2>\d\d)[-/.](?P<day2>\d\d))"
    rb"(?>[ \t]+)(?P<hour>\d\d?):(?P<minute>\d\d)(?:[ \t]?(?P<half>[AP]M))?(?>[ \t]+)"
    rb"(?:<(?P<word>DIR|JUNCTION|SYMLINKD?)>[ \t]{1,10}|(?P<size>(?>[\d,.]+))[ \t])(?P<name>.+)\Z"
)


def read_dos(line: bytes) -> ListedName | None:
    """One line of the MS-DOS style that IIS writes, ``11-21-03  09:04AM       <DIR>          name``; or None."""
    match = _pattern(_DOS).match(line)
    if match is None:
        return None
    word = (match["word"] or b"").upper()
    name, facts = match["name"], {}
    if word in (b"JUNCTION", b"SYMLINK", b"SYMLINKD"):
        facts["type"] = "link"
        name, _, target = name.partition(b" [")
        if target.endswith(b"]"):
            facts["link"] = text(target[:-1])
    digits = (match["size"] or b"").replace(b",", b"").replace(b".", b"")
    kind: ItemKind | None = "document" if not word else None if word == b"SYMLINK" else "listing"
    size = int(digits) if kind == "document" and 0 < len(digits) <= 19 else None
    return ListedName(name, kind, size, _dos_timestamp(match), facts) if name else None


def _dos_timestamp(match: re.Match[bytes]) -> float | None:
    year = int(match["year"] or match["year2"])
    if year < 100:
        # As POSIX defines %y of strptime: 69 to 99 are 1969 to 1999.
        year += 1900 if year >= 69 else 2000
    hour = int(match["hour"])
    if match["half"]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if match["half"][:1] in b"Pp" else 0)
    return timestamp(
        year, int(match["month"] or match["month2"]), int(match["day"] or match["day2"]), hour, int(match["minute"])
    )


# --- VMS -----------------------------------------------------------------------------------------------------------

_VMS_NAME = rb"(?P<name>[^\s;\[\]:]{1,255});(?P<version>\d{1,5})"
_VMS = (
    _VMS_NAME + rb"(?>[ \t]+)(?:(?P<blocks>\d{1,10})(?:/(?>\d+))?(?>[ \t]+))?"
    rb"(?P<day>\d\d?)-(?P<month>"
    + _MONTH
    + rb")-(?P<year>\d{4})(?:(?>[ \t]+)(?P<hour>\d\d?):(?P<minute>\d\d)(?::(?P<second>\d\d))?)?"
    rb"(?P<rest>.*)\Z"
)
_VMS_DENIED = _VMS_NAME + rb"(?>[ \t]+)(?P<error>%.+|no privilege.*|insufficient privilege.*)\Z"
_VMS_NAME_ALONE = _VMS_NAME + rb"[ \t]*+\Z"
_VMS_OWNER = rb"[ \t]*+\[([^\]]{0,80})\]"
_VMS_MODE = rb"\(([RWEDrwed, ]{0,40})\)"


def is_vms_name(line: bytes) -> bool:
    """Whether this line is a name alone: VMS puts the rest of an entry with a long name on the next line."""
    return _pattern(_VMS_NAME_ALONE).match(line) is not None


def read_vms(line: bytes) -> ListedName | None:
    """One entry of a VMS directory, ``README.TXT;4  2/9  21-NOV-2003 09:04:05  [SYS,USER] (RWED,RWED,RE,)``, or None.

    The version is removed from the name (the bare name means the highest one), and ``.DIR`` from a directory's, as CWD
    requires. Sizes are in blocks of 512 octets, the last one partly filled: reported as a fact, not as the size.
    """
    denied = _pattern(_VMS_DENIED).match(line)
    match = denied or _pattern(_VMS).match(line)
    if match is None:
        return None
    name, facts = match["name"], {"version": text(match["version"])}
    kind: ItemKind = "document"
    if name.upper().endswith(b".DIR") and len(name) > 4:
        name, kind = name[:-4], "listing"
    if denied:
        facts["error"] = text(denied["error"].strip())
        return ListedName(name, kind, None, None, facts)
    if match["blocks"]:
        facts["blocks"] = text(match["blocks"])
    if owner := _pattern(_VMS_OWNER).match(match["rest"]):
        facts["owner"] = text(owner[1])
    if mode := _pattern(_VMS_MODE).search(match["rest"]):
        facts["mode"] = text(mode[1])
    modified = timestamp(
        int(match["year"]),
        MONTHS[match["month"].lower()],
        int(match["day"]),
        int(match["hour"] or 0),
        int(match["minute"] or 0),
        int(match["second"] or 0),
    )
    return ListedName(name, kind, None, modified, facts)


_HEADING = (
    rb"(?:total|gesamt|insgesamt|totale?) \d+|Directory [^ \[]{1,80}\[|Total of \d+ (?:file|entr)|Grand total of "
)


def is_heading(line: bytes) -> bool:
    """Whether this is a line above or below the entries of ``ls`` or of a VMS directory."""
    return _pattern(_HEADING).match(line) is not None
