"""The guard under other people's clients: one file a client, which nothing imports but who uses that client.

Rule: an adapter stands where its client connects, by what the client offers for that: what is judged is what it is
about to do, not what a text seems to say. Without a policy it is `Policy.untrusted`.
"""
