"""dict: definitions and matches of words at dictionary servers (RFC 2229).

Rule: a URL says one of two commands, and its words are quoted; no other command of its making goes out.
"""
