"""dictd and its client, which nobody here wrote: our client at the one, the world's server before the other."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from anyurl import Client, Policy
from anyurl.errors import AuthRequiredError, NotFoundError
from anyurl.world import dict as dict_world
from tests.peers.ftp_servers import let_through, program
from tests.peers.http_servers import WebServer

WORDS = {
    "first": {
        "00databaseshort": "     The first dictionary\n", "00databaseinfo": "Made for a test.\nIt has two lines.\n",
        "00databaseutf8": "\n", "dot": "dot\n.\nand more\n", "locator": "locator\n  Where it is.\n",
        "two words": "two words\n  A phrase, with \"quotes\".\n", "über": "über\n  above\n",
        'say "hi"': 'say "hi"\n  greet\n',
    },
    "second": {
        "00databaseshort": "     The second dictionary\n", "00databaseutf8": "\n",
        "locator": "locator\n  How to get it.\n",
    },
}  # fmt: skip
DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def number(value: int) -> str:
    """As dictd's index has it: base 64, the highest digit first."""
    text = ""
    while value or not text:
        text = DIGITS[value % 64] + text
        value //= 64
    return text


def write_dictionary(folder: Path, name: str) -> str:
    """The two files of a dictionary; how the configuration names them."""
    data, index = b"", []
    for word, text in WORDS[name].items():
        index.append(f"{word}\t{number(len(data))}\t{number(len(text.encode()))}\n")
        data += text.encode()
    (folder / f"{name}.dict").write_bytes(data)
    (folder / f"{name}.index").write_text("".join(sorted(index)), "utf-8")
    return f'database {name} {{ data "{folder}/{name}.dict" index "{folder}/{name}.index" }}\n'


class Dictd(WebServer):
    """dictd with two dictionaries, and a user."""

    def __init__(self, folder: Path) -> None:
        binary = program("dictd")
        super().__init__(folder)
        databases = "".join(write_dictionary(folder, name) for name in WORDS)
        config = folder / "dictd.conf"
        config.write_text(f"access {{ allow * }}\n{databases}user guest welcome\n", "utf-8")
        let_through(folder)
        self._start(
            [
                binary, "-c", str(config), "-p", str(self.port), "--listen-to", "127.0.0.1", "--pid-file",
                str(folder / "pid"), "-d", "nodetach", "--locale", "C.UTF-8",
            ]
        )  # fmt: skip


class Dicod(WebServer):
    """GNU dicod with the same dictionaries."""

    def __init__(self, folder: Path) -> None:
        binary = program("dicod")
        super().__init__(folder)
        lines = [f"mode daemon;\nlisten 127.0.0.1:{self.port};\npidfile {folder}/pid;"]
        modules = next(Path("/usr/local/lib").glob("*/dico"), "/usr/lib/dico")
        lines.append(f'prepend-load-path "{modules}";')
        lines.append(f'load-module dictorg {{ command "dictorg dbdir={folder}"; }}')
        for name in WORDS:
            write_dictionary(folder, name)
            lines.append(f'database {{ name "{name}"; handler "dictorg database={name}"; }}')
        config = folder / "dicod.conf"
        config.write_text("\n".join(lines) + "\n", "utf-8")
        let_through(folder)
        self._start([binary, "-f", "--no-preprocessor", "--config", str(config), "--stderr"])


@pytest.fixture(scope="module")
def dicod(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with closing(Dicod(tmp_path_factory.mktemp("dicod"))) as server:
        yield f"127.0.0.1:{server.port}"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with closing(Dictd(tmp_path_factory.mktemp("dictd"))) as server:
        yield f"127.0.0.1:{server.port}"


@pytest.fixture
def client() -> Iterator[Client]:
    with Client(Policy.open()) as client:
        yield client


def test_definitions(client: Client, place: str) -> None:
    with client.get(f"dict://{place}/d:locator:*") as resource:
        assert resource.attributes["definitions"] == 2
        text = resource.text().replace("\r\n", "\n")
    assert text == (
        "From The first dictionary [first]:\n\nlocator\n  Where it is.\n\n"
        "From The second dictionary [second]:\n\nlocator\n  How to get it.\n"
    )
    for path, whole in (
        ("d:locator::1", WORDS["first"]["locator"]), ("d:locator:*:2", WORDS["second"]["locator"]),
        ("d:dot:first:1", WORDS["first"]["dot"]), ("d:two%20words:first:1", WORDS["first"]["two words"]),
        ("d:%C3%BCber:first:1", WORDS["first"]["über"]),
    ):  # fmt: skip
        with client.get(f"dict://{place}/{path}") as one:
            assert one.text().replace("\r\n", "\n") == whole


def test_matches_and_dictionaries(client: Client, place: str) -> None:
    root = f"dict://{place}"
    assert [entry.title for entry in client.list(f"{root}/").entries()] == [
        "The first dictionary",
        "The second dictionary",
    ]
    for path, words, found in (
        ("m::*:prefix", "loc", ["d:locator:first", "d:locator:second"]), ("d::second", "locator", ["d:locator:second"]),
        ("m:::prefix", "loc", ["d:locator:first"]), ("m:::suffix", "words", ["d:two%20words:first"]),
        ("m::*:re", "^d.t$", ["d:dot:first"]), ("", "no such word", []),
    ):  # fmt: skip
        entries = client.search(f"{root}/{path}", words).entries()
        assert [str(entry.url) for entry in entries] == [f"{root}/{one}" for one in found]
    facts = client.stat(f"{root}/").attributes
    strategies = facts["strategies"]
    assert isinstance(strategies, dict)
    assert {"exact", "prefix", "soundex", "lev"} <= set(strategies)
    assert "It has two lines." in str(client.stat(f"{root}/d::first").attributes["information"])


def test_what_is_not_there(client: Client, place: str) -> None:
    for path in ("d:nothing", "d:dot:nowhere", "m:dot:first:nohow", "d:dot:first:2", "d::nowhere"):
        with pytest.raises(NotFoundError):
            client.get(f"dict://{place}/{path}").read()


def test_a_login(client: Client, place: str) -> None:
    with client.get(f"dict://guest:welcome@{place}/d:dot") as resource:
        assert "and more" in resource.text()
    with pytest.raises(AuthRequiredError):
        client.get(f"dict://guest:wrong@{place}/d:dot")


def test_dicod(client: Client, dicod: str) -> None:
    root = f"dict://{dicod}"
    assert [entry.title for entry in client.list(f"{root}/").entries()] == [
        "The first dictionary",
        "The second dictionary",
    ]
    text = client.get(f"{root}/d:locator:*").text().replace("\r\n", "\n")
    assert text == (
        "From The first dictionary [first]:\n\nlocator\n  Where it is.\n\n\n"
        "From The second dictionary [second]:\n\nlocator\n  How to get it.\n\n"
    )
    for word, name in (
        ("dot", "dot"),
        ("two%20words", "two words"),
        ("%C3%BCber", "über"),
        ("say%20%22hi%22", 'say "hi"'),
    ):
        whole = client.get(f"{root}/d:{word}:first:1").text().replace("\r\n", "\n")
        assert whole == WORDS["first"][name] + "\n", word  # it adds an empty line
    assert [str(entry.url) for entry in client.search(f"{root}/m:::prefix", "loc").entries()] == [
        f"{root}/d:locator:first"
    ]
    for path in ("d:nothing", "d:dot:nowhere", "m:dot:first:nohow"):
        with pytest.raises(NotFoundError):
            client.get(f"{root}/{path}").read()


def test_the_client_of_dictd() -> None:
    with closing(dict_world.start()) as server:

        def said(*arguments: str) -> str:
            command = [program("dict"), "-h", "127.0.0.1", "-p", str(server.port), *arguments]
            environment = {**os.environ, "LC_ALL": "C.UTF-8"}
            done = subprocess.run(command, capture_output=True, timeout=30, text=True, env=environment)
            return done.stdout + done.stderr

        assert "Points at places; see {place}." in said("locator")
        assert "  .\n" in said("note")
        assert '"small world"' in said("-m", "-s", "suffix", "world")
        assert "What the small world is made of" in said("-D")
        assert "denied" not in said("--user", "guest", "--key", "welcome", "wave")
        assert "Authentication to 127.0.0.1" in said("--user", "guest", "--key", "wrong", "wave")
