"""The options of a command line make a policy."""

from __future__ import annotations

import pytest

from anyurl.guard.limits import STRANGERS, Limits
from anyurl.guard.options import from_options
from anyurl.guard.policy import Policy


def test_the_command_lines_options_make_a_policy() -> None:
    assert from_options() == Policy.default().replace(remedies="options")
    assert from_options("untrusted") == Policy.untrusted().replace(remedies="options")
    assert from_options("open") == Policy.open().replace(remedies="options")
    policy = from_options(
        "untrusted", allow_ports=[6379], allow_private=True, allow_nets=["10.0.0.42/32"], timeout=5, max_bytes=9
    )
    assert policy == Policy.untrusted().replace(
        allow_ports=(6379,), allow_private=True, allow_nets=("10.0.0.42/32",),
        limits=STRANGERS.replace(connect=5, idle=5, total=5, max_bytes=9), remedies="options",
    )  # fmt: skip
    assert from_options(timeout=300).limits == Limits(total=300)
    with pytest.raises(ValueError, match="untrusted, default, open would be"):
        from_options("strict")
