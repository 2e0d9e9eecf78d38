"""Proxies: which one a connection goes through, how it is asked for a tunnel, and TLS to the proxy itself.

Rule: every scheme goes through the same table and the same tunnel; it is still the connector alone that opens sockets.
"""
