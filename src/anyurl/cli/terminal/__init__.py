"""The terminal: what is asked and shown there, tables, progress, sessions."""
