"""Each run says which kernel it has, and has the one it was asked for."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path

import anyurl.kernel
from anyurl._compiled import HOT_PATH, KERNEL


def test_this_run_has_the_kernel_that_it_was_asked_for() -> None:
    expected = os.environ.get("ANYURL_EXPECT_KERNEL", "compiled" if anyurl.kernel.COMPILED else "pure")
    assert expected in ("compiled", "pure")
    names = [f"anyurl.{name}" for name in ("_compiled", *KERNEL, *HOT_PATH)]
    suffixes = {name: Path(import_module(name).__file__ or "").suffix for name in names}
    assert suffixes == dict.fromkeys(suffixes, ".py" if expected == "pure" else ".so")
    assert anyurl.kernel.COMPILED is (expected == "compiled")
