"""What was got, kept as a web archive keeps it: WARC 1.1 (ISO 28500:2017), for every scheme.

`recorder` stands between a dialogue and the scheduler; `block` has what a record holds, `file` where records go. What
is secret is replaced before it gets there (`hiding`).
"""
