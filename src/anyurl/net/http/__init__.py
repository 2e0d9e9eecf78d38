"""http and https by libcurl, on the room's own loop (RFC 1738 3.3, RFC 9110).

Rule: libcurl opens no connection that the connector did not approve, follows nothing and remembers nothing.
"""
