"""To tighten is never to loosen: whatever restricts a policy, no URL, address, port or size is allowed that was not."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anyurl import Client
from anyurl.guard.limits import STRANGERS, Limits
from anyurl.guard.options import from_options, named_policy
from anyurl.guard.policy import Policy
from anyurl.guard.policy_file import PRESETS
from anyurl.proxy.roles import Role, read_roles
from anyurl.url import URL
from anyurl.values import STRANGER, USER, Provenance, Scope

pytestmark = pytest.mark.promise("tighten")

SCHEMES = ("file", "ftp", "gopher", "http", "https", "irc", "mailto", "telnet")
HOSTS = ("example.org", "a.example.org", "localhost", "billing.internal")
ADDRESSES = (
    "8.8.8.8", "10.0.0.1", "10.0.0.42", "127.0.0.1", "169.254.169.254", "169.254.1.1", "224.0.0.1", "0.0.0.0",
    "2606:4700::1111", "::1", "fe80::1", "fd00::7", "fd00:ec2::254", "::ffff:10.0.0.42", "64:ff9b::7f00:1",
)  # fmt: skip
PORTS = (1, 21, 25, 70, 80, 443, 1024, 3128, 6379, 8080, 65_535)
NETS = ("0.0.0.0/0", "::/0", "10.0.0.0/8", "10.0.0.42", "8.8.8.0/24", "127.0.0.0/8", "169.254.169.254", "fd00::/8")

ORIGINS = (
    USER, STRANGER, Provenance("redirect", scope=Scope.PRIVATE, scheme="http", host="h", port=80),
    Provenance("redirect", scheme="https", host="h", port=443, tls=True),
    Provenance("listing", scope=Scope.LOCAL, scheme="ftp", host="h", port=21),
)  # fmt: skip


def subsets(values: tuple[Any, ...]) -> st.SearchStrategy[list[Any]]:
    return st.lists(st.sampled_from(values), unique=True, max_size=4)


bases = st.builds(
    lambda preset, nets, ports, private: named_policy(preset).replace(
        allow_nets=nets, allow_ports=ports, **({"allow_private": True} if private else {})
    ),
    st.sampled_from(sorted(PRESETS)), subsets((*NETS, "billing.internal")), subsets(PORTS), st.booleans(),
)  # fmt: skip

SWITCHES_OFF = (
    "allow_private", "allow_link", "allow_inward", "allow_downgrade", "allow_disguise", "allow_forms",
    "allow_delivery", "files", "services", "netrc", "proxy_resolves",
)  # fmt: skip

RESTRICTIONS: dict[str, Callable[[Policy], st.SearchStrategy[Any]]] = {
    "deny_schemes": lambda base: subsets(SCHEMES),
    "deny_hosts": lambda base: subsets((*HOSTS, "*.example.org", "*")),
    "deny_nets": lambda base: subsets(NETS),
    "allow_schemes": lambda base: subsets(SCHEMES if base.allow_schemes is None else base.allow_schemes),
    "allow_hosts": lambda base: subsets((*HOSTS, "*.example.org", "*")),
    "allow_ports": lambda base: subsets(base.allow_ports or (1,)).map(
        lambda ports: [*set(ports) & {*base.allow_ports}]
    ),
    "allow_nets": lambda base: subsets(base.allow_nets or ("::1",)).map(lambda nets: [*set(nets) & {*base.allow_nets}]),
    "allow_proxies": lambda base: subsets((*HOSTS, "10.0.0.42")) if base.allow_proxies is None else st.just(()),
    **{name: (lambda base: st.just(False)) for name in SWITCHES_OFF},
}
"""By argument of `Policy` what makes it stricter; the limits have tests of their own."""

NOT_STRICTER = {"name", "remedies", "limits"}


def questions() -> Iterator[Callable[[Policy], bool]]:
    """Everything that a policy is asked."""
    for origin in ORIGINS:
        for scheme in SCHEMES:
            for host in (*HOSTS, "8.8.8.8", "10.0.0.42", "169.254.169.254", "[::1]"):
                url = URL(f"{scheme}:a" if scheme in ("mailto", "news") else f"{scheme}://{host}/")
                yield lambda policy, url=url, origin=origin: policy.judge_url(url, origin).allowed
        for address in ADDRESSES:
            for host in HOSTS:
                yield (
                    lambda policy, address=address, host=host, origin=origin: (
                        policy.judge_address(address, 80, "http", origin, host).allowed
                    )
                )
    for scheme in SCHEMES:
        for port in PORTS:
            yield lambda policy, scheme=scheme, port=port: policy.judge_port(port, scheme).allowed
    for port in PORTS:
        yield lambda policy, port=port: policy.judge_data_port(port).allowed
    for host in (*HOSTS, *ADDRESSES):
        yield lambda policy, host=host: policy.judge_proxy(host, 8080).allowed
        yield lambda policy, host=host: policy.judge_unseen(host).allowed
    yield lambda policy: policy.judge_url(URL("gopher://example.org/0x%0D%0Ay")).allowed
    yield lambda policy: policy.judge_url(URL("http://a%2Fb@example.org/")).allowed
    yield lambda policy: policy.judge_delivery(URL("mailto:a@example.org")).allowed
    yield lambda policy: policy.netrc


QUESTIONS = list(questions())


def loosened(before: Policy, after: Policy) -> list[int]:
    """The questions that the second answers with yes and the first with no."""
    return [number for number, ask in enumerate(QUESTIONS) if ask(after) and not ask(before)]


def is_no_looser(limits: Limits, before: Limits) -> bool:
    """Whether no limit lets more through."""
    for name in Limits._names:
        old, new = getattr(before, name), getattr(limits, name)
        if name == "lowest_rate":
            old, new = -old, -new
        if old is not None and (new is None or new > old):
            return False
    return True


def test_each_argument_is_tried() -> None:
    assert RESTRICTIONS.keys() | NOT_STRICTER == set(Policy._names)


@pytest.mark.parametrize("name", RESTRICTIONS)
@settings(max_examples=20)
@given(data=st.data())
def test_an_argument_that_restricts_allows_nothing_new(name: str, data: st.DataObject) -> None:
    base = data.draw(bases)
    value = data.draw(RESTRICTIONS[name](base))
    assert loosened(base, base.replace(**{name: value})) == []


LIMITS = {
    name: st.integers(1, 10**6) if name not in ("connect", "idle", "total", "lowest_rate") else st.floats(0.1, 1e5)
    for name in Limits._names
}


@given(
    preset=st.sampled_from(sorted(PRESETS)),
    changes=st.fixed_dictionaries({}, optional=LIMITS),
    form=st.sampled_from(("mapping", "limits.replace")),
)
def test_a_limit_changes_itself_alone(preset: str, changes: dict[str, Any], form: str) -> None:
    base = named_policy(preset)
    after = base.replace(limits=changes if form == "mapping" else base.limits.replace(**changes))
    assert {name: getattr(after.limits, name) for name in Limits._names if name not in changes} == {
        name: getattr(base.limits, name) for name in Limits._names if name not in changes
    }
    assert {name: getattr(after.limits, name) for name in changes} == changes
    assert after.replace(limits=base.limits) == base


def test_a_limit_in_a_mapping_is_checked_as_any_other() -> None:
    for changes, error in (({"total": -1}, ValueError), ({"patience": 1}, TypeError), ({"total": "1"}, TypeError)):
        with pytest.raises(error):
            Policy.untrusted().replace(limits=changes)
        with pytest.raises(error):
            Policy(limits=changes)
    assert Policy(limits={"total": 60}) == Policy(limits=Limits(total=60))


@pytest.mark.parametrize(
    ("limits", "lost"),
    [
        (Limits(total=60), "max_bytes, max_read"),
        (Limits(), "total, max_bytes, max_read"),
        (None, "total, max_bytes, max_read"),
        (STRANGERS.replace(total=None), "total"),
        (STRANGERS.replace(total=60), None),
        ({"total": 60}, None),
        ({"total": None}, None),  # said in so many words
    ],
)
def test_limits_that_lose_an_end_are_told_of(limits: Any, lost: str | None, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "anyurl"):
        Policy.untrusted().replace(limits=limits)
    told = [(record.name, record.levelname, record.getMessage()) for record in caplog.records]
    sentence = f"The policy untrusted loses its limits {lost}: limits={{...}} in a mapping keeps them."
    assert told == ([] if lost is None else [("anyurl.guard", "WARNING", sentence)])
    caplog.clear()
    with caplog.at_level(logging.WARNING, "anyurl"):
        Policy.default().replace(limits=limits)
    assert not caplog.records  # it had no end to lose


OPTIONS: dict[str, st.SearchStrategy[Any]] = {
    "timeout": st.floats(0.1, 60), "max_bytes": st.integers(0, 1024**3), "allow_ports": st.just([]),
    "allow_nets": st.just([]), "allow_schemes": st.just([]), "allow_proxies": st.just([]),
    "allow_private": st.just(False), "proxy_resolves": st.just(False),
}  # fmt: skip


@settings(max_examples=20)
@given(preset=st.sampled_from(sorted(PRESETS)), given_=st.fixed_dictionaries({}, optional=OPTIONS))
def test_an_option_of_the_command_that_restricts_allows_nothing_new(preset: str, given_: dict[str, Any]) -> None:
    before, after = from_options(preset), from_options(preset, **given_)
    assert loosened(before, after) == []
    assert is_no_looser(after.limits, before.limits)


@given(
    preset=st.sampled_from(sorted(PRESETS)), timeout=st.none() | st.floats(0.1, 300),
    size=st.none() | st.integers(0, 1024**3),
)  # fmt: skip
def test_what_a_client_is_given_restricts_its_policy(preset: str, timeout: float | None, size: int | None) -> None:
    base = named_policy(preset)
    assert is_no_looser(Client(base, timeout=timeout, max_bytes=size).policy.limits, base.limits)


KEYS: dict[str, tuple[str, ...]] = {
    "allow_hosts": ("[]", '["example.org"]', '["*.example.org"]'), "deny_hosts": ("[]", '["*"]', '["example.org"]'),
    "deny_nets": ("[]", '["8.8.8.0/24"]', '["0.0.0.0/0"]'), "allow_nets": ("[]",), "allow_ports": ("[]",),
    "allow_schemes": ("[]", '["https"]'), "deny_schemes": ("[]", '["http"]'), "connect_ports": ("[]", "[443]"),
    "allow_private": ("false",), "allow_link": ("false",), "allow_inward": ("false",), "allow_downgrade": ("false",),
    "report_only": ("false",), "connections": ("1", "999"), "idle": ("1", "59"), "max_bytes": ("1", "1000"),
}  # fmt: skip
"""By key of a role what makes it stricter."""

ROLE = '[[role]]\nname = "one"\npolicy = "{preset}"\nsources = ["192.0.2.1"]\n'


def role_of(folder: Path, text: str) -> Role:
    (folder / "roles.toml").write_text(text, encoding="utf-8")
    return read_roles(str(folder / "roles.toml")).roles[0]


def bounds(role: Role) -> Mapping[str, float]:
    """What a role is allowed by numbers; more is more."""
    return {
        "connections": role.connections, "idle": role.idle, "report_only": role.report_only,
        "max_bytes": float("inf") if role.max_bytes is None else role.max_bytes,
    }  # fmt: skip


@pytest.mark.parametrize("preset", sorted(PRESETS))
@pytest.mark.parametrize("key", KEYS)
def test_a_key_of_a_role_that_restricts_allows_nothing_new(preset: str, key: str, tmp_path: Path) -> None:
    text = ROLE.format(preset=preset)
    before = role_of(tmp_path, text)
    for value in KEYS[key]:
        after = role_of(tmp_path, f"{text}{key} = {value}\n")
        assert loosened(before.policy, after.policy) == []
        assert loosened(before.tunnels, after.tunnels) == []
        assert set(after.connect_ports) <= set(before.connect_ports)
        assert all(bounds(after)[name] <= most for name, most in bounds(before).items())
    for value in ("0", "-1"):
        if key in ("connections", "idle", "max_bytes"):
            with pytest.raises(ValueError, match=f"{key} is 1 or more"):
                role_of(tmp_path, f"{text}{key} = {value}\n")
