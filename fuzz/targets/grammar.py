"""The doors agree on every text by every grammar: parse, diagnose, explain, find; and mending ends in a URL."""

from __future__ import annotations

from typing import Any

from anyurl.errors import Diagnostic
from anyurl.grammar import GRAMMARS, diagnose, explain, parse, repair
from anyurl.grammar.readers import read_every_way, target_of
from anyurl.text import find
from fuzz import kit

_pure = kit.pure()


def fuzz(data: bytes) -> None:
    """One text, by every grammar; at most 1,024 octets, for an explanation is long."""
    text = data[:1024].decode("utf-8", "replace")
    for grammar in GRAMMARS:
        found = diagnose(text, grammar)
        errors = [one for one in found if one.severity == "error"]
        url, error = kit.outcome(lambda grammar=grammar: parse(text, grammar))  # type: ignore[misc]
        kit.same(url is None, bool(errors), f"{grammar}: refused and faulty are not the same")
        kit.same(error is None, url is not None, f"{grammar}: neither a URL nor an error")
        if url is not None:
            kit.same(url.grammar, grammar, "a URL forgets what read it")
            there, error = kit.outcome(lambda url=url: url.without_fragment())  # type: ignore[misc]
            kit.same(error, None, f"{grammar}: a URL has no URL without its fragment")
            assert there is not None
            kit.same((there.user, there.host, there.port), (url.user, url.host, url.port), "another reading")
        _try_remedies(text, grammar, [one for one in found if one.fix is not None])
        for one in found:
            kit.same(0 <= one.span[0] <= one.span[1] <= len(text), True, f"{grammar}: {one!r} lies outside the text")
            kit.same(one.message.isprintable(), True, f"{grammar}: {one!r} would reach a terminal")
        if _pure is not None:
            with _pure:
                from anyurl.grammar import diagnose as diagnose_in_pure

                theirs = [(one.code, one.span, one.fix) for one in diagnose_in_pure(text, grammar)]
            kit.same([(one.code, one.span, one.fix) for one in found], theirs, f"{grammar}: the kernels differ")
    explanation, error = kit.outcome(lambda: explain(text))
    kit.same(error, None, "explain never fails")
    assert explanation is not None
    kit.same([reading.grammar for reading in explanation.readings], list(GRAMMARS), "a reading is missing")
    for reading in explanation.readings:
        name = reading.grammar
        url, _ = kit.outcome(lambda name=name: parse(text, name))  # type: ignore[misc]
        kit.same(reading.url, url, f"{name}: explain and parse differ")
        for found_url in find(f"<URL:{text}>", grammar=name):
            again, error = kit.outcome(lambda u=found_url.url, name=name: parse(str(u), name))  # type: ignore[misc]
            kit.same((again, error), (found_url.url, None), f"{name}: find reports what parse reads otherwise")
    for guess in (False, True):
        repaired, _ = kit.outcome(lambda guess=guess: repair(text, guess))  # type: ignore[misc]
        if repaired is not None:
            again, _ = kit.outcome(lambda repaired=repaired: repair(str(repaired.url)))  # type: ignore[misc]
            kit.same(None if again is None else str(again.url), str(repaired.url), "what is mended needs mending")


def _try_remedies(text: str, grammar: Any, remedies: list[Diagnostic]) -> None:
    """What is proposed is accepted, and leads where every reader of the text goes."""
    if not remedies:
        return
    fixed = text
    for one in sorted(remedies, key=lambda one: one.span, reverse=True):
        fixed = fixed[: one.span[0]] + (one.fix or "") + fixed[one.span[1] :]
    url, error = kit.outcome(lambda: parse(fixed, grammar))
    kit.same(error, None, f"{grammar}: the remedy {fixed!r} is refused")
    assert url is not None
    for reading in read_every_way(text):
        kit.same(reading.target, target_of(url), f"{grammar}: the remedy {fixed!r} leads elsewhere")
