"""A collection: search, SQL and ingest, and three parts: ``read``, ``map`` and ``admin``."""

from casetrack.api.collection.collection import Collection

__all__ = ["Collection"]
