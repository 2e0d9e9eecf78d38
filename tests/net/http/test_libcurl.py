"""pycurl without its asyncio part is the same module that everybody else gets."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from anyurl.net.http.libcurl import pin_label

SAME = "assert pycurl.Curl is ours.Curl and pycurl.error is ours.error and pycurl.CurlMulti is ours.CurlMulti"


@pytest.mark.parametrize(
    "program",
    [
        f"from anyurl.net.http.libcurl import pycurl as ours; import pycurl; {SAME}",
        f"import pycurl; from anyurl.net.http.libcurl import pycurl as ours; {SAME}",
    ],
    ids=["ours-first", "theirs-first"],
)
def test_who_comes_first_does_not_matter(program: str) -> None:
    subprocess.run([sys.executable, "-c", program], check=True, timeout=30)


def test_the_asyncio_part_stays_out() -> None:
    program = (
        "import sys, anyurl.net.http.libcurl; print('dataclasses' in sys.modules, 'pycurl.async_multi' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], check=True, timeout=30, capture_output=True, text=True)
    assert done.stdout.split() == ["False", "False"]


@pytest.mark.parametrize("way", ["nowhere", "broken"])
def test_without_pycurl_it_is_said_what_to_install(tmp_path: Path, way: str) -> None:
    reason = ": pip install 'anyurl[http]'."
    if way == "broken":
        (tmp_path / "pycurl.py").write_text("raise ImportError('it is broken')")
        reason = ", which can't be loaded (it is broken)."
    hide = "sys.modules['pycurl'] = None" if way == "nowhere" else f"sys.path.insert(0, {str(tmp_path)!r})"
    attempt = (
        "try:\n    import anyurl.net.http.libcurl\nexcept Exception as error:\n    print(type(error).__name__, error)"
    )
    program = f"import sys; {hide}\n{attempt}"
    done = subprocess.run([sys.executable, "-c", program], check=True, timeout=30, capture_output=True, text=True)
    assert done.stdout == f"MissingExtraError http and https URLs need the extra `http`{reason}\n"


def test_a_label_hangs_on_addresses_login_proxy_and_salt() -> None:
    labels = {
        pin_label(addresses, login, proxy, salt)
        for addresses in (("127.0.0.1",), ("127.0.0.2",), ("127.0.0.1", "127.0.0.2"))
        for login in ("", "u:p", "u:q")
        for proxy in ("", "http://p:80\0\0", "http://p:80\0u\0p")
        for salt in (b"a" * 16, b"b" * 16)
    }
    assert len(labels) == 54
    assert all(label.endswith(".invalid") for label in labels)
