"""Proxies: which proxy a connection uses, how a tunnel is requested, and TLS to the proxy itself.

Rule: all schemes use the same table and the same tunnels; still only the connector opens sockets.
"""
