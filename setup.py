"""Build anyurl. With a C compiler, the modules that pyproject.toml names in ``[tool.anyurl.compiled]`` are compiled.

``ANYURL_BUILD_KERNEL`` is ``try`` (the default: pure Python where there is no compiler), ``yes`` or ``no``.
"""

import os
import re
import sys
import sysconfig
import tomllib
from pathlib import Path
from shutil import which

from setuptools import Extension, setup

settings = tomllib.loads(Path("pyproject.toml").read_text("utf-8"))
is_hook = "PRE_COMMIT" in os.environ  # which has to be ready in seconds, and compiling takes minutes
wanted = os.environ.get("ANYURL_BUILD_KERNEL", "no" if is_hook else "try")
if wanted not in ("no", "try", "yes"):
    sys.exit(f"ANYURL_BUILD_KERNEL is {wanted!r}; it can be no, try or yes")
if (sys.implementation.name != "cpython" and wanted == "try") or {"egg_info", "dist_info", "sdist"} & {*sys.argv}:
    wanted = "no"  # PyPy compiles the sources itself, and calls C slowly; what describes the package builds nothing
compiler = (os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc").split()[0]
has_headers = Path(sysconfig.get_path("include"), "Python.h").is_file()
if wanted == "try" and os.name == "posix" and not (which(compiler) and has_headers):
    wanted = "no"
    sys.stderr.write(f"warning: anyurl stays plain Python, which is slower: no {compiler}, or no headers of Python\n")

extensions = []
if wanted != "no":
    from Cython.Build import cythonize  # a build requirement in pyproject.toml

    for kind, modules in settings["tool"]["anyurl"]["compiled"].items():
        extensions += cythonize(
            [
                Extension(
                    f"anyurl.{name}",
                    [f"src/anyurl/{name.replace('.', '/')}.py"],
                    include_dirs=["src/anyurl/url/cut", "src/anyurl/text/scan"],
                    extra_compile_args=["-g0"] if os.name == "posix" else [],  # debug information is most of the size
                    optional=wanted == "try",  # what does not compile stays plain Python
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
source = rf"\1{settings['project']['urls']['Source']}/"
readme = re.sub(r'(\]\(|src=")(?![a-z]+:|#)', source, Path("README.md").read_text("utf-8"))
build = {"build_ext": {"parallel": os.cpu_count()}}
setup(long_description=readme, long_description_content_type="text/markdown", ext_modules=extensions, options=build)
