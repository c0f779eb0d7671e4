"""Letters, minutes, invoices and mails that cite clauses of agreements, with decoys.

``CLAUSES`` are the citations that a reader would note: document, cited words, cited document.
"""

from __future__ import annotations

from pathlib import Path

from graph.belonging.measure import read_papers

TYPES = ("amends", "made_under", "bills")
FILES, EDGES = read_papers(Path(__file__).with_suffix(".txt"))
_SERVICES, _SUPPLY = "a/services.txt", "b/supply.txt"
CLAUSES = {
    ("b/amendment.txt", "Section 2.4", _SUPPLY),
    ("b/amendment.txt", "Section 3.2", _SUPPLY),
    ("c/letter 1.txt", "Section 4.2", _SERVICES),
    ("c/letter 1.txt", "clauses 2.1", _SERVICES),
    ("c/letter 1.txt", "2.4", _SERVICES),
    ("c/letter 2.txt", "Clause 3.2", _SUPPLY),
    ("c/letter 2.txt", "Schedule 2", _SUPPLY),
    ("c/minutes.txt", "Clause 4.3", _SERVICES),
    ("c/minutes.txt", "clause 2.1", _SERVICES),
    ("d/claim.eml", "Section 2.4", _SUPPLY),
}
