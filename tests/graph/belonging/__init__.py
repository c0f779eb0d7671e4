"""Invented collections of related documents, with the relations that a reader would note."""
