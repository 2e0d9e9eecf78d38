"""gemini: documents, inputs and redirections of Gemini servers (the Gemini specification, gemini://geminiprotocol.net).

Rule: one request, one reply, one connection, always over TLS; a server is trusted on first use.
"""
