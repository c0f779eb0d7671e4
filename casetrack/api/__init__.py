"""Functions for all faces: the library, collections, and their display."""
