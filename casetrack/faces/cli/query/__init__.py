"""``casetrack query``: SQL over collections, once or in a dialogue, in any common format."""
