"""Reading URLs: `URL(text)`, and four of its components, against the parsers of the field in the same run.

Rules. All contestants get the same texts, all different, in interleaved rounds with the garbage collector off; each
figure is a contestant's best round. Caches are off: urlsplit is called below its own, and yarl's hold fewer URLs than
the sample has. A text that any contestant refuses is left out for all, and counted.

`python bench/parse.py [--file URLS] [--rounds N]` prints a table, `--markdown` the rows for RESULTS.md. The sample in
``data/urls.txt`` is made up, in the proportions of real pages: 74 octets on average, a third with a query.
"""

from __future__ import annotations

import argparse
import gc
import platform
import sys
import time
from collections.abc import Callable, Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import can_ada
import liburlparser
import yarl

import anyurl.url.cut
from anyurl import URL

SAMPLE = Path(__file__).resolve().parent / "data" / "urls.txt"
MOST = 100_000
"""Texts of one run: enough to leave every cache, few enough for a minute."""

PARSERS: dict[str, Callable[[str], Any]] = {
    "anyurl": URL,
    "can_ada": can_ada.parse,
    "liburlparser": liburlparser.Url,
    "urlsplit": urlsplit.__wrapped__,  # type: ignore[attr-defined]
    "yarl": yarl.URL,
}

TARGETS = {"can_ada": 0.6, "liburlparser": 1.0, "urlsplit": 0.1, "yarl": 0.1}
"""anyurl's time to read a text, as a part of theirs."""


def read_anyurl(urls: Iterable[Any]) -> None:
    for url in urls:
        url.scheme, url.host, url.path, url.query  # noqa: B018


def read_can_ada(urls: Iterable[Any]) -> None:
    for url in urls:
        url.protocol, url.hostname, url.pathname, url.search  # noqa: B018


def read_liburlparser(urls: Iterable[Any]) -> None:
    for url in urls:
        url.protocol, url.host_text, url.abspath, url.query  # noqa: B018


def read_urlsplit(urls: Iterable[Any]) -> None:
    for url in urls:
        url.scheme, url.hostname, url.path, url.query  # noqa: B018


def read_yarl(urls: Iterable[Any]) -> None:
    for url in urls:
        url.scheme, url.raw_host, url.raw_path, url.raw_query_string  # noqa: B018


READERS: dict[str, Callable[[Iterable[Any]], None]] = {
    "anyurl": read_anyurl,
    "can_ada": read_can_ada,
    "liburlparser": read_liburlparser,
    "urlsplit": read_urlsplit,
    "yarl": read_yarl,
}


def readable(texts: list[str]) -> list[str]:
    """The different texts that every contestant accepts."""
    out = []
    for text in dict.fromkeys(texts):
        try:
            for parse in PARSERS.values():
                parse(text)
        except (ValueError, RuntimeError):
            continue
        out.append(text)
    return out


def parse_all(parse: Callable[[str], Any], texts: list[str]) -> float:
    began = time.perf_counter()
    for text in texts:
        parse(text)
    return time.perf_counter() - began


def measure(texts: list[str], rounds: int) -> tuple[dict[str, float], dict[str, float]]:
    """Nanoseconds for one text, and for four components of it, by contestant."""
    parsing: dict[str, list[float]] = {name: [] for name in PARSERS}
    reading: dict[str, list[float]] = {name: [] for name in PARSERS}
    gc.disable()
    for _ in range(rounds):
        for name, parse in PARSERS.items():
            parsing[name].append(parse_all(parse, texts))
            urls = [parse(text) for text in texts]  # new ones: yarl keeps what was read once
            began = time.perf_counter()
            READERS[name](urls)
            reading[name].append(time.perf_counter() - began)
            del urls
    gc.enable()
    scale = 1e9 / len(texts)
    return (
        {name: min(times) * scale for name, times in parsing.items()},
        {name: min(times) * scale for name, times in reading.items()},
    )


def print_table(parsing: dict[str, float], reading: dict[str, float]) -> None:
    heads = ("URL(text)", "anyurl is", "to reach", "four reads", "anyurl is", "to reach")
    print(f"{'':14}" + "".join(f"{head:>13}" for head in heads))
    for name in PARSERS:
        cells = [f"{parsing[name]:.0f} ns", "", "", f"{reading[name]:.0f} ns", "", ""]
        if name in TARGETS:
            cells[1] = f"{parsing['anyurl'] / parsing[name]:.2f}"
            cells[2] = f"<= {TARGETS[name]}"
            cells[4] = f"{reading['anyurl'] / reading[name]:.2f}"
            cells[5] = "< 1" if name == "can_ada" else ""
        print(f"{name:14}" + "".join(f"{cell:>13}" for cell in cells).rstrip())


def print_markdown(parsing: dict[str, float], reading: dict[str, float]) -> None:
    for what, times in (("`URL(text)`", parsing), ("four reads", reading)):
        for name in TARGETS:
            peer = f"CPython {platform.python_version()}" if name == "urlsplit" else f"{name} {version(name)}"
            target = f"<= {TARGETS[name]}" if times is parsing else "< 1" if name == "can_ada" else ""
            ours, theirs = times["anyurl"], times[name]
            print(f"| {what} | {peer} | {ours:.0f} ns : {theirs:.0f} ns | {ours / theirs:.2f} | {target} |")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--file", type=Path, default=SAMPLE, help="one URL a line")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--markdown", action="store_true", help="rows for RESULTS.md")
    options = parser.parse_args()
    lines = options.file.read_text(encoding="utf-8", errors="surrogateescape").split("\n")
    lines = [line.strip() for line in lines if line.strip()][:MOST]
    texts = readable(lines)
    if not texts:
        print(f"{options.file} has no URL that all contestants read", file=sys.stderr)
        return 1
    parsing, reading = measure(texts, options.rounds)
    if options.markdown:
        print_markdown(parsing, reading)
        return 0
    kernel = "compiled" if anyurl.url.cut.COMPILED else "PURE"
    octets = sum(map(len, texts)) // len(texts)
    print(f"{kernel} kernel, {len(texts)} of {len(lines)} texts, {octets} octets each, best of {options.rounds} rounds")
    print_table(parsing, reading)
    return 0


if __name__ == "__main__":
    sys.exit(main())
