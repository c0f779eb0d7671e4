"""Connections between documents, chunks and entities, each with its evidence.

Everything is a function of the live documents: deciding sums use integers, and ties go to the
smaller id, so that results do not depend on the order of ingest or the number of threads.
"""
