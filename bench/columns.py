"""Components of a column of URLs, against chdb, polars, duckdb and can_ada: ``python bench/columns.py [--rows N]``.

With ``--find`` the URLs in a column of text, one in five rows and one in each, against polars' regex. With ``--more``
what else is done to columns, against the same row by row; two threads against one, by the clock; the whole in batches.
With ``--hosts FILE`` the registered domains of URLs with the names in a file, one a line, each of them at least once.

Every round runs all of them in another order, in one process and one thread; the ratio is that of the medians. What a
round made is freed outside the clock. The URLs are made up from authorities, paths and queries as crawls have them: 63
octets in the mean, one in a hundred no URL, one in fifty of another scheme or with a login, a port or an escape.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa

from anyurl import URL
from anyurl.batch import columns, find, join, normalize, registered_domain
from anyurl.url.cut.columns import COMPILED

ROUNDS = 7
OURS = "anyurl: all components as views, or URLs found"
WORDS = [
    "news",
    "article",
    "index",
    "catalog",
    "product",
    "wiki",
    "user",
    "blog",
    "post",
    "image",
    "static",
    "archive",
    "category",
    "search",
    "help",
    "about",
    "en",
    "de",
    "fr",
    "2024",
    "2025",
    "10",
    "11",
    "view",
    "list",
    "item",
    "detail",
    "page",
    "media",
    "upload",
    "download",
    "forum",
    "thread",
    "topic",
    "tag",
    "author",
    "report",
    "events",
]
ENDS = ("com", "org", "net", "de", "co.uk", "io", "info", "edu", "fr", "jp", "ru", "br")


def made_up(count: int, seed: int = 1738) -> list[str]:
    """So many texts, nearly all of them URLs."""
    chance = random.Random(seed)
    word = lambda: chance.choice(WORDS)  # noqa: E731
    hosts = [f"{chance.choice(['www.', '', '', 'blog.'])}{word()}{chance.randrange(999)}.{chance.choice(ENDS)}"
             for _ in range(max(count // 30, 1))]  # fmt: skip
    texts = []
    for _ in range(count):
        host = chance.choice(hosts)
        path = "/".join(word() + chance.choice(["", "-" + word(), str(chance.randrange(10**6))])
                        for _ in range(chance.randrange(1, 5)))  # fmt: skip
        end = chance.choice(["", "/", ".html", ".php"])
        query = "" if chance.random() < 0.7 else f"?{word()}={chance.randrange(10**9)}&{word()}={word()}"
        kind = chance.random()
        if kind < 0.01:
            texts.append(f"http://{host}/{path} {word()}")
        elif kind < 0.02:
            texts.append(f"ftp://{word()}:{word()}@{host}:2121/{path}{end}")
        elif kind < 0.03:
            texts.append(f"http://{host}:8080/{path}/%7e{word()}{end}{query}")
        else:
            texts.append(f"http{chance.choice(['', 's', 's'])}://{host}/{path}{end}{query}")
    return texts


def peers(texts: list[str]) -> dict[str, Callable[[], Any]]:
    """What is timed, by name."""
    array = pa.array(texts)
    jobs: dict[str, Callable[[], Any]] = {
        OURS: lambda: columns(array),
        "anyurl, all components, string": lambda: columns(array, layout="string"),
        "anyurl, host": lambda: columns(array, ["host"]),
    }
    try:
        from chdb import session

        chdb = session.Session()
        chdb.query("create database b; create table b.t (url String) engine = Memory")
        table = pa.table({"url": array})
        chdb.query("insert into b.t select url from Python(table)")
        five = ("protocol", "domain", "path", "queryString", "fragment")
        total = " + ".join(f"length({name}(url))" for name in five)
        jobs["chdb, five functions, sum(length())"] = lambda: chdb.query(
            f"select sum({total}) from b.t settings max_threads=1"
        )
        jobs["chdb, five functions into null()"] = lambda: chdb.query(
            f"insert into function null('a String, b String, c String, d String, e String') "
            f"select {', '.join(f'{name}(url)' for name in five)} from b.t settings max_threads=1"
        )
        del table
    except ImportError:
        print("chdb is not installed")
    pattern = r"^([a-zA-Z][a-zA-Z0-9+.-]*)://(?:([^/?#@]*)@)?([^/?#:]*)(?::(\d+))?([^?#]*)(?:\?([^#]*))?"
    try:
        import polars

        series = polars.Series("url", texts)
        jobs["polars, extract_groups"] = lambda: series.str.extract_groups(pattern)
    except ImportError:
        print("polars is not installed")
    try:
        import duckdb

        base = duckdb.connect()
        base.execute("set threads=1")
        base.register("given", pa.table({"url": array}))
        base.execute("create table t as select url from given")
        groups = "['a','b','c','d','e','f']"
        jobs["duckdb, regexp_extract, 6 groups"] = lambda: base.execute(
            f"select sum(length(x.c)) from (select regexp_extract(url, '{pattern}', {groups}) x from t)"
        ).fetchall()
    except ImportError:
        print("duckdb is not installed")
    try:
        import can_ada

        def loop() -> int:
            count = 0
            for text in texts:
                try:
                    can_ada.parse(text)
                except ValueError:
                    count += 1
            return count

        jobs["can_ada in a loop"] = loop
    except ImportError:
        print("can_ada is not installed")
    return jobs


def prose(count: int, share: float, seed: int = 1738) -> list[str]:
    """So many texts of some 200 octets, and in a share of them a URL."""
    chance = random.Random(seed)
    texts = []
    for url in made_up(count):
        words = [chance.choice([*WORDS, "see:", "and", "of", "the", "note,"]) for _ in range(36)]
        if chance.random() < share:
            words[chance.randrange(len(words))] = url
        texts.append(" ".join(words))
    return texts


def finders(texts: list[str]) -> dict[str, Callable[[], Any]]:
    """What finds the URLs in texts, by name."""
    import polars

    array, series = pa.array(texts), polars.Series("text", texts)
    pattern = r"[a-zA-Z][a-zA-Z0-9+.-]*://[^\s<>\"]+"
    return {OURS: lambda: find(array), "polars, extract_all of a regex": lambda: series.str.extract_all(pattern)}


def more(texts: list[str]) -> list[dict[str, Callable[[], Any]]]:
    """What else is done to columns; each time ours comes first."""
    from urllib.parse import urljoin

    import ada_url
    from publicsuffixlist import PublicSuffixList

    array = pa.array(texts)
    urls = [URL(text) for text in texts if " " not in text]
    hosts = [url.host or "" for url in urls]
    base, paths = "http://host.dom/a/b", ["../c/" + url.path[1:] for url in urls]
    references = pa.array(paths)
    base_url, listed = URL(base), PublicSuffixList()
    pieces = [array[at : at + 8_192] for at in range(0, len(texts), 8_192)]
    octets = array.buffers()[2].to_pybytes()
    return [
        {"normalize": lambda: normalize(array), "URL.normalize": lambda: [url.normalize() for url in urls]},
        {
            "join": lambda: join(references, base),
            "URL.join": lambda: [base_url.join(path) for path in paths],
            "urljoin": lambda: [urljoin(base, path) for path in paths],
            "ada_url.join_url": lambda: [ada_url.join_url(base, path) for path in paths],
        },
        {
            "registered_domain": lambda: registered_domain(array),
            "publicsuffixlist, each host": lambda: [listed.privatesuffix(host) for host in hosts],
        },
        {
            "columns, batches of 8,192 rows": lambda: [columns(piece) for piece in pieces],
            "columns, in one": lambda: columns(array),
            "a look at each octet": lambda: octets.count(b"\n"),
        },
    ]


def domains(hosts: list[str], texts: list[str]) -> dict[str, Callable[[], Any]]:
    """What finds the registered domain of each URL; the peer is given the host."""
    from pydomainextractor import DomainExtractor

    array, extractor = pa.array(texts), DomainExtractor()

    def loop() -> list[str | None]:
        found: list[str | None] = []
        for host in hosts:
            try:
                parts = extractor.extract(host)
                found.append(f"{parts['domain']}.{parts['suffix']}" if parts["domain"] else None)
            except ValueError:
                found.append(None)
        return found

    def of_urls() -> list[str | None]:
        found: list[str | None] = []
        for text in texts:
            try:
                parts = extractor.extract_from_url(text)
                found.append(f"{parts['domain']}.{parts['suffix']}" if parts["domain"] else None)
            except ValueError:
                found.append(None)
        return found

    return {
        "registered_domain": lambda: registered_domain(array),
        "PyDomainExtractor, each URL": of_urls,
        "PyDomainExtractor, each host": loop,
    }


def main() -> None:
    """Time all and print the tables."""
    wanted = argparse.ArgumentParser()
    wanted.add_argument("--rows", type=int, default=1_000_000)
    wanted.add_argument("--rounds", type=int, default=ROUNDS)
    wanted.add_argument("--find", action="store_true")
    wanted.add_argument("--more", action="store_true")
    wanted.add_argument("--hosts", type=Path)
    given = wanted.parse_args()
    if given.find:
        for share in (0.2, 1.0):
            texts = prose(given.rows // 10, share)
            print(f"A URL in {share:.0%} of the rows:")
            compare(finders(texts), texts, given.rounds)
        return
    if given.hosts:
        names = given.hosts.read_text("ascii").split()
        hosts = names + random.Random(1738).choices(names, k=given.rows // 10 - len(names))
        texts = [f"https://{host}/{number}" for number, host in enumerate(hosts)]
        compare(domains(hosts, texts), texts, given.rounds)
        return
    texts = made_up(given.rows)
    if given.more:
        for jobs in more(texts):
            compare(jobs, texts, given.rounds)
        array = pa.array(texts)
        threads = {"two threads": lambda: columns(array, threads=2), "one": lambda: columns(array)}
        compare(threads, texts, given.rounds, time.perf_counter)
        return
    compare(peers(texts), texts, given.rounds)


def compare(
    jobs: dict[str, Callable[[], Any]],
    texts: list[str],
    rounds: int,
    clock: Callable[[], float] = time.process_time,
) -> None:
    """Time the jobs in turns, and print a row for each; ours is the first."""
    print(f"{len(texts)} rows of {sum(map(len, texts)) / len(texts):.1f} octets; compiled: {COMPILED}")
    seen: dict[str, list[float]] = {name: [] for name in jobs}
    chance = random.Random(0)
    for _ in range(rounds):
        order = list(jobs)
        chance.shuffle(order)
        for name in order:
            start = clock()
            result = jobs[name]()
            seen[name].append(clock() - start)
            del result
    first = seen[next(iter(jobs))]
    ours, best = statistics.median(first), min(first)
    print(f"{'':50} ns/row (median, min)   ours / it (median, min)")
    for name, times in seen.items():
        median = statistics.median(times)
        print(f"{name:50} {median / len(texts) * 1e9:8.0f} {min(times) / len(texts) * 1e9:8.0f}"
              f" {ours / median:14.2f} {best / min(times):8.2f}")  # fmt: skip


if __name__ == "__main__":
    main()
