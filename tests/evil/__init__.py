"""Hostile servers, disks and terminals, and what anyurl answers: the README says how a cell is written."""
