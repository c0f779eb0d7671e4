"""Storage of one collection: Lance datasets, the ledger, the write lock, crash recovery.

The only package that imports ``lance``. ``chunks.lance`` contains all data; ``documents.lance``
(the ledger) names the live revision of each document. Readers see the two joined; the switch of the
ledger row is the commit point.
"""
