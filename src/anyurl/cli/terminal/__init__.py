"""The terminal: prompts, output, tables, progress, sessions."""
