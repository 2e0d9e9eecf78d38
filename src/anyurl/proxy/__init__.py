"""An egress proxy: the guard between any program and the network (RFC 9110 3.7 and 9.3.6, RFC 1928, RFC 1738 4).

Rule: every client is untrusted unless its role says otherwise; targets are judged and connected to by the same
connector as everywhere else. The proxy can't see inside TLS: for CONNECT it judges host, port and address only.
"""

from anyurl.proxy.roles import Role, Roles, read_roles
from anyurl.proxy.server import EgressProxy, serve

__all__ = ["EgressProxy", "Role", "Roles", "read_roles", "serve"]
