"""Frontier: shards by registered domain, robots, budgets, and what is left of a shard that was killed."""

from __future__ import annotations

import gzip
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest
from warcio.archiveiterator import ArchiveIterator

from anyurl import Client, LocalFileError, Policy
from anyurl.batch.frontier import crawl, seeds, shards
from tests.batch.check.site import Site, page
from tests.servers import Connection, Server, reply

MAKE = partial(Client, Policy.open())
ROBOTS = reply(b"User-agent: *\nDisallow: /private", "Content-Type: text/plain")


def crawled(site: Site, folder: Path, *paths: str, **more: Any) -> list[dict[str, Any]]:
    table = shards(pa.table({"url": [f"{site.root}{path}" for path in paths]}), "url", 8)
    found: list[dict[str, Any]] = crawl(table, "url", str(folder), client=MAKE, **more).to_pylist()
    return found


def captured(path: Path) -> Counter[tuple[str, str]]:
    """The answers in an archive, by URL."""
    with path.open("rb") as file:
        return Counter(
            (record.rec_headers["WARC-Target-URI"], record.http_headers.get_statuscode())
            for record in ArchiveIterator(file)
            if record.rec_type in ("response", "revisit")  # of equal contents one is written, any of them
        )


def test_the_hosts_of_a_registered_domain_are_in_one_shard() -> None:
    urls = ["http://www.bbc.co.uk/", "ftp://news.bbc.co.uk/x", "http://bbc.co.uk:8080/", None, "no url"]
    made = shards(pa.table({"url": urls, "n": range(5)}), "url", 1000)
    assert made.column_names == ["url", "n", "url_shard"]
    numbers = made["url_shard"].to_pylist()
    assert len(set(numbers[:3])) == len(set(numbers[3:])) == 1
    assert (
        len(set(shards(pa.table({"url": [f"http://h{n}.dom/" for n in range(99)]}), "url", 9)["url_shard"].to_pylist()))
        == 9
    )
    with pytest.raises(ValueError, match="there is at least one shard, not 0"):
        shards(made, "n", 0)


def test_a_shard_is_an_archive_and_a_table(tmp_path: Path) -> None:
    with Site({"/a": page("x"), "/robots.txt": ROBOTS}) as site:
        rows = crawled(site, tmp_path, "/a", "/gone", "/private/x", "/a")
        assert [row["url_outcome"] for row in rows] == ["ok", "broken", "not-checkable", "ok"]
        assert rows[2]["url_message"].startswith("The robots.txt of 127.0.0.1 asks")
        assert site.asked == ["GET /robots.txt", *sorted(site.asked[1:])]
        assert site.asked[1:] == ["GET /a", "GET /gone"]
        (table,), (archive,) = tmp_path.glob("*.parquet"), tmp_path.glob("*.warc.gz")
        assert pyarrow.parquet.read_table(table).to_pylist() == rows
        assert captured(archive) == {
            (f"{site.root}/robots.txt", "200"): 1, (f"{site.root}/a", "200"): 1, (f"{site.root}/gone", "404"): 1,
        }  # fmt: skip


def test_a_shard_that_is_done_is_not_crawled_again(tmp_path: Path) -> None:
    with Site({"/a": page("x")}) as site:
        rows = crawled(site, tmp_path, "/a", "/b")
        asked = len(site.asked)
        assert crawled(site, tmp_path, "/a", "/b") == rows
        assert len(site.asked) == asked
        with pytest.raises(ValueError, match=r"0000\d.parquet has the results of other URLs"):
            crawled(site, tmp_path, "/a", "/c")


def test_a_host_has_a_budget(tmp_path: Path) -> None:
    with Site({f"/{number}": page("x") for number in range(9)}) as site:
        rows = crawled(site, tmp_path, *(f"/{number}" for number in range(9)), max_per_host=4)
    assert Counter(row["url_outcome"] for row in rows) == {"ok": 4, "deferred": 5}
    assert len(site.asked) == 5  # and its robots.txt


def test_a_site_whose_robots_txt_fails_is_left_alone_and_robots_may_be_disregarded(tmp_path: Path) -> None:
    with Site({"/a": page("x"), "/robots.txt": reply(status="500 No")}) as site:
        (row,) = crawled(site, tmp_path / "a", "/a")
        said = "The robots.txt of 127.0.0.1 can't be fetched now, so none of its URLs is requested. "
        assert row["url_message"].startswith(said)
        assert (row["url_outcome"], row["url_error"]) == ("not-checkable", "UnavailableError")
        (row,) = crawled(site, tmp_path / "b", "/a", robots=False)
        assert row["url_outcome"] == "ok"


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.binary_view()])
def test_null_cells_and_those_of_any_type_of_text(kind: Any, tmp_path: Path) -> None:
    with Site({"/a": page("x")}) as site:
        urls = [None, f"{site.root}/a", None, "no url", "http://h:99999/", "mailto:a@b.dom"]
        whole = pa.table({"url": pa.array(urls).cast(pa.binary() if "binary" in str(kind) else pa.string()).cast(kind)})
        for number, table in enumerate((whole, whole.slice(1, 4), whole.slice(0, 1), whole.slice(0, 0))):
            made = crawl(shards(table, "url", 2), "url", str(tmp_path / str(number)), client=MAKE)
            assert made.schema.names[:2] == ["url", "url_shard"]
            assert made["url"].type == WITHOUT_VIEWS.get(kind, kind)
            outcomes = {row["url"]: row["url_outcome"] for row in made.to_pylist()}
            assert all((outcome is None) == (url is None) for url, outcome in outcomes.items())
            assert made.num_rows == table.num_rows
            again = crawl(shards(table, "url", 2), "url", str(tmp_path / str(number)), client=MAKE)
            assert again.to_pylist() == made.to_pylist()


def test_a_site_that_the_policy_refuses_is_refused_and_not_asked_for_its_rules(tmp_path: Path) -> None:
    with Site({"/a": page("x")}) as site:
        (row,) = crawl(shards(pa.table({"url": [f"{site.root}/a"]}), "url", 8), "url", str(tmp_path)).to_pylist()
        assert (row["url_outcome"], row["url_error"], site.asked) == ("refused", "RefusedError", [])


def test_without_shards(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="there is no column 'url_shard' without nulls"):
        crawl(pa.table({"url": ["http://h/"]}), "url", str(tmp_path))


WITHOUT_VIEWS = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}


CHILD = """
import sys
from functools import partial
import pyarrow as pa
from anyurl import Client, Policy
from anyurl.batch.frontier import crawl, shards
base, folder = sys.argv[1:]
urls = [f"http://127.0.0.{host}:{base}/{number}" for number in range(40) for host in (1, 2, 3, 4)]
crawl(shards(pa.table({"url": urls}), "url", 3), "url", folder, client=partial(Client, Policy.open()), limit=4)
"""


class Counted(Server):
    """Answers for every host, and kills a process when it has been asked often enough."""

    def __init__(self) -> None:
        self.asked = 0
        self.victim: subprocess.Popen[bytes] | None = None
        self.kill_at = 0
        self._lock = threading.Lock()
        super().__init__(self._serve, host="0.0.0.0")

    def _serve(self, connection: Connection) -> None:
        while connection.head():
            with self._lock:
                self.asked += 1
                if self.asked == self.kill_at and self.victim is not None:
                    self.victim.kill()
            connection.send(reply(b"x" * 100, "Content-Type: text/plain"))


def test_a_shard_that_was_killed_is_the_same_in_the_end(tmp_path: Path) -> None:
    def play(folder: Path, kill_at: int = 0) -> tuple[int, int]:
        server.asked, server.kill_at = 0, kill_at
        server.victim = subprocess.Popen([sys.executable, "-c", CHILD, str(server.port), str(folder)])
        return server.victim.wait(60), server.asked

    with Counted() as server:
        assert play(tmp_path / "whole") == (0, 164)
        for kill_at in (60, 130):
            folder = tmp_path / str(kill_at)
            assert play(folder, kill_at)[0] == -signal.SIGKILL
            assert play(folder)[0] == 0
            for path in (tmp_path / "whole").iterdir():
                if path.suffix == ".parquet":
                    assert pyarrow.parquet.read_table(folder / path.name) == pyarrow.parquet.read_table(path)
                else:
                    assert captured(folder / path.name) == captured(path)
            assert play(folder) == (0, 0)
            assert sorted(os.listdir(folder)) == sorted(os.listdir(tmp_path / "whole"))


def test_a_done_shard_and_a_new_one_are_one_table(tmp_path: Path) -> None:
    kinds = {"stamp": pa.timestamp("s"), "time": pa.time32("s"), "date": pa.date64()}  # Parquet has none of them
    with Counted() as server:
        urls = [f"http://127.0.0.{host}:{server.port}/" for host in (1, 2, 3, 4)]
        columns = {name: pa.array([0] * len(urls), kind) for name, kind in kinds.items()}
        table = shards(pa.table({"url": urls, **columns}), "url", 3)
        rows = crawl(table, "url", str(tmp_path), client=MAKE).to_pylist()
        min(tmp_path.glob("*.parquet")).unlink()
        assert crawl(table, "url", str(tmp_path), client=MAKE).to_pylist() == rows


def test_seeds_of_each_kind_of_file(tmp_path: Path) -> None:
    with Site({"/a": page("x"), "/b": page("y")}) as site:
        with Client(Policy.open(), warc=tmp_path / "c.warc.gz", cdxj=True) as client:
            for path in ("/a", "/b"):
                client.get(f"{site.root}{path}").read()
        urls = [f"{site.root}/a", f"{site.root}/b"]
    pyarrow.parquet.write_table(pa.table({"n": [1, 2], "link": urls}), tmp_path / "t.parquet")
    sitemap = "".join(f"<url><loc>{url}?x=1&amp;y</loc></url>" for url in urls)
    (tmp_path / "s.xml").write_text(f"<urlset>{sitemap}</urlset>")
    with gzip.open(tmp_path / "s.xml.gz", "wt") as file:
        file.write(f"<urlset>{sitemap}</urlset>")

    def read(name: str, column: str | None = None) -> list[str]:
        return [row["url"] for batch in seeds(str(tmp_path / name), column) for row in batch.to_pylist()]

    assert sorted(read("c.cdxj")) == sorted(read("c.warc.gz")) == read("t.parquet", "link") == urls
    assert read("s.xml") == read("s.xml.gz") == [f"{url}?x=1&y" for url in urls]
    (tmp_path / "i.xml").write_text("<sitemapindex><sitemap><loc>http://h/s.xml</loc></sitemap></sitemapindex>")
    with pytest.raises(ValueError, match=r"i.xml is an index: seeds are in the sitemaps that it names"):
        read("i.xml")
    with pytest.raises(LocalFileError, match=r"none.cdxj can't be read: no such file"):
        read("none.cdxj")
    whole = (tmp_path / "s.xml.gz").read_bytes()
    (tmp_path / "bent.xml.gz").write_bytes(whole[:20] + b"\xff" * 20 + whole[40:])
    with pytest.raises(LocalFileError, match=r"bent.xml.gz can't be read: "):
        read("bent.xml.gz")
