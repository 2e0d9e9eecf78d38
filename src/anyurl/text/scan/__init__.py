"""The search for URLs in a text; compiled where there is a C compiler."""
