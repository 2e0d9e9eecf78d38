"""``python -m anyurl.cli``."""

from __future__ import annotations

from anyurl.cli import main

if __name__ == "__main__":
    main()
