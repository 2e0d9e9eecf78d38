"""Each tolerance has its test, and none leads past the guard."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from anyurl.dialogue import Options
from anyurl.guard.addresses import IPV4_ROWS
from anyurl.schemes.registry import find_scheme
from anyurl.url import URL
from tests.peers.tolerances import TOLERANCES
from tests.schemes.ftp.ftp_script import Rehearsed

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("row", TOLERANCES, ids=lambda row: row.what[:40])
def test_each_has_a_test(row: object) -> None:
    assert isinstance(row, tuple)
    file, _, name = row[3].partition("::")
    tree = ast.parse((ROOT / file).read_text("utf-8"))
    names = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    assert not name or name in names


HOSTS = sorted({row.prefix.partition("/")[0] for row in IPV4_ROWS})
"""An address of each range that the guard knows: what a hostile server would like to reach."""

FORMS = (
    {"EPSV": "227 Entering Passive Mode ({commas},200,10)"},
    {"EPSV": "227-Entering\r\n227 ({commas},200,10)"},
    {"EPSV": "500 no", "PASV": "227 ok {commas},200,10"},
    {"EPSV": "500 no", "PASV": "227-({commas}, 200, 10)\r\n227 done"},
    {"EPSV": "500 no", "PASV": "227 http://{host}/ ({commas},200,10)"},
)


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_no_reply_leads_a_data_connection_to_another_host(form: dict[str, str]) -> None:
    url = URL("ftp://h/x")
    for host in HOSTS:
        values = {"commas": host.replace(".", ","), "host": host}
        answers = {verb: reply.format(**values).encode() + b"\r\n" for verb, reply in form.items()}
        done = Rehearsed(find_scheme("ftp").verbs["get"](url, Options()), answers)
        assert done.error is None
        assert [ask.host for ask in done.connects] == ["h"]
        assert [line for line in done.log if line.startswith("data")] == [f"data {200 * 256 + 10}"]
