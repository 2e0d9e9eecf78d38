"""The readers: one file for each kind of text; `registry` says which there are."""
