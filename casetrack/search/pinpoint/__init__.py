"""Where in a passage the answer stands: its best sentences, rows or clauses."""
