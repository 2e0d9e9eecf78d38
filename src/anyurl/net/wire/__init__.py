"""Connections: addresses that were judged, sockets, TLS, datagrams and proxies."""
