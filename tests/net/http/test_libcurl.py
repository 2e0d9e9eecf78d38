"""pycurl without its asyncio part is the same module that everybody else gets."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from anyurl.dialogue import Secret
from anyurl.net.http import libcurl
from anyurl.net.http.libcurl import PinLabels
from anyurl.net.wire.proxies.table import Proxy

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
    reason = ": in a clone of anyurl, pip install '.[http]'."
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


def labels_of(labels: PinLabels) -> list[str]:
    """A label for each combination of addresses, login and proxy."""
    return [
        labels.label(addresses, login, proxy)
        for addresses in (("127.0.0.1",), ("127.0.0.2",), ("127.0.0.1", "127.0.0.2"))
        for login in (None, Secret(""), Secret("u:p"), Secret("u:q"))
        for proxy in (None, Proxy("http", "p", 80), Proxy("http", "p", 80, "u", Secret("p")))
    ]


def test_a_label_is_that_of_the_same_addresses_login_and_proxy_alone() -> None:
    labels = PinLabels()
    made = labels_of(labels)
    assert len(set(made)) == len(made) == 36
    assert labels_of(labels) == made
    assert all(label.endswith(".invalid") for label in made)


def test_a_label_that_was_forgotten_is_never_that_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Attack: with ever new names a server would get the label, and with it the connections, of another one."""
    monkeypatch.setattr(libcurl, "MAX_LABELS", 10)
    labels = PinLabels()
    made = [label for _ in range(3) for label in labels_of(labels)]
    assert len(set(made)) == len(made)


def test_of_a_login_no_label_keeps_the_password() -> None:
    labels = PinLabels()
    labels.label(("127.0.0.1",), Secret("user:word"), None)
    assert Secret("user:word") not in [part for key in labels._numbers for part in key]
