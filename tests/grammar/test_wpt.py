"""The grammar `browser` against the Web Platform Tests' URL data: read where it lies, copied nowhere.

The data is found by ``$ANYURL_WPT``, or beside the repository in ``../shared/corpora/wpt``. All cases run; what a case
asks of our interface stands in each test, what does not apply is counted with its reason.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from anyurl.errors import URLSyntaxError
from anyurl.grammar import browser, diagnose, parse
from anyurl.url import URL

PLACES = (
    Path(os.environ.get("ANYURL_WPT", "")) if os.environ.get("ANYURL_WPT") else None,
    Path(__file__).resolve().parents[3] / "shared" / "corpora" / "wpt",
)
FOLDER = next((place for place in PLACES if place is not None and place.is_dir()), None)

pytestmark = pytest.mark.skipif(
    FOLDER is None, reason="the Web Platform Tests' URL data is not here: set ANYURL_WPT to its folder"
)

ATTRIBUTES = (
    "href",
    "origin",
    "protocol",
    "username",
    "password",
    "host",
    "hostname",
    "port",
    "pathname",
    "search",
    "hash",
)
SPECIAL = ("ftp", "http", "https", "ws", "wss")


@cache
def data(name: str) -> Any:
    assert FOLDER is not None
    found = next(path for path in (FOLDER / f"wpt_{name}.json", FOLDER / f"{name}.json") if path.exists())
    return json.loads(found.read_text(encoding="utf-8"))


def cases(name: str) -> list[dict[str, Any]]:
    return [case for case in data(name) if isinstance(case, dict)]


def attributes(url: URL) -> dict[str, str | None]:
    """What a browser's URL object shows, read from ours."""
    port = "" if url.explicit_port is None else str(url.explicit_port)
    host = url.raw_host or ""
    path = url.path
    if url.host is None and path.startswith("/.//"):
        path = path[2:]  # the serializer writes "/." before a path that would else be an authority
    return {
        "href": str(url),
        "origin": origin(url),
        "protocol": f"{url.scheme}:",
        "username": url.raw_user or "",
        "password": url.raw_password or "",
        "host": f"{host}:{port}" if port else host,
        "hostname": host,
        "port": port,
        "pathname": path,
        "search": f"?{url.query}" if url.query else "",
        "hash": f"#{url.fragment}" if url.fragment else "",
    }


def origin(url: URL) -> str:
    """The standard's serialized origin: that of the special schemes, of a blob's URL inside it, else ``null``."""
    if url.scheme == "blob":
        try:
            inner = parse(url.path, "browser")
        except URLSyntaxError:
            return "null"
        return origin(inner) if inner.scheme in ("http", "https") else "null"
    if url.scheme not in SPECIAL:
        return "null"
    return f"{url.scheme}://{url.raw_host}" + (f":{url.explicit_port}" if url.explicit_port is not None else "")


def say(capsys: pytest.CaptureFixture[str], text: str) -> None:
    with capsys.disabled():
        sys.stdout.write(f"\n{text}\n")


def test_urltestdata(capsys: pytest.CaptureFixture[str]) -> None:
    wrong, tally = [], Counter[str]()
    for case in cases("urltestdata"):
        try:
            url = browser.parse(case["input"], case["base"])
        except URLSyntaxError as error:
            seen: Any = "failure"
            assert error.diagnostics[0].severity == "error"
        else:
            seen = {name: value for name, value in attributes(url).items() if name in case}
        expected = "failure" if case.get("failure") else {name: case[name] for name in ATTRIBUTES if name in case}
        tally["failures" if expected == "failure" else "URLs"] += 1
        if seen != expected:
            wrong.append((case, seen))
    say(capsys, f"urltestdata: {tally['URLs']} URLs and {tally['failures']} failures, {len(wrong)} read otherwise")
    assert wrong == []
    assert tally.total() == 891


def test_urltestdata_through_parse_and_diagnose() -> None:
    """Without a base: `parse` and `diagnose` are the same reader."""
    for case in cases("urltestdata"):
        if case["base"] is not None or case.get("relativeTo"):
            continue
        faulty = any(one.severity == "error" for one in diagnose(case["input"], "browser"))
        assert faulty is bool(case.get("failure")), case
        if not case.get("failure"):
            assert str(parse(case["input"], "browser")) == case["href"]


def test_setters(capsys: pytest.CaptureFixture[str]) -> None:
    wrong, count = [], 0
    for attribute, rows in data("setters_tests").items():
        if attribute == "comment":
            continue
        for case in rows:
            count += 1
            url = parse(case["href"], "browser")
            seen = attributes(browser.replace(url, **{attribute: case["new_value"]}))
            if any(seen[name] != value for name, value in case["expected"].items()):
                wrong.append((attribute, case, seen))
    say(capsys, f"setters_tests: {count} cases, {len(wrong)} read otherwise")
    assert wrong == []


def to_ascii(domain: str) -> str | None:
    """The domain of an https URL, given encoded so that no delimiter in it is one of the URL."""
    encoded = "".join(
        f"%{octet:02X}" for octet in domain.encode("utf-8", "surrogatepass").decode("utf-8", "replace").encode()
    )
    try:
        return parse(f"https://{encoded}/x", "browser").raw_host
    except URLSyntaxError:
        return None


@pytest.mark.parametrize("name", ["toascii", "IdnaTestV2"])
def test_hosts(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    wrong, empty = [], 0
    rows = cases(name)
    for case in rows:
        if case["input"] == "":
            empty += 1  # an https URL can't have an empty host: the tests' own harness leaves it out, too
            continue
        seen = to_ascii(case["input"])
        if seen != case["output"]:
            wrong.append((case, seen))
    say(capsys, f"{name}: {len(rows)} hosts, {empty} of them empty and left out, {len(wrong)} read otherwise")
    assert wrong == []


def test_percent_encoding(capsys: pytest.CaptureFixture[str]) -> None:
    """The rows for UTF-8; the other encodings are those of a document around the URL, which a URL has not."""
    left_out = Counter[str]()
    for case in cases("percent-encoding"):
        for encoding, output in case["output"].items():
            if encoding != "utf-8":
                left_out[encoding] += 1
                continue
            url = parse(f"https://doesnotmatter.invalid/?{case['input']}#{case['input']}", "browser")
            assert (url.query, url.fragment) == (output, output)
    say(capsys, f"percent-encoding: utf-8 passes; of a document's encoding, so not ours: {dict(left_out)}")
