"""The whole corpus of URLs that reach where they should not, through each adapter, judged at the C library.

Nothing is let through, nothing unclear is accepted, and what is refused although it is fine is listed by name: it is
the client's own reading that refuses it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.adapters.arena import CORPUS
from tests.adapters.clients import FACTORIES

CASES: dict[int, dict[str, Any]] = {case["id"]: case for case in CORPUS["cases"]}

PLACES = {address for addresses in CORPUS["base_dns"].values() for address in addresses}
"""What a public name leads to; beside it only the addresses that an allowed case names may be connected to."""

OWN_READING: dict[str, set[int]] = {name: set() for name in FACTORIES}
"""By client, what the corpus would allow and the client itself does not read or speak."""

HERE = Path(__file__).parent
SECONDS = 120


pytestmark = pytest.mark.needs("compiler", "namespace")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shim and the certificates."""
    import trustme

    place = tmp_path_factory.mktemp("arena")
    shim = HERE.parent / "hostile" / "watch.c"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", place / "watch.so", shim, "-ldl"], check=True)
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(place / "authority.pem"))
    names = ("public.test", "*.public.test", "*.attacker.test", "pub2.test", "pub6.test")
    authority.issue_cert(*names).private_key_and_cert_chain_pem.write_to_path(str(place / "certificate.pem"))
    return place


def through(name: str, cases: Sequence[Mapping[str, Any]], folder: Path) -> list[dict[str, Any]]:
    """What became of these cases with that client."""
    log = folder / f"{name}-watched"
    log.unlink(missing_ok=True)
    done = subprocess.run(
        [sys.executable, "-m", "tests.adapters.arena", name, folder],
        input=json.dumps(list(cases)), capture_output=True, text=True, timeout=SECONDS, check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
             "LD_PRELOAD": str(folder / "watch.so"), "WATCH_LOG": str(log)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def went_wrong(case: Mapping[str, Any], outcome: Mapping[str, Any]) -> str | None:
    """A bypass, or something unclear that was accepted; None when all is well."""
    literal = case["url"].partition("//")[2].partition("/")[0].strip("[]") if case["expect"] == "allow" else ""
    for address, _port in outcome["connected"]:
        plain = address.removeprefix("::ffff:") if "." in address else address
        if plain not in PLACES and not _same(address, literal):
            return f"connected to {address}"
        if plain in case.get("never_connect", ()):
            return f"connected to {address}, which must never be"
    if case["expect"] == "deny" and not case.get("either"):
        if outcome["error"] is None:
            return "was accepted"
        if outcome["connected"] and not case.get("redirect") and not case.get("server_case"):
            return "led to a connection"
    return None


def _same(one: str, other: str) -> bool:
    import ipaddress

    try:
        return ipaddress.ip_address(one) == ipaddress.ip_address(other)
    except ValueError:
        return False


@pytest.mark.parametrize("name", FACTORIES)
def test_nothing_is_let_through(name: str, folder: Path) -> None:
    outcomes = through(name, list(CASES.values()), folder)
    assert [outcome["id"] for outcome in outcomes] == list(CASES)
    counted = [(CASES[outcome["id"]], outcome) for outcome in outcomes if not CASES[outcome["id"]].get("contested")]
    wrong = {case["id"]: (case["url"], went_wrong(case, outcome), outcome["error"]) for case, outcome in counted}
    assert {number: each for number, each in wrong.items() if each[1]} == {}
    denied = {
        case["id"]: (case["url"], outcome["error"])
        for case, outcome in counted
        if case["expect"] == "allow" and case["url"].startswith("http") and outcome["error"]
    }
    assert set(denied) == OWN_READING[name], denied
    assert sum(bool(outcome["connected"]) for outcome in outcomes) > 40  # it was tried


INWARD: list[tuple[str, str, dict[str, Any], bool]] = [
    ("requested directly", "http://inner.test/", {}, True),
    ("by a public server", "http://public.test/a", {"redirect": [[302, "http://inner.test/"]]}, False),
    ("by an inner server", "http://inner.test/a", {"redirect": [[302, "http://inner2.test/"]]}, True),
    ("by an inner server, to itself", "http://inner.test/a", {"redirect": [[302, "/b"]]}, True),
    ("by an inner server, to this machine", "http://inner.test/a", {"redirect": [[302, "http://127.0.0.1/"]]}, False),
    ("in two steps", "http://public.test/a",
     {"redirect": [[302, "http://pub2.test/"], [302, "http://inner.test/"]]}, False),
]  # fmt: skip


@pytest.mark.parametrize("name", FACTORIES)
def test_a_policy_that_allows_private_places_lets_no_public_server_lead_there(name: str, folder: Path) -> None:
    names = {"inner.test": ["10.0.0.1"], "inner2.test": ["10.0.0.2"]}
    cases = [
        {"id": number, "url": url, "policy": "default", "dns": names, **more}
        for number, (_, url, more, _) in enumerate(INWARD)
    ]
    outcomes = through(name, cases, folder)
    told = {reason: outcome["error"] is None for (reason, *_), outcome in zip(INWARD, outcomes, strict=True)}
    assert told == {reason: allowed for reason, _, _, allowed in INWARD}
    assert [outcome["refused"] for outcome in outcomes] == [not allowed for *_, allowed in INWARD]


BILLING = {"billing.internal": ["10.0.0.42"], "other.internal": ["10.0.0.42"], "xn--bcher-kva.internal": ["fd00::7"]}
TO_BILLING = {"redirect": [[302, "http://billing.internal/"]]}
BELOW = {"dns": {"a.billing.internal": ["10.0.0.42"]}}
NEVER = ("169.254.169.254", "127.0.0.1", "::1", "fe80::1", "0.0.0.0", "::ffff:127.0.0.1", "fd00:ec2::254")
INTERNAL: list[tuple[str, str, str, dict[str, Any], bool]] = [
    ("the name", "one name", "http://billing.internal/", {}, True),
    ("the name, in another case", "one name", "http://BILLING.internal/", {}, True),
    ("the name, with the dot of the root", "one name", "http://billing.internal./", {}, True),
    ("a name that is not ASCII", "one name", "http://xn--bcher-kva.internal/", {}, True),
    ("its address", "one name", "http://10.0.0.42/", {}, False),
    ("another name of its address", "one name", "http://other.internal/", {}, False),
    ("a name below it", "one name", "http://a.billing.internal/", BELOW, False),
    ("a public redirect to it", "one name", "http://public.test/", TO_BILLING, False),
    ("a redirect to itself", "one name", "http://billing.internal/", {"redirect": [[302, "/b"]]}, True),
    ("a redirect to another name", "one name", "http://billing.internal/",
     {"redirect": [[302, "http://other.internal/"]]}, False),
    ("by way of a public place", "one name", "http://billing.internal/",
     {"redirect": [[302, "http://public.test/"], [302, "http://billing.internal/"]]}, False),
    *((f"the name, as {one}", "one name", "http://billing.internal/", {"dns": {"billing.internal": [one]}}, False)
      for one in NEVER),
    ("the name, with metadata beside it", "one name", "http://billing.internal/",
     {"dns": {"billing.internal": ["10.0.0.42", "169.254.169.254"]}}, False),
    ("the name, with a public address", "one name", "http://billing.internal/",
     {"dns": {"billing.internal": ["93.184.216.34"]}}, True),
    ("the address", "one address", "http://10.0.0.42/", {}, True),
    ("a name that has the address", "one address", "http://other.internal/", {}, True),
    ("a public redirect to the address", "one address", "http://public.test/",
     {"redirect": [[302, "http://10.0.0.42/secret"]]}, False),
    ("a public redirect to its name", "one address", "http://public.test/", TO_BILLING, False),
    ("a redirect of the address to itself", "one address", "http://10.0.0.42/", {"redirect": [[302, "/b"]]}, True),
]  # fmt: skip


@pytest.mark.parametrize("name", FACTORIES)
@pytest.mark.promise("internal-host")
def test_one_internal_host_is_open_to_urls_that_are_handed_in_alone(name: str, folder: Path) -> None:
    cases = [
        {"id": number, "url": url, "policy": policy, **more, "dns": {**BILLING, **more.get("dns", {})}}
        for number, (_, policy, url, more, _) in enumerate(INTERNAL)
    ]
    outcomes = through(name, cases, folder)
    told = {row[0]: outcome["error"] is None for row, outcome in zip(INTERNAL, outcomes, strict=True)}
    assert told == {row[0]: row[4] for row in INTERNAL}
    assert [outcome["refused"] for outcome in outcomes] == [not row[4] for row in INTERNAL]
    closed = {address for row, outcome in zip(INTERNAL, outcomes, strict=True) if not row[4]
              for address, _ in outcome["connected"]}  # fmt: skip
    assert closed <= {*PLACES, "10.0.0.42", "::ffff:10.0.0.42"}


def test_a_hole_would_be_seen(folder: Path) -> None:
    """The same with the guard taken out."""
    cases = [{**case, "policy": "open"} for case in CASES.values()]
    outcomes = through("requests", cases, folder)
    assert sum(went_wrong(CASES[outcome["id"]], outcome) is not None for outcome in outcomes) > 100


def test_the_examples_of_the_page_are_as_they_stand_there(folder: Path) -> None:
    page = HERE.parents[1] / "docs" / "guard-your-client.md"
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "tests.adapters.arena", page, folder],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS, check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert int(done.stdout.split()[0]) > 15
