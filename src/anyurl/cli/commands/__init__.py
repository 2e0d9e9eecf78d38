"""The commands of `anyurl`, a module each, with the `command` of that name."""
