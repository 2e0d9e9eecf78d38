"""The log of a proxy, with a line for each decision, and its figures for Prometheus.

Rule: one JSON object per line, with the URL masked and without tokens; a figure is a monotonic counter or a gauge.
"""

from __future__ import annotations

import errno
import json
import os
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from anyurl.errors import escape

KEYS = ("time", "role", "client", "method", "url", "address", "decision", "code", "message", "reported", "octets",
        "seconds")  # fmt: skip
"""The keys of a line. `decision` is ``allowed``, ``refused``, ``reported`` (else refused) or ``failed``; `address` is
the connected address; `reported` is the code for which a report-only role would be refused, whatever the outcome."""

NO_ROLE = "no-role"
"""The code for a client that has no role, or has not shown its token yet."""

KEPT_AT_MOST = 1_000
"""Different refusals that are kept for a summary."""

_WRITER = json.JSONEncoder(ensure_ascii=False)  # `json.dumps` would make one for each line

FIGURES = {
    "anyurl_proxy_decisions_total": "Requests by role, decision and code.",
    "anyurl_proxy_octets_total": "Octets handed on in either direction, by role.",
    "anyurl_proxy_reported_total": "Requests of report-only roles that would be refused, by role and code.",
    "anyurl_proxy_log_lines_lost_total": "Lines of the log that could not be written.",
    "anyurl_proxy_connections": "Connections of clients that are open.",
}


class Journal:
    """The log and the figures of one proxy.

    Args:
        write: Called with each line, without its line end. It may raise OSError.
        lose: Called with the error if it does; the line is counted as lost.

    Attributes:
        connections: Connections of clients that are open.
        refused: The number of refusals, real or reported, by method, URL and code; the first `KEPT_AT_MOST` different
            ones. A request that was repeated with a token does not count for its first attempt.
    """

    def __init__(self, write: Callable[[str], object], lose: Callable[[OSError], object] = lambda error: None) -> None:
        self._write = write
        self._lose = lose
        self._lost = 0
        self._reported: Counter[tuple[str, str]] = Counter()
        self.refused: Counter[tuple[str, str, str]] = Counter()
        self._decisions: Counter[tuple[str, str, str]] = Counter()
        self._octets: Counter[str] = Counter()
        self.connections = 0

    def note(self, **line: Any) -> None:
        """Write a line with the keys in `KEYS`; unknown values are null."""
        role, decision, code = line.get("role") or "", line["decision"], line["code"]
        self._decisions[role, decision, code] += 1
        self._octets[role] += line.get("octets") or 0
        what = (line.get("method") or "", line.get("url") or "")
        if role:  # many clients send a token only on request: that is not a refusal in the end
            self.refused.pop((*what, NO_ROLE), None)
        reported = line.get("reported")
        if reported is not None:
            self._reported[role, reported] += 1
        if reported is not None or decision == "refused":
            self._keep((*what, reported or code))
        now = time.time()
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{int(now % 1 * 1000):03}Z"
        record = {key: stamp if key == "time" else line.get(key) for key in KEYS}
        for key in ("method", "url", "message"):
            if record[key] is not None:
                record[key] = escape(str(record[key]))
        try:
            self._write(_WRITER.encode(record))
        except OSError as error:
            self._lost += 1
            self._lose(error)

    def _keep(self, refusal: tuple[str, str, str]) -> None:
        if refusal in self.refused or len(self.refused) < KEPT_AT_MOST:
            self.refused[refusal] += 1

    def figures(self) -> str:
        """All figures in the text format of Prometheus."""
        counts: dict[str, list[tuple[str, int]]] = {
            "anyurl_proxy_decisions_total": [
                (f'{{role="{_label(role)}",decision="{decision}",code="{_label(code)}"}}', count)
                for (role, decision, code), count in sorted(self._decisions.items())
            ],
            "anyurl_proxy_octets_total": [
                (f'{{role="{_label(role)}"}}', count) for role, count in sorted(self._octets.items())
            ],
            "anyurl_proxy_reported_total": [
                (f'{{role="{_label(role)}",code="{_label(code)}"}}', count)
                for (role, code), count in sorted(self._reported.items())
            ],
            "anyurl_proxy_log_lines_lost_total": [("", self._lost)],
            "anyurl_proxy_connections": [("", self.connections)],
        }
        lines = []
        for name, meaning in FIGURES.items():
            kind = "counter" if name.endswith("_total") else "gauge"
            lines += [f"# HELP {name} {meaning}", f"# TYPE {name} {kind}"]
            lines += [f"{name}{labels} {count}" for labels, count in counts[name]]
        return "\n".join([*lines, ""])


def _label(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


class LogFile:
    """The file of a log, which may be moved away by another program.

    Args:
        path: Lines are appended to it.

    Raises:
        OSError: It can't be opened.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._torn = False
        self._number = self._opened()

    def _opened(self) -> int:
        return os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)

    def write(self, line: str) -> None:
        """Append a line. Raises OSError if it can't be written whole."""
        data = (b"\n" if self._torn else b"") + line.encode("utf-8", "backslashreplace") + b"\n"
        written = os.write(self._number, data)
        self._torn = written < len(data) and (written > 0 or self._torn)
        if written < len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def reopen(self) -> None:
        """Open the file of that name again. Raises OSError; the open file then stays open."""
        before, self._number = self._number, self._opened()
        os.close(before)
        self._torn = False

    def close(self) -> None:
        """Close it."""
        os.close(self._number)
