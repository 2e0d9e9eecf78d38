"""Which ports belong to another protocol.

The rule: a port that belongs to another service is refused unless the policy names it, or else "the client unwittingly
contacts a server which is in fact running a different protocol" (RFC 1738 section 6). Three tables say whose a port is:
the Fetch standard's bad ports, services that browsers don't think of (databases and control planes), and the default
ports of the schemes themselves.
"""

from __future__ import annotations

from anyurl.url import syntax

# Fetch standard, section 2.9 "Port blocking" (https://fetch.spec.whatwg.org/#port-blocking), as of 2025-01.
FETCH_BAD_PORTS: dict[int, str] = {
    1: "tcpmux", 7: "echo", 9: "discard", 11: "systat", 13: "daytime", 15: "netstat", 17: "qotd", 19: "chargen",
    20: "ftp-data", 21: "ftp", 22: "ssh", 23: "telnet", 25: "smtp", 37: "time", 42: "name", 43: "nicname",
    53: "domain", 69: "tftp", 77: "priv-rjs", 79: "finger", 87: "ttylink", 95: "supdup", 101: "hostriame",
    102: "iso-tsap", 103: "gppitnp", 104: "acr-nema", 109: "pop2", 110: "pop3", 111: "sunrpc", 113: "auth",
    115: "sftp", 117: "uucp-path", 119: "nntp", 123: "ntp", 135: "epmap", 137: "netbios-ns", 139: "netbios-ssn",
    143: "imap", 161: "snmp", 179: "bgp", 389: "ldap", 427: "svrloc", 465: "submissions", 512: "exec",
    513: "login", 514: "shell", 515: "printer", 526: "tempo", 530: "courier", 531: "chat", 532: "netnews",
    540: "uucp", 548: "afp", 554: "rtsp", 556: "remotefs", 563: "nntps", 587: "submission", 601: "syslog-conn",
    636: "ldaps", 989: "ftps-data", 990: "ftps", 993: "imaps", 995: "pop3s", 1719: "h323gatestat",
    1720: "h323hostcall", 1723: "pptp", 2049: "nfs", 3659: "apple-sasl", 4045: "npp", 4190: "sieve", 5060: "sip",
    5061: "sips", 6000: "x11", 6566: "sane-port", 6665: "ircu", 6666: "ircu", 6667: "ircu", 6668: "ircu",
    6669: "ircu", 6679: "osaut", 6697: "ircs-u", 10080: "amanda",
}  # fmt: skip

# Services that obey plain octets and are missing from the browsers' list: databases, caches, queues, remote desktops
# and the control planes of containers. Names as in IANA's service names registry if it has one.
CONTROL_PORTS: dict[int, str] = {
    445: "microsoft-ds", 873: "rsync", 1433: "ms-sql-s", 1521: "oracle", 1883: "mqtt", 2181: "zookeeper",
    2375: "docker", 2376: "docker-s", 2377: "swarm", 2379: "etcd-client", 2380: "etcd-server", 3306: "mysql",
    3389: "ms-wbt-server", 4369: "epmd", 5432: "postgresql", 5672: "amqp", 5900: "rfb", 5985: "wsman",
    5986: "wsmans", 6379: "redis", 6443: "kubernetes", 8009: "ajp13", 9042: "cassandra", 9092: "kafka",
    9200: "elasticsearch", 9300: "elasticsearch transport", 10050: "zabbix-agent", 10051: "zabbix-trapper",
    10250: "kubelet", 10255: "kubelet", 11211: "memcached", 26379: "redis sentinel",
    27017: "mongodb", 27018: "mongodb", 27019: "mongodb",
}  # fmt: skip

CONFIGURED_PORTS = {"mailto": frozenset({25, 465, 587}), "proxy": frozenset({80, 443})}
"""Ports of servers that no URL names: of the configured mail server (RFC 5321 4.5.4.2, RFC 6409 3.1, RFC 8314 3.3), and
of a proxy that is reached as a web server is. A URL without a host reaches no other server."""

SMALLEST_DATA_PORT = 1024
"""Below it only a system's own services listen (RFC 6335 6): no FTP server opens a data port there."""


def _family(scheme: str) -> str:
    """Schemes that one module speaks (ftp and ftps) don't take each other for strangers."""
    row = syntax.ROWS.get(scheme)
    return row.module if row is not None and row.module else scheme


def service_at(port: int, scheme: str | None = None) -> str | None:
    """Whose port it is, other than this scheme's own: a service name, or None when no service owns it.

    Args:
        port: 1 to 65535.
        scheme: The scheme that wants to use it; None means any scheme is a stranger.
    """
    if port in CONFIGURED_PORTS.get(scheme or "", ()):
        return None
    own = syntax.ROWS.get(scheme or "")
    if own is not None and own.port == port:
        return None
    rows = []
    for row in syntax.ROWS.values():
        if row.port == port:
            rows.append(row)
    if scheme is not None and any(_family(row.name) == _family(scheme) for row in rows):
        return None
    return FETCH_BAD_PORTS.get(port) or CONTROL_PORTS.get(port) or (rows[0].name if rows else None)
