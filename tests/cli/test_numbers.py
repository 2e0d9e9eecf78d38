"""Entries by their numbers: what `ls` numbers on a terminal is what -n follows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.runner import run
from tests.cli.test_screens import screen
from tests.servers import Connection, Server

MENU = (
    "iA greeting\t\terror.host\t1\r\n"
    "0First\t/first\t127.0.0.1\t{port}\r\n"
    "1A menu\t/menu\t127.0.0.1\t{port}\r\n"
    "iMore\t\terror.host\t1\r\n"
    "0Nowhere\t/x\tno host here\t70\r\n"
    "0Third\t/third\t127.0.0.1\t{port}\r\n"
    "0Inside\t/inside\t10.0.0.1\t70\r\n"
    ".\r\n"
)
INNER = "0Deep\t/deep\t127.0.0.1\t{port}\r\n.\r\n"


@pytest.fixture
def menu() -> Iterator[str]:
    """A gopher menu, some of whose lines lead nowhere."""

    def serve(connection: Connection) -> None:
        selector = connection.line().rstrip(b"\r\n").partition(b"\t")[0].decode()
        page = {"": MENU, "/menu": INNER}.get(selector, f"This is {selector}.\r\n.\r\n")
        connection.send(page.replace("{port}", str(server.port)).encode())

    with Server(serve) as server:
        yield f"gopher://127.0.0.1:{server.port}/"


def test_only_what_leads_somewhere_has_a_number(menu: str) -> None:
    lines = screen(100, "ls", menu)
    numbers = {line.split()[2]: line.split()[0] for line in lines if line[:1].isdigit() and "entries" not in line}
    assert numbers == {"First": "1", "A": "2", "Third": "3", "Inside": "4"}
    assert [line.strip() for line in lines if "no URL" in line] == [
        "no URL: its host “no host here” is not a host name"
    ]
    assert [line.split() for line in screen(100, "get", menu)] == [line.split() for line in lines]
    assert "#" not in run("ls", menu).stdout.split()[0]  # a pipe has one URL a line


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        (["-n", "1"], "This is /first.\n"),
        (["-n", "3"], "This is /third.\n"),
        (["-n", "2", "-n", "1"], "This is /deep.\n"),
    ],
)
def test_a_number_gets_its_entry(menu: str, numbers: list[str], text: str, tmp_path: Path) -> None:
    assert run("get", *numbers, menu).stdout == text
    done = run("get", *numbers, "-O", "--output-dir", str(tmp_path), menu)
    assert done.exit_code == 0
    (file,) = tmp_path.iterdir()
    assert (file.read_text(), file.name) == (text, text.removeprefix("This is /").removesuffix(".\n"))


def test_a_number_lists_its_entry(menu: str) -> None:
    assert run("ls", "-n", "2", menu).stdout.split("\t")[3] == "Deep"


def test_a_number_that_is_not_there_is_told(menu: str) -> None:
    done = run("get", "-n", "5", menu)
    assert (done.exit_code, done.stdout) == (2, "")
    assert f"There is no entry 5: the listing {menu} ends with entry 4." in done.stderr
    assert run("get", "-n", "0", menu).exit_code == 2


@pytest.mark.parametrize("more", [("--explain",), ("--program", "cat")])
def test_what_is_about_the_url_itself_is_not_for_a_number(menu: str, more: tuple[str, ...]) -> None:
    assert run("get", "-n", "1", *more, menu).exit_code == 2


def test_what_a_number_leads_to_is_judged_as_a_link_of_the_listing(menu: str) -> None:
    """The person typed a number, and not the address of another machine of their network."""
    done = run("get", "-n", "1", "--policy", "untrusted", "--allow-net", "127.0.0.1", menu)
    assert done.stdout == "This is /first.\n"
    refused = run("get", "-n", "4", "--policy", "untrusted", "--allow-net", "127.0.0.1", menu)
    assert refused.exit_code == 5
    assert "10.0.0.1" in refused.stderr


def test_curl_s_n_without_a_number_is_netrc(menu: str) -> None:
    assert run("get", "-n", menu + "0/first").stdout == "This is /first.\n"
    assert run("get", "-sn", menu + "0/first").stdout == "This is /first.\n"
