"""Retrieval: recall by words and by meaning, fusion of the signals, and its evaluation."""
