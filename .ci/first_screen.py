"""What the first screen of the README says, done by a newcomer: ``python3 .ci/first_screen.py`` in a clone.

The first block of the shell installs, in a shell of its own; the first block of Python is then run by that environment.
"""

import re
import subprocess
from pathlib import Path

EXAMPLES = """
import doctest, sys
test = doctest.DocTestParser().get_doctest(sys.stdin.read(), {}, "README.md", "README.md", 0)
options = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
sys.exit(not test.examples or doctest.DocTestRunner(optionflags=options).run(test).failed)
"""

text = Path("README.md").read_text("utf-8")
install, examples = (re.search(rf"(?ms)^```{kind}\n(.*?)^```$", text)[1] for kind in ("sh", "python"))
subprocess.run(["sh", "-euxc", install], check=True)
subprocess.run([".venv/bin/python", "-c", EXAMPLES], input=examples, text=True, check=True)
