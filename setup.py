"""Compile the kernel if there is a C compiler; ``ANYURL_BUILD_KERNEL`` is ``try`` (the default), ``yes`` or ``no``."""

import os
import sys

from setuptools import Extension, setup

MODULES = (
    "grammar/grammars", "kernel/address", "kernel/implied", "kernel/letters", "kernel/names", "kernel/percent",
    "kernel/prose", "kernel/scan", "kernel/split", "kernel/strict", "kernel/wrapper", "text/finder", "text/found",
    "url/url",
)  # fmt: skip
wanted = os.environ.get("ANYURL_BUILD_KERNEL", "try")
if wanted not in ("no", "try", "yes"):
    sys.exit(f"ANYURL_BUILD_KERNEL is {wanted!r}; it can be no, try or yes")
extensions = []
if wanted != "no":
    from Cython.Build import cythonize  # a build requirement in pyproject.toml

    for name in MODULES:  # without a compiler the build warns and goes on, for an optional extension may fail
        where = "anyurl." + name.replace("/", ".")
        extensions.append(Extension(where, [f"src/anyurl/{name}.py"], optional=wanted == "try"))
    extensions = cythonize(extensions, build_dir="build", quiet=True)
setup(ext_modules=extensions)
