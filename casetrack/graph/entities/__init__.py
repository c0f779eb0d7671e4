"""Entities of a collection: the forms of names, and one entity for all forms of a name."""
