"""Write docs/peers.md anew: the table of peers and operations that tests/peers/farm.py is.

.venv/bin/python docs/peers.py
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "peers.md"

if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    from tests.peers.farm import page

    PAGE.write_text(page(), encoding="utf-8")
