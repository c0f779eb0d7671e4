"""References in a text: to standards, laws, cases, parts, documents, reports and links.

:class:`References` reads the texts of one document in order; :func:`reference_key` gives the key of
a name that a person types, and :func:`keys_relate` says whether two keys speak of the same thing.
"""

from __future__ import annotations

from casetrack.extract.references.citations import reads_case_law
from casetrack.extract.references.finder import References, reference_key
from casetrack.extract.references.matches import keys_relate

__all__ = ["VERSION", "References", "keys_relate", "reads_case_law", "reference_key"]

VERSION: int = 7
"""Grows when the same text gives other references than before."""
