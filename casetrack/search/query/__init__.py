"""Asking collections in SQL: DuckDB over what lies in them, with retrieval as functions of SQL.

``reading`` answers from one committed state, ``functions`` lets DuckDB ask it, ``database`` keeps a
DuckDB over it from one statement to the next, ``run`` runs a statement, and
``process`` runs one in a process that may be ended. What knows nothing of
collections lies in :mod:`casetrack.store.sql`.
"""
