"""Build anyurl. With a C compiler, the modules that pyproject.toml names in ``[tool.anyurl.compiled]`` are compiled.

``ANYURL_BUILD_KERNEL`` is ``try`` (the default: pure Python where there is no compiler), ``yes`` or ``no``.
"""

import os
import re
import sys
import tomllib
from pathlib import Path

from setuptools import Extension, setup

settings = tomllib.loads(Path("pyproject.toml").read_text("utf-8"))
# A hook has to be ready in seconds, and compiling takes minutes.
wanted = os.environ.get("ANYURL_BUILD_KERNEL", "no" if os.environ.get("PRE_COMMIT") else "try")
if wanted not in ("no", "try", "yes"):
    sys.exit(f"ANYURL_BUILD_KERNEL is {wanted!r}; it can be no, try or yes")
if wanted == "try" and sys.implementation.name != "cpython":
    wanted = "no"  # PyPy compiles the sources itself, and calls C slowly

extensions = []
if wanted != "no":
    from Cython.Build import cythonize  # a build requirement in pyproject.toml

    root = Path("src", "anyurl")
    for kind, modules in settings["tool"]["anyurl"]["compiled"].items():
        extensions += cythonize(
            [
                Extension(
                    f"anyurl.{name}",
                    [str(root.joinpath(*name.split(".")).with_suffix(".py"))],
                    include_dirs=[str(root / "url" / "cut"), str(root / "text" / "scan")],
                    extra_compile_args=["-g0"] if os.name == "posix" else [],  # debug information is most of the size
                    optional=wanted == "try",  # without a compiler the build warns and goes on
                )
                for name in modules
            ],
            build_dir="build",
            quiet=True,
            nthreads=os.cpu_count() or 1 if sys.platform == "linux" else 0,
            compiler_directives={
                "annotation_typing": kind == "annotated",
                "auto_pickle": False,  # what is pickled says how itself
                "embedsignature": True,  # for `inspect.signature`
                "embedsignature.format": "clinic",
            },
        )

# Where the README is read without the files beside it, its links lead to where they are kept.
source = settings["project"]["urls"]["Source"]
readme = re.sub(r'(\]\(|src=")(?![a-z]+:|#)', rf"\1{source}/", Path("README.md").read_text("utf-8"))

setup(
    long_description=readme,
    long_description_content_type="text/markdown",
    ext_modules=extensions,
    options={"build_ext": {"parallel": os.cpu_count()}},
)
