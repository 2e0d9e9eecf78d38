"""Compile the kernel if there is a C compiler; ``ANYURL_BUILD_KERNEL`` is ``try`` (the default), ``yes`` or ``no``."""

import marshal
import os
import re
import runpy
import sys
import sysconfig
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

# The lists of what is compiled are read where they are, since what is being built can't be imported.
HERE = Path("src/anyurl")
compiled = runpy.run_path(str(HERE / "_compiled.py"))
KERNEL, HOT_PATH, START = (compiled[name] for name in ("KERNEL", "HOT_PATH", "START"))
BYTECODE, SHARED = (compiled[name] for name in ("BYTECODE", "SHARED"))
COLD = frozenset((
    "access.client", "schemes.gopher.verbs", "schemes.news.articles", "schemes.news.nntp", "schemes.news.verbs",
    "schemes.registry",
))  # fmt: skip
"""Those of the hot path that mostly check arguments and call others: for size they are a seventh smaller."""

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


def cythonized(names, **directives):
    """The modules in C, each by its own name."""
    from Cython.Build import cythonize  # a build requirement in pyproject.toml

    ends = {SHARED: ".c"}  # Cython writes all of it
    files = {name: str(HERE / name.replace(".", "/")) + ends.get(name, ".py") for name in names}
    modules = [Extension(f"anyurl.{name}", [file]) for name, file in files.items()]
    how = {"build_dir": "build", "quiet": True, "nthreads": AT_ONCE, "compiler_directives": DIRECTIVES | directives}
    if "_compiled" not in names:  # which is there before anything that is shared
        how["shared_utility_qualified_name"] = f"anyurl.{SHARED}"
    return cythonize(modules, **how)


class BuildLibrary(build_ext):
    """One library of all modules, each of which is compiled by rules of its own, several at once."""

    def build_extension(self, ext):
        compile_all = self.compiler.compile

        def compile_each(sources, macros=(), extra_postargs=(), **how):
            def compile_one(source):
                name, flags = rules[source]
                # The last part of a name, after which Cython calls what begins it, is not the only one of its kind.
                begins = (f"PyInit_{name.rpartition('.')[2]}", f"PyInit_anyurl_{name.replace('.', '_')}")
                own = {"macros": [*macros, *([begins] if name != "_compiled" else [])]}
                return compile_all([source], extra_postargs=[*extra_postargs, *flags], **own, **how)

            with ThreadPoolExecutor(AT_ONCE or 1) as pool:
                return [made for all_made in pool.map(compile_one, sources) for made in all_made]

        self.compiler.compile = compile_each
        super().build_extension(ext)
        if not self.inplace and not self.editable_mode:  # where they are edited, the sources are what runs
            library = Path(self.get_ext_fullpath(ext.name))
            library.with_name(BYTECODE).write_bytes(bytecode())


def bytecode():
    """What the file of byte code has; see `anyurl._compiled.BYTECODE`."""
    places, octets = {}, b"\0"  # so that no code ends at 0 from the end
    for name in reversed(START):
        path = HERE / name.replace(".", "/")
        source = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        end = -len(octets)
        code = compile(source.read_bytes(), str(source), "exec", dont_inherit=True, optimize=0)
        octets = marshal.dumps(code) + octets
        places[f"anyurl.{name}"] = (path.is_dir(), -len(octets), end)
    return marshal.dumps(places) + octets


def flags_of(name):
    """What a module is compiled with beside `FLAGS`."""
    if SMALL[0] not in FLAGS or name not in HOT_PATH:
        return []
    return ["-fno-ivopts", *(["-Os"] if name in COLD else [])]  # its loops are short


library, rules = [], {}
if wanted != "no":
    modules = cythonized(["_compiled"]) + cythonized([*KERNEL, SHARED]) + cythonized(HOT_PATH, annotation_typing=False)
    names = [module.name.removeprefix("anyurl.") for module in modules]
    rules = {module.sources[0]: (name, flags_of(name)) for module, name in zip(modules, names, strict=True)}
    library = [Extension(
        "anyurl._compiled", list(rules), include_dirs=[str(HERE / "kernel")], define_macros=MACROS,
        depends=[str(header) for header in HERE.rglob("*.h")], extra_compile_args=FLAGS, extra_link_args=LINK,
        optional=wanted == "try",  # without a compiler the build warns and goes on
    )]  # fmt: skip

# Where the README is read without the files beside it, its links lead to where they are kept.
source = tomllib.loads(Path("pyproject.toml").read_text("utf-8"))["project"]["urls"]["Source"]
readme = re.sub(r'(\]\(|src=")(?![a-z]+:|#)', rf"\1{source}/", Path("README.md").read_text("utf-8"))

setup(
    long_description=readme,
    long_description_content_type="text/markdown",
    ext_modules=library,
    cmdclass={"build_ext": BuildLibrary},
)
