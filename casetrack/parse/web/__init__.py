"""HTML-based formats: web pages, web archives, EPUB books."""
