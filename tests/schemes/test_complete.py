"""A scheme is not there until it has all that a scheme has: what is missing is said by name."""

from __future__ import annotations

import pytest

import anyurl
from anyurl import URL, Scheme
from anyurl.dialogue import Options
from anyurl.schemes import registry
from anyurl.schemes.kit.server import WireServer
from anyurl.testing import SchemeContract
from anyurl.url import syntax
from anyurl.url.syntax import Row
from fuzz import kit
from tests.rows import each_row
from tests.schemes import test_contracts

SPOKEN = sorted(name for name, row in syntax.ROWS.items() if row.module is not None)

CONTRACTS = {
    contract.scheme.name: contract
    for contract in vars(test_contracts).values()
    if isinstance(contract, type) and issubclass(contract, SchemeContract) and contract is not SchemeContract
}

NOT_FUZZED = {"file"}
"""Schemes without a parser of their own."""

NO_SERVER = {"data", "file", "http"}
"""Schemes that connect to nothing, and http, whose request the dry run answers itself."""

NO_LISTENER = {"ftp"}
"""Schemes whose server for --explain is not that of the world, which for ftp is a library's."""


def lacks(name: str) -> list[str]:
    """What a scheme does not have, in words."""
    module, scheme = syntax.ROWS[name].module, registry.find_scheme(name)
    targets = "".join((kit.FOLDER / "targets" / f"{target}.py").read_text("utf-8") for target in kit.names())
    found = []
    if name not in CONTRACTS:
        found.append("a SchemeContract in tests/schemes/test_contracts.py")
    elif type(URL(CONTRACTS[name].urls[0]).parts).__name__ not in anyurl.__all__:
        found.append("its parts among the public names of anyurl")
    if scheme.fake_server is None and module not in NO_SERVER:
        found.append("a server for --explain (fake_server)")
    elif (
        name in CONTRACTS and module not in NO_SERVER | NO_LISTENER and not _has_server(scheme, CONTRACTS[name].urls[0])
    ):
        found.append("a server for --explain that is a WireServer, which the world listens with")
    if f"anyurl.schemes.{module}" not in targets and module not in NOT_FUZZED:
        found.append("a target in fuzz/targets for what its server says")
    return found


def _has_server(scheme: Scheme, url: str) -> bool:
    return scheme.fake_server is not None and isinstance(scheme.fake_server(URL(url), Options()), WireServer)


@each_row("name", SPOKEN)
def test_a_scheme_has_its_contract_its_server_its_fuzzing_and_its_parts(name: str) -> None:
    assert lacks(name) == []


def test_a_scheme_that_only_has_a_row_is_told_what_it_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    scheme = anyurl.Scheme(
        "finger", reference="RFC 1288", summary="Users.", read=lambda url: url.parts, description="?"
    )
    monkeypatch.setitem(syntax.ROWS, "finger", Row("finger", "RFC 1288", module="finger"))
    monkeypatch.setattr(registry, "find_scheme", lambda name: scheme)
    assert [words.partition(" in ")[0] for words in lacks("finger")] == [
        "a SchemeContract", "a server for --explain (fake_server)", "a target",
    ]  # fmt: skip
