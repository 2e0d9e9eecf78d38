"""The command on WAIS: what a search shows, more like one, so many, either form of URL."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from anyurl import AsyncClient, Client
from anyurl.url import URL
from anyurl.world import World
from tests.cli.runner import records, run
from tests.evil.terminal import on_terminal


@pytest.fixture(scope="module")
def root() -> Iterator[str]:
    with World(["wais"]) as world:
        yield str(world.roots["wais"])


def found(*args: str) -> list[str]:
    return [line.split("\t")[3] for line in run("search", *args).stdout.splitlines()]


NOTES = "A resource locator says where something is and how to get it."


@pytest.mark.clause("3.9-3")
def test_a_search_in_a_pipe_is_tabs_the_best_first(root: str) -> None:
    result = run("search", root, "world", "locator")
    first = result.stdout.splitlines()[0].split("\t")
    assert first[:4] == ["document", "243", "1994-12-20T00:00:00Z", NOTES]
    assert first[4].startswith(f"{root}/TEXT/243/1=")
    assert run("get", first[4]).stdout.startswith(NOTES)


def test_a_search_as_objects(root: str) -> None:
    (best, *_) = records(run("search", "--json", root, "index"))
    assert (best["name"], best["type"], best["score"]) == ("index.html", "text/html", 1000.0)
    assert [row["wais_type"] for row in best["attributes"]["alternatives"]] == ["HTML", "TEXT"]
    assert run("get", best["attributes"]["alternatives"][1]["url"]).stdout.startswith("The world\n")
    assert run("get", "--view", "TEXT", best["url"]).stdout.startswith("The world\n")


def test_a_terminal_shows_scores_and_lines(root: str) -> None:
    written, code = on_terminal("search", root, "locator")
    lines = written.decode().replace("\x1b[1m", "").replace("\x1b[0m", "").splitlines()
    assert (code, lines[0].split()) == (0, ["score", "lines", "kind", "size", "modified", "(UTC)", "name"])
    assert lines[1].split()[:4] == ["1000", "5", "document", "243"]


def test_so_many_and_more_like_one(root: str) -> None:
    (url,) = [line.split("\t")[4] for line in run("search", root, "locator").stdout.splitlines()]
    assert len(found(root, "world", "--limit", "1")) == 1
    like = found(root, "--like", url)
    assert (like[0], len(like) > 1) == (NOTES, True)
    assert found(root, "percent", "--like", f"{url}#line=0,1")[0] == NOTES
    with Client() as client, client.search(root, "percent", like=url, limit=2) as resource:
        assert next(entry.title for entry in resource.entries()) == NOTES


async def _first(root: str, url: str) -> str | None:
    async with AsyncClient() as client, await client.search(root, "x", like=[URL(url)]) as resource:
        async for entry in resource.entries():
            return entry.title
    return None


def test_more_like_one_on_asyncio(root: str) -> None:
    import asyncio

    (url,) = [line.split("\t")[4] for line in run("search", root, "locator").stdout.splitlines()]
    assert asyncio.run(_first(root, url)) == NOTES


def test_either_form_of_url_gets_the_same(root: str) -> None:
    (usual,) = run("search", root, "locator").stdout.splitlines()
    (opaque,) = run("search", "--wais-form", "rfc", root, "locator").stdout.splitlines()
    assert "=" not in opaque.split("\t")[4]
    assert run("get", usual.split("\t")[4]).stdout == run("get", opaque.split("\t")[4]).stdout


def test_a_search_wants_something(root: str) -> None:
    result = run("search", root)
    assert result.exit_code == 2
    assert "There is nothing to search for; give words, or --like URL." in result.stderr
    assert run("search", root, "--like", "no url").exit_code == 3


def test_what_would_be_sent_is_told_in_words(root: str) -> None:
    told = run(
        "search", "--explain", "--limit", "5", "--like", "wais://h/db/TEXT/1=x;#line=0,2", "wais://h/db", "a", "b"
    )
    assert told.stdout == (
        "connect to h port 210\n"
        "> Search, type 3: words 'a b' in database 'db', more like lines 0 to 2 of document '\\x01\\x01x', "
        "at most 5 hits (81 octets)\n"
    )


def test_what_is_told_of_a_document_of_any_length_takes_no_time_and_no_memory() -> None:
    told = run("get", "--explain", "wais://h/db/TEXT/9999999999/1=x;").stdout.splitlines()
    assert told[1].startswith("> Init: replies of up to 100,000 octets")
    assert len(told) == 173
    assert told[-1] == (
        "(the document has 9,999,999,999 octets according to the URL, "
        "but ends after 16,777,216 according to the server)"
    )


@pytest.mark.parametrize("length", ["", "300/", "20000/"])
@pytest.mark.parametrize("verb", ["get", "ls"])
def test_what_is_told_of_a_source_description(length: str, verb: str) -> None:
    result = run(verb, "--explain", f"wais://h/db/WSRC/{length}1=x;")
    assert result.exit_code == 0
    assert all(line.startswith((">", "connect")) for line in result.stdout.splitlines())


def test_a_database_is_described(root: str) -> None:
    assert run("get", root).stdout.startswith("(:source\n")
    facts = dict(line.split(maxsplit=1) for line in run("stat", root).stdout.splitlines())
    assert (facts["kind"], facts["maintainer"], facts["leads_to"]) == ("index", "nobody@localhost", root)
    assert [line.split("\t")[3] for line in run("ls", root).stdout.splitlines()] == [
        "Information on database: world",
        "Catalog for database: world",
    ]


def test_a_source_description_leads_on(root: str) -> None:
    directory = f"{root.rpartition('/')[0]}/INFO"
    (source,) = [line.split("\t")[4] for line in run("search", directory, "world").stdout.splitlines()]
    assert run("ls", source).stdout.split("\t")[4].strip() == root


def test_a_database_that_is_not_there(root: str) -> None:
    result = run("search", f"{root}x", "word")
    assert result.exit_code == 8
    assert "“The following database is not available: worldx” (WAIS diagnostic “S1”" in result.stderr
