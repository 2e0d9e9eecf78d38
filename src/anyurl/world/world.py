"""The world: servers for every scheme on loopback, and a text that mentions a URL of each.

Rule: a scheme of the world is one module with ``start()``, and one row here. `World.__exit__` ends everything that
`World.__enter__` starts: no thread, socket or file is left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack, suppress
from importlib import import_module
from types import TracebackType
from typing import Any, Protocol

from anyurl.dialogue import Verb
from anyurl.errors import MissingExtraError, UnknownSchemeError
from anyurl.url import URL
from anyurl.values import Value, shown


class Server(Protocol):
    """The result of ``start()`` of a world module, already serving."""

    @property
    def urls(self) -> Mapping[str, URL]:
        """For each scheme that it serves, the URL that the demo gets."""
        ...

    @property
    def root(self) -> URL:
        """The URL of its top folder."""
        ...

    def close(self) -> None:
        """Stop; no thread, socket or file is left."""
        ...


class ServerRow(Value):
    """One server of the world.

    Attributes:
        scheme: Which scheme it serves.
        module: The module of this package with its ``start()``.
        sentence: How the world's text mentions its URL, at ``{url}``.
        verb: The verb that the demo uses.
    """

    scheme: str
    module: str
    sentence: str
    verb: Verb = "get"


USUAL_PORTS = {
    "ftp": 7021, "telnet": 7023, "mailto": 7025, "gopher": 7070, "http": 7080, "news": 7119, "nntp": 7120,
    "wais": 7210, "prospero": 7525, "dict": 7628, "gemini": 7965,
}  # fmt: skip
"""The default port of `anyurl serve`, so that the examples in the documents work as written."""


ROWS = {
    row.scheme: row
    for row in (
        ServerRow("file", "files", "What is near is a file. On this machine the welcome note is\n<URL:{url}>."),
        ServerRow("http", "http", "The web has pictures, and hides the machinery; there is one of waves\n(at {url})."),
        ServerRow(
            "gopher", "gopher", "Below the web there are burrows, and in one of them the same notes:\n<URL:{url}>."
        ),
        ServerRow(
            "wais", "wais", "Before the web there were searches, which found documents like this one:\n<URL:{url}>."
        ),
        ServerRow(
            "prospero", "prospero", "A directory says where things are, and hands out some of them:\n<URL:{url}>."
        ),
        ServerRow(
            "news", "news", "News has no place of its own; here is a server that has this article:\n<URL:{url}>."
        ),
        ServerRow("nntp", "news", "The same articles have numbers, which are those of one server alone:\n<URL:{url}>."),
        ServerRow("mailto", "mail", "Here is somebody to whom a visitor can write:\n<URL:{url}>.", "append"),
        ServerRow("telnet", "telnet", "A catalogue waits at its terminal for somebody to ask it:\n<URL:{url}>."),
        ServerRow(
            "ftp", "ftp", "An archive has kept its notes for thirty years, and anybody may log in:\n<URL:{url}>."
        ),
        ServerRow("dict", "dict", "What a locator is stands in two dictionaries, one after the other:\n<URL:{url}>."),
        ServerRow("gemini", "gemini", "A small web beside the web knows its visitors by heart:\n<URL:{url}>."),
        ServerRow("data", "data", "The shortest note needs no server, for it is its own address:\n<URL:{url}>."),
    )
}
"""Every server, by its scheme, in the order of the demo."""

OPENING = "This is a small world: a few files and, for each scheme,\na server that hands them out."


class World:
    """Servers on loopback, running inside ``with``.

    Args:
        schemes: Which ones; all that this installation can start when not given.
        usual_ports: At those of `USUAL_PORTS`, where they are free; at any when False.

    Attributes:
        urls: For each scheme that runs, the URL that the demo gets.
        roots: For each scheme that runs, the URL of its top folder.
        settings: The arguments of `anyurl.Client` that URLs without a server need.
        missing: For each scheme that could not be started because an extra is not installed, the error that says so.
        text: A text for people with every URL of `urls`, some wrapped as ``<URL:...>``, some bare.

    Raises:
        UnknownSchemeError: A requested scheme has no server.
        MissingExtraError: On entry: a server requested by name needs an extra that is not installed.

    >>> with World(["file"]) as world:
    ...     sorted(world.urls)
    ['file']
    """

    def __repr__(self) -> str:
        return shown(self, "roots")

    def __init__(self, schemes: Iterable[str] | None = None, *, usual_ports: bool = False) -> None:
        self._usual_ports = usual_ports
        self._asked = schemes is not None
        self._schemes = tuple(ROWS) if schemes is None else tuple(dict.fromkeys(schemes))
        for scheme in self._schemes:
            if scheme not in ROWS:
                raise UnknownSchemeError(
                    f"The world has no server for {scheme!r}; it has {', '.join(ROWS)}.", scheme=scheme
                )
        self._stack = ExitStack()
        self.urls: dict[str, URL] = {}
        self.roots: dict[str, URL] = {}
        self.settings: dict[str, Any] = {}
        self.missing: dict[str, MissingExtraError] = {}
        self.text: str = ""

    def __enter__(self) -> World:
        try:
            for scheme in self._schemes:
                self._start(ROWS[scheme])
        except BaseException:  # whatever it was: the started servers are stopped
            self._stack.close()
            raise
        sentences = [ROWS[scheme].sentence.format(url=url) for scheme, url in self.urls.items()]
        self.text = "\n".join([OPENING, *sentences]) + "\n"
        return self

    def _start(self, row: ServerRow) -> None:
        start = import_module(f"anyurl.world.{row.module}").start
        try:
            server: Server = self._started(start, row)
        except MissingExtraError as error:
            if self._asked:
                raise
            self.missing[row.scheme] = error
            return
        self._stack.callback(server.close)
        self.urls[row.scheme] = server.urls[row.scheme]
        self.roots[row.scheme] = server.root
        self.settings.update(getattr(server, "settings", {}))

    def _started(self, start: Callable[[int], Server], row: ServerRow) -> Server:
        if self._usual_ports and row.scheme in USUAL_PORTS:
            with suppress(OSError):  # something else listens there
                return start(USUAL_PORTS[row.scheme])
        return start(0)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()
