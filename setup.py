"""Compile the kernel if there is a C compiler; ``ANYURL_BUILD_KERNEL`` is ``try`` (the default), ``yes`` or ``no``."""

import os
import sys
from pathlib import Path

from setuptools import Extension, setup

wanted = os.environ.get("ANYURL_BUILD_KERNEL", "try")
if wanted not in ("no", "try", "yes"):
    sys.exit(f"ANYURL_BUILD_KERNEL is {wanted!r}; it can be no, try or yes")
files = [
    path for path in sorted(Path("src").rglob("*.py")) if path.open(encoding="utf-8").readline()[:9] == "# cython:"
]
extensions = [
    Extension(".".join(path.with_suffix("").parts[1:]), [str(path)], optional=wanted == "try") for path in files
]
if wanted != "no":
    from Cython.Build import cythonize  # a build requirement in pyproject.toml

    extensions = cythonize(extensions, build_dir="build", quiet=True)
setup(ext_modules=[] if wanted == "no" else extensions)
