"""An egress proxy: the guard between any program and the network (RFC 9110 3.7 and 9.3.6, RFC 1928, RFC 1738 4).

Rule: every client is a stranger until its role says otherwise; where a request leads is judged and connected to by the
same connector as all else here. It can't see inside TLS: behind a CONNECT it judges the host, the port and the address.
"""

from anyurl.proxy.roles import Role, Roles, read_roles
from anyurl.proxy.server import EgressProxy, serve

__all__ = ["EgressProxy", "Role", "Roles", "read_roles", "serve"]
