"""gopher, gophers: menus, texts, searches and forms of Gopher servers (RFC 1738 3.4, RFC 4266, RFC 1436).

Rule: one request, one reply, one connection; the type in the URL determines the reply.
"""
