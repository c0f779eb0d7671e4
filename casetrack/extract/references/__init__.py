"""References in a text: to standards, laws, cases, parts, documents, reports and links.

:class:`~casetrack.extract.references.finder.References` reads the texts of one document in order,
:func:`~casetrack.extract.references.finder.reference_key` returns the key of a typed name, and
:func:`~casetrack.extract.references.matches.keys_relate` compares keys. The package imports no
modules, because their patterns take a quarter of a second to compile.
"""

from __future__ import annotations

VERSION: int = 7
"""Increase with every change of the results."""
