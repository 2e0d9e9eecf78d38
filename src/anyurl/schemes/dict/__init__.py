"""dict: definitions and matches of words at dictionary servers (RFC 2229).

Rule: a URL stands for one of two commands, with its words quoted; it can't cause any other command.
"""
