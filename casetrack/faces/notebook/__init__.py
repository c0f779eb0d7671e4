"""Display of a collection from `casetrack.open` in notebooks and on terminals.

Reading a collection does not load these modules; they are loaded on the first display.
"""
