"""What the tools say of a resource, an entry and a text: values that JSON has.

Rule: what a server or a model wrote is shown escaped, and without a password.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from anyurl.mcp.answers import shown
from anyurl.url import URL

if TYPE_CHECKING:
    from anyurl.access.resource import Description
    from anyurl.dialogue import Entry


def resource_record(resource: Description, asked: str) -> dict[str, Any]:
    """What is known of a resource beside its content; texts of its server's are shown as such."""
    origin = getattr(resource, "content_origin", None)
    return {
        "ok": True, "url": shown(resource.url.masked), "asked": shown(URL(asked).masked), "kind": resource.kind,
        "type": resource.type and shown(resource.type), "size": resource.size, "modified": _time(resource.modified),
        "status": resource.status, "untrusted": True,
        "provenance": None if origin is None else {
            name: shown_value(value) for name, value in origin.as_dict().items() if name not in ("user", "kept")
        },
        "redirected_by": [{"url": shown(hop.url.masked), "reason": shown(hop.reason)} for hop in resource.history],
        "notes": notes_of(resource),
    }  # fmt: skip


def notes_of(resource: Description) -> list[str]:
    """What is noted of a resource; reading its content may add to it."""
    return [shown(note) for note in resource.notes]


def entry_record(entry: Entry) -> Mapping[str, Any]:
    """One line of a listing; what is not known is left out."""
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
