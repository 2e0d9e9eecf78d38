"""The plug-in of pytest: a handler under the guard meets the names and pages of its test, by every client."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest
import requests

from anyurl import Client, Policy
from anyurl.adapters.pytest import SmallWeb, small_network
from anyurl.adapters.requests import session
from anyurl.errors import RefusedError
from tests.adapters.clients import FACTORIES, How

__all__ = ["small_network"]


@pytest.mark.parametrize("client", FACTORIES)
def test_a_public_name_answers_and_an_inner_one_is_refused(small_network: SmallWeb, client: str) -> None:
    small_network.page("http://hooks.test/a?b=1", "taken")
    small_network.page("http://hooks.test/away", location="http://inner.test/secret")
    small_network.page("http://inner.test/secret", "secret")
    small_network.host("inner.test", "10.0.0.7")
    small_network.host("both.test", "93.184.216.34", "169.254.169.254")
    fetch = FACTORIES[client]
    assert fetch(["http://hooks.test/a?b=1"], How()) == [(200, b"taken")]
    for url in ("http://inner.test/secret", "http://hooks.test/away", "http://both.test/", "http://10.0.0.7/"):
        with pytest.raises(RefusedError):
            fetch([url], How())
    assert [each for each in small_network.requests if "inner.test" in each] == []
    assert small_network.requests == ["GET http://hooks.test/a?b=1", "GET http://hooks.test/away"]
    opened = How(Policy.untrusted().replace(allow_nets=["inner.test"]))
    assert fetch(["http://inner.test/secret"], opened) == [(200, b"secret")]


def test_a_page_that_nobody_put_there_is_not_found_and_a_name_is_not_known(small_network: SmallWeb) -> None:
    small_network.page("http://hooks.test/", "taken", status=201, headers={"X-A": "b"})
    fetch = FACTORIES["requests"]
    assert fetch(["http://hooks.test/", "http://hooks.test/b"], How()) == [
        (201, b"taken"),
        (404, b"there is no such page"),
    ]
    with pytest.raises(Exception, match=r"other\.test"):
        fetch(["http://other.test/"], How())
    assert small_network.looked_up == ["hooks.test", "hooks.test", "other.test"]
    with pytest.raises(ValueError, match="http URLs, not at https"):
        small_network.page("https://hooks.test/")


@pytest.mark.parametrize("content", [b"signed", iter([b"sig", b"ned"])], ids=["in one piece", "in chunks"])
def test_what_was_sent_is_kept(small_network: SmallWeb, content: Any) -> None:
    small_network.page("http://hooks.test/a", status=204)
    with session() as web:
        web.get("http://hooks.test/a")
        web.post("http://hooks.test/a", data=content, headers={"X-Signature": "abc"})
    assert small_network.bodies == [b"", b"signed"]
    assert [each["x-signature"] for each in small_network.headers] == [None, "abc"]
    assert len(small_network.requests) == 2


def test_an_address_of_a_host_is_an_address(small_network: SmallWeb) -> None:
    for text in ("10.0.0.256", "inner.test", "10.1", ""):
        with pytest.raises(ValueError, match=r"is not an address: 10\.0\.0\.7 or fd00::7 would be"):
            small_network.host("inner.test", "10.0.0.7", text)


def test_no_connection_leaves_this_machine(small_network: SmallWeb) -> None:
    small_network.host("six.test", "2606:4700::1")
    with pytest.raises(requests.ConnectionError):
        requests.Session().get("http://six.test/")
    assert requests.Session().get("http://93.184.216.34/").status_code == 404  # it is here


def test_a_client_of_anyurl_meets_it_too(small_network: SmallWeb) -> None:
    small_network.page("http://hooks.test/", "taken")
    with Client(Policy.untrusted()) as client:
        with pytest.raises(RefusedError):
            client.get("http://10.0.0.7/")


PAGE = (Path(__file__).parents[2] / "docs" / "guard-your-client.md").read_text("utf-8")


def examples(heading: str) -> list[str]:
    """The programs of a section."""
    section = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return [part.partition("```")[0] for part in section.split("```python\n")[1:]]


def python(folder: Path, *words: str) -> str:
    """What a module writes, run there."""
    done = subprocess.run(
        [sys.executable, "-m", *words], cwd=folder, capture_output=True, text=True, timeout=120, check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )  # fmt: skip
    return done.stdout + done.stderr


IS_INSTALLED = any(each.value == "anyurl.adapters.pytest" for each in entry_points(group="pytest11"))
TESTS = ("pytest", "-p", "no:cacheprovider", *(() if IS_INSTALLED else ("-p", "anyurl.adapters.pytest")))


def test_the_example_of_the_page_passes_as_it_stands_there(tmp_path: Path) -> None:
    (example,) = examples("In your tests")
    (tmp_path / "test_example.py").write_text(example, "utf-8")
    assert "1 passed" in (told := python(tmp_path, *TESTS)), told


def test_the_service_of_the_page_passes_its_tests_and_its_types(tmp_path: Path) -> None:
    pytest.importorskip("fastapi")
    service, tests = examples("A service with FastAPI")
    (tmp_path / "service.py").write_text(service, "utf-8")
    (tmp_path / "test_service.py").write_text(tests, "utf-8")
    assert "3 passed" in (told := python(tmp_path, *TESTS)), told
    if "ANYURL_SLOW" in os.environ:  # mypy reads all of FastAPI and Pydantic anew
        assert "Success: " in (told := python(tmp_path, "mypy", "--strict", "service.py", "test_service.py")), told
