"""Questions to the sample case file, each one SQL statement, with the facts of the answer.

Every statement returns ``chunk_id``, ``citation`` and ``text`` (the passage) with its answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sections import sections

Fact = tuple[object, ...]

AGREEMENT = "Master Services Agreement.pdf"
AMENDMENT = "Amendment No 1.docx"
PROPOSAL = "Proposal TS-P-2024-017.docx"
CLAIM = "2024-10-21 Notice of Claim.docx"
OFFER = "2025-02-06 Offer of Settlement.pdf"
PROGRESS = "Progress Report Q3 2024.pdf"


@dataclass(frozen=True, slots=True)
class Question:
    """A question to the sample case file.

    Attributes
    ----------
    asks
        In the words of an analyst.
    answer
        The columns that answer it.
    facts
        Required values of these columns, row by row.
    is_all
        Whether no other row is permitted.
    """

    name: str
    asks: str
    sql: str
    answer: tuple[str, ...]
    facts: frozenset[Fact]
    is_all: bool = True


_SQL = sections(Path(__file__).with_suffix(".sql"), mark="-- question:")
QUESTIONS: tuple[Question, ...] = (
    Question(
        "signatures",
        "Who signed for both parties, and where?",
        _SQL["signatures"],
        ("document_name", "name", "page"),
        frozenset(
            {
                (AGREEMENT, "Harriet Penrose", 8),
                (AGREEMENT, "Julian Whitlock", 8),
                (AGREEMENT, "Ruth Calloway", 8),
                (AMENDMENT, "Julian Whitlock", 3),
                (AMENDMENT, "Ruth Calloway", 3),
            }
        ),
        is_all=False,
    ),
    Question(
        "october",
        "What is said of an alarm in connection with the first half of October 2024?",
        _SQL["october"],
        ("document_name", "date"),
        frozenset(
            {
                ("Invoice HCS-20417.pdf", "2024-10-03"),
                ("Expert Determination.pdf", "2024-10-08"),
                (CLAIM, "2024-10-08"),
                ("Exhibit F Statement of T Zielinski.txt", "2024-10-15"),
            }
        ),
        is_all=False,
    ),
    Question(
        "amended",
        "What changes the agreement, and which passage shows it?",
        _SQL["amended"],
        ("document_name", "amended"),
        frozenset({(AMENDMENT, AGREEMENT)}),
    ),
    Question(
        "around_the_clause",
        "What stands before and after the clause on ending the agreement without a reason?",
        _SQL["around_the_clause"],
        ("document_name", "position", "page"),
        frozenset({(AGREEMENT, -1, 7), (AGREEMENT, 0, 7), (AGREEMENT, 1, 8)}),
    ),
    Question(
        "standards",
        "Which standards does more than one document cite, and where?",
        _SQL["standards"],
        ("standard", "document_name"),
        frozenset(
            {
                ("ISO 9001:2015", AGREEMENT),
                ("ISO 9001:2015", PROPOSAL),
                ("ISO 9001:2015", PROGRESS),
                ("EN 528", AGREEMENT),
                ("EN 528", PROPOSAL),
                ("EN 528", "2024-08-19 Rautenberg Lieferverzug.pdf"),
                ("EN ISO 13849-1", AGREEMENT),
                ("EN ISO 13849-1", PROPOSAL),
            }
        ),
    ),
)
