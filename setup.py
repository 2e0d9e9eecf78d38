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

    for name in MODULES:
        extensions.append(Extension("anyurl." + name.replace("/", "."), [f"src/anyurl/{name}.py"]))
    extensions = cythonize(extensions, build_dir="build", quiet=True)
    for extension in extensions:  # without a compiler the build warns and goes on, for what is optional may fail
        extension.optional = wanted == "try"
setup(ext_modules=extensions)
