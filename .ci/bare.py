"""Of an installation with nothing beside it: every module can be imported, and the command does its work.

Run by `.ci/run` and `.ci/full` with the Python of a new environment, in an empty folder. Exits with what went wrong.
"""

from __future__ import annotations

import pkgutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import anyurl

COMMANDS = [
    (["--version"], b"", anyurl.__version__),
    (["parse", "ftp://h/a/b;type=i"], b"", "typecode"),
    (["explain", "http://b\N{LATIN SMALL LETTER U WITH DIAERESIS}cher.example/"], b"", "xn--bcher-kva"),
    (["find"], b"See gopher://gopher.example/11/docs, please.", "gopher://gopher.example/11/docs\n"),
    (["schemes"], b"", "prospero"),
    (["get", "--explain", "nntp://news.example/comp.lang.python/1"], b"", "ARTICLE 1"),
    (["get", Path("file").resolve().as_uri()], b"", "a text"),
]
"""The arguments, the input, and what the output holds."""

CLIENTS = ("aiohttp", "anyio", "fsspec", "httpcore", "mcp", "pydantic_core", "requests", "urllib3")
"""What the adapters stand under and the tools for models are made with, none of which a bare installation has: the
first that each imports."""


def main() -> str | None:
    """What is wrong, if anything is."""
    faults = []
    for module in pkgutil.walk_packages(anyurl.__path__, "anyurl."):
        try:
            import_module(module.name)
        except ModuleNotFoundError as error:
            # An adapter is imported by who has its client, and says which one is not there.
            if not (module.name.startswith(("anyurl.adapters.", "anyurl.mcp.")) and error.name in CLIENTS):
                faults.append(f"{module.name}: {error!r}")
        except Exception as error:
            faults.append(f"{module.name}: {error!r}")
    Path("file").write_text("a text", encoding="utf-8")
    command = Path(sys.executable).parent / "anyurl"
    for arguments, given, expected in COMMANDS:
        done = subprocess.run([command, *arguments], input=given, capture_output=True, check=False)
        if done.returncode or expected not in done.stdout.decode("utf-8", "replace"):
            faults.append(f"anyurl {' '.join(arguments)}: {done}")
    return "\n".join(faults) or None


if __name__ == "__main__":
    sys.exit(main())
