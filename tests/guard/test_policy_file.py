"""A policy in a file: the same for each that reads one, and nothing in it is passed over."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from anyurl.access import Client
from anyurl.errors import LocalFileError, RefusedError
from anyurl.guard.limits import Limits
from anyurl.guard.options import from_options
from anyurl.guard.policy import Policy
from anyurl.guard.policy_file import KEYS, PRESETS, SWITCHES, TEXTS, schema
from anyurl.mcp.tools import restricted
from anyurl.proxy.roles import NOTHING_LOCAL, read_roles
from tests.cli.runner import run
from tests.mcp.conftest import facts, use

VALUES: dict[str, tuple[str, Any]] = {
    "policy": ('"default"', "default"),
    "limits": ("{total = 60, max_bytes = 5}", {"total": 60, "max_bytes": 5}),
    "allow_ports": ("[6379]", (6379,)),
    **dict.fromkeys(("allow_hosts", "deny_hosts", "allow_proxies"), ('["*.example.org"]', ["*.example.org"])),
    **dict.fromkeys(("allow_nets", "deny_nets"), ('["10.0.0.0/8"]', ["10.0.0.0/8"])),
    **dict.fromkeys(("allow_schemes", "deny_schemes"), ('["ftp", "http"]', ["ftp", "http"])),
    **dict.fromkeys(SWITCHES, ("true", True)),
}
"""By key a value in TOML and in Python."""


def file(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "policy.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_each_argument_of_a_policy_is_a_key() -> None:
    """But for its name, which is that of its preset, and for who reads its remedies."""
    arguments = set(inspect.signature(Policy).parameters) - {"name", "remedies"}
    assert arguments | {"policy"} == KEYS == VALUES.keys()
    assert {*TEXTS, *SWITCHES} < KEYS


@pytest.mark.parametrize("key", sorted(KEYS))
def test_a_key_means_what_the_argument_means(key: str, tmp_path: Path) -> None:
    written, value = VALUES[key]
    policy = Policy.from_file(file(tmp_path, f"{key} = {written}\n"))
    wanted = Policy.default() if key == "policy" else Policy.untrusted().replace(**{key: value})
    assert policy == wanted.replace(remedies="keys")


TEXT = 'allow_hosts = ["h.example", "*.example.org"]\ndeny_nets = ["192.0.2.0/24"]\n[limits]\ntotal = 60\n'


def test_each_that_reads_it_has_the_same_policy(tmp_path: Path) -> None:
    path = file(tmp_path, TEXT)
    policy = Policy.from_file(str(path))
    assert from_options(str(path)) == policy.replace(remedies="options")
    assert (
        restricted(from_options(str(path))).replace(
            remedies="keys", allow_forms=policy.allow_forms, allow_delivery=policy.allow_delivery
        )
        == policy
    )
    roles = tmp_path / "roles.toml"
    roles.write_text(f'[[role]]\nsources = ["127.0.0.1"]\npolicy = "{path}"\n', encoding="utf-8")
    assert read_roles(str(roles)).roles[0].policy == policy.replace(**NOTHING_LOCAL)
    roles.write_text(
        '[[role]]\nsources = ["127.0.0.1"]\n' + TEXT.replace("[limits]", "[role.limits]"), encoding="utf-8"
    )
    assert read_roles(str(roles)).roles[0].policy == policy.replace(**NOTHING_LOCAL)
    for words in (("explain",), ("get",)):
        done = run(*words, "--policy", str(path), "http://other.example/")
        assert "host-not-allowed" in done.stdout + done.stderr or "is not on the policy's allow list" in done.stderr


def test_options_add_to_what_a_file_allows(tmp_path: Path) -> None:
    path = file(tmp_path, TEXT + "")
    policy = from_options(str(path), allow_hosts=["other.example"], allow_ports=[6379], allow_nets=["10.0.0.1"])
    assert set(policy.allow_hosts or ()) == {"h.example", "*.example.org", "other.example"}
    assert (policy.allow_ports, policy.allow_nets) == ((6379,), ("10.0.0.1/32",))
    assert policy.deny_nets == ("192.0.2.0/24",)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('allow_host = ["h"]', "did you mean 'allow_hosts'"),
        ("allow_private = 1", "allow_private is true or false"),
        ('allow_private = "yes"', "allow_private is true or false"),
        ('allow_hosts = "h"', "allow_hosts is a list"),
        ("allow_hosts = [1]", "allow_hosts is a list of texts"),
        ('allow_hosts = ["h/x"]', "h/x"),
        ("allow_ports = [0]", "allow_ports is a list of ports, from 1 to 65535"),
        ("allow_ports = [true]", "allow_ports is a list of ports, from 1 to 65535"),
        ('allow_nets = ["10.0.0.42/24"]', "'10.0.0.42/24' is not a network"),
        ('policy = "defalt"', "there is no policy 'defalt'"),
        ('policy = "other.toml"', "there is no policy 'other.toml'"),
        ("limits = 5", "limits is a table"),
        ("[limits]\ntotl = 5", "did you mean 'total'?"),
        ("[limits]\ntotal = 0", "the limit total must be above 0"),
        ('[limits]\ntotal = "5"', "total"),
        ("x = ]", "can't be used: line 1, column 5 is not TOML"),
        ('[[role]]\nname = "a"', "there is no 'role'"),
    ],
)
def test_what_is_wrong_is_told_with_the_file(text: str, sentence: str, tmp_path: Path) -> None:
    path = file(tmp_path, text)
    with pytest.raises(ValueError) as caught:
        Policy.from_file(path)
    assert str(caught.value).startswith(str(path))
    assert sentence in str(caught.value)


def test_a_file_that_is_not_there_is_a_local_file() -> None:
    with pytest.raises(LocalFileError, match="can't be read: no such file or directory"):
        Policy.from_file("/nonexistent/policy.toml")
    done = run("get", "--policy", "/nonexistent/policy.toml", "http://h/")
    assert (done.exit_code, done.stderr) == (
        9, "anyurl: /nonexistent/policy.toml can't be read: no such file or directory.\n",
    )  # fmt: skip


def test_the_schema_takes_what_a_policy_takes() -> None:
    validator = jsonschema.Draft202012Validator(schema())
    validator.check_schema(schema())
    for key, (_, value) in VALUES.items():
        validator.validate({key: list(value) if isinstance(value, tuple) else value})
    for wrong in (
        {"allow_host": []}, {"allow_hosts": "h"}, {"allow_ports": [0]}, {"policy": "strict"}, {"files": 1},
        {"limits": {"totl": 5}}, {"limits": {"redirects": 1.5}},
    ):  # fmt: skip
        assert not validator.is_valid(wrong), wrong
    assert schema()["properties"]["policy"]["enum"] == list(PRESETS)
    assert schema()["properties"]["limits"]["properties"].keys() == Limits.__annotations__.keys()


def test_the_schema_that_is_shipped_is_this_one() -> None:
    shipped = Path(__file__).parents[2] / "docs" / "policy.schema.json"
    assert json.loads(shipped.read_text(encoding="utf-8")) == schema()


def by_client(path: Path, url: str) -> str:
    with Client(policy=Policy.from_file(path)) as client, pytest.raises(RefusedError) as caught:
        client.get(url)
    return caught.value.verdict.code


def by_adapter(path: Path, url: str) -> str:
    from anyurl.adapters.urllib import opener

    with pytest.raises(RefusedError) as caught:
        opener(Policy.from_file(path)).open(url)
    return caught.value.verdict.code


def by_command(path: Path, url: str) -> str:
    done = run("get", "--json", "--policy", str(path), url)
    return str(json.loads(done.stdout)["code"])


def by_proxy(path: Path, url: str) -> str:
    words = ["-m", "anyurl", "proxy", "--policy", str(path), "--", "curl", "-s", "--noproxy", "", url]
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=True)
    return str(json.loads(done.stdout)["code"])


def by_mcp(path: Path, url: str) -> str:
    told = use(lambda tools: tools.fetch(url), restricted(from_options(str(path))), heeds_robots=False)
    return str(facts(told)["code"])


@pytest.mark.needs("curl")
@pytest.mark.parametrize("door", [by_client, by_adapter, by_command, by_proxy, by_mcp])
def test_every_door_decides_alike(door: Callable[[Path, str], str], tmp_path: Path) -> None:
    path = file(tmp_path, 'allow_hosts = ["*"]\ndeny_hosts = ["h.example"]\ndeny_schemes = ["gopher"]\n')
    for url, code in (
        ("http://h.example/", "host-denied"), ("http://10.0.0.1/", "address-private"),
        ("http://93.184.216.34:6379/", "port-service"), ("http://127.0.0.1/", "address-private"),
    ):  # fmt: skip
        assert door(path, url) == code, url
