"""dict: definitions and matches of words at dictionary servers (RFC 2229).

Rule: a URL causes one of two commands, with its words quoted, and never any other command.
"""
