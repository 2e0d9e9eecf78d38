"""A server of the Model Context Protocol: any URL, for a language model, under the guard.

Rule: what a model asks for is a stranger's wish, and what it gets is a stranger's text. The model can widen nothing:
what may be reached, written or sent is said by who starts the server.
"""
