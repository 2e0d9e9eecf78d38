"""Compile the kernel if there is a C compiler; ``ANYURL_BUILD_KERNEL`` is ``try`` (the default), ``yes`` or ``no``."""

import os
import re
import sys
import sysconfig
import tomllib
from pathlib import Path

from setuptools import Extension, setup

MODULES = (
    "batch/finds", "grammar/grammars", "kernel/address", "kernel/anchors", "kernel/columns", "kernel/implied",
    "kernel/letters", "kernel/lines", "kernel/names", "kernel/percent", "kernel/prose", "kernel/scan", "kernel/split",
    "kernel/strict", "kernel/tags", "kernel/templates", "kernel/wrapper", "text/finder", "text/found",
    "text/hypertext", "text/markup", "text/readers/backslash", "text/readers/log", "text/readers/xml", "text/runs",
    "text/stages", "url/url",
)  # fmt: skip
# The way of one small request. The .pxd files beside them type it; annotations alone would make checks of every call.
HOT_PATH = (
    "access/aio", "access/client", "access/mapper", "access/named", "access/redirect", "access/resource",
    "dialogue/ask", "dialogue/asks", "dialogue/values", "net/asyncio_driver", "net/channel", "net/clocks",
    "net/connector", "net/handlers", "net/http/body", "net/http/engine", "net/http/head", "net/http/request",
    "net/http/sockets", "net/judged", "net/loop", "net/provenance", "net/relays", "net/request_lines", "net/scheduler",
    "net/task", "schemes/gopher/exchange", "schemes/gopher/items", "schemes/gopher/parts", "schemes/gopher/verbs",
    "schemes/gopher/wire/menus", "schemes/http/answers", "schemes/http/fields", "schemes/http/verbs",
    "schemes/kit/blocks", "schemes/kit/line_session", "schemes/kit/lines", "schemes/kit/replies", "schemes/kit/scheme",
    "schemes/news/articles", "schemes/news/nntp", "schemes/news/session", "schemes/news/verbs",
    "schemes/news/wire/commands", "schemes/news/wire/headers", "schemes/registry",
)  # fmt: skip
COLD = frozenset((
    "anyurl.access.client", "anyurl.schemes.gopher.verbs", "anyurl.schemes.news.articles", "anyurl.schemes.news.nntp",
    "anyurl.schemes.news.verbs", "anyurl.schemes.registry",
))  # fmt: skip
"""Those of them that mostly check arguments and call others: for size they are a seventh smaller."""
SHARED = "anyurl._shared"
"""What Cython would otherwise copy into each module, a fifth of it: function objects, keywords and memoryviews."""

wanted = os.environ.get("ANYURL_BUILD_KERNEL", "try")
if wanted == "try" and sys.implementation.name != "cpython":
    wanted = "no"  # PyPy compiles the sources itself, and calls C slowly
# What is pickled says how itself. Cython's way would be a sixteenth of each module.
DIRECTIVES = {"auto_pickle": False}
# What a debugger needs is two thirds of the size, and a fifth of the time.
FLAGS = ["-g0"] if os.name == "posix" else []
MACROS, LINK = [], []
# Most of what Cython writes handles errors: with an `unlikely` that means never, gcc optimizes it for size. With these
# options the modules are an eighth smaller; the gates of bench/instructions.py hold.
SMALL = [
    "--param=builtin-expect-probability=100", "--param=max-inline-insns-single=10", "-fno-align-functions",
    "-fno-align-jumps", "-fno-align-labels", "-fno-align-loops", "-fno-schedule-insns2",
    "-freorder-blocks-algorithm=simple",
]  # fmt: skip
if sys.platform == "linux":
    MACROS = [("CYTHON_COMPRESS_STRINGS", "0")]  # the wheel is packed as a whole
    FLAGS += ["-fno-asynchronous-unwind-tables", "-fvisibility=hidden"]
    LINK = ["-Wl,-s", "-Wl,-z,noseparate-code"]
    if "-O" not in os.environ.get("CFLAGS", ""):
        FLAGS += ["-O2"]  # Python's own -O3 makes it a seventh larger, and nothing that was measured faster
        if "gcc" in (os.environ.get("CC") or sysconfig.get_config_var("CC") or ""):
            FLAGS += SMALL
# One process compiles for minutes; elsewhere processes begin by running this file again.
AT_ONCE = os.cpu_count() or 0 if sys.platform == "linux" else 0
if wanted not in ("no", "try", "yes"):
    sys.exit(f"ANYURL_BUILD_KERNEL is {wanted!r}; it can be no, try or yes")
extensions = []
if wanted != "no":
    from Cython.Build import cythonize  # a build requirement in pyproject.toml

    for name in MODULES:
        header = f"src/anyurl/{name}.h"  # what a module needs of C itself
        depends = {"include_dirs": ["src/anyurl/kernel"], "depends": [header]} if os.path.exists(header) else {}
        extensions.append(Extension("anyurl." + name.replace("/", "."), [f"src/anyurl/{name}.py"], **depends))
    extensions.append(Extension(SHARED, ["src/anyurl/_shared.c"]))
    how = {"build_dir": "build", "quiet": True, "nthreads": AT_ONCE, "shared_utility_qualified_name": SHARED}
    extensions = cythonize(extensions, compiler_directives=DIRECTIVES, **how)
    extensions += cythonize(
        [Extension("anyurl." + name.replace("/", "."), [f"src/anyurl/{name}.py"]) for name in HOT_PATH],
        compiler_directives=DIRECTIVES | {"annotation_typing": False}, **how,
    )  # fmt: skip
    for extension in extensions:  # without a compiler the build warns and goes on, for what is optional may fail
        extension.optional = wanted == "try"
        extension.define_macros, extension.extra_compile_args, extension.extra_link_args = MACROS, FLAGS, LINK
        if SMALL[0] in FLAGS and extension.name.removeprefix("anyurl.").replace(".", "/") in HOT_PATH:
            extension.extra_compile_args = [*FLAGS, "-fno-ivopts"]  # its loops are short
            if extension.name in COLD:
                extension.extra_compile_args = [*FLAGS, "-fno-ivopts", "-Os"]

# Where the README is read without the files beside it, its links lead to where they are kept.
source = tomllib.loads(Path("pyproject.toml").read_text("utf-8"))["project"]["urls"]["Source"]
readme = re.sub(r'(\]\(|src=")(?![a-z]+:|#)', rf"\1{source}/", Path("README.md").read_text("utf-8"))

setup(
    long_description=readme,
    long_description_content_type="text/markdown",
    ext_modules=extensions,
    options={"build_ext": {"parallel": AT_ONCE or None}},
)
