"""Retrieval: recall by words and by meaning, fusion of signals, and evidence for the results."""
