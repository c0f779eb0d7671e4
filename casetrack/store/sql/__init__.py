"""SQL over a collection: the views' definitions as ``*.sql`` files, and who opens DuckDB."""
