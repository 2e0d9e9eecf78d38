"""``import anyurl`` is cheap: what is heavy is imported when it is first needed."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = {
    "ada_url", "asyncio", "click", "concurrent.futures", "ctypes", "dataclasses", "email", "http", "idna",
    "importlib.metadata", "inspect", "ipaddress", "json", "logging", "multiprocessing", "pathlib", "pyarrow", "pycurl",
    "ray", "rich", "selectors", "socket", "ssl", "starlette", "subprocess", "tempfile", "threading",
    "typing_extensions", "urllib", "urllib.parse",
}  # fmt: skip


def loaded_by(program: str) -> set[str]:
    """The modules that a fresh interpreter has after a program, beside those that it starts with."""
    script = f"import sys; before = set(sys.modules); {program}; print(*(set(sys.modules) - before), sep='\\n')"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(result.stdout.split())


@pytest.mark.parametrize(
    "program",
    [
        "import anyurl",
        "import anyurl; anyurl.URL('ftp://myname@host.dom/%2Fetc/motd;type=a').port",
    ],
)
def test_the_library_starts_light(program: str) -> None:
    loaded = loaded_by(program)
    assert "anyurl" in loaded
    assert loaded & HEAVY == set()


def test_the_command_line_starts_without_the_network() -> None:
    assert loaded_by("import anyurl.cli") & {"asyncio", "pycurl", "ray", "pyarrow", "ssl", "rich", "ada_url"} == set()
