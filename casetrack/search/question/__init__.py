"""A question is read before it is asked: what it says beside its words."""
