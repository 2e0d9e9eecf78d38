"""The log of a proxy, with a line for each decision, and its figures for Prometheus.

Rule: one JSON object per line, with the URL masked and without tokens; a figure is a monotonic counter or a gauge.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from anyurl.errors import escape

KEYS = ("time", "role", "client", "method", "url", "decision", "code", "message", "octets", "seconds")
"""The keys of a line; `decision` is ``allowed``, ``refused``, ``reported`` (else refused) or ``failed``."""

FIGURES = {
    "anyurl_proxy_decisions_total": "Requests by role, decision and code.",
    "anyurl_proxy_octets_total": "Octets handed on in either direction, by role.",
    "anyurl_proxy_connections": "Connections of clients that are open.",
}


class Journal:
    """The log and the figures of one proxy.

    Args:
        write: Called with each line, without its line end.
    """

    def __init__(self, write: Callable[[str], object]) -> None:
        self._write = write
        self._decisions: Counter[tuple[str, str, str]] = Counter()
        self._octets: Counter[str] = Counter()
        self.connections = 0

    def note(self, **line: Any) -> None:
        """Write a line with the keys in `KEYS`; unknown values are null."""
        role, decision, code = line.get("role") or "", line["decision"], line["code"]
        self._decisions[role, decision, code] += 1
        self._octets[role] += line.get("octets") or 0
        now = time.time()
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{int(now % 1 * 1000):03}Z"
        record = {key: stamp if key == "time" else line.get(key) for key in KEYS}
        for key in ("method", "url", "message"):
            if record[key] is not None:
                record[key] = escape(str(record[key]))
        self._write(json.dumps(record, ensure_ascii=False))

    def figures(self) -> str:
        """All figures in the text format of Prometheus."""
        lines = []
        for name, meaning in FIGURES.items():
            kind = "counter" if name.endswith("_total") else "gauge"
            lines += [f"# HELP {name} {meaning}", f"# TYPE {name} {kind}"]
            if name == "anyurl_proxy_decisions_total":
                for (role, decision, code), count in sorted(self._decisions.items()):
                    labels = f'role="{_label(role)}",decision="{decision}",code="{_label(code)}"'
                    lines.append(f"{name}{{{labels}}} {count}")
            elif name == "anyurl_proxy_octets_total":
                lines += [f'{name}{{role="{_label(role)}"}} {count}' for role, count in sorted(self._octets.items())]
            else:
                lines.append(f"{name} {self.connections}")
        return "\n".join([*lines, ""])


def _label(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
