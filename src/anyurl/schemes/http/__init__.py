"""http, https: documents of the World-Wide Web (RFC 1738 3.3, RFC 9110 4.2).

Rule: path and search part are sent octet for octet as they are in the URL.
"""
