"""What is compiled, and where it is: all of it in one library, of which this module is a part.

Rule: it is imported before anything else of the package. Where it was compiled itself, `import` finds each of these
modules in the library; else they are the sources beside it. One library is loaded once, where each module by itself was
mapped, bound and relocated (a fifteenth of the start of the command), and it is a fifth smaller than all of them. With
them is the byte code of the other modules that a `get` of the command needs (Python keeps that of its own first modules
so): a module is then neither looked for nor read, which was a ninth of that start.
"""

from __future__ import annotations

import _imp
import marshal
import os
import sys
from importlib.machinery import SourceFileLoader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.abc import Loader
    from importlib.machinery import ModuleSpec
    from types import CodeType, ModuleType
else:
    Loader = object  # `importlib.abc` takes as long as all of this saves

KERNEL = (
    "batch.finds", "grammar.grammars", "kernel.address", "kernel.anchors", "kernel.columns", "kernel.hidden",
    "kernel.implied", "kernel.letters", "kernel.lines", "kernel.names", "kernel.percent", "kernel.prose", "kernel.scan",
    "kernel.split", "kernel.strict", "kernel.tags", "kernel.templates", "kernel.wrapper", "text.finder", "text.found",
    "text.hypertext", "text.markup", "text.readers.backslash", "text.readers.log", "text.readers.xml", "text.runs",
    "text.stages", "url.url",
)  # fmt: skip
"""What reads, finds and cuts."""

HOT_PATH = (
    "access.aio", "access.client", "access.mapper", "access.named", "access.redirect", "access.resource",
    "dialogue.ask", "dialogue.asks", "dialogue.values", "net.asyncio_driver", "net.channel", "net.clocks",
    "net.connector", "net.handlers", "net.http.body", "net.http.engine", "net.http.head", "net.http.request",
    "net.http.sockets", "net.judged", "net.loop", "net.provenance", "net.relays", "net.request_lines", "net.scheduler",
    "net.task", "schemes.gopher.exchange", "schemes.gopher.items", "schemes.gopher.parts", "schemes.gopher.verbs",
    "schemes.gopher.wire.menus", "schemes.http.answers", "schemes.http.fields", "schemes.http.verbs",
    "schemes.kit.blocks", "schemes.kit.line_session", "schemes.kit.lines", "schemes.kit.replies", "schemes.kit.scheme",
    "schemes.news.articles", "schemes.news.nntp", "schemes.news.session", "schemes.news.verbs",
    "schemes.news.wire.commands", "schemes.news.wire.headers", "schemes.registry",
)  # fmt: skip
"""The way of one small request. The .pxd files beside them type it: annotations alone make checks of each call."""

START = (
    "_typing", "_version", "access", "access.folders", "access.given", "access.late", "access.options", "access.sizes",
    "access.source", "access.taken", "cli", "cli.arguments", "cli.commands", "cli.config", "cli.console",
    "cli.content", "cli.exits", "cli.foreign", "cli.get", "cli.login", "cli.options", "cli.progress", "cli.records",
    "cli.request", "cli.run", "cli.settings", "dialogue", "dialogue.http", "dialogue.logins", "dialogue.secret",
    "dialogue.sessions", "errors", "guard", "guard.addresses", "guard.ambiguity", "guard.hops", "guard.limits",
    "guard.options", "guard.patterns", "guard.policy", "guard.ports", "guard.taken", "guard.verdict", "kernel",
    "kernel.dates", "kernel.numbers", "logs", "net", "net.certificates", "net.closing", "net.http", "net.http.aim",
    "net.http.certificates", "net.http.fixed", "net.http.modern_codings", "net.http.owned_socket", "net.http.tunnels",
    "net.libcurl", "net.outgoing", "net.peers", "net.pins", "net.pool", "net.proxies", "net.proxies.table",
    "net.questions", "net.resolver", "net.room", "net.signals", "net.system", "net.tls", "net.zones", "reasons",
    "schemes", "schemes.http", "schemes.http.outcome", "schemes.kit", "schemes.kit.ends", "schemes.kit.meanings",
    "schemes.kit.media", "url", "url.charsets", "url.endpoint", "url.grammars", "url.host", "url.reading", "url.syntax",
    "url.taken", "values",
)  # fmt: skip
"""What the command loads beside these to `get` a document, whose byte code is kept."""

BYTECODE = "_bytecode.bin"
"""The file beside the library that has it: a marshalled dict, by name whether it is a package and which of the octets
behind the dict are its marshalled code, counted from the end."""

SHARED = "_shared"
"""What Cython would otherwise copy into each module, a fifth of it: function objects, keywords and memoryviews."""


class Library(Loader):
    """The finder and loader of the modules in a library (PEP 451).

    Args:
        own: The spec of this module, which is in the library as well.
    """

    def __init__(self, own: ModuleSpec) -> None:
        self.file: str = own.origin or ""
        self.names: set[str] = {f"anyurl.{name}" for name in (*KERNEL, *HOT_PATH, SHARED)}
        self._home = os.path.dirname(self.file)
        self._kind = type(own)
        assert own.loader is not None
        self._loader: Loader = own.loader  # which loads any module out of the file that its spec names
        self.code: dict[str, tuple[bool, int, int]] = {}
        self._octets = memoryview(b"")
        if not sys.flags.optimize:  # `python -O` wants code without its assertions
            self._read_code()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec of a module that is in the library, if the package around the library asks for it."""
        code = self.code.get(fullname)
        if code is None and fullname not in self.names:
            return None
        if not any(place.startswith(self._home) for place in path or ()):
            return None
        return self._spec(fullname) if code is None else self._spec_of_code(fullname, *code)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Make the module. Its function in the library has the whole name, since last parts of names recur."""
        module = self._loader.create_module(self._spec(spec.name.replace(".", "_")))
        assert module is not None
        module.__name__, module.__package__ = spec.name, spec.parent
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Run it."""
        self._loader.exec_module(module)

    def get_code(self, fullname: str) -> CodeType | None:
        """None, for `runpy` and debuggers, as from the loader of any extension module."""
        return None

    def get_source(self, fullname: str) -> str | None:
        """None."""
        return None

    def is_package(self, fullname: str) -> bool:
        """Always False."""
        return False

    def _read_code(self) -> None:
        """There is none where the library was made for people who edit the sources."""
        try:
            with open(os.path.join(self._home, BYTECODE), "rb") as file:
                self._octets = memoryview(file.read())
        except FileNotFoundError:
            return
        self.code = marshal.loads(self._octets)

    def _spec_of_code(self, name: str, is_package: bool, start: int, end: int) -> ModuleSpec:
        place = self._home + name[6:].replace(".", os.sep)
        file = f"{place}{os.sep}__init__.py" if is_package else f"{place}.py"
        spec = self._kind(name, BytecodeLoader(name, file, self._octets[start:end]), origin=file, is_package=is_package)
        if spec.submodule_search_locations is not None:
            spec.submodule_search_locations.append(place)
        spec.has_location, spec.cached = True, f"{file}c"  # a cached path is else worked out, and nobody reads it
        return spec

    def _spec(self, name: str) -> ModuleSpec:
        spec: ModuleSpec = self._kind(name, self, origin=self.file)
        spec.has_location = True
        return spec


class BytecodeLoader(SourceFileLoader):
    """The loader of a source whose byte code is here already."""

    def __init__(self, fullname: str, path: str, code: memoryview) -> None:
        super().__init__(fullname, path)
        self._code = code

    def get_code(self, fullname: str) -> CodeType:
        """The code, which says that it is of the file at this place."""
        code: CodeType = marshal.loads(self._code)
        _imp._fix_co_filename(code, self.path)  # type: ignore[attr-defined]
        return code


def find_in(library: Library) -> None:
    """Let `import` look there before it looks for files."""
    places = [place for place, finder in enumerate(sys.meta_path) if getattr(finder, "__name__", "") == "PathFinder"]
    sys.meta_path.insert(min(places, default=0), library)


LIBRARY: Library | None = None
"""None where nothing is compiled."""

if not __file__.endswith((".py", ".pyc")):
    assert __spec__ is not None
    LIBRARY = Library(__spec__)
    find_in(LIBRARY)
