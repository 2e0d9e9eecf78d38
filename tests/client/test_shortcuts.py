"""The verbs as functions: one client for all calls with the same policy and limits, and never more than are kept."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path

import pytest

import anyurl
from anyurl import Policy
from anyurl.client import shortcuts
from anyurl.errors import LimitError, RefusedError

SIZE = 3_000_000


@pytest.fixture(autouse=True)
def clients(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """None of before, and none left."""
    monkeypatch.delenv("NNTPSERVER", raising=False)
    shortcuts.shared_client.cache_clear()
    yield
    shortcuts.shared_client.cache_clear()


@pytest.fixture
def url(tmp_path: Path) -> str:
    (tmp_path / "large").write_bytes(b"x" * SIZE)
    return f"file://{tmp_path}/large"


def test_the_default_policy_holds_unless_another_is_given(url: str) -> None:
    assert anyurl.stat(url).size == SIZE
    for verb in (anyurl.open, anyurl.get, anyurl.list, anyurl.stat):
        with pytest.raises(RefusedError):
            verb(url, policy=Policy.untrusted())
    with pytest.raises(RefusedError):
        anyurl.search(url, "words", policy=Policy.untrusted())
    for change in (anyurl.put, anyurl.append):
        with pytest.raises(RefusedError):
            change(url, b"octets", policy=Policy.untrusted())
    assert anyurl.get(url).size == SIZE, "one call's policy is no other's"


def test_limits_hold_for_their_call(url: str) -> None:
    with pytest.raises(LimitError):
        anyurl.get(url, max_bytes=1000).read()
    assert len(anyurl.get(url).read()) == SIZE


def test_open_takes_what_the_client_takes(tmp_path: Path) -> None:
    new = f"file://{tmp_path}/new"
    with anyurl.open(new, "put", source=b"octets", upload_type="text/plain") as resource:
        resource.read()
    assert anyurl.open(new).read() == b"octets"
    assert anyurl.open(new, resume=anyurl.Resume(2)).read() in (b"tets", b"octets")


def test_equal_policies_share_a_client(url: str) -> None:
    for _ in range(3):
        anyurl.stat(url, policy=Policy.default().replace(allow_ports=(8080,)), timeout=5)
    assert shortcuts.shared_client.cache_info().currsize == 1


def test_a_resource_outlives_the_client_that_went(url: str) -> None:
    resource = anyurl.get(url)
    for timeout in range(1, 3 * shortcuts.MAX_CLIENTS):
        anyurl.stat(url, timeout=timeout)
    assert shortcuts.shared_client.cache_info().currsize == shortcuts.MAX_CLIENTS
    assert len(resource.read()) == SIZE


@pytest.mark.parametrize("verb", ["open", "get", "list", "search", "stat", "put", "append"])
def test_the_help_says_which_policy_holds(verb: str) -> None:
    text = inspect.getdoc(getattr(anyurl, verb)) or ""
    assert f"Like `Client.{verb}`" in text
    assert "the default is `Policy.default()`" in text
