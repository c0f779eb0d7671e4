"""SQL over a collection: view definitions in ``*.sql`` files, and DuckDB connections."""
