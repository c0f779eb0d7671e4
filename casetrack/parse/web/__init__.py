"""HTML and what is made of it: web pages, web archives, EPUB books."""
