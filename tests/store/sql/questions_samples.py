"""Questions to the sample case file, each one SQL statement, with the facts that stand in it.

Every statement returns ``chunk_id``, ``citation`` and ``text`` (the passage) beside its answer.
"""

from __future__ import annotations

from dataclasses import dataclass

Fact = tuple[object, ...]

AGREEMENT = "Master Services Agreement.pdf"
AMENDMENT = "Amendment No 1.docx"
PROPOSAL = "Proposal TS-P-2024-017.docx"
CLAIM = "2024-10-21 Notice of Claim.docx"
REPLY = "2024-11-04 Reply to Notice of Claim.pdf"
MINUTES_2024 = "Board Minutes 2024-10-29.docx"
MINUTES_2025 = "Board Minutes 2025-03-25.md"
OFFER = "2025-02-06 Offer of Settlement.pdf"
PROGRESS = "Progress Report Q3 2024.pdf"


@dataclass(frozen=True, slots=True)
class Question:
    """A question to the sample case file.

    Attributes
    ----------
    asks
        As an analyst would say it.
    sql
        The statement.
    answer
        The columns that answer it.
    facts
        What must stand in them, row by row.
    is_all
        Whether nothing else may stand there.
    """

    name: str
    asks: str
    sql: str
    answer: tuple[str, ...]
    facts: frozenset[Fact]
    is_all: bool = True


QUESTIONS: tuple[Question, ...] = (
    Question(
        "signatures",
        "Who signed for both parties, and where?",
        r"""
        SELECT DISTINCT m.document_name, m.name, m.page, c.chunk_id, c.citation, c.text
        FROM chunks AS c JOIN mentions AS m USING (chunk_id)
        WHERE m.kind = 'person' AND regexp_matches(c.text, 'Signed\s+for')
          AND m.char_start > strpos(c.text, 'Signed for')
        ORDER BY m.document_name, m.name
        """,
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
        """
        SELECT DISTINCT found.rank, found.document_name, d.value AS date, found.chunk_id,
               found.citation, found.text
        FROM search('alarm that did not sound, siren, bridged relay', k => 30) AS found
        JOIN dates AS d USING (chunk_id)
        WHERE d.first_day >= '2024-10-01' AND d.last_day <= '2024-10-15'
        ORDER BY found.rank, date
        """,
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
        """
        SELECT later.name AS document_name, earlier.name AS amended, c.chunk_id, c.citation, c.text
        FROM edges AS e
        JOIN documents AS later ON later.document_id = e.source_id
        JOIN documents AS earlier ON earlier.document_id = e.target_id
        JOIN chunks AS c ON list_contains(e.evidence, c.chunk_id)
        WHERE e.type = 'amends' AND later.name LIKE 'Amendment%'
        """,
        ("document_name", "amended"),
        frozenset({(AMENDMENT, AGREEMENT)}),
    ),
    Question(
        "around_the_clause",
        "What stands before and after the clause on ending the agreement without a reason?",
        """
        SELECT found.document_name, around.position, around.page, around.chunk_id,
               around.citation, around.text
        FROM search('notice to terminate for convenience', k => 1,
                    document => 'Master Services Agreement.pdf') AS found,
             context(found.chunk_id, 1) AS around
        ORDER BY around.position
        """,
        ("document_name", "position", "page"),
        frozenset({(AGREEMENT, -1, 7), (AGREEMENT, 0, 7), (AGREEMENT, 1, 8)}),
    ),
    Question(
        "standards",
        "Which standards does more than one document cite, and where?",
        """
        SELECT r.name AS standard, c.document_name, k.chunk_id, k.citation, k.text
        FROM "references" AS r
        JOIN citations AS c USING (reference_id)
        JOIN chunks AS k USING (chunk_id)
        WHERE r.type = 'standard' AND r.document_count > 1 AND NOT c.repeated
        ORDER BY standard, c.document_name
        """,
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
