"""data: a note that is its own address; there is nothing to start and nothing to stop (RFC 2397)."""

from __future__ import annotations

from anyurl.url import URL


class DataServer:
    """No server: the content is in the URL."""

    @property
    def root(self) -> URL:
        """The note."""
        return URL("data:text/plain;charset=utf-8,What%20you%20read%20here%20came%20with%20its%20address.%0A")

    @property
    def urls(self) -> dict[str, URL]:
        """The URL that the demo gets."""
        return {"data": self.root}

    def close(self) -> None:
        """Nothing is left to stop."""


def start(port: int = 0) -> DataServer:
    """The note; no port is used."""
    return DataServer()
