"""The user's word: tags, stars, edits of names, own events. One store, which nothing rebuilds."""

from casetrack.store.marks.store import Marks, add, new_mark, read, stamp

__all__ = ["Marks", "add", "new_mark", "read", "stamp"]
