"""Desktop integration: opening the browser, and scheme handlers (XDG: Desktop Entry, MIME applications).

Rule: the link, which grants access, is never an argument of the browser, since other users can see the process list.
Only the user's own files are written, and entries of other programs are kept.
"""

from __future__ import annotations

import atexit
import os
import re
import sys
import tempfile
import webbrowser
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from anyurl.errors import escape
from anyurl.files.channel import local_error
from anyurl.files.output import write_text

NAME = "anyurl-web.desktop"
SCHEMES = ("ftp", "gopher", "news", "nntp", "wais", "prospero", "telnet")
"""The schemes that browsers no longer support, or never did."""

SECTION = "[Default Applications]"


def open_browser(link: str) -> bool:
    """Open the link in the person's browser; returns whether there is one.

    The browser gets the name of a file that redirects to the link. Only this user can read it, and it is removed when
    this program ends.

    Raises:
        LocalFileError: That file can't be written.
    """
    leads = f'<meta http-equiv="refresh" content="0; url={link}">'
    with (
        _telling("Telling the browser where to go"),
        tempfile.NamedTemporaryFile("w", prefix="anyurl-", suffix=".html", delete=False) as file,
    ):
        file.write(f'<!doctype html><meta charset="utf-8"><title>anyurl</title>{leads}')
    atexit.register(Path(file.name).unlink, missing_ok=True)
    return webbrowser.open(Path(file.name).as_uri())


def install(environment: Mapping[str, str] = os.environ) -> list[str]:
    """Register this program as the desktop's handler of `SCHEMES`; returns what was done, a line each.

    Raises:
        LocalFileError: A file can't be read or written.
    """
    entry, defaults = _places(environment)
    command = " ".join([_quoted(sys.executable), "-P -m anyurl web --open --handle %u"])
    lines = [
        "[Desktop Entry]", "Type=Application", "Name=anyurl", "Comment=Any URL in the browser", "NoDisplay=true",
        "Terminal=true", f"Exec={command}", "MimeType=" + "".join(f"x-scheme-handler/{name};" for name in SCHEMES),
    ]  # fmt: skip
    _write(entry, "\n".join(lines) + "\n")
    kept = _without_ours(_read(defaults))
    keys = {f"x-scheme-handler/{name}" for name in SCHEMES}
    if SECTION not in kept:
        kept.append(SECTION)
    at = kept.index(SECTION)
    end = next((n for n in range(at + 1, len(kept)) if kept[n].startswith("[")), len(kept))
    taken = {line.partition("=")[0].strip() for line in kept[at + 1 : end]}
    ours = [f"{key}={NAME}" for key in sorted(keys - taken)]
    _write(defaults, "\n".join([*kept[: at + 1], *ours, *kept[at + 1 :]]) + "\n")
    others = sorted(keys & taken)
    return [
        f"written: {entry}",
        f"written: {defaults} ({len(ours)} schemes)",
        *(f"left as it was: {key}, which has another program" for key in others),
    ]


def uninstall(environment: Mapping[str, str] = os.environ) -> list[str]:
    """Undo `install`; returns what was done, a line each. Raises LocalFileError."""
    entry, defaults = _places(environment)
    told = []
    if entry.exists():
        with _telling(f"Removing {entry}"):
            entry.unlink()
        told.append(f"removed: {entry}")
    before = _read(defaults)
    kept = _without_ours(before)
    if kept != before:
        _write(defaults, "".join(f"{line}\n" for line in kept))
        told.append(f"written: {defaults} ({len(before) - len(kept)} schemes less)")
    return told or ["there was nothing to remove"]


def _quoted(argument: str) -> str:
    """An argument of an Exec line, which has its own quoting, not a shell's (Desktop Entry 7)."""
    quoted = re.sub(r'(["`$\\])', r"\\\1", argument).replace("\\", "\\\\").replace("%", "%%")
    return argument if re.fullmatch(r"[\w/.+-]+", argument) else f'"{quoted}"'


def _places(environment: Mapping[str, str]) -> tuple[Path, Path]:
    home = Path(environment.get("HOME") or Path.home())
    data = Path(environment.get("XDG_DATA_HOME") or home / ".local" / "share")
    config = Path(environment.get("XDG_CONFIG_HOME") or home / ".config")
    return data / "applications" / NAME, config / "mimeapps.list"


def _read(path: Path) -> list[str]:
    with _telling(f"Reading {path}"):
        return path.read_text(encoding="utf-8", errors="surrogateescape").splitlines() if path.exists() else []


def _without_ours(lines: list[str]) -> list[str]:
    return [line for line in lines if not (line.startswith("x-scheme-handler/") and line.endswith(f"={NAME}"))]


def _write(path: Path, text: str) -> None:
    """Replace a file atomically."""
    with _telling(f"Making {path.parent}"):
        path.parent.mkdir(parents=True, exist_ok=True)
    write_text([text], str(path))


@contextmanager
def _telling(doing: str) -> Iterator[None]:
    """Turn an error of the system into a LocalFileError."""
    try:
        yield
    except OSError as error:
        raise local_error(error, escape(doing)) from error
