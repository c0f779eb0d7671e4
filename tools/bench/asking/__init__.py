"""Rooms of ``just agents``: a client without knowledge, its tasks, and the judge of what it saw."""
