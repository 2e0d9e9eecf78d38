"""Several URLs that are saved: their names, and the order in which they are transferred."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from anyurl.errors import ConnectionLost
from anyurl.saving.pieces import Pause
from anyurl.saving.save import Destination
from anyurl.saving.several import SavedUrl, SaveItem, Several
from anyurl.url import URL
from anyurl.values import USER


def items(*urls: str) -> Iterator[SaveItem]:
    return (SaveItem(URL(url), USER) for url in urls)


def document(url: URL) -> Any:
    """A resource of 20 octets that can be resumed."""
    return SimpleNamespace(
        url=url, kind="document", name=None, start=0, size=20, modified=None, etag='"1"', attributes={}, type=None
    )


def test_the_names_of_many_urls_of_one_name_take_linear_work(tmp_path: Path) -> None:
    count, compared = 300, 0

    def watch(_frame: Any, event: str, function: Any) -> None:
        nonlocal compared
        compared += event == "c_call" and getattr(function, "__name__", "") == "casefold"

    work = Several(items(*["http://h/"] * count), lambda _url, _name: str(tmp_path / "x"))
    sys.setprofile(watch)
    try:
        paths = [item.path for item in work.targets()]
    finally:
        sys.setprofile(None)
    assert paths == [f"{tmp_path}/x", *(f"{tmp_path}/x.{number}" for number in range(1, count))]
    assert compared <= 5 * count


def test_names_differ_in_more_than_case_and_number(tmp_path: Path) -> None:
    names = iter(["x", "X", "x.2", "x", "x.2"])
    work = Several(items(*["http://h/"] * 5), lambda _url, _name: str(tmp_path / next(names)))
    assert [Path(item.path).name for item in work.targets()] == ["x", "X.1", "x.2", "x.3", "x.2.1"]


def test_what_broke_off_is_tried_again_before_the_others(tmp_path: Path) -> None:
    """Its file stays open until then: of a long list, all that broke off would be open at the end."""
    urls = items("http://h/a", "http://h/b", "http://h/c")
    work = Several(urls, lambda url, _name: str(tmp_path / url.path[1:]), retries=1)
    targets = work.targets()
    first = next(targets)
    steps = work.settle(first, document(first.url))
    assert next(steps) is None
    told = steps.throw(ConnectionLost("It broke off.", stage="body"))
    assert isinstance(told, SavedUrl)
    assert told.outcome == "again"
    assert isinstance(next(steps), Pause)
    with pytest.raises(StopIteration):
        next(steps)
    assert [item.path for item in targets] == [str(tmp_path / name) for name in "abc"]
    work.close()
    first.close()


@pytest.mark.parametrize("length", [1, 250])
def test_a_part_is_resumed_whatever_the_length_of_its_name(length: int, tmp_path: Path) -> None:
    path, url = tmp_path / ("x" * length), URL("http://h/x")
    with Destination(path, go_on=True) as destination:
        destination.resume(url)
        destination.prepare(document(url))
        destination.write(b"0123456789")
    item = next(Several(items("http://h/x"), lambda _url, _name: str(path), go_on=True).targets())
    assert item.resume is not None
    assert item.resume.start == 10
