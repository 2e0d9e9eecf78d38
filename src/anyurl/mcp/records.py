"""Records of a resource, an entry and a text: JSON values.

Rule: text of a server or a model is shown escaped, and without a password.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from anyurl.mcp.answers import for_a_model, quoting, shown, strangers_words
from anyurl.schemes.kit.media import TYPES
from anyurl.url import URL

if TYPE_CHECKING:
    from anyurl.client.resource import Description
    from anyurl.dialogue import Entry


def resource_record(resource: Description, asked: str) -> dict[str, Any]:
    """Facts about a resource, without its content; its server's texts are marked as such."""
    origin = getattr(resource, "content_origin", None)
    return {
        "ok": True, "url": shown(resource.url.masked), "asked": shown(URL(asked).masked), "kind": resource.kind,
        "type": resource.type and shown(resource.type), "size": resource.size, "modified": _time(resource.modified),
        "status": resource.status, "untrusted": True,
        "provenance": None if origin is None else {
            name: shown_value(value) for name, value in origin.as_dict().items() if name not in ("user", "kept")
        },
        "redirected_by": [{"url": shown(hop.url.masked), "reason": shown(hop.reason)} for hop in resource.history],
        "notes": [for_a_model(shown(note)) for note in resource.notes],
    }  # fmt: skip


def record_of(resource: Description, asked: str, came_from: str | None) -> dict[str, Any]:
    """The same, with strangers' values quoted: URLs that the model has not given itself, unusual types."""
    record: dict[str, Any] = quoting(resource_record(resource, asked), _strangers_names(resource, asked, came_from))
    return record


def notes_of(resource: Description, asked: str, came_from: str | None) -> list[str]:
    """The notes on a resource; reading its content may add to them."""
    notes: list[str] = record_of(resource, asked, came_from)["notes"]
    return notes


def _strangers_names(resource: Description, asked: str, came_from: str | None) -> list[str]:
    given = None if came_from is not None else URL(asked)
    known = None if given is None else given.without_fragment()
    urls = [url for url in (*(hop.url for hop in resource.history), resource.url) if url.without_fragment() != known]
    names = [word for url in urls for word in strangers_words(url, given)]
    if given is None:
        names += strangers_words(URL(asked))
    if resource.type and resource.type not in _TYPES:
        names.append(resource.type)
    return names


_TYPES = frozenset({*TYPES.values(), "application/octet-stream", "text/enriched"})
"""Types that a server can say nothing with."""


def entry_record(entry: Entry) -> Mapping[str, Any]:
    """One line of a listing, without unknown facts."""
    values = {
        "name": shown(entry.name), "url": entry.url and shown(entry.url.masked), "kind": entry.kind, "size": entry.size,
        "modified": _time(entry.modified), "title": entry.title and shown(entry.title), "type": entry.type,
        "score": entry.score,
    }  # fmt: skip
    return {name: value for name, value in values.items() if value is not None}


def json_line(record: Mapping[str, Any]) -> str:
    """One object on one line."""
    return json.dumps(record, ensure_ascii=False) + "\n"


def shown_value(value: object) -> Any:
    """A text as it may be shown; all else as it is."""
    return shown(value) if isinstance(value, str) else value


def _time(seconds: float | None) -> str | None:
    try:
        return None if seconds is None else time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
    except (OverflowError, ValueError, OSError):  # a server may say any number
        return None
