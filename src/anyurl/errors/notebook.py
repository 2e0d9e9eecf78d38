"""How values look in a notebook: the pieces of their ``_repr_html_``.

Rule: every text is a stranger's and is escaped; a link leads only to http and https, and never holds a password.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape


def code(text: object) -> str:
    """A text as it is written; characters that can't be seen are escaped as Python does."""
    shown = "".join(one if one.isprintable() else repr(one)[1:-1] for one in str(text))
    return f"<code>{escape(shown)}</code>"


def link(url: str, shown: str) -> str:
    """A link if a browser can follow it and it holds no password; else the text alone.

    Args:
        url: The URL, its password masked.
        shown: The text to show, the password masked.
    """
    if "***" in url or not url.lower().startswith(("http://", "https://")):
        return code(shown)
    return f'<a href="{escape(url)}" rel="noopener noreferrer" target="_blank">{code(shown)}</a>'


def facts(pairs: Iterable[tuple[str, object]]) -> str:
    """A table of names and texts; what is None or empty is left out."""
    rows = (
        f"<tr><th>{escape(name)}</th><td>{code(value)}</td></tr>" for name, value in pairs if value not in (None, "")
    )
    return f"<table>{''.join(rows)}</table>"
