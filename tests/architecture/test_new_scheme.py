"""scripts/new-scheme begins a scheme that keeps its contract, and whose missing pieces the tests name."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.architecture.source import ROOT

PROGRAM = """
from tests.schemes import test_complete, test_contracts
from fuzz import kit
for scheme, contract in (("daytime", test_contracts.TestDaytime()), ("whois", test_contracts.TestWhois())):
    for name in dir(contract):
        if name.startswith("test_"):
            getattr(contract, name)()
    kit.load(scheme)(kit.seeds(scheme)[0])
    print(test_complete.lacks(scheme))
"""


def test_a_new_scheme_keeps_its_contract_and_is_told_what_it_lacks(tmp_path: Path) -> None:
    for folder in ("src", "scripts", "fuzz"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    (tmp_path / "docs").mkdir()
    (tmp_path / "tests" / "schemes").mkdir(parents=True)
    for name in ("__init__.py", "rows.py", "schemes/test_contracts.py", "schemes/test_complete.py"):
        shutil.copy(ROOT / "tests" / name, tmp_path / "tests" / name)

    script = str(tmp_path / "scripts" / "new-scheme")
    begin = [script, "daytime", "RFC 867", "13"]
    said = subprocess.run(begin, capture_output=True, text=True, check=True).stdout
    assert "DaytimeParts in src/anyurl/__init__.py" in said
    assert subprocess.run(begin, capture_output=True, check=False).returncode == 1, "it is there already"
    subprocess.run([script, "whois", "RFC 3912", "43"], capture_output=True, check=True)  # known by name so far

    environment = {**os.environ, "PYTHONPATH": f"{tmp_path / 'src'}{os.pathsep}{tmp_path}"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "['its parts among the public names of anyurl']\n" * 2
