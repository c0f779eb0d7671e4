"""The context graph of a collection, computed from its live documents and updated incrementally.

Each revision of a document is read once (:mod:`casetrack.graph.document`) and stored in immutable
segments. Tables over all documents are built from the segments on first use and kept until the
collection changes.
"""
