"""What all tests share: the header that says what is tested, the guard against the network, ``--no-skip``, the ledger.

Rule: no fixture here pretends to be anything. What a test needs of a server it starts itself, on loopback and port 0
(``anyurl.world``, ``tests/servers``).
"""

from __future__ import annotations

import gc
import importlib
import ipaddress
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, given, settings, strategies

from tests import leavings, ledger, needs, shares, usage

ROOT = Path(__file__).resolve().parent.parent

if "ANYURL_REACH" in os.environ:  # pytest loads its plugins later than this in a worker, and what a conftest has loaded
    importlib.import_module("tests.mutants.reach")  # until then would note nothing

os.environ["ANYURL_CONFIG"] = ""  # whoever runs the tests may have settings of their own
for _name in (
    "PYTHONUNBUFFERED",
    "PYTHONOPTIMIZE",
    "PYTHONUTF8",
    "PYTHONIOENCODING",
    "PYTHONWARNINGS",
    "PYTHONDEVMODE",
):
    os.environ.pop(_name, None)  # and their Python may be told to do things in another way

# A deadline measures the machine. In CI the examples are the same on each run, so that red means the change is wrong;
# elsewhere they vary, and what is found is kept in .hypothesis and tried first next time.
EXAMPLES = 400 if os.environ.get("ANYURL_SLOW") else 50
settings.register_profile("default", deadline=None, max_examples=EXAMPLES)
settings.register_profile("ci", deadline=None, derandomize=True, max_examples=EXAMPLES)
settings.register_profile(  # of a mutant the first example that fails is enough: no smaller one is looked for
    "first", settings.get_profile("ci"), phases=(Phase.explicit, Phase.generate), max_examples=100
)
settings.load_profile("ci" if os.environ.get("CI") else "default")


PACKED = (b"\x1f\x8b", b"PK\x03\x04")


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """What gzip and zip have packed holds the second in which they did: workers would give one test several names."""
    return argname if isinstance(val, bytes) and val.startswith(PACKED) else None


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--no-skip", action="store_true", help="a test that skips has failed")
    parser.addoption(
        "--clause", action="append", metavar="ID", help="only tests of this statement of RFC 1738 (repeatable)"
    )
    parser.addoption(
        "--promise", action="append", metavar="NAME", help="only tests of this promise of SECURITY.md (repeatable)"
    )
    parser.addoption("--seed", type=int, metavar="N", help="run the tests in an order that this number decides")
    parser.addoption("--write-ledger", action="store_true", help="write tests/ledger.tsv anew from what is collected")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "kernel(which): runs only with the kernel that is named, compiled or pure")
    config.addinivalue_line("markers", "cpython: asks what CPython alone tells (tracemalloc, its counts of references)")
    config.addinivalue_line(
        "markers", "needs(name, ...): programs, or what tests/needs.py lists; skips where they are not"
    )
    config.addinivalue_line("markers", "clause(id, ...): asserts these statements of docs/statements.tsv")
    config.addinivalue_line("markers", "promise(id, ...): holds these promises of SECURITY.md")
    # A shell lets what it runs in the background ignore Ctrl-C, and nohup the end of the terminal; so would every
    # program that a test interrupts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)


@pytest.hookimpl(optionalhook=True)  # of pytest-xdist
def pytest_xdist_auto_num_workers() -> int:
    """With ``-n auto``: two more than this process has cores, for some tests wait, for a clock or a program."""
    cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    return cores + 2


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    usage.hand_over(session.config)


@pytest.hookimpl(optionalhook=True)  # of pytest-xdist
def pytest_testnodedown(node: Any) -> None:
    usage.take(node.config, node)


def pytest_report_header(config: pytest.Config) -> str:
    import anyurl.url.cut

    kernel = "compiled" if anyurl.url.cut.COMPILED else "pure"
    return f"anyurl: {kernel} kernel, from {Path(anyurl.url.cut.__file__).parent.parent}"


@pytest.hookimpl(wrapper=True, trylast=True)  # inside of what makes warnings errors
def pytest_collection(session: pytest.Session) -> Iterator[None]:
    """What is collected stays: to look again and again for what of it may go takes a tenth of the time."""
    gc.disable()
    try:
        shares.load(session.config)
        return (yield)
    finally:
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Count the tests for the ledger; leave out what is about the other kernel: it runs elsewhere."""
    import anyurl.url.cut

    config.stash[ledger.COUNTS] = ledger.count(config, items)
    kernel = "compiled" if anyurl.url.cut.COMPILED else "pure"
    other = {item for item in items if any(mark.args != (kernel,) for mark in item.iter_markers("kernel"))}
    if sys.implementation.name != "cpython":
        other |= {item for item in items if item.get_closest_marker("cpython") is not None}
    for name in ("clause", "promise"):
        if wanted := set(config.getoption(f"--{name}") or ()):
            other |= {item for item in items if not any(wanted & {*mark.args} for mark in item.iter_markers(name))}
    if other:
        config.hook.pytest_deselected(items=list(other))
        items[:] = [item for item in items if item not in other]
    if (seed := config.getoption("--seed")) is not None:
        items[:] = leavings.shuffled(items, seed, lambda item: item.path)


def pytest_collection_finish(session: pytest.Session) -> None:
    if session.config.getoption("--write-ledger"):
        ledger.write(session.config.stash[ledger.COUNTS])
    _first_example()
    _keep()


@settings(max_examples=1, database=None)
@given(strategies.none())
def _first_example(_nothing: None) -> None:
    """With its first example hypothesis begins to look after a generator of its own. On Python 3.14 it takes one that
    is held by what `_keep` has put aside for one that nobody holds, and warns: so it begins before."""


def _keep() -> None:
    """What stays until the end, the tests and what a file of tests has loaded (syntax trees, tables), is millions of
    objects: a test that asks what was left behind would look at each of them, for seconds."""
    gc.collect()
    if sys.implementation.name == "cpython":
        gc.freeze()


BEFORE = pytest.StashKey[leavings.Process]()
"""What the process was like after the test before."""


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    if BEFORE not in item.session.stash:
        item.session.stash[BEFORE] = leavings.now()
    needs.begin(item)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    try:
        yield
    finally:
        before, after = item.session.stash[BEFORE], leavings.now()
        item.session.stash[BEFORE] = after
    if nextitem is None or nextitem.path != item.path:
        _keep()
    if left := leavings.difference(before, after):
        pytest.fail("the test leaves the process otherwise: " + "; ".join(left), pytrace=False)


@pytest.fixture
def forget() -> Iterator[Callable[[str], None]]:
    """Forgets a module, so that it is loaded anew; after the test the one from before is there again."""
    forgotten: list[tuple[str, Any]] = []

    def forgets(name: str) -> None:
        forgotten.append((name, sys.modules.get(name)))
        leavings.put(name, None)

    yield forgets
    for name, module in reversed(forgotten):
        leavings.put(name, module)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    report: Any = yield
    return _no_skip(report, item.config)  # type: ignore[return-value]


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Iterator[None]:
    report: Any = yield
    return _no_skip(report, collector.config)  # type: ignore[return-value]


def _no_skip(report: Any, config: pytest.Config) -> Any:
    if report.skipped and config.getoption("--no-skip") and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"{report.nodeid} was not run, and --no-skip was given: {reason}"
    return report


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Print what tests have measured, for in other processes nobody sees what they print, and what the run took."""
    reports = [report for name in ("passed", "failed") for report in terminalreporter.stats.get(name, ())]
    figures = [text for report in reports for name, text in report.user_properties if name == "figures"]
    if figures:
        terminalreporter.section("figures")
        for text in sorted(figures):
            terminalreporter.line(text)
    terminalreporter.line(usage.told(config))


# ------------------------------------------------------------------------------------------------- no network

_NAMES = {"localhost", socket.gethostname()}


def _is_here(host: Any) -> bool:
    if host is None or host in ("", b"") or host in _NAMES:
        return True
    text = host.decode("ascii", "replace") if isinstance(host, bytes) else str(host)
    if text in _NAMES or text.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return False
    address = getattr(address, "ipv4_mapped", None) or address
    return address.is_loopback or address.is_unspecified


def _check_connected(arguments: tuple[Any, ...]) -> None:
    address = arguments[1]
    if isinstance(address, tuple) and not _is_here(address[0]):
        raise RuntimeError(f"a test would reach {address[0]} port {address[1]}; tests stay on loopback")


def _check_looked_up(arguments: tuple[Any, ...]) -> None:
    if _is_here(arguments[0]):
        return
    try:
        ipaddress.ip_address(str(arguments[0]).partition("%")[0])
    except ValueError:
        raise RuntimeError(f"a test would look up {arguments[0]!r}; tests stay on this machine") from None


def _check_started(arguments: tuple[Any, ...]) -> None:
    needs.check_started(arguments[0])


_WATCHED = {
    **dict.fromkeys(("socket.connect", "socket.sendto", "socket.sendmsg"), _check_connected),
    "socket.getaddrinfo": _check_looked_up,
    **dict.fromkeys(needs.STARTS, _check_started),
}
"""What would leave this machine, or start what the test does not say: a test that needs it is wrong, and a guard that
lets it out is broken."""


def _watch(event: str, arguments: tuple[Any, ...], _watched: Any = _WATCHED.get) -> None:
    """Hear of everything, some thousand things a test: nearly all of them are none of these."""
    if (check := _watched(event)) is not None:
        check(arguments)


sys.addaudithook(_watch)
