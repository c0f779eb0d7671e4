"""Derived data of a collection, which can be deleted and is rebuilt from Lance.

A view depends only on the live rows of the dataset. New revisions add a small immutable segment,
dead ones are masked, and small segments are merged as they accumulate.
"""
