"""Builds the search index and the map of a collection on a cluster, in tasks for documents."""
