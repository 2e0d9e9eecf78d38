"""URL: what is read is the text; read again it is the same, also to the guard; both kernels answer alike."""

from __future__ import annotations

from typing import Any

from anyurl.errors import AnyURLError, URLSyntaxError
from anyurl.guard.policy import Policy
from anyurl.url import URL
from anyurl.values import STRANGER, USER
from fuzz import kit
from tests.url.invariants import check_invariants

_POLICIES = (Policy.default(), Policy.untrusted(), Policy.open())
_NAMES = (
    "scheme", "raw_user", "raw_password", "raw_host", "host", "explicit_port", "port", "path", "query", "fragment",
    "url_path", "origin", "masked", "user", "password",
)  # fmt: skip
_pure = kit.pure()


def fuzz(data: bytes) -> None:
    """Octets, and the same as text."""
    _check_one(data)
    try:
        _check_one(data.decode("utf-8"))
    except UnicodeDecodeError:
        pass


def _check_one(text: str | bytes) -> None:
    url, _ = kit.outcome(lambda: URL(text))
    _compare_kernels(text)
    if url is None:
        return
    check_invariants(url)
    again = URL(str(url))
    kit.same(str(again), str(url), "it is not stable")
    _check_verdicts(url, again)
    _check_parts(url)


def _check_verdicts(url: URL, again: URL) -> None:
    built, _ = kit.outcome(lambda: _rebuilt(url))
    others = [again, url.normalize(), *([] if built is None else [built])]
    for policy in _POLICIES:
        for came_from in (USER, STRANGER):
            first = policy.judge_url(url, came_from).code
            for other in others:
                kit.same(policy.judge_url(other, came_from).code, first, f"the guard sees {other!r} otherwise")


def _rebuilt(url: URL) -> URL:
    components: dict[str, Any] = {
        name: value
        for name in ("user", "password", "host", "query", "fragment")
        if (value := getattr(url, name)) is not None
    }
    return URL.build(scheme=url.scheme, path=url.path, port=url.explicit_port, **components)  # type: ignore[misc]


def _check_parts(url: URL) -> None:
    parts, _ = kit.outcome(lambda: url.parts)
    if parts is None:
        return
    try:
        built = url.replace(parts=parts)
    except AnyURLError:
        return
    kit.same(built.parts, parts, f"the parts of {url!r} do not come back")
    kit.same((built.scheme, built.host, built.port), (url.scheme, url.host, url.port), "parts change the endpoint")


def _read(url_type: Any, error_type: Any, text: str | bytes) -> object:
    try:
        url = url_type(text)
    except error_type as error:
        return [(one.code, one.span, one.fix) for one in error.diagnostics]
    return [str(url), *(getattr(url, name) for name in _NAMES)]


def _compare_kernels(text: str | bytes) -> None:
    if _pure is not None:
        with _pure:
            from anyurl.errors import URLSyntaxError as PureError
            from anyurl.url import URL as PureURL

            theirs = _read(PureURL, PureError, text)
        kit.same(_read(URL, URLSyntaxError, text), theirs, "the compiled kernel and the pure one differ")
