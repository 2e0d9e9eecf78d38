"""The guard under third-party clients: one file for each, imported only by users of that client.

Rule: an adapter hooks in where its client connects, by the client's own interface: it judges the actual connection, not
the apparent meaning of a text. Without a policy it is `Policy.untrusted`.
"""
