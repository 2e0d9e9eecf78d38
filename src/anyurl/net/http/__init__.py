"""http and https with libcurl, on the scheduler's loop (RFC 1738 3.3, RFC 9110).

Rule: libcurl opens no connection that the connector did not approve, follows no redirects and stores nothing.
"""
