"""A server of the Model Context Protocol: any URL, for a language model, under the guard.

Rule: a model's request is a stranger's wish, and the reply is a stranger's text. The model can widen nothing: the
operator of the server decides what may be reached, written or sent.
"""
