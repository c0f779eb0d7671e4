"""References in a text: to standards, laws, cases, parts, documents, reports and links.

:class:`~casetrack.extract.references.finder.References` reads the texts of one document in order,
:func:`~casetrack.extract.references.finder.reference_key` gives the key of a name that a person
types, and :func:`~casetrack.extract.references.matches.keys_relate` compares two keys.

The package imports none of its modules: their patterns take a quarter of a second to compile.
"""

from __future__ import annotations

VERSION: int = 7
"""Grows when the same text gives other references than before."""
