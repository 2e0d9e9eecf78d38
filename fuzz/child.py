"""One target under atheris: ``python fuzz/child.py NAME LIBFUZZER-ARGUMENTS...``; started by `fuzz/run.py`.

Rule: it fuzzes parsers. It may open no connection and start no process.
"""

from __future__ import annotations

import resource
import sys
from pathlib import Path
from typing import Any

MAX_MEMORY_BYTES = 3 << 30
"""Address space: libFuzzer's own tables, Python, and what a parser that forgot its limits would eat."""

_FORBIDDEN = frozenset(("socket.connect", "socket.getaddrinfo", "subprocess.Popen", "os.system", "os.exec", "os.fork"))


def _refuse(event: str, _arguments: Any) -> None:
    if event in _FORBIDDEN:
        raise RuntimeError(f"a fuzz target does {event}")


def main() -> None:
    """Never returns: libFuzzer ends the process."""
    name, *arguments = sys.argv[1:]
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.path.insert(0, str(Path(__file__).parent.parent))
    import atheris

    with atheris.instrument_imports(include=["anyurl", "fuzz.targets"], enable_loader_override=False):
        from fuzz import kit

        target = kit.load(name)
        for seed in kit.seeds(name)[:20]:
            target(seed)  # what is imported late is imported now, and so instrumented
    sys.addaudithook(_refuse)
    atheris.Setup([f"fuzz-{name}", *arguments], target)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
