"""Compile the kernel where a C compiler is at hand: ``ANYURL_BUILD_KERNEL`` is ``try`` (the default), ``yes`` or ``no``."""

import os
import sys

from setuptools import Extension, setup

MODULES = ("kernel/percent", "kernel/split", "url/url")
wanted = os.environ.get("ANYURL_BUILD_KERNEL", "try")
if wanted not in ("no", "try", "yes"):
    sys.exit(f"ANYURL_BUILD_KERNEL is {wanted!r}; it can be no, try or yes")
extensions = []
if wanted != "no":
    try:
        from Cython.Build import cythonize

        names = [f"src/anyurl/{name}.py" for name in MODULES]
        extensions = cythonize(
            [Extension(n[4:-3].replace("/", "."), [n], optional=wanted == "try") for n in names], quiet=True
        )
    except ImportError:
        if wanted == "yes":
            raise
        print("warning: Cython is not installed, the kernel runs as plain Python", file=sys.stderr)
setup(ext_modules=extensions)
