"""``python -m anyurl``: the command `anyurl`, where no script was installed for it."""

from __future__ import annotations

from anyurl_start import main

if __name__ == "__main__":
    main()
