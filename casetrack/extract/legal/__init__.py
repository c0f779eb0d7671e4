"""What lawyers read in a text: citations with their pin cites, quotations, captions, printed places."""
