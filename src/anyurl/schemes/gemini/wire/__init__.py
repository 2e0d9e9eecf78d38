"""The octets of Gemini: requests, reply lines, and the lines of text/gemini."""
