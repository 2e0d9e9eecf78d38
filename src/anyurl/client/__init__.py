"""The clients and their results: resources, entries, sessions (RFC 1738 2: access, update, replace, attributes).

Rule: a client sees the scheduler's tasks and nothing below them; `anyurl.access` has the public names.
"""
