"""What lawyers read in a text: citations, quotations, captions, printed places."""
