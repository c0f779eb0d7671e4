"""Marks of the user: tags, stars, edits of names, own events. They cannot be rebuilt."""

from casetrack.store.marks.store import Marks, add, new_mark, read, stamp, with_undone

__all__ = ["Marks", "add", "new_mark", "read", "stamp", "with_undone"]
