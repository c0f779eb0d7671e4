"""The identity card of a document: what it is, who made it, for whom, when, and between whom."""
