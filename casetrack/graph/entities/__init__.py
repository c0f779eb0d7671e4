"""Who and what the documents mention: the forms of names, and one entity for all of its forms."""
