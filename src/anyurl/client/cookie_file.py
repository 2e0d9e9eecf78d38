"""Cookie files: tab-separated lines, as Netscape wrote them and as curl, wget and browser tools read them.

Rule: cookies are credentials: only the owner can read the file, and it is replaced atomically. Its cookies are checked
as if their server had just sent them (`CookieJar`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from anyurl.errors import LocalFileError, escape
from anyurl.errors.reasons import reason_of
from anyurl.files.output import refuse_device, write_text
from anyurl.schemes.http.wire.cookies import SameSite, SetCookie
from anyurl.url import URL

MAX_FILE_BYTES = 32 * 1024 * 1024
"""The largest file that is read: a full jar (3000 cookies of 4 KiB) has 12 MiB."""

FIRST_LINES = ("# Netscape HTTP Cookie File", "# HTTP Cookie File")
"""First lines of such a file. Any other file was named by mistake, and writing the cookies would destroy it."""

NOTES = """# The cookies of anyurl, in the form that curl reads. It is made anew. Who has it may act in your name.

"""

HTTP_ONLY = "#HttpOnly_"
SAME_SITE = "# SameSite="
"""The format has no field for it: it is written before the cookie, in a line that other programs read as a comment."""

FIELDS = 7


def read_cookies(path: str) -> Iterator[tuple[URL, SetCookie]]:
    """The cookies of a file, each with a URL that could have set it; none if there is no file.

    Raises:
        LocalFileError: It can't be read, or is not a cookie file.
    """
    refuse_device(path)
    try:
        with open(path, "rb") as file:
            octets = file.read(MAX_FILE_BYTES + 1)
    except FileNotFoundError:
        return
    except OSError as error:
        raise LocalFileError(f"{escape(path)} can't be read: {reason_of(error)}.") from None
    lines = octets.decode("utf-8", "surrogateescape").split("\n")
    if len(octets) > MAX_FILE_BYTES or (octets and not lines[0].startswith(FIRST_LINES)):
        raise LocalFileError(f"{escape(path)} is not a cookie file: its first line is not {FIRST_LINES[0]!r}.")
    same_site = ""
    for number, line in enumerate(lines, 1):
        text = line.removesuffix("\r").removeprefix(HTTP_ONLY)
        if text.startswith("#") or not text:
            same_site = text.removeprefix(SAME_SITE) if text.startswith(SAME_SITE) else ""
            continue
        try:
            yield _read(text.split("\t"), same_site, line.startswith(HTTP_ONLY))
        except (ValueError, OverflowError):  # a malformed number or domain
            raise LocalFileError(f"Line {number} of {escape(path)} is not a cookie.") from None
        same_site = ""


def _read(fields: list[str], same_site: str, http_only: bool) -> tuple[URL, SetCookie]:
    domain, below, path, secure, expires, name, value = [*fields, ""] if len(fields) == FIELDS - 1 else fields
    host = domain.removeprefix(".").lower()
    said = SetCookie(
        name,
        value,
        host if below == "TRUE" else "",
        path,
        secure == "TRUE",
        http_only,
        "strict" if same_site == "strict" else "none" if same_site == "none" else None,
        float(int(expires or 0)) or None,
        None,
    )
    return URL(f"https://[{host}]/" if ":" in host else f"https://{host}/"), said


def write_cookies(path: str, lines: str) -> None:
    """Replace the file by one with these lines that only its owner can read.

    Raises:
        LocalFileError: It can't be written.
    """
    write_text((f"{FIRST_LINES[0]}\n{NOTES}{lines}",), path, 0o600)


def as_line(fields: Sequence[str], http_only: bool, same_site: SameSite) -> str:
    """The line of one cookie; empty if the cookie contains a tab, which the format can't hold."""
    if any("\t" in field for field in fields):
        return ""
    remark = "" if same_site == "lax" else f"{SAME_SITE}{same_site}\n"
    return remark + (HTTP_ONLY if http_only else "") + "\t".join(fields) + "\n"
