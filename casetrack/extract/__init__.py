"""Takes facts out of text: what kind of document it is."""
