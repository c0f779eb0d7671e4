"""For analysts: what `casetrack.open` adds to a collection in notebooks and on terminals.

Nothing here is needed to read a collection, and nothing of it is loaded before something is shown.
"""
