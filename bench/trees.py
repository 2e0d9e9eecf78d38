"""Built trees: which of the faults that are planted into them ``anyurl check`` finds, and what it finds besides.

``python -m bench.trees TREE...`` plants each kind of fault (`tests/batch/check/planted.py`) into a copy of each tree,
built by Sphinx, MkDocs, mdBook, Hugo, Jekyll, Docusaurus, javadoc or doxygen, at pages that a seed draws, and checks it
before and after. The peers of `PEERS` that are installed check the same copy; what one of them finds and we do not is
told. It runs in a namespace without a network (``unshare -n``, in it ``ip link set lo up``): no planted address is
asked for.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.batch.check.planted import plant, told

SEED = 1738

COMMAND = (
    sys.executable, "-m", "anyurl", "check", "--fragments", "--json", "--no-ignore", "--no-config",
    "--exclude", "http://[!g]*", "--exclude", "https://*", ".",
)  # fmt: skip

ANCHORS = "[AnchorCheck]\n"
"""The settings of LinkChecker that make it look for fragments."""

PEERS = {
    "lychee": (
        "--offline", "--include-fragments", "--include-mail", "--no-progress", "--hidden", "--no-ignore",
        "--extensions", "html,xhtml,md,mdx,rst,css,txt", "--root-dir", "{tree}", "{tree}",
    ),
    "linkchecker": ("--no-status", "--no-robots", "-f", "{settings}", "{pages}"),
    "linkinator": (
        "--recurse", "--check-css", "--check-fragments", "--markdown", "--verbosity", "error",
        "--skip", "^https?://(?!localhost)", ".",
    ),
}  # fmt: skip
"""The arguments of each peer: it prints what it finds broken, and no more."""


def main(trees: list[str]) -> None:
    """Plant faults into copies of trees; tell which of them are not found, what is found besides, and by whom."""
    for tree in trees:
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            copy = Path(folder).resolve() / "tree"
            shutil.copytree(tree, copy, symlinks=True)
            before = told(_output(COMMAND, copy))
            planted = plant(copy, SEED)
            lines = _output(COMMAND, copy)
            after, refused = told(lines), told(lines, "refused")
            others = {name: _found(name, copy, planted) for name in PEERS if shutil.which(name)}
        texts = {each.partition(": ")[2] for each in before}
        new = {each for each in after if each.partition(": ")[2] not in texts}
        ours = {marker for marker in planted if any(marker in each for each in new)}
        outside = {marker for marker in planted if any(marker in each for each in refused)}
        missed = sorted(kind for marker, kind in planted.items() if marker not in ours | outside)
        extra = {each for each in new if not any(marker in each for marker in planted)}
        print(f"{tree}: {len(planted)} planted, {len(ours)} found, {len(outside)} outside; {missed=}; {extra=}")
        for name, found in others.items():
            alone = sorted(planted[marker] for marker in found - ours - outside)
            print(f"  {name}: {len(found)} found; alone {alone}", flush=True)


def _output(command: Sequence[str], folder: Path, errors: int = subprocess.DEVNULL) -> str:
    return subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=errors, text=True, check=False).stdout


def _found(name: str, tree: Path, planted: dict[str, str]) -> set[str]:
    """The markers of the faults that a peer tells."""
    settings = tree.parent / "settings"
    settings.write_text(ANCHORS)
    pages = [each for each in tree.rglob("*") if each.suffix in (".html", ".xhtml", ".md") and not each.is_symlink()]
    words: list[str] = [name]
    for word in PEERS[name]:
        if word == "{pages}":
            words.extend(each.relative_to(tree).as_posix() for each in sorted(pages))
        else:
            words.append(word.format(tree=tree, settings=settings))
    output = _output(words, tree, subprocess.STDOUT).lower()
    return {marker for marker in planted if marker in output}


if __name__ == "__main__":
    main(sys.argv[1:])
