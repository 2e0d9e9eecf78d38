"""Of an installation with nothing beside it: every module can be imported, and the command does its work.

Run by `.ci/run` and `.ci/full` with the Python of a new environment, in an empty folder: with the extra ``full``, and
with ``light``, with what anyurl itself depends on, which is idna. Exits with what went wrong.
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

LIGHT = [
    *COMMANDS,
    (["explain", "http://h/"], b"", "current, rfc1738, rfc1738-draft07"),
    (["check", "page.md"], b"", ""),
    (["demo", "gopher", "news", "wais", "prospero", "telnet"], b"", "prospero"),
]
MISSING = [
    (["--help"], "This needs click: in a clone of anyurl, pip install '.[cli]'."),
    (
        ["parse", "--grammar", "browser", "http://h/"],
        "The grammar browser needs ada-url: in a clone of anyurl, pip install '.[browser]'.",
    ),
    (
        ["get", "http://127.0.0.1:8000/"],
        "http and https URLs need the extra `http`: in a clone of anyurl, pip install '.[http]'.",
    ),
]
"""What a light installation can't do: a sentence, and the exit code for what needs a part that is not there."""

CLIENTS = ("PyInstaller", "aiohttp", "anyio", "fsspec", "httpcore", "httpcore2", "jinja2", "mcp", "pydantic_core",
           "pytest", "python_multipart", "requests", "starlette", "urllib3", "uvicorn")  # fmt: skip
"""What the adapters stand under, and what the tools for models and the pages are made with, none of which a bare
installation has: the first that each imports."""

ROOMS = ("anyurl.adapters.", "anyurl.mcp.", "anyurl.net.loopback", "anyurl.web.")
"""Who imports them: `net.loopback` is what the tools and the pages are served with."""


def main(arguments: list[str]) -> str | None:
    """What is wrong, if anything is."""
    faults = []
    is_light = arguments == ["light"]
    absent = (*CLIENTS, "ada_url", "click", "pycurl", "rich") if is_light else CLIENTS
    for module in pkgutil.walk_packages(anyurl.__path__, "anyurl."):
        try:
            import_module(module.name)
        except ModuleNotFoundError as error:
            # An adapter is imported by who has its client, and says which one is not there.
            allowed = is_light or module.name.startswith(ROOMS)
            if not (allowed and error.name in absent):
                faults.append(f"{module.name}: {error!r}")
        except anyurl.MissingExtraError as error:
            if not is_light:
                faults.append(f"{module.name}: {error!r}")
        except Exception as error:
            faults.append(f"{module.name}: {error!r}")
    Path("file").write_text("a text", encoding="utf-8")
    Path("page.md").write_text("[one](data:,a) [another](file)", encoding="utf-8")
    command = Path(sys.executable).parent / "anyurl"
    for words, given, expected in LIGHT if is_light else COMMANDS:
        done = subprocess.run([command, *words], input=given, capture_output=True, check=False)
        if done.returncode or expected not in done.stdout.decode("utf-8", "replace"):
            faults.append(f"anyurl {' '.join(words)}: {done}")
    for words, sentence in MISSING if is_light else ():
        done = subprocess.run([command, *words], capture_output=True, check=False)
        if done.returncode != 4 or sentence not in done.stderr.decode("utf-8", "replace"):
            faults.append(f"anyurl {' '.join(words)}: {done}")
    return "\n".join(faults) or None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
