"""The context graph of a collection: a function of what is live in it, kept by delta.

What the extraction steps found in the chunks of a document is read once per revision
(:mod:`casetrack.graph.document`) and kept in immutable segments; the tables over all documents are
made from those when they are first asked for, and kept until the collection changes.
"""
