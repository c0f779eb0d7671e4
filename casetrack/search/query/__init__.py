"""SQL over collections: DuckDB over their tables, with retrieval as SQL functions.

``reading`` answers from one committed state, ``functions`` lets DuckDB call it, and ``run`` runs a
statement on a cached DuckDB. Code that does not depend on collections is in
:mod:`casetrack.store.sql`.
"""
