"""The command ``ctx``: the edition for people who code, on the same library as ``casetrack``."""
