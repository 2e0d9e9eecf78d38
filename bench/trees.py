"""Built trees: which of the faults that are planted into them ``anyurl check`` finds, and what it finds besides.

``python -m bench.trees TREE...`` plants each kind of fault (`tests/batch/check/planted.py`) into a copy of each tree,
built by Sphinx, MkDocs, mdBook, Hugo, Jekyll, Docusaurus, javadoc or doxygen, at pages that a seed draws, and checks it
before and after. Nothing outside of the copy is requested.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.batch.check.planted import plant, told

SEED = 1738

COMMAND = (
    sys.executable, "-m", "anyurl", "check", "--fragments", "--json", "--no-ignore", "--no-config",
    "--exclude", "http://[!g]*", "--exclude", "https://*", ".",
)  # fmt: skip


def main(trees: list[str]) -> None:
    """Plant faults into copies of trees, and tell which of them a check does not find, and what it finds besides."""
    for tree in trees:
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / "tree"
            shutil.copytree(tree, copy, symlinks=True)
            before = told(subprocess.run(COMMAND, cwd=copy, capture_output=True, text=True, check=False).stdout)
            planted = plant(copy, SEED)
            after = told(subprocess.run(COMMAND, cwd=copy, capture_output=True, text=True, check=False).stdout)
        texts = {each.partition(": ")[2] for each in before}
        new = {each for each in after if each.partition(": ")[2] not in texts}
        missed = {kind for marker, kind in planted.items() if not any(marker in each for each in new)}
        extra = {each for each in new if not any(marker in each for marker in planted)}
        print(f"{tree}: {len(planted)} planted, {len(planted) - len(missed)} found; missed {sorted(missed)}; {extra=}")


if __name__ == "__main__":
    main(sys.argv[1:])
