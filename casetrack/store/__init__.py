"""Storage of one collection: Lance datasets, the ledger, the write lock, crash recovery.

The only package that imports ``lance``. ``chunks.lance`` holds all data; ``documents.lance`` (the
ledger) says which revision of each document is live. Readers see the two joined; switching the
ledger row is the commit point (DESIGN §3).
"""
