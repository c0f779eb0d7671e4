"""Places printed on paper, which are removed from the text of a page and stored as data."""
