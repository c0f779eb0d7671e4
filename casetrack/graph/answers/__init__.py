"""Answers from the graph, each cited."""
