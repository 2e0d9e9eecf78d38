"""Whose a port is."""

from __future__ import annotations

from anyurl.guard.ports import CONTROL_PORTS, FETCH_BAD_PORTS, service_at
from anyurl.url import syntax
from tests.rows import each_row


def test_the_fetch_list_is_whole() -> None:
    """The standard's table has 82 rows as of 2025 (port 0, which nobody can connect to, is refused on its own)."""
    assert len(FETCH_BAD_PORTS) == 82
    assert sum(FETCH_BAD_PORTS) == 115_595
    assert set(FETCH_BAD_PORTS) & set(CONTROL_PORTS) == set()


@each_row(
    ("port", "scheme", "owner"),
    [
        (25, "gopher", "smtp"),
        (6379, "http", "redis"),
        (9200, "http", "elasticsearch"),
        (10050, "gopher", "zabbix-agent"),
        (80, "gopher", "http"),
        (70, "http", "gopher"),
        (21, "http", "ftp"),
        (210, "http", "wais"),
        (1525, "http", "prospero"),
        (443, "ftp", "https"),
        (443, "http", None),
        (80, "https", None),
        (21, "ftps", None),
        (990, "ftp", None),
        (70, "gophers", None),
        (8080, "http", None),
        (8080, None, None),
        (21, None, "ftp"),
        (22, "unheard-of", "ssh"),
    ],
)
def test_a_port_belongs_to_its_service_and_not_to_kin(port: int, scheme: str | None, owner: str | None) -> None:
    assert service_at(port, scheme) == owner


def test_every_default_port_is_foreign_to_strangers() -> None:
    assert [row.name for row in syntax.ROWS.values() if row.port and service_at(row.port, "unheard-of") is None] == []
