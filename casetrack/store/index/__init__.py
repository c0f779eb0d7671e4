"""Derived data of a collection: everything here can be deleted and is rebuilt from Lance.

A view is a function of what is live in the dataset. New revisions are caught up by adding a small
immutable segment, dead ones are masked, and small segments are merged as they pile up.
"""
