"""References in a text: to standards, laws, cases, parts, documents, reports and links.

:class:`~casetrack.extract.references.finder.References` reads the texts of one document in order.
The package imports no modules, because their patterns take a quarter of a second to compile.
"""

from __future__ import annotations

VERSION: int = 12
"""Increase with every change of the results."""
